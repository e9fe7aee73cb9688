/* tests/bench/variates.c -- what a random number costs: ours, which has an address, beside GSL's generator, which has
 * only a turn. Nanoseconds each, medians of five in turns, and as a ratio to the exponential variate of
 * gsl_rng_mt19937. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/law.h"
#include "sim/rng.h"

enum { DRAWS = 5000000, ROUNDS = 5 };

static const struct sim_origin origin = {.seed = 1};
static struct sim_stream stream;
static gsl_rng *mersenne;

static double uniform_in_turn(uint64_t i)
{
    (void)i;
    return sim_stream_uniform(&stream);
}

static double uniform_by_number(uint64_t i)
{
    return sim_uniform_at(&origin, 2, 1, i);
}

static double exponential_in_turn(uint64_t i)
{
    (void)i;
    return gsl_cdf_exponential_Pinv(sim_stream_uniform(&stream), 1);
}

static double delay_by_number(uint64_t i)
{
    static const struct sim_law law = {.kind = SIM_LAW_EXP_WEIBULL, .parameter = {600, 1, 1}};
    return sim_law_quantile(&law, sim_uniform_at(&origin, 2, 1, i));
}

static double gsl_uniform(uint64_t i)
{
    (void)i;
    return gsl_rng_uniform_pos(mersenne);
}

static double gsl_exponential(uint64_t i)
{
    (void)i;
    return gsl_ran_exponential(mersenne, 1);
}

static const struct {
    const char *name;
    double (*draw)(uint64_t i);
} kinds[] = {
    {"uniform, next of a stream", uniform_in_turn},
    {"uniform, by its number alone", uniform_by_number},
    {"exponential, next of a stream", exponential_in_turn},
    {"exponentiated Weibull, by its number alone", delay_by_number},
    {"gsl_rng_mt19937, uniform", gsl_uniform},
    {"gsl_rng_mt19937, gsl_ran_exponential", gsl_exponential},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static double measure(double (*draw)(uint64_t i))
{
    volatile double sink;
    double sum = 0;
    clock_t start = clock();
    for (uint64_t i = 0; i < DRAWS; i++)
        sum += draw(i);
    sink = sum;
    (void)sink;
    return 1e9 * (double)(clock() - start) / CLOCKS_PER_SEC / DRAWS;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    static double ns[KINDS][ROUNDS];
    sim_stream_init(&stream, &origin, 1, 1);
    mersenne = gsl_rng_alloc(gsl_rng_mt19937);
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < KINDS; k++)
            ns[k][round] = measure(kinds[k].draw);
    for (int k = 0; k < KINDS; k++)
        qsort(ns[k], ROUNDS, sizeof ns[k][0], by_value);
    printf("| variate | ns | ratio |\n|---|---|---|\n");
    for (int k = 0; k < KINDS; k++)
        printf("| %s | %.1f | %.2f |\n", kinds[k].name, ns[k][ROUNDS / 2],
               ns[k][ROUNDS / 2] / ns[KINDS - 1][ROUNDS / 2]);
    gsl_rng_free(mersenne);
    return 0;
}
