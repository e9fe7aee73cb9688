/* calibrate_search.c -- scoring a parameter set and finding a better one. */
#include <gsl/gsl_multimin.h>
#include <gsl/gsl_qrng.h>
#include <math.h>
#include <stdlib.h>

#include "sim/assert.h"
#include "tools/faultline/calibrate.h"
#include "tools/faultline/calibrate_internal.h"
#include "tools/faultline/runner.h"

#define FIRST_STEP 0.3    /* of the simplex, in logarithms */
#define SIZE_ENOUGH 0.005 /* a simplex this small has converged, in logarithms */
#define CLOSE_POINTS 1.5  /* "within" */
#define OUTSIDE_PENALTY 10.0

/* --- scoring --- */

/* A row of jobs: every cell, `replicas` times. */
struct evaluation {
    struct calibrate *fit;
    struct scenario *scenario; /* of each cell, at the point */
    double *sum;               /* [cell * RUN_METRIC_COUNT + metric] */
};

static void prepare(void *context, size_t job, struct run_request *ret)
{
    const struct evaluation *evaluation = context;
    size_t replicas = evaluation->fit->replicas;
    ret->config = &evaluation->scenario[job / replicas].config;
    ret->seed = evaluation->fit->seed;
    ret->replica = (uint32_t)(job % replicas);
}

static int deliver(void *context, size_t job, const struct run_result *result, double wall_s)
{
    (void)wall_s;
    struct evaluation *evaluation = context;
    double *sum = &evaluation->sum[job / evaluation->fit->replicas * RUN_METRIC_COUNT];
    if (result->status != RUN_DONE)
        return -1;
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        sum[i] += result->metric[i];
    return 0;
}

static bool set_cell(struct calibrate *fit, const struct calibrate_point *point, struct scenario *scenario)
{
    struct config_fault fault;
    for (size_t i = 0; i < fit->keys; i++) {
        void *base = calibrate_base(&fit->key[i], scenario);
        if (!base || calibrate_set(&fit->key[i], base, point->value[i], &fit->error) != 0)
            return false;
    }
    if (config_check(&scenario->config, &fault))
        return true;
    (void)sim_error_set(&fit->error, "the search came to a scenario that cannot be: %s: %s", fault.key, fault.why);
    return false;
}

static bool set_point(struct calibrate *fit, const struct calibrate_point *point, struct scenario *ret)
{
    for (size_t c = 0; c < fit->cells; c++) {
        ret[c] = fit->cell[c].base;
        ret[c].config.without_rounds = true; /* no share between 0 and 1 is about them */
        if (!set_cell(fit, point, &ret[c]))
            return false;
    }
    return true;
}

static void judge(const struct calibrate *fit, const double *sum, struct calibrate_score *ret)
{
    double squares = 0;
    *ret = (struct calibrate_score){0};
    for (size_t i = 0; i < fit->targets; i++) {
        const struct calibrate_target *target = &fit->target[i];
        double mean = sum[target->cell * RUN_METRIC_COUNT + (size_t)target->metric] / (double)fit->replicas;
        double points = 100 * (mean - target->published);
        squares += points * points;
        ret->within += fabs(points) <= CLOSE_POINTS;
        if (fabs(points) > fabs(ret->worst)) {
            ret->worst = points;
            ret->worst_target = i;
        }
    }
    ret->rms = sqrt(squares / (double)fit->targets);
}

static bool evaluate(struct calibrate *fit, struct evaluation *evaluation)
{
    const struct runner_plan plan = {
        .jobs = fit->cells * fit->replicas,
        .threads = fit->threads,
        .timeout_s = fit->timeout_s,
        .context = evaluation,
        .prepare = prepare,
        .deliver = deliver,
    };
    struct runner_end end;
    if (runner_run(&plan, &end, &fit->error) != 0)
        return false;
    fit->signal = end.signal;
    if (end.refused != 0)
        (void)sim_error_set(&fit->error, "a run %s at the parameters that were tried",
                            fit->timeout_s > 0 ? "made no progress, or took longer than --timeout,"
                                               : "made no progress");
    return end.signal == 0 && end.refused == 0;
}

bool calibrate_score(struct calibrate *fit, struct calibrate_point *point)
{
    struct evaluation evaluation = {
        .fit = fit,
        .scenario = sim_allocate(fit->cells, sizeof *evaluation.scenario),
        .sum = sim_allocate(fit->cells * RUN_METRIC_COUNT, sizeof *evaluation.sum),
    };
    bool done = set_point(fit, point, evaluation.scenario) && evaluate(fit, &evaluation);
    if (done)
        judge(fit, evaluation.sum, &point->score);
    fit->has_failed = fit->has_failed || !done;
    free(evaluation.scenario);
    free(evaluation.sum);
    return done;
}

/* --- improving --- */

/* What GSL's minimiser sees: the logarithms of the numbers. */
struct search {
    struct calibrate *fit;
    struct calibrate_point point; /* the choices, and the numbers of the last evaluation */
    struct calibrate_point best;
    size_t number[CALIBRATE_KEYS_MAX]; /* keys that are numbers */
    size_t numbers;
};

static double objective(const gsl_vector *x, void *context)
{
    struct search *search = context;
    double outside = 0;
    if (search->fit->has_failed)
        return GSL_NAN;
    for (size_t i = 0; i < search->numbers; i++) {
        const struct calibrate_key *key = &search->fit->key[search->number[i]];
        double wanted = gsl_vector_get(x, i), inside = fmin(fmax(wanted, log(key->low)), log(key->high));
        outside += (wanted - inside) * (wanted - inside);
        search->point.value[search->number[i]] = fmin(fmax(exp(inside), key->low), key->high);
    }
    if (!calibrate_score(search->fit, &search->point))
        return GSL_NAN;
    if (search->point.score.rms < search->best.score.rms)
        search->best = search->point;
    return search->point.score.rms + OUTSIDE_PENALTY * outside;
}

/* One descent from x. */
static void descend(struct search *search, const gsl_vector *x)
{
    gsl_multimin_function function = {.f = objective, .n = search->numbers, .params = search};
    gsl_multimin_fminimizer *minimizer =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, search->numbers);
    gsl_vector *step = gsl_vector_alloc(search->numbers);
    sim_require(minimizer);
    sim_require(step);
    gsl_vector_set_all(step, FIRST_STEP);
    int status = gsl_multimin_fminimizer_set(minimizer, &function, x, step);
    for (size_t i = search->numbers; status == GSL_SUCCESS && i < search->fit->evaluations && !search->fit->has_failed;
         i++) {
        status = gsl_multimin_fminimizer_iterate(minimizer);
        if (gsl_multimin_fminimizer_size(minimizer) < SIZE_ENOUGH)
            break;
    }
    gsl_vector_free(step);
    gsl_multimin_fminimizer_free(minimizer);
}

/* Start 0 is where the point stands, the others fill the box of the bounds evenly. */
static void choose_start(const struct search *search, const double *unit, gsl_vector *x)
{
    for (size_t i = 0; i < search->numbers; i++) {
        size_t k = search->number[i];
        double low = log(search->fit->key[k].low), high = log(search->fit->key[k].high);
        gsl_vector_set(x, i, unit ? low + unit[i] * (high - low) : log(search->point.value[k]));
    }
}

static void descend_from_all_starts(struct search *search)
{
    double unit[CALIBRATE_KEYS_MAX];
    gsl_qrng *sobol = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)search->numbers);
    gsl_vector *x = gsl_vector_alloc(search->numbers);
    sim_require(sobol);
    sim_require(x);
    for (size_t start = 0; start < search->fit->starts && !search->fit->has_failed; start++) {
        if (start > 0)
            (void)gsl_qrng_get(sobol, unit);
        choose_start(search, start > 0 ? unit : NULL, x);
        descend(search, x);
    }
    gsl_vector_free(x);
    gsl_qrng_free(sobol);
}

bool calibrate_improve(struct calibrate *fit, struct calibrate_point *point)
{
    struct search search = {.fit = fit, .point = *point};
    for (size_t i = 0; i < fit->keys; i++)
        if (!fit->key[i].is_choice)
            search.number[search.numbers++] = i;
    if (!calibrate_score(fit, &search.point))
        return false;
    search.best = search.point;
    if (search.numbers > 0)
        descend_from_all_starts(&search);
    *point = search.best;
    return !fit->has_failed;
}
