/* Slowdowns that are written down: steps to the nanosecond, and thousands of random scripts against a plain count. */
#include <math.h>

#include "tests/rig.h"

static struct world world;

/* A slowdown: `chip` is `factor` times slower from `time` on, for `lasts`. */
struct script {
    sim_time time;
    int64_t chip;
    double factor;
    sim_time lasts;
    struct config_source config;
    struct failure_source source;
};

static void on_script(void *context, uint32_t entity)
{
    (void)entity;
    struct script *script = context;
    world_fail_chip(&world, &script->source, script->chip, 0);
}

static void schedule(struct script *script)
{
    script->config = (struct config_source){.kind = CONFIG_SOURCE_SLOWDOWN,
                                            .factor = rig_constant(script->factor),
                                            .lasts = rig_constant(sim_time_seconds(script->lasts))};
    script->source.config = &script->config;
    (void)sim_queue_schedule(&world.sim.queue, script->time, WORLD_RANK_FAILURE, 0, on_script, script);
}

/* Four slices of one chip, steps of 10 ns, and a source that never strikes. */
static struct config small(enum config_method method, sim_time duration_ns)
{
    struct config config = rig_config(method);
    config.chips = 4;
    config.chips_per_slice = 1;
    config.step_time_ns = 10;
    config.downscale_ns = 4;
    config.upscale_ns = 6;
    config.duration_ns = duration_ns;
    rig_add_slowdown(&config, "never", 1e15, rig_constant(2), rig_constant(1));
    return config;
}

static void play(const struct config *config, struct script script[], int count)
{
    rig_open(&world, config);
    for (int i = 0; i < count; i++)
        schedule(&script[i]);
    rig_finish(&world);
}

static int64_t slowed_ns(void)
{
    return (int64_t)world.learner[0].count.slowed;
}

/* 0-4 at full speed, 4-13 at a third, which does 3 of the 6 left, the last 3 by 16; then steps of 10 that end at 26,
 * 36, 46 and 56. */
START_TEST(a_step_stretches_and_shrinks)
{
    struct script script[] = {{.time = 4, .chip = 2, .factor = 3, .lasts = 9}};
    struct config config = small(CONFIG_ELASTIC_DP, 56);
    config.every_step = _i == 1;
    play(&config, script, 1);
    ck_assert_int_eq(world.learner[0].count.steps, 5);
    ck_assert_int_eq((int64_t)world.learner[0].count.math, 4 * 56);
    ck_assert_int_eq(slowed_ns(), 4 * 9);
    ck_assert_int_eq(world.slowdowns.begun, 1);
    world_fini(&world);
}
END_TEST

/* It begins when a step ends: that step is over, those at 10-40 and 40-70 take 30; it ends at 80, when the next has
 * done 10 / 3 of 10, and is over at 80 + 7 = 87. */
START_TEST(the_edge_belongs_to_the_step_that_ends)
{
    struct script script[] = {{.time = 10, .chip = 0, .factor = 3, .lasts = 70}};
    struct config config = small(CONFIG_ELASTIC_DP, 87);
    play(&config, script, 1);
    ck_assert_int_eq(world.learner[0].count.steps, 4);
    ck_assert_int_eq(world.learner[0].step_start, 87);
    ck_assert_int_eq(slowed_ns(), 4 * 70);
    world_fini(&world);
}
END_TEST

/* One slice twice: the slower rules from 10 to 20, the longer on its own before and after. Steps: 0-20 would be half
 * done at 10; 10 ns at a quarter do 2.5, and 2.5 are left at 20, which take 5 until 25. Then 25-45, and from 45 on 10 a
 * step. Another slice that is less slow meanwhile changes nothing. */
START_TEST(the_slowest_rules)
{
    struct script script[] = {{.time = 0, .chip = 1, .factor = 2, .lasts = 45},
                              {.time = 10, .chip = 1, .factor = 4, .lasts = 10},
                              {.time = 12, .chip = 3, .factor = 1.5, .lasts = 20}};
    struct config config = small(CONFIG_ELASTIC_DP, 65);
    play(&config, script, 3);
    ck_assert_int_eq(world.learner[0].count.steps, 1 + 1 + 2);
    ck_assert_int_eq(world.learner[0].step_start, 65);
    ck_assert_int_eq(slowed_ns(), 4 * 45);
    world_fini(&world);
}
END_TEST

/* A slow slice fails at 5 of a step that takes 20: it is let go of at 20, D until 24, and back at full speed in steps
 * of 10, U included: 24-34, 34-44 (back at 40), 44-50 to upscale, 50-60, 60-70. */
START_TEST(what_is_repaired_is_not_slow)
{
    struct script script[] = {{.time = 0, .chip = 1, .factor = 2, .lasts = 500}};
    struct rig_failure failure = {.time = 5, .chip = 1, .delay = 35};
    struct config config = small(CONFIG_ELASTIC_DP, 70);
    rig_open(&world, &config);
    schedule(&script[0]);
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_int_eq(world.learner[0].count.steps, 1 + 2 + 2);
    ck_assert_int_eq(slowed_ns(), 4 * 20);
    world_fini(&world);
}
END_TEST

/* A dp job: the failed slice is replaced within the restart of 10, 20-30. The others stay as slow as they are: chip 3
 * until 40, so 30-50 would be a step of 20, half of which is done at 40; it ends at 45. */
START_TEST(what_is_replaced_is_not_slow)
{
    struct script script[] = {{.time = 0, .chip = 1, .factor = 2, .lasts = 500},
                              {.time = 0, .chip = 3, .factor = 2, .lasts = 40}};
    struct rig_failure failure = {.time = 5, .chip = 1, .delay = 35};
    struct config config = small(CONFIG_DP, 55);
    config.restart_ns = 10;
    rig_open(&world, &config);
    schedule(&script[0]);
    schedule(&script[1]);
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_int_eq(world.learner[0].count.steps, 1 + 1 + 1);
    ck_assert_int_eq(world.learner[0].step_start, 55);
    world_fini(&world);
}
END_TEST

/* A spare takes the place of the slow slice at 20, at no cost. */
START_TEST(a_spare_is_not_slow)
{
    struct script script[] = {{.time = 0, .chip = 1, .factor = 2, .lasts = 500}};
    struct rig_failure failure = {.time = 5, .chip = 1, .delay = 1000};
    struct config config = small(CONFIG_ELASTIC_DP, 60);
    config.spares = 1;
    config.swap_ns = 0;
    rig_open(&world, &config);
    schedule(&script[0]);
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_int_eq(world.spares.count.used, 1);
    ck_assert_int_eq(world.learner[0].count.steps, 1 + 4);
    world_fini(&world);
}
END_TEST

/* An absent slice and a learner that is preempted are out of reach; a slowdown that began before an absence runs on. */
START_TEST(who_is_away_is_out_of_reach)
{
    struct script script[] = {{.time = 0, .chip = 0, .factor = 2, .lasts = 25},
                              {.time = 12, .chip = 0, .factor = 5, .lasts = 500},
                              {.time = 12, .chip = 3, .factor = 5, .lasts = 500}};
    struct rig_absence absence = {.from = 10, .until = 20};
    struct config config = small(CONFIG_ELASTIC_DP, 56);
    rig_open(&world, &config);
    for (int i = 0; i < 3; i++)
        schedule(&script[i]);
    rig_preempt(&world, &absence);
    rig_finish(&world);
    ck_assert_int_eq(world.slowdowns.begun, 1);
    ck_assert_int_eq(world.learner[0].count.steps, 3); /* upscale until 26 */
    world_fini(&world);
}
END_TEST

/* Chips 2 and 3 are twice as fast as chips 0 and 1, which set the pace: 2 may be 1.9 times slower for nothing, but 4
 * times slower is half of the pace of the others. */
START_TEST(a_fast_slice_has_room)
{
    struct script script[] = {{.time = 0, .chip = 2, .factor = 1.9, .lasts = 500},
                              {.time = 20, .chip = 2, .factor = 4, .lasts = 20}};
    struct config config = small(CONFIG_ELASTIC_DP, 60);
    config.class_count = 2;
    config.class[0] = (struct config_class){"plain", 0.5, 1};
    config.class[1] = (struct config_class){"fast", 0.5, 2};
    play(&config, script, 2);
    ck_assert_int_eq(world.learner[0].count.steps, 2 + 1 + 2);
    ck_assert_int_eq(slowed_ns(), 4 * 20);
    world_fini(&world);
}
END_TEST

/* Transfers of a data-parallel job are not slower. All parameters take 70, so of a step of 100 there are 5 exposed
 * (40 layers of 1.75 behind a backward pass of 66.7, of which the first layer is 1.67); of one of 200, and of one of
 * 148, only the last layer: 2. Steps end at 202 and 404; the third has 104 left at 500, of which 52 remain. */
START_TEST(transfers_are_not_slower)
{
    struct script script[] = {{.time = 0, .chip = 2, .factor = 2, .lasts = 500}};
    struct config config = small(CONFIG_DP, 404 + 148 + 2 + 3 * 105);
    config.step_time_ns = 100;
    config.parameters = 1e9;
    config.bits = 16;
    config.datacentres = 2;
    config.link_bits_per_s = 16e9 / 70e-9;
    play(&config, script, 1);
    ck_assert_int_eq(world.learner[0].count.steps, 2 + 1 + 3);
    ck_assert_int_eq((int64_t)world.learner[0].count.math, 4 * (200 + 200 + 148 + 300));
    ck_assert_int_eq(world.learner[0].step_start, config.duration_ns);
    world_fini(&world);
}
END_TEST

/* --- random scripts --- */

enum { SCRIPTS = 3000, SLOWDOWNS_MAX = 24, CHIPS = 5 };

static uint64_t state;

static int64_t draw(int64_t below)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (int64_t)((state >> 33) % (uint64_t)below);
}

/* The slowest of the speeds at time t; a slowdown that ends then is over. */
static double speed_at(const struct script script[], int count, sim_time t)
{
    double speed = 1;
    for (int i = 0; i < count; i++)
        if (script[i].time <= t && t < script[i].time + script[i].lasts)
            speed = fmin(speed, 1 / script[i].factor);
    return speed;
}

/* Steps one nanosecond after the other; what is left of one is rounded where the pace changes. A change at the end of a
 * step is that of the next. */
static int64_t count_steps(const struct config *config, const struct script script[], int count, int64_t *ret_slowed)
{
    sim_time left = 0;
    int64_t steps = -1;
    double speed = 1;
    *ret_slowed = 0;
    for (sim_time t = 0; t <= config->duration_ns; t++) {
        double next = speed_at(script, count, t);
        if (left > 0 && next != speed)
            left = (sim_time)fmax(1, round((double)left * (speed / next)));
        speed = next;
        if (left == 0) {
            steps++;
            left = (sim_time)llround((double)config->step_time_ns / speed);
        }
        *ret_slowed += t < config->duration_ns && speed < 1 ? CHIPS : 0;
        left--;
    }
    return steps;
}

/* Times are all different, and of two at once the plain count would make one change: rounding twice is not the same. */
static int random_script(struct script script[])
{
    static bool is_taken[2000];
    memset(is_taken, 0, sizeof is_taken);
    int count = 0, wanted = 1 + (int)draw(SLOWDOWNS_MAX);
    for (int i = 0; i < wanted; i++) {
        sim_time time = 1 + draw(900), lasts = 1 + draw(draw(2) ? 20 : 300);
        double factor = (double)(4 + draw(40)) / 4;
        if (is_taken[time] || is_taken[time + lasts])
            continue;
        is_taken[time] = is_taken[time + lasts] = true;
        script[count++] = (struct script){.time = time, .chip = draw(CHIPS), .factor = factor, .lasts = lasts};
    }
    return count;
}

START_TEST(random_scripts_agree_with_a_plain_count)
{
    static struct script script[SLOWDOWNS_MAX];
    for (uint64_t number = 1; number <= SCRIPTS; number++) {
        state = number;
        int count = random_script(script);
        struct config config = small(CONFIG_ELASTIC_DP, 1000);
        config.chips = CHIPS;
        config.step_time_ns = 1 + draw(40);
        int64_t slowed, steps = count_steps(&config, script, count, &slowed);
        for (int every = 0; every < 2; every++) {
            config.every_step = every == 1;
            play(&config, script, count);
            if (world.learner[0].count.steps != steps || slowed_ns() != slowed)
                ck_abort_msg("script %d: %d steps, not %d; slowed %d, not %d", (int)number,
                             (int)world.learner[0].count.steps, (int)steps, (int)slowed_ns(), (int)slowed);
            world_fini(&world);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("slowdown");
    TCase *tcase = tcase_create("slowdown");
    tcase_add_loop_test(tcase, a_step_stretches_and_shrinks, 0, 2);
    tcase_add_test(tcase, the_edge_belongs_to_the_step_that_ends);
    tcase_add_test(tcase, the_slowest_rules);
    tcase_add_test(tcase, what_is_repaired_is_not_slow);
    tcase_add_test(tcase, what_is_replaced_is_not_slow);
    tcase_add_test(tcase, a_spare_is_not_slow);
    tcase_add_test(tcase, who_is_away_is_out_of_reach);
    tcase_add_test(tcase, a_fast_slice_has_room);
    tcase_add_test(tcase, transfers_are_not_slower);
    tcase_add_test(tcase, random_scripts_agree_with_a_plain_count);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
