#include "models/world.h"

#include <stdlib.h>

#include "models/branch.h"

static void begin_window(void *context, uint32_t entity)
{
    (void)entity;
    struct world *world = context;
    world_settle(world);
    for (int64_t i = 0; i < world->config->learners; i++)
        learner_reset_counts(&world->learner[i]);
    syncer_reset_counts(&world->syncer);
    repair_reset_counts(world);
    spares_reset_counts(world);
    world->slowdowns.begun = 0;
    sim_level_reset(&world->any_stepping);
    sim_level_reset(&world->quorum_stepping);
    sim_level_reset(&world->in_service);
    world->count = (struct world_count){0};
    world->window_start = world->sim.origin.now;
    until_start(world);
    for (int64_t i = 0; world->until.is_counting && i < world->config->learners; i++)
        learner_on_window(&world->learner[i]);
    forecast_all(world);
}

static void init_parts(struct world *world)
{
    const struct config *config = world->config;
    fleet_init(&world->fleet, config);
    world->slice = slices_create(&world->fleet);
    world->learner = sim_allocate((size_t)config->learners, sizeof *world->learner);
    sim_level_init(&world->any_stepping, &world->sim.origin, 0);
    sim_level_init(&world->quorum_stepping, &world->sim.origin, 0);
    sim_level_init(&world->in_service, &world->sim.origin, config->chips);
    units_init(world);
    repair_init(world);
    spares_init(world);
    syncer_init(&world->syncer, world);
    slowdowns_init(world);
    for (int64_t i = 0; i < config->learners; i++)
        learner_init(&world->learner[i], world, i);
}

/* --- random numbers that are noted or recalled --- */

static void on_draw(void *context, const struct sim_address *address, uint64_t word)
{
    const struct world *world = context;
    world->draws->note(world->draws->context, address, word);
}

static void end_tape(struct world *world)
{
    world->is_tape_over = true;
    sim_end_now(&world->sim);
}

/* What is not there is the median of a run that is over. */
static uint64_t on_recall(void *context, const struct sim_address *address)
{
    struct world *world = context;
    uint64_t word = UINT64_C(1) << 63;
    if (!world->draws->recall(world->draws->context, address, &word))
        end_tape(world);
    return word;
}

static void watch_draws(struct world *world, const struct run_draws *draws)
{
    if (!draws)
        return;
    world->draws = draws;
    world->watched = (struct sim_draws){
        .context = world, .note = draws->note ? on_draw : NULL, .recall = draws->recall ? on_recall : NULL};
    world->sim.origin.draws = &world->watched;
}

bool world_has_step(struct world *world, int64_t learner, int64_t step)
{
    if (!world->draws || !world->draws->has_step)
        return true;
    bool has = world->draws->has_step(world->draws->context, learner, step);
    if (!has)
        end_tape(world);
    return has;
}

bool world_wants_every_step(const struct world *world)
{
    return world->config->every_step || (world->observer && (world->observer->on_step || world->observer->on_update)) ||
           (world->draws && world->draws->has_step);
}

/* --- beginning and end --- */

/* To save their state or read it, to stop before they are taken or when the work is done, to simulate each step. */
static bool has_pauses(const struct world *world)
{
    const struct config *config = world->config;
    bool has_equal_steps = pace_is_constant(config) && config->class_count == 0 && !world_wants_every_step(world) &&
                           world->has_rounds == world->has_forecast;
    return !has_equal_steps || config->checkpoint_every_ns > 0 || config_has_until(config) ||
           config_can_go_back(config) || config_has_kind(config, CONFIG_SOURCE_PREEMPTION) ||
           config_has_kind(config, CONFIG_SOURCE_SLOWDOWN) || config_has_kind(config, CONFIG_SOURCE_SILENT);
}

/* Events of units, or slices, with ages are as many as these. */
static void foresee(const void *context, uint32_t entity)
{
    const struct world *world = context;
    uint32_t units = (uint32_t)(world->units.unit ? world->units.count : world->fleet.slices);
    if (entity >= units)
        return;
    __builtin_prefetch(&world->slice[entity], 1);
    for (int i = 0; i < world->config->source_count; i++)
        if (world->source[i].ageing) {
            __builtin_prefetch(&world->source[i].ageing[entity], 1);
            __builtin_prefetch(&world->source[i].ageing[entity].group, 1);
        }
}

#ifdef CHECK_EVERY_EVENT
static void check_units(const void *context)
{
    units_check(context);
    maintenance_check(context);
}
#endif

void world_init(struct world *world, const struct run_request *request)
{
    *world = (struct world){.config = request->config,
                            .observer = request->observer,
                            .branches = request->branches,
                            .has_rounds = config_has_rounds(request->config),
                            .quorum = config_quorum(request->config)};
    sim_init(&world->sim, request->seed, request->replica);
    world->sim.origin.repeat = request->repeat;
    world->sim.stop = request->stop;
    world->sim.guard_ns = request->config->step_time_ns;
    sim_lane_init(&world->sim.lane, &world->sim.queue,
                  (uint32_t)request->config->learners + WORLD_TIMER_COUNT + failures_processes(request->config));
    watch_draws(world, request->draws);
    if (world->observer && world->observer->on_step)
        clocks_init(&world->clocks, world->config->learners);
#ifdef CHECK_EVERY_EVENT /* a build of type debug */
    world->sim.check = check_units;
    world->sim.check_context = world;
#endif
    world->has_forecast = forecast_applies(world);
    world->has_pauses = has_pauses(world);
    rounds_init(world);
    init_parts(world);
    for (int i = 0; i < world->config->source_count; i++)
        if (failures_is_kind(world->config->source[i].kind)) {
            failures_start(&world->source[i], world, &world->config->source[i]);
            world->has_ages |= world->source[i].ageing != NULL;
        } else if (world->config->source[i].kind == CONFIG_SOURCE_SYNCER) {
            outage_start(&world->outage[i], world, &world->config->source[i]);
        }
    if (world->has_ages)
        sim_queue_set_foresight(&world->sim.queue, foresee, world);
    spares_start(world);
    if (world->config->warmup_ns > 0)
        (void)sim_queue_schedule(&world->sim.queue, world->config->warmup_ns, WORLD_RANK_WINDOW, 0, begin_window,
                                 world);
    else
        until_start(world);
    for (int64_t i = 0; i < world->config->learners; i++)
        learner_start(&world->learner[i]);
    preemption_start_all(world);
    maintenance_start_all(world);
    failure_log_start_all(world);
}

void world_fini(struct world *world)
{
    for (int64_t i = 0; i < world->config->learners; i++)
        learner_fini(&world->learner[i]);
    syncer_fini(&world->syncer);
    rounds_fini(world);
    for (int i = 0; i < world->config->source_count; i++)
        failures_fini(&world->source[i]);
    silent_fini(world);
    slowdowns_fini(world);
    spares_fini(world);
    units_fini(world);
    repair_fini(world);
    clocks_fini(&world->clocks);
    free(world->preemption);
    free(world->maintenance);
    free(world->log);
    free(world->learner);
    free(world->slice);
    sim_fini(&world->sim);
}

static struct learner *learner_of(const struct world *world, uint32_t slice)
{
    return &world->learner[fleet_slice_learner(&world->fleet, slice)];
}

static bool is_in_service(const struct world *world, uint32_t slice, const struct learner *learner)
{
    return slice_state(world, slice) == SLICE_ACTIVE && learner_is_in_service(learner);
}

bool world_is_in_service(const struct world *world, uint32_t slice)
{
    return is_in_service(world, slice, learner_of(world, slice));
}

/* Its learner has yet to hear of it. */
static void take_out(struct world *world, const struct unit_fault *fault, uint32_t slice, struct learner *learner,
                     enum slice_event cause)
{
    slice_step_as(world, slice, cause, fault->log != NULL ? failure_log_event(fault->log, fault->number) : NULL);
    repair_start(world, fault, slice);
    learner_lose(learner, slice);
    branch_on_change(world);
}

static void fail_place(struct world *world, const struct unit_fault *fault, uint32_t slice, struct learner *learner)
{
    SIM_ASSERT(&world->sim.origin, is_in_service(world, slice, learner));
    world->count.failures++;
    if (world->units.unit)
        slice = repair_diagnose(world, fault, slice); /* of the same learner */
    take_out(world, fault, slice, learner, SLICE_FAIL);
    learner_on_failure(learner);
}

void world_fail_place(struct world *world, const struct unit_fault *fault, uint32_t slice)
{
    fail_place(world, fault, slice, learner_of(world, slice));
}

static struct unit_fault fault_of(const struct failure_source *source, uint64_t number)
{
    const struct config_source *config = source->config;
    return (struct unit_fault){source->identity, number, &config->return_after,
                               source->hits_lemon ? source->lemon_chips : NULL,
                               config->kind == CONFIG_SOURCE_LOG ? config : NULL};
}

/* What the failure would have drawn is kept on a tape for designs in which it hits. */
static void miss(struct world *world, const struct unit_fault *fault)
{
    if (world->draws)
        repair_foresee(world, fault);
}

void world_miss(struct world *world, const struct failure_source *source, uint64_t number)
{
    const struct unit_fault fault = fault_of(source, number);
    miss(world, &fault);
}

/* A slice is hit by what kind of thing the source is of. */
static void strike(struct world *world, const struct failure_source *source, uint32_t slice, struct learner *learner,
                   uint64_t number)
{
    const struct unit_fault fault = fault_of(source, number);
    if (source->config->kind == CONFIG_SOURCE_SLOWDOWN)
        slowdown_strike(world, source, slice, number);
    else if (!is_in_service(world, slice, learner))
        miss(world, &fault);
    else if (source->config->kind == CONFIG_SOURCE_SILENT)
        silent_corrupt(world, source, slice, number);
    else
        fail_place(world, &fault, slice, learner);
}

void world_fail_chip(struct world *world, const struct failure_source *source, int64_t chip, uint64_t number)
{
    const struct fleet_place place = fleet_locate(&world->fleet, chip);
    strike(world, source, (uint32_t)place.slice, &world->learner[place.learner], number);
}

void world_fail_unit(struct world *world, const struct failure_source *source, uint32_t unit, uint64_t number)
{
    const struct unit_fault fault = fault_of(source, number);
    const struct unit *u = world->units.unit ? &world->units.unit[unit] : NULL;
    uint32_t slice = u ? u->place : unit;
    if (u && u->state == UNIT_STANDBY && source->config->kind == CONFIG_SOURCE_CHIP)
        spares_fail(world, &fault, unit);
    else if (slice != UNIT_NONE)
        strike(world, source, slice, learner_of(world, slice), number);
    else
        miss(world, &fault);
}

void world_fail_slice(struct world *world, const struct failure_source *source, uint32_t slice, uint64_t number)
{
    const struct unit_fault fault = fault_of(source, number);
    if (world_is_in_service(world, slice))
        world_fail_place(world, &fault, slice);
    else
        miss(world, &fault);
}

bool world_shock_slice(struct world *world, const struct failure_source *source, uint32_t slice, uint64_t number)
{
    const struct unit_fault fault = fault_of(source, number);
    bool is_hit = world_is_in_service(world, slice);
    if (is_hit && world->units.unit)
        world->units.unit[world->units.of_place[slice]].is_bad = true;
    if (is_hit)
        take_out(world, &fault, slice, learner_of(world, slice), SLICE_SHOCK);
    else
        miss(world, &fault);
    return is_hit;
}

static uint32_t slot_of(const struct world *world, enum world_timer timer)
{
    return (uint32_t)world->config->learners + timer;
}

void world_set_timer(struct world *world, enum world_timer timer, sim_time at)
{
    sim_lane_set(&world->sim.lane, slot_of(world, timer), at);
}

sim_time world_timer(const struct world *world, enum world_timer timer)
{
    return sim_lane_time(&world->sim.lane, slot_of(world, timer));
}

void world_register_timer(struct world *world, enum world_timer timer, sim_handler *handler, void *context)
{
    sim_lane_register(&world->sim.lane, slot_of(world, timer), WORLD_RANK_SYNCER, 0, handler, context);
}

void world_preempt(struct world *world, int64_t learner)
{
    learner_on_preempted(&world->learner[learner]);
}

void world_grant(struct world *world, int64_t learner)
{
    learner_on_granted(&world->learner[learner]);
}

void world_cut(struct world *world, int64_t learner)
{
    learner_on_cut(&world->learner[learner]);
}

void world_link(struct world *world, int64_t learner)
{
    learner_on_link(&world->learner[learner]);
}

void world_return_slice(struct world *world, uint32_t slice)
{
    slice_step(world, slice, SLICE_MEND);
    learner_on_return(learner_of(world, slice), slice);
    branch_on_change(world);
}

void world_change_stepping(struct world *world, int change)
{
    world->stepping += change;
    if (world->stepping == 0)
        world->outage_start = world->sim.origin.now;
    else if (change > 0 && world->stepping == 1 && world->outage_start < world->sim.origin.now)
        world->count.outages++;
    sim_level_set(&world->any_stepping, world->stepping >= 1);
    sim_level_set(&world->quorum_stepping, world->stepping >= world->quorum);
    branch_on_change(world);
}

void world_change_service(struct world *world, uint32_t slice, bool is_entering)
{
    int64_t chips = slice_chips(world, slice);
    sim_level_set(&world->in_service, world->in_service.value + (is_entering ? chips : -chips));
    if (world->has_ages || world->repair.has_relapses)
        unit_on_service(world, unit_of_place(world, slice), is_entering);
}

void world_settle(struct world *world)
{
    forecast_catch_up(world);
    spares_book(world);
    for (int64_t i = 0; i < world->config->learners; i++)
        learner_settle(&world->learner[i]);
}

void world_tell_change(const struct world *world, const struct run_transition *change)
{
    world->observer->on_transition(world->observer->context, change);
}

void world_note_step(const struct world *world, const struct learner *learner)
{
    if (!world->observer || !world->observer->on_step)
        return;
    const struct run_step step = {
        .time_ns = world->sim.origin.now,
        .learner = learner->index,
        .step = learner->total.steps + learner->steps_taken_back,
        .step_ns = learner->step_ns,
        .chips = learner->chips_present,
        .chip_steps = (int64_t)learner->total.chip_steps,
        .clock = clocks_of(&world->clocks, learner->index),
        .workers = world->clocks.workers,
    };
    world->observer->on_step(world->observer->context, &step);
}

void world_note_update(const struct world *world, int64_t learner, int64_t round, int64_t fragment)
{
    const struct run_update update = {world->sim.origin.now, learner, round, fragment};
    if (world->observer && world->observer->on_update)
        world->observer->on_update(world->observer->context, &update);
}
