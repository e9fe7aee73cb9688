/* models/syncer.h -- the syncer: collects reports, closes rounds, broadcasts fragments.
 *
 * Learners report each completed step and go on. Round t is for the fragment whose turn it is in a cycle of sync_every
 * rounds (H). A round has its quorum once K distinct learners have a report that no round has counted; it counts one of
 * each. Then it waits for more, for at most the grace window and only as long as a connected learner is missing; when
 * so many leave that the quorum is lost, it collects again. It closes: the fragment is pulled from those that reported,
 * merged and sent to everyone connected, which takes the time of their links (models/flights.h). Meanwhile the next
 * round collects; at most overlap (tau) rounds are in flight, at least one. Reports of one instant belong to one round.
 *
 * A learner weighs c_tokens x (c_tokens / c_steps), its tokens and steps on the fragment since it last received it
 * (models/ledger.h).
 *
 * The grace window follows arXiv 2604.21428: slack = overlap x step - (quorum wait + transfer), where the
 * quorum wait is that of the oldest report counted; window <= safety x slack, at most one step, with
 * moving averages x += (v - x) / 8 in integer nanoseconds.
 *
 * A learner that copies its state from a peer may miss at most H rounds: the syncer opens no later one until the copy
 * is there.
 *
 * Units: ns, counts, chip-steps.
 * Ownership: syncer_init allocates, syncer_fini releases; part of the world. Without rounds in the config it does
 * nothing.
 * Errors: a report of a learner that is not connected is a bug and stops the run.
 */
#ifndef MODELS_SYNCER_H
#define MODELS_SYNCER_H

#include "models/config.h"
#include "models/flights.h"
#include "models/ledger.h"
#include "models/merge.h"
#include "models/snapshot.h"
#include "sim/fsm.h"
#include "sim/queue.h"

#define FSM_DEF "models/syncer_fsm.def"
#define FSM_NAME syncer
#define FSM_PREFIX SYNCER
#include "sim/fsm_enum.inc"

extern const struct sim_fsm syncer_fsm;

struct learner;
struct world;

/* Learner to syncer, at the end of each step. */
struct syncer_report {
    int64_t learner;
    int64_t step;     /* steps completed since the start of the run */
    sim_time step_ns; /* how long the last one took */
};

/* Syncer to a learner, when the update of a round reaches it. */
struct syncer_broadcast {
    int64_t round;
    int64_t fragment;     /* -1: none was due, nothing is overwritten */
    const int64_t *clock; /* of the syncer when the round closed; NULL when clocks are off */
};

struct syncer_member {
    bool is_connected;
    int64_t copies_at; /* the round its copy of the state is stamped with; -1: it does not copy */
};

struct syncer_count {
    int64_t rounds;
    sim_chip_time participants;
    sim_time quorum_wait_ns;
    sim_time grace_ns;
    struct merge_count merged;
};

struct syncer {
    struct world *world;
    enum syncer_state state;
    int64_t round;     /* the one that collects, or that will when there is room */
    int64_t until_due; /* rounds from it to the first that sends a fragment */
    sim_time opened_ns;
    sim_time quorum_ns;
    struct syncer_member *member;
    int64_t reporters; /* connected, with a report that no round has counted */
    int64_t connected;
    int64_t copying;  /* members whose state is under way */
    sim_time look_ns; /* when it looks next, or looked last */
    sim_time step_average_ns;
    sim_time quorum_average_ns;
    sim_time transfer_average_ns;
    struct flights flights;
    struct ledger ledger;
    struct merge merge;      /* of the round that closes */
    double tokens;           /* in it; for the observer */
    struct run_claim *claim; /* of the round that closes, for the observer; NULL when nobody wants rounds */
    struct snapshots snapshots;
    const struct snapshot *going_back; /* while it is down: where to */
    bool is_reading;                   /* it is back, but has not all of it yet */
    struct sim_handle resume;
    int64_t restarts; /* since the start of the run */
    struct syncer_count count;
};

void syncer_init(struct syncer *syncer, struct world *world);
void syncer_fini(struct syncer *syncer);

/* Takes the report that the learner has just added to what it is owed. */
void syncer_on_report(struct syncer *syncer, const struct syncer_report *report);

/* It is to look at the reports at that time; SIM_TIME_NEVER: when something happens. */
void syncer_look_at(struct syncer *syncer, sim_time at);

/* Moves a moving average on; how long a round whose quorum is reached waits for more, given the average with its own
 * quorum wait. */
void syncer_follow(sim_time *average, sim_time value);
sim_time syncer_grace_window(const struct syncer *syncer, sim_time quorum_average_ns);

/* True when somebody wants to hear of rounds. */
bool syncer_is_watched(const struct syncer *syncer);

/* The round that closes merges a fragment, -1: none, from all that have a report; it is counted. */
void syncer_merge(struct syncer *syncer, int64_t fragment);
void syncer_count_merge(struct syncer *syncer);

/* For models/rounds.h: the planned quorum was reached, and grace began; the round merges what its learners weigh; so
 * many rounds that have merged close, all as long as the planned one and with so many learners. */
void syncer_take_quorum(struct syncer *syncer, sim_time quorum_ns, sim_time quorum_average_ns);
void syncer_merge_as_planned(struct syncer *syncer);
void syncer_close_as_planned(struct syncer *syncer, int64_t participants, int64_t rounds);

/* A learner that slept has one more report than none that no round has counted (models/forecast.h). */
void syncer_on_report_slept(struct syncer *syncer, const struct learner *learner);

/* A learner takes part from now on, or no longer. */
void syncer_on_connection(struct syncer *syncer, int64_t index, bool is_connected);

/* A learner begins or ceases to listen to broadcasts. */
void syncer_on_listening(struct syncer *syncer);

/* True when enough learners take part to close rounds without those that do not. */
bool syncer_has_quorum(const struct syncer *syncer);

/* The same without this learner. */
bool syncer_can_spare(const struct syncer *syncer, int64_t learner);

/* A learner begins to copy a state stamped with `round`; it has it, with all updates up to now; or it gave up. */
void syncer_on_copy(struct syncer *syncer, int64_t learner, int64_t round);
void syncer_on_copied(struct syncer *syncer, int64_t learner);
void syncer_on_copy_lost(struct syncer *syncer, int64_t learner);

/* The update of a round has reached somebody. */
void syncer_on_landing(struct syncer *syncer);

/* It fails: everything goes back to the last complete snapshot from before `before`. While it is down already, only an
 * older one than that changes anything. */
void syncer_fail(struct syncer *syncer, sim_time before);

/* It is there again: everybody reads that snapshot, and then goes on. Requires it to be down. */
void syncer_return(struct syncer *syncer);

/* True when it has failed and is not back yet. */
bool syncer_is_gone(const struct syncer *syncer);

/* Forgets the counts of closed rounds. */
void syncer_reset_counts(struct syncer *syncer);

#endif
