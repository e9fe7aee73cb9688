/* models/pace.h -- how long the steps of a learner take.
 *
 * A step takes learners.step_time / speed x jitter, and the slowest slice present sets the speed: the pace knows how
 * many slices of each class take part. A data-parallel step over several datacentres also pays for the part of its
 * all-reduce that arithmetic does not hide. With jitter each step is a draw of its own, addressed by learner and number
 * of the step. Its mean is 1 and its deviation learners.step_jitter (exponential: 1), but for the normal law, which is
 * cut at 0.1: 40 % and more make its mean exceed 1.
 *
 * Classes lie over the fleet in their order, by chips; a slice that spans two belongs to the slower.
 *
 * Units: ns.
 * Ownership: pace_init allocates, pace_fini releases.
 * Errors: none; a step is at least 1 ns and at most SIM_TIME_NEVER.
 */
#ifndef MODELS_PACE_H
#define MODELS_PACE_H

#include "models/fleet.h"
#include "sim/rng.h"

struct pace {
    const struct config *config;
    const struct fleet *fleet;
    int64_t *present; /* slices of each class that take part; NULL without classes */
    double speed;     /* of this learner, drawn once */
    struct sim_stream jitter;
    sim_time step_ns, math_ns; /* of the last step, while nothing can change it; 0: to be worked out */
};

/* All slices of the learner take part. */
void pace_init(struct pace *pace, const struct config *config, const struct fleet *fleet,
               const struct sim_origin *origin, int64_t learner);
void pace_fini(struct pace *pace);

/* A slice of the learner joins (+1) or leaves (-1). */
void pace_change(struct pace *pace, int64_t slice, int change);

/* The length of the next step, with its arithmetic alone in *ret_math_ns. */
sim_time pace_draw_step_ns(struct pace *pace, sim_time *ret_math_ns);

/* True when all steps of all learners take the same time, and will. */
bool pace_is_uniform(const struct config *config);

/* True when all steps of a learner take the same time while its slices stay. */
bool pace_is_constant(const struct config *config);

#endif
