#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/rig.h"
#include "tools/faultline/command.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/scenario.h"

static struct sim_error why;

/* The struct a key's offset is in. */
union base {
    struct scenario scenario;
    struct config_source source;
    struct config_class class;
};

static union base base;

START_TEST(defaults_and_limits_are_values_of_their_type)
{
    const struct keys_key *key = &keys_table[_i];
    char text[VALUE_TEXT_MAX];
    if (key->default_text != NULL) {
        ck_assert_msg(keys_read(key, key->default_text, &base, &why) == 0, "%s: %s", key->path, why.text);
        keys_write(key, &base, text);
        ck_assert_str_eq(text, key->default_text); /* the table is written as people see it */
    }
    ck_assert_int_eq(key->min == NULL, key->max == NULL);
    const char *open = keys_is_list(key) ? "[" : "", *close = keys_is_list(key) ? "]" : "";
    if (key->min != NULL) {
        (void)snprintf(text, sizeof text, "%s%s%s", open, key->min, close);
        ck_assert_msg(keys_read(key, text, &base, &why) == (key->min_excluded ? -1 : 0), "%s", key->path);
    }
    if (key->max != NULL) {
        (void)snprintf(text, sizeof text, "%s%s%s", open, key->max, close);
        ck_assert_msg(keys_read(key, text, &base, &why) == (key->max_excluded ? -1 : 0), "%s", key->path);
    }
}
END_TEST

START_TEST(a_row_is_complete)
{
    const struct keys_key *key = &keys_table[_i];
    bool has_default = key->source == KEYS_PAPER || key->source == KEYS_FITTED || key->source == KEYS_ASSUMED;
    ck_assert_msg(has_default == (key->default_text != NULL) || key->source == KEYS_REQUIRED_BUT_DP, "%s", key->path);
    ck_assert_uint_gt(strlen(key->help), 10);
    ck_assert_int_eq(key->type == KEYS_CHOICE, key->choice_count > 0);
    ck_assert_msg(strpbrk(key->help, "|`<>") == NULL, "%s: the help must be plain in Markdown", key->path);
    for (size_t i = 0; i < keys_count; i++)
        ck_assert(i == (size_t)_i || strcmp(keys_table[i].path, key->path) != 0);
}
END_TEST

/* The canonical text opens each section once, so its keys must be neighbours. */
START_TEST(sections_are_together)
{
    const char *path = keys_table[_i].path;
    size_t length = strcspn(path, ".");
    bool left = false;
    for (size_t i = (size_t)_i; i < keys_count && path[length] == '.'; i++) {
        bool inside = strncmp(keys_table[i].path, path, length + 1) == 0;
        ck_assert_msg(!(left && inside), "%s", keys_table[i].path);
        left = !inside;
    }
}
END_TEST

START_TEST(paths_are_found)
{
    const struct keys_key *key = NULL;
    ck_assert_int_eq(keys_find("fleet.chips", &key), KEYS_KEY);
    ck_assert_str_eq(key->path, "fleet.chips");
    ck_assert_int_eq(keys_find("failures.my own.mtbi", &key), KEYS_KEY);
    ck_assert_str_eq(key->path, "failures.*.mtbi");
    ck_assert_int_eq(keys_find("failures.x", NULL), KEYS_SECTION);
    ck_assert_int_eq(keys_find("failures.x.calendar", NULL), KEYS_SECTION);
    ck_assert_int_eq(keys_find("failures.x.calendar.from", &key), KEYS_KEY);
    ck_assert_int_eq(keys_find("fleet.classes.x.speed", &key), KEYS_KEY);
    ck_assert_str_eq(key->path, "fleet.classes.*.speed");
    ck_assert_int_eq(keys_find("fleet.classes", NULL), KEYS_SECTION);
    ck_assert_int_eq(keys_find("failures", NULL), KEYS_SECTION);
    ck_assert_int_eq(keys_find("fleet", NULL), KEYS_SECTION);
    static const char *const unknown[] = {
        "",          "fleet.",         "fleet.chips.x", "flee", "fleets", "failures..mtbi",
        "failures.", "failures.a.b.c", "chips",         "*",    ".",      "fleet..chips"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        ck_assert_msg(keys_find(unknown[i], NULL) == KEYS_UNKNOWN, "%s", unknown[i]);
}
END_TEST

START_TEST(misspelt_paths_have_a_nearest)
{
    static const char *const pairs[][2] = {
        {"flet.chips", "fleet.chips"},
        {"fleet.chip", "fleet.chips"},
        {"elastic.upscal", "elastic.upscale"},
        {"failuers", "failures"},
        {"failures.a.mtbf", "failures.a.mtbi"},
        {"failures.a.return_afetr", "failures.a.return_after"},
        {"chips", "fleet.chips"},
        {"fleet.clases.x.speed", "fleet.classes.x.speed"},
        {"failures.a.calender.every", "failures.a.calendar.every"},
        {"elastic.mtbi", "failures.NAME.mtbi"},
        {"share", "fleet.classes.NAME.share"},
        {"learners.quorum", "syncer.quorum"},
        {"sede", "seed"},
        {"zebra", NULL},
        {"", NULL},
    };
    char nearest[KEYS_PATH_MAX];
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        bool found = keys_nearest(pairs[i][0], nearest);
        ck_assert_msg(found == (pairs[i][1] != NULL), "%s: %s", pairs[i][0], nearest);
        if (found)
            ck_assert_str_eq(nearest, pairs[i][1]);
    }
    char longest[1000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    ck_assert(!keys_nearest(longest, nearest));
}
END_TEST

START_TEST(children_of_a_section)
{
    char below[256], little[8];
    keys_below("fleet", sizeof below, below);
    ck_assert_str_eq(below, "chips chips_per_slice spares standby swap_time standby_swap_time loan classes levels");
    keys_below("fleet.classes.x", sizeof below, below);
    ck_assert_str_eq(below, "share speed");
    keys_below("failures.x.calendar", sizeof below, below);
    ck_assert_str_eq(below, "every from lasts");
    keys_below("failures", sizeof below, below);
    ck_assert_str_eq(below, "NAME");
    keys_below("failures.x", sizeof below, below);
    ck_assert_str_eq(
        below, "kind mtbi rate life ageing lemons domain delay only return_after found_after learners lasts notice "
               "together factor calendar rolling file columns causes dates unit where offset repeat scale machines "
               "chips_per_machine");
    keys_below("elastic", sizeof little, little);
    ck_assert_str_eq(little, "downsca");
}
END_TEST

START_TEST(a_refused_value_leaves_the_field)
{
    const struct keys_key *key = NULL;
    struct scenario scenario = {.config.chips = 42};
    ck_assert_int_eq(keys_find("fleet.chips", &key), KEYS_KEY);
    ck_assert_int_eq(keys_read(key, "0", &scenario, &why), -1);
    ck_assert_str_eq(why.text, "'0': out of range; allowed: 1 to 16777216");
    ck_assert_int_eq(keys_read(key, "1.5", &scenario, &why), -1);
    ck_assert_int_eq(scenario.config.chips, 42);
    ck_assert_int_eq(keys_read(key, "2.4M", &scenario, &why), 0);
    ck_assert_int_eq(scenario.config.chips, 2400000);
    ck_assert(keys_number(key, &scenario) == 2.4e6);
    ck_assert_int_eq(keys_find("method", &key), KEYS_KEY);
    ck_assert(isnan(keys_number(key, &scenario)));
}
END_TEST

/* A key of a named entry lies inside an element of its section; the others inside the scenario. */
START_TEST(a_named_key_has_a_section)
{
    const struct keys_key *key = &keys_table[_i];
    const struct keys_section *section = keys_section_of(key);
    ck_assert_int_eq(section != NULL, keys_is_named(key));
    size_t size = section != NULL ? section->element_size : sizeof(struct scenario);
    ck_assert_uint_lt(key->offset, size);
    ck_assert_int_eq(key->count_offset != 0, keys_is_list(key));
    ck_assert_uint_lt(key->count_offset, size);
    if (key->default_key != NULL) { /* it is read before */
        const struct keys_key *other = NULL;
        ck_assert_int_eq(keys_find(key->default_key, &other), KEYS_KEY);
        ck_assert(other < key);
    }
}
END_TEST

START_TEST(lists_are_read_and_written)
{
    const struct keys_key *learners = NULL, *tensors = NULL;
    ck_assert_int_eq(keys_find("failures.x.learners", &learners), KEYS_KEY);
    ck_assert_int_eq(keys_find("network.tensors", &tensors), KEYS_KEY);
    ck_assert_msg(keys_read(learners, "[7, 4..5 ,0]", &base.source, &why) == 0, "%s", why.text);
    ck_assert_int_eq(base.source.learner_count, 4);
    char *text = keys_text(learners, &base.source);
    ck_assert_str_eq(text, "[0, 4, 5, 7]");
    free(text);
    ck_assert_int_eq(keys_read(learners, "[1, 1]", &base.source, &why), -1);
    ck_assert_str_eq(why.text, "1 is in the list twice");
    ck_assert_int_eq(base.source.learner_count, 4);
    ck_assert(isnan(keys_number(learners, &base.source)));
    ck_assert_msg(keys_read(tensors, "[3G,1k,1k]", &base.scenario, &why) == 0, "%s", why.text);
    ck_assert(base.scenario.config.tensor[0] == 3e9);
    text = keys_text(tensors, &base.scenario);
    ck_assert_str_eq(text, "[3000000000, 1000, 1000]");
    free(text);
}
END_TEST

START_TEST(keys_mean_something_for_their_kind)
{
    static const struct {
        const char *path;
        bool chip, calendar, random, syncer, silent, domain, maintenance;
    } cases[] = {
        {"failures.x.kind", true, true, true, true, true, true, true},
        {"failures.x.mtbi", true, false, true, true, true, true, false},
        {"failures.x.return_after", true, false, false, true, true, true, false},
        {"failures.x.found_after", false, false, false, false, true, false, false},
        {"failures.x.learners", false, true, true, false, false, false, false},
        {"failures.x.lasts", false, false, true, false, false, false, false},
        {"failures.x.calendar.every", false, true, false, false, false, false, true},
        {"failures.x.domain.chips", false, false, false, false, false, true, true},
        {"failures.x.delay", false, false, false, false, false, true, false},
        {"failures.x.only.class", true, false, false, false, true, true, true},
    };
    const struct keys_context chip = {.kind = CONFIG_SOURCE_CHIP, .has_calendar = true},
                              calendar = {.kind = CONFIG_SOURCE_PREEMPTION, .has_calendar = true},
                              random = {.kind = CONFIG_SOURCE_PREEMPTION}, syncer = {.kind = CONFIG_SOURCE_SYNCER},
                              silent = {.kind = CONFIG_SOURCE_SILENT}, domain = {.kind = CONFIG_SOURCE_DOMAIN},
                              maintenance = {.kind = CONFIG_SOURCE_MAINTENANCE};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct keys_key *key = NULL;
        ck_assert_int_eq(keys_find(cases[i].path, &key), KEYS_KEY);
        ck_assert_int_eq(keys_means(key, &chip), cases[i].chip);
        ck_assert_int_eq(keys_means(key, &calendar), cases[i].calendar);
        ck_assert_int_eq(keys_means(key, &random), cases[i].random);
        ck_assert_int_eq(keys_means(key, &syncer), cases[i].syncer);
        ck_assert_int_eq(keys_means(key, &silent), cases[i].silent);
        ck_assert_int_eq(keys_means(key, &domain), cases[i].domain);
        ck_assert_int_eq(keys_means(key, &maintenance), cases[i].maintenance);
    }
}
END_TEST

/* Of mtbi, rate and life a source has the one that says how often; ageing goes with life. */
START_TEST(a_source_says_how_often_once)
{
    static const char *const cases[][2] = {{"failures.x.mtbi", "mtbi"},
                                           {"failures.x.rate", "rate"},
                                           {"failures.x.life", "life"},
                                           {"failures.x.ageing", "life"}};
    for (int timing = 0; timing < KEYS_TIMINGS; timing++) {
        struct keys_context context = {.kind = CONFIG_SOURCE_CHIP, .timing = (enum config_timing)timing};
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const struct keys_key *key = NULL;
            ck_assert_int_eq(keys_find(cases[i][0], &key), KEYS_KEY);
            context.kind = CONFIG_SOURCE_CHIP;
            ck_assert_int_eq(keys_means(key, &context), strcmp(cases[i][1], keys_timing_name[timing]) == 0);
            context.kind = CONFIG_SOURCE_PREEMPTION;
            ck_assert((key->kinds & KEYS_KIND(PREEMPTION)) != 0 || !keys_means(key, &context));
            context.kind = CONFIG_SOURCE_LOG; /* the log says */
            ck_assert(!keys_means(key, &context));
        }
    }
}
END_TEST

START_TEST(names_are_any_text_of_one_line)
{
    static const char *const good[] = {"a", "x\"; touch pwned", "<script>", " ", "007", "\xE7\x81\xAB", "null", "it's"};
    static const char *const bad[] = {"",
                                      "a\nb",
                                      "a\tb",
                                      "\x7F",
                                      "\xC2\x85",
                                      "\xE2\x80\xA8",
                                      "\xFF",
                                      "\xC0\x80",
                                      "\xED\xA0\x80",
                                      "\xF4\x90\x80\x80",
                                      "\xE2\x82",
                                      "a\x80"};
    char name[CONFIG_NAME_MAX];
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        ck_assert_msg(keys_read_name(good[i], name, &why) == 0, "%s", why.text);
        ck_assert_str_eq(name, good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(keys_read_name(bad[i], name, &why) == -1, "case %zu", i);
}
END_TEST

/* The text of scenarios/README.md between the markers; the caller frees it. */
static char *reference_in_readme(void)
{
    char path[4096], *text = NULL;
    size_t size = 0;
    const char *root = getenv("FAULTLINE_ROOT");
    (void)snprintf(path, sizeof path, "%s/scenarios/README.md", root != NULL ? root : ".");
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s: run from the root of the source, or set FAULTLINE_ROOT", path);
    ck_assert(getdelim(&text, &size, EOF, file) > 0);
    (void)fclose(file);
    char *begin = strstr(text, "<!-- keys --format markdown -->"), *end = strstr(text, "<!-- end -->");
    ck_assert(begin != NULL && end != NULL);
    begin = strchr(begin, '\n') + 1;
    *end = '\0';
    char *reference = strdup(begin);
    free(text);
    return reference;
}

START_TEST(the_reference_is_the_table)
{
    char *expected = reference_in_readme(), *printed = NULL;
    size_t size = 0;
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(dup2(fileno(file), STDOUT_FILENO), 0); /* each test is a process of its own */
    char *argv[] = {"faultline keys", "--format", "markdown", NULL};
    ck_assert_int_eq(cmd_keys(3, argv), COMMAND_DONE);
    (void)fflush(stdout);
    rewind(file);
    ck_assert(getdelim(&printed, &size, EOF, file) > 0);
    ck_assert_msg(strcmp(printed, expected) == 0, "scenarios/README.md needs tools/update-docs");
    (void)fclose(file);
    free(printed);
    free(expected);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("keys");
    TCase *tests = tcase_create("keys");
    suite_add_tcase(suite, tests);
    tcase_add_loop_test(tests, defaults_and_limits_are_values_of_their_type, 0, (int)keys_count);
    tcase_add_loop_test(tests, a_row_is_complete, 0, (int)keys_count);
    tcase_add_loop_test(tests, sections_are_together, 0, (int)keys_count);
    tcase_add_test(tests, paths_are_found);
    tcase_add_test(tests, misspelt_paths_have_a_nearest);
    tcase_add_test(tests, children_of_a_section);
    tcase_add_loop_test(tests, a_named_key_has_a_section, 0, (int)keys_count);
    tcase_add_test(tests, lists_are_read_and_written);
    tcase_add_test(tests, keys_mean_something_for_their_kind);
    tcase_add_test(tests, a_source_says_how_often_once);
    tcase_add_test(tests, a_refused_value_leaves_the_field);
    tcase_add_test(tests, names_are_any_text_of_one_line);
    tcase_add_test(tests, the_reference_is_the_table);
    return rig_main(suite);
}
