#include "models/world.h"

#include <stdlib.h>

#include "models/repair.h"

static void begin_window(void *context, uint32_t entity)
{
    (void)entity;
    struct world *world = context;
    world_settle(world);
    for (int64_t i = 0; i < world->config->learners; i++)
        learner_reset_counts(&world->learner[i]);
    syncer_reset_counts(&world->syncer);
    sim_level_reset(&world->any_stepping);
    sim_level_reset(&world->quorum_stepping);
    world->count = (struct world_count){0};
    world->window_start = world->sim.origin.now;
}

static void init_parts(struct world *world)
{
    const struct config *config = world->config;
    fleet_init(&world->fleet, config);
    world->slice = sim_allocate((size_t)world->fleet.slices, sizeof *world->slice);
    world->learner = sim_allocate((size_t)config->learners, sizeof *world->learner);
    sim_level_init(&world->any_stepping, &world->sim.origin, 0);
    sim_level_init(&world->quorum_stepping, &world->sim.origin, 0);
    syncer_init(&world->syncer, world);
    for (int64_t i = 0; i < config->learners; i++)
        learner_init(&world->learner[i], world, i);
}

void world_init(struct world *world, const struct run_request *request)
{
    *world = (struct world){
        .config = request->config, .observer = request->observer, .has_rounds = config_has_rounds(request->config)};
    sim_init(&world->sim, request->seed, request->replica);
    world->sim.origin.repeat = request->repeat;
    world->sim.stop = request->stop;
    world->sim.guard_ns = request->config->step_time_ns;
    init_parts(world);
    for (int i = 0; i < world->config->source_count; i++)
        if (world->config->source[i].kind == CONFIG_SOURCE_CHIP)
            failures_start(&world->source[i], world, &world->config->source[i]);
    if (world->config->warmup_ns > 0)
        (void)sim_queue_schedule(&world->sim.queue, world->config->warmup_ns, WORLD_RANK_WINDOW, 0, begin_window,
                                 world);
    for (int64_t i = 0; i < world->config->learners; i++)
        learner_start(&world->learner[i]);
    preemption_start_all(world);
}

void world_fini(struct world *world)
{
    for (int64_t i = 0; i < world->config->learners; i++)
        learner_fini(&world->learner[i]);
    syncer_fini(&world->syncer);
    free(world->preemption);
    free(world->learner);
    free(world->slice);
    sim_fini(&world->sim);
}

void world_fail_chip(struct world *world, const struct failure_source *source, int64_t chip, uint64_t number)
{
    struct fleet_place place = fleet_locate(&world->fleet, chip);
    uint32_t slice = (uint32_t)place.slice;
    if (slice_state(world, slice) != SLICE_ACTIVE || !learner_is_in_service(&world->learner[place.learner]))
        return;
    world->count.failures++;
    slice_step(world, slice, SLICE_FAIL);
    if (world->config->method != CONFIG_DP)
        repair_start(world, source, slice, number);
    learner_on_failure(&world->learner[place.learner], slice);
}

void world_preempt(struct world *world, int64_t learner)
{
    learner_on_preempted(&world->learner[learner]);
}

void world_grant(struct world *world, int64_t learner)
{
    learner_on_granted(&world->learner[learner]);
}

void world_return_slice(struct world *world, uint32_t slice)
{
    world->count.repairs++;
    slice_step(world, slice, SLICE_MEND);
    learner_on_return(&world->learner[fleet_slice_learner(&world->fleet, slice)], slice);
}

void world_change_stepping(struct world *world, int change)
{
    world->stepping += change;
    sim_level_set(&world->any_stepping, world->stepping >= 1);
    sim_level_set(&world->quorum_stepping, world->stepping >= config_quorum(world->config));
}

void world_settle(struct world *world)
{
    for (int64_t i = 0; i < world->config->learners; i++)
        learner_settle(&world->learner[i]);
}

void world_note_transition(const struct world *world, const struct sim_fsm *fsm, int64_t id, unsigned from, unsigned to,
                           unsigned event)
{
    if (!world->observer || !world->observer->on_transition)
        return;
    const struct run_transition transition = {
        .time_ns = world->sim.origin.now,
        .machine = fsm->name,
        .id = id,
        .from = fsm->state[from].name,
        .to = fsm->state[to].name,
        .cause = fsm->event[event],
    };
    world->observer->on_transition(world->observer->context, &transition);
}
