/* Importance splitting against a closed form: M learners of one chip that fail at rate a and come back at rate b,
 * independently, all up at the start. One of them is down at time t with chance q(t) = q (1 - exp(-s t)), s = a + b,
 * q = a / s, so the share of the time T in which all are is, with the binomial theorem,
 *
 *     (1 / T) int_0^T q(t)^M dt = q^M sum_j C(M, j) (-1)^j f_j,  f_0 = 1,  f_j = (1 - exp(-j s T)) / (j s T).
 *
 * Seeds are fixed. RARE_REPETITIONS=200 in the environment prints the coverage of tests/bench/README.md instead. */
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdio.h>

#include "tests/rig.h"
#include "tools/faultline/independent.h"
#include "tools/faultline/splitting.h"
#include "tools/faultline/summary.h"

#define HOUR 3600.0
#define TREES 10

static struct config two_state(int64_t learners, double up_h, double down_h, double duration_h)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.chips = config.learners = learners;
    config.chips_per_slice = 1;
    config.duration_ns = (sim_time)(duration_h * HOUR) * SIM_SECOND;
    config.step_time_ns = 600 * SIM_SECOND;
    config.noticed = CONFIG_AT_ONCE;
    config.downscale_ns = config.upscale_ns = 0;
    config.recover_after = 1000000;
    config.without_rounds = true;
    rig_add_source(&config, "chip", up_h * HOUR, rig_exponential(down_h * HOUR));
    return config;
}

static double theory(int64_t learners, double up_h, double down_h, double duration_h)
{
    double s = 1 / up_h + 1 / down_h, q = 1 / up_h / s, sum = 1;
    for (int j = 1; j <= (int)learners; j++)
        sum += (j % 2 ? -1 : 1) * gsl_sf_choose((unsigned)learners, (unsigned)j) * (1 - exp(-j * s * duration_h)) /
               (j * s * duration_h);
    return pow(q, (double)learners) * sum;
}

static struct summary_sample shares(const struct splitting_tree tree[], size_t count)
{
    double *share = malloc(count * sizeof *share);
    for (size_t i = 0; i < count; i++)
        share[i] = tree[i].down_s / tree[i].duration_s;
    struct summary_sample sample = summary_of(share, count);
    free(share);
    return sample;
}

/* The 95 % interval of `count` trees, with the copies that the pilot finds. */
static struct independent estimate(const struct config *config, uint64_t seed, size_t count)
{
    struct splitting splitting;
    struct sim_error error;
    struct splitting_tree *tree = malloc(count * sizeof *tree);
    splitting_init(&splitting, config, seed, 1);
    splitting.is_quiet = true;
    ck_assert_int_eq(splitting_plan(&splitting, &error), 0);
    ck_assert_int_eq(splitting_run(&splitting, count, tree, &error), 0);
    struct summary_sample sample = shares(tree, count);
    splitting_fini(&splitting);
    free(tree);
    return independent_interval(sample.mean, sample.sd / sqrt((double)count) / sample.mean, (double)count - 1);
}

/* Two learners that are seldom both down: seen without splitting, too. Five ways on whenever one fails must not move
 * the mean: it is within four standard errors of theory, which are small. */
START_TEST(copies_do_not_move_the_mean)
{
    enum { COUNT = 200 };
    struct config config = two_state(2, 20, 1, 500);
    struct splitting splitting;
    struct splitting_tree tree[COUNT];
    struct sim_error error;
    splitting_init(&splitting, &config, 7, 1);
    splitting.is_quiet = true;
    splitting.copies[1] = 5;
    ck_assert_int_eq(splitting_run(&splitting, COUNT, tree, &error), 0);
    struct summary_sample sample = shares(tree, COUNT);
    double expected = theory(2, 20, 1, 500), outages = 0;
    ck_assert_double_le(fabs(sample.mean - expected), 4 * sample.sd / sqrt(COUNT));
    ck_assert_double_le(4 * sample.sd / sqrt(COUNT), 0.2 * expected);
    /* an outage lasts half an hour on average: the first of two repairs ends it */
    for (size_t i = 0; i < COUNT; i++)
        outages += tree[i].outages / COUNT;
    ck_assert_double_eq_tol(sample.mean * 500 / outages, 0.5, 0.1);
    splitting_fini(&splitting);
}
END_TEST

/* The original of a tree is the replica itself, whatever copies were made of it. */
START_TEST(the_original_is_the_replica)
{
    struct config config = two_state(2, 20, 1, 500);
    struct splitting splitting;
    struct splitting_tree tree[20];
    struct sim_error error;
    splitting_init(&splitting, &config, 7, 1);
    splitting.is_quiet = true;
    ck_assert_int_eq(splitting_run(&splitting, 20, tree, &error), 0);
    for (uint32_t i = 0; i < 20; i++) {
        struct run_result result = rig_run(&config, 7, i);
        ck_assert_double_eq_tol(tree[i].down_s / tree[i].duration_s, 1 - result.metric[RUN_METRIC_uptime], 1e-12);
        ck_assert_double_eq(tree[i].outages, result.metric[RUN_METRIC_outages]);
        run_result_fini(&result);
    }
    splitting_fini(&splitting);
}
END_TEST

/* The same trees on one process and on three. */
START_TEST(processes_do_not_matter)
{
    struct config config = two_state(2, 20, 1, 500);
    struct splitting_tree tree[2][7];
    for (int i = 0; i < 2; i++) {
        struct splitting splitting;
        struct sim_error error;
        splitting_init(&splitting, &config, 3, 1);
        splitting.is_quiet = true;
        splitting.jobs = i == 0 ? 1 : 3;
        splitting.copies[1] = 4;
        ck_assert_int_eq(splitting_run(&splitting, 7, tree[i], &error), 0);
        splitting_fini(&splitting);
    }
    ck_assert_mem_eq(tree[0], tree[1], sizeof tree[0]);
    ck_assert_double_gt(shares(tree[0], 7).mean, 0);
    ck_assert_int_gt(tree[0][0].copies, 0);
}
END_TEST

/* Shares of 1e-6 to 1e-8, of which a replica of ten days would see an outage in ten thousand and more. */
static const struct {
    int64_t learners;
    double up_h;
} rare_case[] = {{3, 100}, {4, 50}, {6, 20}};
enum { CASES = sizeof rare_case / sizeof *rare_case };

static void print_coverage(int i, size_t repetitions)
{
    struct config config = two_state(rare_case[i].learners, rare_case[i].up_h, 1, 240);
    double expected = theory(rare_case[i].learners, rare_case[i].up_h, 1, 240), held = 0, sum = 0, width = 0;
    for (size_t r = 0; r < repetitions; r++) {
        struct independent of = estimate(&config, 100 + r, TREES);
        held += of.low <= expected && expected <= of.high;
        sum += of.share > 0 ? of.share : 0;
        width += log(of.high / of.share);
    }
    double n = (double)repetitions;
    printf("# %d learners, MTBF %g h: theory %.3g, mean %.3g, coverage %.1f %%, interval / and x %.2f\n",
           (int)rare_case[i].learners, rare_case[i].up_h, expected, sum / n, 100 * held / n, exp(width / n));
}

START_TEST(theory_is_in_the_interval)
{
    struct config config = two_state(rare_case[_i].learners, rare_case[_i].up_h, 1, 240);
    double expected = theory(rare_case[_i].learners, rare_case[_i].up_h, 1, 240);
    const char *repetitions = getenv("RARE_REPETITIONS");
    if (repetitions != NULL)
        print_coverage(_i, strtoul(repetitions, NULL, 10));
    struct independent of = estimate(&config, 5, TREES);
    ck_assert_msg(of.low <= expected && expected <= of.high, "%g not in %g to %g", expected, of.low, of.high);
    ck_assert_double_le(of.high, 6 * of.low);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rare");
    TCase *tests = tcase_create("splitting");
    tcase_set_timeout(tests, getenv("RARE_REPETITIONS") != NULL ? 3600 : 300);
    tcase_add_test(tests, copies_do_not_move_the_mean);
    tcase_add_test(tests, the_original_is_the_replica);
    tcase_add_test(tests, processes_do_not_matter);
    tcase_add_loop_test(tests, theory_is_in_the_interval, 0, CASES);
    suite_add_tcase(suite, tests);
    return rig_main(suite);
}
