#include <math.h>

#include "tests/rig.h"

static struct config until_work(enum config_method method, sim_time work)
{
    struct config config = rig_config(method);
    config.until_work_ns = work;
    return config;
}

static void expect_end(const struct config *config, enum run_status status, sim_time duration)
{
    struct run_result result = rig_run(config, 1, 0);
    ck_assert_int_eq(result.status, status);
    ck_assert_int_eq(result.duration_ns, duration);
    double time_s = result.metric[RUN_METRIC_time_to_train_s];
    if (status == RUN_DONE)
        ck_assert_double_eq(time_s, sim_time_seconds(duration));
    else
        ck_assert_double_nan(time_s);
    run_result_fini(&result);
}

/* 100.5 s of work in steps of 1 s: the 101st completes it; 100 s: the 100th does. */
START_TEST(a_quiet_run_ends_with_the_step_that_completes_the_work)
{
    static const enum config_method method[] = {CONFIG_DP, CONFIG_ELASTIC_DP, CONFIG_DECOUPLED_DILOCO};
    struct config config = until_work(method[_i], 100 * SIM_SECOND + SIM_SECOND / 2);
    expect_end(&config, RUN_DONE, 101 * SIM_SECOND);
    config.until_work_ns = 100 * SIM_SECOND;
    expect_end(&config, RUN_DONE, 100 * SIM_SECOND);
    config.until_work_ns = 1;
    expect_end(&config, RUN_DONE, SIM_SECOND);
}
END_TEST

/* Three learners with 22, 21 and 21 chips, 1,000 tokens a step each: 100 steps of each are 300,000. */
START_TEST(tokens_count_for_all_learners)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.learners = 3;
    config.until_tokens = 300000;
    expect_end(&config, RUN_DONE, 100 * SIM_SECOND);
    config.until_tokens = 300001;
    expect_end(&config, RUN_DONE, 101 * SIM_SECOND);
    config.without_rounds = true; /* nothing makes a learner simulate each step but the work of the others */
    expect_end(&config, RUN_DONE, 101 * SIM_SECOND);
}
END_TEST

/* The warm-up ends within the step from 10 to 11 s; 3/4 of it are work, and 5 s are done at 16 s. As tokens it counts
 * whole, as in the metric. */
START_TEST(work_counts_from_the_end_of_the_warm_up)
{
    struct config config = until_work(CONFIG_ELASTIC_DP, 5 * SIM_SECOND);
    config.warmup_ns = 10 * SIM_SECOND + SIM_SECOND / 4;
    expect_end(&config, RUN_DONE, 5 * SIM_SECOND + 3 * (SIM_SECOND / 4));
    config.warmup_ns = 10 * SIM_SECOND;
    expect_end(&config, RUN_DONE, 5 * SIM_SECOND);
    config.until_work_ns = 0;
    config.until_tokens = 5000;
    config.warmup_ns += SIM_SECOND / 4;
    expect_end(&config, RUN_DONE, 5 * SIM_SECOND - SIM_SECOND / 4);
}
END_TEST

/* At 0.5 s a slice of 8 fails for good. The step still counts; then D = 2 s, and steps of 56 chips: 10 s of work are 64
 * x 10 chip-s, 64 of them done at 1 s, the other 576 in 11 steps (10.3) from 3 s on. */
START_TEST(fewer_chips_take_longer)
{
    struct config config = until_work(CONFIG_ELASTIC_DP, 10 * SIM_SECOND);
    struct rig_failure failure = {.time = SIM_SECOND / 2, .delay = SIM_TIME_NEVER};
    struct world world;
    rig_open(&world, &config);
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_int_eq(world.sim.origin.now, 14 * SIM_SECOND);
    ck_assert(world.until.is_done);
    world_fini(&world);
}
END_TEST

/* An aborted step is not work: 3 steps, the fourth lost at 3.5 s, restart until 13.5 s, and 2 more. */
START_TEST(a_lost_step_is_no_work)
{
    struct config config = until_work(CONFIG_DP, 5 * SIM_SECOND);
    config.noticed = CONFIG_AT_ONCE;
    struct rig_failure failure = {.time = 3 * SIM_SECOND + SIM_SECOND / 2, .delay = SIM_TIME_NEVER};
    struct world world;
    rig_open(&world, &config);
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_int_eq(world.sim.origin.now, 15 * SIM_SECOND + SIM_SECOND / 2);
    world_fini(&world);
}
END_TEST

/* Ten steps, and after the fifth everything since the second is rolled back. */
START_TEST(what_is_rolled_back_is_done_again)
{
    struct config config = until_work(CONFIG_ELASTIC_DP, 10 * SIM_SECOND);
    struct world world;
    config.every_step = true;
    rig_open(&world, &config);
    ck_assert_int_eq(sim_run(&world.sim, 5 * SIM_SECOND), SIM_REACHED_END);
    until_count(&world, &world.learner[0], -(sim_chip_time)64 * 3 * SIM_SECOND, -64 * 3);
    rig_finish(&world);
    ck_assert_int_eq(world.sim.origin.now, 13 * SIM_SECOND);
    world_fini(&world);
}
END_TEST

/* All slices fail for good: nothing is left to happen. */
START_TEST(a_run_that_cannot_finish_is_stalled)
{
    struct config config = until_work(CONFIG_ELASTIC_DP, 500 * SIM_SECOND);
    rig_add_source(&config, "all", 100, rig_constant(1e15));
    expect_end(&config, RUN_STALLED, 1000 * SIM_SECOND);
    config.source_count = 0;
    config.until_work_ns = 1000 * SIM_SECOND; /* the limit is closed, too */
    expect_end(&config, RUN_DONE, 1000 * SIM_SECOND);
    ck_assert_str_eq(run_status_name[RUN_STALLED], "stalled");
}
END_TEST

START_TEST(a_run_of_a_duration_has_no_time_to_train)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    struct run_result result = rig_run(&config, 1, 0);
    ck_assert_int_eq(result.status, RUN_DONE);
    ck_assert_double_nan(result.metric[RUN_METRIC_time_to_train_s]);
    run_result_fini(&result);
}
END_TEST

START_TEST(a_limit_below_the_work_is_refused)
{
    struct config_fault fault;
    struct config config = until_work(CONFIG_ELASTIC_DP, 1000 * SIM_SECOND + 1);
    ck_assert(!config_check(&config, &fault));
    ck_assert_str_eq(fault.key, "until.within");
    config.until_work_ns--;
    ck_assert(config_check(&config, &fault));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("until");
    TCase *tcase = tcase_create("until");
    tcase_add_loop_test(tcase, a_quiet_run_ends_with_the_step_that_completes_the_work, 0, 3);
    tcase_add_test(tcase, tokens_count_for_all_learners);
    tcase_add_test(tcase, work_counts_from_the_end_of_the_warm_up);
    tcase_add_test(tcase, fewer_chips_take_longer);
    tcase_add_test(tcase, a_lost_step_is_no_work);
    tcase_add_test(tcase, what_is_rolled_back_is_done_again);
    tcase_add_test(tcase, a_run_that_cannot_finish_is_stalled);
    tcase_add_test(tcase, a_run_of_a_duration_has_no_time_to_train);
    tcase_add_test(tcase, a_limit_below_the_work_is_refused);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
