/* Shocks to domains against what compound Poisson processes and alternating domains must look like. */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "tests/claim.h"
#include "tests/distance.h"
#include "tests/rig.h"

/* Slices that leave at once, come back at once and cost nothing: nothing is ever thinned out. */
static struct config bare(int64_t chips, int64_t domain, double mtbi_s, sim_time duration_ns)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    config.duration_ns = duration_ns;
    config.chips = chips;
    config.downscale_ns = config.upscale_ns = 0;
    config.noticed = CONFIG_AT_ONCE;
    rig_add_domain(&config, "rack", domain, mtbi_s, rig_constant(0));
    return config;
}

static void tally_runs(const struct config *config, uint32_t replicas, enum run_metric metric, double *ret_mean,
                       double *ret_variance)
{
    struct sim_tally tally;
    sim_tally_init(&tally);
    for (uint32_t replica = 0; replica < replicas; replica++) {
        struct run_result result = rig_run(config, claim_seed(5), replica);
        sim_tally_add(&tally, result.metric[metric]);
        run_result_fini(&result);
    }
    *ret_mean = sim_tally_mean(&tally);
    *ret_variance = sim_tally_sd(&tally) * sim_tally_sd(&tally);
    sim_tally_fini(&tally);
}

enum { REPLICAS = 1000 };

/* The ratio of the variance of n counts to their mean, over its theory, is about chi-square(n - 1) / (n - 1) when there
 * are many shocks a run: within its central 99.8 %. */
static bool is_dispersion(double ratio, double theory)
{
    double x = ratio / theory * (REPLICAS - 1);
    return x > gsl_cdf_chisq_Pinv(0.001, REPLICAS - 1) && x < gsl_cdf_chisq_Qinv(0.001, REPLICAS - 1);
}

static void expect_dispersion(double ratio, double theory)
{
    claim_chi_square("dispersion", ratio / theory * (REPLICAS - 1), REPLICAS - 1);
}

/* 6,400 chips in 100 racks of 64, each hit once in 1,000 s, 1,000 s: the number of shocks S is Poisson with mean 100.
 * Chips that failed are F = 64 S: mean 6,400, and Var F / E F = 64^2 Var S / (64 E S) = 64. The same chips failing one
 * by one at the same rate would have a ratio of 1, and half of a rack at a time one of 32: neither passes. */
START_TEST(failures_come_in_racks)
{
    CLAIM_TEST();
    struct config config = bare(6400, 64, 1000, 1000 * SIM_SECOND);
    double mean, variance;
    tally_runs(&config, REPLICAS, RUN_METRIC_shocks, &mean, &variance);
    claim_normal("shocks", 100, mean, 10 / sqrt(REPLICAS));
    expect_dispersion(variance / mean, 1);
    tally_runs(&config, REPLICAS, RUN_METRIC_failures, &mean, &variance);
    claim_normal("failures", 6400, mean, 640 / sqrt(REPLICAS));
    expect_dispersion(variance / mean, 64);
    config.source[0].kind = CONFIG_SOURCE_CHIP;
    tally_runs(&config, REPLICAS, RUN_METRIC_failures, &mean, &variance);
    claim_normal("failures one by one", 6400, mean, 80 / sqrt(REPLICAS));
    ck_assert(!is_dispersion(variance / mean, 64));
    expect_dispersion(variance / mean, 1);
}
END_TEST

/* Racks of X = 64, 64, 64 and 8 chips, 30 shocks on average each: by Wald and the law of total variance
 * E F = E S E X and Var F = E S E X^2, so their ratio is E X^2 / E X = (3 x 4096 + 64) / 200 = 61.76. */
START_TEST(racks_of_different_sizes)
{
    CLAIM_TEST();
    struct config config = bare(200, 64, 100, 3000 * SIM_SECOND);
    double mean, variance;
    tally_runs(&config, REPLICAS, RUN_METRIC_failures, &mean, &variance);
    claim_normal("failures", 6000, mean, sqrt(6000 * 61.76 / REPLICAS));
    expect_dispersion(variance / mean, 61.76);
    tally_runs(&config, 20, RUN_METRIC_blast_chips, &mean, &variance);
    claim_normal("blast_chips", 50, mean, 24.2487 / sqrt(20 * 120)); /* SD of X */
    tally_runs(&config, 20, RUN_METRIC_blast_chips_max, &mean, &variance);
    ck_assert_double_eq(mean, 64);
}
END_TEST

enum { GAPS = 10000 };
static double gap[GAPS];
static int gaps;
static sim_time last;

static void on_transition(void *context, const struct run_transition *transition)
{
    (void)context;
    if (strcmp(transition->cause, "domain failed") != 0 || transition->time_ns == last || gaps == GAPS)
        return;
    gap[gaps++] = sim_time_seconds(transition->time_ns - last);
    last = transition->time_ns;
}

/* To that of so many shocks a second; above 1.63 in 1 % of samples. */
static double distance(double rate)
{
    return distance_to(gap, GAPS, &(const struct sim_law){SIM_LAW_EXPONENTIAL, {1 / rate}});
}

/* 100 racks, each once in 200 s: a shock every 2 s. Taking the mean for the rate (2 a second), or mtbi for that of the
 * fleet or of a chip, is noticed. */
START_TEST(gaps_between_shocks_are_exponential)
{
    CLAIM_TEST();
    struct config config = bare(1600, 16, 200, 22000 * SIM_SECOND);
    const struct run_observer observer = {.on_transition = on_transition};
    const struct run_request request = {.config = &config, .seed = claim_seed(3), .observer = &observer};
    struct run_result result;
    run_replica(&request, &result);
    run_result_fini(&result);
    ck_assert_int_eq(gaps, GAPS);
    claim_distance("gaps", distance(0.5));
    CLAIM_FINDS(distance(2), 10);
    CLAIM_FINDS(distance(1 / 200.0), 10);
    CLAIM_FINDS(distance(8), 10);
    CLAIM_FINDS(distance(0.5 * 1.05), 1.63);
}
END_TEST

/* When resizing is free each of the 20 racks is up for an exponential time with mean U = 5,000 s and away for D with
 * mean 1,250 s, independently: in equilibrium the racks away are binomial(20, p = D / (U + D) = 0.2). A rack is 5
 * slices, which go and come together: slices away have mean 20 and variance 25 x 3.2 = 80. Slices hit one by one would
 * have a variance of 16. Looked at every 10,000 s (two relaxation times or more): SD of the mean 0.2, of the variance
 * 80 sqrt(2 / 2000) = 2.53 and a little less for the kurtosis of a binomial; 3.3 of each. The share of the time is over
 * everything: of a rack that is up for U and away for D in turns its variance is (U^2 var D + D^2 var U) / (U + D)^3 /
 * T (renewal reward), an SD of 0.0009, 0.0006 and 0.0008 for these laws; the last is the longer of two exponential
 * times of 1250 / 1.5, of variance 1.25 times the square of that. */
START_TEST(racks_away_are_binomial)
{
    CLAIM_TEST();
    enum { LOOKS = 2000 };
    static const struct sim_law law[] = {
        {SIM_LAW_EXPONENTIAL, {1250}}, {SIM_LAW_CONSTANT, {1250}}, {SIM_LAW_EXP_WEIBULL, {1250 / 1.5, 1, 2}}};
    static const double variance_away[] = {1250. * 1250, 0, 1.25 * 1250 / 1.5 * 1250 / 1.5};
    static struct world world;
    struct config config = bare(800, 40, 5000, (sim_time)(LOOKS + 10) * 10000 * SIM_SECOND);
    config.step_time_ns = SIM_SECOND / 1000;
    config.source[0].return_after = law[_i];
    rig_open_seeded(&world, &config, claim_seed(1), 0);
    double sum = 0, squares = 0;
    for (int i = 10; i < LOOKS + 10; i++) {
        (void)sim_run(&world.sim, (sim_time)i * 10000 * SIM_SECOND);
        double away = (double)(config.chips - world.learner[0].chips_present) / 8;
        sum += away;
        squares += away * away;
    }
    rig_finish(&world);
    double mean = sum / LOOKS, variance = squares / LOOKS - mean * mean;
    double share = (double)rig_bucket(&world, RUN_BUCKET_away) / (double)config.chips / (double)config.duration_ns;
    world_fini(&world);
    claim_normal("mean away", 20, mean, sqrt(80.0 / 2000));
    claim_normal("variance away", 80, variance, 80 * sqrt(2.0 / 2000));
    double per_time = (5000. * 5000 * variance_away[_i] + 1250. * 1250 * 5000 * 5000) / (6250. * 6250 * 6250);
    claim_normal("share away", 0.2, share, sqrt(per_time / (LOOKS + 10) / 10000 / 20));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analytic shocks");
    TCase *tcase = tcase_create("analytic shocks");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, failures_come_in_racks);
    tcase_add_test(tcase, racks_of_different_sizes);
    tcase_add_test(tcase, gaps_between_shocks_are_exponential);
    tcase_add_loop_test(tcase, racks_away_are_binomial, 0, 3);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
