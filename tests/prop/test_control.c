/* The control variate: the surplus of failures has mean 0 whatever the design, and the intervals cover the mean. With
 * COVERAGE_REPETITIONS=10000 in the environment the figures of tests/bench/README.md are printed. */
#include <math.h>
#include <stdio.h>

#include "sim/sequential.h"
#include "tests/rig.h"
#include "tools/faultline/control.h"

/* An elastic fleet of 64 chips with about 10 failures a replica, as in test_coverage.c. */
static struct config elastic(void)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    rig_add_source(&config, "chip", 64 * 100, rig_exponential(50));
    return config;
}

static struct record record_of(const struct config *config, uint64_t seed, uint32_t replica)
{
    struct run_result result = rig_run(config, seed, replica);
    struct record record = record_from_result(&result, seed, replica, 0);
    run_result_fini(&result);
    record_fini(&record);
    return record;
}

/* Within four standard errors over 2,000 replicas. */
static void expect_mean_0(const char *what, const struct config *config)
{
    enum { COUNT = 2000 };
    double surplus[COUNT];
    ck_assert_msg(control_objection(config) == NULL, "%s: %s", what, control_objection(config));
    for (uint32_t i = 0; i < COUNT; i++) {
        struct record record = record_of(config, 11, i);
        surplus[i] = control_surplus(control_rate(config), &record);
    }
    struct summary_sample of = summary_of(surplus, COUNT);
    ck_assert_double_gt(of.sd, 1);
    ck_assert_msg(fabs(of.mean) < 4 * of.sd / sqrt(COUNT), "%s: %g +- %g", what, of.mean, of.sd / sqrt(COUNT));
}

START_TEST(surplus_has_mean_0)
{
    struct config config = elastic();
    expect_mean_0("elastic", &config);
    config.warmup_ns = 300 * SIM_SECOND;
    expect_mean_0("behind a warm-up", &config);
    config = elastic();
    config.noticed = CONFIG_AT_ONCE;
    config.overlap = CONFIG_FOLD;
    rig_add_source(&config, "other", 64 * 150, rig_exponential(300));
    expect_mean_0("two sources, noticed at once", &config);
    config = elastic();
    config.method = CONFIG_DP;
    expect_mean_0("dp", &config);
    config.spares = 2;
    expect_mean_0("dp with spares", &config);
    config = elastic();
    config.method = CONFIG_DECOUPLED_DILOCO;
    config.learners = 4;
    rig_add_preemption(&config, "site", 1, 300, rig_exponential(200));
    expect_mean_0("learners, one preempted", &config);
    config = elastic();
    config.duration_ns = 4000 * SIM_SECOND;
    config.until_work_ns = 500 * SIM_SECOND;
    expect_mean_0("until its work is done", &config);
}
END_TEST

/* y = 1 + 2 x in all four: the mean is 1, known exactly. By hand for y = 3, 1, 4, 6 at x = -1, -1, 1, 3: mean x 0.5,
 * y 3.5, Sxx 11, Sxy 11: the line is 3 + x, and the first two are 1 above and below it. Their weights are 1 / 4 + 0.75
 * / 11 = 7 / 22, their leverage 1 / 4 + 2.25 / 11 = 5 / 11: the variance is 2 (7 / 22 / (6 / 11))^2 = 49 / 72. Student
 * with 2 degrees of freedom: 4.302653. */
START_TEST(regression_by_hand)
{
    const double x[] = {-1, -1, 1, 3}, line[] = {-1, -1, 3, 7}, y[] = {3, 1, 4, 6};
    struct summary_sample of = control_of(x, line, 4);
    ck_assert_double_eq_tol(of.mean, 1, 1e-12);
    ck_assert_double_eq_tol(of.ci95, 0, 1e-6);
    of = control_of(x, y, 4);
    ck_assert_double_eq_tol(of.mean, 3, 1e-12);
    ck_assert_double_eq_tol(of.ci95, 4.302653 * sqrt(49.0 / 72), 1e-5);
    ck_assert_double_eq_tol(of.ci95, summary_t95(3) * of.sd / 2, 1e-12);
    ck_assert_double_eq(control_of(x, y, 3).mean, summary_of(y, 3).mean);
}
END_TEST

START_TEST(what_has_no_control)
{
    struct config config = elastic();
    config.source[0].lemon_share = 0.1;
    ck_assert_ptr_nonnull(control_objection(&config));
    config = elastic();
    config.source[0].timing = CONFIG_BY_LIFE;
    ck_assert_ptr_nonnull(control_objection(&config));
    config = elastic();
    config.source[0].learner_count = 1;
    ck_assert_ptr_nonnull(control_objection(&config));
    config = elastic();
    config.misdiagnosis = 0.1;
    ck_assert_ptr_nonnull(control_objection(&config));
    config = elastic();
    rig_add_domain(&config, "rack", 8, 1000, rig_exponential(10));
    ck_assert_ptr_nonnull(control_objection(&config));
    config = elastic();
    config.source_count = 0;
    ck_assert_ptr_nonnull(control_objection(&config));
}
END_TEST

/* ------------------------------------------------------------------ coverage */

#define OBSERVED_MAX 2000

struct coverage {
    double share, n, plain_sd, sd;
};

static struct coverage measure(double wanted, size_t count)
{
    const struct config config = elastic();
    double rate = control_rate(&config), sum = 0, total = 0;
    double *mean = malloc(count * sizeof *mean), *half = malloc(count * sizeof *half);
    struct coverage coverage = {0};
    for (size_t r = 0; r < count; r++) {
        double x[OBSERVED_MAX], y[OBSERVED_MAX];
        struct summary_sample of = {0};
        size_t n = 0;
        for (size_t next = SIM_SEQUENTIAL_FIRST; n < next;) {
            for (; n < next && n < OBSERVED_MAX; n++) {
                struct record record = record_of(&config, r + 1, (uint32_t)n);
                x[n] = control_surplus(rate, &record);
                y[n] = record.metric[RUN_METRIC_goodput];
                sum += y[n];
            }
            of = control_of(x, y, n);
            if (wanted > 0)
                next = sim_sequential_next(n, of.sd, 0.95, wanted);
        }
        total += (double)n;
        mean[r] = of.mean;
        half[r] = wanted > 0 ? sim_sequential_half_width(n, of.sd, 0.95) : of.ci95;
        coverage.plain_sd += summary_of(y, n).sd / (double)count;
        coverage.sd += of.sd / (double)count;
    }
    for (size_t r = 0; r < count; r++)
        coverage.share += fabs(mean[r] - sum / total) <= half[r];
    coverage.share /= (double)count;
    coverage.n = total / (double)count;
    free(mean);
    free(half);
    return coverage;
}

static const double width[] = {0, 0.005, 0.002, 0.001};
enum { WIDTHS = sizeof width / sizeof *width };

START_TEST(intervals_cover_the_mean)
{
    const char *repetitions = getenv("COVERAGE_REPETITIONS");
    size_t count = repetitions != NULL ? strtoul(repetitions, NULL, 10) : 600;
    struct coverage of = measure(width[_i], count);
    double slack = 4 * sqrt(0.95 * 0.05 / (double)count), high = width[_i] > 0 ? 0.97 : 0.96;
    if (repetitions != NULL)
        printf("# goodput with control, until +- %g: %.1f observations, coverage %.2f %%, deviation %.2g instead of "
               "%.2g\n",
               width[_i], of.n, 100 * of.share, of.sd, of.plain_sd);
    ck_assert_msg(of.share > 0.94 - slack && of.share < high + slack, "+- %g: coverage %.4f", width[_i], of.share);
    ck_assert_double_lt(of.sd, of.plain_sd / 1.5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("control");
    TCase *tests = tcase_create("control");
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, surplus_has_mean_0);
    tcase_add_test(tests, regression_by_hand);
    tcase_add_test(tests, what_has_no_control);
    tcase_add_loop_test(tests, intervals_cover_the_mean, 0, WIDTHS);
    suite_add_tcase(suite, tests);
    return rig_main(suite);
}
