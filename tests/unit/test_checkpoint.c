/* Checkpoints at chosen times: every number below is worked out by hand. Four chips, a slice each; a step is 10 ns, a
 * checkpoint is due after 20 of work and costs 5, D = 4, U = 6, restart 20, restore 7, the run 100. "3 steps" are 120
 * chip-ns. Each case twice: step by step, and asleep while nothing happens. */
#include "tests/rig.h"

static struct world world;

enum { FAILURES_MAX = 4 };

struct script {
    struct rig_failure failure[FAILURES_MAX];
    int failures;
    struct rig_absence absence; /* from 0: none */
};

struct sums {
    int64_t useful, lost, checkpoint, restart, down, up, away;
    int64_t checkpoints, rollbacks, steps, steps_lost;
};

static struct config tiny(enum config_method method)
{
    struct config config = rig_config(method);
    config.duration_ns = 100;
    config.chips = 4;
    config.chips_per_slice = 1;
    config.step_time_ns = 10;
    config.downscale_ns = 4;
    config.upscale_ns = 6;
    config.restart_ns = 20;
    config.checkpoint_every_ns = 20;
    config.checkpoint_cost_ns = 5;
    config.checkpoint_restore_ns = 7;
    return config;
}

static const struct script no_failure;

/* Of the first slice, which is back at once. */
static struct script failure_at(sim_time time)
{
    return (struct script){.failure = {{.time = time}}, .failures = 1};
}

static void play(const struct config *config, struct script *script)
{
    rig_open(&world, config);
    for (int i = 0; i < script->failures; i++)
        rig_schedule(&world, &script->failure[i]);
    if (script->absence.from > 0)
        rig_preempt(&world, &script->absence);
    rig_finish(&world);
}

static int64_t bucket(enum run_bucket name)
{
    return (int64_t)rig_bucket(&world, name);
}

static void expect(const struct config *config, const struct script *script, struct sums sums)
{
    static struct script played;
    played = *script;
    play(config, &played);
    const struct learner_count *count = &world.learner[0].count;
    const int64_t found[] = {
        bucket(RUN_BUCKET_useful),
        bucket(RUN_BUCKET_lost),
        bucket(RUN_BUCKET_checkpoint),
        bucket(RUN_BUCKET_restart),
        bucket(RUN_BUCKET_downscale),
        bucket(RUN_BUCKET_upscale),
        bucket(RUN_BUCKET_away),
        world.count.checkpoints,
        world.count.rollbacks,
        count->steps,
        count->steps_lost,
    };
    const int64_t wanted[] = {sums.useful, sums.lost,        sums.checkpoint, sums.restart, sums.down,      sums.up,
                              sums.away,   sums.checkpoints, sums.rollbacks,  sums.steps,   sums.steps_lost};
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++)
        ck_assert_msg(found[i] == wanted[i], "value %zu is %lld, not %lld", i, (long long)found[i],
                      (long long)wanted[i]);
    ck_assert(account_total(&world.learner[0].count.account) == (sim_chip_time)config->chips * config->duration_ns);
    world_fini(&world);
}

static void expect_both_ways(struct config config, struct script script, struct sums sums)
{
    config.every_step = true;
    expect(&config, &script, sums);
    config.every_step = false;
    expect(&config, &script, sums);
}

/* 0-20 steps, 20-25 write, and so on: 4 of 25 = 16 steps of 20 in 100; the fourth is complete at 100. */
START_TEST(without_failures)
{
    struct config config = tiny(CONFIG_DP);
    expect_both_ways(config, no_failure, (struct sums){.useful = 320, .checkpoint = 80, .checkpoints = 4, .steps = 8});
    /* in the background: begun at 20, complete at 25; due 20 of work later, at 45, begun when the step ends at 50; 80
     * and 85; 10 steps */
    config.checkpoint_mode = CONFIG_BACKGROUND;
    expect_both_ways(config, no_failure, (struct sums){.useful = 400, .checkpoints = 3, .steps = 10});
    /* 13 of work is due at the end of the second step; 21 of the third */
    config.checkpoint_mode = CONFIG_BLOCKING;
    config.checkpoint_every_ns = 13;
    expect_both_ways(config, no_failure, (struct sums){.useful = 320, .checkpoint = 80, .checkpoints = 4, .steps = 8});
    config.checkpoint_every_ns = 21; /* 30, 35; 65, 70; 100 begun */
    expect_both_ways(config, no_failure, (struct sums){.useful = 360, .checkpoint = 40, .checkpoints = 2, .steps = 9});
    /* cost and restore of nothing */
    config.checkpoint_cost_ns = config.checkpoint_restore_ns = 0;
    expect_both_ways(config, no_failure, (struct sums){.useful = 400, .checkpoints = 3, .steps = 10});
}
END_TEST

/* 0-20 steps, 20-25 write, 25-35 step, failure at 31, noticed at 35: the step counts and is lost with it. 35-55
 * restart, 55-62 restore, 62-82 steps, 82-87 write, 87-100 step and 3 of the next. */
START_TEST(a_dp_job_goes_back)
{
    struct config config = tiny(CONFIG_DP);
    struct script script = failure_at(31);
    expect_both_ways(config, script,
                     (struct sums){.useful = (20 + 20 + 13) * 4,
                                   .lost = 40,
                                   .checkpoint = 40,
                                   .restart = 27 * 4,
                                   .checkpoints = 2,
                                   .rollbacks = 1,
                                   .steps = 5,
                                   .steps_lost = 1});
    /* at once: 25-31 is lost; 31-58 restart and restore, 58-78 steps, 78-83 write, 83-100 */
    config.noticed = CONFIG_AT_ONCE;
    expect_both_ways(config, script,
                     (struct sums){.useful = (20 + 20 + 17) * 4,
                                   .lost = 6 * 4,
                                   .checkpoint = 40,
                                   .restart = 27 * 4,
                                   .checkpoints = 2,
                                   .rollbacks = 1,
                                   .steps = 5});
    /* 1 ns a chip: 31-55 restart, 55-62 restore, 62-82 steps, 82-87 write, 87-100 */
    config.restart_per_chip_ns = 1;
    expect_both_ways(config, script,
                     (struct sums){.useful = (20 + 20 + 13) * 4,
                                   .lost = 6 * 4,
                                   .checkpoint = 40,
                                   .restart = 31 * 4,
                                   .checkpoints = 2,
                                   .rollbacks = 1,
                                   .steps = 5});
}
END_TEST

/* A failure at 22 voids the checkpoint begun at 20, at once: back to the beginning. 22-49 restart and restore, 49-69
 * steps, 69-74 write, 74-94 steps, 94-99 write, 99-100. */
START_TEST(a_failure_voids_the_unfinished_checkpoint)
{
    struct config config = tiny(CONFIG_DP);
    struct script script = failure_at(22);
    expect_both_ways(config, script,
                     (struct sums){.useful = 41 * 4,
                                   .lost = 20 * 4,
                                   .checkpoint = 12 * 4,
                                   .restart = 27 * 4,
                                   .checkpoints = 2,
                                   .rollbacks = 1,
                                   .steps = 4,
                                   .steps_lost = 2});
    /* in the background: noticed at 30, all 30 lost; 30-57, 57-77 steps, 77-82 write, 82-100; due again at 102. */
    config.checkpoint_mode = CONFIG_BACKGROUND;
    expect_both_ways(config, script,
                     (struct sums){.useful = 43 * 4,
                                   .lost = 30 * 4,
                                   .restart = 27 * 4,
                                   .checkpoints = 1,
                                   .rollbacks = 1,
                                   .steps = 4,
                                   .steps_lost = 3});
    /* at 25 it comes before the completion; at 26 after, and only the step after 20 is lost. */
    script.failure[0].time = 25;
    expect_both_ways(config, script,
                     (struct sums){.useful = 43 * 4,
                                   .lost = 30 * 4,
                                   .restart = 27 * 4,
                                   .checkpoints = 1,
                                   .rollbacks = 1,
                                   .steps = 4,
                                   .steps_lost = 3});
    script.failure[0].time = 26;
    expect_both_ways(config, script,
                     (struct sums){.useful = 63 * 4,
                                   .lost = 10 * 4,
                                   .restart = 27 * 4,
                                   .checkpoints = 2,
                                   .rollbacks = 1,
                                   .steps = 6,
                                   .steps_lost = 1});
}
END_TEST

/* Failures at 3 (noticed at 10), 12 (restarting) and 35 (restoring: 30-37). Folded in: 37-57, 57-62, 62-82, 82-87,
 * 87-100. Started over at 12 and, restart and all, at 35: 10-12, 12-32, 32-35, 35-62, 62-82, 82-87, 87-100. */
START_TEST(failures_in_restart_and_restore)
{
    struct config config = tiny(CONFIG_DP);
    struct script script = {.failure = {{.time = 3, .chip = 0}, {.time = 12, .chip = 1}, {.time = 35, .chip = 2}},
                            .failures = 3};
    struct sums folded = {.useful = 53 * 4,
                          .lost = 10 * 4,
                          .checkpoint = 10 * 4,
                          .restart = 27 * 4,
                          .checkpoints = 2,
                          .rollbacks = 1,
                          .steps = 5,
                          .steps_lost = 1};
    for (int overlap = 0; overlap < CONFIG_RESTART; overlap++) {
        config.overlap = (enum config_overlap)overlap;
        expect_both_ways(config, script, folded);
    }
    config.overlap = CONFIG_RESTART;
    expect_both_ways(config, script,
                     (struct sums){.useful = 33 * 4,
                                   .lost = 10 * 4,
                                   .checkpoint = 5 * 4,
                                   .restart = 52 * 4,
                                   .checkpoints = 1,
                                   .rollbacks = 1,
                                   .steps = 3,
                                   .steps_lost = 1});
}
END_TEST

/* Slice 0 fails at 22, in the checkpoint: three survivors hold the state. 22-26 down, 26-31 write what was due, 31-51
 * steps, 51-56 write, 56-76, 76-81, 81-100; slice 0 never comes back: 12 chip-ns in the pause, 3 a ns from then on. */
START_TEST(an_elastic_job_goes_on_without_a_slice)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    struct script script = {.failure = {{.time = 22, .chip = 0, .delay = SIM_TIME_NEVER}}, .failures = 1};
    expect_both_ways(config, script,
                     (struct sums){.useful = 20 * 4 + 59 * 3,
                                   .checkpoint = 2 * 4 + 15 * 3,
                                   .down = 12,
                                   .away = 78,
                                   .checkpoints = 3,
                                   .steps = 7});
}
END_TEST

/* All four slices must be there. 0-20, 20-25 write; slices 0 and 1 fail at 27, noticed at 35: away, and nobody has
 * the state: the step after 25 is lost. Both are back at 50: 50-56 up, 56-63 restore, 63-83 steps, 83-88, 88-100. */
START_TEST(an_elastic_job_loses_its_state_below_its_minimum)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    struct script script = {.failure = {{.time = 27, .chip = 0, .delay = 23}, {.time = 27, .chip = 1, .delay = 23}},
                            .failures = 2};
    struct sums sums = {.useful = 52 * 4,
                        .lost = 10 * 4,
                        .checkpoint = 10 * 4,
                        .restart = 7 * 4,
                        .up = 6 * 4,
                        .away = 15 * 4,
                        .checkpoints = 2,
                        .rollbacks = 1,
                        .steps = 5,
                        .steps_lost = 1};
    config.min_share = 1;
    expect_both_ways(config, script, sums);
    /* without checkpoints nothing is taken back: 0-30, 30-50 away, 50-56 up, 56-100 */
    config.checkpoint_every_ns = 0;
    expect_both_ways(config, script, (struct sums){.useful = 74 * 4, .up = 24, .away = 80, .steps = 7});
}
END_TEST

/* Taken from 22 to 40, in the checkpoint: back to the beginning. Elastic: 40-46 up, 46-53 restore,
 * 53-73, 73-78 write, 78-98, 98-100 write; dp: 40-60 restart, 60-67 restore, 67-87, 87-92 write, 92-100. */
START_TEST(a_preempted_job_loses_its_state)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    struct script script = {.absence = {.from = 22, .until = 40}};
    expect_both_ways(config, script,
                     (struct sums){.useful = 40 * 4,
                                   .lost = 80,
                                   .checkpoint = 9 * 4,
                                   .restart = 28,
                                   .up = 24,
                                   .away = 72,
                                   .checkpoints = 1,
                                   .rollbacks = 1,
                                   .steps = 4,
                                   .steps_lost = 2});
    config.method = CONFIG_DP;
    expect_both_ways(config, script,
                     (struct sums){.useful = 28 * 4,
                                   .lost = 80,
                                   .checkpoint = 7 * 4,
                                   .restart = 27 * 4,
                                   .away = 72,
                                   .checkpoints = 1,
                                   .rollbacks = 1,
                                   .steps = 2,
                                   .steps_lost = 2});
}
END_TEST

/* The warm-up ends at 27, between a checkpoint and a failure at 31: of the step from 25 to 35 only the 8 ns since then
 * are taken back, and 27-35 of it is lost. Its steps count whole, as everywhere. The rest as above. */
START_TEST(a_rollback_takes_back_nothing_of_the_warm_up)
{
    struct config config = tiny(CONFIG_DP);
    config.warmup_ns = 27;
    struct script script = failure_at(31);
    static struct script played;
    played = script;
    play(&config, &played);
    ck_assert_int_eq(bucket(RUN_BUCKET_useful), 33 * 4);
    ck_assert_int_eq(bucket(RUN_BUCKET_lost), 8 * 4);
    ck_assert_int_eq(bucket(RUN_BUCKET_checkpoint), 5 * 4);
    ck_assert_int_eq(bucket(RUN_BUCKET_restart), 27 * 4);
    ck_assert_int_eq(world.learner[0].count.steps, 3);
    ck_assert_int_eq(world.learner[0].count.steps_lost, 1);
    ck_assert_int_eq(world.learner[0].total.steps, 5);
    world_fini(&world);
}
END_TEST

/* A corruption at 47, found at 80: checkpoints were recorded at 20, 45 and 70, and that of 45 is sound. 75-80 and what
 * was saved at 70 are lost; 80-100 restart. */
static const struct script corrupted = {
    .failure = {{.time = 47,
                 .chip = 0,
                 .config = {.kind = CONFIG_SOURCE_SILENT, .found_after = {SIM_LAW_CONSTANT, {33e-9}}}}},
    .failures = 1};

static struct config tiny_silent(int64_t keep)
{
    struct config config = tiny(CONFIG_DP);
    config.checkpoint_keep = keep;
    rig_add_silent(&config, "silent", 1e9, rig_constant(0), rig_constant(0)); /* says that there may be some */
    return config;
}

START_TEST(corruption_goes_back_to_a_checkpoint_from_before)
{
    expect_both_ways(tiny_silent(2), corrupted,
                     (struct sums){.useful = 40 * 4,
                                   .lost = 25 * 4,
                                   .checkpoint = 15 * 4,
                                   .restart = 20 * 4,
                                   .checkpoints = 3,
                                   .rollbacks = 1,
                                   .steps = 4,
                                   .steps_lost = 2});
    /* only the last is kept: to the beginning */
    expect_both_ways(tiny_silent(1), corrupted,
                     (struct sums){.lost = 65 * 4,
                                   .checkpoint = 15 * 4,
                                   .restart = 20 * 4,
                                   .checkpoints = 3,
                                   .rollbacks = 1,
                                   .steps_lost = 6});
    /* elastic: 80-84 down with three slices, 84-91 restore, 91-100 steps; the slice stays away */
    struct config config = tiny_silent(2);
    config.method = CONFIG_ELASTIC_DP;
    struct script script = corrupted;
    script.failure[0].delay = SIM_TIME_NEVER;
    expect_both_ways(config, script,
                     (struct sums){.useful = 40 * 4 + 9 * 3,
                                   .lost = 25 * 4,
                                   .checkpoint = 15 * 4,
                                   .restart = 7 * 3,
                                   .down = 4 * 3,
                                   .away = 20,
                                   .checkpoints = 3,
                                   .rollbacks = 1,
                                   .steps = 4,
                                   .steps_lost = 2});
}
END_TEST

/* A failure at 48 goes back to what was recorded at 20: nothing is corrupt any more, and nothing is found at 80. 48-68
 * restart, 68-75 restore, 75-95 steps, 95-100 write. */
START_TEST(corruption_that_is_gone_is_not_found)
{
    struct script script = corrupted;
    script.failure[script.failures++] = (struct rig_failure){.time = 48, .chip = 1};
    expect_both_ways(tiny_silent(2), script,
                     (struct sums){.useful = 40 * 4,
                                   .lost = 20 * 4,
                                   .checkpoint = 13 * 4,
                                   .restart = 27 * 4,
                                   .checkpoints = 2,
                                   .rollbacks = 1,
                                   .steps = 4,
                                   .steps_lost = 2});
}
END_TEST

/* Without a checkpoint section: to the beginning, at 80, when the eighth step would end; 80-100 restart. */
START_TEST(corruption_without_checkpoints_goes_back_to_the_beginning)
{
    struct config config = tiny_silent(1);
    config.checkpoint_every_ns = config.checkpoint_restore_ns = 0;
    expect_both_ways(config, corrupted,
                     (struct sums){.lost = 80 * 4, .restart = 20 * 4, .rollbacks = 1, .steps_lost = 7});
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("checkpoint");
    TCase *tests = tcase_create("checkpoint");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, without_failures);
    tcase_add_test(tests, a_dp_job_goes_back);
    tcase_add_test(tests, a_failure_voids_the_unfinished_checkpoint);
    tcase_add_test(tests, failures_in_restart_and_restore);
    tcase_add_test(tests, an_elastic_job_goes_on_without_a_slice);
    tcase_add_test(tests, an_elastic_job_loses_its_state_below_its_minimum);
    tcase_add_test(tests, a_preempted_job_loses_its_state);
    tcase_add_test(tests, a_rollback_takes_back_nothing_of_the_warm_up);
    tcase_add_test(tests, corruption_goes_back_to_a_checkpoint_from_before);
    tcase_add_test(tests, corruption_that_is_gone_is_not_found);
    tcase_add_test(tests, corruption_without_checkpoints_goes_back_to_the_beginning);
    return rig_main(suite);
}
