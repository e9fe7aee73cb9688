/* tools/faultline/rare.h -- what can be said of outages that were seldom or never seen.
 *
 * An outage is a time in which no learner steps. Nobody who has seen none knows that there are none: when they come at
 * random, at a constant rate, a count of n in a watched time t bounds their rate by quantiles of chi square over 2 t
 * (F. Garwood, Biometrika 28, 1936), which for n = 0 is -ln(0.05) / t at most, with 95 % confidence. How long one lasts
 * is not known then, either; we take the mean pause of one learner, because an outage ends when the first of the
 * learners goes on.
 *
 * Units: s; shares are fractions.
 * Ownership: nothing is kept.
 * Errors: none; NAN is what cannot be said.
 */
#ifndef TOOLS_FAULTLINE_RARE_H
#define TOOLS_FAULTLINE_RARE_H

#include "tools/faultline/record.h"

struct rare {
    double outages;    /* in all replicas that count */
    double watched_s;  /* simulated time of these */
    double gap_low_s;  /* mean time between outages: 95 % interval; with none seen a one-sided bound, and ... */
    double gap_high_s; /* ... infinity */
    double length_s;   /* of an outage, mean; of a pause of a learner when none was seen */
    double downtime;   /* share of the time: at most, with 95 % confidence and outages of that length */
};

struct rare rare_of(const struct record records[], size_t count);

#endif
