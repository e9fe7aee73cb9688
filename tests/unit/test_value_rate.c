#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tools/faultline/value.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct sim_error why;
static char text[VALUE_TEXT_MAX];

START_TEST(rates_are_bits_per_second)
{
    static const struct {
        const char *text;
        double bits_per_s;
        const char *canonical;
    } cases[] = {
        {"2Gbit/s", 2e9, "2Gbit/s"},
        {"1GB/s", 8e9, "8Gbit/s"},
        {"0.1Mbit/s", 1e5, "0.1Mbit/s"},
        {"100kbit/s", 1e5, "0.1Mbit/s"},
        {"1.5Tbit/s", 1.5e12, "1.5Tbit/s"},
        {"12.5MB/s", 1e8, "0.1Gbit/s"},
        {"1234567bit/s", 1234567, "1234567bit/s"},
        {"0bit/s", 0, "0bit/s"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        double rate = -1, back = -1;
        ck_assert_msg(value_read_rate(cases[i].text, &rate, &why) == 0, "%s", why.text);
        ck_assert_msg(rate == cases[i].bits_per_s, "%s is %.17g", cases[i].text, rate);
        value_write_rate(rate, text);
        ck_assert(value_read_rate(text, &back, &why) == 0 && back == rate);
        ck_assert_str_eq(text, cases[i].canonical);
    }
    value_about_rate(574456789.0, text);
    ck_assert_str_eq(text, "574.46Mbit/s");
    value_about_rate(INFINITY, text);
    ck_assert_str_eq(text, "none");
}
END_TEST

#define RATES "; allowed: bit/s kbit/s Mbit/s Gbit/s Tbit/s, or B/s kB/s MB/s GB/s TB/s for bytes"

START_TEST(bad_rates_are_refused)
{
    static const char *const cases[][2] = {
        {"", "the value is empty; expected a rate such as 2Gbit/s"},
        {"fast", "'fast': not a number; expected a rate such as 2Gbit/s"},
        {"-1Gbit/s", "'-1Gbit/s': must not be negative; expected a rate such as 2Gbit/s"},
        {"1e308Gbit/s", "'1e308Gbit/s': too large or too small for a number of 64 bits"},
        {"2", "'2': a rate needs a unit" RATES},
        {"2Gbps", "'2Gbps': 'Gbps' is no unit of a rate (write Gbit/s for bits)" RATES},
        {"2Gb/s", "'2Gb/s': 'Gb/s' is no unit of a rate (write Gbit/s for bits)" RATES},
        {"2GBps", "'2GBps': 'GBps' is no unit of a rate (write GB/s for bytes)" RATES},
        {"2Gbit", "'2Gbit': 'Gbit' is no unit of a rate (a rate is per second)" RATES},
        {"2Kbit/s", "'2Kbit/s': 'Kbit/s' is no unit of a rate" RATES},
        {"2s", "'2s': 's' is no unit of a rate" RATES},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        double rate = 42;
        ck_assert_int_eq(value_read_rate(cases[i][0], &rate, &why), -1);
        ck_assert_str_eq(why.text, cases[i][1]);
        ck_assert(rate == 42);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("value_rate");
    TCase *tests = tcase_create("value_rate");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, rates_are_bits_per_second);
    tcase_add_test(tests, bad_rates_are_refused);
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
