#include "models/branch.h"

#include "models/world.h"

static void take(struct world *world, uint64_t branch)
{
    world->sim.origin.branch = branch;
    for (int i = 0; i < world->config->source_count; i++)
        if (failures_is_kind(world->config->source[i].kind))
            failures_branch(&world->source[i]);
    for (int i = 0; i < CONFIG_SOURCES_MAX; i++)
        if (world->spares.source[i].world)
            sim_poisson_branch(&world->spares.source[i].process, world->sim.origin.now, branch);
    repair_branch(world);
    for (int64_t i = 0; i < world->preemptions; i++)
        sim_stream_branch(&world->preemption[i].stream, branch);
    for (int64_t i = 0; i < world->config->learners; i++)
        sim_stream_branch(&world->learner[i].pace.jitter, branch);
}

/* Slices are lost, or back, and that is dealt with at the end of the step under way. */
static bool is_about_to_stop(const struct learner *learner, sim_time now)
{
    return !slice_list_is_empty(&learner->failing) || !slice_list_is_empty(&learner->leaving) ||
           (!slice_list_is_empty(&learner->ready) && learner->upscale_from <= sim_time_add(now, learner->step_ns));
}

static int64_t count_sound(const struct world *world)
{
    int64_t count = 0;
    for (int64_t i = 0; i < world->config->learners; i++)
        count +=
            world->learner[i].state == LEARNER_STEPPING && !is_about_to_stop(&world->learner[i], world->sim.origin.now);
    return count;
}

/* Time of the window in which the level was 0; the warm-up is no part of it. */
static sim_time below(const struct world *world, struct sim_level *level)
{
    bool is_open = world->config->warmup_ns == 0 || world->window_start > 0;
    sim_time integral = (sim_time)sim_level_integral(level);
    return is_open ? level->since - level->opened - integral : 0;
}

static void on_look(void *context, uint32_t entity)
{
    (void)entity;
    struct world *world = context;
    const struct run_moment moment = {
        .time_ns = world->sim.origin.now,
        .stepping = world->stepping,
        .sound = count_sound(world),
        .stopped_ns = below(world, &world->any_stepping),
        .below_quorum_ns = below(world, &world->quorum_stepping),
    };
    uint64_t branch = world->branches->on_moment(world->branches->context, &moment);
    if (branch != 0)
        take(world, branch);
}

void branch_on_change(struct world *world)
{
    struct sim *sim = &world->sim;
    if (world->branches && !sim_queue_is_pending(&sim->queue, world->branch_look))
        world->branch_look = sim_queue_schedule(&sim->queue, sim->origin.now, WORLD_RANK_BRANCH, 0, on_look, world);
}
