#include "tests/rig.h"

/* 3 chips for 200 years and a bit: more than 2^53 ns, so that chips x duration in doubles is not what the buckets sum
 * to. */
START_TEST(a_run_without_failures_is_all_useful)
{
    for (int64_t extra = 1; extra < 200; extra++) {
        struct config config = rig_config(CONFIG_ELASTIC_DP);
        config.chips = 3 + extra % 50;
        config.duration_ns = (sim_time)200 * 31557600 * SIM_SECOND + extra * 37;
        struct run_result result = rig_run(&config, 1, 0);
        ck_assert_double_eq(result.metric[RUN_METRIC_goodput], 1);
        ck_assert_double_eq(result.metric[RUN_METRIC_uptime], 1);
        ck_assert_double_eq(result.metric[RUN_METRIC_failures], 0);
        run_result_fini(&result);
    }
}
END_TEST

/* Two learners of 32 chips, K = 2, 1,000 steps of 1 s. */
START_TEST(metrics_of_a_quiet_run)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.learners = config.quorum = 2;
    config.duration_ns = 1000 * SIM_SECOND + SIM_SECOND / 2;
    struct run_result result = rig_run(&config, 1, 0);
    const double *m = result.metric;
    ck_assert_double_eq(m[RUN_METRIC_goodput], 1);
    ck_assert_double_eq(m[RUN_METRIC_quorum_uptime], 1);
    ck_assert_double_eq(m[RUN_METRIC_steps], 2000);
    ck_assert_double_eq(m[RUN_METRIC_tokens], 2000 * 1000);
    ck_assert_double_eq(m[RUN_METRIC_rounds], 1000);
    ck_assert_double_eq(m[RUN_METRIC_participants], 2);
    ck_assert_double_eq_tol(m[RUN_METRIC_syncer_progress], 1000 / 1000.5, 1e-15);
    ck_assert_double_eq_tol(m[RUN_METRIC_quorum_wait_s], 1, 1e-15);
    ck_assert_double_eq(m[RUN_METRIC_grace_s], 0);
    ck_assert_int_eq(result.learners, 2);
    ck_assert_int_eq(result.learner[1].chips, 32);
    ck_assert_int_eq(result.learner[1].steps, 1000);
    ck_assert_int_eq(result.duration_ns, config.duration_ns);
    run_result_fini(&result);
    ck_assert_ptr_null(result.learner);
}
END_TEST

/* The warm-up is left out: 1000 s less 400.25 s; the step that ends in it is not counted. */
START_TEST(a_warm_up_is_left_out)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.warmup_ns = 400 * SIM_SECOND + SIM_SECOND / 4;
    struct run_result result = rig_run(&config, 1, 0);
    ck_assert_int_eq(result.duration_ns, config.duration_ns - config.warmup_ns);
    ck_assert_double_eq(result.metric[RUN_METRIC_goodput], 1);
    ck_assert_double_eq(result.metric[RUN_METRIC_steps], 600);
    ck_assert_double_eq(result.metric[RUN_METRIC_rounds], 600);
    config.warmup_ns = 400 * SIM_SECOND; /* what is due exactly then belongs to the warm-up */
    run_result_fini(&result);
    result = rig_run(&config, 1, 0);
    ck_assert_double_eq(result.metric[RUN_METRIC_steps], 600);
    ck_assert_double_eq(result.metric[RUN_METRIC_rounds], 600);
    run_result_fini(&result);
}
END_TEST

START_TEST(every_metric_has_a_name_and_a_meaning)
{
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        ck_assert(strlen(run_metric_info[i].name) > 0 && strlen(run_metric_info[i].meaning) > 0);
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(run_metric_info[i].name, run_metric_info[j].name);
    }
    ck_assert_str_eq(run_metric_info[RUN_METRIC_goodput].name, "goodput");
    ck_assert_str_eq(run_status_name[RUN_NO_PROGRESS], "no_progress");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run");
    TCase *tcase = tcase_create("run");
    tcase_add_test(tcase, a_run_without_failures_is_all_useful);
    tcase_add_test(tcase, metrics_of_a_quiet_run);
    tcase_add_test(tcase, a_warm_up_is_left_out);
    tcase_add_test(tcase, every_metric_has_a_name_and_a_meaning);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
