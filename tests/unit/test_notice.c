/* Preemption that is announced, by hand. Steps of 10; a job of 4 chips, upscale 6, restart 20, checkpoints of 5 that
 * are due after 1000 of work unless a test says otherwise, restore 4. Each run asleep and step by step. */
#include "tests/rig.h"

static struct world world;

static struct config job(enum config_method method, sim_time duration)
{
    struct config config = rig_config(method);
    config.duration_ns = duration;
    config.chips = 4;
    config.chips_per_slice = 1;
    config.step_time_ns = 10;
    config.downscale_ns = 2;
    config.upscale_ns = 6;
    config.restart_ns = 20;
    return config;
}

static struct config with_checkpoints(enum config_method method, sim_time duration)
{
    struct config config = job(method, duration);
    config.checkpoint_every_ns = 1000;
    config.checkpoint_cost_ns = 5;
    config.checkpoint_restore_ns = 4;
    return config;
}

/* Once, in [from, from + lasts). */
static struct config_source *absence(struct config *config, sim_time from, sim_time lasts, sim_time notice)
{
    char name[8] = {(char)('a' + config->source_count)};
    rig_add_preemption(config, name, 0, 0, rig_constant(0));
    struct config_source *source = &config->source[config->source_count - 1];
    source->calendar_every_ns = 1000000;
    source->calendar_from_ns = from;
    source->calendar_lasts_ns = lasts;
    source->notice_ns = notice;
    return source;
}

/* What all its chips did, in the time of one. */
struct sums {
    int64_t useful, lost, checkpoint, restart, upscale, away, checkpoints, steps;
};

static int64_t bucket(enum run_bucket bucket)
{
    return (int64_t)(world.learner[0].count.account.bucket[bucket] / world.learner[0].chips);
}

static void expect_sums(const struct sums *sums)
{
    ck_assert_int_eq(bucket(RUN_BUCKET_useful), sums->useful);
    ck_assert_int_eq(bucket(RUN_BUCKET_lost), sums->lost);
    ck_assert_int_eq(bucket(RUN_BUCKET_checkpoint), sums->checkpoint);
    ck_assert_int_eq(bucket(RUN_BUCKET_restart), sums->restart);
    ck_assert_int_eq(bucket(RUN_BUCKET_upscale), sums->upscale);
    ck_assert_int_eq(bucket(RUN_BUCKET_away), sums->away);
    ck_assert_int_eq(world.count.checkpoints, sums->checkpoints);
    ck_assert_int_eq(world.learner[0].count.steps, sums->steps);
}

static void expect(struct config config, struct sums sums)
{
    for (int every_step = 0; every_step < 2; every_step++) {
        config.every_step = every_step;
        rig_open(&world, &config);
        rig_finish(&world);
        expect_sums(&sums);
        world_fini(&world);
    }
}

/* Three steps, 30-33 lost, back at 54, upscale to 60, four steps. Told by 4 before: the step under way ends at 30, the
 * next would not by 33. Told by 2 before: the step under way will not end. */
START_TEST(a_job_without_checkpoints_stops_between_two_steps)
{
    struct config config = job(CONFIG_ELASTIC_DP, 100);
    absence(&config, 33, 21, _i == 0 ? 0 : _i == 1 ? 2 : _i == 2 ? 4 : 33);
    bool is_told = _i >= 2;
    expect(config,
           (struct sums){.useful = 70, .lost = is_told ? 0 : 3, .upscale = 6, .away = is_told ? 24 : 21, .steps = 7});
}
END_TEST

/* A step that would end at the very moment is lost; a nanosecond before, it counts. */
START_TEST(a_step_must_end_before)
{
    struct config config = job(CONFIG_ELASTIC_DP, 60);
    absence(&config, 30 + _i, 21, 25);
    if (_i == 0) /* 0-20, parked to 30, away to 51, upscale to 57 */
        expect(config, (struct sums){.useful = 20 + 3, .upscale = 6, .away = 31, .steps = 2});
    else
        expect(config, (struct sums){.useful = 30 + 2, .upscale = 6, .away = 22, .steps = 3});
}
END_TEST

/* Taken at 58. Untold: five steps and 8 of another lost, away to 70, restart to 90, restore to 94. */
START_TEST(a_job_that_is_not_told_loses_its_work)
{
    struct config config = with_checkpoints(CONFIG_DP, 114);
    absence(&config, 58, 12, 0);
    expect(config, (struct sums){.useful = 20, .lost = 58, .restart = 24, .away = 12, .steps = 2});
}
END_TEST

/* Told in time: a save takes from 50 to 55, then it waits. */
START_TEST(a_job_that_is_told_saves_its_state)
{
    struct config config = with_checkpoints(CONFIG_DP, 114);
    absence(&config, 58, 12, 8 + 20 * _i);
    expect(
        config,
        (struct sums){.useful = 50 + 20, .checkpoint = 5, .restart = 24, .away = 15, .checkpoints = 1, .steps = 5 + 2});
}
END_TEST

/* In the background it stands still for this one, too: what it would do meanwhile would be lost. */
START_TEST(also_where_checkpoints_are_in_the_background)
{
    struct config config = with_checkpoints(CONFIG_DP, 114);
    config.checkpoint_mode = CONFIG_BACKGROUND;
    absence(&config, 58, 12, 30);
    expect(
        config,
        (struct sums){.useful = 50 + 20, .checkpoint = 5, .restart = 24, .away = 15, .checkpoints = 1, .steps = 5 + 2});
}
END_TEST

/* Taken at 58, told at 51 or later, in a step that ends at 60: it is stopped at 52, the last moment to save in time.
 * Told at 53 there is none: everything is lost, as if untold. */
START_TEST(a_step_that_would_last_too_long_is_stopped)
{
    struct config config = with_checkpoints(CONFIG_DP, 114);
    absence(&config, 58, 12, _i == 0 ? 7 : _i == 1 ? 6 : 5);
    if (_i < 2)
        expect(config, (struct sums){.useful = 50 + 20,
                                     .lost = 2,
                                     .checkpoint = 5,
                                     .restart = 24,
                                     .away = 13,
                                     .checkpoints = 1,
                                     .steps = 5 + 2});
    else
        expect(config, (struct sums){.useful = 20, .lost = 58, .restart = 24, .away = 12, .steps = 2});
}
END_TEST

/* The run ends at 56, in the save: the 2 of the step that was stopped are lost all the same. */
START_TEST(what_is_stopped_is_lost_when_nothing_goes_back_any_more)
{
    struct config config = with_checkpoints(CONFIG_DP, 56);
    absence(&config, 58, 12, 7 - _i);
    expect(config, (struct sums){.useful = 50, .lost = 2, .checkpoint = 4, .steps = 5});
}
END_TEST

/* One is due at 50 anyway, and complete at 55: nothing is to be saved again, and it waits. Due at 40, complete at 45:
 * no time for a step and a save of it by 57. */
START_TEST(what_is_saved_is_not_saved_again)
{
    struct config config = with_checkpoints(CONFIG_DP, 58);
    config.checkpoint_every_ns = 50 - 10 * _i;
    absence(&config, 58, 12, 30);
    if (_i == 0)
        expect(config, (struct sums){.useful = 50, .checkpoint = 5, .away = 3, .checkpoints = 1, .steps = 5});
    else
        expect(config, (struct sums){.useful = 40, .checkpoint = 5, .away = 13, .checkpoints = 1, .steps = 4});
}
END_TEST

/* Chip 3 fails at 11 and is let go of at 20, downscale to 22. Back at 33 it is taken in from 42 to 48, a step, a save
 * from 58. Back at 43 it is not: from 52 an upscale and a step would last to 68, past 63, the last moment to save. */
START_TEST(it_does_not_rebuild_itself_in_its_last_moments)
{
    static struct rig_failure failure;
    struct config config = with_checkpoints(CONFIG_ELASTIC_DP, 69);
    failure = (struct rig_failure){.time = 11, .chip = 3, .delay = 22 + 10 * _i};
    absence(&config, 69, 12, 60);
    rig_open(&world, &config);
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_int_eq(world.count.reconfigurations, 2 - _i);
    ck_assert_int_eq(world.count.checkpoints, 1);
    ck_assert_int_eq(world.learner[0].checkpoint.kept[0].taken_ns, 58 + 4 * _i);
    world_fini(&world);
}
END_TEST

/* A syncer: it stays connected to the end, so that its last step counts in a round. Two learners, K = 2: rounds at 10,
 * 20, 30, and at 40 not any more. */
START_TEST(the_last_step_of_a_learner_is_merged)
{
    struct config config = job(CONFIG_DECOUPLED_DILOCO, 100);
    config.learners = config.quorum = 2;
    config.sync_every = config.fragments = 3;
    absence(&config, 33, 1000, 5);
    for (int every_step = 0; every_step < 2; every_step++) {
        config.every_step = every_step;
        rig_open(&world, &config);
        (void)sim_run(&world.sim, 31);
        ck_assert_int_eq(world.learner[0].state, LEARNER_PARKED);
        ck_assert_int_eq(world.syncer.count.rounds, 3);
        rig_finish(&world);
        ck_assert_int_eq(world.learner[0].state, LEARNER_PREEMPTED);
        ck_assert_int_eq(world.learner[0].count.steps, 3);
        ck_assert_int_eq(bucket(RUN_BUCKET_lost), 0);
        ck_assert_int_eq(world.learner[1].count.steps, 4 + 2); /* tau beyond the oldest that is owed */
        world_fini(&world);
    }
}
END_TEST

/* Two sources: taken at 40 by one and at 75 by the other, which told it at 38. Back at 50, upscale to 56, it knows of
 * 75: one step to 66. */
START_TEST(who_is_back_knows_what_it_was_told_before)
{
    struct config config = job(CONFIG_ELASTIC_DP, 80);
    absence(&config, 40, 10, 0);
    absence(&config, 75, 10, 37);
    expect(config, (struct sums){.useful = 30 + 10, .lost = 10, .upscale = 6, .away = 10 + 9 + 5, .steps = 4});
}
END_TEST

/* Of two notices the sooner counts. */
START_TEST(the_sooner_of_two)
{
    struct config config = job(CONFIG_ELASTIC_DP, 60);
    absence(&config, 57, 100, 50);
    absence(&config, 33, 100, 20);
    expect(config, (struct sums){.useful = 30, .away = 30, .steps = 3});
}
END_TEST

/* Two learners of 4 chips. A failure at 3 is handled from 10 to 15; there is no time for another step until 25. Another
 * one meanwhile, at 12, is for later: for the update at 20, from there to 25. Three chips for 5, two for 5. */
START_TEST(what_failed_while_it_rebuilt_itself_goes_with_the_next_update)
{
    struct config config = job(CONFIG_DECOUPLED_DILOCO, 50);
    config.chips = 8;
    config.learners = 2;
    config.fragments = config.sync_every = 4;
    config.downscale_ns = 5;
    config.overlap = CONFIG_NEXT_STEP;
    config.every_step = _i;
    absence(&config, 25, 1000, 25);
    struct rig_failure first = {.time = 3, .chip = 0, .delay = SIM_TIME_NEVER};
    struct rig_failure second = {.time = 12, .chip = 1, .delay = SIM_TIME_NEVER};
    rig_open(&world, &config);
    rig_schedule(&world, &first);
    rig_schedule(&world, &second);
    rig_finish(&world);
    ck_assert_int_eq((int64_t)world.learner[0].count.account.bucket[RUN_BUCKET_downscale], 3 * 5 + 2 * 5);
    ck_assert_int_eq(world.count.reconfigurations, 2);
    world_fini(&world);
}
END_TEST

/* At random, the absences are those without notice, and a step is never lost but when it was told too late. */
START_TEST(notice_moves_no_absence)
{
    struct config config = job(CONFIG_ELASTIC_DP, 1000000);
    rig_add_preemption(&config, "spot", 0, 500e-9, rig_exponential(100e-9));
    struct run_result untold = rig_run(&config, 3, 0);
    config.source[0].notice_ns = 10;
    struct run_result told = rig_run(&config, 3, 0);
    ck_assert_double_eq(told.metric[RUN_METRIC_interruptions], untold.metric[RUN_METRIC_interruptions]);
    ck_assert_double_eq(told.metric[RUN_METRIC_steps], untold.metric[RUN_METRIC_steps]);
    ck_assert(untold.learner[0].bucket[RUN_BUCKET_lost] > 0);
    ck_assert(told.learner[0].bucket[RUN_BUCKET_lost] == 0);
    run_result_fini(&untold);
    run_result_fini(&told);
}
END_TEST

static void add_jobs(TCase *tcase)
{
    tcase_add_loop_test(tcase, a_job_without_checkpoints_stops_between_two_steps, 0, 4);
    tcase_add_loop_test(tcase, a_step_must_end_before, 0, 2);
    tcase_add_test(tcase, a_job_that_is_not_told_loses_its_work);
    tcase_add_loop_test(tcase, a_job_that_is_told_saves_its_state, 0, 2);
    tcase_add_test(tcase, also_where_checkpoints_are_in_the_background);
    tcase_add_loop_test(tcase, a_step_that_would_last_too_long_is_stopped, 0, 3);
    tcase_add_loop_test(tcase, what_is_stopped_is_lost_when_nothing_goes_back_any_more, 0, 2);
    tcase_add_loop_test(tcase, what_is_saved_is_not_saved_again, 0, 2);
    tcase_add_loop_test(tcase, it_does_not_rebuild_itself_in_its_last_moments, 0, 2);
}

int main(void)
{
    Suite *suite = suite_create("notice");
    TCase *tcase = tcase_create("notice");
    add_jobs(tcase);
    tcase_add_test(tcase, the_last_step_of_a_learner_is_merged);
    tcase_add_test(tcase, who_is_back_knows_what_it_was_told_before);
    tcase_add_test(tcase, the_sooner_of_two);
    tcase_add_loop_test(tcase, what_failed_while_it_rebuilt_itself_goes_with_the_next_update, 0, 2);
    tcase_add_test(tcase, notice_moves_no_absence);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
