#include "models/silent.h"

#include <stdlib.h>

#include "models/repair.h"
#include "models/world.h"

/* The slice fails now, unless it has failed of something else since. */
static void take_out(const struct silent *silent)
{
    world_fail_slice(silent->world, silent->source, silent->slice, silent->number);
}

/* A job stops in the middle of its step. */
static void restart_job(struct silent *silent)
{
    struct learner *learner = &silent->world->learner[silent->learner];
    checkpoint_distrust(learner, silent->corrupted_ns);
    take_out(silent);
    learner_on_restart(learner);
}

static void restart_everything(struct silent *silent)
{
    struct syncer *syncer = &silent->world->syncer;
    bool is_gone = syncer_is_gone(syncer);
    take_out(silent);
    syncer_fail(syncer, silent->corrupted_ns);
    if (!is_gone)
        syncer_return(syncer);
}

static void on_found(void *context, uint32_t entity)
{
    (void)entity;
    struct silent *silent = context;
    if (silent->is_gone)
        return;
    if (config_has_syncer(silent->world->config))
        restart_everything(silent);
    else
        restart_job(silent);
}

void silent_corrupt(struct world *world, const struct failure_source *source, uint32_t slice, uint64_t number)
{
    double u = sim_uniform_at(&world->sim.origin, WORLD_STREAM_FOUND, source->identity, number);
    sim_time at = sim_time_after(world->sim.origin.now, sim_law_quantile(&source->config->found_after, u));
    if (at > world->config->duration_ns)
        return;
    struct silent *silent = sim_allocate(1, sizeof *silent);
    *silent = (struct silent){.world = world,
                              .source = source,
                              .next = world->silent,
                              .learner = fleet_slice_learner(&world->fleet, slice),
                              .slice = slice,
                              .number = number,
                              .corrupted_ns = world->sim.origin.now};
    world->silent = silent;
    (void)sim_queue_schedule(&world->sim.queue, at, WORLD_RANK_FAILURE, 0, on_found, silent);
}

void silent_on_rollback(struct world *world, int64_t learner, sim_time taken_ns)
{
    for (struct silent *silent = world->silent; silent; silent = silent->next)
        if (silent->learner == learner && silent->corrupted_ns > taken_ns)
            silent->is_gone = true;
}

void silent_fini(struct world *world)
{
    while (world->silent) {
        struct silent *silent = world->silent;
        world->silent = silent->next;
        free(silent);
    }
}
