#include <stdlib.h>

#include "tests/rig.h"
#include "tools/faultline/sample.h"
#include "tools/faultline/value.h"

static struct sim_error why;

static struct sim_law read(const char *text)
{
    struct sim_law law = {.kind = SIM_LAW_COUNT};
    ck_assert_msg(value_read_law(text, &law, &why) == 0, "%s", why.text);
    ck_assert_int_eq(law.kind, SIM_LAW_EMPIRICAL);
    return law;
}

static void expect_text(const char *text, const char *canonical)
{
    struct sim_law law = read(text);
    char *written = value_sample_text(law.sample);
    ck_assert_str_eq(written, canonical);
    struct sim_law back = read(written);
    ck_assert_ptr_eq(back.sample, law.sample);
    free(written);
}

START_TEST(delays_are_sorted_and_written_in_seconds)
{
    expect_text("empirical(1h, 20min,3d )", "empirical(1200s, 3600s, 259200s)");
    expect_text(" empirical ( 0s ) ", "empirical(0s)");
    expect_text("empirical(0.1ms, 1e-9s, 1y)", "empirical(1e-9s, 0.0001s, 31557600s)");
    expect_text("empirical(0.30000000000000004s, 0.3s)", "empirical(0.3s, 0.30000000000000004s)");
}
END_TEST

/* However often it is read. */
START_TEST(equal_samples_are_one)
{
    static const double up[] = {1, 2, 3}, down[] = {3, 2, 1}, fewer[] = {1, 2};
    ck_assert_ptr_eq(sample_of(up, 3), sample_of(down, 3));
    ck_assert_ptr_eq(read("empirical(3s, 1s, 2s)").sample, sample_of(up, 3));
    ck_assert_ptr_ne(sample_of(fewer, 2), sample_of(up, 3));
}
END_TEST

START_TEST(files_are_told_from_delays)
{
    static const char *const cases[][2] = {
        {"empirical(file=lives.csv)", "lives.csv"},
        {" empirical ( file = my lives(2).csv ) ", "my lives(2).csv"},
        {"empirical(file=)", ""},
        {"empirical(1h)", NULL},
        {"empirical(file=lives.csv", NULL},
        {"empirical(file=lives.csv) x", NULL},
        {"empirical(filename)", NULL},
    };
    ck_assert(!value_is_sample("weibull(mean=1h, shape=2)"));
    ck_assert(!value_is_sample("empirical"));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ck_assert(value_is_sample(cases[i][0]));
        char *name = value_sample_file(cases[i][0]);
        ck_assert((name == NULL) == (cases[i][1] == NULL));
        if (name != NULL)
            ck_assert_str_eq(name, cases[i][1]);
        free(name);
    }
}
END_TEST

START_TEST(the_longest_sample_and_one_more)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    fprintf(to, "empirical(");
    for (int i = 1; i < SAMPLE_MAX; i++)
        fprintf(to, "%ds, ", i);
    fprintf(to, "7s)");
    (void)fclose(to);
    ck_assert_int_eq(read(text).sample->count, SAMPLE_MAX);
    struct sim_law law = {.kind = SIM_LAW_COUNT};
    (void)memcpy(text + strlen(text) - 1, ",", 1); /* it goes on */
    char *more = malloc(size + 8);
    (void)snprintf(more, size + 8, "%s8s)", text);
    ck_assert_int_eq(value_read_law(more, &law, &why), -1);
    ck_assert_str_eq(why.text, "empirical: more than 10000 delays");
    ck_assert_int_eq(law.kind, SIM_LAW_COUNT);
    free(more);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("value_law_sample");
    TCase *tests = tcase_create("value_law_sample");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, delays_are_sorted_and_written_in_seconds);
    tcase_add_test(tests, equal_samples_are_one);
    tcase_add_test(tests, files_are_told_from_delays);
    tcase_add_test(tests, the_longest_sample_and_one_more);
    return rig_main(suite);
}
