/* tests/distance.h -- the Kolmogorov-Smirnov distance of a sample to a law.
 *
 * Units: those of the sample and the law, seconds.
 * Ownership: sorts the sample where it is.
 * Errors: none.
 */
#ifndef TESTS_DISTANCE_H
#define TESTS_DISTANCE_H

#include <math.h>
#include <stdlib.h>

#include "sim/law.h"

static inline int distance_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Times sqrt(n): above 1.95 with probability 0.001. */
static inline double distance_to(double sample[], int n, const struct sim_law *law)
{
    double worst = 0;
    qsort(sample, (size_t)n, sizeof *sample, distance_compare);
    for (int i = 0; i < n; i++) {
        double p = sim_law_cdf(law, sample[i]);
        worst = fmax(worst, fmax((i + 1.0) / n - p, p - (double)i / n));
    }
    return worst * sqrt(n);
}

#endif
