#include "models/repair.h"

#include "models/failure_log.h"
#include "models/world.h"

static void on_repaired(void *context, uint32_t slice)
{
    world_return_slice(context, slice);
}

/* A log says how long; otherwise it is drawn. */
static sim_time time_back(const struct world *world, const struct failure_source *source, uint64_t number)
{
    sim_time now = world->sim.origin.now;
    if (source->config->kind == CONFIG_SOURCE_LOG)
        return sim_time_add(now, failure_log_outage(source->config, number));
    double u = sim_uniform_at(&world->sim.origin, WORLD_STREAM_RETURN, source->identity, number);
    return sim_time_after(now, sim_law_quantile(&source->config->return_after, u));
}

void repair_start(struct world *world, const struct failure_source *source, uint32_t slice, uint64_t number)
{
    sim_time back = time_back(world, source, number);
    if (back > world->config->duration_ns)
        return;
    (void)sim_queue_schedule(&world->sim.queue, back, WORLD_RANK_RETURN, slice, on_repaired, world);
}

void repair_foresee(struct world *world, const struct failure_source *source, uint64_t number)
{
    if (source->config->kind != CONFIG_SOURCE_LOG)
        (void)sim_uniform_at(&world->sim.origin, WORLD_STREAM_RETURN, source->identity, number);
}
