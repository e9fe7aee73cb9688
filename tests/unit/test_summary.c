/* Samples and the writer of result sets. */
#include <float.h>
#include <math.h>

#include "tests/rig.h"
#include "tools/faultline/output.h"
#include "tools/faultline/summary.h"

/* 1, 2, 3, 4, 5: mean 3, sd sqrt(10/4), t(0.975, 4) = 2.776445 (any table of Student's t). */
START_TEST(sample_of_five)
{
    const double x[] = {1, 2, 3, 4, 5};
    struct summary_sample sample = summary_of(x, 5);
    ck_assert_uint_eq(sample.n, 5);
    ck_assert_double_eq(sample.mean, 3);
    ck_assert_double_eq_tol(sample.sd, sqrt(2.5), 1e-15);
    ck_assert_double_eq_tol(sample.ci95, 2.776445 * sqrt(2.5) / sqrt(5), 1e-6);
}
END_TEST

START_TEST(small_samples_have_no_interval)
{
    const double x[] = {0.25};
    ck_assert(isnan(summary_of(x, 0).mean));
    ck_assert_double_eq(summary_of(x, 1).mean, 0.25);
    ck_assert(isnan(summary_of(x, 1).sd));
    ck_assert(isnan(summary_of(x, 1).ci95));
}
END_TEST

START_TEST(close_values_keep_their_spread)
{
    const double x[] = {1, 1 + 0x1p-50, 1 - 0x1p-50};
    ck_assert_double_eq_tol(summary_of(x, 3).sd, 0x1p-50, 0x1p-52);
}
END_TEST

START_TEST(quantiles_of_student)
{
    ck_assert_double_eq_tol(summary_t95(1), 12.7062, 1e-4);
    ck_assert_double_eq_tol(summary_t95(9), 2.262157, 1e-6);
    ck_assert_double_eq_tol(summary_t95(1e9), 1.959964, 1e-6);
}
END_TEST

/* output_number as text; the caller frees it. */
static char *number(double x)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    output_number(to, x, "none");
    (void)fclose(to);
    return text;
}

static void expect_number(double x, const char *expected)
{
    char *text = number(x);
    ck_assert_str_eq(text, expected);
    free(text);
}

START_TEST(shortest_reads_back)
{
    const double x[] = {0, 0.1, 1.0 / 3, -1.0 / 3, 2592000, 5e-324, DBL_MAX, 0.86249999999999993};
    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) {
        char *text = number(x[i]);
        ck_assert(strtod(text, NULL) == x[i]);
        free(text);
    }
    expect_number(0.1, "0.1");
    expect_number(2592000, "2592000");
    expect_number(-2.5, "-2.5");
    expect_number(NAN, "none");
    expect_number(-INFINITY, "none");
}
END_TEST

/* Two rows of every kind of cell in one format; the caller frees the text. */
static char *written(enum summary_format format, const char *name)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    const struct summary_column column[] = {{"name", true}, {"n", false}, {"x", false}};
    struct summary_writer *writer = summary_open(to, format, column, 3);
    struct summary_cell first[] = {summary_text(name), summary_integer(INT64_MIN), summary_real(0.5)};
    struct summary_cell second[] = {summary_text("b"), summary_integer(2), summary_real(NAN)};
    summary_row(writer, first);
    summary_row(writer, second);
    summary_close(writer);
    (void)fclose(to);
    return text;
}

static void expect(enum summary_format format, const char *name, const char *expected)
{
    char *text = written(format, name);
    ck_assert_str_eq(text, expected);
    free(text);
}

START_TEST(csv)
{
    expect(SUMMARY_CSV, "a", "name,n,x\na,-9223372036854775808,0.5\nb,2,\n");
    expect(SUMMARY_CSV, "x\"; `touch pwned`, y\n",
           "name,n,x\n\"x\"\"; `touch pwned`, y\n\",-9223372036854775808,0.5\nb,2,\n");
}
END_TEST

START_TEST(json)
{
    expect(SUMMARY_JSON, "a\"\\\n\x01\x7f\xc3\xa9",
           "{\"name\": \"a\\\"\\\\\\u000a\\u0001\\u007f\xc3\xa9\", \"n\": -9223372036854775808, \"x\": 0.5}\n"
           "{\"name\": \"b\", \"n\": 2, \"x\": null}\n");
}
END_TEST

START_TEST(table)
{
    expect(
        SUMMARY_TABLE, "a\xc3\xa9",
        "name                     n    x\na\xc3\xa9    -9223372036854775808  0.5\nb                        2    -\n");
}
END_TEST

START_TEST(markdown)
{
    expect(SUMMARY_MARKDOWN, "a|b",
           "| name |                    n |   x |\n|------|---------------------:|----:|\n"
           "| a\\|b | -9223372036854775808 | 0.5 |\n| b    |                    2 |   - |\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("summary");
    TCase *tests = tcase_create("summary");
    tcase_add_test(tests, sample_of_five);
    tcase_add_test(tests, small_samples_have_no_interval);
    tcase_add_test(tests, close_values_keep_their_spread);
    tcase_add_test(tests, quantiles_of_student);
    tcase_add_test(tests, shortest_reads_back);
    tcase_add_test(tests, csv);
    tcase_add_test(tests, json);
    tcase_add_test(tests, table);
    tcase_add_test(tests, markdown);
    suite_add_tcase(suite, tests);
    return rig_main(suite);
}
