/* learner.c -- the machine of a learner and its decisions. */
#include <math.h>
#include <stdlib.h>

#include "models/learner_internal.h"
#include "models/network.h"
#include "models/world.h"

#define FSM_DEF "models/learner_fsm.def"
#define FSM_NAME learner
#define FSM_LABEL "learner"
#define FSM_PREFIX LEARNER
#include "sim/fsm_table.inc"

/* 0.55 of 100 chips is 55 of them, though the product of the doubles is a little more. */
#define ROUNDING_CHIPS 1e-6

static const struct config *config_of(const struct learner *learner)
{
    return learner->world->config;
}

static const struct sim_origin *origin_of(const struct learner *learner)
{
    return &learner->world->sim.origin;
}

static sim_time now_of(const struct learner *learner)
{
    return learner->world->sim.origin.now;
}

static bool is_reconfiguring(const struct learner *learner)
{
    return learner->state == LEARNER_DOWNSCALING || learner->state == LEARNER_UPSCALING;
}

/* --- the machine --- */

/* A job without a syncer stands still until those that join have copied the state. */
static sim_time upscale_ns(const struct learner *learner)
{
    const struct config *config = config_of(learner);
    const struct network_link link = network_link_of(config, learner->index);
    return config_has_syncer(config) ? config->upscale_ns
                                     : sim_time_add(config->upscale_ns, network_state_ns(config, &link, &link));
}

static sim_time duration_of(const struct learner *learner)
{
    const struct config *config = config_of(learner);
    switch (learner->state) {
    case LEARNER_DOWNSCALING:
        return config->downscale_ns;
    case LEARNER_UPSCALING:
        return upscale_ns(learner);
    case LEARNER_RESTARTING:
        return config_restart_ns(config);
    case LEARNER_CHECKPOINTING:
        return config->checkpoint_cost_ns;
    case LEARNER_RESTORING:
        return config->checkpoint_restore_ns;
    case LEARNER_STEPPING:
    case LEARNER_BLOCKED:
    case LEARNER_AWAY:
    case LEARNER_PREEMPTED:
    case LEARNER_RECOVERING:
    case LEARNER_STATE_COUNT:
        break;
    }
    return SIM_TIME_NEVER;
}

static void enter_upscaling(struct learner *learner)
{
    learner->upscale_from = sim_time_add(now_of(learner), config_of(learner)->upscale_every_ns);
    learner_take_in_joining(learner);
}

/* An outage begins when it is taken out and ends with the next step, or a copy of the state. */
static void note_absence(struct learner *learner)
{
    bool is_absent = learner->state == LEARNER_AWAY || learner->state == LEARNER_PREEMPTED;
    if (is_absent && learner->absent_since < 0)
        learner->absent_since = now_of(learner);
    else if (learner->state == LEARNER_STEPPING || learner->state == LEARNER_BLOCKED)
        learner->absent_since = -1;
}

/* Nobody is left who holds the state of a job without a syncer. */
static bool is_state_lost(const struct learner *learner)
{
    return learner->state == LEARNER_RESTARTING || learner->state == LEARNER_AWAY ||
           learner->state == LEARNER_PREEMPTED;
}

/* Beside the wake-up call at the end of the state. */
static void enter(struct learner *learner)
{
    note_absence(learner);
    if (is_state_lost(learner))
        checkpoint_lose_state(learner);
    if (is_reconfiguring(learner))
        learner->world->count.reconfigurations++;
    if (learner->state == LEARNER_UPSCALING)
        enter_upscaling(learner);
    learner_set_wake(learner, sim_time_add(now_of(learner), duration_of(learner)));
    if (learner->state == LEARNER_STEPPING) {
        world_change_stepping(learner->world, +1);
        learner_begin_step(learner);
    }
}

static void check(const struct learner *learner)
{
    const struct sim_origin *origin = origin_of(learner);
    SIM_ASSERT(origin, learner->chips_present >= 0 && learner->chips_present <= learner->chips);
    SIM_ASSERT(origin, learner->state != LEARNER_STEPPING || learner->chips_present >= learner->chips_min);
    SIM_ASSERT(origin, learner->chips_present + learner->ready.chips + learner->joining.chips <= learner->chips);
}

/* Who begins or ceases to take part, or to listen. */
static void tell_syncer(struct learner *learner, enum learner_state from)
{
    struct syncer *syncer = &learner->world->syncer;
    bool is_connected = learner_is_connected(learner->state);
    if (!learner->world->has_rounds)
        return;
    if (!is_connected)
        checkpoint_void(learner);
    if (is_connected != learner_is_connected(from))
        syncer_on_connection(syncer, learner->index, is_connected);
    if (learner_listens(learner->state) != learner_listens(from))
        syncer_on_listening(syncer);
}

/* The only function that changes the state of a learner. */
static void step(struct learner *learner, enum learner_event event)
{
    struct world *world = learner->world;
    unsigned next = sim_fsm_next(&learner_fsm, &world->sim.origin, learner->state, event);
    enum learner_state from = learner->state;
    learner_book(learner);
    world_note_transition(world, &learner_fsm, learner->index, learner->state, next, event);
    if (learner->state == LEARNER_STEPPING)
        world_change_stepping(world, -1);
    learner->state = (enum learner_state)next;
    enter(learner);
    tell_syncer(learner, from);
    check(learner);
}

/* --- decisions --- */

static void note_interruption(struct learner *learner)
{
    learner->count.interruptions++;
    learner->world->count.interruptions++;
}

/* Starts a reconfiguration, or starts it over: a downscale when slices were lost, an upscale when some were gained, for
 * both one after the other or, under `max`, the longer one alone. */
static void begin_reconfiguration(struct learner *learner, bool has_lost, bool has_gained)
{
    const struct config *config = config_of(learner);
    bool is_one = has_lost && has_gained && config->both == CONFIG_MAX;
    bool is_downscale = is_one ? config->downscale_ns >= upscale_ns(learner) : has_lost;
    learner->is_gaining = is_downscale && has_gained && !is_one;
    if (is_one)
        learner->upscale_from = sim_time_add(now_of(learner), config->upscale_every_ns);
    step(learner, is_downscale ? LEARNER_LOSE : LEARNER_GAIN);
}

static void reconfigure(struct learner *learner, bool has_lost, bool has_gained)
{
    uint32_t slice;
    while (has_gained && (slice = slice_list_pop(learner->world, &learner->ready)) != SLICE_NONE)
        slice_list_push(learner->world, &learner->joining, slice);
    begin_reconfiguration(learner, has_lost, has_gained);
}

/* Chips it would have with the slices that are back are enough to step. */
static bool can_gather(const struct learner *learner)
{
    return learner->chips_present + learner->ready.chips >= learner->chips_min;
}

static void leave_away(struct learner *learner)
{
    if (can_gather(learner))
        reconfigure(learner, false, true);
}

/* Nothing to reconfigure: steps on unless it has too few chips, too old a state or none, is to save it, or is too far
 * ahead of the syncer. */
static void go_on(struct learner *learner)
{
    if (learner->chips_present < learner->chips_min) {
        step(learner, LEARNER_STARVE);
        leave_away(learner);
    } else if (learner_must_recover(learner)) {
        step(learner, LEARNER_RECOVER);
    } else if (learner->checkpoint.must_restore) {
        step(learner, LEARNER_RESTORE);
    } else if (checkpoint_begins(learner)) {
        step(learner, LEARNER_SAVE);
    } else if (learner_is_blocked(learner)) {
        if (learner->state != LEARNER_BLOCKED)
            step(learner, LEARNER_OWE);
    } else if (learner->state != LEARNER_STEPPING) {
        step(learner, LEARNER_RESUME);
    } else {
        learner_begin_step(learner);
    }
}

/* Between two steps: what has happened since the last one? */
void learner_decide(struct learner *learner)
{
    bool has_lost = !slice_list_is_empty(&learner->failing);
    if (has_lost)
        note_interruption(learner);
    if (has_lost && config_of(learner)->method == CONFIG_DP) {
        step(learner, LEARNER_FAIL);
        return;
    }
    if (has_lost)
        learner_drop_failing(learner);
    bool is_short = learner->chips_present < learner->chips_min;
    bool has_gained = !slice_list_is_empty(&learner->ready) && can_gather(learner) &&
                      (is_short || now_of(learner) >= learner->upscale_from);
    if ((has_lost && !is_short) || has_gained)
        reconfigure(learner, has_lost, has_gained);
    else
        go_on(learner);
}

/* --- what happens to it --- */

static void on_step_end(struct learner *learner)
{
    learner_count_steps(learner, true);
    if (learner->world->has_rounds)
        learner_report(learner);
    learner_apply_updates(learner);
    learner_decide(learner);
}

/* The step in progress is lost. */
static void discard_step(struct learner *learner)
{
    learner_count_steps(learner, false);
    sim_time lost_from = learner->step_start;
    if (lost_from > learner->booked_until)
        learner_book_as(learner, lost_from, RUN_BUCKET_useful);
    learner_book_as(learner, now_of(learner), RUN_BUCKET_lost);
    checkpoint_forget_step(learner);
    learner_apply_updates(learner);
}

void learner_stop_step(struct learner *learner)
{
    if (learner->state == LEARNER_STEPPING)
        discard_step(learner);
}

/* One that rebuilds itself does so to the end; one that is not there reads its state when it comes back. */
void learner_on_restart(struct learner *learner)
{
    if (!learner_is_connected(learner->state) || is_reconfiguring(learner) || learner->state == LEARNER_RESTARTING)
        return;
    learner->is_losing_again = false;
    learner_decide(learner);
}

static void on_reconfigured(struct learner *learner)
{
    if (learner->is_gaining) {
        learner->is_gaining = false;
        step(learner, LEARNER_GAIN);
        return;
    }
    learner_take_in_joining(learner);
    bool is_losing_again = learner->is_losing_again && learner->chips_present >= learner->chips_min;
    learner->is_losing_again = false;
    if (is_losing_again)
        begin_reconfiguration(learner, true, false);
    else
        go_on(learner);
}

static void on_restarted(struct learner *learner)
{
    learner_replace_failing(learner);
    go_on(learner);
}

static void on_restored(struct learner *learner)
{
    learner->checkpoint.must_restore = learner->checkpoint.is_stale = false;
    learner->absent_since = -1;
    if (config_of(learner)->method == CONFIG_DP)
        learner_replace_failing(learner);
    on_reconfigured(learner);
}

static void on_saved(struct learner *learner)
{
    checkpoint_end(learner);
    learner_decide(learner);
}

static void on_copied(struct learner *learner)
{
    learner_end_copy(learner);
    learner_decide(learner);
}

/* A step is over, or, when a failure is noticed at once, cut short. */
static void on_stepped(struct learner *learner)
{
    bool has_failing = !slice_list_is_empty(&learner->failing);
    if (has_failing && config_of(learner)->noticed == CONFIG_AT_ONCE) {
        discard_step(learner);
        learner_decide(learner);
    } else {
        on_step_end(learner);
    }
}

void learner_on_wake(void *context, uint32_t entity)
{
    static void (*const on_end[LEARNER_STATE_COUNT])(struct learner *) = {
        [LEARNER_STEPPING] = on_stepped,       [LEARNER_DOWNSCALING] = on_reconfigured,
        [LEARNER_UPSCALING] = on_reconfigured, [LEARNER_RESTARTING] = on_restarted,
        [LEARNER_RECOVERING] = on_copied,      [LEARNER_CHECKPOINTING] = on_saved,
        [LEARNER_RESTORING] = on_restored,
    };
    (void)entity;
    struct learner *learner = context;
    SIM_ASSERT(origin_of(learner), on_end[learner->state] != NULL);
    on_end[learner->state](learner);
}

/* A slice failed while the learner rebuilds itself. */
static void on_failure_while_reconfiguring(struct learner *learner)
{
    switch (config_of(learner)->overlap) {
    case CONFIG_FOLD:
        learner_drop_failing(learner);
        break;
    case CONFIG_NEXT_STEP:
        break;
    case CONFIG_QUEUE:
        learner_drop_failing(learner);
        learner->is_losing_again = true;
        break;
    case CONFIG_RESTART:
        learner_drop_failing(learner);
        begin_reconfiguration(learner, true,
                              learner->state == LEARNER_UPSCALING || !slice_list_is_empty(&learner->joining));
        break;
    case CONFIG_OVERLAP_COUNT:
        break;
    }
}

/* A slice failed while the job restarts or reads its state: for an elastic job this is one more reconfiguration. */
static void on_failure_while_restarting(struct learner *learner)
{
    if (config_of(learner)->method != CONFIG_DP)
        on_failure_while_reconfiguring(learner);
    else if (config_of(learner)->overlap == CONFIG_RESTART)
        step(learner, LEARNER_FAIL);
}

void learner_on_failure(struct learner *learner, uint32_t slice)
{
    slice_list_push(learner->world, &learner->failing, slice);
    checkpoint_void(learner);
    switch (learner->state) {
    case LEARNER_STEPPING:
        learner_plan_step_end(learner);
        break;
    case LEARNER_DOWNSCALING:
    case LEARNER_UPSCALING:
        on_failure_while_reconfiguring(learner);
        break;
    case LEARNER_RESTARTING:
    case LEARNER_RESTORING:
        on_failure_while_restarting(learner);
        break;
    case LEARNER_BLOCKED:
    case LEARNER_CHECKPOINTING:
        learner_decide(learner);
        break;
    case LEARNER_AWAY:
        learner_drop_failing(learner);
        break;
    case LEARNER_RECOVERING: /* noticed when the copy is there */
    case LEARNER_PREEMPTED:  /* out of service */
    case LEARNER_STATE_COUNT:
        break;
    }
}

void learner_on_return(struct learner *learner, uint32_t slice)
{
    if (slice_state(learner->world, slice) != SLICE_READY)
        return;
    bool is_folded = is_reconfiguring(learner) && config_of(learner)->overlap == CONFIG_FOLD;
    slice_list_push(learner->world, is_folded ? &learner->joining : &learner->ready, slice);
    if (learner->state == LEARNER_STEPPING)
        learner_plan_step_end(learner);
    else if (learner->state == LEARNER_BLOCKED)
        learner_decide(learner);
    else if (learner->state == LEARNER_AWAY)
        leave_away(learner);
}

bool learner_is_in_service(const struct learner *learner)
{
    return learner->state != LEARNER_PREEMPTED;
}

/* Whatever is under way ends; nothing of it is left for later. */
static void drop_everything(struct learner *learner)
{
    uint32_t slice;
    if (learner->state == LEARNER_STEPPING)
        discard_step(learner);
    if (config_of(learner)->method != CONFIG_DP)
        learner_drop_failing(learner);
    while ((slice = slice_list_pop(learner->world, &learner->joining)) != SLICE_NONE)
        slice_list_push(learner->world, &learner->ready, slice);
    learner->is_gaining = learner->is_losing_again = false;
    learner_drop_copy(learner);
}

void learner_on_preempted(struct learner *learner)
{
    if (learner->preemptions++ > 0)
        return;
    drop_everything(learner);
    note_interruption(learner);
    step(learner, LEARNER_PREEMPT);
}

void learner_on_granted(struct learner *learner)
{
    if (--learner->preemptions > 0)
        return;
    if (config_of(learner)->method == CONFIG_DP)
        step(learner, LEARNER_FAIL);
    else if (can_gather(learner))
        reconfigure(learner, false, true);
    else
        step(learner, LEARNER_STARVE);
}

void learner_on_window(struct learner *learner)
{
    if (learner->state == LEARNER_STEPPING)
        learner_plan_step_end(learner);
}

void learner_init(struct learner *learner, struct world *world, int64_t index)
{
    const struct config *config = world->config;
    int64_t chips = fleet_learner_chips(&world->fleet, index);
    *learner = (struct learner){
        .world = world, .index = index, .chips = chips, .chips_present = chips, .absent_since = -1, .copy_round = -1};
    learner->chips_min = (int64_t)ceil(config->min_share * (double)chips - ROUNDING_CHIPS);
    if (learner->chips_min < 1)
        learner->chips_min = 1;
    slice_list_init(&learner->failing);
    slice_list_init(&learner->ready);
    slice_list_init(&learner->joining);
    checkpoint_init(learner);
    pace_init(&learner->pace, config, &world->fleet, &world->sim.origin, index);
}

void learner_fini(struct learner *learner)
{
    checkpoint_fini(learner);
    pace_fini(&learner->pace);
    free(learner->owed);
    free(learner->inbox);
    free(learner->copy_clock);
}

void learner_start(struct learner *learner)
{
    enter(learner);
}
