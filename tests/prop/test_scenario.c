/* Any scenario is written so that it reads back to itself, and no text, however damaged, does worse than be refused. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random_scenario.h"
#include "tests/rig.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/sample.h"
#include "tools/faultline/scenario.h"

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
    ck_assert_int_eq(a->rolling_ns, b->rolling_ns);
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
