/* Closed forms of goodput and uptime.
 *
 * dp: failures of a job of N chips are Poisson with rate N / MTBI. A step of length s is failure-free with probability
 * 1 - q, q = 1 - exp(-s N / MTBI), and its failure is noticed at its end: the number of steps up to and with the first
 * failing one is geometric with mean 1/q. Then the job restarts for R, and failures during it are folded in. A
 * renewal-reward argument gives uptime = goodput = (s/q) / (s/q + R).
 *
 * at_once: the step is aborted at the failure. A cycle is exponential with mean T = MTBI / N; the steps completed in it
 * are geometric with mean (1 - q)/q, so goodput = (s (1 - q)/q) / (T + R), while uptime = T / (T + R).
 *
 * overlap: restart starts the restart over at each failure (of a slice that has not failed yet, which at N/256 slices
 * and a few failures a restart is almost all of them): its mean length is (e^(R/T) - 1) T. */
#include <math.h>

#include "tests/claim.h"
#include "tests/rig.h"

#define YEAR_S 31557600.0

static const int64_t size[] = {150000, 300000, 600000, 1200000, 2400000};
enum { SIZES = 5, REPLICAS = 16 };

static struct config job(int64_t chips)
{
    struct config config = rig_config(CONFIG_DP);
    config.duration_ns = (sim_time)5 * 86400 * SIM_SECOND;
    config.chips = chips;
    config.chips_per_slice = 256;
    config.step_time_ns = 6500000000;
    config.restart_ns = 84 * SIM_SECOND;
    rig_add_source(&config, "chip", YEAR_S, rig_exponential(3600));
    return config;
}

/* The theory lies inside the interval of the replicas, and the interval is narrower than `width`. */
static void expect_mean(const struct config *config, enum run_metric metric, double theory, double width)
{
    struct sim_tally tally;
    sim_tally_init(&tally);
    for (uint32_t replica = 0; replica < REPLICAS; replica++) {
        struct run_result result = rig_run(config, claim_seed(2), replica);
        sim_tally_add(&tally, result.metric[metric]);
        run_result_fini(&result);
    }
    claim_sharp_mean(run_metric_info[metric].name, &tally, theory, width);
    sim_tally_fini(&tally);
}

START_TEST(dp_in_closed_form)
{
    CLAIM_TEST();
    struct config config = job(size[_i]);
    double s = 6.5, q = -expm1(-s * (double)config.chips / YEAR_S), theory = s / q / (s / q + 84);
    expect_mean(&config, RUN_METRIC_uptime, theory, 0.006);
    expect_mean(&config, RUN_METRIC_goodput, theory, 0.006);
}
END_TEST

START_TEST(dp_noticed_at_once)
{
    CLAIM_TEST();
    struct config config = job(size[_i]);
    config.noticed = CONFIG_AT_ONCE;
    double s = 6.5, mean_gap = YEAR_S / (double)config.chips, q = -expm1(-s / mean_gap);
    expect_mean(&config, RUN_METRIC_uptime, mean_gap / (mean_gap + 84), 0.006);
    expect_mean(&config, RUN_METRIC_goodput, s * (1 - q) / q / (mean_gap + 84), 0.006);
}
END_TEST

START_TEST(dp_restarts_that_start_over)
{
    CLAIM_TEST();
    struct config config = job(size[_i]);
    config.overlap = CONFIG_RESTART;
    double s = 6.5, gap = YEAR_S / (double)config.chips, q = -expm1(-s / gap), restart = gap * expm1(84 / gap);
    expect_mean(&config, RUN_METRIC_uptime, s / q / (s / q + restart), 0.007);
}
END_TEST

/* K = 1, no grace: learners are independent, so goodput depends on the chips of a learner only. Paired over M = 1, 2,
 * 4, 8 at 150,000 chips each, the one with one learner against the others. */
START_TEST(the_rule_of_thumb_holds)
{
    CLAIM_TEST();
    enum { TIMES = 4 };
    double mean[TIMES], error[TIMES]; /* of the mean: its SD */
    for (int i = 0; i < TIMES; i++) {
        int64_t learners = (int64_t[]){1, 2, 4, 8}[i];
        struct config config = job(150000 * learners);
        config.method = CONFIG_DECOUPLED_DILOCO;
        config.learners = learners;
        config.downscale_ns = 16 * SIM_SECOND;
        config.upscale_ns = 8 * SIM_SECOND;
        struct sim_tally tally;
        sim_tally_init(&tally);
        for (uint32_t replica = 0; replica < 12; replica++) {
            struct run_result result = rig_run(&config, claim_seed(3), replica);
            sim_tally_add(&tally, result.metric[RUN_METRIC_goodput]);
            run_result_fini(&result);
        }
        mean[i] = sim_tally_mean(&tally);
        error[i] = sim_tally_sd(&tally) / sqrt(12);
        sim_tally_fini(&tally);
    }
    for (int i = 1; i < TIMES; i++) {
        double sd = hypot(error[0], error[i]);
        ck_assert_double_lt(sd, 0.0015);
        claim("goodput", mean[0], mean[i], 2.5758 * sd, 2 * gsl_cdf_tdist_Q(fabs(mean[i] - mean[0]) / sd, 2 * 12 - 2),
              2 * CLAIM_FAIR_T);
    }
    ck_assert_double_lt(mean[0], 0.97);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analytic dp");
    TCase *tcase = tcase_create("analytic dp");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, dp_in_closed_form, 0, SIZES);
    tcase_add_loop_test(tcase, dp_noticed_at_once, 0, SIZES);
    tcase_add_loop_test(tcase, dp_restarts_that_start_over, 0, 4);
    tcase_add_test(tcase, the_rule_of_thumb_holds);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
