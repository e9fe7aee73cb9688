/* models/syncer.h -- the syncer: collects reports, closes rounds, broadcasts fragments.
 *
 * Learners report each completed step and go on. Round t is for the fragment whose turn it is in a cycle of sync_every rounds.
 * A round has its quorum once K distinct learners have reported since it opened; then it waits for more, for at most the grace
 * window and only as long as a connected learner is missing, merges and broadcasts. Reports of one instant belong to one round.
 * The grace window follows arXiv 2604.21428: slack = overlap x step - (quorum wait), window <= safety x slack, at most one step,
 * with moving averages x += (v - x) / 8 in integer nanoseconds. Transfers take no time.
 *
 * Units: ns, counts.
 * Ownership: syncer_init allocates, syncer_fini releases; part of the world. Without a syncer in the method it does nothing.
 * Errors: a report of a learner that is not connected is a bug and stops the run.
 */
#ifndef MODELS_SYNCER_H
#define MODELS_SYNCER_H

#include "models/config.h"
#include "sim/fsm.h"
#include "sim/queue.h"

#define FSM_DEF "models/syncer_fsm.def"
#define FSM_NAME syncer
#define FSM_PREFIX SYNCER
#include "sim/fsm_enum.inc"

extern const struct sim_fsm syncer_fsm;

struct world;

/* Learner to syncer, at the end of each step. */
struct syncer_report {
    int64_t learner;
    int64_t step;     /* steps completed since the start of the run */
    sim_time step_ns; /* how long the last one took */
};

/* Syncer to those it counted, when a round closes. */
struct syncer_broadcast {
    int64_t round;
    int64_t fragment; /* -1: none was due, nothing is overwritten */
};

struct syncer_member {
    bool is_connected;
    bool has_reported; /* a new step since the round opened */
};

struct syncer_count {
    int64_t rounds;
    int64_t participants;
    sim_time quorum_wait_ns;
    sim_time grace_ns;
};

struct syncer {
    struct world *world;
    enum syncer_state state;
    int64_t round;
    sim_time opened_ns;
    sim_time quorum_ns;
    struct syncer_member *member;
    int64_t *reporter; /* those of this round, in the order of their reports */
    int64_t reporters;
    int64_t missing; /* connected, not reported */
    struct sim_handle look;
    struct sim_handle grace_over;
    sim_time step_average_ns;
    sim_time quorum_average_ns;
    struct syncer_count count;
};

void syncer_init(struct syncer *syncer, struct world *world);
void syncer_fini(struct syncer *syncer);

/* Takes a report. True when the learner is now owed an update: the round it falls into sends a fragment. */
bool syncer_on_report(struct syncer *syncer, const struct syncer_report *report);

/* A learner went away or came back. */
void syncer_on_connection(struct syncer *syncer, int64_t learner, bool is_connected);

/* Forgets the counts of closed rounds. */
void syncer_reset_counts(struct syncer *syncer);

#endif
