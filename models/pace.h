/* models/pace.h -- how long the steps of a learner take.
 *
 * A step takes learners.step_time / speed x jitter, and the slowest slice present sets the speed: the pace knows how
 * many slices of each class take part, and is told how slow the slowest of those is that are slower than their class
 * for a while (models/slowdown.h). When that changes, what is left of the arithmetic of the step under way takes as
 * many times longer, or shorter. A data-parallel step over several datacentres also pays for the part of its all-reduce
 * that arithmetic does not hide. With jitter each step is a draw of its own, addressed by learner and number of the
 * step. Its mean is 1 and its deviation learners.step_jitter (exponential: 1), but for the normal law, which is cut at
 * 0.1: 40 % and more make its mean exceed 1.
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
    double slowed;    /* speed of the slowest slice that is slower than its class; INFINITY: there is none */
    struct sim_stream jitter;
    sim_time step_ns, math_ns; /* of the last step, while nothing can change it; 0: to be worked out */
};

/* All slices of the learner take part. */
void pace_init(struct pace *pace, const struct config *config, const struct fleet *fleet,
               const struct sim_origin *origin, int64_t learner);
void pace_fini(struct pace *pace);

/* A slice of the learner joins (+1) or leaves (-1). */
void pace_change(struct pace *pace, int64_t slice, int change);

/* Speed of the class of a slice. */
double pace_class_speed(const struct pace *pace, int64_t slice);

/* The slowest of its slices that are slower than their class runs at `slowed` from now on. Returns how many times
 * longer than before arithmetic takes. */
double pace_slow(struct pace *pace, double slowed);

/* True when such a slice sets the pace. */
bool pace_is_slowed(const struct pace *pace);

/* A step of which *math_ns is arithmetic is under way for `passed`; what is left of that takes `factor` times longer.
 * Returns the length of the whole step. */
sim_time pace_stretch_ns(const struct pace *pace, sim_time passed, double factor, sim_time *math_ns);

/* True when the steps that follow one of this length, with its arithmetic, take as long: the pace is constant and has
 * not changed since it began. */
bool pace_is_steady(const struct pace *pace, sim_time step_ns, sim_time math_ns);

/* The length of the next step, with its arithmetic alone in *ret_math_ns. */
sim_time pace_draw_step_ns(struct pace *pace, sim_time *ret_math_ns);

/* True when all steps of all learners take the same time, and will. */
bool pace_is_uniform(const struct config *config);

/* True when all steps of a learner take the same time while its slices stay. */
bool pace_is_constant(const struct config *config);

#endif
