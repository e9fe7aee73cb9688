/* What is varied: lists and ranges of every type of value, cells in order, what is refused. */
#include <stdio.h>
#include <unistd.h>

#include "tests/rig.h"
#include "tools/faultline/vary.h"

/* The values that KEY=LIST comes to, separated by blanks; or the error. */
static const char *values_of(const char *spec)
{
    static char text[1024];
    struct sim_error error;
    struct vary *vary = vary_create();
    text[0] = '\0';
    if (vary_add(vary, spec, false, &error) != 0 || vary_finish(vary, &error) != 0) {
        (void)snprintf(text, sizeof text, "%s", error.text);
    } else {
        for (size_t i = 0; i < vary_cells(vary); i++)
            (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i == 0 ? "" : " ",
                           vary_value(vary, i, 0));
    }
    vary_destroy(vary);
    return text;
}

static const char *const lists[][2] = {
    {"learners.count=1,2,4", "1 2 4"},
    {"learners.count= 1 , 2 ", "1 2"},
    {"learners.count=1..4", "1 2 3 4"},
    {"learners.count=1..16 x2", "1 2 4 8 16"},
    {"learners.count=1..16x2", "1 2 4 8 16"},
    {"learners.count=1..3 x1.3", "1 2 3"},
    {"learners.count=1,2..8 +3,64", "1 2 5 8 64"},
    {"learners.count=5..5", "5"},
    {"fleet.chips=150k..2.4M x2", "150k 300k 600k 1.2M 2.4M"},
    {"fleet.chips=1..10 +4", "1 5 9"},
    {"elastic.downscale=0..60s +20s", "0s 20s 40s 1min"},
    {"elastic.downscale=0..60s +20", "0s 20s 40s 1min"},
    {"elastic.downscale=0s..1min +30s", "0s 30s 1min"},
    {"elastic.downscale=1..9ms x3", "1ms 3ms 9ms"},
    {"elastic.downscale=12s,1.5min", "12s 1.5min"},
    {"failures.chip.mtbi=1y..4y x2", "1y 2y 4y"},
    {"elastic.min_share=0..30% +10%", "0% 10% 20% 30%"},
    {"elastic.min_share=0.1..0.3 +0.1", "10% 20% 30%"},
    {"fleet.classes.old.speed=0.5..0.8 +0.1", "0.5 0.6 0.7 0.8"},
    {"network.link=1..4Gbit/s x2", "1Gbit/s 2Gbit/s 4Gbit/s"},
    {"learners.tokens_per_step=1M..4M x2", "1M 2M 4M"},
    {"method=dp,elastic-dp", "dp elastic-dp"},
    {"name=a..b,c", "a..b c"},
    {"failures.chip.return_after=weibull(mean=1h, shape=2),constant(0s)", "weibull(mean=1h, shape=2) constant(0s)"},
    {"failures.site.learners=[0, 1],[2]", "[0, 1] [2]"},
};

START_TEST(lists_and_ranges)
{
    ck_assert_str_eq(values_of(lists[_i][0]), lists[_i][1]);
}
END_TEST

static const char *const refusals[][2] = {
    {"learners.count", "--vary 'learners.count': expected KEY=VALUE,VALUE,..."},
    {"learners.count=", "--vary learners.count: a value is empty"},
    {"learners.count=1,,2", "--vary learners.count: a value is empty"},
    {"learners.cuont=1", "--vary 'learners.cuont': there is no such key; did you mean learners.count?"},
    {"xyzzyxyzzy=1", "--vary 'xyzzyxyzzy': there is no such key; `faultline keys` lists them"},
    {"elastic=1", "--vary 'elastic': is a section; expected a single key"},
    {"seed=1,2", "--vary seed: all cells share one, so that they meet the same chaos; -n adds replicas"},
    {"learners.count=4..1", "--vary learners.count: '4..1': the range does not advance from LOW to HIGH"},
    {"learners.count=1..4 x1", "--vary learners.count: '1..4 x1': the range does not advance from LOW to HIGH"},
    {"learners.count=1..4 x0.5", "--vary learners.count: '1..4 x0.5': the range does not advance from LOW to HIGH"},
    {"elastic.upscale=0..4s x2", "--vary elastic.upscale: '0..4s x2': the range does not advance from LOW to HIGH"},
    {"elastic.upscale=1..4s +0s", "--vary elastic.upscale: '1..4s +0s': the range does not advance from LOW to HIGH"},
    {"elastic.upscale=1s..4s", "--vary elastic.upscale: a range needs a step: LOW..HIGH +STEP, or LOW..HIGH xFACTOR"},
    {"elastic.upscale=1s..4h x2s", "--vary elastic.upscale: '2s': a pure number takes no unit"},
    {"learners.count=1..4 +x", "--vary learners.count: 'x': not a number; expected a number such as 2.4M"},
    {"learners.count=0..4", "--vary learners.count: '0': out of range; allowed: 1 to 65536"},
    {"fleet.chips=1..1M", "--vary fleet.chips: '1..1M': the range has more than 100000 values"},
};

START_TEST(what_is_refused)
{
    ck_assert_str_eq(values_of(refusals[_i][0]), refusals[_i][1]);
}
END_TEST

static struct vary *vary_of(const char *const specs[], size_t count, struct sim_error *error, int *ret_status)
{
    struct vary *vary = vary_create();
    *ret_status = 0;
    for (size_t i = 0; i < count && *ret_status == 0; i++)
        *ret_status = vary_add(vary, specs[i] + 1, specs[i][0] == 'z', error);
    if (*ret_status == 0)
        *ret_status = vary_finish(vary, error);
    return vary;
}

/* The zipped keys are one dimension, which stands where the first of them does. */
START_TEST(the_last_dimension_moves_fastest)
{
    static const char *const specs[] = {"vmethod=dp,elastic-dp", "zfleet.chips=64,128", "velastic.upscale=1s,2s,3s",
                                        "zfleet.chips_per_slice=8,16"};
    static const char *const expected[] = {"dp 64 1s 8",           "dp 64 2s 8",           "dp 64 3s 8",
                                           "dp 128 1s 16",         "dp 128 2s 16",         "dp 128 3s 16",
                                           "elastic-dp 64 1s 8",   "elastic-dp 64 2s 8",   "elastic-dp 64 3s 8",
                                           "elastic-dp 128 1s 16", "elastic-dp 128 2s 16", "elastic-dp 128 3s 16"};
    struct sim_error error;
    int status;
    char text[128];
    struct vary *vary = vary_of(specs, 4, &error, &status);
    ck_assert_int_eq(status, 0);
    ck_assert_uint_eq(vary_cells(vary), 12);
    ck_assert_str_eq(vary_setting(vary, 11, 3), "fleet.chips_per_slice=16");
    for (size_t i = 0; i < 12; i++) {
        (void)snprintf(text, sizeof text, "%s %s %s %s", vary_value(vary, i, 0), vary_value(vary, i, 1),
                       vary_value(vary, i, 2), vary_value(vary, i, 3));
        ck_assert_str_eq(text, expected[i]);
    }
    vary_destroy(vary);
}
END_TEST

START_TEST(zipped_lists_have_one_length)
{
    static const char *const specs[] = {"zfleet.chips=64,128", "zlearners.count=1,2,3"};
    struct sim_error error;
    int status;
    vary_destroy(vary_of(specs, 2, &error, &status));
    ck_assert_int_ne(status, 0);
    ck_assert_str_eq(error.text, "--zip learners.count has 3 values, those before it have 2; zipped keys move in step");
}
END_TEST

START_TEST(a_key_is_varied_once)
{
    static const char *const specs[] = {"vfleet.chips=64,128", "zfleet.chips=1,2"};
    struct sim_error error;
    int status;
    vary_destroy(vary_of(specs, 2, &error, &status));
    ck_assert_str_eq(error.text, "--zip 'fleet.chips' is varied twice");
}
END_TEST

START_TEST(cells_have_a_limit)
{
    static const char *const specs[] = {"vfleet.chips=1..1000", "vlearners.count=1..1000"};
    struct sim_error error;
    int status;
    vary_destroy(vary_of(specs, 2, &error, &status));
    ck_assert_int_ne(status, 0);
    ck_assert_str_eq(error.text, "the sweep has more than 100000 cells; vary less, or in several sweeps");
}
END_TEST

/* The status of reading a file with this text; the vary is the caller's. */
static int read_file(struct vary *vary, const char *text, struct sim_error *error)
{
    char path[] = "cells-XXXXXX";
    int handle = mkstemp(path);
    ck_assert_int_ge(handle, 0);
    ck_assert_int_eq(write(handle, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(handle);
    int status = vary_add_file(vary, path, error);
    (void)unlink(path);
    return status == 0 ? vary_finish(vary, error) : status;
}

START_TEST(cells_of_a_file)
{
    struct sim_error error;
    struct vary *vary = vary_create();
    ck_assert_int_eq(read_file(vary,
                               "# learners and law\n\nlearners.count=1 failures.chip.return_after=weibull(mean=1h, "
                               "shape=2)\r\n  failures.chip.return_after=constant(0s)\tlearners.count=2",
                               &error),
                     0);
    ck_assert_uint_eq(vary_cells(vary), 2);
    ck_assert_uint_eq(vary_keys(vary), 2);
    ck_assert_str_eq(vary_value(vary, 0, 1), "weibull(mean=1h, shape=2)");
    ck_assert_str_eq(vary_value(vary, 1, 0), "2");
    ck_assert_str_eq(vary_value(vary, 1, 1), "constant(0s)");
    vary_destroy(vary);
}
END_TEST

static const char *const bad_files[][2] = {
    {"learners.count=1 fleet.chips=2\nlearners.count=1\n", ":2: fleet.chips is missing: every line has the same keys"},
    {"learners.count=1\nfleet.chips=1\n", ":2: 'fleet.chips': every line has the same keys, each once"},
    {"learners.count=1\nlearners.count=2 learners.count=3\n",
     ":2: 'learners.count': every line has the same keys, each once"},
    {"learners.count=1 learners.count=2\n", ":1: 'learners.count' is varied twice"},
    {"learners.count\n", ":1: 'learners.count': a cell is KEY=VALUE KEY=VALUE ..."},
    {"learners.count=\n", ":1: 'learners.count=': a cell is KEY=VALUE KEY=VALUE ..."},
    {"learners.cuont=1\n", ":1: 'learners.cuont': there is no such key; did you mean learners.count?"},
    {"# nothing\n", ": there is no cell in it"},
};

START_TEST(bad_files_name_the_line)
{
    struct sim_error error;
    struct vary *vary = vary_create();
    ck_assert_int_ne(read_file(vary, bad_files[_i][0], &error), 0);
    ck_assert_str_eq(strchr(error.text, ':'), bad_files[_i][1]);
    vary_destroy(vary);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("vary");
    TCase *tests = tcase_create("vary");
    tcase_add_loop_test(tests, lists_and_ranges, 0, sizeof lists / sizeof lists[0]);
    tcase_add_loop_test(tests, what_is_refused, 0, sizeof refusals / sizeof refusals[0]);
    tcase_add_test(tests, the_last_dimension_moves_fastest);
    tcase_add_test(tests, zipped_lists_have_one_length);
    tcase_add_test(tests, a_key_is_varied_once);
    tcase_add_test(tests, cells_have_a_limit);
    tcase_add_test(tests, cells_of_a_file);
    tcase_add_loop_test(tests, bad_files_name_the_line, 0, sizeof bad_files / sizeof bad_files[0]);
    suite_add_tcase(suite, tests);
    return rig_main(suite);
}
