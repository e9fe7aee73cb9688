/* models/learner.h -- learners: groups of chips that step together.
 *
 * A learner executes steps. At the end of a step it lets go of slices that failed and takes in slices that came back, each at
 * the price of a reconfiguration; a learner that is not elastic restarts instead. The rules are options of the scenario
 * (elastic.*), described in the specification as rules 1 to 6. The machine is models/learner_fsm.def.
 *
 * Steps that nothing can happen in are not simulated one by one: without a syncer and with steps of constant length, a learner
 * sleeps until the end of the step in which something happened and counts the steps in between. The numbers are the same to
 * the last bit (config.every_step forces the slow way).
 *
 * Units: ns, chips.
 * Ownership: the learners of a world are one array, owned by the world.
 * Errors: an event without an edge is a bug and stops the run.
 */
#ifndef MODELS_LEARNER_H
#define MODELS_LEARNER_H

#include "models/account.h"
#include "models/slice.h"
#include "models/syncer.h"
#include "sim/queue.h"
#include "sim/rng.h"

#define FSM_DEF "models/learner_fsm.def"
#define FSM_NAME learner
#define FSM_PREFIX LEARNER
#include "sim/fsm_enum.inc"

extern const struct sim_fsm learner_fsm;

struct learner_count {
    int64_t steps;
    sim_chip_time chip_steps; /* steps times the chips that took part */
    int64_t interruptions;
    sim_time stepping_ns;
    struct account account;
};

struct learner {
    struct world *world;
    int64_t index;
    int64_t chips;         /* all that it owns */
    int64_t chips_min;     /* below these it does not step */
    int64_t chips_present; /* in its slices that are active or failed but not yet let go */
    enum learner_state state;
    sim_time booked_until;

    struct slice_list failing; /* failed (or mended) and still counted as present */
    struct slice_list ready;   /* back, waiting for an upscale */
    struct slice_list joining; /* rejoin with the reconfiguration under way */
    bool is_gaining;           /* an upscale follows the downscale under way */
    bool is_losing_again;      /* slices failed during the reconfiguration: another one follows (queue) */
    sim_time upscale_from;     /* no upscale starts before */

    sim_time step_start; /* of the step in progress; of the first not yet counted when sleeping */
    sim_time step_ns;    /* its length */
    double speed;
    struct sim_stream jitter;
    struct sim_handle wake;

    int64_t steps_total; /* since the start of the run, also before the warm-up ended */
    int64_t owed_step;   /* the oldest step whose update is still owed; 0: none */
    struct learner_count count;
};

void learner_init(struct learner *learner, struct world *world, int64_t index);

/* Begins the first step. */
void learner_start(struct learner *learner);

/* A slice of this learner failed just now; it is SLICE_FAILED. */
void learner_on_failure(struct learner *learner, uint32_t slice);

/* A slice came back: it is SLICE_READY, or SLICE_MENDED when the learner has not let go of it yet. */
void learner_on_return(struct learner *learner, uint32_t slice);

/* The update that was owed has arrived. */
void learner_on_broadcast(struct learner *learner, const struct syncer_broadcast *message);

/* Books time and counts steps up to the clock. */
void learner_settle(struct learner *learner);

/* Forgets what was booked and counted. */
void learner_reset_counts(struct learner *learner);

#endif
