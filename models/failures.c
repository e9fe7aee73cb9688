#include "models/failures.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "models/world.h"

uint64_t failures_identity(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325U;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3U;
    return hash;
}

bool failures_is_kind(enum config_source_kind kind)
{
    return kind == CONFIG_SOURCE_CHIP || kind == CONFIG_SOURCE_SILENT;
}

/* Time of the failure after one at `from`; SIM_TIME_NEVER past the end of time. */
static sim_time draw_time(struct failure_source *source, sim_time from)
{
    double gap = gsl_cdf_exponential_Pinv(sim_stream_uniform(&source->stream), source->mean_gap_ns) + source->carry_ns;
    if (!(gap < 9e18))
        return SIM_TIME_NEVER;
    double whole = floor(gap);
    source->carry_ns = gap - whole;
    return sim_time_add(from, (sim_time)whole);
}

static void on_failure(void *context, uint32_t entity);

static void schedule_next(struct failure_source *source)
{
    struct world *world = source->world;
    sim_time at = draw_time(source, world->sim.origin.now);
    int64_t place = lemons_draw(&source->lemons, sim_stream_uniform(&source->stream));
    source->chip = scope_chip(&source->scope, lemons_at(&source->lemons, place));
    if (at > world->config->duration_ns)
        return; /* later than the run: never */
    uint32_t index = (uint32_t)(source - world->source);
    (void)sim_queue_schedule(&world->sim.queue, at, WORLD_RANK_FAILURE, index, on_failure, source);
}

static void on_failure(void *context, uint32_t entity)
{
    (void)entity;
    struct failure_source *source = context;
    int64_t chip = source->chip;
    uint64_t number = source->count++;
    schedule_next(source);
    world_fail_chip(source->world, source, chip, number);
}

static void start_stream(struct failure_source *source)
{
    source->mean_gap_ns = source->config->mtbi_s / lemons_weight(&source->lemons) * 1e9;
    sim_stream_init(&source->stream, &source->world->sim.origin, WORLD_STREAM_FAILURES, source->identity);
    schedule_next(source);
}

/* How many lemons each slice of the fleet has; the caller frees it. */
static uint32_t *count_lemons(const struct failure_source *source)
{
    const struct fleet *fleet = &source->world->fleet;
    uint32_t *count = sim_allocate((size_t)fleet->slices, sizeof *count);
    for (int64_t place = 0; place < source->lemons.count; place++)
        count[fleet_locate(fleet, scope_chip(&source->scope, lemons_at(&source->lemons, place))).slice]++;
    return count;
}

static void start_ageing(struct failure_source *source)
{
    const struct fleet *fleet = &source->world->fleet;
    uint32_t *lemons = count_lemons(source);
    source->ageing = sim_allocate((size_t)fleet->slices, sizeof *source->ageing);
    for (int64_t slice = 0; slice < fleet->slices; slice++) {
        int64_t first = fleet_first_chip(fleet, slice), chips = fleet_slice_chips(fleet, slice);
        uint32_t in_scope = (uint32_t)scope_within(&source->scope, first, chips);
        ageing_init(&source->ageing[slice], source, (uint32_t)slice, in_scope - lemons[slice], lemons[slice]);
        ageing_on_service(&source->ageing[slice], source, (uint32_t)slice);
    }
    free(lemons);
}

void failures_start(struct failure_source *source, struct world *world, const struct config_source *config)
{
    *source = (struct failure_source){.world = world, .config = config, .identity = failures_identity(config->name)};
    scope_init(&source->scope, world->config, &world->fleet, config);
    lemons_init(&source->lemons, &world->sim.origin, config, source->identity, source->scope.chips);
    if (config->timing == CONFIG_BY_LIFE)
        start_ageing(source);
    else
        start_stream(source);
}

void failures_fini(struct failure_source *source)
{
    for (int64_t slice = 0; source->ageing && slice < source->world->fleet.slices; slice++)
        ageing_fini(&source->ageing[slice]);
    free(source->ageing);
}

void failures_on_service(struct failure_source *source, uint32_t slice, bool is_in_service)
{
    if (source->ageing && is_in_service)
        ageing_on_service(&source->ageing[slice], source, slice);
    else if (source->ageing)
        ageing_on_away(&source->ageing[slice], source);
}
