/* When to stop adding observations: looks, doubling, the widened interval. */
#include <math.h>

#include "sim/sequential.h"
#include "tests/rig.h"

/* t(0.975, 9) = 2.262157 (any table of Student's t). */
START_TEST(half_width_is_that_of_student_but_wider)
{
    ck_assert_double_eq_tol(sim_sequential_half_width(10, 1, 0.95), 2.262157 / sqrt(10) * sqrt(1.2), 1e-6);
    ck_assert_double_eq_tol(sim_sequential_half_width(10, 3, 0.95), 3 * sim_sequential_half_width(10, 1, 0.95), 1e-12);
    ck_assert(isnan(sim_sequential_half_width(1, 1, 0.95)));
}
END_TEST

START_TEST(nobody_looks_before_the_tenth)
{
    for (size_t n = 0; n < SIM_SEQUENTIAL_FIRST; n++)
        ck_assert_uint_eq(sim_sequential_next(n, 0, 0.95, 1), SIM_SEQUENTIAL_FIRST);
}
END_TEST

START_TEST(narrow_enough_is_enough)
{
    double half = sim_sequential_half_width(25, 2, 0.95);
    ck_assert_uint_eq(sim_sequential_next(25, 2, 0.95, half * 1.0001), 25);
    ck_assert_uint_eq(sim_sequential_next(25, 2, 0.95, half / 1.0001), 26);
    ck_assert_uint_eq(sim_sequential_next(25, 0, 0.95, 1e-300), 25);
}
END_TEST

/* The half-width falls with the root of n: 1.2 times too wide asks for 1.44 times as many; never for more than twice.
 */
START_TEST(next_look_is_where_the_spread_points_to)
{
    double half = sim_sequential_half_width(100, 1, 0.95);
    ck_assert_uint_eq(sim_sequential_next(100, 1, 0.95, half / 1.2), 144);
    ck_assert_uint_eq(sim_sequential_next(100, 1, 0.95, half / 10), 200);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sequential");
    TCase *tests = tcase_create("sequential");
    tcase_add_test(tests, half_width_is_that_of_student_but_wider);
    tcase_add_test(tests, nobody_looks_before_the_tenth);
    tcase_add_test(tests, narrow_enough_is_enough);
    tcase_add_test(tests, next_look_is_where_the_spread_points_to);
    suite_add_tcase(suite, tests);
    return rig_main(suite);
}
