/* Learners with failures at chosen times: every number below is worked out by hand. Four chips, a slice each; a step is
 * 10 ns, D = 4, U = 6, the run 100: 400 chip-ns in all. "9/3" in the comments: 9 chip-ns in the state, 3 away. */
#include "tests/rig.h"

static struct world world;

enum { FAILURES_MAX = 4, NEVER = -1 };

struct script {
    struct {
        sim_time time;
        int64_t slice;
        sim_time delay;
    } failure[FAILURES_MAX];
    int failures;
};

struct sums {
    int64_t useful, lost, down, up, restart, away;
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
    return config;
}

static void play(const struct config *config, const struct script *script)
{
    static struct rig_failure failure[FAILURES_MAX];
    rig_open(&world, config);
    for (int i = 0; i < script->failures; i++) {
        sim_time delay = script->failure[i].delay;
        failure[i] = (struct rig_failure){
            .time = script->failure[i].time,
            .chip = script->failure[i].slice,
            .delay = delay == NEVER ? SIM_TIME_NEVER : delay,
        };
        rig_schedule(&world, &failure[i]);
    }
    rig_finish(&world);
}

static void expect(const struct config *config, const struct script *script, struct sums sums)
{
    play(config, script);
    ck_assert_int_eq((int64_t)rig_bucket(&world, RUN_BUCKET_useful), sums.useful);
    ck_assert_int_eq((int64_t)rig_bucket(&world, RUN_BUCKET_lost), sums.lost);
    ck_assert_int_eq((int64_t)rig_bucket(&world, RUN_BUCKET_downscale), sums.down);
    ck_assert_int_eq((int64_t)rig_bucket(&world, RUN_BUCKET_upscale), sums.up);
    ck_assert_int_eq((int64_t)rig_bucket(&world, RUN_BUCKET_restart), sums.restart);
    ck_assert_int_eq((int64_t)rig_bucket(&world, RUN_BUCKET_away), sums.away);
    ck_assert(account_total(&world.learner[0].count.account) == (sim_chip_time)config->chips * config->duration_ns);
    world_fini(&world);
}

/* Twice: step by step, and asleep while nothing happens. */
static void expect_both_ways(struct config config, struct script script, struct sums sums)
{
    config.every_step = true;
    expect(&config, &script, sums);
    config.every_step = false;
    expect(&config, &script, sums);
}

/* step_end: slice 0 fails at 3 and is back at 12; slice 1 fails at 13, during the downscale, and is back at 43; slice 2
 * fails at 61 and is back within the same step (restart: the step ends at 69, else at 70 or 66). at_once: the same, but
 * slice 1 fails at 5 and is back at 35, and slice 2 is back in the nanosecond in which it fails. */
static const struct script script_of[CONFIG_NOTICED_COUNT] = {
    [CONFIG_STEP_END] = {{{3, 0, 9}, {13, 1, 30}, {61, 2, 2}}, 3},
    [CONFIG_AT_ONCE] = {{{3, 0, 9}, {5, 1, 30}, {61, 2, 0}}, 3},
};

static const struct {
    enum config_noticed noticed;
    enum config_overlap overlap;
    enum config_both both;
    struct sums sums;
} combination[] = {
    /* 0-10 step 40. 10-13 down 9/3, 13-14 2/2. 14-44 steps 90/30. 44-50 up 24. 50-70 steps 80.
     * sum: 70-74 down 12/4, 74-80 up 24, 80-100 steps 80. max: 70-76 up 24, 76-100 steps 96. */
    {CONFIG_STEP_END, CONFIG_FOLD, CONFIG_SUM, {290, 0, 23, 48, 0, 39}},
    {CONFIG_STEP_END, CONFIG_FOLD, CONFIG_MAX, {306, 0, 11, 48, 0, 35}},
    /* 0-10 step 40. 10-14 down 12/4. 14-24 step 30/10 with the failed slice 1.
     * sum: 24-28 down 8/8, 28-34 up 18/6, 34-44 step 30/10, 44-50 up 24, 50-70 steps 80, 70-74 12/4, 74-80 24,
     * 80-100 80. max: 24-30 up 18/6, 30-50 steps 60/20, 50-56 up 24, 56-66 step 40, 66-72 up 24, 72-100 steps 112. */
    {CONFIG_STEP_END, CONFIG_NEXT_STEP, CONFIG_SUM, {260, 0, 32, 66, 0, 42}},
    {CONFIG_STEP_END, CONFIG_NEXT_STEP, CONFIG_MAX, {282, 0, 12, 66, 0, 40}},
    /* 0-10 step 40. 10-13 down 9/3, 13-14 2/2, 14-18 down 8/8. 18-28 step 20/20. 28-34 up 18/6. 34-44 step 30/10. 44-50
     * up 24. 50-70 steps 80. Then as fold. */
    {CONFIG_STEP_END, CONFIG_QUEUE, CONFIG_SUM, {250, 0, 31, 66, 0, 53}},
    {CONFIG_STEP_END, CONFIG_QUEUE, CONFIG_MAX, {266, 0, 19, 66, 0, 49}},
    /* 0-10 step 40. 10-13 down 9/3, 13-17 down 8/8. 17-27 step 20/20. 27-33 up 18/6. 33-43 step 30/10. 43-49 up 24.
     * 49-69 80. sum: 69-73 12/4, 73-79 24, 79-100 84. max: 69-75 24, 75-100 100. */
    {CONFIG_STEP_END, CONFIG_RESTART, CONFIG_SUM, {254, 0, 29, 66, 0, 51}},
    {CONFIG_STEP_END, CONFIG_RESTART, CONFIG_MAX, {270, 0, 17, 66, 0, 47}},
    /* 0-3 lost 12. 3-5 down 6/2, 5-7 4/4. 7-17 step 20/20. 17-23 up 18/6. 23-43 steps 60/20. 43-49 up 24. 49-59
     * step 40. 59-61 lost 8. sum: 61-65 down 12/4, 65-71 up 24, 71-100 steps 116. max: 61-67 up 24, 67-100 steps 132.
     */
    {CONFIG_AT_ONCE, CONFIG_FOLD, CONFIG_SUM, {236, 20, 22, 66, 0, 56}},
    {CONFIG_AT_ONCE, CONFIG_FOLD, CONFIG_MAX, {252, 20, 10, 66, 0, 52}},
    /* 0-3 lost 12. 3-7 down 12/4. 7-11 down 8/8. 11-21 step 20/20. 21-27 up 18/6. 27-37 step 30/10. 37-43 up 24. 43-53
     * step 40. 53-61 lost 32. Then as fold. */
    {CONFIG_AT_ONCE, CONFIG_NEXT_STEP, CONFIG_SUM, {206, 44, 32, 66, 0, 52}},
    {CONFIG_AT_ONCE, CONFIG_NEXT_STEP, CONFIG_MAX, {222, 44, 20, 66, 0, 48}},
    /* The same, but slice 1 leaves at 5: 3-5 down 6/2, 5-7 4/4, 7-11 8/8. */
    {CONFIG_AT_ONCE, CONFIG_QUEUE, CONFIG_SUM, {206, 44, 30, 66, 0, 54}},
    {CONFIG_AT_ONCE, CONFIG_QUEUE, CONFIG_MAX, {222, 44, 18, 66, 0, 50}},
    /* 0-3 lost 12. 3-5 down 6/2, 5-9 8/8. 9-19 step 20/20. 19-25 up 18/6. 25-35 step 30/10. 35-41 up 24. 41-51 step 40.
     * 51-61 lost 40: a failure on the edge belongs to the step that ends. Then as fold. */
    {CONFIG_AT_ONCE, CONFIG_RESTART, CONFIG_SUM, {206, 52, 26, 66, 0, 50}},
    {CONFIG_AT_ONCE, CONFIG_RESTART, CONFIG_MAX, {222, 52, 14, 66, 0, 46}},
};

START_TEST(every_combination_of_the_rules)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    config.noticed = combination[_i].noticed;
    config.overlap = combination[_i].overlap;
    config.both = combination[_i].both;
    expect_both_ways(config, script_of[config.noticed], combination[_i].sums);
}
END_TEST

/* max is booked to the longer: D = 6, U = 4, slice 0 away from 3 to 5. 0-10 step 40. 10-16 down 18/6, 16-100 steps 336.
 */
START_TEST(max_is_booked_to_the_longer)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    config.both = CONFIG_MAX;
    config.downscale_ns = 6;
    config.upscale_ns = 4;
    const struct script script = {{{3, 0, 2}}, 1};
    expect_both_ways(config, script, (struct sums){376, 0, 18, 0, 0, 6});
    config.upscale_ns = 6; /* equal: one of them, not both */
    expect_both_ways(config, script, (struct sums){376, 0, 18, 0, 0, 6});
    config.both = CONFIG_SUM; /* 10-16 18/6, 16-22 up 24, 22-100 steps 312 */
    expect_both_ways(config, script, (struct sums){352, 0, 18, 24, 0, 6});
}
END_TEST

/* D = 0. 0-10 step 40, 10-16 up 24: none before 10 + every. 16-26 step 40; slice 1, away from 23 to 25, must wait.
 * 50, 56: 26-66 steps 120/40, 66-72 up 24, 72-100 steps 112. 57: 26-76 150/50, 76-82 up 24, 82-100 72. */
START_TEST(upscales_keep_their_distance)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    config.downscale_ns = 0;
    const struct script script = {{{3, 0, 2}, {23, 1, 2}}, 2};
    config.upscale_every_ns = 50;
    expect_both_ways(config, script, (struct sums){312, 0, 0, 48, 0, 40});
    config.upscale_every_ns = 56;
    expect_both_ways(config, script, (struct sums){312, 0, 0, 48, 0, 40});
    config.upscale_every_ns = 57;
    expect_both_ways(config, script, (struct sums){302, 0, 0, 48, 0, 50});
}
END_TEST

/* Slices 0 and 1 away from 3 to 43 and from 4 to 64. 0-10 step 40. 10-43 fewer than three: 132 away, no downscale.
 * 43-49 up 18/6, 49-69 steps 60/20, 69-75 up 24, 75-100 steps 100. One chip is enough: 10-14 down 8/8, 14-44 steps
 * 60/60, 44-50 up 18/6, 50-70 60/20, 70-76 up 24, 76-100 96. */
START_TEST(below_min_share_everybody_waits)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    const struct script script = {{{3, 0, 40}, {4, 1, 60}}, 2};
    config.min_share = 0.75;
    expect_both_ways(config, script, (struct sums){200, 0, 0, 42, 0, 158});
    config.min_share = 0.7;
    expect_both_ways(config, script, (struct sums){200, 0, 0, 42, 0, 158});
    config.min_share = 0.25;
    expect_both_ways(config, script, (struct sums){256, 0, 8, 42, 0, 94});
    config.min_share = 0;
    expect_both_ways(config, script, (struct sums){256, 0, 8, 42, 0, 94});
}
END_TEST

/* 0.55 x 100 chips is 55, not 56: with 45 gone the learner goes on. 0-10 step 1000, 10-14 down 220, 14-100 steps 4730.
 */
START_TEST(min_share_is_not_raised_by_rounding)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    config.chips = 100;
    config.chips_per_slice = 45;
    config.min_share = 0.55;
    const struct script script = {{{3, 0, NEVER}}, 1};
    expect_both_ways(config, script, (struct sums){1000 + 4730, 0, 220, 0, 0, 90 * 45});
    config.min_share = 0.551;
    expect_both_ways(config, script, (struct sums){1000, 0, 0, 0, 0, 9000});
}
END_TEST

/* Slice 0 away from 3 to 13: 0-10 step 40, 10-20 step 30/10, 20-100 steps 320. At once: 0-3 lost 12, 3-13 step 30/10,
 * then all. */
START_TEST(reconfiguring_may_take_no_time)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    config.downscale_ns = config.upscale_ns = 0;
    const struct script script = {{{3, 0, 10}}, 1};
    for (int overlap = 0; overlap < CONFIG_OVERLAP_COUNT; overlap++) {
        config.overlap = (enum config_overlap)overlap;
        config.noticed = CONFIG_STEP_END;
        expect_both_ways(config, script, (struct sums){390, 0, 0, 0, 0, 10});
        config.noticed = CONFIG_AT_ONCE;
        expect_both_ways(config, script, (struct sums){378, 12, 0, 0, 0, 10});
    }
}
END_TEST

/* Slice 0 never comes back: 3 chips down for 4, then steps to the end. */
static const struct {
    sim_time failure, end;
    struct sums at_step_end, at_once;
} moment[] = {
    {0, 100, {40 + 258, 0, 12, 0, 0, 90}, {288, 0, 12, 0, 0, 100}},  /* at time 0 nothing is lost */
    {10, 100, {40 + 258, 0, 12, 0, 0, 90}, {258, 40, 12, 0, 0, 90}}, /* the edge belongs to the step that ends */
    {11, 100, {80 + 228, 0, 12, 0, 0, 80}, {40 + 255, 4, 12, 0, 0, 89}},
    {100, 100, {400, 0, 0, 0, 0, 0}, {360, 40, 0, 0, 0, 0}}, /* the end of the run is closed */
    {95, 95, {380, 0, 0, 0, 0, 0}, {360, 20, 0, 0, 0, 0}},   /* in a step that the end cuts */
    {88,
     93,
     {360, 0, 9, 0, 0, 3},
     {320 + 3, 32, 12, 0, 0, 4 + 1}},                       /* the end cuts the downscale, or the step after it */
    {101, 100, {400, 0, 0, 0, 0, 0}, {400, 0, 0, 0, 0, 0}}, /* past the end */
};

START_TEST(edges_of_the_run_and_of_its_steps)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    config.duration_ns = moment[_i].end;
    const struct script script = {{{moment[_i].failure, 0, NEVER}}, 1};
    config.noticed = CONFIG_STEP_END;
    expect_both_ways(config, script, moment[_i].at_step_end);
    config.noticed = CONFIG_AT_ONCE;
    expect_both_ways(config, script, moment[_i].at_once);
}
END_TEST

START_TEST(two_failures_at_the_end_and_a_repair_after_it)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    const struct script script = {{{100, 0, 5}, {100, 1, 0}}, 2};
    play(&config, &script);
    ck_assert_int_eq(world.count.failures, 2);
    ck_assert_int_eq(world.count.repairs, 1);
    ck_assert_int_eq(world.sim.origin.now, 100);
    ck_assert_int_eq((int64_t)rig_bucket(&world, RUN_BUCKET_useful), 400);
    world_fini(&world);
}
END_TEST

/* A chip of an absent slice does not fail; a second failure of a slice that has not left counts once, too. */
START_TEST(absent_slices_do_not_fail)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    const struct script script = {{{3, 0, 30}, {4, 0, 1}, {20, 0, 1}, {33, 0, 1}}, 4};
    play(&config, &script);
    ck_assert_int_eq(world.count.failures, 1);
    ck_assert_int_eq(world.count.interruptions, 1);
    ck_assert_int_eq(world.count.repairs, 1);
    world_fini(&world);
}
END_TEST

/* dp, restart 20. Failure at 3: 0-10 step 40, 10-30 restart 80, 30-100 steps 280. A second one at 15 is folded in, or
 * starts it over: 15-35, steps 260. One at 30, as the restart ends, is folded in. At once: 0-3 lost 12, 3-23 restart,
 * 23-100 308. */
START_TEST(dp_restarts_whole)
{
    struct config config = tiny(CONFIG_DP);
    const struct script one = {{{3, 0, 50}}, 1}, two = {{{3, 0, 50}, {15, 1, 50}}, 2},
                        edge = {{{3, 0, 1}, {30, 1, 1}}, 2};
    for (int overlap = 0; overlap < CONFIG_OVERLAP_COUNT; overlap++) {
        config.overlap = (enum config_overlap)overlap;
        bool starts_over = overlap == CONFIG_RESTART;
        expect_both_ways(config, one, (struct sums){320, 0, 0, 0, 80, 0});
        expect_both_ways(config, two,
                         starts_over ? (struct sums){300, 0, 0, 0, 100, 0} : (struct sums){320, 0, 0, 0, 80, 0});
        expect_both_ways(config, edge,
                         starts_over ? (struct sums){240, 0, 0, 0, 160, 0} : (struct sums){320, 0, 0, 0, 80, 0});
    }
    config.overlap = CONFIG_FOLD;
    config.noticed = CONFIG_AT_ONCE;
    expect_both_ways(config, one, (struct sums){308, 12, 0, 0, 80, 0});
}
END_TEST

START_TEST(dp_replaces_within_the_restart)
{
    struct config config = tiny(CONFIG_DP);
    const struct script script = {{{3, 0, NEVER}, {15, 1, NEVER}, {45, 0, NEVER}}, 3};
    play(&config, &script);
    ck_assert_int_eq(world.count.failures, 3);
    ck_assert_int_eq(world.count.interruptions, 2);
    ck_assert_int_eq(world.count.repairs, 3);
    ck_assert_int_eq(world.count.reconfigurations, 0);
    world_fini(&world);
}
END_TEST

/* Slices 0 and 1 away from 3 to 12 and from 4 to 44: down at 10, up at 24 (after a step that slice 0 missed, under
 * `queue`), ... */
START_TEST(counters_by_hand)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    config.overlap = CONFIG_QUEUE;
    const struct script script = {{{3, 0, 9}, {4, 1, 40}}, 2};
    play(&config, &script); /* 0-10, down 10-14, 14-24, up 24-30, 30-40-50, up 50-56, 56-66-76-86-96-100 */
    ck_assert_int_eq(world.count.interruptions, 1);
    ck_assert_int_eq(world.count.reconfigurations, 3);
    ck_assert_int_eq(world.learner[0].count.steps, 1 + 1 + 2 + 4);
    ck_assert_int_eq((int64_t)world.learner[0].count.chip_steps, 4 + 2 + 3 * 2 + 4 * 4);
    ck_assert_int_eq(world.learner[0].count.stepping_ns, 10 + 10 + 20 + 44);
    world_fini(&world);
}
END_TEST

static void on_nothing(void *context, uint32_t entity)
{
    (void)context;
    (void)entity;
}

/* A thousand slices fail in one nanosecond; `extra` adds an event that does nothing, before them all. */
static void fail_thousand(struct learner_count *ret_count, struct world_count *ret_world, bool extra, uint64_t shuffle)
{
    static struct rig_failure failure[1000];
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    config.chips = 2003;
    config.chips_per_slice = 2;
    rig_open(&world, &config);
    rig_shuffle(&world, shuffle);
    if (extra)
        (void)sim_queue_schedule(&world.sim.queue, 77 * SIM_SECOND, 0, 5, on_nothing, NULL);
    for (int i = 0; i < 1000; i++) {
        failure[i] = (struct rig_failure){
            .time = 77 * SIM_SECOND, .chip = i * 2 + 1, .delay = (i % 7) * (i % 11) * SIM_SECOND / 3};
        rig_schedule(&world, &failure[i]);
    }
    rig_finish(&world);
    *ret_count = world.learner[0].count;
    *ret_world = world.count;
    world_fini(&world);
}

START_TEST(a_thousand_at_once_and_an_event_that_does_nothing)
{
    struct learner_count a, b;
    struct world_count c, d;
    memset(&a, 0, sizeof a), memset(&b, 0, sizeof b);
    fail_thousand(&a, &c, false, 0);
    ck_assert_int_eq(c.failures, 1000);
    ck_assert_int_eq(c.interruptions, 1);
    for (uint64_t shuffle = 0; shuffle < 5; shuffle++) {
        fail_thousand(&b, &d, true, shuffle * 999);
        ck_assert_mem_eq(&c, &d, sizeof c);
        ck_assert_mem_eq(&a.account, &b.account, sizeof a.account);
        ck_assert(a.chip_steps == b.chip_steps && a.steps == b.steps && a.stepping_ns == b.stepping_ns);
    }
}
END_TEST

/* More than 2^31 steps, asleep: 5 s of 1 ns, one slice away for the step after the failure. */
START_TEST(billions_of_steps_are_counted)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    config.duration_ns = 5 * SIM_SECOND;
    config.step_time_ns = 1;
    config.downscale_ns = config.upscale_ns = 0;
    const struct script script = {{{3 * SIM_SECOND, 0, 1}}, 1};
    play(&config, &script);
    ck_assert_int_eq(world.learner[0].count.steps, 5000000000);
    ck_assert(world.learner[0].count.chip_steps == 4 * (sim_chip_time)5000000000 - 1);
    world_fini(&world);
}
END_TEST

/* A step of 200 years at a tenth of the speed does not fit into 64 bits: it never ends. */
START_TEST(a_step_longer_than_time_never_ends)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    config.step_time_ns = (sim_time)200 * 31557600 * SIM_SECOND;
    config.duration_ns = SIM_TIME_NEVER - 1;
    config.speed_spread = 10;
    config.every_step = true;
    bool was_slow = false;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct run_result result = rig_run(&config, seed, 0);
        ck_assert_double_eq(result.metric[RUN_METRIC_goodput], 1);
        was_slow = was_slow || result.metric[RUN_METRIC_steps] == 0;
        run_result_fini(&result);
    }
    ck_assert(was_slow);
}
END_TEST

/* Half of the chips away in one of two steps: tokens in proportion. */
START_TEST(tokens_follow_the_chips)
{
    struct config config = tiny(CONFIG_ELASTIC_DP);
    config.downscale_ns = config.upscale_ns = 0;
    struct run_result result = rig_run(&config, 1, 0);
    ck_assert_double_eq(result.metric[RUN_METRIC_tokens], 10000);
    ck_assert_double_eq(result.metric[RUN_METRIC_steps], 10);
    run_result_fini(&result);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("learner");
    TCase *tcase = tcase_create("learner");
    tcase_add_loop_test(tcase, every_combination_of_the_rules, 0, sizeof combination / sizeof combination[0]);
    tcase_add_test(tcase, max_is_booked_to_the_longer);
    tcase_add_test(tcase, upscales_keep_their_distance);
    tcase_add_test(tcase, below_min_share_everybody_waits);
    tcase_add_test(tcase, min_share_is_not_raised_by_rounding);
    tcase_add_test(tcase, reconfiguring_may_take_no_time);
    tcase_add_loop_test(tcase, edges_of_the_run_and_of_its_steps, 0, sizeof moment / sizeof moment[0]);
    tcase_add_test(tcase, two_failures_at_the_end_and_a_repair_after_it);
    tcase_add_test(tcase, absent_slices_do_not_fail);
    tcase_add_test(tcase, dp_restarts_whole);
    tcase_add_test(tcase, dp_replaces_within_the_restart);
    tcase_add_test(tcase, counters_by_hand);
    tcase_add_test(tcase, a_thousand_at_once_and_an_event_that_does_nothing);
    tcase_add_test(tcase, billions_of_steps_are_counted);
    tcase_add_test(tcase, a_step_longer_than_time_never_ends);
    tcase_add_test(tcase, tokens_follow_the_chips);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
