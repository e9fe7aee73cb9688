#include <math.h>

#include "sim/tally.h"
#include "tests/rig.h"

static struct sim_tally tally;

static void setup(void)
{
    sim_tally_init(&tally);
}

static void teardown(void)
{
    sim_tally_fini(&tally);
}

START_TEST(too_few_observations_mean_nothing)
{
    ck_assert_uint_eq(sim_tally_count(&tally), 0);
    ck_assert(isnan(sim_tally_mean(&tally)));
    ck_assert(isnan(sim_tally_sd(&tally)));
    ck_assert(isnan(sim_tally_half_width(&tally, 0.95)));
    sim_tally_add(&tally, 4);
    ck_assert_double_eq(sim_tally_mean(&tally), 4);
    ck_assert(isnan(sim_tally_sd(&tally)));
    ck_assert(isnan(sim_tally_half_width(&tally, 0.95)));
}
END_TEST

/* 1 2 3 4 5: SD sqrt(10/4); t(0.975, 4) = 2.776445105 (tables), half-width 2.776445105 x 1.5811388 / sqrt(5)
 * = 1.963243. At 90 %: t(0.95, 4) = 2.131846786. */
START_TEST(five_numbers_by_hand)
{
    for (int i = 1; i <= 5; i++)
        sim_tally_add(&tally, i);
    ck_assert_uint_eq(sim_tally_count(&tally), 5);
    ck_assert_double_eq_tol(sim_tally_mean(&tally), 3, 1e-15);
    ck_assert_double_eq_tol(sim_tally_sd(&tally), 1.58113883008419, 1e-13);
    ck_assert_double_eq_tol(sim_tally_half_width(&tally, 0.95), 1.963243161, 1e-8);
    ck_assert_double_eq_tol(sim_tally_half_width(&tally, 0.90), 2.131846786 * 0.7071067812, 1e-8);
}
END_TEST

/* 2 4: SD sqrt(2), t(0.975, 1) = 12.7062047, half-width 12.7062047. t(0.975, 9) = 2.262157163 for ten. */
START_TEST(two_and_ten_numbers_by_hand)
{
    sim_tally_add(&tally, 2);
    sim_tally_add(&tally, 4);
    ck_assert_double_eq_tol(sim_tally_half_width(&tally, 0.95), 12.7062047362, 1e-8);
    for (int i = 0; i < 8; i++)
        sim_tally_add(&tally, i % 2 ? 2 : 4);
    double sd = sqrt(10.0 / 9);
    ck_assert_double_eq_tol(sim_tally_sd(&tally), sd, 1e-13);
    ck_assert_double_eq_tol(sim_tally_half_width(&tally, 0.95), 2.262157163 * sd / sqrt(10), 1e-8);
}
END_TEST

/* Sum of squares minus square of the sum would have nothing left. */
START_TEST(a_large_offset_does_not_eat_the_variance)
{
    for (int i = 0; i < 1000; i++)
        sim_tally_add(&tally, 1e9 + i % 2);
    ck_assert_double_eq_tol(sim_tally_sd(&tally), sqrt(250.0 / 999), 1e-9);
}
END_TEST

/* 2,000 samples of 10 uniforms: the 95 % interval covers 1/2 in 95 % +- 4 SD (0.49 %). */
START_TEST(the_interval_covers_as_often_as_it_says)
{
    uint64_t state = 4;
    int covered = 0;
    for (int sample = 0; sample < 2000; sample++) {
        struct sim_tally t;
        sim_tally_init(&t);
        for (int i = 0; i < 10; i++) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            sim_tally_add(&t, (double)(state >> 11) * 0x1p-53);
        }
        covered += fabs(sim_tally_mean(&t) - 0.5) < sim_tally_half_width(&t, 0.95);
        sim_tally_fini(&t);
    }
    ck_assert_int_gt(covered, 1900 - 39);
    ck_assert_int_lt(covered, 1900 + 39);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tally");
    TCase *tcase = tcase_create("tally");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, too_few_observations_mean_nothing);
    tcase_add_test(tcase, five_numbers_by_hand);
    tcase_add_test(tcase, two_and_ten_numbers_by_hand);
    tcase_add_test(tcase, a_large_offset_does_not_eat_the_variance);
    tcase_add_test(tcase, the_interval_covers_as_often_as_it_says);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
