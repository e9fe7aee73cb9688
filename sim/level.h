/* sim/level.h -- time-weighted statistics of a piecewise-constant signal.
 *
 * A level holds its value until it is changed: learners stepping, slices away. Its mean is its integral over the length
 * of the window. The integral is exact, so it does not matter how often the level is set to the value it has. For
 * one-off observations (a repair time) use sim/tally.h.
 *
 * Units: time in ns; the integral in the unit of the value times ns.
 * Ownership: the caller owns the struct; nothing here allocates.
 * Errors: misuse (time going back, mean of an empty window) is a bug and stops the run.
 */
#ifndef SIM_LEVEL_H
#define SIM_LEVEL_H

#include "sim/assert.h"
#include "sim/time.h"

struct sim_level {
    const struct sim_origin *origin;
    sim_time opened; /* start of the window */
    sim_time since;  /* of the last change */
    int64_t value;
    sim_chip_time integral;
};

/* Opens a window at the time of `origin`, with `value`. */
void sim_level_init(struct sim_level *level, const struct sim_origin *origin, int64_t value);

/* The level is `value` from `at` on, which must not lie before the last change or after the clock. */
void sim_level_set_at(struct sim_level *level, sim_time at, int64_t value);

/* The same, from now on. */
static inline void sim_level_set(struct sim_level *level, int64_t value)
{
    if (value != level->value)
        sim_level_set_at(level, level->origin->now, value);
}

/* Forgets the past: the window starts now, with the value it has. */
void sim_level_reset(struct sim_level *level);

/* Integral of the value over the window so far. */
sim_chip_time sim_level_integral(struct sim_level *level);

/* Mean value over the window so far, which must not be empty. */
double sim_level_mean(struct sim_level *level);

#endif
