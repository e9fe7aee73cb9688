#include "models/outage.h"

#include <gsl/gsl_cdf.h>

#include "models/world.h"

static struct syncer *syncer_of(const struct outage *outage)
{
    return &outage->world->syncer;
}

/* Two numbers of the stream for each failure: the gap before it, and how long it lasts. */
static double draw(const struct outage *outage, uint64_t which)
{
    return sim_uniform_at(&outage->world->sim.origin, WORLD_STREAM_SYNCER, outage->identity, 2 * outage->count + which);
}

static void schedule(struct outage *outage, double delay_s, enum world_rank rank, sim_handler *handler)
{
    struct world *world = outage->world;
    sim_time at = sim_time_after(world->sim.origin.now, delay_s);
    if (at <= world->config->duration_ns)
        (void)sim_queue_schedule(&world->sim.queue, at, rank, 0, handler, outage);
}

static void on_failure(void *context, uint32_t entity);

static void schedule_failure(struct outage *outage)
{
    double gap_s = gsl_cdf_exponential_Pinv(draw(outage, 0), outage->source->mtbi_s);
    schedule(outage, gap_s, WORLD_RANK_FAILURE, on_failure);
}

static void on_return(void *context, uint32_t entity)
{
    (void)entity;
    struct outage *outage = context;
    syncer_return(syncer_of(outage));
    outage->count++;
    schedule_failure(outage);
}

static void on_failure(void *context, uint32_t entity)
{
    (void)entity;
    struct outage *outage = context;
    if (syncer_of(outage)->state == SYNCER_DOWN) {
        outage->count++;
        schedule_failure(outage);
        return;
    }
    syncer_fail(syncer_of(outage), SIM_TIME_NEVER);
    schedule(outage, sim_law_quantile(&outage->source->return_after, draw(outage, 1)), WORLD_RANK_RETURN, on_return);
}

void outage_start(struct outage *outage, struct world *world, const struct config_source *source)
{
    *outage = (struct outage){.world = world, .source = source, .identity = failures_identity(source->name)};
    if (world->has_rounds)
        schedule_failure(outage);
}
