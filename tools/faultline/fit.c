/* fit.c -- maximum likelihood. */
#include "tools/faultline/fit.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multimin.h>
#include <gsl/gsl_sf_erf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>

#include "sim/assert.h"

#define ITERATIONS_MAX 3000
#define SIMPLEX_SIZE 1e-9   /* of the logarithms of the parameters, where the search ends */
#define CURVATURE_STEP 1e-3 /* of the same, for differences */

const enum sim_law_kind fit_kinds[] = {SIM_LAW_EXPONENTIAL, SIM_LAW_WEIBULL, SIM_LAW_LOGNORMAL, SIM_LAW_GAMMA,
                                       SIM_LAW_EXP_WEIBULL};
const size_t fit_kind_count = sizeof fit_kinds / sizeof fit_kinds[0];

/* --- log densities, and log probabilities to last longer, with the parameters as in sim/law.h --- */

static double exponential(const double p[], double x, bool is_censored)
{
    return -x / p[0] - (is_censored ? 0 : log(p[0]));
}

static double weibull(const double p[], double x, bool is_censored)
{
    double log_ratio = log(x / p[0]), hazard = exp(p[1] * log_ratio);
    return is_censored ? -hazard : log(p[1] / p[0]) + (p[1] - 1) * log_ratio - hazard;
}

static double lognormal(const double p[], double x, bool is_censored)
{
    double z = log(x / p[0]) / p[1];
    return is_censored ? gsl_sf_log_erfc(z / M_SQRT2) - M_LN2 : -log(x * p[1] * sqrt(2 * M_PI)) - z * z / 2;
}

static double gamma_law(const double p[], double x, bool is_censored)
{
    if (is_censored)
        return log(gsl_cdf_gamma_Q(x, p[1], p[0]));
    return (p[1] - 1) * log(x / p[0]) - x / p[0] - log(p[0]) - gsl_sf_lngamma(p[1]);
}

static double exp_weibull(const double p[], double x, bool is_censored)
{
    double log_ratio = log(x / p[0]), y = exp(p[1] * log_ratio);
    double log_base = y > 0.7 ? log1p(-exp(-y)) : log(-expm1(-y));
    if (is_censored)
        return log(-expm1(p[2] * log_base));
    return log(p[2] * p[1] / p[0]) + (p[1] - 1) * log_ratio - y + (p[2] - 1) * log_base;
}

typedef double log_probability(const double p[], double x, bool is_censored);

static log_probability *const probability_of[SIM_LAW_COUNT] = {
    [SIM_LAW_EXPONENTIAL] = exponential, [SIM_LAW_WEIBULL] = weibull,         [SIM_LAW_LOGNORMAL] = lognormal,
    [SIM_LAW_GAMMA] = gamma_law,         [SIM_LAW_EXP_WEIBULL] = exp_weibull,
};

double fit_log_likelihood(const struct fit_sample *sample, const struct sim_law *law)
{
    double sum = 0;
    for (size_t i = 0; i < sample->count; i++)
        sum += probability_of[law->kind](law->parameter, sample->delay[i].seconds, sample->delay[i].is_censored);
    return sum;
}

/* --- the search --- */

struct search {
    const struct fit_sample *sample;
    enum sim_law_kind kind;
    size_t parameters;
};

static struct sim_law law_at(const struct search *search, const gsl_vector *log_parameter)
{
    struct sim_law law = {.kind = search->kind};
    for (size_t i = 0; i < search->parameters; i++)
        law.parameter[i] = exp(gsl_vector_get(log_parameter, i));
    return law;
}

/* What is minimised; far out it has no value that a number can hold. */
static double cost(const gsl_vector *log_parameter, void *context)
{
    const struct search *search = context;
    struct sim_law law = law_at(search, log_parameter);
    double value = -fit_log_likelihood(search->sample, &law);
    return isfinite(value) ? value : 1e300;
}

/* Moments of the logarithms say where to begin: of a Weibull law they have the deviation pi / (shape sqrt(6)). */
static void begin(const struct search *search, gsl_vector *ret)
{
    double sum = 0, squares = 0, n = (double)search->sample->count;
    for (size_t i = 0; i < search->sample->count; i++) {
        double x = log(search->sample->delay[i].seconds);
        sum += x;
        squares += x * x;
    }
    double mean = sum / n, deviation = sqrt(fmax(squares / n - mean * mean, 1e-12));
    gsl_vector_set_zero(ret);
    gsl_vector_set(ret, 0, mean);
    if (search->kind == SIM_LAW_LOGNORMAL)
        gsl_vector_set(ret, 1, log(deviation));
    else if (search->parameters > 1)
        gsl_vector_set(ret, 1, log(M_PI / (deviation * sqrt(6))));
}

/* Lets a simplex around `at` shrink to a minimum, twice: one that has collapsed on the way begins again. */
static void minimise(const struct search *search, gsl_vector *at)
{
    gsl_multimin_function function = {.f = cost, .n = search->parameters, .params = (void *)search};
    gsl_multimin_fminimizer *simplex =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, search->parameters);
    gsl_vector *step = gsl_vector_alloc(search->parameters);
    sim_require(simplex);
    sim_require(step);
    for (int round = 0; round < 2; round++) {
        gsl_vector_set_all(step, round == 0 ? 0.5 : 0.05);
        gsl_multimin_fminimizer_set(simplex, &function, at, step);
        for (int i = 0; i < ITERATIONS_MAX && gsl_multimin_fminimizer_size(simplex) > SIMPLEX_SIZE; i++)
            if (gsl_multimin_fminimizer_iterate(simplex) != 0)
                break;
        gsl_vector_memcpy(at, gsl_multimin_fminimizer_x(simplex));
    }
    gsl_vector_free(step);
    gsl_multimin_fminimizer_free(simplex);
}

/* --- closed forms --- */

/* The total time over the delays that ended. */
static void fit_exponential(const struct fit_sample *sample, gsl_vector *ret)
{
    double total = 0;
    for (size_t i = 0; i < sample->count; i++)
        total += sample->delay[i].seconds;
    gsl_vector_set(ret, 0, log(total / (double)(sample->count - sample->censored)));
}

/* Mean and deviation (of n) of the logarithms are where the search begins. */
static void find_maximum(const struct search *search, gsl_vector *ret)
{
    begin(search, ret);
    if (search->kind == SIM_LAW_EXPONENTIAL)
        fit_exponential(search->sample, ret);
    else if (search->kind != SIM_LAW_LOGNORMAL || search->sample->censored > 0)
        minimise(search, ret);
}

/* --- standard errors --- */

/* The cost `i` and `j` steps away along two parameters. */
static double cost_beside(struct search *search, const gsl_vector *at, size_t a, double i, size_t b, double j)
{
    double x[SIM_LAW_PARAMETERS_MAX];
    gsl_vector_view beside = gsl_vector_view_array(x, search->parameters);
    gsl_vector_memcpy(&beside.vector, at);
    x[a] += i * CURVATURE_STEP;
    x[b] += j * CURVATURE_STEP;
    return cost(&beside.vector, search);
}

/* Second derivatives of the cost by central differences. */
static void fill_curvature(struct search *search, const gsl_vector *at, gsl_matrix *ret)
{
    for (size_t a = 0; a < search->parameters; a++)
        for (size_t b = 0; b < search->parameters; b++) {
            double mixed = cost_beside(search, at, a, 1, b, 1) - cost_beside(search, at, a, 1, b, -1) -
                           cost_beside(search, at, a, -1, b, 1) + cost_beside(search, at, a, -1, b, -1);
            gsl_matrix_set(ret, a, b, mixed / (4 * CURVATURE_STEP * CURVATURE_STEP));
        }
}

/* The inverse of the curvature is the covariance of the logarithms. */
static void measure_errors(struct search *search, const gsl_vector *at, struct fit *ret)
{
    double cells[SIM_LAW_PARAMETERS_MAX * SIM_LAW_PARAMETERS_MAX];
    gsl_matrix_view curvature = gsl_matrix_view_array(cells, search->parameters, search->parameters);
    fill_curvature(search, at, &curvature.matrix);
    bool is_convex = gsl_linalg_cholesky_decomp1(&curvature.matrix) == 0;
    if (is_convex)
        (void)gsl_linalg_cholesky_invert(&curvature.matrix);
    for (size_t i = 0; i < search->parameters; i++)
        ret->error[i] = is_convex ? ret->law.parameter[i] * sqrt(gsl_matrix_get(&curvature.matrix, i, i)) : (double)NAN;
}

/* --- goodness --- */

static double distance(const struct fit_sample *sample, const struct sim_law *law)
{
    double *estimate = fit_estimate(sample), largest = 0, before = 0;
    for (size_t i = 0; i < sample->count; i++) {
        if (sample->delay[i].is_censored)
            continue;
        double expected = sim_law_cdf(law, sample->delay[i].seconds);
        bool is_last_of_tie = i + 1 == sample->count || sample->delay[i + 1].seconds > sample->delay[i].seconds ||
                              sample->delay[i + 1].is_censored;
        largest = fmax(largest, is_last_of_tie ? fabs(expected - estimate[i]) : 0);
        bool is_first_of_tie = i == 0 || sample->delay[i - 1].seconds < sample->delay[i].seconds;
        largest = fmax(largest, is_first_of_tie ? fabs(expected - before) : 0);
        before = estimate[i];
    }
    free(estimate);
    return largest;
}

/* Two delays of different lengths, so that a scale and a shape have a maximum. */
static bool has_enough(const struct fit_sample *sample, size_t parameters)
{
    size_t ended = sample->count - sample->censored;
    return ended > parameters && sample->delay[0].seconds < sample->delay[sample->count - 1].seconds;
}

struct fit fit_law(const struct fit_sample *sample, enum sim_law_kind kind)
{
    double start[SIM_LAW_PARAMETERS_MAX] = {0};
    struct search search = {sample, kind, sim_law_type(kind)->parameters};
    struct fit fit = {.law = {.kind = kind}};
    if (!has_enough(sample, search.parameters))
        return fit;
    gsl_vector_view at = gsl_vector_view_array(start, search.parameters);
    find_maximum(&search, &at.vector);
    struct sim_law found = law_at(&search, &at.vector);
    fit.is_found = sim_law_make(kind, found.parameter, &fit.law) < 0;
    if (!fit.is_found)
        return fit;
    measure_errors(&search, &at.vector, &fit);
    fit.log_likelihood = fit_log_likelihood(sample, &fit.law);
    fit.aic = 2 * (double)search.parameters - 2 * fit.log_likelihood;
    fit.distance = distance(sample, &fit.law);
    return fit;
}
