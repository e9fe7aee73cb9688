#include "sim/level.h"
#include "tests/rig.h"

static struct sim_origin origin;
static struct sim_level level;

static void setup(void)
{
    origin = (struct sim_origin){.now = 100};
    sim_level_init(&level, &origin, 3);
}

static void set(sim_time now, int64_t value)
{
    origin.now = now;
    sim_level_set(&level, value);
}

START_TEST(mean_is_weighted_by_time)
{
    set(110, 5); /* 3 for 10 */
    set(140, 0); /* 5 for 30 */
    origin.now = 200;
    ck_assert(sim_level_integral(&level) == 180);
    ck_assert_double_eq(sim_level_mean(&level), 1.8);
}
END_TEST

START_TEST(setting_the_same_value_changes_nothing)
{
    for (sim_time t = 101; t < 150; t++)
        set(t, 3);
    set(150, 3), set(150, 7), set(150, 1);
    origin.now = 160;
    ck_assert(sim_level_integral(&level) == 160);
    ck_assert(sim_level_integral(&level) == 160);
}
END_TEST

START_TEST(a_change_may_be_told_late)
{
    origin.now = 150;
    sim_level_set_at(&level, 120, 10);
    sim_level_set_at(&level, 120, 0);
    sim_level_set_at(&level, 150, 1);
    ck_assert(sim_level_integral(&level) == 60);
}
END_TEST

START_TEST(reset_keeps_the_value_and_forgets_the_past)
{
    set(150, 9);
    origin.now = 170;
    sim_level_reset(&level);
    origin.now = 180;
    ck_assert(sim_level_integral(&level) == 90);
    ck_assert_double_eq(sim_level_mean(&level), 9);
}
END_TEST

START_TEST(the_integral_is_exact_beyond_64_bits)
{
    origin.now = 0;
    sim_level_init(&level, &origin, 2400000);
    origin.now = SIM_TIME_NEVER - 1;
    ck_assert(sim_level_integral(&level) == (sim_chip_time)2400000 * (SIM_TIME_NEVER - 1));
    ck_assert_double_eq(sim_level_mean(&level), 2400000);
}
END_TEST

START_TEST(before_the_last_change_stops)
{
    set(150, 1);
    sim_level_set_at(&level, 149, 2);
}
END_TEST

START_TEST(after_the_clock_stops)
{
    sim_level_set_at(&level, 101, 2);
}
END_TEST

START_TEST(mean_of_nothing_stops)
{
    (void)sim_level_mean(&level);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("level");
    TCase *tcase = tcase_create("level");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, mean_is_weighted_by_time);
    tcase_add_test(tcase, setting_the_same_value_changes_nothing);
    tcase_add_test(tcase, a_change_may_be_told_late);
    tcase_add_test(tcase, reset_keeps_the_value_and_forgets_the_past);
    tcase_add_test(tcase, the_integral_is_exact_beyond_64_bits);
    tcase_add_exit_test(tcase, before_the_last_change_stops, 1);
    tcase_add_exit_test(tcase, after_the_clock_stops, 1);
    tcase_add_exit_test(tcase, mean_of_nothing_stops, 1);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
