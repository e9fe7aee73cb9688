#include <stdio.h>
#include <string.h>

#include "tools/faultline/keys.h"
#include "tools/faultline/scenario.h"

/* In the order of the key table. */
const struct keys_section keys_sections[] = {
    {"fleet.classes", "speed class", offsetof(struct scenario, config.class),
     offsetof(struct scenario, config.class_count), sizeof(struct config_class), CONFIG_CLASSES_MAX},
    {"fleet.levels", "level", offsetof(struct scenario, config.level), offsetof(struct scenario, config.level_count),
     sizeof(struct config_level), CONFIG_LEVELS_MAX},
    {"failures", "failure source", offsetof(struct scenario, config.source),
     offsetof(struct scenario, config.source_count), sizeof(struct config_source), CONFIG_SOURCES_MAX},
    {"repair.stages", "stage of repair", offsetof(struct scenario, config.stage),
     offsetof(struct scenario, config.stage_count), sizeof(struct config_stage), CONFIG_STAGES_MAX},
    {"network.links", "link", offsetof(struct scenario, config.link), offsetof(struct scenario, config.link_count),
     sizeof(struct config_link), CONFIG_LINKS_MAX},
    {"prices.class", "price of a class", offsetof(struct scenario, config.price),
     offsetof(struct scenario, config.price_count), sizeof(struct config_price), CONFIG_CLASSES_MAX},
};
const size_t keys_section_count = sizeof keys_sections / sizeof keys_sections[0];

_Static_assert(offsetof(struct config_class, name) == 0 && offsetof(struct config_source, name) == 0 &&
                   offsetof(struct config_link, name) == 0 && offsetof(struct config_stage, name) == 0 &&
                   offsetof(struct config_level, name) == 0 && offsetof(struct config_price, name) == 0,
               "an element starts with its name");

bool keys_is_named(const struct keys_key *key)
{
    return strchr(key->path, '*') != NULL;
}

const struct keys_section *keys_section_of(const struct keys_key *key)
{
    for (size_t i = 0; i < keys_section_count; i++) {
        size_t length = strlen(keys_sections[i].path);
        if (strncmp(key->path, keys_sections[i].path, length) == 0 && strncmp(key->path + length, ".*", 2) == 0)
            return &keys_sections[i];
    }
    return NULL;
}

/* Whoever has a scenario that may be changed may change its elements. */
static char *inside(const struct scenario *scenario, size_t offset)
{
    return (char *)scenario + offset;
}

int *keys_elements(const struct keys_section *section, const struct scenario *scenario)
{
    return (int *)(void *)inside(scenario, section->count_offset);
}

void *keys_element(const struct keys_section *section, const struct scenario *scenario, int index)
{
    return inside(scenario, section->array_offset + (size_t)index * section->element_size);
}

static bool has_kind(const struct keys_key *key, enum config_source_kind kind)
{
    return key->kinds == 0 || (key->kinds >> kind & 1) != 0;
}

const char *const keys_timing_name[KEYS_TIMINGS] = {
    [CONFIG_BY_MTBI] = "mtbi", [CONFIG_BY_RATE] = "rate", [CONFIG_BY_LIFE] = "life"};

bool keys_timing(const struct keys_key *key, enum config_timing *ret)
{
    bool is_mtbi = key->when == KEYS_OF_MTBI, is_rate = key->when == KEYS_OF_RATE, is_life = key->when == KEYS_OF_LIFE;
    if (is_mtbi || is_rate || is_life)
        *ret = is_mtbi ? CONFIG_BY_MTBI : is_rate ? CONFIG_BY_RATE : CONFIG_BY_LIFE;
    return is_mtbi || is_rate || is_life;
}

static bool is_calendar(const struct keys_context *context)
{
    bool has = context->has_calendar || context->kind == CONFIG_SOURCE_MAINTENANCE; /* which has nothing else */
    return has && (KEYS_KINDS_WITH_CALENDAR >> context->kind & 1) != 0;
}

bool keys_means(const struct keys_key *key, const struct keys_context *context)
{
    enum config_timing timing;
    if (!has_kind(key, context->kind))
        return false;
    switch (key->when) {
    case KEYS_OF_RANDOM:
        return !is_calendar(context);
    case KEYS_OF_CALENDAR:
        return is_calendar(context);
    case KEYS_OF_NETWORK:
        return context->has_network;
    case KEYS_OF_LEMONS:
        return context->has_lemons;
    case KEYS_OF_MTBI:
    case KEYS_OF_RATE:
    case KEYS_OF_LIFE:
        return !is_calendar(context) && keys_timing(key, &timing) && context->timing == timing;
    case KEYS_OF_DURATION:
        return context->end == KEYS_END_DURATION;
    case KEYS_OF_UNTIL:
        return context->end != KEYS_END_DURATION;
    case KEYS_OF_WORK:
        return context->end == KEYS_END_WORK;
    case KEYS_OF_TOKENS:
        return context->end == KEYS_END_TOKENS;
    case KEYS_OF_CHECKPOINT:
        return context->has_checkpoint;
    case KEYS_OF_LOAN:
        return context->has_loan;
    case KEYS_OF_RETIREMENT:
        return context->has_retirement;
    case KEYS_OF_PRICES:
        return context->has_prices;
    case KEYS_WITHOUT_STAGES:
        return !context->has_stages || context->kind == CONFIG_SOURCE_SYNCER; /* which nobody repairs */
    case KEYS_ALWAYS:
    case KEYS_WHEN_COUNT:
        break;
    }
    return true;
}

void keys_why_not(const struct keys_key *key, const struct keys_context *context, char ret[static KEYS_RANGE_MAX])
{
    static const char *const what_ends[] = {
        [KEYS_END_DURATION] = "duration", [KEYS_END_WORK] = "until.work", [KEYS_END_TOKENS] = "until.tokens"};
    if (key->when >= KEYS_OF_DURATION && key->when <= KEYS_OF_TOKENS)
        (void)snprintf(ret, KEYS_RANGE_MAX, "%s says when the run ends", what_ends[context->end]);
    else if (has_kind(key, context->kind) && is_calendar(context))
        (void)snprintf(ret, KEYS_RANGE_MAX, "the calendar says when, and for how long");
    else if (has_kind(key, context->kind) && key->when == KEYS_WITHOUT_STAGES)
        (void)snprintf(ret, KEYS_RANGE_MAX, "the stages of repair say how long it takes");
    else if (has_kind(key, context->kind) && key->source == KEYS_REQUIRED)
        (void)snprintf(ret, KEYS_RANGE_MAX, "%s says how often; give one of them", keys_timing_name[context->timing]);
    else if (has_kind(key, context->kind))
        (void)snprintf(ret, KEYS_RANGE_MAX, "chips age by a law of life; %s says how often",
                       keys_timing_name[context->timing]);
    else
        (void)snprintf(ret, KEYS_RANGE_MAX, "a source of kind %s has none", config_source_kind_name[context->kind]);
}
