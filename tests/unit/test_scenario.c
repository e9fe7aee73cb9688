#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/rig.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/scenario.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const char plain[] = "name: plain\n"
                            "method: elastic-dp\n"
                            "duration: 1d\n"
                            "fleet: {chips: 1024, chips_per_slice: 64}\n"
                            "failures:\n"
                            "  b: {kind: chip, mtbi: 1y, return_after: constant(0s)}\n"
                            "  a: {kind: chip, mtbi: 2y, return_after: constant(1s)}\n";

static struct sim_error why;

/* Parses and builds; the caller closes the text. */
static struct scenario_text *built(const char *yaml, const char *const settings[], size_t count, struct scenario *ret)
{
    struct scenario_text *text = NULL;
    ck_assert_msg(scenario_parse("test.yaml", yaml, strlen(yaml), &text, &why) == 0, "%s", why.text);
    ck_assert_msg(scenario_build(text, settings, count, ret, &why) == 0, "%s\n%s", why.text, yaml);
    return text;
}

static void refuse(const char *yaml, const char *const settings[], size_t count, const char *words)
{
    struct scenario_text *text = NULL;
    struct scenario scenario = {.name = "untouched"};
    int status = scenario_parse("test.yaml", yaml, strlen(yaml), &text, &why);
    if (status == 0)
        status = scenario_build(text, settings, count, &scenario, &why);
    ck_assert_int_eq(status, -1);
    ck_assert_str_eq(why.text, words);
    ck_assert_str_eq(scenario.name, "untouched");
    scenario_close(text);
}

START_TEST(a_scenario_is_read)
{
    struct scenario scenario;
    scenario_close(built(plain, NULL, 0, &scenario));
    ck_assert_str_eq(scenario.name, "plain");
    ck_assert(!scenario.has_seed);
    const struct config *config = &scenario.config;
    ck_assert_int_eq(config->method, CONFIG_ELASTIC_DP);
    ck_assert_int_eq(config->duration_ns, 86400 * SIM_SECOND);
    ck_assert_int_eq(config->chips, 1024);
    ck_assert_int_eq(config->learners, 1);
    ck_assert_int_eq(config->source_count, 2);
    ck_assert_str_eq(config->source[0].name, "b");
    ck_assert_str_eq(config->source[1].name, "a");
    ck_assert(config->source[1].mtbi_s == 2 * 31557600.0);
    ck_assert_int_eq(config->source[1].return_after.kind, SIM_LAW_CONSTANT);
    ck_assert(config->tokens_per_step == 4e6);
    ck_assert(config->grace_safety == 0.9);
    ck_assert_int_eq(config->grace, CONFIG_GRACE_ADAPTIVE);
    ck_assert(!config->every_step);
}
END_TEST

START_TEST(settings_override_the_file_and_each_other)
{
    static const char *const settings[] = {"duration=2d",
                                           "seed=7",
                                           "duration=3d",
                                           "failures.a.mtbi=5d",
                                           "failures.c.kind=chip",
                                           "failures.c.mtbi=1d",
                                           "failures.c.return_after=constant(2s)",
                                           "name=a=b"};
    struct scenario scenario;
    scenario_close(built(plain, settings, COUNT(settings), &scenario));
    ck_assert_int_eq(scenario.config.duration_ns, 3 * 86400 * SIM_SECOND);
    ck_assert(scenario.has_seed);
    ck_assert_uint_eq(scenario.seed, 7);
    ck_assert_str_eq(scenario.name, "a=b");
    ck_assert_int_eq(scenario.config.source_count, 3);
    ck_assert(scenario.config.source[1].mtbi_s == 5 * 86400.0);
    ck_assert_str_eq(scenario.config.source[2].name, "c");
}
END_TEST

START_TEST(one_text_builds_many_scenarios)
{
    static const char *const first[] = {"fleet.chips=1"}, *const bad[] = {"fleet.chips=x"};
    struct scenario scenario;
    struct scenario_text *text = built(plain, first, 1, &scenario);
    ck_assert_int_eq(scenario.config.chips, 1);
    ck_assert_int_eq(scenario_build(text, bad, 1, &scenario, &why), -1);
    ck_assert_int_eq(scenario.config.chips, 1);
    ck_assert_int_eq(scenario_build(text, NULL, 0, &scenario, &why), 0);
    ck_assert_int_eq(scenario.config.chips, 1024);
    scenario_close(text);
}
END_TEST

START_TEST(messages_point_at_what_is_wrong)
{
    static const char *const long_duration[] = {"warmup=2d"}, *const new_source[] = {"failures.x.mtbi=1d"};
    refuse("name: x\nmethod: dp\nduration: 1d\n", NULL, 0,
           "test.yaml:1:1: fleet.chips: missing, but required; allowed: 1 to 16777216");
    refuse(plain, long_duration, 1, "-s warmup=2d: warmup: it must end before the run does");
    refuse(plain, new_source, 1,
           "-s failures.x.mtbi=1d: failures.x.kind: missing, but required; allowed: chip, preemption, log, syncer, "
           "silent, slowdown, domain, maintenance, link");
    refuse("name: x\nname: y\n", NULL, 0, "test.yaml:2:1: name: given twice; the first is on line 1");
    refuse("name: x\nnmae: y\n", NULL, 0, "test.yaml:2:1: nmae: there is no such key; did you mean name?");
}
END_TEST

/* What scenario_each has shown. */
struct seen {
    size_t count;
    size_t from_file, from_setting, from_default;
    char keys[4096];
};

static void on_entry(void *context, const struct scenario_entry *entry)
{
    struct seen *seen = context;
    seen->count++;
    seen->from_file += entry->origin == SCENARIO_FILE;
    seen->from_setting += entry->origin == SCENARIO_SETTING;
    seen->from_default += entry->origin == SCENARIO_DEFAULT;
    strcat(strcat(seen->keys, entry->key), " ");
    if (strcmp(entry->key, "fleet.chips") == 0) {
        ck_assert_str_eq(entry->text, "1024");
        ck_assert(entry->number == 1024);
    }
    if (strcmp(entry->key, "failures.a.mtbi") == 0)
        ck_assert(entry->number == 86400);
    if (strcmp(entry->key, "failures.a.return_after") == 0)
        ck_assert(isnan(entry->number));
}

START_TEST(every_effective_key_is_shown_with_its_origin)
{
    static const char *const settings[] = {"failures.a.mtbi=1d", "seed=1"};
    struct scenario scenario;
    struct scenario_text *text = built(plain, settings, 2, &scenario);
    struct seen seen = {0};
    scenario_each(text, settings, 2, &scenario, on_entry, &seen);
    size_t expected = 0;
    struct keys_context plainly = {.kind = CONFIG_SOURCE_CHIP};
    for (size_t i = 0; i < keys_count; i++) {
        const struct keys_section *section = keys_section_of(&keys_table[i]);
        bool is_silent = keys_table[i].source == KEYS_OPTIONAL && keys_table[i].type != KEYS_SEED; /* none is given */
        if (keys_means(&keys_table[i], &plainly) && !is_silent)
            expected += section == NULL ? 1 : (size_t)*keys_elements(section, &scenario);
    }
    ck_assert_uint_eq(seen.count, expected);
    ck_assert_uint_eq(seen.from_file, 10);
    ck_assert_uint_eq(seen.from_setting, 2);
    ck_assert_ptr_nonnull(strstr(seen.keys,
                                 "fleet.standby_swap_time failures.b.kind failures.b.mtbi failures.b.return_after "
                                 "failures.a.kind failures.a.mtbi failures.a.return_after repair.misdiagnosis "
                                 "elastic.downscale"));
    scenario_close(text);
}
END_TEST

static const char rich[] =
    "name: rich\n"
    "method: diloco\n"
    "duration: 1d\n"
    "fleet: {chips: 1024, classes: {z: {share: 25%, speed: 2}, a: {share: 75%}}}\n"
    "failures:\n"
    "  site: {kind: preemption, learners: [2, 0..1], calendar: {every: 1d, from: 8h, lasts: 12h}}\n"
    "learners: {count: 4}\n"
    "syncer: {sync_every: 30}\n"
    "network: {tensors: [3M, 1M], link: 250MB/s}\n";

START_TEST(classes_preemption_and_networks_are_read)
{
    struct scenario scenario;
    scenario_close(built(rich, NULL, 0, &scenario));
    const struct config *config = &scenario.config;
    const struct config_source *site = &config->source[0];
    ck_assert_int_eq(config->class_count, 2);
    ck_assert_str_eq(config->class[0].name, "z");
    ck_assert(config->class[0].share == 0.25 && config->class[0].speed == 2);
    ck_assert(config->class[1].share == 0.75 && config->class[1].speed == 1);
    ck_assert_int_eq(site->kind, CONFIG_SOURCE_PREEMPTION);
    ck_assert_int_eq(site->learner_count, 3);
    ck_assert(site->learner[0] == 0 && site->learner[1] == 1 && site->learner[2] == 2);
    ck_assert_int_eq(site->calendar_every_ns, 86400 * SIM_SECOND);
    ck_assert_int_eq(site->calendar_from_ns, 8 * 3600 * SIM_SECOND);
    ck_assert_int_eq(site->calendar_lasts_ns, 12 * 3600 * SIM_SECOND);
    ck_assert(site->mtbi_s == 0);
    ck_assert_int_eq(config->tensor_count, 2);
    ck_assert(config->tensor[0] == 3e6 && config->tensor[1] == 1e6);
    ck_assert(config->parameters == 4e6 && config->link_bits_per_s == 2e9);
    ck_assert_int_eq(config->bits, 16);
    ck_assert_int_eq(config->datacentres, 2);
}
END_TEST

START_TEST(a_method_replaces_defaults_that_are_not_given)
{
    static const char *const streaming[] = {"method=streaming-diloco"},
                             *const decoupled[] = {"method=decoupled-diloco", "syncer.recover_after=7"},
                             *const same[] = {"syncer.quorum=4", "syncer.overlap=0"};
    struct scenario scenario;
    const struct config *config = &scenario.config;
    scenario_close(built(rich, NULL, 0, &scenario));
    ck_assert(config->quorum == 4 && config->fragments == 1 && config->sync_overlap == 0);
    ck_assert_int_eq(config->grace, CONFIG_GRACE_OFF);
    ck_assert_int_eq(config->recover_after, 30); /* as sync_every */
    scenario_close(built(rich, streaming, 1, &scenario));
    ck_assert(config->quorum == 4 && config->fragments == 24 && config->sync_overlap == 2);
    ck_assert_int_eq(config->grace, CONFIG_GRACE_OFF);
    scenario_close(built(rich, decoupled, 2, &scenario));
    ck_assert(config->quorum == 1 && config->recover_after == 7);
    ck_assert_int_eq(config->grace, CONFIG_GRACE_ADAPTIVE);
    scenario_close(built(rich, same, 2, &scenario)); /* what a method says may be said again */
}
END_TEST

static void on_origin(void *context, const struct scenario_entry *entry)
{
    static const char *const origins[][2] = {
        {"syncer.quorum", "method"},          {"syncer.sync_every", "file"},     {"syncer.recover_after", "paper"},
        {"network.tensors", "file"},          {"network.parameters", "tensors"}, {"network.bits", "paper"},
        {"fleet.classes.a.speed", "assumed"}, {"learners.count", "file"},
    };
    size_t *seen = context;
    for (size_t i = 0; i < COUNT(origins); i++)
        if (strcmp(origins[i][0], entry->key) == 0) {
            ck_assert_str_eq(scenario_origin_name(entry), origins[i][1]);
            ++*seen;
        }
}

START_TEST(origins_are_told_apart)
{
    size_t seen = 0;
    struct scenario scenario;
    struct scenario_text *text = built(rich, NULL, 0, &scenario);
    scenario_each(text, NULL, 0, &scenario, on_origin, &seen);
    ck_assert_uint_eq(seen, 8);
    scenario_close(text);
}
END_TEST

/* The canonical text of `yaml` with `count` settings; the caller frees it. */
static char *canonical_of(const char *yaml, const char *const settings[], size_t count)
{
    struct scenario scenario;
    scenario_close(built(yaml, settings, count, &scenario));
    return scenario_canonical(&scenario, true);
}

/* However sizes are given, the canonical text holds the numbers. */
START_TEST(sizes_come_from_a_file)
{
    char path[] = "/tmp/sizes-XXXXXX", setting[64];
    int file = mkstemp(path);
    static const char csv[] = "\xEF\xBB\xBFname,parameters\r\nembedding,3M\r\n\"b,c\",1000000\r\n";
    ck_assert_int_eq(write(file, csv, sizeof csv - 1), (int)sizeof csv - 1);
    (void)close(file);
    (void)snprintf(setting, sizeof setting, "network.tensors=%s", path);
    const char *const settings[] = {setting};
    char *from_file = canonical_of(rich, settings, 1), *from_list = canonical_of(rich, NULL, 0);
    (void)unlink(path);
    ck_assert_str_eq(from_file, from_list);
    ck_assert_ptr_nonnull(strstr(from_file, "  tensors: [3000000, 1000000]\n  parameters: 4M\n"));
    free(from_file);
    free(from_list);
}
END_TEST

START_TEST(the_order_and_the_spelling_of_a_set_do_not_matter)
{
    static const char *const block[] = {"failures.site.learners=[ 0..2 ]"}, *const single[] = {
                                                                                "failures.site.learners=[2,1,0]"};
    char *a = canonical_of(rich, block, 1), *b = canonical_of(rich, single, 1), *c = canonical_of(rich, NULL, 0);
    ck_assert_str_eq(a, b);
    ck_assert_str_eq(a, c);
    ck_assert_ptr_nonnull(strstr(a, "    learners: [0, 1, 2]\n    notice: 0s\n    calendar:\n      every: 1d\n"));
    ck_assert_ptr_nonnull(strstr(a, "  classes:\n    z:\n      share: 25%\n      speed: 2\n    a:\n"));
    free(a);
    free(b);
    free(c);
}
END_TEST

START_TEST(the_hash_ignores_seed_and_spelling)
{
    static const char *const same[][2] = {{"seed=1", "duration=24h"}, {"fleet.chips=1.024k", "seed=9"}};
    static const char *const other[] = {"fleet.chips=1023"};
    char hash[3][17];
    struct scenario scenario;
    for (size_t i = 0; i < 2; i++) {
        scenario_close(built(plain, same[i], 2, &scenario));
        scenario_hash(&scenario, hash[i]);
    }
    scenario_close(built(plain, other, 1, &scenario));
    scenario_hash(&scenario, hash[2]);
    ck_assert_str_eq(hash[0], hash[1]);
    ck_assert_str_ne(hash[0], hash[2]);
    ck_assert_uint_eq(strlen(hash[0]), 16);
}
END_TEST

START_TEST(the_question_is_the_comment_at_the_head)
{
    static const struct {
        const char *head, *question;
    } cases[] = {
        {"# Does it pay?\n# Numbers: ours.\n#\n#more\n", "Does it pay?\nNumbers: ours.\n\nmore"},
        {"\xEF\xBB\xBF# A mark before it?\r\n# And CRLF.\r\n", "A mark before it?\nAnd CRLF."},
        {"\n\n# Blank lines first?\n\n# This is another comment.\n", "Blank lines first?"},
        {"", ""},
        {"#\n", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char bytes[512];
        struct scenario_text *text = NULL;
        struct sim_error error;
        int size = snprintf(bytes, sizeof bytes, "%sname: x # not this\n# nor this\n", cases[i].head);
        ck_assert_int_eq(scenario_parse("x.yaml", bytes, (size_t)size, &text, &error), 0);
        ck_assert_str_eq(scenario_question(text), cases[i].question);
        scenario_close(text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scenario");
    TCase *tests = tcase_create("scenario");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, a_scenario_is_read);
    tcase_add_test(tests, settings_override_the_file_and_each_other);
    tcase_add_test(tests, one_text_builds_many_scenarios);
    tcase_add_test(tests, messages_point_at_what_is_wrong);
    tcase_add_test(tests, every_effective_key_is_shown_with_its_origin);
    tcase_add_test(tests, classes_preemption_and_networks_are_read);
    tcase_add_test(tests, a_method_replaces_defaults_that_are_not_given);
    tcase_add_test(tests, origins_are_told_apart);
    tcase_add_test(tests, sizes_come_from_a_file);
    tcase_add_test(tests, the_order_and_the_spelling_of_a_set_do_not_matter);
    tcase_add_test(tests, the_hash_ignores_seed_and_spelling);
    tcase_add_test(tests, the_question_is_the_comment_at_the_head);
    return rig_main(suite);
}
