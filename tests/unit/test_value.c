#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/rig.h"
#include "tools/faultline/decimal.h"
#include "tools/faultline/value.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct sim_error why;
static char text[VALUE_TEXT_MAX];

/* Expected values by hand: a year is 365.25 days of 86,400 s. */
static const struct {
    const char *text;
    sim_time ns;
    const char *canonical;
} times[] = {
    {"0s", 0, "0s"},
    {"0y", 0, "0s"},
    {"1ns", 1, "1ns"},
    {"0.5ns", 1, "1ns"},
    {"7.5s", 7500000000, "7.5s"},
    {"007.50s", 7500000000, "7.5s"},
    {"0.1s", 100000000, "0.1s"},
    {"90min", 5400000000000, "90min"},
    {"1.5h", 5400000000000, "90min"},
    {"600s", 600000000000, "10min"},
    {"62s", 62000000000, "62s"},
    {"24h", 86400000000000, "1d"},
    {"1w", 604800000000000, "7d"},
    {"1y", 31557600000000000, "1y"},
    {"365.25d", 31557600000000000, "1y"},
    {"1e3d", 86400000000000000, "1000d"},
    {"1E-3s", 1000000, "1ms"},
    {"1.5e+1s", 15000000000, "15s"},
    {"292y", 9214819200000000000, "292y"},
    {"9223372036854775807ns", INT64_MAX, "9223372036.854775807s"},
    {"9007199254740993ns", 9007199254740993, "9007199.254740993s"}, /* 2^53 + 1: no double has it */
    {"100000.000000001s", 100000000000001, "100000.000000001s"},
    {"7.50000000000000000000000000000000000000000s", 7500000000, "7.5s"},
};

START_TEST(times_are_exact_to_the_nanosecond)
{
    sim_time ns = -1;
    ck_assert_msg(value_read_time(times[_i].text, &ns, &why) == 0, "%s", why.text);
    ck_assert_int_eq(ns, times[_i].ns);
    value_write_time(ns, text);
    ck_assert_str_eq(text, times[_i].canonical);
}
END_TEST

static const char *const bad_times[][2] = {
    {"", "the value is empty; expected a number such as 7.5s"},
    {"90m", "'90m': 'm' is no unit (minutes or millions?); allowed: ns us ms s min h d w y"},
    {"3600", "'3600': a duration needs a unit; allowed: ns us ms s min h d w y"},
    {"0", "'0': a duration needs a unit, even 0 (write 0s); allowed: ns us ms s min h d w y"},
    {"10x", "'10x': 'x' is no unit; allowed: ns us ms s min h d w y"},
    {"1s ", "'1s ': 's ' is no unit; allowed: ns us ms s min h d w y"},
    {" 1s", "' 1s': not a number; expected a number such as 7.5s"},
    {"1 s", "'1 s': no blank between number and unit; expected a number such as 7.5s"},
    {"nan", "'nan': not a number; expected a number such as 7.5s"},
    {"inf", "'inf': not a number; expected a number such as 7.5s"},
    {"+1s", "'+1s': not a number; expected a number such as 7.5s"},
    {"-1s", "'-1s': must not be negative; expected a number such as 7.5s"},
    {"0x10s", "'0x10s': hexadecimal is not allowed; expected a number such as 7.5s"},
    {"0,5s", "'0,5s': a comma is no decimal point; expected a number such as 7.5s"},
    {".5s", "'.5s': not a number; expected a number such as 7.5s"},
    {"5.s", "'5.s': a point must stand between digits; expected a number such as 7.5s"},
    {"1e-320s", "'1e-320s': shorter than half a nanosecond; allowed: 0s, or 1ns and longer"},
    {"0.49ns", "'0.49ns': shorter than half a nanosecond; allowed: 0s, or 1ns and longer"},
    {"293y", "'293y': longer than a time can be; the limit is 292y"},
    {"9223372036854775808ns", "'9223372036854775808ns': longer than a time can be; the limit is 292y"},
    {"1e99999999999999999999s", "'1e99999999999999999999s': longer than a time can be; the limit is 292y"},
    {"1.2345678901234567890123s", "'1.2345678901234567890123s': more than 21 digits; expected a number such as 7.5s"},
    {"1e", "'1e': 'e' is no unit; allowed: ns us ms s min h d w y"},
    {"1\x1b[2J", "'1?[2J': '?[2J' is no unit; allowed: ns us ms s min h d w y"},
    {"\xff", "'?': not a number; expected a number such as 7.5s"},
};

START_TEST(bad_times_are_refused)
{
    sim_time ns = 42;
    ck_assert_int_eq(value_read_time(bad_times[_i][0], &ns, &why), -1);
    ck_assert_str_eq(why.text, bad_times[_i][1]);
    ck_assert_int_eq(ns, 42);
}
END_TEST

START_TEST(seconds_are_the_nearest_double)
{
    static const struct {
        const char *text;
        double s;
        const char *canonical;
    } cases[] = {
        {"1y", 31557600.0, "1y"},
        {"0.1s", 0.1, "0.1s"},
        {"0.3ms", 3e-4, "0.3ms"},
        {"1000000y", 3.15576e13, "1000000y"},
        {"0.1ns", 1e-10, "0.1ns"},
        {"33min", 1980.0, "33min"},
        {"1365119.222175195s", 1365119.222175195, "1365119.222175195s"},
        {"0d", 0.0, "0s"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        double s = -1;
        ck_assert_msg(value_read_seconds(cases[i].text, &s, &why) == 0, "%s", why.text);
        ck_assert_msg(s == cases[i].s, "%s is %.17g", cases[i].text, s);
        value_write_seconds(s, text);
        ck_assert_str_eq(text, cases[i].canonical);
    }
    double s = 42;
    ck_assert_int_eq(value_read_seconds("1e-320s", &s, &why), -1);
    ck_assert_int_eq(value_read_seconds("1e308y", &s, &why), -1);
    ck_assert(s == 42);
}
END_TEST

START_TEST(counts)
{
    static const struct {
        const char *text;
        int64_t count;
        const char *canonical;
    } cases[] = {
        {"0", 0, "0"},
        {"24", 24, "24"},
        {"150k", 150000, "150k"},
        {"2.4M", 2400000, "2.4M"},
        {"1e6", 1000000, "1M"},
        {"5G", 5000000000, "5G"},
        {"1T", 1000000000000, "1T"},
        {"16777216", 16777216, "16777216"},
        {"1.50", -1, NULL},
        {"1.0", 1, "1"},
        {"0.5k", 500, "500"},
        {"1e-1", -1, NULL},
        {"5m", -1, NULL},
        {"5B", -1, NULL},
        {"9223372036854775807", INT64_MAX, "9223372036854775807"},
        {"9223372036854775808", -1, NULL},
        {"1e30", -1, NULL},
        {"nan", -1, NULL},
        {"-1", -1, NULL},
        {"1_000", -1, NULL},
        {"1,000", -1, NULL},
        {"10K", -1, NULL},
        {"9007199254740993", 9007199254740993, "9007199254740993"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t count = -1;
        int status = value_read_count(cases[i].text, &count, &why);
        ck_assert_msg(status == (cases[i].count < 0 ? -1 : 0), "%s", cases[i].text);
        ck_assert_int_eq(count, cases[i].count);
        if (status == 0)
            value_write_count(count, text);
        if (status == 0)
            ck_assert_str_eq(text, cases[i].canonical);
    }
}
END_TEST

START_TEST(fractions_and_reals)
{
    static const struct {
        const char *text;
        double fraction;
        const char *canonical;
    } cases[] = {
        {"90%", 0.9, "90%"},      {"0.9", 0.9, "90%"},     {"0", 0, "0%"},
        {"100%", 1, "100%"},      {"1", 1, "100%"},        {"33.3%", 0.333, "33.3%"},
        {"1e-7%", 1e-9, "1e-7%"}, {"0.1%", 0.001, "0.1%"}, {"29%", 0.29, "29%"},
    };
    double number;
    for (size_t i = 0; i < COUNT(cases); i++) {
        ck_assert_msg(value_read_fraction(cases[i].text, &number, &why) == 0, "%s", why.text);
        ck_assert_msg(number == cases[i].fraction, "%s is %.17g", cases[i].text, number);
        value_write_fraction(number, text);
        ck_assert_str_eq(text, cases[i].canonical);
    }
    ck_assert_int_eq(value_read_fraction("10%%", &number, &why), -1);
    ck_assert_int_eq(value_read_fraction("10 %", &number, &why), -1);
    ck_assert_int_eq(value_read_fraction("%", &number, &why), -1);
    ck_assert_int_eq(value_read_real("0.7", &number, &why), 0);
    ck_assert(number == 0.7);
    ck_assert_int_eq(value_read_real("0.7x", &number, &why), -1);
    ck_assert_int_eq(value_read_real("1e-320", &number, &why), -1);
    ck_assert_int_eq(value_read_real("1e309", &number, &why), -1);
    ck_assert_int_eq(value_read_real("2.2250738585072014e-308", &number, &why), 0); /* the smallest normal double */
}
END_TEST

START_TEST(seeds)
{
    uint64_t seed;
    ck_assert_int_eq(value_read_seed("9223372036854775807", &seed, &why), 0);
    ck_assert_uint_eq(seed, INT64_MAX);
    value_write_seed(seed, text);
    ck_assert_str_eq(text, "9223372036854775807");
    ck_assert_int_eq(value_read_seed("9223372036854775808", &seed, &why), -1);
    ck_assert_int_eq(value_read_seed("1k", &seed, &why), -1);
    ck_assert_int_eq(value_read_seed("1.5", &seed, &why), -1);
}
END_TEST

static const char *const laws[][2] = {
    {"constant(15s)", "constant(15s)"},
    {"constant(0s)", "constant(0s)"},
    {"constant(value=15s)", "constant(15s)"},
    {"constant(mean=15s)", "constant(15s)"},
    {"exponential(mean=24h)", "exponential(mean=1d)"},
    {"weibull(scale=3d, shape=0.7)", "weibull(scale=3d, shape=0.7)"},
    {" weibull ( shape = 0.7,scale=3d ) ", NULL},
    {"weibull( shape = 0.7,scale=3d )", "weibull(scale=3d, shape=0.7)"},
    {"weibull(mean=3d, shape=1)", "weibull(scale=3d, shape=1)"},
    {"lognormal(median=10min, sigma=1)", "lognormal(median=10min, sigma=1)"},
    {"gamma(mean=1h, shape=2)", "gamma(scale=30min, shape=2)"},
    {"exp_weibull(scale=33min, shape=1, power=1)", "exp_weibull(scale=33min, shape=1, power=1)"},
    {"15s", NULL},
    {"", NULL},
    {"weibull", NULL},
    {"weibull()", NULL},
    {"weibull(", NULL},
    {")(", NULL},
    {"weibull(mean=1h, shape=1))", NULL},
    {"weibull(mean=1h, shape=1,)", NULL},
    {"weibull(mean=1h, scale=1h, shape=1)", NULL},
    {"weibull(mean=1h, mean=1h, shape=1)", NULL},
    {"weibull(mean=1h)", NULL},
    {"weibull(shape=1)", NULL},
    {"weibull(mean=1h, shape=0)", NULL},
    {"weibull(mean=1h, shape=nan)", NULL},
    {"weibull(mean=0s, shape=1)", NULL},
    {"weibull(scale=0s, shape=1)", NULL},
    {"weibull(scale=1, shape=1)", NULL},
    {"exponential(1h)", NULL},
    {"exponential(mean=1h, shape=1)", NULL},
    {"lognormal(mean=1ns, sigma=10)", NULL},
    {"poisson(mean=1h)", NULL},
};

START_TEST(laws_are_read_and_written)
{
    struct sim_law law = {.kind = SIM_LAW_COUNT};
    int status = value_read_law(laws[_i][0], &law, &why);
    ck_assert_msg(status == (laws[_i][1] == NULL ? -1 : 0), "%s: %s", laws[_i][0], why.text);
    if (status == 0)
        value_write_law(&law, text);
    else
        ck_assert_int_eq(law.kind, SIM_LAW_COUNT);
    if (status == 0)
        ck_assert_str_eq(text, laws[_i][1]);
}
END_TEST

/* The mean of a law is the one asked for: 20 d, whatever the shape. */
START_TEST(mean_of_a_law)
{
    static const char *const with_mean[] = {"exponential(mean=20d)", "weibull(mean=20d, shape=0.7)",
                                            "lognormal(mean=20d, sigma=1.5)", "gamma(mean=20d, shape=0.3)",
                                            "exp_weibull(mean=20d, shape=0.8, power=2)"};
    for (size_t i = 0; i < COUNT(with_mean); i++) {
        struct sim_law law;
        ck_assert_msg(value_read_law(with_mean[i], &law, &why) == 0, "%s", why.text);
        ck_assert_msg(fabs(sim_law_mean(&law) / (20 * 86400.0) - 1) < 1e-6, "%s: %g", with_mean[i], sim_law_mean(&law));
    }
}
END_TEST

START_TEST(times_for_people)
{
    static const struct {
        double s;
        const char *text;
    } cases[] = {{13.149, "13.149s"}, {0, "0s"}, {1e-10, "0.1ns"}, {86400 * 1.42678, "1.4268d"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        value_about_seconds(cases[i].s, text);
        ck_assert_str_eq(text, cases[i].text);
    }
    value_about_seconds(INFINITY, text);
    ck_assert_str_eq(text, "never");
}
END_TEST

START_TEST(quotes_are_cut_between_characters)
{
    char quoted[VALUE_QUOTE_MAX], longer[200];
    for (size_t start = 0; start < 4; start++) {
        memset(longer, 'x', start);
        for (size_t i = start; i + 4 < sizeof longer; i += 4)
            memcpy(longer + i, "\xF0\x9F\x94\xA5", 5);
        value_quote(longer, quoted);
        ck_assert_uint_le(strlen(quoted), VALUE_QUOTE_MAX - 1);
        ck_assert_ptr_nonnull(strstr(quoted, "\xF0\x9F\x94\xA5...'"));
    }
    ck_assert_str_eq(value_quote("a\xC2\x9B"
                                 "b\xE2\x80\xA8",
                                 quoted),
                     "'a?b?'");
}
END_TEST

/* splitmix64 (Steele, Lea and Flood 2014) */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* A double whose logarithm is even over the whole range that laws and mtbi may have. */
static double random_seconds(uint64_t *state)
{
    double unit = (double)(next_random(state) >> 11) * 0x1p-53;
    return pow(10, -10 + 24 * unit);
}

static void check_round_trip(uint64_t seed)
{
    uint64_t state = seed;
    int64_t whole = (int64_t)(next_random(&state) >> (1 + next_random(&state) % 63)), back;
    double s = random_seconds(&state), fraction = s / 1e15, s_back;
    value_write_time(whole, text);
    ck_assert_msg(value_read_time(text, &back, &why) == 0 && back == whole, "seed %" PRIu64 ": %s", seed, text);
    value_write_count(whole, text);
    ck_assert_msg(value_read_count(text, &back, &why) == 0 && back == whole, "seed %" PRIu64 ": %s", seed, text);
    value_write_seconds(s, text);
    ck_assert_msg(value_read_seconds(text, &s_back, &why) == 0 && s_back == s, "seed %" PRIu64 ": %s", seed, text);
    value_write_fraction(fraction, text);
    ck_assert_msg(value_read_fraction(text, &s_back, &why) == 0 && s_back == fraction, "seed %" PRIu64 ": %s", seed,
                  text);
    value_write_real(s, text);
    ck_assert_msg(value_read_real(text, &s_back, &why) == 0 && s_back == s, "seed %" PRIu64 ": %s", seed, text);
}

START_TEST(what_is_written_reads_back)
{
    for (uint64_t seed = 1; seed <= 5000; seed++)
        check_round_trip(seed);
}
END_TEST

/* Where the system has a locale with a decimal comma, nothing changes in it. */
START_TEST(the_locale_does_not_matter)
{
    static const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    for (size_t i = 0; i < COUNT(commas); i++)
        if (setlocale(LC_ALL, commas[i]) != NULL)
            break;
    for (uint64_t seed = 1; seed <= 100; seed++)
        check_round_trip(seed);
    double s;
    ck_assert_int_eq(value_read_seconds("7.5s", &s, &why), 0);
    ck_assert(s == 7.5);
    value_write_seconds(s, text);
    ck_assert_str_eq(text, "7.5s");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("value");
    TCase *tests = tcase_create("value");
    suite_add_tcase(suite, tests);
    tcase_add_loop_test(tests, times_are_exact_to_the_nanosecond, 0, (int)COUNT(times));
    tcase_add_loop_test(tests, bad_times_are_refused, 0, (int)COUNT(bad_times));
    tcase_add_loop_test(tests, laws_are_read_and_written, 0, (int)COUNT(laws));
    tcase_add_test(tests, seconds_are_the_nearest_double);
    tcase_add_test(tests, counts);
    tcase_add_test(tests, fractions_and_reals);
    tcase_add_test(tests, seeds);
    tcase_add_test(tests, mean_of_a_law);
    tcase_add_test(tests, times_for_people);
    tcase_add_test(tests, quotes_are_cut_between_characters);
    tcase_add_test(tests, what_is_written_reads_back);
    tcase_add_test(tests, the_locale_does_not_matter);
    return rig_main(suite);
}
