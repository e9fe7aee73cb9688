/* learner.c -- what a learner decides: between two steps, and when something happens to it. */
#include "models/learner_internal.h"
#include "models/world.h"

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
    bool is_downscale = is_one ? config->downscale_ns >= learner->upscale_ns : has_lost;
    learner->is_swapping = false;
    learner->is_gaining = is_downscale && has_gained && !is_one;
    if (is_one)
        learner->upscale_from = sim_time_add(now_of(learner), config->upscale_every_ns);
    learner_step(learner, is_downscale ? LEARNER_LOSE : LEARNER_GAIN);
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
    learner_step(learner, LEARNER_GAIN);
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
    learner_step(learner, LEARNER_FAIL);
}

static void leave_away(struct learner *learner)
{
    if (can_gather(learner))
        come_back(learner);
}

static void save(struct learner *learner)
{
    checkpoint_save(learner);
    learner_step(learner, LEARNER_SAVE);
}

/* What failed meanwhile waits for no step any more. */
static void starve(struct learner *learner)
{
    if (!replaces_within_restart(learner))
        (void)learner_drop_failing(learner);
    learner_step(learner, LEARNER_STARVE);
    leave_away(learner);
}

/* Has no state, is to save it, or has no time for another step. */
static bool pauses(struct learner *learner)
{
    if (learner->checkpoint.must_restore)
        learner_step(learner, LEARNER_RESTORE);
    else if (learner_saves_before_preemption(learner))
        save(learner);
    else if (checkpoint_begins(learner))
        learner_step(learner, LEARNER_SAVE);
    else if (!learner_parks(learner))
        return false;
    else if (learner->state != LEARNER_PARKED)
        learner_step(learner, LEARNER_PARK);
    return true;
}

/* Nothing to reconfigure: steps on unless it has too few chips, too old a state, a reason to pause, or is too far ahead
 * of the syncer. */
static void go_on(struct learner *learner)
{
    if (is_short(learner)) {
        starve(learner);
    } else if (learner_must_recover(learner)) {
        learner_step(learner, LEARNER_RECOVER);
    } else if (learner->world->has_pauses && pauses(learner)) {
        return;
    } else if (learner_is_blocked(learner)) {
        if (learner->state != LEARNER_BLOCKED)
            learner_step(learner, LEARNER_OWE);
    } else if (learner->state != LEARNER_STEPPING) {
        learner_step(learner, LEARNER_RESUME);
    } else {
        learner_begin_step(learner, false);
    }
}

/* A job that is not elastic restarts, or waits until it is whole. */
static void decide_dp(struct learner *learner)
{
    if (!replaces_within_restart(learner))
        (void)learner_drop_failing(learner);
    (void)learner_drop_leaving(learner);
    if (is_short(learner))
        go_on(learner);
    else
        learner_step(learner, LEARNER_FAIL);
}

/* Slices are back, and it is time to take them in. */
static bool is_time_to_gain(const struct learner *learner)
{
    return !slice_list_is_empty(&learner->ready) && can_gather(learner) &&
           (is_short(learner) || now_of(learner) >= learner->upscale_from) &&
           learner_has_time_for(learner, learner->upscale_ns);
}

/* Before it rebuilds itself, for which there may be no time left. */
static bool saves_first(const struct learner *learner)
{
    bool has_failed = !slice_list_is_empty(&learner->failing);
    return learner->world->has_pauses &&
           (learner_saves_before_leaving(learner) || (!has_failed && learner_saves_before_preemption(learner)));
}

/* Between two steps: what has happened since the last one? */
void learner_decide(struct learner *learner)
{
    bool has_failed = !slice_list_is_empty(&learner->failing);
    learner->has_news = false;
    bool is_hit = has_failed || !slice_list_is_empty(&learner->leaving);
    if (saves_first(learner)) {
        save(learner);
        return;
    }
    if (is_hit)
        note_interruption(learner);
    if (is_hit && is_dp(learner)) {
        decide_dp(learner);
        return;
    }
    bool has_lost = has_failed && learner_drop_failing(learner);
    has_lost |= learner_drop_leaving(learner); /* of those that are sound again some are due for maintenance */
    bool has_gained = is_time_to_gain(learner);
    if ((has_lost && !is_short(learner)) || has_gained)
        reconfigure(learner, has_lost, has_gained);
    else if (learner->swap_owed_ns > 0 && !is_short(learner))
        begin_swap(learner);
    else
        go_on(learner);
}

/* --- what happens to it --- */

/* The step in progress is lost. */
static void discard_step(struct learner *learner)
{
    learner_catch_up(learner);
    learner_count_steps(learner, false);
    sim_time lost_from = learner->step_start;
    if (lost_from > learner->booked_until)
        learner_book_as(learner, lost_from, RUN_BUCKET_useful);
    learner_book_as(learner, now_of(learner), RUN_BUCKET_lost);
    checkpoint_forget_step(learner);
    learner_apply_updates(learner);
    learner_spell_out_reports(learner);
    learner->step_start = now_of(learner); /* nothing is under way that a checkpoint would leave out */
    rounds_revise(learner->world);
}

void learner_stop_step(struct learner *learner)
{
    if (learner->state == LEARNER_STEPPING)
        discard_step(learner);
}

/* One that rebuilds itself does so to the end; one that is not there reads its state when it comes back. */
void learner_on_restart(struct learner *learner)
{
    if (!learner_takes_part(learner->state) || is_reconfiguring(learner) || learner->state == LEARNER_RESTARTING)
        return;
    learner->is_losing_again = false;
    learner_decide(learner);
}

/* A pause is over: what is due for maintenance goes first. */
static void resume(struct learner *learner)
{
    if (slice_list_is_empty(&learner->leaving))
        go_on(learner);
    else
        learner_decide(learner);
}

static void on_reconfigured(struct learner *learner)
{
    if (learner->is_gaining) {
        learner->is_gaining = false;
        learner_step(learner, LEARNER_GAIN);
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
        resume(learner);
}

/* What failed meanwhile is folded into it. */
static void end_restart(struct learner *learner)
{
    if (replaces_within_restart(learner))
        learner_replace_failing(learner);
    else
        (void)learner_drop_failing(learner);
    learner->swap_owed_ns = 0;
}

static void on_restarted(struct learner *learner)
{
    end_restart(learner);
    resume(learner);
}

static void on_restored(struct learner *learner)
{
    learner->checkpoint.must_restore = learner->checkpoint.is_stale = false;
    learner->absent_since = -1;
    if (is_dp(learner))
        end_restart(learner);
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

/* So many are complete. */
static void end_steps(struct learner *learner, int64_t steps)
{
    learner_end_steps(learner, steps);
    if (learner->world->has_rounds) {
        learner_report(learner);
        learner_apply_updates(learner);
    }
}

/* A step is over, or cut short: when a failure is noticed at once, or at the last moment to save the state. */
static void on_stepped(struct learner *learner)
{
    bool has_failing = !slice_list_is_empty(&learner->failing);
    sim_time passed = now_of(learner) - learner->step_start, steps = sim_time_periods(passed, learner->step_ns);
    bool is_cut_short = steps * learner->step_ns != passed; /* after those slept through */
    if (is_cut_short || (has_failing && config_of(learner)->noticed == CONFIG_AT_ONCE))
        discard_step(learner);
    else
        end_steps(learner, steps);
    learner_decide(learner);
}

void learner_on_wake(void *context, uint32_t entity)
{
    static void (*const on_end[LEARNER_STATE_COUNT])(struct learner *) = {
        [LEARNER_STEPPING] = on_stepped,       [LEARNER_DOWNSCALING] = on_reconfigured,
        [LEARNER_UPSCALING] = on_reconfigured, [LEARNER_RESTARTING] = on_restarted,
        [LEARNER_RECOVERING] = on_copied,      [LEARNER_CHECKPOINTING] = on_saved,
        [LEARNER_RESTORING] = on_restored,     [LEARNER_AWAY] = leave_away,
    };
    (void)entity;
    struct learner *learner = context;
    learner_wake_up(learner);
    SIM_ASSERT(origin_of(learner), on_end[learner->state] != NULL);
    on_end[learner->state](learner);
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

/* A slice failed while the job restarts or reads its state: for an elastic job this is one more reconfiguration. */
static void on_failure_while_restarting(struct learner *learner)
{
    if (!is_dp(learner)) {
        on_failure_while_reconfiguring(learner);
    } else if (config_of(learner)->overlap == CONFIG_RESTART) {
        repeat_swap(learner);
        decide_dp(learner);
    }
}

void learner_lose(struct learner *learner, uint32_t slice)
{
    learner_hear(learner);
    slice_list_push(learner->world, &learner->failing, slice);
    checkpoint_void(learner);
    learner->has_news = true;
}

void learner_on_failure(struct learner *learner)
{
    if (!learner->has_news)
        return;
    learner->has_news = false;
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
    case LEARNER_PARKED:
    case LEARNER_CHECKPOINTING:
        learner_decide(learner);
        break;
    case LEARNER_AWAY:
        if (!replaces_within_restart(learner))
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
    learner_hear(learner);
    bool is_folded = is_reconfiguring(learner) && config_of(learner)->overlap == CONFIG_FOLD;
    learner_line_up(learner, is_folded ? &learner->joining : &learner->ready, slice);
    if (slice_state(learner->world, slice) != SLICE_READY)
        return;
    if (learner->state == LEARNER_STEPPING)
        learner_plan_step_end(learner);
    else if (learner_is_waiting(learner))
        learner_decide(learner);
    else if (learner->state == LEARNER_AWAY && can_gather(learner))
        learner_set_wake(learner, now_of(learner)); /* when all that are back at this instant are known */
}

/* Whatever is under way ends; nothing of it is left for later. */
static void drop_everything(struct learner *learner)
{
    uint32_t slice;
    if (learner->state == LEARNER_STEPPING)
        discard_step(learner);
    if (!replaces_within_restart(learner))
        (void)learner_drop_failing(learner);
    (void)learner_drop_leaving(learner);
    while ((slice = slice_list_pop(learner->world, &learner->joining)) != SLICE_NONE)
        slice_list_push(learner->world, &learner->ready, slice);
    learner->is_gaining = learner->is_losing_again = false;
    learner_drop_copy(learner);
}

void learner_on_preempted(struct learner *learner)
{
    if (learner->preemptions++ > 0)
        return;
    learner->taken_at = SIM_TIME_NEVER;
    drop_everything(learner);
    learner_change_service(learner, false);
    note_interruption(learner);
    learner_step(learner, LEARNER_PREEMPT);
}

void learner_on_granted(struct learner *learner)
{
    if (--learner->preemptions > 0)
        return;
    learner->taken_at = preemption_next(learner->world, learner->index);
    learner_change_service(learner, true);
    maintenance_recall(learner->world, learner->index);
    (void)learner_drop_leaving(learner);
    if (can_gather(learner))
        come_back(learner);
    else
        learner_step(learner, LEARNER_STARVE);
}
