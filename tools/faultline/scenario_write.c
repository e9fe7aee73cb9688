#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/prices.h"
#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/scenario_internal.h"
#include "tools/faultline/utf8.h"

struct keys_context scenario_context(const struct scenario *scenario, const struct config_source *source)
{
    const struct config *config = &scenario->config;
    struct keys_context context = {.has_network = config->parameters > 0,
                                   .has_checkpoint = config->checkpoint_every_ns > 0,
                                   .has_prices = prices_are_given(config),
                                   .has_loan = config->loan_slices > 0,
                                   .has_retirement = config->retire_failures > 0,
                                   .has_stages = config->stage_count > 0};
    if (config_has_until(config))
        context.end = config->until_work_ns > 0 ? KEYS_END_WORK : KEYS_END_TOKENS;
    if (source != NULL) {
        context.kind = source->kind;
        context.has_calendar = source->calendar_every_ns > 0;
        context.has_lemons = source->lemon_share > 0;
        context.timing = source->timing;
    }
    return context;
}

/* An empty text, or a list without numbers. */
static bool is_empty(const void *element, const struct keys_key *key)
{
    int count = 0;
    const char *field = (const char *)element + key->offset;
    bool is_text =
        key->type == KEYS_NAME || key->type == KEYS_TEXT || key->type == KEYS_WHERE || key->type == KEYS_NAMES;
    if (key->type == KEYS_LIST)
        memcpy(&count, (const char *)element + key->count_offset, sizeof count);
    return (is_text && field[0] == '\0') || (key->type == KEYS_LIST && count == 0);
}

/* True when the scenario has nothing to say for the key, whose field is in the struct at `base`. */
static bool is_silent(const struct scenario *scenario, const struct keys_key *key, const void *base)
{
    if (is_empty(base, key))
        return true;
    if (key->source != KEYS_OPTIONAL && key->source != KEYS_REQUIRED_BUT_LINK)
        return false;
    if (key->type == KEYS_COUNT)
        return keys_number(key, base) == 0;
    if (key->type == KEYS_LAW || key->type == KEYS_FACTOR) {
        const struct sim_law *law = (const void *)((const char *)base + key->offset);
        return law->kind == SIM_LAW_CONSTANT && law->parameter[0] == 0;
    }
    return (key->type == KEYS_SEED && !scenario->has_seed) ||
           (key->type == KEYS_SIZES && scenario->config.tensor_count == 0);
}

static bool is_source(const struct keys_section *section)
{
    return section->element_size == sizeof(struct config_source);
}

/* The keys from `first` to before `end`, for each entry of their section. */
static void walk_named(const struct scenario *scenario, const struct keys_key *first, const struct keys_key *end,
                       void (*visit)(void *context, const struct scenario_item *item), void *context)
{
    char path[KEYS_PATH_MAX];
    const struct keys_section *section = keys_section_of(first);
    for (int i = 0; i < *keys_elements(section, scenario); i++) {
        const void *element = keys_element(section, scenario, i);
        struct keys_context means = scenario_context(scenario, is_source(section) ? element : NULL);
        for (const struct keys_key *key = first; key < end; key++) {
            if (!keys_means(key, &means) || is_silent(scenario, key, element))
                continue;
            keys_path(key, element, path); /* it starts with its name */
            visit(context, &(struct scenario_item){key, path, element});
        }
    }
}

void scenario_walk(const struct scenario *scenario, void (*visit)(void *context, const struct scenario_item *item),
                   void *context)
{
    const struct keys_key *key = keys_table, *end = keys_table + keys_count;
    struct keys_context means = scenario_context(scenario, NULL);
    while (key < end) {
        const struct keys_key *first = key++;
        const struct keys_section *section = keys_section_of(first);
        while (section != NULL && key < end && keys_section_of(key) == section)
            key++;
        if (section != NULL)
            walk_named(scenario, first, key, visit, context);
        else if (keys_means(first, &means) && !is_silent(scenario, first, scenario))
            visit(context, &(struct scenario_item){first, first->path, scenario});
    }
}

static bool is_word(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        bool letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
        if (!letter && (at == text || !((*at >= '0' && *at <= '9') || *at == '_' || *at == '-')))
            return false;
    }
    return true;
}

/* What a YAML reader takes for a mark or a non-character when it stands there bare. */
static bool needs_escape(uint32_t character)
{
    return character == 0xFEFF || (character & 0xFFFE) == 0xFFFE;
}

/* A name as YAML: bare when it is a plain word, else in double quotes. */
static void print_name(FILE *to, const char *name)
{
    if (is_word(name)) {
        fputs(name, to);
        return;
    }
    fputc('"', to);
    while (*name != '\0') {
        uint32_t character = 0;
        size_t length = utf8_next(name, &character);
        SIM_ASSERT(NULL, length > 0);
        if (needs_escape(character))
            fprintf(to, "\\U%08" PRIX32, character);
        else
            fprintf(to, "%s%.*s", *name == '"' || *name == '\\' ? "\\" : "", (int)length, name);
        name += length;
    }
    fputc('"', to);
}

/* The canonical text while it grows, and the path of its last line. */
struct writer {
    FILE *to;
    bool with_seed;
    char path[KEYS_PATH_MAX];
};

/* The length of the sections that two paths share, with the dot behind them. */
static size_t shared_sections(const char *a, const char *b)
{
    size_t shared = 0;
    for (size_t i = 0; a[i] != '\0' && a[i] == b[i]; i++)
        if (a[i] == '.')
            shared = i + 1;
    return shared;
}

/* Starts a line with one segment of a path, indented by the segments in front of it. */
static void print_segment(const struct writer *writer, const char *path, size_t start, size_t length)
{
    char segment[KEYS_PATH_MAX];
    for (size_t i = 0; i < start; i++)
        if (path[i] == '.')
            fputs("  ", writer->to);
    (void)snprintf(segment, sizeof segment, "%.*s", (int)length, path + start);
    print_name(writer->to, segment);
    fputc(':', writer->to);
}

/* Opens the sections of the path that the last line was not in, and starts the line of the key. */
static void enter(struct writer *writer, const char *path)
{
    size_t start = shared_sections(writer->path, path), length;
    while (length = strcspn(path + start, "."), path[start + length] == '.') {
        print_segment(writer, path, start, length);
        fputc('\n', writer->to);
        start += length + 1;
    }
    print_segment(writer, path, start, length);
    (void)snprintf(writer->path, sizeof writer->path, "%s", path);
}

static void write_item(void *context, const struct scenario_item *item)
{
    struct writer *writer = context;
    if (item->key->type == KEYS_SEED && !writer->with_seed)
        return;
    char *text = keys_text(item->key, item->base);
    enter(writer, item->path);
    fputc(' ', writer->to);
    bool is_name = item->key->type == KEYS_NAMES && text[0] != '[';
    if (is_name || item->key->type == KEYS_NAME || item->key->type == KEYS_TEXT)
        print_name(writer->to, text);
    else
        fputs(text, writer->to);
    fputc('\n', writer->to);
    free(text);
}

char *scenario_canonical(const struct scenario *scenario, bool with_seed)
{
    struct alloc_draft draft;
    alloc_draft_start(&draft);
    struct writer writer = {.to = draft.to, .with_seed = with_seed};
    scenario_walk(scenario, write_item, &writer);
    return alloc_draft_finish(&draft);
}

static uint64_t fnv1a(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    return hash;
}

/* Three numbers a failure, as text: the hash does not depend on how a machine stores them. */
static uint64_t hash_log(uint64_t hash, const struct config_log *log)
{
    char text[3 * 24];
    for (int64_t i = 0; i < log->rows; i++) {
        const struct config_log_row *row = &log->row[i];
        (void)snprintf(text, sizeof text, "%" PRId64 ",%" PRId64 ",%" PRId64 "\n", row->start_ns, row->end_ns,
                       row->machine);
        hash = fnv1a(hash, text);
        if (row->cause != NULL)
            hash = fnv1a(hash, row->cause->name);
    }
    return hash;
}

void scenario_hash(const struct scenario *scenario, char ret_hex[static 17])
{
    char *text = scenario_canonical(scenario, false);
    uint64_t hash = fnv1a(UINT64_C(0xCBF29CE484222325), text);
    hash = fnv1a(hash, "model " SCENARIO_MODEL_VERSION);
    for (int i = 0; i < scenario->config.source_count; i++)
        if (scenario->config.source[i].kind == CONFIG_SOURCE_LOG)
            hash = hash_log(hash, scenario->config.source[i].log);
    free(text);
    (void)snprintf(ret_hex, 17, "%016" PRIx64, hash);
}
