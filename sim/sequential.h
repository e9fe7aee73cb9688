/* sim/sequential.h -- how many observations until the interval of their mean is narrow enough.
 *
 * Whoever stops adding observations as soon as an interval looks narrow stops too often where the spread happens to
 * look small, and the interval then covers the mean too rarely. The rule here looks seldom and widens the interval:
 * the first look is after 10 observations; the half-width is that of Student's t times sqrt(1 + 2/n); when it is above
 * what is wanted, the next look is after as many observations as the spread seen so far asks for, at most twice as many
 * as there are (sampling in stages, after Chow and Robbins 1965 and Hall 1981). The 2 is measured, not derived:
 * tests/bench/README.md has the coverage.
 *
 * For a fixed number of observations use sim/tally.h.
 *
 * Units: those of the observations.
 * Ownership: nothing is kept.
 * Errors: misuse (a half-width that is not above 0) is a bug and stops the run.
 */
#ifndef SIM_SEQUENTIAL_H
#define SIM_SEQUENTIAL_H

#include <stddef.h>

#define SIM_SEQUENTIAL_FIRST 10 /* observations before the first look */

/* Half-width of the widened interval at `confidence` (0.95) after n observations with this standard deviation; NAN
 * below two. */
double sim_sequential_half_width(size_t n, double sd, double confidence);

/* Observations after which to look next; n itself when the interval is as narrow as `wanted`. */
size_t sim_sequential_next(size_t n, double sd, double confidence, double wanted);

#endif
