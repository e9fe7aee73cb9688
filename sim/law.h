/* sim/law.h -- probability laws of non-negative delays, sampled by inversion.
 *
 * A law turns one uniform number into one delay, so that a delay can be addressed by the number of its event and two
 * scenarios that differ in one parameter meet the same chaos. A law is a plain value: copy it freely.
 *
 * Units: scale parameters, quantiles and means in seconds; shapes and powers are pure numbers.
 * Ownership: values; nothing allocates. A sample is shared by the laws that point to it and must outlive them.
 * Errors: sim_law_make refuses parameters outside their range and says which.
 *
 * Laws (x >= 0), with their parameters in the order of `parameter`:
 *   constant     value                 always `value`
 *   exponential  mean                  F = 1 - exp(-x/mean)
 *   weibull      scale, shape          F = 1 - exp(-(x/scale)^shape)
 *   lognormal    median, sigma         log x is normal(log median, sigma)
 *   gamma        scale, shape          density x^(shape-1) exp(-x/scale), mean scale * shape
 *   exp_weibull  scale, shape, power   F = (1 - exp(-(x/scale)^shape))^power   (Mudholkar and Srivastava 1993)
 *   empirical    none, but a sample    x(u) is linear between (u, x) = ((i - 1/2) / n, x_i) for the i-th smallest of n
 *                                      values, and constant beyond the first and the last (Hazen 1914): its mean is
 *                                      that of the sample, and nothing is shorter or longer than what was seen
 */
#ifndef SIM_LAW_H
#define SIM_LAW_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define SIM_LAW_PARAMETERS_MAX 3

enum sim_law_kind {
    SIM_LAW_CONSTANT,
    SIM_LAW_EXPONENTIAL,
    SIM_LAW_WEIBULL,
    SIM_LAW_LOGNORMAL,
    SIM_LAW_GAMMA,
    SIM_LAW_EXP_WEIBULL,
    SIM_LAW_EMPIRICAL,
    SIM_LAW_COUNT
};

/* Delays that were seen: at least one, ascending. */
struct sim_law_sample {
    int count;
    double value_s[];
};

struct sim_law {
    enum sim_law_kind kind;
    double parameter[SIM_LAW_PARAMETERS_MAX]; /* parameter[0] is the scale, in seconds */
    const struct sim_law_sample *sample;      /* of an empirical law; else NULL */
};

/* What a law is called and takes; `parameter_name` has `parameters` entries, the scale first. */
struct sim_law_type {
    const char *name;
    size_t parameters; /* 0 for empirical */
    const char *parameter_name[SIM_LAW_PARAMETERS_MAX];
};

/* The description of `kind`; valid for the life of the program. */
const struct sim_law_type *sim_law_type(enum sim_law_kind kind);

/* Finds a law by name; false when there is none. */
bool sim_law_find(const char *name, enum sim_law_kind *ret_kind);

/* A law from its parameters in the order above; not for empirical. On failure *ret is untouched and the index of the
 * parameter that is out of range is returned; -1 is success. Scales must be in [1e-10, 1e15] s (constant: 0 is
 * allowed), shapes in [0.05, 100], sigma in [0, 10], power in [0.01, 1000]. */
int sim_law_make(enum sim_law_kind kind, const double parameter[], struct sim_law *ret);

/* The law of a sample, which must outlive it. */
struct sim_law sim_law_of_sample(const struct sim_law_sample *sample);

/* The same law stretched so that its mean is `mean_s` (same units, above 0); not for empirical. */
struct sim_law sim_law_with_mean(struct sim_law law, double mean_s);

/* Delay with P(delay <= x) = u, for 0 < u < 1. */
double sim_law_quantile(const struct sim_law *law, double u);

/* The quantile of the exponential law. On the grid of sim/rng.h 1 - u is exact, and log costs less than log1p and errs
 * less. */
static inline double sim_law_exponential(double mean, double u)
{
    return -mean * log(1 - u);
}

/* Delay x at which the cumulative hazard -log P(delay > x) reaches `hazard`, from 0 to SIM_LAW_HAZARD_MAX: the quantile
 * of 1 - exp(-hazard), exact also where that rounds to 1. Hazards of independent units add up: the first of k units of
 * one age fails when the hazard has grown by an exponential draw divided by k. */
double sim_law_at_hazard(const struct sim_law *law, double hazard);
#define SIM_LAW_HAZARD_MAX 700.0

/* P(delay <= x_s). */
double sim_law_cdf(const struct sim_law *law, double x_s);

/* Expected delay in seconds: closed forms; for exp_weibull by adaptive quadrature of the quantile, relative error below
 * 1e-7. */
double sim_law_mean(const struct sim_law *law);

#endif
