#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    refuse(plain, new_source, 1, "-s failures.x.mtbi=1d: failures.x.kind: missing, but required; allowed: chip");
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
    ck_assert_uint_eq(seen.count, keys_count + 3); /* a second source has three keys */
    ck_assert_uint_eq(seen.from_file, 10);
    ck_assert_uint_eq(seen.from_setting, 2);
    ck_assert_ptr_nonnull(strstr(seen.keys,
                                 "fleet.chips_per_slice failures.b.kind failures.b.mtbi failures.b.return_after "
                                 "failures.a.kind failures.a.mtbi failures.a.return_after elastic.downscale"));
    scenario_close(text);
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

/* splitmix64 (Steele, Lea and Flood 2014) */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static int64_t below(uint64_t *state, int64_t limit)
{
    return (int64_t)(next_random(state) % (uint64_t)limit);
}

static double unit(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

/* A whole unit as people write it, or any nanosecond. */
static sim_time random_time(uint64_t *state)
{
    static const sim_time units[] = {1, 1000000, SIM_SECOND, 60 * SIM_SECOND, 3600 * SIM_SECOND};
    return below(state, 3) == 0 ? below(state, 86400 * SIM_SECOND) : (1 + below(state, 999)) * units[below(state, 5)];
}

static double random_fraction(uint64_t *state)
{
    return below(state, 2) == 0 ? unit(state) : (double)below(state, 100) / 100;
}

/* Characters that mean something to YAML, to a shell, to HTML, or to nobody. */
static void random_name(uint64_t *state, bool is_key, char ret[CONFIG_NAME_MAX])
{
    static const char *const parts[] = {"a",
                                        "Z",
                                        "0",
                                        "_",
                                        "-",
                                        " ",
                                        "\"",
                                        "\\",
                                        "'",
                                        "#",
                                        ":",
                                        "{",
                                        "}",
                                        "[",
                                        "&",
                                        "*",
                                        "!",
                                        "|",
                                        ">",
                                        "%",
                                        "@",
                                        "`",
                                        ",",
                                        "?",
                                        "~",
                                        "$(",
                                        "\xC3\xA9",
                                        "\xE7\x81\xAB",
                                        "\xF0\x9F\x94\xA5",
                                        "\xEF\xBB\xBF",
                                        "\xEF\xBF\xBF",
                                        "null",
                                        ": ",
                                        " #",
                                        "- ",
                                        "\xC2\xA0",
                                        ".",
                                        "="};
    size_t count = COUNT(parts) - (is_key ? 2 : 0);
    ret[0] = '\0';
    for (int64_t length = 1 + below(state, 12); length > 0; length--)
        strcat(ret, parts[below(state, (int64_t)count)]);
}

static struct sim_law random_law(uint64_t *state)
{
    for (;;) {
        struct sim_law law;
        double parameter[SIM_LAW_PARAMETERS_MAX] = {pow(10, -10 + 24 * unit(state)), 0.05 + 9 * unit(state),
                                                    0.01 + 20 * unit(state)};
        if (sim_law_make((enum sim_law_kind)below(state, SIM_LAW_COUNT), parameter, &law) < 0)
            return law;
    }
}

static void random_source(uint64_t *state, int index, struct config_source *ret)
{
    random_name(state, true, ret->name);
    size_t used = strlen(ret->name);
    (void)snprintf(ret->name + used, CONFIG_NAME_MAX - used, "%d", index); /* no two alike */
    ret->kind = CONFIG_SOURCE_CHIP;
    ret->mtbi_s = below(state, 2) == 0 ? pow(10, -9 + 22 * unit(state)) : (double)(1 + below(state, 100)) * 86400;
    ret->return_after = random_law(state);
}

/* Any scenario that config_check lets pass. */
static void random_scenario(uint64_t seed, struct scenario *ret)
{
    uint64_t state = seed;
    struct config *config = &ret->config;
    random_name(&state, false, ret->name);
    ret->has_seed = below(&state, 2) == 0;
    ret->seed = ret->has_seed ? next_random(&state) >> 1 : 0;
    config->method = (enum config_method)below(&state, CONFIG_METHOD_COUNT);
    config->duration_ns = 1 + random_time(&state);
    config->warmup_ns = below(&state, 2) == 0 ? 0 : below(&state, config->duration_ns);
    config->chips = 1 + below(&state, CONFIG_CHIPS_MAX);
    config->chips_per_slice = 1 + below(&state, 1000);
    config->source_count = (int)below(&state, 4);
    for (int i = 0; i < config->source_count; i++)
        random_source(&state, i, &config->source[i]);
    config->downscale_ns = random_time(&state);
    config->upscale_ns = random_time(&state);
    config->restart_ns = random_time(&state);
    config->noticed = (enum config_noticed)below(&state, CONFIG_NOTICED_COUNT);
    config->overlap = (enum config_overlap)below(&state, CONFIG_OVERLAP_COUNT);
    config->both = (enum config_both)below(&state, CONFIG_BOTH_COUNT);
    config->upscale_every_ns = random_time(&state);
    config->min_share = random_fraction(&state);
    config->learners = config_has_syncer(config) ? 1 + below(&state, config->chips < 999 ? config->chips : 999) : 1;
    config->step_time_ns = 1 + random_time(&state);
    config->tokens_per_step = (double)(1 + below(&state, 1000000000));
    config->speed_spread = random_fraction(&state);
    config->step_jitter = random_fraction(&state);
    config->quorum = 1 + below(&state, config->learners);
    config->grace = (enum config_grace)below(&state, CONFIG_GRACE_COUNT);
    config->grace_safety = random_fraction(&state);
    config->sync_every = 1 + below(&state, 100);
    config->fragments = 1 + below(&state, config->sync_every);
    config->sync_overlap = below(&state, config->sync_every);
}

/* Numbers bit by bit through the key table, names and laws as they are. */
static void check_same(uint64_t seed, const struct scenario *a, const struct scenario *b)
{
    ck_assert_str_eq(a->name, b->name);
    ck_assert_int_eq(a->has_seed, b->has_seed);
    ck_assert_uint_eq(a->seed, b->seed);
    ck_assert_int_eq(a->config.duration_ns, b->config.duration_ns); /* the number of a key is only a double */
    ck_assert_int_eq(a->config.step_time_ns, b->config.step_time_ns);
    for (size_t i = 0; i < keys_count; i++) {
        const struct keys_key *key = &keys_table[i];
        double x = keys_is_named(key) ? 0 : keys_number(key, a), y = keys_is_named(key) ? 0 : keys_number(key, b);
        ck_assert_msg(x == y || isnan(x), "seed %" PRIu64 ": %s: %.17g, %.17g", seed, key->path, x, y);
    }
    ck_assert_int_eq(a->config.source_count, b->config.source_count);
    for (int i = 0; i < a->config.source_count; i++) {
        const struct config_source *x = &a->config.source[i], *y = &b->config.source[i];
        ck_assert_str_eq(x->name, y->name);
        ck_assert(x->mtbi_s == y->mtbi_s && x->return_after.kind == y->return_after.kind);
        for (size_t p = 0; p < sim_law_type(x->return_after.kind)->parameters; p++)
            ck_assert_msg(x->return_after.parameter[p] == y->return_after.parameter[p], "seed %" PRIu64, seed);
    }
}

START_TEST(canonical_text_reads_back_to_the_same_config)
{
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct scenario scenario = {0}, back = {0};
        random_scenario(seed, &scenario);
        char *text = scenario_canonical(&scenario, true);
        struct scenario_text *parsed = NULL;
        ck_assert_msg(scenario_parse("canonical", text, strlen(text), &parsed, &why) == 0 &&
                          scenario_build(parsed, NULL, 0, &back, &why) == 0,
                      "seed %" PRIu64 ": %s\n%s", seed, why.text, text);
        check_same(seed, &scenario, &back);
        char *again = scenario_canonical(&back, true);
        ck_assert_msg(strcmp(text, again) == 0, "seed %" PRIu64 ": %s%s", seed, text, again);
        free(again);
        free(text);
        scenario_close(parsed);
    }
}
END_TEST

/* Whatever happens to a file, reading it ends, and either gives a scenario that can be written or says a position. */
START_TEST(damaged_text_is_refused_or_right)
{
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        uint64_t state = seed;
        char damaged[sizeof plain];
        memcpy(damaged, plain, sizeof plain);
        for (int64_t i = below(&state, 4); i >= 0; i--)
            damaged[below(&state, sizeof plain - 1)] = (char)below(&state, 256);
        struct scenario_text *text = NULL;
        struct scenario scenario;
        int status = scenario_parse("damaged", damaged, sizeof plain - 1, &text, &why);
        if (status == 0)
            status = scenario_build(text, NULL, 0, &scenario, &why);
        if (status == 0)
            free(scenario_canonical(&scenario, true));
        else
            ck_assert_msg(strncmp(why.text, "damaged:", 8) == 0, "seed %" PRIu64 ": %s", seed, why.text);
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
    tcase_add_test(tests, the_hash_ignores_seed_and_spelling);
    tcase_add_test(tests, canonical_text_reads_back_to_the_same_config);
    tcase_add_test(tests, damaged_text_is_refused_or_right);
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
