/* Runs that end when their work is done.
 *
 * dp in closed form: a step of length s is hit with probability q = 1 - exp(-s N / MTBI), independently of the others,
 * and every hit costs a restart R, failures within it included. n steps take n s + R x (hits in the first n - 1): the
 * last step ends the run whether it was hit or not. So the mean time to train is n s + (n - 1) q R, exactly. */
#include <math.h>

#include "sim/tally.h"
#include "tests/chance.h"

enum { CASES = 3000 };

/* A tiny world with some work to do, in time or in tokens. */
static struct config draw_config(uint64_t number)
{
    chance_state = number * 2 + 1;
    struct config config = chance_tiny_world();
    config.warmup_ns = chance(2) ? 0 : chance(200);
    int64_t work = 1 + chance(400);
    if (chance(2))
        config.until_work_ns = work;
    else
        config.until_tokens = (double)(work * config.learners * 100);
    config.without_rounds = chance(2);
    return config;
}

static void expect_same(uint64_t number, const struct run_result *a, const struct run_result *b, int metrics)
{
    if (a->duration_ns != b->duration_ns || (metrics == RUN_METRIC_COUNT && a->status != b->status))
        ck_abort_msg("%llu: ended at %lld and %lld ns", (unsigned long long)number, (long long)a->duration_ns,
                     (long long)b->duration_ns);
    for (int i = 0; i < metrics; i++)
        if (memcmp(&a->metric[i], &b->metric[i], sizeof a->metric[i]) != 0)
            ck_abort_msg("%llu: %s is %.17g and %.17g", (unsigned long long)number, run_metric_info[i].name,
                         a->metric[i], b->metric[i]);
    for (int64_t i = 0; i < a->learners; i++)
        if (memcmp(&a->learner[i].bucket, &b->learner[i].bucket, sizeof a->learner[i].bucket) != 0)
            ck_abort_msg("%llu: learner %lld differs", (unsigned long long)number, (long long)i);
}

/* Asleep or step by step: the same end, to the nanosecond, and the same numbers. */
START_TEST(sleeping_changes_nothing)
{
    int done = 0;
    for (uint64_t number = 0; number < CASES; number++) {
        struct config config = draw_config(number);
        struct run_result a = rig_run(&config, number, 0);
        config.every_step = true;
        struct run_result b = rig_run(&config, number, 0);
        expect_same(number, &a, &b, RUN_METRIC_COUNT);
        done += a.status == RUN_DONE;
        run_result_fini(&a);
        run_result_fini(&b);
    }
    ck_assert_int_gt(done, CASES / 2);
    ck_assert_int_lt(done, CASES);
}
END_TEST

/* The same as a run of that duration, which has no time to train. */
START_TEST(the_end_is_like_any_other)
{
    for (uint64_t number = 0; number < CASES; number++) {
        struct config config = draw_config(number);
        struct run_result a = rig_run(&config, number, 0);
        config.until_work_ns = 0;
        config.until_tokens = 0;
        config.duration_ns = a.duration_ns + config.warmup_ns;
        struct run_result b = rig_run(&config, number, 0);
        if (a.metric[RUN_METRIC_rollbacks] == b.metric[RUN_METRIC_rollbacks]) /* work that is done is not taken back */
            expect_same(number, &a, &b, RUN_METRIC_time_to_train_s);
        ck_assert_double_nan(b.metric[RUN_METRIC_time_to_train_s]);
        run_result_fini(&a);
        run_result_fini(&b);
    }
}
END_TEST

/* At the end the tokens are there, a nanosecond before they are not. Learners add theirs in doubles. */
START_TEST(it_ends_as_soon_as_the_tokens_are_there)
{
    for (uint64_t number = 0; number < CASES; number++) {
        struct config config = draw_config(number);
        double wanted = config.until_tokens > 0 ? config.until_tokens : 1000;
        config.until_work_ns = 0;
        config.until_tokens = wanted;
        struct run_result a = rig_run(&config, number, 0);
        config.until_tokens = 0;
        config.duration_ns = a.duration_ns + config.warmup_ns - 1;
        bool is_done = a.status == RUN_DONE;
        ck_assert_msg(is_done == (a.metric[RUN_METRIC_tokens] >= wanted - 1e-6), "%llu", (unsigned long long)number);
        run_result_fini(&a);
        if (!is_done || config.duration_ns <= config.warmup_ns)
            continue;
        struct run_result b = rig_run(&config, number, 0);
        ck_assert_msg(b.metric[RUN_METRIC_tokens] < wanted - 1e-6, "%llu", (unsigned long long)number);
        run_result_fini(&b);
    }
}
END_TEST

static void expect_time_to_train(const struct config *config, double theory_s, double width_s)
{
    enum { REPLICAS = 40 };
    struct sim_tally tally;
    sim_tally_init(&tally);
    for (uint32_t replica = 0; replica < REPLICAS; replica++) {
        struct run_result result = rig_run(config, 4, replica);
        ck_assert_int_eq(result.status, RUN_DONE);
        sim_tally_add(&tally, result.metric[RUN_METRIC_time_to_train_s]);
        run_result_fini(&result);
    }
    double mean = sim_tally_mean(&tally), half = sim_tally_half_width(&tally, 0.99);
    sim_tally_fini(&tally);
    ck_assert_msg(half < width_s, "+- %g s is too wide", half);
    ck_assert_msg(fabs(mean - theory_s) < half, "%.1f +- %.1f s, theory %.1f s", mean, half, theory_s);
}

START_TEST(dp_in_closed_form)
{
    static const int64_t size[] = {150000, 600000, 2400000};
    struct config config = rig_config(CONFIG_DP);
    config.duration_ns = (sim_time)365 * 86400 * SIM_SECOND;
    config.chips = size[_i];
    config.chips_per_slice = 256;
    config.step_time_ns = 6500000000;
    config.restart_ns = 84 * SIM_SECOND;
    rig_add_source(&config, "chip", 31557600, rig_exponential(3600));
    double n = 20000, q = -expm1(-6.5 * (double)config.chips / 31557600), theory = n * 6.5 + (n - 1) * q * 84;
    config.until_work_ns = (sim_time)n * config.step_time_ns;
    expect_time_to_train(&config, theory, theory * 0.01);
    config.until_work_ns = 0;
    config.until_tokens = n * config.tokens_per_step;
    expect_time_to_train(&config, theory, theory * 0.01);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("until");
    TCase *tcase = tcase_create("until");
    tcase_add_test(tcase, sleeping_changes_nothing);
    tcase_add_test(tcase, the_end_is_like_any_other);
    tcase_add_test(tcase, it_ends_as_soon_as_the_tokens_are_there);
    tcase_add_loop_test(tcase, dp_in_closed_form, 0, 3);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
