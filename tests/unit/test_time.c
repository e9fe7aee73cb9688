#include <float.h>
#include <math.h>

#include "sim/time.h"
#include "tests/rig.h"

#if LDBL_MANT_DIG >= 113
typedef long double wide;
#else
__extension__ typedef __float128 wide;
#endif

START_TEST(seconds_round_to_the_nearest_nanosecond)
{
    const struct {
        double seconds;
        sim_time ns;
    } row[] = {{0, 0},      {1.5, 1500000000},    {0.4e-9, 0},     {0.6e-9, 1}, {-0.6e-9, -1}, {7.5, 7500000000},
               {1e-320, 0}, {-2.25, -2250000000}, {0.1, 100000000}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        sim_time ns = -77;
        ck_assert(sim_time_from_seconds(row[i].seconds, &ns));
        ck_assert_int_eq(ns, row[i].ns);
    }
}
END_TEST

START_TEST(what_does_not_fit_is_refused_and_leaves_the_output_alone)
{
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e12, -1e12, 9.3e9, 1e300, -9.3e9};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sim_time ns = 42;
        ck_assert(!sim_time_from_seconds(bad[i], &ns));
        ck_assert_int_eq(ns, 42);
    }
    sim_time ns;
    ck_assert(sim_time_from_seconds(9.2e9, &ns));
    ck_assert_int_eq(ns, 9200000000 * SIM_SECOND);
}
END_TEST

START_TEST(the_future_saturates_at_never)
{
    ck_assert_int_eq(sim_time_after(5, 2e-9), 7);
    ck_assert_int_eq(sim_time_after(5, 0), 5);
    ck_assert_int_eq(sim_time_after(SIM_TIME_NEVER - 5, 1), SIM_TIME_NEVER);
    ck_assert_int_eq(sim_time_after(0, 1e300), SIM_TIME_NEVER);
    ck_assert_int_eq(sim_time_after(0, INFINITY), SIM_TIME_NEVER);
    ck_assert_int_eq(sim_time_after(0, NAN), SIM_TIME_NEVER);
    ck_assert_int_eq(sim_time_add(3, SIM_TIME_NEVER), SIM_TIME_NEVER);
    ck_assert_int_eq(sim_time_add(0, SIM_TIME_NEVER), SIM_TIME_NEVER);
    ck_assert_int_eq(sim_time_add(SIM_TIME_NEVER, 0), SIM_TIME_NEVER);
    ck_assert_int_eq(sim_time_add(SIM_TIME_NEVER - 4, 3), SIM_TIME_NEVER - 1);
}
END_TEST

START_TEST(whole_periods)
{
    for (sim_time period = 1; period <= 5; period++)
        for (sim_time span = 0; span <= 50; span++)
            ck_assert_int_eq(sim_time_periods(span, period), span / period);
    ck_assert_int_eq(sim_time_periods(SIM_TIME_NEVER, 1), SIM_TIME_NEVER);
    ck_assert_int_eq(sim_time_periods(SIM_TIME_NEVER, SIM_TIME_NEVER), 1);
}
END_TEST

START_TEST(seconds_of_a_time_are_the_nearest_double)
{
    ck_assert_double_eq(sim_time_seconds(1), 1e-9);
    ck_assert_double_eq(sim_time_seconds(100000000), 0.1);
    ck_assert_double_eq(sim_time_seconds(-7500000000), -7.5);
    ck_assert_double_eq(sim_time_seconds((sim_time)30 * 86400 * SIM_SECOND), 2592000);
}
END_TEST

/* No double lies nearer to t / 1e9 than `got` does, by 112-bit floating point. */
static bool is_nearest(sim_chip_time t, double got)
{
    wide exact = (wide)t / 1000000000, error = got - exact;
    double neighbour = nextafter(got, error > 0 ? -INFINITY : INFINITY);
    wide other = neighbour - exact;
    return (error < 0 ? -error : error) <= (other < 0 ? -other : other);
}

/* At every length of up to 126 bits: the sum of a rounded whole and a rounded fraction would be off now and then. */
START_TEST(chip_seconds_are_the_nearest_double)
{
    uint64_t word = 88172645463325252U;
    for (int i = 0; i < 200000; i++) {
        word ^= word << 13, word ^= word >> 7, word ^= word << 17;
        sim_chip_time t = (sim_chip_time)word << 62 | (word * 0x9e3779b97f4a7c15U) >> 2;
        t >>= i % 126;
        double got = sim_chip_time_seconds(t);
        ck_assert_msg(is_nearest(t, got), "%d bits less than 126: %a", i % 126, got);
        ck_assert_double_eq(sim_chip_time_seconds(-t), -got);
    }
}
END_TEST

START_TEST(short_chip_times_are_the_nearest_double)
{
    for (sim_time t = 1500000001; t < 1500200000; t++)
        ck_assert_double_eq(sim_chip_time_seconds(t), (double)t / 1e9);
    ck_assert_double_eq(sim_chip_time_seconds((sim_chip_time)2400000 * 86400 * SIM_SECOND), 2400000.0 * 86400);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("time");
    TCase *tcase = tcase_create("time");
    tcase_add_test(tcase, seconds_round_to_the_nearest_nanosecond);
    tcase_add_test(tcase, what_does_not_fit_is_refused_and_leaves_the_output_alone);
    tcase_add_test(tcase, the_future_saturates_at_never);
    tcase_add_test(tcase, whole_periods);
    tcase_add_test(tcase, seconds_of_a_time_are_the_nearest_double);
    tcase_add_test(tcase, chip_seconds_are_the_nearest_double);
    tcase_add_test(tcase, short_chip_times_are_the_nearest_double);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
