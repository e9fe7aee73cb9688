/* tests/random_scenario.h -- any scenario that config_check lets pass, with everything that a scenario can say.
 *
 * For reading and writing them; nobody would want to run one. The same seed gives the same scenario.
 *
 * Units: as in models/config.h.
 * Ownership: a value; what empirical laws point to is kept (tools/faultline/sample.h).
 * Errors: none.
 */
#ifndef TESTS_RANDOM_SCENARIO_H
#define TESTS_RANDOM_SCENARIO_H

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/faultline/keys.h"
#include "tools/faultline/sample.h"
#include "tools/faultline/scenario.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static struct sim_error why;

/* splitmix64 (Steele, Lea and Flood 2014) */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static inline int64_t below(uint64_t *state, int64_t limit)
{
    return (int64_t)(next_random(state) % (uint64_t)limit);
}

static inline double unit(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

/* A whole unit as people write it, or any nanosecond. */
static inline sim_time random_time(uint64_t *state)
{
    static const sim_time units[] = {1, 1000000, SIM_SECOND, 60 * SIM_SECOND, 3600 * SIM_SECOND};
    return below(state, 3) == 0 ? below(state, 86400 * SIM_SECOND) : (1 + below(state, 999)) * units[below(state, 5)];
}

static inline double random_fraction(uint64_t *state)
{
    return below(state, 2) == 0 ? unit(state) : (double)below(state, 100) / 100;
}

/* Characters that mean something to YAML, to a shell, to HTML, or to nobody. */
static inline void random_name(uint64_t *state, bool is_key, char ret[CONFIG_NAME_MAX])
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

static inline struct sim_law random_sample(uint64_t *state)
{
    double value_s[20];
    int count = 1 + (int)below(state, 20);
    for (int i = 0; i < count; i++)
        value_s[i] = below(state, 2) == 0 ? (double)below(state, 1000) * 60 : pow(10, -9 + 18 * unit(state));
    value_s[0] += 1;
    return sim_law_of_sample(sample_of(value_s, count));
}

static inline struct sim_law random_law(uint64_t *state)
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

static inline void random_key(uint64_t *state, int index, char ret[CONFIG_NAME_MAX])
{
    random_name(state, true, ret);
    size_t used = strlen(ret);
    (void)snprintf(ret + used, CONFIG_NAME_MAX - used, "%d", index); /* no two alike */
}

static inline double random_mtbi(uint64_t *state)
{
    return below(state, 2) == 0 ? pow(10, -9 + 22 * unit(state)) : (double)(1 + below(state, 100)) * 86400;
}

/* Which learners: each with even odds, the last one always. */
static inline void random_learners(uint64_t *state, const struct config *config, struct config_source *ret)
{
    int64_t limit = config->learners < CONFIG_LIST_MAX ? config->learners : CONFIG_LIST_MAX;
    for (int64_t i = 0; i < limit; i++)
        if (i == limit - 1 || below(state, 2) == 0)
            ret->learner[ret->learner_count++] = (int32_t)(i + config->learners - limit);
}

static inline void random_preemption(uint64_t *state, const struct config *config, struct config_source *ret)
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

/* With a calendar no longer than they are there between two absences. */
static inline void random_notice(uint64_t *state, struct config_source *ret)
{
    sim_time there = ret->calendar_every_ns > 0 ? ret->calendar_every_ns - ret->calendar_lasts_ns : random_time(state);
    ret->notice_ns = below(state, 2) == 0 ? 0 : below(state, there + 1);
}

/* As it was read, so that it can be written. */
static inline double random_rate(uint64_t *state)
{
    char text[64];
    double gap_s = 0;
    (void)snprintf(text, sizeof text, "%.*g per %d per %s", 1 + (int)below(state, 16), 1e-3 + unit(state),
                   1 + (int)below(state, 1000), below(state, 2) == 0 ? "d" : "h");
    ck_assert_int_eq(value_read_frequency(text, &gap_s, &why), 0);
    return gap_s;
}

static inline void random_timing(uint64_t *state, struct config_source *ret)
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

static inline void random_factor(uint64_t *state, struct config_source *ret)
{
    do
        ret->factor = random_law(state);
    while (ret->factor.kind == SIM_LAW_EMPIRICAL);
    if (ret->factor.kind == SIM_LAW_CONSTANT)
        ret->factor.parameter[0] = 1 + 999 * unit(state);
}

static inline void random_slowdown(uint64_t *state, struct config_source *ret)
{
    ret->lasts = random_law(state);
    random_factor(state, ret);
}

/* Cut, or slower where there is something to send. */
static inline void random_link(uint64_t *state, const struct config *config, struct config_source *ret)
{
    ret->together = (enum config_together)below(state, CONFIG_TOGETHER_COUNT);
    if (config->parameters > 0 && below(state, 2) == 0)
        random_factor(state, ret);
}

/* By a number, or by a level if there is one. */
static inline void random_domain(uint64_t *state, const struct config *config, struct config_source *ret)
{
    ret->delay = (enum config_delay)below(state, CONFIG_DELAY_COUNT);
    if (config->level_count > 0 && below(state, 2) == 0)
        (void)strcpy(ret->domain_level, config->level[below(state, config->level_count)].name);
    else
        ret->domain_chips = 1 + below(state, CONFIG_CHIPS_MAX);
}

static inline void random_lemons(uint64_t *state, struct config_source *ret)
{
    if (below(state, 3) > 0)
        return;
    ret->lemon_share = 0.001 + 0.9 * unit(state);
    ret->lemon_factor = 1 + 99 * unit(state);
}

/* Half of the time two domains, one after the other. */
static inline void random_maintenance(uint64_t *state, const struct config *config, struct config_source *ret)
{
    ret->calendar_lasts_ns = 1 + random_time(state);
    if (config->chips > 1 && below(state, 2) == 0) {
        ret->domain_chips = config->chips - config->chips / 2;
        ret->rolling_ns = random_time(state);
    }
    ret->calendar_every_ns = 2 * ret->calendar_lasts_ns + ret->rolling_ns + 1 + random_time(state);
    ret->calendar_from_ns = below(state, ret->calendar_every_ns);
}

/* What comes by a calendar, or may. */
static inline bool random_absence(uint64_t *state, const struct config *config, struct config_source *ret)
{
    bool is_of_learners = ret->kind == CONFIG_SOURCE_PREEMPTION || ret->kind == CONFIG_SOURCE_LINK;
    if (is_of_learners)
        random_preemption(state, config, ret);
    else if (ret->kind == CONFIG_SOURCE_MAINTENANCE)
        random_maintenance(state, config, ret);
    if (ret->kind == CONFIG_SOURCE_LINK)
        random_link(state, config, ret);
    else if (ret->kind == CONFIG_SOURCE_PREEMPTION)
        random_notice(state, ret);
    return is_of_learners || ret->kind == CONFIG_SOURCE_MAINTENANCE;
}

/* A log needs a file, a link a syncer. */
static inline bool random_can_have(const struct config *config, enum config_source_kind kind)
{
    return kind != CONFIG_SOURCE_LOG && (kind != CONFIG_SOURCE_LINK || config_has_syncer(config));
}

static inline void random_source(uint64_t *state, const struct config *config, int index, struct config_source *ret)
{
    random_key(state, index, ret->name);
    do
        ret->kind = (enum config_source_kind)below(state, CONFIG_SOURCE_COUNT);
    while (!random_can_have(config, ret->kind));
    if (random_absence(state, config, ret))
        return;
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
static inline void random_classes(uint64_t *state, struct config *config)
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
static inline void random_levels(uint64_t *state, struct config *config)
{
    int64_t chips = 1;
    config->level_count = (int)below(state, 4);
    for (int i = 0; i < config->level_count; i++) {
        random_key(state, i, config->level[i].name);
        config->level[i].chips = chips *= 1 + below(state, 200);
    }
}

static inline void random_network(uint64_t *state, struct config *config)
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

static inline void random_syncer(uint64_t *state, struct config *config)
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
static inline void random_end(uint64_t *state, struct config *config)
{
    config->duration_ns = 1 + random_time(state);
    config->warmup_ns = below(state, 2) == 0 ? 0 : below(state, config->duration_ns);
    int64_t kind = below(state, 3);
    if (kind == 1)
        config->until_work_ns = 1 + below(state, config->duration_ns - config->warmup_ns);
    else if (kind == 2)
        config->until_tokens = (double)(1 + below(state, 1000000000000));
}

static inline void random_checkpoint(uint64_t *state, struct config *config)
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
static inline void random_scenario(uint64_t seed, struct scenario *ret)
{
    uint64_t state = seed;
    struct config *config = &ret->config;
    do
        random_name(&state, false, ret->name);
    while (strchr("=+-@", ret->name[0]) != NULL); /* a formula in a spreadsheet */
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
    random_network(&state, config);
    config->source_count = (int)below(&state, 4);
    for (int i = 0; i < config->source_count; i++)
        random_source(&state, config, i, &config->source[i]);
    random_syncer(&state, config);
    random_checkpoint(&state, config);
}

#endif
