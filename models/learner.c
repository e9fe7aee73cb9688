/* learner.c -- the machine of a learner and its decisions. */
#include "models/learner_internal.h"
#include "models/network.h"
#include "models/world.h"

#define FSM_DEF "models/learner_fsm.def"
#define FSM_NAME learner
#define FSM_LABEL "learner"
#define FSM_PREFIX LEARNER
#include "sim/fsm_table.inc"

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

static bool is_dp(const struct learner *learner)
{
    return config_of(learner)->method == CONFIG_DP;
}

/* A job whose failed slices nobody follows: they are replaced within the restart. */
static bool replaces_within_restart(const struct learner *learner)
{
    return is_dp(learner) && !learner->world->units.unit;
}

static bool is_short(const struct learner *learner)
{
    return learner->chips_present < learner->chips_min;
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
        return sim_time_add(config->downscale_ns, learner->swap_ns);
    case LEARNER_UPSCALING:
        return sim_time_add(learner->is_swapping ? 0 : upscale_ns(learner), learner->swap_ns);
    case LEARNER_RESTARTING:
        return sim_time_add(config->restart_ns, learner->swap_ns);
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
    if (learner->is_swapping)
        return;
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

/* Beside the wake-up call at the end of the state. */
static void enter(struct learner *learner)
{
    note_absence(learner);
    if (is_reconfiguring(learner) && !learner->is_swapping)
        learner->world->count.reconfigurations++;
    if (is_reconfiguring(learner) || learner->state == LEARNER_RESTARTING) {
        learner->swap_ns = learner->swap_owed_ns;
        learner->swap_owed_ns = 0;
    }
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
    learner->is_swapping = false;
    learner->is_gaining = is_downscale && has_gained && !is_one;
    if (is_one)
        learner->upscale_from = sim_time_add(now_of(learner), config->upscale_every_ns);
    step(learner, is_downscale ? LEARNER_LOSE : LEARNER_GAIN);
}

static void reconfigure(struct learner *learner, bool has_lost, bool has_gained)
{
    if (has_gained)
        learner_move_ready_to_joining(learner);
    begin_reconfiguration(learner, has_lost, has_gained);
}

/* Nothing but spares that took the places of failed slices. */
static void begin_swap(struct learner *learner)
{
    learner->is_swapping = true;
    step(learner, LEARNER_GAIN);
}

/* Chips it would have with the slices that are back are enough to step. */
static bool can_gather(const struct learner *learner)
{
    return learner->chips_present + learner->ready.chips >= learner->chips_min;
}

/* Starts again with all that is there, after an absence. */
static void come_back(struct learner *learner)
{
    if (!is_dp(learner)) {
        reconfigure(learner, false, true);
        return;
    }
    learner_move_ready_to_joining(learner);
    learner_take_in_joining(learner);
    step(learner, LEARNER_FAIL);
}

static void leave_away(struct learner *learner)
{
    if (can_gather(learner))
        come_back(learner);
}

/* Nothing to reconfigure: steps on unless it has too few chips, too old a state, or is too far ahead of the syncer. */
static void go_on(struct learner *learner)
{
    if (is_short(learner)) {
        step(learner, LEARNER_STARVE);
        leave_away(learner);
    } else if (learner_must_recover(learner)) {
        step(learner, LEARNER_RECOVER);
    } else if (learner_is_blocked(learner)) {
        if (learner->state != LEARNER_BLOCKED)
            step(learner, LEARNER_OWE);
    } else if (learner->state != LEARNER_STEPPING) {
        step(learner, LEARNER_RESUME);
    } else {
        learner_begin_step(learner);
    }
}

/* A job that is not elastic restarts, or waits until it is whole. */
static void decide_dp(struct learner *learner)
{
    if (!replaces_within_restart(learner))
        (void)learner_drop_failing(learner);
    if (is_short(learner))
        go_on(learner);
    else
        step(learner, LEARNER_FAIL);
}

/* Slices are back, and it is time to take them in. */
static bool is_time_to_gain(const struct learner *learner)
{
    return !slice_list_is_empty(&learner->ready) && can_gather(learner) &&
           (is_short(learner) || now_of(learner) >= learner->upscale_from);
}

/* Between two steps: what has happened since the last one? */
void learner_decide(struct learner *learner)
{
    bool has_failed = !slice_list_is_empty(&learner->failing);
    if (has_failed)
        note_interruption(learner);
    if (has_failed && is_dp(learner)) {
        decide_dp(learner);
        return;
    }
    bool has_lost = has_failed && learner_drop_failing(learner);
    bool has_gained = is_time_to_gain(learner);
    if ((has_lost && !is_short(learner)) || has_gained)
        reconfigure(learner, has_lost, has_gained);
    else if (learner->swap_owed_ns > 0 && !is_short(learner))
        begin_swap(learner);
    else
        go_on(learner);
}

/* --- what happens to it --- */

static void on_step_end(struct learner *learner)
{
    learner_count_steps(learner, true);
    learner_apply_updates(learner);
    if (learner->world->has_rounds)
        learner_report(learner);
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
    learner_apply_updates(learner);
}

static void on_reconfigured(struct learner *learner)
{
    if (learner->is_gaining) {
        learner->is_gaining = false;
        step(learner, LEARNER_GAIN);
        return;
    }
    learner_take_in_joining(learner);
    bool is_losing_again = learner->is_losing_again && !is_short(learner);
    learner->is_losing_again = false;
    if (is_losing_again)
        begin_reconfiguration(learner, true, false);
    else if (learner->swap_owed_ns > 0 && !is_short(learner))
        begin_swap(learner);
    else
        go_on(learner);
}

static void on_restarted(struct learner *learner)
{
    if (replaces_within_restart(learner))
        learner_replace_failing(learner);
    else
        (void)learner_drop_failing(learner);
    learner->swap_owed_ns = 0; /* what failed during the restart is folded into it */
    go_on(learner);
}

void learner_on_wake(void *context, uint32_t entity)
{
    (void)entity;
    struct learner *learner = context;
    bool has_failing = !slice_list_is_empty(&learner->failing);
    if (is_reconfiguring(learner)) {
        on_reconfigured(learner);
    } else if (learner->state == LEARNER_RESTARTING) {
        on_restarted(learner);
    } else if (learner->state == LEARNER_RECOVERING) {
        learner_end_copy(learner);
        learner_decide(learner);
    } else if (has_failing && config_of(learner)->noticed == CONFIG_AT_ONCE) {
        discard_step(learner);
        learner_decide(learner);
    } else {
        on_step_end(learner);
    }
}

/* The pause under way starts over, with what spares it already has taken in. */
static void repeat_swap(struct learner *learner)
{
    if (learner->swap_owed_ns < learner->swap_ns)
        learner->swap_owed_ns = learner->swap_ns;
}

static void start_over(struct learner *learner)
{
    bool has_lost = learner_drop_failing(learner) || learner->state == LEARNER_DOWNSCALING;
    bool has_gained =
        (learner->state == LEARNER_UPSCALING && !learner->is_swapping) || !slice_list_is_empty(&learner->joining);
    repeat_swap(learner);
    if (has_lost || has_gained)
        begin_reconfiguration(learner, has_lost, has_gained);
    else
        begin_swap(learner);
}

/* A slice failed while the learner rebuilds itself. */
static void on_failure_while_reconfiguring(struct learner *learner)
{
    switch (config_of(learner)->overlap) {
    case CONFIG_FOLD:
        (void)learner_drop_failing(learner);
        learner->swap_owed_ns = 0;
        break;
    case CONFIG_NEXT_STEP:
        break;
    case CONFIG_QUEUE:
        if (learner_drop_failing(learner))
            learner->is_losing_again = true;
        break;
    case CONFIG_RESTART:
        start_over(learner);
        break;
    case CONFIG_OVERLAP_COUNT:
        break;
    }
}

static void on_failure_while_restarting(struct learner *learner)
{
    if (config_of(learner)->overlap != CONFIG_RESTART)
        return;
    repeat_swap(learner);
    decide_dp(learner);
}

void learner_on_failure(struct learner *learner, uint32_t slice)
{
    slice_list_push(learner->world, &learner->failing, slice);
    switch (learner->state) {
    case LEARNER_STEPPING:
        learner_plan_step_end(learner);
        break;
    case LEARNER_DOWNSCALING:
    case LEARNER_UPSCALING:
        on_failure_while_reconfiguring(learner);
        break;
    case LEARNER_RESTARTING:
        on_failure_while_restarting(learner);
        break;
    case LEARNER_BLOCKED:
        learner_decide(learner);
        break;
    case LEARNER_AWAY:
        (void)learner_drop_failing(learner);
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
    if (!replaces_within_restart(learner))
        (void)learner_drop_failing(learner);
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
    learner_change_service(learner, false);
    note_interruption(learner);
    step(learner, LEARNER_PREEMPT);
}

void learner_on_granted(struct learner *learner)
{
    if (--learner->preemptions > 0)
        return;
    learner_change_service(learner, true);
    if (can_gather(learner))
        come_back(learner);
    else
        step(learner, LEARNER_STARVE);
}

void learner_start(struct learner *learner)
{
    enter(learner);
}
