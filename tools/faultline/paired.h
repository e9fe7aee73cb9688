/* tools/faultline/paired.h -- two scenarios under the same chaos, compared replica by replica.
 *
 * Replica i of both meets the same failures, so most of the noise is in both and is gone from their difference. What
 * that is worth is a ratio of variances: to know the difference as well from replicas that have nothing in common, each
 * side would need (var A + var B) / var(B - A) times as many.
 *
 * Units: of the metric.
 * Ownership: nothing is kept.
 * Errors: none; what too few replicas do not tell is NAN.
 */
#ifndef TOOLS_FAULTLINE_PAIRED_H
#define TOOLS_FAULTLINE_PAIRED_H

#include "tools/faultline/metric.h"

struct paired {
    size_t n; /* replicas that count on both sides */
    double a, b;
    struct summary_sample difference; /* B - A */
    double times_fewer;               /* NAN when the difference does not vary */
};

/* Compares a metric over the first `count` replicas of both. */
struct paired paired_of(const struct record a[], const struct record b[], size_t count, enum run_metric metric);

/* The same with the mean of the two surpluses of failures as control (tools/faultline/control.h); rates of A and B. */
struct paired paired_controlled(const struct record a[], const struct record b[], const double rate[2], size_t count,
                                enum run_metric metric);

#endif
