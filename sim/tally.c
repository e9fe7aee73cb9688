#include "sim/tally.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "sim/assert.h"

void sim_tally_init(struct sim_tally *tally)
{
    tally->statistics = gsl_rstat_alloc();
    sim_require(tally->statistics);
}

void sim_tally_fini(struct sim_tally *tally)
{
    gsl_rstat_free(tally->statistics);
    tally->statistics = NULL;
}

void sim_tally_add(struct sim_tally *tally, double value)
{
    (void)gsl_rstat_add(value, tally->statistics);
}

size_t sim_tally_count(const struct sim_tally *tally)
{
    return gsl_rstat_n(tally->statistics);
}

double sim_tally_mean(const struct sim_tally *tally)
{
    return sim_tally_count(tally) > 0 ? gsl_rstat_mean(tally->statistics) : (double)NAN;
}

double sim_tally_sd(const struct sim_tally *tally)
{
    return sim_tally_count(tally) > 1 ? gsl_rstat_sd(tally->statistics) : (double)NAN;
}

double sim_tally_half_width(const struct sim_tally *tally, double confidence)
{
    size_t n = sim_tally_count(tally);
    if (n < 2)
        return (double)NAN;
    double quantile = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, (double)(n - 1));
    return quantile * sim_tally_sd(tally) / sqrt((double)n);
}
