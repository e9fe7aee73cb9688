#include <math.h>

#include "tests/rig.h"
#include "tools/faultline/renewal.h"

#define DAY_S 86400.0

static struct config config;
static struct config_source *source;

/* 64 chips of a life of 20 days, 30 days. */
static void setup(void)
{
    config = rig_config(CONFIG_ELASTIC_DP);
    config.duration_ns = 30 * (sim_time)86400 * SIM_SECOND;
    rig_add_source(&config, "old", 0, rig_constant(0));
    source = &config.source[0];
    source->timing = CONFIG_BY_LIFE;
    source->life = rig_exponential(20 * DAY_S);
}

static double failures(void)
{
    return renewal_rate(&config, source) * (double)renewal_chips(&config, source) * 30 * DAY_S;
}

/* As tests/prop/test_analytic_ages.c simulates them. */
START_TEST(counts_of_others)
{
    ck_assert_double_eq_tol(failures(), 96, 0.01);
    source->life = sim_law_with_mean((struct sim_law){SIM_LAW_WEIBULL, {1, 1.5}}, 20 * DAY_S);
    ck_assert_double_eq_tol(failures(), 78.69, 0.02);
    source->life = rig_constant(20 * DAY_S);
    ck_assert_double_eq_tol(failures(), 64, 1e-9);
}
END_TEST

/* A constant rate needs no equation: 64 x 30/20, and with 15 % of them 6 times as often 1.75 times that. */
START_TEST(constant_rates)
{
    source->timing = CONFIG_BY_MTBI;
    source->mtbi_s = 20 * DAY_S;
    ck_assert_double_eq_tol(failures(), 96, 1e-9);
    source->lemon_share = 0.15;
    source->lemon_factor = 6;
    ck_assert_double_eq_tol(failures(), 96 * 1.75, 1e-9);
}
END_TEST

/* An exponential life has no age: lemons and resets change nothing else. */
START_TEST(lemons_and_resets_without_memory)
{
    source->lemon_share = 0.15;
    source->lemon_factor = 6;
    ck_assert_double_eq_tol(failures(), 96 * 1.75, 0.02);
    source->ageing = CONFIG_AGES_RESET;
    ck_assert_double_eq_tol(failures(), 96 * 1.75, 0.2);
}
END_TEST

/* Slices of 8 whose chips live for 20 days: all 8 would fail at once, but the first makes them new. */
START_TEST(a_reset_counts_slices)
{
    source->life = rig_constant(20 * DAY_S);
    source->ageing = CONFIG_AGES_RESET;
    ck_assert_double_eq_tol(failures(), 8, 1e-9);
}
END_TEST

START_TEST(only_those_in_scope_count)
{
    config.class_count = 2;
    config.class[0] = (struct config_class){"slow", 0.25, 1};
    config.class[1] = (struct config_class){"fast", 0.75, 1};
    (void)strcpy(source->only_class, "slow");
    ck_assert_int_eq(renewal_chips(&config, source), 16);
    ck_assert_double_eq_tol(failures(), 24, 0.01);
}
END_TEST

/* Lives of a microsecond in a month: the grid cannot see them, the long run can. */
START_TEST(lives_far_below_the_grid)
{
    source->life = rig_constant(1e-6);
    ck_assert_double_eq_tol(renewal_rate(&config, source) * 1e-6, 1, 1e-12);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("renewal");
    TCase *tests = tcase_create("renewal");
    suite_add_tcase(suite, tests);
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, counts_of_others);
    tcase_add_test(tests, constant_rates);
    tcase_add_test(tests, lemons_and_resets_without_memory);
    tcase_add_test(tests, a_reset_counts_slices);
    tcase_add_test(tests, only_those_in_scope_count);
    tcase_add_test(tests, lives_far_below_the_grid);
    return rig_main(suite);
}
