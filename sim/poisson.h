/* sim/poisson.h -- a Poisson process: arrivals at a constant rate, each with a mark.
 *
 * Gaps are exponential, and a mark is a uniform number, which says whom the arrival is about. A process has a timer in
 * the lane (sim/lane.h) and a stream of random numbers (gap, mark, gap, mark, ...). Arrivals are drawn many at a time,
 * which costs less than one by one; who watches the draws, or may want what is to come drawn anew, sets `ahead_max` to
 * 1.
 *
 * Units: times in ns; the fraction of a nanosecond that rounding leaves is carried over, so that rates do not drift.
 * Ownership: a value; nothing allocates.
 * Errors: none; an arrival past the end is never.
 */
#ifndef SIM_POISSON_H
#define SIM_POISSON_H

#include "sim/lane.h"
#include "sim/rng.h"

#define SIM_POISSON_AHEAD_MAX 32U

struct sim_arrival {
    sim_time at;
    double mark; /* 0 < mark < 1 */
    uint64_t number;
};

struct sim_poisson {
    struct sim_lane *lane;
    uint32_t slot; /* registered by the caller; its handler takes the arrival */
    struct sim_stream stream;
    double mean_gap_ns;
    sim_time end;       /* arrivals after it are never */
    unsigned ahead_max; /* 1 to SIM_POISSON_AHEAD_MAX */
    uint64_t number;    /* of the next arrival; set it at first to count from there */

    unsigned next, count; /* of those drawn ahead */
    double carry_ns;      /* in [0, 1): the part of the last arrival's time below a nanosecond */
    sim_time at[SIM_POISSON_AHEAD_MAX];
    double mark[SIM_POISSON_AHEAD_MAX];
};

/* Draws the arrivals after `now` and sets the timer, when all above is set and the rest is 0. */
void sim_poisson_start(struct sim_poisson *poisson, sim_time now);

/* For the handler: the arrival that is due. The next one has the timer from then on. */
struct sim_arrival sim_poisson_take(struct sim_poisson *poisson);

/* What comes after `now` is drawn anew, from another branch of the stream (sim_stream_branch): until then the time is
 * exponential again. */
void sim_poisson_branch(struct sim_poisson *poisson, sim_time now, uint64_t branch);

#endif
