/* Checkpoints against closed forms: a dp job with failures of mean gap mu, restart D, restore R, checkpoints of C.
 *
 * A period is every + C = T without a failure. Gaps are memoryless, so the number of attempts that fail before one
 * succeeds is geometric with mean e^(T/mu) - 1: that many rollbacks per checkpoint. Each is followed by D + R; when
 * failures start these over (overlap: restart), by e^((D + R)/mu) - 1 further failures on average, and the time of a
 * period is mu e^((D + R)/mu) (e^(T/mu) - 1), which at D = 60 s, mu = 30,075 s differs from (mu + D) e^(R/mu) (...) by
 * (D/mu)^2 / 2 = 2e-6. When they are folded in, it is (mu + D + R) (e^(T/mu) - 1). Useful of it is T - C. All this is
 * exact for steps of any length that divide `every`: a step cut by a failure would be rolled back anyway. */
#include <math.h>

#include "tests/claim.h"
#include "tests/rig.h"

static const double mu = 30075, C = 600, R = 600, D = 60;
enum { REPLICAS = 16, PERIODS = 7 };

/* T, in seconds; the best is 6,214. */
static const int64_t period[PERIODS] = {1554, 3106, 5000, 6214, 8000, 12428, 24856};

static struct config job(int64_t period_s)
{
    struct config config = rig_config(CONFIG_DP);
    config.duration_ns = (sim_time)(20000 * mu) * SIM_SECOND;
    config.chips = 1000; /* a slice each, so that hardly any failure hits one that has failed already */
    config.chips_per_slice = 1;
    config.step_time_ns = 2 * SIM_SECOND;
    config.restart_ns = 20 * SIM_SECOND;
    config.restart_per_chip_ns = SIM_SECOND / 25; /* D = 60 s in all */
    config.noticed = CONFIG_AT_ONCE;
    config.overlap = CONFIG_RESTART;
    config.checkpoint_every_ns = (period_s - 600) * SIM_SECOND;
    config.checkpoint_cost_ns = 600 * SIM_SECOND;
    config.checkpoint_restore_ns = 600 * SIM_SECOND;
    rig_add_source(&config, "chip", mu * 1000, rig_constant(0));
    return config;
}

struct sample {
    struct sim_tally efficiency, rollbacks, failures; /* of a run; per checkpoint */
};

static void observe(const struct config *config, struct sample *sample)
{
    sim_tally_init(&sample->efficiency);
    sim_tally_init(&sample->rollbacks);
    sim_tally_init(&sample->failures);
    for (uint32_t replica = 0; replica < REPLICAS; replica++) {
        struct run_result result = rig_run(config, claim_seed(4), replica);
        double checkpoints = result.metric[RUN_METRIC_checkpoints];
        sim_tally_add(&sample->efficiency, result.metric[RUN_METRIC_goodput]);
        sim_tally_add(&sample->rollbacks, result.metric[RUN_METRIC_rollbacks] / checkpoints);
        sim_tally_add(&sample->failures, result.metric[RUN_METRIC_failures] / checkpoints);
        run_result_fini(&result);
    }
}

static void forget(struct sample *sample)
{
    sim_tally_fini(&sample->efficiency);
    sim_tally_fini(&sample->rollbacks);
    sim_tally_fini(&sample->failures);
}

/* The theory lies inside the interval, which is narrower than `width` of it. */
static void expect(const struct sim_tally *tally, const char *what, double theory, double width)
{
    claim_sharp_mean(what, tally, theory, width * theory);
}

START_TEST(failures_start_restart_and_restore_over)
{
    CLAIM_TEST();
    struct config config = job(period[_i]);
    struct sample sample;
    double T = (double)period[_i], failed = expm1(T / mu);
    observe(&config, &sample);
    expect(&sample.efficiency, "efficiency", (T - C) / ((mu + D) * exp(R / mu) * failed), 0.003);
    expect(&sample.rollbacks, "rollbacks per checkpoint", failed, 0.02);
    expect(&sample.failures, "failures per checkpoint", failed * exp((D + R) / mu), 0.02);
    forget(&sample);
}
END_TEST

START_TEST(failures_are_folded_in)
{
    CLAIM_TEST();
    struct config config = job(period[_i]);
    struct sample sample;
    double T = (double)period[_i], failed = expm1(T / mu);
    config.overlap = (enum config_overlap)(_i % CONFIG_RESTART);
    observe(&config, &sample);
    expect(&sample.efficiency, "efficiency", (T - C) / ((mu + D + R) * failed), 0.003);
    expect(&sample.rollbacks, "rollbacks per checkpoint", failed, 0.02);
    forget(&sample);
}
END_TEST

/* Steps of 100 s, noticed at their ends: a failure in the work costs the rest of its step, too; one in a checkpoint is
 * noticed at once. Attempts fail at the end of the k-th of n steps with probability p^(k-1) (1 - p), p = e^(-s/mu), or
 * in the checkpoint after n of them. */
START_TEST(noticed_at_the_end_of_the_step)
{
    CLAIM_TEST();
    struct config config = job(6600);
    double s = 100, n = 60, p = exp(-s / mu), q = exp(-C / mu);
    config.step_time_ns = 100 * SIM_SECOND;
    config.noticed = CONFIG_STEP_END;
    double success = pow(p, n) * q, mean_in_steps = s * (1 - pow(p, n)) / (1 - p); /* steps begun, of one attempt */
    double mean_in_write = pow(p, n) * mu * (1 - q), pause = mu * expm1((D + R) / mu);
    double attempt = mean_in_steps + mean_in_write, period_s = (attempt + (1 - success) * pause) / success;
    struct sample sample;
    observe(&config, &sample);
    expect(&sample.efficiency, "efficiency", 6000 / period_s, 0.003);
    expect(&sample.rollbacks, "rollbacks per checkpoint", (1 - success) / success, 0.02);
    forget(&sample);
}
END_TEST

/* In the background nothing stands still, but what counts of a complete checkpoint is the state at its beginning, C
 * earlier. A period is from one completion to the next: T of undisturbed time, as before, and as before when it begins
 * anew after a failure. Without a failure in it, the state saved advances by T. With one (probability 1 - e^(-T/mu)) it
 * advances by T - C: the job went back to the beginning of the last checkpoint and repeated those C. */
START_TEST(in_the_background)
{
    CLAIM_TEST();
    struct config config = job(6600);
    struct sample sample;
    double T = 6600, failed = expm1(T / mu), cycle = mu * exp((D + R) / mu) * failed;
    config.checkpoint_mode = CONFIG_BACKGROUND;
    observe(&config, &sample);
    expect(&sample.efficiency, "efficiency", (T + C * expm1(-T / mu)) / cycle, 0.003);
    expect(&sample.rollbacks, "rollbacks per checkpoint", failed, 0.02);
    forget(&sample);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analytic checkpoint");
    TCase *tcase = tcase_create("analytic checkpoint");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, failures_start_restart_and_restore_over, 0, PERIODS);
    tcase_add_loop_test(tcase, failures_are_folded_in, 0, PERIODS);
    tcase_add_test(tcase, noticed_at_the_end_of_the_step);
    tcase_add_test(tcase, in_the_background);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
