#include "models/failures.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "models/world.h"

uint64_t failures_identity(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325U;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3U;
    return hash;
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
    double chips = (double)world->config->chips;
    source->chip = (int64_t)(sim_stream_uniform(&source->stream) * chips);
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

void failures_start(struct failure_source *source, struct world *world, const struct config_source *config)
{
    *source = (struct failure_source){
        .world = world,
        .config = config,
        .identity = failures_identity(config->name),
        .mean_gap_ns = config->mtbi_s / (double)world->config->chips * 1e9,
    };
    sim_stream_init(&source->stream, &world->sim.origin, WORLD_STREAM_FAILURES, source->identity);
    schedule_next(source);
}
