#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/faultline/derived.h"

/* 2.4M chips, one failure a year each: the largest cell of the tables. */
static struct config table_1(void)
{
    struct config config = {.method = CONFIG_DECOUPLED_DILOCO,
                            .duration_ns = (sim_time)30 * 86400 * SIM_SECOND,
                            .chips = 2400000,
                            .chips_per_slice = 256,
                            .learners = 16,
                            .source_count = 1};
    strcpy(config.source[0].name, "chip");
    config.source[0].mtbi_s = 31557600;
    config.source[0].return_after = (struct sim_law){SIM_LAW_EXPONENTIAL, {1980}};
    return config;
}

struct wanted {
    const char *source;
    const char *name;
    double number;
    int found;
};

static void on_value(void *context, const struct derived_value *value)
{
    struct wanted *wanted = context;
    bool same_source = value->entry == NULL ? wanted->source == NULL
                                            : wanted->source != NULL && strcmp(value->entry, wanted->source) == 0;
    if (!same_source || strcmp(value->name, wanted->name) != 0)
        return;
    wanted->number = value->number;
    wanted->found++;
}

/* The value, or NAN when there is none. */
static double derived(const struct config *config, const char *source, const char *name)
{
    struct wanted wanted = {source, name, NAN, 0};
    derived_each(config, on_value, &wanted);
    ck_assert_int_le(wanted.found, 1);
    return wanted.number;
}

static void near(double value, double expected)
{
    ck_assert_msg(fabs(value - expected) <= 1e-9 * fabs(expected), "%.17g, not %.17g", value, expected);
}

START_TEST(the_largest_cell)
{
    struct config config = table_1();
    near(derived(&config, NULL, "chips_per_learner"), 150000);
    near(derived(&config, NULL, "slices_per_learner"), 586); /* 585.9 */
    near(derived(&config, NULL, "slices"), 16 * 586);
    near(derived(&config, NULL, "mtbf_cluster"), 13.149); /* 31,557,600 s / 2.4M */
    near(derived(&config, "chip", "mtbf_learner"), 13.149 * 16);
    near(derived(&config, "chip", "mtbf_slice"), 31557600.0 / 256);
    near(derived(&config, "chip", "return_mean"), 1980);
    double away = 256 * 1980 / 31557600.0; /* per time in service */
    near(derived(&config, NULL, "share_away"), away / (1 + away));
    near(derived(&config, NULL, "slices_away"), 16 * 586 * away / (1 + away));
    near(derived(&config, NULL, "failures_expected"), 30 * 86400 / 13.149 / (1 + away));
}
END_TEST

START_TEST(chips_that_do_not_divide)
{
    struct config config = table_1();
    config.chips = 1027; /* 15 learners: 7 with 69 chips, 8 with 68 */
    config.learners = 15;
    config.chips_per_slice = 68;
    near(derived(&config, NULL, "chips_per_learner"), 69);
    near(derived(&config, NULL, "slices_per_learner"), 2);
    near(derived(&config, NULL, "slices"), 7 * 2 + 8);
    config.chips_per_slice = 1000; /* larger than a learner: one slice each */
    near(derived(&config, NULL, "slices"), 15);
    near(derived(&config, "chip", "mtbf_slice"), 31557600.0 / 69);
}
END_TEST

/* The failed slice is replaced within the restart: return_after plays no part. */
START_TEST(dp_has_nobody_away)
{
    struct config config = table_1();
    config.method = CONFIG_DP;
    config.learners = 1;
    near(derived(&config, NULL, "failures_expected"), 30 * 86400 / 13.149);
    ck_assert(derived(&config, NULL, "share_away") == 0);
    ck_assert(isnan(derived(&config, "chip", "return_mean")));
}
END_TEST

START_TEST(rates_of_sources_add)
{
    struct config config = table_1();
    config.source_count = 2;
    config.source[1] = config.source[0];
    strcpy(config.source[1].name, "again");
    near(derived(&config, NULL, "mtbf_cluster"), 13.149 / 2);
    near(derived(&config, "again", "mtbf_cluster"), 13.149);
    config.source_count = 0;
    ck_assert(isnan(derived(&config, NULL, "mtbf_cluster")));
    near(derived(&config, NULL, "slices"), 16 * 586);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("derived");
    TCase *tests = tcase_create("derived");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, the_largest_cell);
    tcase_add_test(tests, chips_that_do_not_divide);
    tcase_add_test(tests, dp_has_nobody_away);
    tcase_add_test(tests, rates_of_sources_add);
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
