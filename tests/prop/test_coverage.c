/* Coverage of the 95 % intervals: how often they hold the mean, for a fixed number of replicas and for the sequential
 * rule. The seeds are fixed. With COVERAGE_REPETITIONS=10000 in the environment the test prints the figures of
 * tests/bench/README.md.
 *
 * With R repetitions an observed coverage has a standard deviation of sqrt(0.95 x 0.05 / R): 0.15 points at 20,000, 0.7
 * at 1,000. Without the widening of sim/sequential.h the worst of the normal cases below comes to 93.4 %. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>

#include "sim/rng.h"
#include "sim/sequential.h"
#include "sim/tally.h"
#include "tests/rig.h"

#define NORMAL_REPETITIONS 20000
#define REPLICA_REPETITIONS 1000

/* Where observations come from: number `index` of repetition `seed`. */
typedef double observe(uint64_t seed, uint32_t index);

static double normal(uint64_t seed, uint32_t index)
{
    const struct sim_origin origin = {.seed = seed};
    return gsl_cdf_ugaussian_Pinv(sim_uniform_at(&origin, 0, 0, index));
}

/* Goodput of a small elastic fleet with about 10 failures a replica; its standard deviation is 0.010. */
static double goodput(uint64_t seed, uint32_t index)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    rig_add_source(&config, "chip", 64 * 100, rig_exponential(50));
    struct run_result result = rig_run(&config, seed, index);
    double value = result.metric[RUN_METRIC_goodput];
    run_result_fini(&result);
    return value;
}

static size_t repetitions(size_t otherwise)
{
    const char *wanted = getenv("COVERAGE_REPETITIONS");
    return wanted != NULL ? strtoul(wanted, NULL, 10) : otherwise;
}

struct coverage {
    double share; /* of the intervals that hold the mean */
    double n;     /* observations, on average */
};

/* One interval per repetition: after `first` observations and, when wanted > 0, more until it is that narrow. The mean
 * is `truth`, or that of all observations when it is NAN. */
static struct coverage measure(observe *draw, size_t first, double wanted, double truth, size_t count)
{
    double *mean = malloc(count * sizeof *mean), *half = malloc(count * sizeof *half), sum = 0, total = 0;
    struct coverage coverage = {0};
    for (size_t r = 0; r < count; r++) {
        struct sim_tally tally;
        sim_tally_init(&tally);
        for (size_t n = 0, next = first; n < next;) {
            double x = draw(r + 1, (uint32_t)n++);
            sim_tally_add(&tally, x);
            sum += x;
            if (n == next && wanted > 0)
                next = sim_sequential_next(n, sim_tally_sd(&tally), 0.95, wanted);
        }
        size_t n = sim_tally_count(&tally);
        total += (double)n;
        mean[r] = sim_tally_mean(&tally);
        half[r] =
            wanted > 0 ? sim_sequential_half_width(n, sim_tally_sd(&tally), 0.95) : sim_tally_half_width(&tally, 0.95);
        ck_assert(!(wanted > 0) || half[r] <= wanted);
        sim_tally_fini(&tally);
    }
    for (size_t r = 0; r < count; r++)
        coverage.share += fabs(mean[r] - (isnan(truth) ? sum / total : truth)) <= half[r];
    coverage.share /= (double)count;
    coverage.n = total / (double)count;
    free(mean);
    free(half);
    return coverage;
}

/* The coverage is from `low` to `high`, give or take four of its standard deviations. */
static void expect(const char *what, struct coverage coverage, size_t count, double low, double high)
{
    double slack = 4 * sqrt(0.95 * 0.05 / (double)count);
    if (getenv("COVERAGE_REPETITIONS") != NULL)
        printf("# %s: %.1f observations, coverage %.2f %%\n", what, coverage.n, 100 * coverage.share);
    ck_assert_msg(coverage.share > low - slack && coverage.share < high + slack, "%s: coverage %.4f", what,
                  coverage.share);
}

static const double width[] = {3, 1, 0.7, 0.6, 0.5, 0.45, 0.4, 0.3, 0.2, 0.1};
enum { WIDTHS = sizeof width / sizeof width[0] };

START_TEST(fixed_number_of_normal_observations)
{
    size_t count = repetitions(NORMAL_REPETITIONS);
    expect("normal, fixed 10", measure(normal, 10, 0, 0, count), count, 0.95, 0.95);
}
END_TEST

/* Width in standard deviations. Between 3 (everybody stops at the first look) and 0.1 (400 observations). */
START_TEST(sequential_rule_on_normal_observations)
{
    char what[64];
    size_t count = width[_i] < 0.3 ? repetitions(2000) : repetitions(NORMAL_REPETITIONS);
    (void)snprintf(what, sizeof what, "normal, until +- %g sd", width[_i]);
    expect(what, measure(normal, SIM_SEQUENTIAL_FIRST, width[_i], 0, count), count, 0.945, 0.965);
}
END_TEST

START_TEST(fixed_number_of_replicas)
{
    size_t count = repetitions(REPLICA_REPETITIONS);
    expect("goodput, fixed 10", measure(goodput, 10, 0, (double)NAN, count), count, 0.94, 0.96);
}
END_TEST

static const double goodput_width[] = {0.01, 0.005, 0.004, 0.003};
enum { GOODPUT_WIDTHS = sizeof goodput_width / sizeof goodput_width[0] };

START_TEST(sequential_rule_on_replicas)
{
    char what[64];
    size_t count = repetitions(REPLICA_REPETITIONS);
    (void)snprintf(what, sizeof what, "goodput, until +- %g", goodput_width[_i]);
    expect(what, measure(goodput, SIM_SEQUENTIAL_FIRST, goodput_width[_i], (double)NAN, count), count, 0.94, 0.97);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("coverage");
    TCase *tests = tcase_create("coverage");
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, fixed_number_of_normal_observations);
    tcase_add_loop_test(tests, sequential_rule_on_normal_observations, 0, WIDTHS);
    tcase_add_test(tests, fixed_number_of_replicas);
    tcase_add_loop_test(tests, sequential_rule_on_replicas, 0, GOODPUT_WIDTHS);
    suite_add_tcase(suite, tests);
    return rig_main(suite);
}
