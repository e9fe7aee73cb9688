/* The failure stream against what N independent Poisson chips must look like, and slices against independent
 * alternating processes. */
#include <math.h>

#include "tests/claim.h"
#include "tests/distance.h"
#include "tests/rig.h"

/* Slices of one chip that leave at once, come back at once and cost nothing: nothing is ever thinned out. */
static struct config bare(int64_t chips, double mtbi_s, sim_time duration_ns)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    config.duration_ns = duration_ns;
    config.chips = chips;
    config.chips_per_slice = 1;
    config.downscale_ns = config.upscale_ns = 0;
    config.noticed = CONFIG_AT_ONCE;
    rig_add_source(&config, "chip", mtbi_s, rig_constant(0));
    return config;
}

/* Counts of `replicas` runs against Poisson(mean): their mean, and the dispersion sum (x - m)^2 / m, chi-square with
 * n - 1 degrees of freedom. */
static void expect_poisson(const struct config *config, uint32_t replicas, double mean)
{
    struct sim_tally tally;
    sim_tally_init(&tally);
    for (uint32_t replica = 0; replica < replicas; replica++) {
        struct run_result result = rig_run(config, claim_seed(1), replica);
        sim_tally_add(&tally, result.metric[RUN_METRIC_failures]);
        run_result_fini(&result);
    }
    double n = replicas, got = sim_tally_mean(&tally), sd = sim_tally_sd(&tally);
    sim_tally_fini(&tally);
    claim_normal("failures", mean, got, sqrt(mean / n));
    claim_chi_square("dispersion", (n - 1) * sd * sd / mean, n - 1);
}

/* 150,000 chips, one failure a year (365.25 d) each: 410.678 a day. */
START_TEST(failures_of_a_day)
{
    CLAIM_TEST();
    struct config config = bare(150000, 31557600, (sim_time)86400 * SIM_SECOND);
    expect_poisson(&config, 400, 150000 * 86400.0 / 31557600);
}
END_TEST

/* 2.4M chips, mean 8,760 h, replaced at once, 24 h: 6,575.34, SD 81.09. */
START_TEST(failures_of_the_largest_fleet)
{
    CLAIM_TEST();
    ck_assert_double_eq_tol(2.4e6 * 24 / 8760, 6575.34, 0.005);
    ck_assert_double_eq_tol(sqrt(2.4e6 * 24 / 8760), 81.09, 0.005);
    struct config config = bare(2400000, 8760 * 3600.0, (sim_time)86400 * SIM_SECOND);
    expect_poisson(&config, 100, 2.4e6 * 24 / 8760);
}
END_TEST

/* Gaps of 2.5 ns: cutting each to whole nanoseconds would make failures 25 % too frequent if the rest were not carried
 * over. */
START_TEST(rounding_to_nanoseconds_does_not_drift)
{
    CLAIM_TEST();
    struct config config = bare(1000, 2.5e-6, 50000);
    config.step_time_ns = 1000;
    config.method = CONFIG_DP;
    config.chips_per_slice = 1;
    config.restart_ns = 0;
    config.noticed = CONFIG_AT_ONCE;
    expect_poisson(&config, 100, 50000 / 2.5);
}
END_TEST

enum { GAPS = 1000000, CHIPS = 1000 };

struct heard {
    int count;
    sim_time last;
    double *gap;
    int of_chip[CHIPS];
};

static void on_transition(void *context, const struct run_transition *transition)
{
    struct heard *heard = context;
    if (transition->machine[1] != 'l' || strcmp(transition->to, "failed") != 0 || heard->count == GAPS)
        return;
    heard->gap[heard->count++] = sim_time_seconds(transition->time_ns - heard->last);
    heard->last = transition->time_ns;
    heard->of_chip[transition->id]++;
}

static double gaps[GAPS];
static struct heard heard = {.gap = gaps};

/* A million failures, one a second: 1,000 chips, each once in 1,000 s. */
static void hear(void)
{
    struct config config = bare(CHIPS, 1000, (sim_time)1100000 * SIM_SECOND);
    config.step_time_ns = SIM_SECOND;
    const struct run_observer observer = {.context = &heard, .on_transition = on_transition};
    const struct run_request request = {.config = &config, .seed = claim_seed(6), .observer = &observer};
    struct run_result result;
    run_replica(&request, &result);
    run_result_fini(&result);
    ck_assert_int_eq(heard.count, GAPS);
}

/* To the law of a rate; above 1.63 in 1 % of samples. The gaps stay in their order. */
static double distance(const double gap[], int n, double rate)
{
    static double sorted[GAPS];
    memcpy(sorted, gap, sizeof sorted[0] * (size_t)n);
    return distance_to(sorted, n, &(const struct sim_law){SIM_LAW_EXPONENTIAL, {1 / rate}});
}

/* 10,000 gaps pass. Errors that must be caught: the mean used as a rate (here 2 s instead of 2 per s), 5 % in 10,000
 * gaps (distance 0.05/e, 1.84 after scaling, give or take 0.5) and 1 % in a million (3.7). */
START_TEST(gaps_are_exponential)
{
    CLAIM_TEST();
    hear();
    claim_distance("gaps", distance(gaps, 10000, 1));
    claim_distance("gaps", distance(gaps + 500000, 10000, 1));
    claim_distance("gaps", distance(gaps, GAPS, 1));
    CLAIM_FINDS(distance(gaps, 10000, 0.5), 10);
    CLAIM_FINDS(distance(gaps, 10000, 2), 10);
    CLAIM_FINDS(distance(gaps, 40000, 1.05), 1.63);
    CLAIM_FINDS(distance(gaps, GAPS, 1.01), 1.63);
    CLAIM_FINDS(distance(gaps, GAPS, 0.99), 1.63);
}
END_TEST

/* Each chip 1,000 times +- 31.6: chi-square with 999 degrees of freedom. */
START_TEST(chips_hit_are_uniform)
{
    CLAIM_TEST();
    hear();
    double chi = 0;
    for (int i = 0; i < CHIPS; i++) {
        double difference = heard.of_chip[i] - 1000.0;
        chi += difference * difference / 1000;
    }
    claim_chi_square("failures of a chip", chi, CHIPS - 1);
}
END_TEST

/* Lag-1 correlation of 1,000,000 gaps, about normal with SD 1/1000. */
START_TEST(gaps_do_not_know_each_other)
{
    CLAIM_TEST();
    hear();
    double sum = 0;
    for (int i = 1; i < GAPS; i++)
        sum += (gaps[i] - 1) * (gaps[i - 1] - 1);
    claim_normal("lag-1 correlation", 0, sum / GAPS, 1e-3);
}
END_TEST

/* When resizing is free each of the 100 slices is up for an exponential time with mean U = MTBI / chips = 5,000 s and
 * away for D = 1,250 s (plus the wait for the end of the step, here 0.5 ms), independently: in equilibrium the number
 * away is binomial(100, D / (U + D) = 0.2), mean 20, variance 16, whatever the law of D. Looked at every 10,000 s (two
 * relaxation times or more). */
static void count_away(struct sim_law law, double *ret_mean, double *ret_variance, double *ret_share)
{
    enum { LOOKS = 2000 };
    static struct world world;
    struct config config = bare(800, 40000, (sim_time)(LOOKS + 10) * 10000 * SIM_SECOND);
    config.chips_per_slice = 8;
    config.step_time_ns = SIM_SECOND / 1000;
    config.source[0].return_after = law;
    rig_open_seeded(&world, &config, claim_seed(1), 0);
    double sum = 0, squares = 0;
    for (int i = 10; i < LOOKS + 10; i++) {
        (void)sim_run(&world.sim, (sim_time)i * 10000 * SIM_SECOND);
        double away = (double)(config.chips - world.learner[0].chips_present) / 8;
        sum += away;
        squares += away * away;
    }
    rig_finish(&world);
    *ret_mean = sum / LOOKS;
    *ret_variance = squares / LOOKS - *ret_mean * *ret_mean;
    *ret_share = (double)rig_bucket(&world, RUN_BUCKET_away) / (double)config.chips / (double)config.duration_ns;
    world_fini(&world);
}

/* SD of the mean 4/sqrt(2000) = 0.09, of the variance 16 sqrt(2/2000) = 0.51; of the share over time 0.0003. */
START_TEST(slices_away_are_binomial)
{
    CLAIM_TEST();
    static const struct sim_law law[] = {
        {SIM_LAW_EXPONENTIAL, {1250}}, {SIM_LAW_CONSTANT, {1250}}, {SIM_LAW_EXP_WEIBULL, {1250 / 1.5, 1, 2}}};
    double mean, variance, share;
    count_away(law[_i], &mean, &variance, &share);
    claim_normal("mean away", 20, mean, 4 / sqrt(2000));
    claim_normal("variance away", 16, variance, 16 * sqrt(2.0 / 2000));
    ck_assert_double_eq_tol(share, 0.2, 0.001);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analytic failures");
    TCase *tcase = tcase_create("analytic failures");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, failures_of_a_day);
    tcase_add_test(tcase, failures_of_the_largest_fleet);
    tcase_add_test(tcase, rounding_to_nanoseconds_does_not_drift);
    tcase_add_test(tcase, gaps_are_exponential);
    tcase_add_test(tcase, chips_hit_are_uniform);
    tcase_add_test(tcase, gaps_do_not_know_each_other);
    tcase_add_loop_test(tcase, slices_away_are_binomial, 0, 3);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
