/* models/checkpoint.h -- checkpoints of a job without a syncer: what a failure costs beyond its pause.
 *
 * After `every` of work a checkpoint begins at the next boundary of steps. Blocking, the job stands still for `cost`;
 * in the background it steps on and the checkpoint is complete `cost` later. Work is time in completed steps, counted
 * from the moment the last checkpoint was complete. A failure meanwhile voids the unfinished one.
 *
 * A job loses its state when nobody is left who holds it: a dp job with any failure, an elastic one when it falls below
 * elastic.min_share, both when they are preempted. Then it goes back to the last complete checkpoint, or to the
 * beginning: the time since moves from the bucket useful to lost, steps and tokens are taken back, and before the next
 * step the job spends `restore` (bucket restart). Without checkpoints nothing is taken back: only an aborted step is
 * lost. Corruption that is found late (models/silent.h) needs an older checkpoint than the last: `keep` of them are
 * kept.
 *
 * Units: ns, counts.
 * Ownership: part of its learner; checkpoint_init allocates, checkpoint_fini releases.
 * Errors: none.
 */
#ifndef MODELS_CHECKPOINT_H
#define MODELS_CHECKPOINT_H

#include "models/config.h"
#include "models/ledger.h"
#include "sim/queue.h"

struct learner;
struct snapshot_learner;

/* What a learner has to show at one moment, to which a rollback returns. Zeroed, it is the beginning. */
struct checkpoint_mark {
    sim_chip_time useful, chip_steps, overwritten; /* since the warm-up ended, as in learner_count */
    int64_t steps;
    struct ledger_total total; /* since the start of the run */
    sim_time taken_ns;
};

struct checkpoint {
    sim_time work_ns; /* since the last one was complete, up to the start of the step in progress; below 0 when it was
                         complete later */
    bool is_writing;
    bool must_pause;   /* stand still for it at the next boundary */
    bool must_restore; /* the state is gone */
    bool is_stale;     /* with a syncer: no snapshot has it */
    struct checkpoint_mark writing;
    struct checkpoint_mark *kept; /* complete, oldest first; what is older is the beginning */
    int64_t kept_count;
    struct sim_handle done; /* of one in the background */
};

void checkpoint_init(struct learner *learner);
void checkpoint_fini(struct learner *learner);

/* Before the next step: begins a checkpoint when one is due. True when the learner is to stand still for it. */
bool checkpoint_begins(struct learner *learner);

/* True when work would be lost with the state: steps were done since the last complete one. */
bool checkpoint_is_behind(const struct learner *learner);

/* Begins one for which the learner stands still, due or not, in place of any unfinished one. */
void checkpoint_save(struct learner *learner);

/* When the work of the steps under way will be enough for one; SIM_TIME_NEVER when none is to come. */
sim_time checkpoint_due_ns(const struct learner *learner);

/* It has stood still long enough. */
void checkpoint_end(struct learner *learner);

/* The step in progress is aborted, and with it the part that was done before a checkpoint was complete. */
void checkpoint_forget_step(struct learner *learner);

/* The unfinished one is worth nothing. */
void checkpoint_void(struct learner *learner);

/* The state is gone: back to the last complete checkpoint. */
void checkpoint_lose_state(struct learner *learner);

/* The state has been wrong since `corrupted_ns`: the job stops, and goes back to a checkpoint from before. */
void checkpoint_distrust(struct learner *learner, sim_time corrupted_ns);

/* What the learner has to show now, the step in progress left out. */
struct checkpoint_mark checkpoint_mark(struct learner *learner);

/* The marker of a snapshot has reached the learner, between two steps: it records its state. */
void checkpoint_record(struct learner *learner);

/* The syncer has failed: the learner is back at what the snapshot has of it, though it does not know yet. */
void checkpoint_go_back(struct learner *learner, const struct snapshot_learner *saved);

/* The syncer is there again: the learner reads its state, to go on at `resumes_ns`. */
void checkpoint_restore(struct learner *learner, const struct snapshot_learner *saved, sim_time resumes_ns);

/* The warm-up is over: what was done in it does not count. */
void checkpoint_reset_counts(struct learner *learner);
void checkpoint_reset_mark(struct checkpoint_mark *mark);

#endif
