/* tools/faultline/independent.h -- how much of the time nobody steps if learners stand still independently.
 *
 * When nothing ties the learners together, the chance that all of them stand still is the product of the chances of
 * each, and that fewer than K step the tail of a sum of unequal coins (Poisson binomial). Each learner is seen standing
 * still often, so this is known far more sharply than what can be seen of all at once. It assumes that learners are
 * independent and as likely to stand still at all times: independent_objection says why not. Use it as a check beside
 * tools/faultline/splitting.h, which assumes nothing.
 *
 * Units: shares of the time.
 * Ownership: nothing is kept.
 * Errors: none; NAN is what cannot be said.
 */
#ifndef TOOLS_FAULTLINE_INDEPENDENT_H
#define TOOLS_FAULTLINE_INDEPENDENT_H

#include "tools/faultline/record.h"

/* A share and its 95 % interval. */
struct independent {
    double share;
    double low, high;
};

/* Why learners of this scenario are not independent, or not alike at all times; NULL: nothing speaks against it. */
const char *independent_objection(const struct config *config, const struct record records[], size_t count);

/* The share of the time in which fewer than `quorum` learners step. Records must have their learners. The interval is
 * that of Student on the logarithm, from leaving out each replica in turn (jackknife). */
struct independent independent_of(const struct config *config, int64_t quorum, const struct record records[],
                                  size_t count);

/* The same interval for the mean of a sample that is above 0 and skewed: Student on the logarithm. */
struct independent independent_interval(double mean, double relative_error, double degrees);

#endif
