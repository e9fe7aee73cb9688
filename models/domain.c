#include "models/domain.h"

#include "models/world.h"

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t domain_total(const struct config *config, const struct config_source *source)
{
    int64_t size = config_domain_chips(config, source);
    return (config->chips + size - 1) / size;
}

int64_t domain_first_chip(const struct config *config, const struct config_source *source, int64_t domain)
{
    return domain * config_domain_chips(config, source);
}

int64_t domain_total_in_scope(const struct config *config, const struct config_source *source,
                              const struct scope *scope)
{
    int64_t size = config_domain_chips(config, source), count = 0, next = 0;
    for (int i = 0; i < scope->count; i++) {
        int64_t first = larger(scope->range[i].first / size, next);
        next = (scope->range[i].first + scope->range[i].chips - 1) / size + 1;
        count += larger(next - first, 0);
    }
    return count;
}

int64_t domain_next_in_scope(const struct config *config, const struct config_source *source, const struct scope *scope,
                             int64_t domain)
{
    int64_t size = config_domain_chips(config, source);
    for (int i = 0; i < scope->count; i++)
        if (scope->range[i].first + scope->range[i].chips > domain * size)
            return larger(domain, scope->range[i].first / size);
    return -1;
}

struct domain_span domain_span(const struct fleet *fleet, const struct config *config,
                               const struct config_source *source, int64_t domain)
{
    int64_t first = domain_first_chip(config, source, domain), end = first + config_domain_chips(config, source);
    end = end < config->chips ? end : config->chips;
    return (struct domain_span){first, end, fleet_locate(fleet, first), fleet_locate(fleet, end - 1)};
}

/* A slice is of one learner, as scope_within wants it. */
int64_t domain_members(const struct domain_span *span, const struct fleet *fleet, const struct scope *scope,
                       int64_t slice)
{
    int64_t first = fleet_first_chip(fleet, slice), end = first + fleet_slice_chips(fleet, slice);
    int64_t from = larger(first, span->first), to = end < span->end ? end : span->end;
    return scope_within(scope, from, to - from);
}

/* What happens to a slice is addressed by the number of the shock, or by that of the shock and its own. */
static uint64_t number_of(const struct failure_source *source, uint64_t shock, int64_t slice)
{
    if (source->config->delay == CONFIG_DELAY_SHARED)
        return shock;
    return shock * (uint64_t)source->world->fleet.slices + (uint64_t)slice;
}

static void count(struct world *world, int64_t hit)
{
    world->count.failures += hit;
    world->count.domain.shocks++;
    world->count.domain.chips += hit;
    world->count.domain.chips_max = larger(world->count.domain.chips_max, hit);
}

/* Learners hear of it when everything is hit. */
void domain_strike(const struct failure_source *source, int64_t domain, uint64_t number)
{
    struct world *world = source->world;
    const struct domain_span span = domain_span(&world->fleet, world->config, source->config, domain);
    int64_t hit = 0;
    for (int64_t slice = span.from.slice; slice <= span.to.slice; slice++) {
        int64_t members = domain_members(&span, &world->fleet, &source->scope, slice);
        if (members > 0 && world_shock_slice(world, source, (uint32_t)slice, number_of(source, number, slice)))
            hit += members;
    }
    if (hit == 0)
        return;
    count(world, hit);
    for (int64_t learner = span.from.learner; learner <= span.to.learner; learner++)
        learner_on_failure(&world->learner[learner]);
}
