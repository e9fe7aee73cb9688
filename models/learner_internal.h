/* models/learner_internal.h -- what the files of the learner share.
 *
 * learner_machine.c holds the machine, learner.c its decisions, learner_planned.c what it is told before it happens,
 * learner_setup.c its beginning and end, learner_slices.c the account and the slices, learner_steps.c the steps,
 * learner_sync.c what it has to do with the syncer. Everyone else uses models/learner.h.
 *
 * Units: as in models/learner.h.
 * Ownership: nothing is kept.
 * Errors: as in models/learner.h.
 */
#ifndef MODELS_LEARNER_INTERNAL_H
#define MODELS_LEARNER_INTERNAL_H

#include "models/learner.h"

/* The only function that changes the state of a learner. */
void learner_step(struct learner *learner, enum learner_event event);

/* Books the time up to `until`: the chips present under `bucket`, the others as away. */
void learner_book_as(struct learner *learner, sim_time until, enum run_bucket bucket);

/* Books the time up to now under the bucket of the state. */
void learner_book(struct learner *learner);

/* Spares take the places of the failed slices; it lets go of those that there is none for, and of them those that are
 * back already wait to rejoin. True when it let go of any. */
bool learner_drop_failing(struct learner *learner);

/* Lets go of the slices that maintenance holds. True when there are any. */
void learner_drop_all_leaving(struct learner *learner);
static inline bool learner_drop_leaving(struct learner *learner)
{
    bool has_any = !slice_list_is_empty(&learner->leaving);
    if (has_any)
        learner_drop_all_leaving(learner);
    return has_any;
}

/* A slice that is back waits to rejoin, in this list, unless maintenance holds it. */
void learner_line_up(struct learner *learner, struct slice_list *list, uint32_t slice);

/* The slices that wait to rejoin with this reconfiguration are in. */
void learner_take_in_all_joining(struct learner *learner);
static inline void learner_take_in_joining(struct learner *learner)
{
    if (!slice_list_is_empty(&learner->joining))
        learner_take_in_all_joining(learner);
}

/* All slices that are back rejoin with the next reconfiguration. */
void learner_move_ready_to_joining(struct learner *learner);

/* Its sound slices leave or enter service as a whole. */
void learner_change_service(const struct learner *learner, bool is_entering);

/* After a restart the failed slices have been replaced. */
void learner_replace_failing(struct learner *learner);

/* A step begins now; `is_fresh` when the learner did not step before. */
void learner_begin_step(struct learner *learner, bool is_fresh);

/* Sleeps until the end of the step in which something is to be done. */
void learner_plan_step_end(struct learner *learner);

/* So many more have ended, the last of them at the clock or before. */
void learner_end_steps(struct learner *learner, int64_t steps);

/* Counts the steps that ended since the last count; one that ends just now only when `with_edge`. */
void learner_count_steps(struct learner *learner, bool with_edge);

/* Wakes the learner at `at`, and at no other time; never past the end of the run. */
void learner_set_wake(struct learner *learner, sim_time at);

/* Makes up the steps that ended before now; what ends now is what it is woken for. */
void learner_wake_up(struct learner *learner);

/* Something happened to its slices, which a learner that steps deals with at the end of a step: rounds may keep it
 * until then. */
void learner_hear(struct learner *learner);

/* What it wakes up to. */
void learner_on_wake(void *context, uint32_t entity);

/* Between two steps, or when nothing is under way: what has happened, what comes next? */
void learner_decide(struct learner *learner);

/* True when it was told that it will be preempted, and there is no time for a step and what must follow it: it is to
 * save its state now, or to wait. */
bool learner_saves_before_preemption(const struct learner *learner);
bool learner_parks(const struct learner *learner);

/* True when a pause and a step fit in before it is taken away, as far as it was told. */
bool learner_has_time_for(const struct learner *learner, sim_time pause_ns);

/* The boundary after which there is no time for another step; the last moment to save when the step under way does not
 * end before; SIM_TIME_NEVER when it was not told, or it is too late. */
sim_time learner_notice_due(const struct learner *learner);

/* True when it stands between two steps, ready for another as soon as it may. */
bool learner_is_waiting(const struct learner *learner);

/* True when its state would be lost with the slices that leave, and work with it: it writes a checkpoint first. */
bool learner_saves_before_leaving(const struct learner *learner);

/* Tells the syncer of the step that ended just now. */
void learner_report(struct learner *learner);

/* Of one that ended at step_start, while it slept. */
void learner_report_slept(struct learner *learner);

/* Overwrites the fragments whose updates have arrived during the step. */
void learner_apply_updates(struct learner *learner);

/* The oldest step whose update it is owed or, when it is not owed any, will be. */
int64_t learner_oldest_owed(const struct learner *learner);

/* Tells the syncer when it begins or ceases to take part, or to listen. */
void learner_tell_syncer(struct learner *learner, bool was_connected, bool did_listen);

/* Books the time up to now as cut if it is. */
void learner_book_cut(struct learner *learner);

/* Books the time up to now as degraded if its link is. */
void learner_book_rate(struct learner *learner);

/* True when it may not begin another step before an update lands. */
bool learner_is_blocked(const struct learner *learner);

/* True when its outage was too long to go on with the state it has, and there is somebody to copy from. */
bool learner_must_recover(struct learner *learner);

/* Gives up the copy it waits for, if any. */
void learner_drop_copy(struct learner *learner);

/* Its reports stand by themselves from here on: its steps do not follow one upon the other any more. */
void learner_spell_out_reports(struct learner *learner);

/* Nothing that it reported or that was sent to it is on its way any more. */
void learner_forget_everything(struct learner *learner);

/* A report that was on its way when the snapshot was taken is with the syncer, from `at` on. */
void learner_replay_report(struct learner *learner, int64_t step, sim_time at);

/* The step in progress, if there is one, is lost. */
void learner_stop_step(struct learner *learner);

/* The copy of the state is there. */
void learner_end_copy(struct learner *learner);

#endif
