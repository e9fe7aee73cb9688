/* Axes of figures: places, logarithms, round marks. */
#include <math.h>

#include "tests/rig.h"
#include "tools/faultline/report_axis.h"

#define CLOSE 1e-9

START_TEST(ends_and_middle_have_their_places)
{
    struct report_axis axis = report_axis_over(10, 20, 100, 200, true);
    ck_assert(!axis.is_log);
    ck_assert_double_eq_tol(report_axis_place(&axis, 10), 100, CLOSE);
    ck_assert_double_eq_tol(report_axis_place(&axis, 15), 150, CLOSE);
    ck_assert_double_eq_tol(report_axis_place(&axis, 20), 200, CLOSE);
}
END_TEST

START_TEST(far_apart_is_logarithmic_if_it_may_be)
{
    struct report_axis axis = report_axis_over(1, 100, 0, 2, true);
    ck_assert(axis.is_log);
    ck_assert_double_eq_tol(report_axis_place(&axis, 10), 1, CLOSE);
    ck_assert(!report_axis_over(1, 100, 0, 2, false).is_log);
    ck_assert(!report_axis_over(0, 100, 0, 2, true).is_log);
}
END_TEST

START_TEST(marks_are_round_and_enclose_everything)
{
    double tick[REPORT_TICKS_MAX], step;
    struct report_axis axis = report_axis_over(0.8706, 0.9864, 250, 10, false);
    ck_assert_uint_eq(report_axis_ticks(&axis, tick, &step), 4); /* 85, 90, 95, 100 % */
    ck_assert_double_eq_tol(step, 0.05, CLOSE);
    ck_assert_double_eq_tol(tick[0], 0.85, CLOSE);
    ck_assert_double_eq_tol(tick[3], 1, CLOSE);
    ck_assert_double_eq_tol(report_axis_place(&axis, 0.85), 250, CLOSE);
    ck_assert_double_eq_tol(report_axis_place(&axis, 1), 10, CLOSE);
}
END_TEST

START_TEST(marks_of_any_span_fit)
{
    double tick[REPORT_TICKS_MAX], step;
    for (double span = 1e-12; span < 1e12; span *= 1.37)
        for (double low = 0; low < 3; low++) {
            struct report_axis axis = report_axis_over(low, low + span, 0, 1, false);
            size_t ticks = report_axis_ticks(&axis, tick, &step);
            ck_assert_uint_ge(ticks, 2);
            ck_assert_double_le(tick[0], low + step * 1e-6);
            ck_assert_double_ge(tick[ticks - 1], low + span - step * 1e-6);
        }
}
END_TEST

START_TEST(a_span_of_nothing_is_widened)
{
    struct report_axis axis = report_axis_over(5, 5, 0, 100, true);
    ck_assert_double_eq_tol(report_axis_place(&axis, 5), 50, CLOSE);
    axis = report_axis_over(0, 0, 0, 100, true);
    ck_assert_double_eq_tol(report_axis_place(&axis, 0), 50, CLOSE);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report_axis");
    TCase *tests = tcase_create("report_axis");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, ends_and_middle_have_their_places);
    tcase_add_test(tests, far_apart_is_logarithmic_if_it_may_be);
    tcase_add_test(tests, marks_are_round_and_enclose_everything);
    tcase_add_test(tests, marks_of_any_span_fit);
    tcase_add_test(tests, a_span_of_nothing_is_widened);
    return rig_main(suite);
}
