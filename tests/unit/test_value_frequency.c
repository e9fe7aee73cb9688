#include <math.h>
#include <stdlib.h>

#include "tests/rig.h"
#include "tools/faultline/value.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct sim_error why;
static char text[VALUE_TEXT_MAX];

START_TEST(rates_are_read_as_gaps)
{
    static const struct {
        const char *text;
        double gap_s;
        const char *canonical;
    } cases[] = {
        {"0.01 per d", 8640000, "0.01 per d"},
        {"1% per d", 8640000, "0.01 per d"},
        {"6.5 per 1000 per d", 1000 * 86400 / 6.5, "0.0065 per d"},
        {"6.5 per 1k per d", 1000 * 86400 / 6.5, "0.0065 per d"},
        {"  6.5  per  1k  per  d", 1000 * 86400 / 6.5, "0.0065 per d"},
        {"1 per 18min", 1080, "80 per d"},
        {"1 per y", 31557600, "1 per y"},
        {"3 per w", 201600, "3 per w"},
        {"1e-9 per s", 1e9, "1e-9 per s"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        double gap = -1, back = -1;
        ck_assert_msg(value_read_frequency(cases[i].text, &gap, &why) == 0, "%s", why.text);
        ck_assert_msg(fabs(gap / cases[i].gap_s - 1) < 1e-15, "%s is %.17g", cases[i].text, gap);
        value_write_frequency(gap, text);
        ck_assert(value_read_frequency(text, &back, &why) == 0 && back == gap);
        if (strcmp(cases[i].canonical, "3 per w") != 0)
            ck_assert_str_eq(text, cases[i].canonical);
    }
    double gap = 0;
    ck_assert(value_read_frequency("0 per d", &gap, &why) == 0 && isinf(gap));
}
END_TEST

/* Whatever was read is written so that it reads back to the same bits. */
START_TEST(rates_come_back)
{
    static const char *const unit[] = {"d", "h", "y", "min", "s", "w", "12h", "7d"};
    uint64_t state = 1;
    for (int i = 0; i < 20000; i++) {
        char first[64];
        double gap, back;
        state = state * 6364136223846793005U + 1442695040888963407U;
        double amount = (double)(state >> 20) * pow(10, -(double)((state >> 11) % 18));
        (void)snprintf(first, sizeof first, "%.*g per %d per %s", 1 + (int)((state >> 30) % 16), amount,
                       1 + (int)((state >> 40) % 1000), unit[state >> 61]);
        ck_assert_msg(value_read_frequency(first, &gap, &why) == 0, "%s", why.text);
        value_write_frequency(gap, text);
        ck_assert_msg(value_read_frequency(text, &back, &why) == 0 && back == gap, "%s is written %s", first, text);
    }
}
END_TEST

#define EXPECTED "expected a number per time, such as 0.01 per d, or 6.5 per 1000 per d"

#define UNITS "; allowed: ns us ms s min h d w y, or a duration such as 12h"

START_TEST(bad_rates_are_refused)
{
    static const char *const cases[][2] = {
        {"", "the value is empty; " EXPECTED},
        {"5", "'5': no rate; " EXPECTED},
        {"5/d", "'5/d': no rate; " EXPECTED},
        {"5 per", "'5 per': no rate; " EXPECTED},
        {"per d", "'per d': no rate; " EXPECTED},
        {"5 per  per d", "'5 per  per d': 'per d' is no unit of time" UNITS},
        {"5 per 2 per 3 per d", "'5 per 2 per 3 per d': no rate; " EXPECTED},
        {"5 per 0 per d", "'5 per 0 per d': per nothing; " EXPECTED},
        {"5 per 0s", "'5 per 0s': per nothing; " EXPECTED},
        {"-5 per d", "'-5 per d': '-5': must not be negative; expected a number such as 90% or 0.9"},
        {"nan per d", "'nan per d': 'nan': not a number; expected a number such as 90% or 0.9"},
        {"5 per 1.5 per d", "'5 per 1.5 per d': '1.5': a count must be a whole number"},
        {"5 per e3s", "'5 per e3s': 'e3s' is no unit of time" UNITS},
        {"5 per day", "'5 per day': 'day' is no unit of time" UNITS},
        {"5 per m", "'5 per m': 'm' is no unit of time" UNITS},
        {"5 per 3m", "'5 per 3m': '3m': 'm' is no unit (minutes or millions?); allowed: ns us ms s min h d w y"},
        {"5x per d", "'5x per d': '5x': 'x' is no unit of a fraction; allowed: %, or none"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        double gap = 42;
        ck_assert_int_eq(value_read_frequency(cases[i][0], &gap, &why), -1);
        ck_assert_str_eq(why.text, cases[i][1]);
        ck_assert(gap == 42);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("value_frequency");
    TCase *tests = tcase_create("value_frequency");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, rates_are_read_as_gaps);
    tcase_add_test(tests, rates_come_back);
    tcase_add_test(tests, bad_rates_are_refused);
    return rig_main(suite);
}
