/* models/learner.h -- learners: groups of chips that step together.
 *
 * A learner executes steps. At the end of a step it lets go of slices that failed and takes in slices that came back,
 * each at the price of a reconfiguration; a learner that is not elastic restarts instead. The rules are options of the
 * scenario (elastic.*), described in the specification as rules 1 to 6. The machine is models/learner_fsm.def.
 *
 * Steps that nothing can happen in are not simulated one by one: without a syncer and with steps of constant length, a
 * learner sleeps until the end of the step in which something happened and counts the steps in between. The numbers are
 * the same to the last bit (config.every_step forces the slow way).
 *
 * With a syncer it reports each step and runs on, at most overlap (tau) steps beyond the oldest update it is owed; owed
 * from a report until the round that counts it has landed. An update overwrites its fragment at the next step boundary.
 * After an outage (away or preempted) of at most recover_after steps it goes on with what it has, and the cycle of
 * fragments repairs it; after a longer one it waits for a broadcast, copies the state from a peer, and goes on when the
 * copy is there. It never waits for what cannot come: when the others are too few for a quorum it goes on as it is.
 *
 * While its link is cut it steps on by itself, up to tau steps beyond what it was owed when the link was cut. It
 * reports nothing and receives nothing, and does not take part. When the link is back it reports its latest state;
 * after a cut of more than recover_after steps it copies the state of a peer instead, as after an outage. A link may
 * also be slower for a while (models/flights.h).
 *
 * A learner that is told of a preemption uses the time. It begins no step that would not end before it is taken, but
 * waits between two of them (parked): nothing is lost. A job with checkpoints saves its state in time for the last
 * moment, and stops a step that would last beyond. When there is no time left to save it goes on as if untold.
 *
 * Units: ns, chips.
 * Ownership: the learners of a world are one array, owned by the world.
 * Errors: an event without an edge is a bug and stops the run.
 */
#ifndef MODELS_LEARNER_H
#define MODELS_LEARNER_H

#include "models/account.h"
#include "models/checkpoint.h"
#include "models/ledger.h"
#include "models/pace.h"
#include "models/slice.h"
#include "models/syncer.h"
#include "sim/queue.h"

#define FSM_DEF "models/learner_fsm.def"
#define FSM_NAME learner
#define FSM_PREFIX LEARNER
#include "sim/fsm_enum.inc"

extern const struct sim_fsm learner_fsm;

struct learner_count {
    sim_chip_time overwritten; /* chip-steps that an update discarded, summed over fragments */
    int64_t steps;
    sim_chip_time chip_steps; /* steps times the chips that took part */
    sim_chip_time work;       /* their time, in chip-ns: useful without the step in progress */
    sim_chip_time math;       /* arithmetic in chip-ns, without what transfers add; also of steps rolled back */
    sim_chip_time slowed;     /* chip-ns in steps whose pace a slowdown set */
    int64_t interruptions;
    int64_t recoveries;
    int64_t cuts;         /* of its link that began */
    sim_time cut_ns;      /* while it was cut */
    int64_t degradations; /* times that it became slower than it is */
    sim_time degraded_ns; /* while it was */
    int64_t steps_lost;   /* completed, then rolled back; not in steps */
    sim_time stepping_ns;
    sim_chip_time preempted; /* time of all its chips while it was preempted; part of the bucket away */
    sim_chip_time restoring; /* reading a checkpoint; part of the bucket restart */
    struct account account;
};

/* A report whose update the learner is still owed. Rounds count the reports of a learner one by one, oldest first. */
struct learner_owed {
    int64_t step;
    sim_time reported_ns;
    int64_t round; /* that counted it; -1: none yet */
};

/* An update that has arrived and waits for the step to end. */
struct learner_update {
    int64_t round;
    int64_t fragment;
};

/* What it knows of itself while its link to the syncer is cut. */
struct learner_cut {
    int sources; /* that cut it now; 0: it is not cut */
    sim_time since, booked_until;
    int64_t counted; /* its steps up to this one had been counted by rounds, the later ones are news to the syncer */
    int64_t due;     /* the oldest step whose update it is owed, or will be */
};

/* Who has its steps and updates while rounds are planned (models/rounds.h); rounds_release brings them back. */
enum learner_keeper { LEARNER_ITSELF, LEARNER_IN_ROSTER, LEARNER_CRUISING };

struct learner {
    struct world *world;
    int64_t index;
    int64_t chips;         /* all that it owns */
    int64_t chips_min;     /* below these it does not step */
    sim_time upscale_ns;   /* a job without a syncer stands still until those that join have copied the state */
    int64_t chips_present; /* in its slices that are active or failed but not yet let go */
    enum learner_state state;
    enum learner_keeper keeper;
    /* What each round looks at lies together. */
    sim_time step_start; /* of the step in progress; of the first not yet counted when sleeping */
    sim_time step_ns;    /* its length */
    int64_t made_up;     /* steps before it that are in `total` but not yet in `count`, all like it */
    int64_t reports;     /* no round has counted those of its last so many steps, of one length, and `owed` is empty */
    int64_t heard; /* in a plain world: the first round whose update it has yet to take in, if there is one; no inbox */
    struct ledger_total total; /* since the start of the run, also before the warm-up ended */
    struct learner_count count;
    sim_time booked_until;

    bool has_news;             /* slices failed that it has not reacted to */
    struct slice_list failing; /* failed (or mended) and still counted as present */
    struct slice_list leaving; /* due for maintenance, or that is over, and still counted as present */
    struct slice_list ready;   /* back, waiting for an upscale */
    struct slice_list joining; /* rejoin with the reconfiguration under way */
    bool is_gaining;           /* an upscale follows the downscale under way */
    bool is_swapping;          /* the pause under way is for spares alone, booked as an upscale */
    sim_time swap_ns;          /* of the pause under way, for spares that took places */
    sim_time swap_owed_ns;     /* of the next one */
    bool is_losing_again;      /* slices failed during the reconfiguration: another one follows (queue) */
    sim_time upscale_from;     /* no upscale starts before */

    struct pace pace;
    sim_time math_ns; /* arithmetic of the step in progress */

    struct checkpoint checkpoint;
    int preemptions;   /* that hold it now */
    sim_time taken_at; /* when the next one will, as far as it was told; SIM_TIME_NEVER: it was not */
    struct learner_cut cut;
    sim_time degraded_until; /* booked */
    sim_time absent_since;   /* away or preempted, and not stepped since; -1: none */
    int64_t copy_round;      /* recovering: the round the state it asked for is stamped with; -1: none yet */
    bool is_copying;         /* the state is on its way, by */
    struct flights_copy copy;
    int64_t *copy_clock; /* what it says about all workers; NULL when clocks are off */

    int64_t steps_taken_back;  /* by rollbacks, since the start of the run */
    struct learner_owed *owed; /* oldest first: those in flight, then those no round has counted */
    int64_t owed_count, owed_capacity;
    int64_t in_flight; /* the first so many of them */
    struct learner_update *inbox;
    int64_t inbox_count, inbox_capacity;
    int64_t there_since; /* in a plain world: the first round after it began to take part */
};

void learner_init(struct learner *learner, struct world *world, int64_t index);
void learner_fini(struct learner *learner);

/* Begins the first step. */
void learner_start(struct learner *learner);

/* True when a chip of it can fail: it is not preempted. */
bool learner_is_in_service(const struct learner *learner);

/* True when a learner in this state takes part in rounds unless its link is cut. */
bool learner_takes_part(enum learner_state state);

/* True when it takes part in rounds; when it takes part or waits for a broadcast to do so again. */
bool learner_is_connected(const struct learner *learner);
bool learner_listens(const struct learner *learner);

/* A slice of this learner failed just now; it is SLICE_FAILED. When all that failed at this instant is known it reacts.
 */
void learner_lose(struct learner *learner, uint32_t slice);
void learner_on_failure(struct learner *learner);

/* Maintenance takes a slice of this learner, which is SLICE_ACTIVE. When all that it takes is known the learner reacts.
 */
void learner_leave(struct learner *learner, uint32_t slice);
void learner_on_leaving(struct learner *learner);

/* Of those that wait to rejoin, the ones that maintenance holds do not any more. */
void learner_hold_back(struct learner *learner);

/* A slice came back: it is SLICE_READY, or SLICE_MENDED when the learner has not let go of it yet. */
void learner_on_return(struct learner *learner, uint32_t slice);

/* It is told that it will be taken away at `at`. */
void learner_on_notice(struct learner *learner, sim_time at);

/* It is taken away as a whole, or given back; several sources may hold it at once. */
void learner_on_preempted(struct learner *learner);
void learner_on_granted(struct learner *learner);

/* Its link to the syncer is cut, or there again; several sources may cut it at once. */
void learner_on_cut(struct learner *learner);
void learner_on_link(struct learner *learner);

/* Its link is at this rate from now on (models/transfer.h). */
void learner_on_rate(struct learner *learner, int64_t rate);

/* Its reports that no round has counted; the oldest of them. Requires that there is one. */
int64_t learner_uncounted(const struct learner *learner);
struct learner_owed learner_oldest_report(const struct learner *learner);

/* A round that closed counted that report. */
void learner_on_counted(struct learner *learner, int64_t round, int64_t fragment);

/* Updates that have arrived and wait for its step to end. */
int64_t learner_unread(const struct learner *learner);

/* It does not take part any more: nothing it reported counts, nothing is owed to it. */
void learner_forget_reports(struct learner *learner);

/* Makes up the steps that it slept through (models/forecast.h). */
void learner_catch_up(struct learner *learner);

/* An update reaches it, connected or not. */
void learner_on_broadcast(struct learner *learner, const struct syncer_broadcast *message);

/* Somebody has seen a round: if it waits for a peer that has seen the one it asked for, there may be one. */
void learner_ask_peers(struct learner *learner);

/* The syncer is there again, and the learner is back at what a snapshot has of it: it reads its state. */
void learner_on_restart(struct learner *learner);

/* The syncer has everything again: who waited for it may go on. */
void learner_on_resume(struct learner *learner);

/* The learners that take part are too few to close a round. */
void learner_on_no_quorum(struct learner *learner);

/* The slowest of its slices that are slower than their class runs at `speed` from now on; INFINITY: there is none. */
void learner_on_pace(struct learner *learner, double speed);

/* Tokens of so many chip-steps of this learner. */
double learner_tokens(const struct learner *learner, sim_chip_time chip_steps);

/* Books time and counts steps up to the clock. */
void learner_settle(struct learner *learner);

/* Forgets what was booked and counted. */
void learner_reset_counts(struct learner *learner);

/* The warm-up is over: work counts from now on. */
void learner_on_window(struct learner *learner);

#endif
