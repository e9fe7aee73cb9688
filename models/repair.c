#include "models/repair.h"

#include "models/world.h"

static void on_repaired(void *context, uint32_t slice)
{
    world_return_slice(context, slice);
}

void repair_start(struct world *world, const struct failure_source *source, uint32_t slice, uint64_t number)
{
    double u = sim_uniform_at(&world->sim.origin, WORLD_STREAM_RETURN, source->identity, number);
    double delay_s = sim_law_quantile(&source->config->return_after, u);
    sim_time back = sim_time_after(world->sim.origin.now, delay_s);
    if (back > world->config->duration_ns)
        return;
    (void)sim_queue_schedule(&world->sim.queue, back, WORLD_RANK_RETURN, slice, on_repaired, world);
}

void repair_foresee(struct world *world, const struct failure_source *source, uint64_t number)
{
    (void)sim_uniform_at(&world->sim.origin, WORLD_STREAM_RETURN, source->identity, number);
}
