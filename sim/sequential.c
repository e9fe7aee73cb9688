#include "sim/sequential.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "sim/assert.h"

#define WIDENING 2.0

double sim_sequential_half_width(size_t n, double sd, double confidence)
{
    if (n < 2)
        return (double)NAN;
    double observations = (double)n;
    double quantile = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, observations - 1);
    return quantile * sd * sqrt((1 + WIDENING / observations) / observations);
}

size_t sim_sequential_next(size_t n, double sd, double confidence, double wanted)
{
    SIM_ASSERT(NULL, wanted > 0);
    if (n < SIM_SEQUENTIAL_FIRST)
        return SIM_SEQUENTIAL_FIRST;
    double ratio = sim_sequential_half_width(n, sd, confidence) / wanted;
    if (ratio <= 1)
        return n;
    return ratio * ratio >= 2 ? 2 * n : (size_t)ceil((double)n * ratio * ratio);
}
