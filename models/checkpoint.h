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
 * lost.
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

/* What a learner has to show at one moment, to which a rollback returns. Zeroed, it is the beginning. */
struct checkpoint_mark {
    sim_chip_time useful, chip_steps; /* since the warm-up ended, as learner_count */
    int64_t steps;
    struct ledger_total total; /* since the start of the run */
};

struct checkpoint {
    sim_time work_ns; /* since the last one was complete, up to the start of the step in progress; below 0 when it was
                         complete later */
    bool is_writing;
    bool must_restore; /* the state is gone */
    struct checkpoint_mark writing, last;
    struct sim_handle done; /* of one in the background */
};

/* A checkpoint is to begin before the next step. */
bool checkpoint_is_due(const struct learner *learner);

/* When the work of the steps under way will be enough for one; SIM_TIME_NEVER when none is to come. */
sim_time checkpoint_due_ns(const struct learner *learner);

/* Records the state between two steps; in the background the rest follows by itself. */
void checkpoint_begin(struct learner *learner);

/* It is complete. */
void checkpoint_end(struct learner *learner);

/* The step in progress is aborted, and with it the part that was done before a checkpoint was complete. */
void checkpoint_forget_step(struct learner *learner);

/* The unfinished one is worth nothing. */
void checkpoint_void(struct learner *learner);

/* The state is gone: back to the last complete checkpoint. */
void checkpoint_lose_state(struct learner *learner);

/* The warm-up is over: what was done in it does not count. */
void checkpoint_reset_counts(struct learner *learner);

#endif
