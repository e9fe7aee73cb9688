#include "tools/faultline/control.h"

#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>

#include "sim/assert.h"

static const char *objection_to(const struct config_source *source)
{
    if (source->kind == CONFIG_SOURCE_DOMAIN || source->kind == CONFIG_SOURCE_LOG ||
        source->kind == CONFIG_SOURCE_SILENT)
        return "not all failures are of single chips at a constant rate";
    if (source->kind != CONFIG_SOURCE_CHIP)
        return NULL;
    if (source->timing == CONFIG_BY_LIFE)
        return "chips age, so the rate of failures is not constant";
    if (source->lemon_share > 0)
        return "lemons fail more often than other chips";
    return source->learner_count > 0 || source->only_class[0] != '\0' ? "a source is about some of the chips only"
                                                                      : NULL;
}

const char *control_objection(const struct config *config)
{
    for (int i = 0; i < config->source_count; i++)
        if (objection_to(&config->source[i]) != NULL)
            return objection_to(&config->source[i]);
    if (config->stage_count > 0 || config->misdiagnosis > 0)
        return "slices that were not mended fail again";
    return control_rate(config) > 0 ? NULL : "no chips fail";
}

double control_rate(const struct config *config)
{
    double rate = 0;
    for (int i = 0; i < config->source_count; i++)
        if (config->source[i].kind == CONFIG_SOURCE_CHIP && config->source[i].timing != CONFIG_BY_LIFE)
            rate += (double)config->chips / config->source[i].mtbi_s;
    return rate;
}

double control_surplus(double rate, const struct record *record)
{
    return record->metric[RUN_METRIC_failures] - rate * record->metric[RUN_METRIC_operating] * record->duration_s;
}

/* Standard error of the line at 0, a weighted sum of y, from what each observation is off the line of the others (HC3:
 * MacKinnon and White, Journal of Econometrics 29, 1985): replicas with many failures vary more than those with few. */
static double error_at_0(const double x[], const double y[], size_t n, double at_0, double slope)
{
    struct summary_sample of = summary_of(x, n);
    double observations = (double)n, squares = of.sd * of.sd * (observations - 1), variance = 0;
    for (size_t i = 0; i < n; i++) {
        double away = x[i] - of.mean, leverage = 1 / observations + away * away / squares;
        double weight = 1 / observations - of.mean * away / squares;
        double off = (y[i] - at_0 - slope * x[i]) / fmax(1 - leverage, 1e-9);
        variance += weight * weight * off * off;
    }
    return sqrt(variance);
}

struct summary_sample control_of(const double surplus[], const double y[], size_t n)
{
    struct summary_sample sample = summary_of(y, n);
    double at_0 = 0, slope = 0, variance = 0, covariance = 0, slope_variance = 0, squares = 0;
    if (n < CONTROL_REPLICAS_MIN || !(sample.sd > 0) || !(summary_of(surplus, n).sd > 0))
        return sample;
    (void)gsl_fit_linear(surplus, 1, y, 1, n, &at_0, &slope, &variance, &covariance, &slope_variance, &squares);
    double observations = (double)n;
    sample.mean = at_0;
    sample.ci95 = summary_t95(observations - 2) * error_at_0(surplus, y, n, at_0, slope);
    sample.sd = sample.ci95 * sqrt(observations) / summary_t95(observations - 1);
    return sample;
}

struct summary_sample control_sample(double rate, const struct record records[], size_t count, enum run_metric metric)
{
    struct summary_sample plain = metric_sample(records, count, metric);
    double *surplus = sim_allocate(2 * count, sizeof *surplus), *y = surplus + count;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (!record_counts(&records[i]))
            continue;
        surplus[n] = control_surplus(rate, &records[i]);
        y[n++] = records[i].metric[metric];
    }
    struct summary_sample controlled = control_of(surplus, y, n);
    free(surplus);
    return plain.sd > 0 ? controlled : plain; /* which may be a bound */
}
