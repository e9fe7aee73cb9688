#include "models/domain.h"

#include "models/world.h"

int64_t domain_total(const struct config *config, const struct config_source *source)
{
    int64_t size = config_domain_chips(config, source);
    return (config->chips + size - 1) / size;
}

int64_t domain_first_chip(const struct config *config, const struct config_source *source, int64_t domain)
{
    return domain * config_domain_chips(config, source);
}

/* The chips that a shock may hit, from `first` to before `end`. */
struct blast {
    const struct failure_source *source;
    uint64_t number;
    int64_t first, end;
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Chips of a slice that are in the domain and in scope: a slice is of one learner, as scope_within wants it. */
static int64_t members(const struct blast *blast, int64_t slice)
{
    const struct fleet *fleet = &blast->source->world->fleet;
    int64_t first = fleet_first_chip(fleet, slice), end = first + fleet_slice_chips(fleet, slice);
    int64_t from = larger(first, blast->first), to = end < blast->end ? end : blast->end;
    return scope_within(&blast->source->scope, from, to - from);
}

/* What happens to a slice is addressed by the number of the shock, or by that of the shock and its own. */
static uint64_t number_of(const struct blast *blast, int64_t slice)
{
    const struct failure_source *source = blast->source;
    if (source->config->delay == CONFIG_DELAY_SHARED)
        return blast->number;
    return blast->number * (uint64_t)source->world->fleet.slices + (uint64_t)slice;
}

/* The chips of the slice that are hit. Its learner has yet to hear of it. */
static int64_t strike_slice(const struct blast *blast, int64_t slice)
{
    struct world *world = blast->source->world;
    int64_t hit = members(blast, slice);
    if (hit > 0 && world_shock_slice(world, blast->source, (uint32_t)slice, number_of(blast, slice)))
        return hit;
    return 0;
}

static void count(struct world *world, int64_t hit)
{
    world->count.failures += hit;
    world->count.domain.shocks++;
    world->count.domain.chips += hit;
    world->count.domain.chips_max = larger(world->count.domain.chips_max, hit);
}

void domain_strike(const struct failure_source *source, int64_t first, uint64_t number)
{
    struct world *world = source->world;
    const struct config *config = world->config;
    int64_t end = first + config_domain_chips(config, source->config), hit = 0;
    const struct blast blast = {source, number, first, end < config->chips ? end : config->chips};
    struct fleet_place from = fleet_locate(&world->fleet, first), to = fleet_locate(&world->fleet, blast.end - 1);
    for (int64_t slice = from.slice; slice <= to.slice; slice++)
        hit += strike_slice(&blast, slice);
    if (hit == 0)
        return;
    count(world, hit);
    for (int64_t learner = from.learner; learner <= to.learner; learner++)
        learner_on_failure(&world->learner[learner]);
}
