/* Any scenario is written so that it reads back to itself, and no text, however damaged, does worse than be refused. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/rig.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/sample.h"
#include "tools/faultline/scenario.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct sim_error why;

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

static struct sim_law random_sample(uint64_t *state)
{
    double value_s[20];
    int count = 1 + (int)below(state, 20);
    for (int i = 0; i < count; i++)
        value_s[i] = below(state, 2) == 0 ? (double)below(state, 1000) * 60 : pow(10, -9 + 18 * unit(state));
    value_s[0] += 1;
    return sim_law_of_sample(sample_of(value_s, count));
}

static struct sim_law random_law(uint64_t *state)
{
    for (;;) {
        struct sim_law law;
        double parameter[SIM_LAW_PARAMETERS_MAX] = {pow(10, -10 + 24 * unit(state)), 0.05 + 9 * unit(state),
                                                    0.01 + 20 * unit(state)};
        enum sim_law_kind kind = (enum sim_law_kind)below(state, SIM_LAW_COUNT);
        if (kind == SIM_LAW_EMPIRICAL)
            return random_sample(state);
        if (sim_law_make(kind, parameter, &law) < 0)
            return law;
    }
}

static void random_key(uint64_t *state, int index, char ret[CONFIG_NAME_MAX])
{
    random_name(state, true, ret);
    size_t used = strlen(ret);
    (void)snprintf(ret + used, CONFIG_NAME_MAX - used, "%d", index); /* no two alike */
}

static double random_mtbi(uint64_t *state)
{
    return below(state, 2) == 0 ? pow(10, -9 + 22 * unit(state)) : (double)(1 + below(state, 100)) * 86400;
}

/* Which learners: each with even odds, the last one always. */
static void random_learners(uint64_t *state, const struct config *config, struct config_source *ret)
{
    int64_t limit = config->learners < CONFIG_LIST_MAX ? config->learners : CONFIG_LIST_MAX;
    for (int64_t i = 0; i < limit; i++)
        if (i == limit - 1 || below(state, 2) == 0)
            ret->learner[ret->learner_count++] = (int32_t)(i + config->learners - limit);
}

static void random_preemption(uint64_t *state, const struct config *config, struct config_source *ret)
{
    random_learners(state, config, ret);
    if (below(state, 2) == 0) {
        ret->mtbi_s = random_mtbi(state);
        ret->lasts = random_law(state);
        return;
    }
    ret->calendar_every_ns = 1 + random_time(state);
    ret->calendar_from_ns = below(state, ret->calendar_every_ns);
    ret->calendar_lasts_ns = 1 + below(state, ret->calendar_every_ns);
}

/* As it was read, so that it can be written. */
static double random_rate(uint64_t *state)
{
    char text[64];
    double gap_s = 0;
    (void)snprintf(text, sizeof text, "%.*g per %d per %s", 1 + (int)below(state, 16), 1e-3 + unit(state),
                   1 + (int)below(state, 1000), below(state, 2) == 0 ? "d" : "h");
    ck_assert_int_eq(value_read_frequency(text, &gap_s, &why), 0);
    return gap_s;
}

static void random_timing(uint64_t *state, struct config_source *ret)
{
    ret->timing = (enum config_timing)below(state, ret->kind == CONFIG_SOURCE_CHIP ? KEYS_TIMINGS : CONFIG_BY_LIFE);
    if (ret->timing == CONFIG_BY_MTBI)
        ret->mtbi_s = random_mtbi(state);
    else if (ret->timing == CONFIG_BY_RATE)
        ret->mtbi_s = random_rate(state);
    else
        do
            ret->life = random_law(state);
        while (!(sim_law_mean(&ret->life) > 0));
    if (ret->timing == CONFIG_BY_LIFE)
        ret->ageing = (enum config_ageing)below(state, CONFIG_AGES_COUNT);
}

static void random_slowdown(uint64_t *state, struct config_source *ret)
{
    ret->lasts = random_law(state);
    do
        ret->factor = random_law(state);
    while (ret->factor.kind == SIM_LAW_EMPIRICAL);
    if (ret->factor.kind == SIM_LAW_CONSTANT)
        ret->factor.parameter[0] = 1 + 999 * unit(state);
}

/* By a number, or by a level if there is one. */
static void random_domain(uint64_t *state, const struct config *config, struct config_source *ret)
{
    ret->delay = (enum config_delay)below(state, CONFIG_DELAY_COUNT);
    if (config->level_count > 0 && below(state, 2) == 0)
        (void)strcpy(ret->domain_level, config->level[below(state, config->level_count)].name);
    else
        ret->domain_chips = 1 + below(state, CONFIG_CHIPS_MAX);
}

static void random_lemons(uint64_t *state, struct config_source *ret)
{
    if (below(state, 3) > 0)
        return;
    ret->lemon_share = 0.001 + 0.9 * unit(state);
    ret->lemon_factor = 1 + 99 * unit(state);
}

static void random_source(uint64_t *state, const struct config *config, int index, struct config_source *ret)
{
    random_key(state, index, ret->name);
    do
        ret->kind = (enum config_source_kind)below(state, CONFIG_SOURCE_COUNT);
    while (ret->kind == CONFIG_SOURCE_LOG); /* needs a file */
    if (ret->kind == CONFIG_SOURCE_PREEMPTION) {
        random_preemption(state, config, ret);
        return;
    }
    random_timing(state, ret);
    if (ret->kind == CONFIG_SOURCE_SLOWDOWN)
        random_slowdown(state, ret);
    else
        ret->return_after = random_law(state);
    if (ret->kind == CONFIG_SOURCE_SILENT)
        ret->found_after = random_law(state);
    if (ret->kind == CONFIG_SOURCE_DOMAIN)
        random_domain(state, config, ret);
    if (ret->kind == CONFIG_SOURCE_SYNCER)
        return;
    if (ret->kind == CONFIG_SOURCE_CHIP || ret->kind == CONFIG_SOURCE_SLOWDOWN)
        random_lemons(state, ret);
    if (below(state, 3) == 0)
        random_learners(state, config, ret);
    else if (below(state, 3) == 0 && config->class_count > 0)
        (void)strcpy(ret->only_class, config->class[below(state, config->class_count)].name);
}

/* Shares of 2^-1, 2^-2, ... and the rest, so that they sum to 1 exactly. */
static void random_classes(uint64_t *state, struct config *config)
{
    double rest = 1;
    config->class_count = (int)below(state, config->chips < 4 ? config->chips + 1 : 4);
    for (int i = 0; i < config->class_count; i++) {
        struct config_class *class = &config->class[i];
        random_key(state, i, class->name);
        class->share = i == config->class_count - 1 ? rest : rest / 2;
        class->speed = 0.1 + 2 * unit(state);
        rest -= class->share;
    }
}

/* Each a multiple of the one before. */
static void random_levels(uint64_t *state, struct config *config)
{
    int64_t chips = 1;
    config->level_count = (int)below(state, 4);
    for (int i = 0; i < config->level_count; i++) {
        random_key(state, i, config->level[i].name);
        config->level[i].chips = chips *= 1 + below(state, 200);
    }
}

static void random_network(uint64_t *state, struct config *config)
{
    if (below(state, 2) == 0)
        return;
    config->tensor_count = below(state, 20) == 0 ? CONFIG_TENSORS_MAX : (int)below(state, 4);
    for (int i = 0; i < config->tensor_count; i++)
        config->tensor[i] = (double)(1 + below(state, 100000000000));
    config->parameters =
        config->tensor_count > 0 ? config_tensor_sum(config) : (double)(1 + below(state, 1000000000000));
    config->bits = 1 + below(state, 64);
    config->link_bits_per_s =
        below(state, 2) == 0 ? pow(10, -3 + 20 * unit(state)) : (double)(1 + below(state, 99)) * 1e9;
    config->latency_ns = random_time(state);
    config->datacentres = 1 + below(state, 16);
    config->link_count = config_has_syncer(config) ? (int)below(state, config->learners < 3 ? config->learners : 3) : 0;
    for (int i = 0; i < config->link_count; i++) {
        struct config_link *link = &config->link[i];
        random_key(state, i, link->name);
        link->learner_count = 1;
        link->learner[0] = i;
        link->bits_per_s = below(state, 2) == 0 ? config->link_bits_per_s : (double)(1 + below(state, 99)) * 1e9;
        link->latency_ns = random_time(state);
    }
}

static void random_syncer(uint64_t *state, struct config *config)
{
    bool lock_step = config->method == CONFIG_DILOCO || config->method == CONFIG_STREAMING_DILOCO;
    config->quorum = lock_step ? config->learners : 1 + below(state, config->learners);
    config->grace = lock_step ? CONFIG_GRACE_OFF : (enum config_grace)below(state, CONFIG_GRACE_COUNT);
    config->grace_safety = random_fraction(state);
    config->sync_every = 1 + below(state, 100);
    config->fragments = config->method == CONFIG_DILOCO ? 1 : 1 + below(state, config->sync_every);
    config->sync_overlap = config->method == CONFIG_DILOCO ? 0 : below(state, config->sync_every);
    config->recover_after = below(state, 100);
}

/* A duration, or work that fits into the limit. */
static void random_end(uint64_t *state, struct config *config)
{
    config->duration_ns = 1 + random_time(state);
    config->warmup_ns = below(state, 2) == 0 ? 0 : below(state, config->duration_ns);
    int64_t kind = below(state, 3);
    if (kind == 1)
        config->until_work_ns = 1 + below(state, config->duration_ns - config->warmup_ns);
    else if (kind == 2)
        config->until_tokens = (double)(1 + below(state, 1000000000000));
}

static void random_checkpoint(uint64_t *state, struct config *config)
{
    config->restart_per_chip_ns = below(state, 1000000001);
    if (below(state, 2) == 0)
        return;
    config->checkpoint_every_ns = 1 + random_time(state);
    config->checkpoint_cost_ns = random_time(state);
    config->checkpoint_restore_ns = random_time(state);
    config->checkpoint_mode = (enum config_checkpoint_mode)below(state, CONFIG_CHECKPOINT_MODE_COUNT);
    int64_t room = CONFIG_LEDGER_MAX / (config->learners * config->fragments) - 3;
    config->checkpoint_keep = 1 + below(state, room < 1000 ? room : 1000);
    config->checkpoint_every_rounds = 1 + below(state, 1000000);
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
    random_end(&state, config);
    config->chips = 1 + below(&state, CONFIG_CHIPS_MAX);
    config->chips_per_slice = 1 + below(&state, 1000);
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
    config->jitter_law = (enum config_jitter)below(&state, CONFIG_JITTER_COUNT);
    random_classes(&state, config);
    random_levels(&state, config);
    config->source_count = (int)below(&state, 4);
    for (int i = 0; i < config->source_count; i++)
        random_source(&state, config, i, &config->source[i]);
    random_syncer(&state, config);
    random_network(&state, config);
    random_checkpoint(&state, config);
}

/* One key of two structs, as a number and as text. */
static void check_key(uint64_t seed, const struct keys_key *key, const void *a, const void *b)
{
    double x = keys_number(key, a), y = keys_number(key, b);
    ck_assert_msg(x == y || isnan(x), "seed %" PRIu64 ": %s: %.17g, %.17g", seed, key->path, x, y);
    char *one = keys_text(key, a), *two = keys_text(key, b);
    ck_assert_msg(strcmp(one, two) == 0, "seed %" PRIu64 ": %s: %s, %s", seed, key->path, one, two);
    free(one);
    free(two);
}

static void check_source(uint64_t seed, const struct config_source *a, const struct config_source *b)
{
    ck_assert_str_eq(a->name, b->name);
    ck_assert(a->kind == b->kind && a->mtbi_s == b->mtbi_s && a->return_after.kind == b->return_after.kind);
    ck_assert(a->timing == b->timing && a->life.kind == b->life.kind && a->ageing == b->ageing);
    ck_assert(a->life.sample == b->life.sample && a->return_after.sample == b->return_after.sample);
    ck_assert(a->lemon_share == b->lemon_share && a->lemon_factor == b->lemon_factor);
    ck_assert_str_eq(a->only_class, b->only_class);
    ck_assert_str_eq(a->domain_level, b->domain_level);
    ck_assert(a->domain_chips == b->domain_chips && a->delay == b->delay);
    ck_assert(a->found_after.kind == b->found_after.kind);
    ck_assert(a->lasts.kind == b->lasts.kind && a->learner_count == b->learner_count);
    ck_assert_mem_eq(a->learner, b->learner, sizeof a->learner);
    ck_assert_int_eq(a->calendar_every_ns, b->calendar_every_ns);
    ck_assert_int_eq(a->calendar_from_ns, b->calendar_from_ns);
    ck_assert_int_eq(a->calendar_lasts_ns, b->calendar_lasts_ns);
    for (size_t p = 0; p < SIM_LAW_PARAMETERS_MAX; p++)
        ck_assert_msg(a->return_after.parameter[p] == b->return_after.parameter[p] &&
                          a->lasts.parameter[p] == b->lasts.parameter[p] &&
                          a->life.parameter[p] == b->life.parameter[p],
                      "seed %" PRIu64, seed);
}

/* Numbers bit by bit, names and laws as they are. */
static void check_same(uint64_t seed, const struct scenario *a, const struct scenario *b)
{
    const struct config *x = &a->config, *y = &b->config;
    struct keys_context context = {.has_network = x->parameters > 0,
                                   .has_checkpoint = x->checkpoint_every_ns > 0,
                                   .end = x->until_work_ns > 0  ? KEYS_END_WORK
                                          : x->until_tokens > 0 ? KEYS_END_TOKENS
                                                                : KEYS_END_DURATION};
    ck_assert_int_eq(a->has_seed, b->has_seed);
    ck_assert_uint_eq(a->seed, b->seed);
    ck_assert_int_eq(x->duration_ns, y->duration_ns); /* the number of a key is only a double */
    ck_assert_int_eq(x->step_time_ns, y->step_time_ns);
    ck_assert_int_eq(x->until_work_ns, y->until_work_ns);
    ck_assert_double_eq(x->until_tokens, y->until_tokens);
    for (size_t i = 0; i < keys_count; i++)
        if (!keys_is_named(&keys_table[i]) && keys_means(&keys_table[i], &context))
            check_key(seed, &keys_table[i], a, b);
    ck_assert(x->parameters == y->parameters && x->link_bits_per_s == y->link_bits_per_s);
    ck_assert_mem_eq(x->tensor, y->tensor, sizeof x->tensor);
    ck_assert_mem_eq(x->class, y->class, sizeof x->class);
    ck_assert_int_eq(x->class_count, y->class_count);
    ck_assert_int_eq(x->source_count, y->source_count);
    ck_assert_mem_eq(x->level, y->level, sizeof x->level);
    ck_assert_int_eq(x->level_count, y->level_count);
    ck_assert_mem_eq(x->link, y->link, sizeof x->link);
    ck_assert_int_eq(x->link_count, y->link_count);
    for (int i = 0; i < x->source_count; i++)
        check_source(seed, &x->source[i], &y->source[i]);
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

static const char plain[] =
    "name: plain\n"
    "method: streaming-diloco\n"
    "duration: 1d\n"
    "fleet: {chips: 1024, classes: {x: {share: 40%}, y: {share: 0.6, speed: 1.5}}, levels: {rack: 64}}\n"
    "failures:\n"
    "  b: {kind: chip, mtbi: 1y, return_after: constant(0s), lemons: {share: 5%, factor: 6}}\n"
    "  d: {kind: chip, life: \"weibull(mean=1y, shape=2)\", ageing: reset, only: {class: y},\n"
    "      return_after: \"empirical(1h, 20min)\"}\n"
    "  e: {kind: chip, rate: 6.5 per 1k per d, only: {learners: [0, 3]}, return_after: constant(0s)}\n"
    "  f: {kind: domain, domain: {level: rack}, mtbi: 5y, delay: own, return_after: constant(1h)}\n"
    "  a: {kind: preemption, learners: [0..1, 3], calendar: {every: 1d, lasts: 8h}}\n"
    "  c:\n"
    "    kind: preemption\n"
    "    mtbi: 2d\n"
    "    lasts: exponential(mean=1h)\n"
    "    learners:\n"
    "    - 2\n"
    "learners: {count: 4}\n"
    "network: {tensors: [1M, 2M], link: 2Gbit/s}\n";

/* Whatever happens to a file, reading it ends, and either gives a scenario that can be written or says a position. */
START_TEST(damaged_text_is_refused_or_right)
{
    for (uint64_t seed = 1; seed <= 4000; seed++) {
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
    Suite *suite = suite_create("scenario text");
    TCase *tests = tcase_create("scenario text");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, canonical_text_reads_back_to_the_same_config);
    tcase_add_test(tests, damaged_text_is_refused_or_right);
    return rig_main(suite);
}
