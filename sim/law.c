#include "sim/law.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <string.h>

#include "sim/assert.h"

/* The smallest and largest scale a law may have, in seconds: a tenth of a nanosecond and thirty million years. */
#define SCALE_MIN_S 1e-10
#define SCALE_MAX_S 1e15

static const struct sim_law_type types[SIM_LAW_COUNT] = {
    [SIM_LAW_CONSTANT] = {"constant", 1, {"value"}},
    [SIM_LAW_EXPONENTIAL] = {"exponential", 1, {"mean"}},
    [SIM_LAW_WEIBULL] = {"weibull", 2, {"scale", "shape"}},
    [SIM_LAW_LOGNORMAL] = {"lognormal", 2, {"median", "sigma"}},
    [SIM_LAW_GAMMA] = {"gamma", 2, {"scale", "shape"}},
    [SIM_LAW_EXP_WEIBULL] = {"exp_weibull", 3, {"scale", "shape", "power"}},
    [SIM_LAW_EMPIRICAL] = {"empirical", 0, {NULL}},
};

const struct sim_law_type *sim_law_type(enum sim_law_kind kind)
{
    SIM_ASSERT(NULL, kind < SIM_LAW_COUNT);
    return &types[kind];
}

bool sim_law_find(const char *name, enum sim_law_kind *ret_kind)
{
    for (int kind = 0; kind < SIM_LAW_COUNT; kind++)
        if (strcmp(types[kind].name, name) == 0) {
            *ret_kind = (enum sim_law_kind)kind;
            return true;
        }
    return false;
}

static bool is_within(double value, double low, double high)
{
    return value >= low && value <= high; /* false for NaN */
}

static bool is_scale_valid(enum sim_law_kind kind, double scale)
{
    if (kind == SIM_LAW_CONSTANT && scale == 0)
        return true;
    return is_within(scale, SCALE_MIN_S, SCALE_MAX_S);
}

static bool is_shape_valid(enum sim_law_kind kind, size_t i, double value)
{
    if (kind == SIM_LAW_LOGNORMAL)
        return is_within(value, 0, 10);
    return i == 1 ? is_within(value, 0.05, 100) : is_within(value, 0.01, 1000);
}

int sim_law_make(enum sim_law_kind kind, const double parameter[], struct sim_law *ret)
{
    struct sim_law law = {.kind = kind};
    SIM_ASSERT(NULL, kind != SIM_LAW_EMPIRICAL);
    for (size_t i = 0; i < types[kind].parameters; i++) {
        bool valid = i == 0 ? is_scale_valid(kind, parameter[i]) : is_shape_valid(kind, i, parameter[i]);
        if (!valid)
            return (int)i;
        law.parameter[i] = parameter[i];
    }
    *ret = law;
    return -1;
}

struct sim_law sim_law_of_sample(const struct sim_law_sample *sample)
{
    SIM_ASSERT(NULL, sample && sample->count > 0);
    return (struct sim_law){.kind = SIM_LAW_EMPIRICAL, .sample = sample};
}

struct sim_law sim_law_with_mean(struct sim_law law, double mean_s)
{
    SIM_ASSERT(NULL, law.kind != SIM_LAW_EMPIRICAL);
    law.parameter[0] = 1;
    law.parameter[0] = mean_s / sim_law_mean(&law);
    return law;
}

/* Cumulative hazard of a half: below it inverses go by the share that has failed, above by the share that is left. Each
 * is the smaller of the two there, and keeps all its bits. */
#define HAZARD_OF_HALF 0.6931471805599453

static double share_failed(double h)
{
    return -expm1(-h);
}

/* constant */

static double constant_quantile(const double p[], double u)
{
    (void)u;
    return p[0];
}

static double constant_at_hazard(const double p[], double h)
{
    (void)h;
    return p[0];
}

static double constant_cdf(const double p[], double x)
{
    return x >= p[0] ? 1 : 0;
}

static double constant_mean(const double p[])
{
    return p[0];
}

/* exponential */

static double exponential_quantile(const double p[], double u)
{
    return sim_law_exponential(p[0], u);
}

static double exponential_at_hazard(const double p[], double h)
{
    return p[0] * h;
}

static double exponential_cdf(const double p[], double x)
{
    return gsl_cdf_exponential_P(x, p[0]);
}

/* Weibull */

static double weibull_quantile(const double p[], double u)
{
    return gsl_cdf_weibull_Pinv(u, p[0], p[1]);
}

/* Of shape 1 it is exponential. */
static double weibull_at_hazard(const double p[], double h)
{
    return p[0] * (p[1] == 1 ? h : pow(h, 1 / p[1]));
}

static double weibull_cdf(const double p[], double x)
{
    return gsl_cdf_weibull_P(x, p[0], p[1]);
}

static double weibull_mean(const double p[])
{
    return p[0] * gsl_sf_gamma(1 + 1 / p[1]);
}

/* lognormal: sigma 0 is a constant */

static double lognormal_quantile(const double p[], double u)
{
    return p[1] > 0 ? gsl_cdf_lognormal_Pinv(u, log(p[0]), p[1]) : p[0];
}

static double lognormal_at_hazard(const double p[], double h)
{
    double z = h < HAZARD_OF_HALF ? gsl_cdf_ugaussian_Pinv(share_failed(h)) : gsl_cdf_ugaussian_Qinv(exp(-h));
    return p[1] > 0 ? p[0] * exp(p[1] * z) : p[0];
}

static double lognormal_cdf(const double p[], double x)
{
    return p[1] > 0 ? gsl_cdf_lognormal_P(x, log(p[0]), p[1]) : constant_cdf(p, x);
}

static double lognormal_mean(const double p[])
{
    return p[0] * exp(p[1] * p[1] / 2);
}

/* gamma */

/* Small delays by the first two terms of the series, for which GSL may have no answer: F = y^shape / Gamma(shape + 1)
 * (1 - y shape / (shape + 1)) with y = x / scale. */
#define GAMMA_SMALL 1e-6

static double gamma_quantile(const double p[], double u)
{
    double y = exp((log(u) + gsl_sf_lngamma(p[1] + 1)) / p[1]);
    return y < GAMMA_SMALL ? p[0] * y * (1 + y / (p[1] + 1)) : gsl_cdf_gamma_Pinv(u, p[1], p[0]);
}

/* Far out GSL is off by percents: Newton's method on the hazard, there nearly a straight line. */
#define GAMMA_FAR 40
#define GAMMA_ROUNDS 10

static double gamma_at_hazard(const double p[], double h)
{
    if (h < HAZARD_OF_HALF)
        return h > 0 ? gamma_quantile(p, share_failed(h)) : 0;
    double x = gsl_cdf_gamma_Qinv(exp(-h), p[1], 1);
    for (int i = 0; h > GAMMA_FAR && i < GAMMA_ROUNDS; i++) {
        double left = gsl_cdf_gamma_Q(x, p[1], 1);
        x += (h + log(left)) * left / gsl_ran_gamma_pdf(x, p[1], 1);
    }
    return p[0] * x;
}

static double gamma_cdf(const double p[], double x)
{
    return gsl_cdf_gamma_P(x, p[1], p[0]);
}

static double gamma_mean(const double p[])
{
    return p[0] * p[1];
}

/* exponentiated Weibull: y = -log(1 - u^(1/power)), by whichever form does not lose 1 - u^(1/power) to rounding */

static double exp_weibull_of_log(const double p[], double log_u)
{
    double log_base = log_u / p[2];
    double y = log_base < -0.7 ? -log1p(-exp(log_base)) : -log(-expm1(log_base));
    return weibull_at_hazard(p, y);
}

static double exp_weibull_quantile(const double p[], double u)
{
    return p[2] == 1 ? weibull_at_hazard(p, -log1p(-u)) : exp_weibull_of_log(p, log(u));
}

static double exp_weibull_at_hazard(const double p[], double h)
{
    if (p[2] == 1)
        return weibull_at_hazard(p, h);
    return exp_weibull_of_log(p, h < HAZARD_OF_HALF ? log(share_failed(h)) : log1p(-exp(-h)));
}

static double exp_weibull_cdf(const double p[], double x)
{
    double y = x > 0 ? pow(x / p[0], p[1]) : 0;
    return y > 0.7 ? exp(p[2] * log1p(-exp(-y))) : pow(-expm1(-y), p[2]);
}

/* With Y = (X/scale)^shape, Y has density power (1-e^-y)^(power-1) e^-y and X = scale Y^(1/shape). */
static double exp_weibull_moment(double y, void *parameter)
{
    const double *p = parameter;
    if (y <= 0)
        return 0;
    return exp(log(y) / p[1] + log(p[2]) + (p[2] - 1) * log(-expm1(-y)) - y);
}

static double exp_weibull_mean(const double p[])
{
    if (p[2] == 1)
        return weibull_mean(p);
    double copy[SIM_LAW_PARAMETERS_MAX] = {p[0], p[1], p[2]};
    gsl_function moment = {.function = exp_weibull_moment, .params = copy};
    gsl_integration_workspace *workspace = gsl_integration_workspace_alloc(2000);
    sim_require(workspace);
    double middle = 1 / p[1] + log1p(p[2]), low = 0, high = 0, error;
    (void)gsl_integration_qags(&moment, 0, middle, 0, 1e-9, 2000, workspace, &low, &error);
    (void)gsl_integration_qagiu(&moment, middle, 0, 1e-9, 2000, workspace, &high, &error);
    gsl_integration_workspace_free(workspace);
    return p[0] * (low + high);
}

/* empirical */

static double empirical_quantile(const struct sim_law_sample *sample, double u)
{
    double place = u * sample->count - 0.5;
    if (place <= 0)
        return sample->value_s[0];
    if (place >= sample->count - 1)
        return sample->value_s[sample->count - 1];
    const double *below = &sample->value_s[(int)place];
    return below[0] + (place - floor(place)) * (below[1] - below[0]);
}

static double empirical_cdf(const struct sim_law_sample *sample, double x)
{
    int low = 0, high = sample->count; /* value_s[low - 1] <= x < value_s[high] */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sample->value_s[middle] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || low == sample->count)
        return low == 0 ? 0 : 1;
    const double *below = &sample->value_s[low - 1];
    return (low - 0.5 + (x - below[0]) / (below[1] - below[0])) / sample->count;
}

static double empirical_mean(const struct sim_law_sample *sample)
{
    double sum = 0;
    for (int i = 0; i < sample->count; i++)
        sum += sample->value_s[i];
    return sum / sample->count;
}

static const struct law_functions {
    double (*quantile)(const double p[], double u);
    double (*at_hazard)(const double p[], double h);
    double (*cdf)(const double p[], double x);
    double (*mean)(const double p[]);
} functions[SIM_LAW_COUNT] = {
    [SIM_LAW_CONSTANT] = {constant_quantile, constant_at_hazard, constant_cdf, constant_mean},
    [SIM_LAW_EXPONENTIAL] = {exponential_quantile, exponential_at_hazard, exponential_cdf, constant_mean},
    [SIM_LAW_WEIBULL] = {weibull_quantile, weibull_at_hazard, weibull_cdf, weibull_mean},
    [SIM_LAW_LOGNORMAL] = {lognormal_quantile, lognormal_at_hazard, lognormal_cdf, lognormal_mean},
    [SIM_LAW_GAMMA] = {gamma_quantile, gamma_at_hazard, gamma_cdf, gamma_mean},
    [SIM_LAW_EXP_WEIBULL] = {exp_weibull_quantile, exp_weibull_at_hazard, exp_weibull_cdf, exp_weibull_mean},
};

double sim_law_quantile(const struct sim_law *law, double u)
{
    SIM_ASSERT(NULL, law->kind < SIM_LAW_COUNT && u > 0 && u < 1);
    if (law->kind == SIM_LAW_EMPIRICAL)
        return empirical_quantile(law->sample, u);
    return functions[law->kind].quantile(law->parameter, u);
}

double sim_law_at_hazard(const struct sim_law *law, double hazard)
{
    SIM_ASSERT(NULL, law->kind < SIM_LAW_COUNT && hazard >= 0 && hazard <= SIM_LAW_HAZARD_MAX);
    if (law->kind == SIM_LAW_EMPIRICAL)
        return empirical_quantile(law->sample, share_failed(hazard));
    return functions[law->kind].at_hazard(law->parameter, hazard);
}

double sim_law_cdf(const struct sim_law *law, double x_s)
{
    SIM_ASSERT(NULL, law->kind < SIM_LAW_COUNT);
    if (law->kind == SIM_LAW_EMPIRICAL)
        return empirical_cdf(law->sample, x_s);
    return x_s < 0 ? 0 : functions[law->kind].cdf(law->parameter, x_s);
}

double sim_law_mean(const struct sim_law *law)
{
    SIM_ASSERT(NULL, law->kind < SIM_LAW_COUNT);
    if (law->kind == SIM_LAW_EMPIRICAL)
        return empirical_mean(law->sample);
    return functions[law->kind].mean(law->parameter);
}
