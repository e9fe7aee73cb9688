#include "tools/faultline/rare.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#define ERROR 0.05

/* What the replicas that count sum to. */
struct sums {
    double outages;
    double watched_s;
    double down_s;  /* no learner stepped */
    double pause_s; /* of learners, one by one */
    double pauses;
};

static struct sums sums_of(const struct record records[], size_t count)
{
    struct sums sums = {0};
    for (size_t i = 0; i < count; i++) {
        const struct record *record = &records[i];
        if (!record_counts(record))
            continue;
        sums.outages += record->metric[RUN_METRIC_outages];
        sums.watched_s += record->duration_s;
        sums.down_s += (1 - record->metric[RUN_METRIC_uptime]) * record->duration_s;
        sums.pause_s += record->pause_s;
        sums.pauses += record->metric[RUN_METRIC_interruptions];
    }
    return sums;
}

/* The mean of a Poisson count that has seen `n` or fewer (more) with this chance. */
static double upper_mean(double n, double chance)
{
    return gsl_cdf_chisq_Qinv(chance, 2 * (n + 1)) / 2;
}

static double lower_mean(double n, double chance)
{
    return n > 0 ? gsl_cdf_chisq_Pinv(chance, 2 * n) / 2 : 0;
}

struct rare rare_of(const struct record records[], size_t count)
{
    const struct sums sums = sums_of(records, count);
    double chance = sums.outages > 0 ? ERROR / 2 : ERROR, most = upper_mean(sums.outages, chance);
    double length_s = sums.outages > 0  ? sums.down_s / sums.outages
                      : sums.pauses > 0 ? sums.pause_s / sums.pauses
                                        : NAN;
    return (struct rare){
        .outages = sums.outages,
        .watched_s = sums.watched_s,
        .gap_low_s = sums.watched_s / most,
        .gap_high_s = sums.watched_s / lower_mean(sums.outages, chance),
        .length_s = length_s,
        .downtime = most * length_s / sums.watched_s,
    };
}
