/* tools/faultline/people.h -- numbers as tables for people show them.
 *
 * Fractions are percent, large counts have a suffix. A share that is neither nothing nor all does not look like it.
 *
 * Units: of the number; fractions 0 to 1.
 * Ownership: the caller owns the buffers.
 * Errors: none; NAN is "-".
 */
#ifndef TOOLS_FAULTLINE_PEOPLE_H
#define TOOLS_FAULTLINE_PEOPLE_H

#include "models/run.h"
#include "tools/faultline/summary.h"

#define PEOPLE_TEXT_MAX 48

/* A mean and the half-width of its interval, with as many decimals as the mean needs. A share of 1 that has an interval
 * is a bound: more than 1 - ci95. */
void people_sample(const struct summary_sample *sample, bool is_fraction, char ret_mean[static PEOPLE_TEXT_MAX],
                   char ret_half_width[static PEOPLE_TEXT_MAX]);

/* A length of time to three digits, in the largest unit of which it is at least one. */
void people_span(double seconds, char ret[static PEOPLE_TEXT_MAX]);

/* An amount of a metric, which may be negative. */
void people_amount(enum run_metric metric, double amount, char ret[static PEOPLE_TEXT_MAX]);

#endif
