/* Speeds of steps: classes by hand, jitter laws against their mean and deviation. */
#include "models/pace.h"

#include <math.h>

#include "sim/tally.h"
#include "tests/rig.h"

static const struct sim_origin origin = {.seed = 3};
static struct fleet fleet;
static struct pace pace;

static void open_pace(const struct config *config, int64_t learner)
{
    fleet_init(&fleet, config);
    pace_init(&pace, config, &fleet, &origin, learner);
}

static sim_time draw_ns(void)
{
    sim_time math, step = pace_draw_step_ns(&pace, &math);
    ck_assert_int_le(math, step);
    return step;
}

/* 20 chips: 5 of speed 0.5, 3 of 2, 12 of 1; two learners of 10 in slices of 4, 4, 2. Chips of the slices of the first:
 * 0-3 (slow), 4-7 (one slow, three fast: slow), 8-9 (1). The second has only speed 1. */
static struct config classed(void)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.chips = 20;
    config.chips_per_slice = 4;
    config.learners = 2;
    config.step_time_ns = 1000;
    config.class_count = 3;
    config.class[0] = (struct config_class){"slow", 0.25, 0.5};
    config.class[1] = (struct config_class){"fast", 0.15, 2};
    config.class[2] = (struct config_class){"plain", 0.6, 1};
    return config;
}

/* The time of a step is rounded to the nearest nanosecond, and is at least one. */
START_TEST(steps_are_whole_nanoseconds)
{
    static const struct {
        sim_time step_ns;
        double speed;
        sim_time expected;
    } row[] = {{5, 3, 2}, {4, 3, 1}, {7, 2, 4}, {1, 4, 1}, {1000, 0.7, 1429}};
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.step_time_ns = row[_i].step_ns;
    config.class_count = 1;
    config.class[0] = (struct config_class){"all", 1, row[_i].speed};
    open_pace(&config, 0);
    ck_assert_int_eq(draw_ns(), row[_i].expected);
    pace_fini(&pace);
}
END_TEST

START_TEST(the_slowest_slice_present_sets_the_pace)
{
    struct config config = classed();
    open_pace(&config, 1);
    ck_assert_int_eq(draw_ns(), 1000);
    pace_fini(&pace);
    open_pace(&config, 0);
    ck_assert_int_eq(draw_ns(), 2000);
    pace_change(&pace, 0, -1); /* the slice that spans two classes is still there */
    ck_assert_int_eq(draw_ns(), 2000);
    pace_change(&pace, 1, -1);
    ck_assert_int_eq(draw_ns(), 1000);
    pace_change(&pace, 1, +1);
    ck_assert_int_eq(draw_ns(), 2000);
    pace_change(&pace, 1, -1);
    pace_change(&pace, 2, -1);
    pace_change(&pace, 0, +1);
    ck_assert_int_eq(draw_ns(), 2000);
    pace_fini(&pace);
}
END_TEST

/* Slices 0 to 3 of one chip, the first half as fast, the second fast: chips 2 and 3 leave, then 0, then all are back.
 */
START_TEST(fast_alone_is_fast)
{
    struct config config = classed();
    config.chips = 4;
    config.learners = config.chips_per_slice = 1;
    config.class_count = 2;
    config.class[0].share = config.class[1].share = 0.5;
    open_pace(&config, 0);
    pace_change(&pace, 0, -1);
    ck_assert_int_eq(draw_ns(), 2000);
    pace_change(&pace, 1, -1);
    ck_assert_int_eq(draw_ns(), 500);
    pace_change(&pace, 0, +1);
    ck_assert_int_eq(draw_ns(), 2000);
    pace_fini(&pace);
}
END_TEST

/* In a world: chip 0 is slow. 0-20 a step of 20, in which its slice fails at 5; gone from 20 on, 4 to downscale, steps
 * of 10 from 24 to 84: it is back at 80; 6 to upscale, steps of 20 from 90 on. */
START_TEST(a_slow_slice_leaves_and_returns)
{
    static struct world world;
    static struct rig_failure failure = {.time = 5, .chip = 0, .delay = 75};
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    config.chips = 4;
    config.chips_per_slice = 1;
    config.step_time_ns = 10;
    config.downscale_ns = 4;
    config.upscale_ns = 6;
    config.duration_ns = 150;
    config.class_count = 2;
    config.class[0] = (struct config_class){"slow", 0.25, 0.5};
    config.class[1] = (struct config_class){"plain", 0.75, 1};
    rig_open(&world, &config);
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_int_eq(world.learner[0].count.steps, 1 + 6 + 3);
    ck_assert_int_eq((int64_t)world.learner[0].count.chip_steps, 4 + 6 * 3 + 3 * 4);
    ck_assert_int_eq((int64_t)world.learner[0].count.math, 4 * 20 + 6 * 3 * 10 + 3 * 4 * 20);
    world_fini(&world);
}
END_TEST

/* Mean 1 and the deviation asked for, which the exponential law does not have: its own is 1. 50,000 draws: the mean is
 * within 5 standard errors, the deviation within 2 % (a lognormal law of deviation 1: 4 %). */
static const struct {
    enum config_jitter law;
    double asked, deviation;
} jitter[] = {
    {CONFIG_NORMAL, 0.1, 0.1},    {CONFIG_NORMAL, 0.01, 0.01},    {CONFIG_LOGNORMAL, 0.1, 0.1},
    {CONFIG_LOGNORMAL, 0.5, 0.5}, {CONFIG_LOGNORMAL, 1, 1},       {CONFIG_GAMMA, 0.1, 0.1},
    {CONFIG_GAMMA, 0.5, 0.5},     {CONFIG_GAMMA, 1, 1},           {CONFIG_GAMMA, 0.001, 0.001},
    {CONFIG_EXPONENTIAL, 0.1, 1}, {CONFIG_EXPONENTIAL, 0.7, 1},   {CONFIG_NORMAL, 0, 0},
    {CONFIG_EXPONENTIAL, 0, 0},   {CONFIG_GAMMA, 0, 0},           {CONFIG_GAMMA, 1e-5, 1e-5},
    {CONFIG_GAMMA, 0.09, 0.09},   {CONFIG_LOGNORMAL, 1e-5, 1e-5},
};
enum { JITTERS = sizeof jitter / sizeof jitter[0], DRAWS = 50000 };

START_TEST(jitter_has_mean_one_and_its_deviation)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    config.step_time_ns = 1000 * SIM_SECOND;
    config.jitter_law = jitter[_i].law;
    config.step_jitter = jitter[_i].asked;
    struct sim_tally tally;
    sim_tally_init(&tally);
    open_pace(&config, 0);
    for (int i = 0; i < DRAWS; i++)
        sim_tally_add(&tally, sim_time_seconds(draw_ns()) / 1000);
    double deviation = jitter[_i].deviation;
    ck_assert_double_eq_tol(sim_tally_mean(&tally), 1, 5 * deviation / sqrt(DRAWS) + 1e-12);
    ck_assert_double_eq_tol(sim_tally_sd(&tally), deviation,
                            (jitter[_i].law == CONFIG_LOGNORMAL ? 0.04 : 0.02) * deviation + 1e-12);
    ck_assert_int_eq(pace_is_constant(&config), deviation == 0);
    sim_tally_fini(&tally);
    pace_fini(&pace);
}
END_TEST

/* A learner's steps are its own: others draw others, and a second look at the same learner draws the same. */
START_TEST(each_learner_has_its_stream)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.learners = 2;
    config.step_jitter = 0.1;
    sim_time seen[2][3];
    for (int i = 0; i < 3; i++) {
        open_pace(&config, i % 2);
        for (int k = 0; k < 3; k++) {
            sim_time step = draw_ns();
            ck_assert(i < 2 || step == seen[0][k]);
            seen[i % 2][k] = step;
        }
        pace_fini(&pace);
    }
    for (int k = 0; k < 3; k++)
        ck_assert_int_ne(seen[0][k], seen[1][k]);
}
END_TEST

/* Speed 1e9 would make a step of 0 ns; speed 1e-300 one that never ends. */
START_TEST(a_step_takes_at_least_a_nanosecond)
{
    struct config config = classed();
    for (int i = 0; i < 3; i++)
        config.class[i].speed = 1e9;
    open_pace(&config, 0);
    ck_assert_int_eq(draw_ns(), 1);
    pace_fini(&pace);
    config.class[0].speed = 1e-300;
    open_pace(&config, 0);
    ck_assert_int_eq(draw_ns(), SIM_TIME_NEVER);
    pace_fini(&pace);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pace");
    TCase *tcase = tcase_create("pace");
    tcase_add_loop_test(tcase, steps_are_whole_nanoseconds, 0, 5);
    tcase_add_test(tcase, the_slowest_slice_present_sets_the_pace);
    tcase_add_test(tcase, fast_alone_is_fast);
    tcase_add_test(tcase, a_slow_slice_leaves_and_returns);
    tcase_add_loop_test(tcase, jitter_has_mean_one_and_its_deviation, 0, JITTERS);
    tcase_add_test(tcase, each_learner_has_its_stream);
    tcase_add_test(tcase, a_step_takes_at_least_a_nanosecond);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
