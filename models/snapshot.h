/* models/snapshot.h -- snapshots of learners and syncer together, after Chandy and Lamport.
 *
 * When a round closes and the clock of the syncer, its rounds so far, is a multiple of every_rounds, the syncer records
 * its state and sends a marker after the update of the round. Channels are first in, first out, so the marker reaches a
 * learner when it has all that was sent before; the learner records its state at the next boundary of its steps, with
 * what landed before the marker and without what landed after it. What it reported before and no round had counted when
 * the syncer recorded was on its way across the cut: it is saved, too, and replayed. A learner is ready `cost` after it
 * has recorded, standing still (blocking) or not. The snapshot is complete when all learners that took part at its
 * beginning are ready; who loses a slice while it writes, or goes away, is left out. One snapshot at a time: a round
 * that would begin another is passed over.
 *
 * A restart of everything returns syncer and learners to a complete snapshot, or to the beginning: the totals of every
 * learner, the ledger, the clock, averages and counts of the syncer, and the reports across the cut. What has been
 * trained since is lost. A learner that was left out has lost what it trained since the syncer recorded, and its state.
 *
 * Units: ns, counts, chip-steps.
 * Ownership: part of the syncer; snapshots_init allocates, snapshots_fini releases.
 * Errors: none.
 */
#ifndef MODELS_SNAPSHOT_H
#define MODELS_SNAPSHOT_H

#include "models/checkpoint.h"

struct world;
struct syncer;

struct snapshot_learner {
    bool is_in;   /* its state is recorded */
    bool is_left; /* it will not be */
    struct checkpoint_mark mark;
    int64_t *report; /* steps of the reports across the cut, oldest first */
    int64_t reports, reports_max;
};

struct snapshot {
    sim_time taken_ns; /* when the last of them recorded; -1: the beginning */
    int64_t rounds;    /* that it holds */
    sim_time step_average_ns, quorum_average_ns, transfer_average_ns;
    struct syncer_count *count; /* of these rounds, without those of the warm-up */
    struct ledger ledger;
    struct snapshot_learner *learner;
};

struct snapshots {
    struct world *world;
    struct snapshot *slot; /* the beginning, those that are complete, oldest first, and room for one */
    int64_t complete;      /* with the beginning */
    int64_t slots;
    bool is_recording;
    int64_t missing; /* learners that are not ready yet */
};

void snapshots_init(struct snapshots *snapshots, struct world *world);
void snapshots_fini(struct snapshots *snapshots);

/* A round has closed and been counted; its update is about to be sent. */
void snapshots_on_closed(struct snapshots *snapshots);

/* A learner reports a step. */
void snapshots_on_report(struct snapshots *snapshots, int64_t learner, int64_t step);

/* True when the update of this round carries the marker for that learner. */
bool snapshots_has_marker(const struct snapshots *snapshots, int64_t learner, int64_t round);

/* The learner records its state. */
void snapshots_record(struct snapshots *snapshots, int64_t learner);

/* What it has recorded is written; or it is left out. */
void snapshots_on_written(struct snapshots *snapshots, int64_t learner);
void snapshots_leave_out(struct snapshots *snapshots, int64_t learner);

/* A learner goes away; if it has not recorded yet it is left out. */
void snapshots_on_gone(struct snapshots *snapshots, int64_t learner);

/* The last complete snapshot from before `before`, the beginning if need be. Later ones and the unfinished one are
 * worth nothing from now on. */
const struct snapshot *snapshots_go_back(struct snapshots *snapshots, sim_time before);

/* Gives syncer and ledger the state of a snapshot; the learners do the same by themselves. */
void snapshots_restore(const struct snapshot *snapshot, struct syncer *syncer);

/* The warm-up is over: what was done in it does not count. */
void snapshots_reset_counts(struct snapshots *snapshots);

#endif
