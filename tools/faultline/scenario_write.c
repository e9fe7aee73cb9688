#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/scenario_internal.h"
#include "tools/faultline/utf8.h"

static bool is_last_of_group(const struct keys_key *key)
{
    return key + 1 == keys_table + keys_count || !keys_is_named(key + 1);
}

static void walk_named(const struct scenario *scenario, const struct keys_key *first, const struct keys_key *last,
                       void (*visit)(void *context, const struct scenario_item *item), void *context)
{
    char path[KEYS_PATH_MAX];
    for (int i = 0; i < scenario->config.source_count; i++)
        for (const struct keys_key *key = first; key <= last; key++) {
            const struct config_source *source = &scenario->config.source[i];
            keys_path(key, source->name, path);
            visit(context, &(struct scenario_item){key, path, source->name, source});
        }
}

void scenario_walk(const struct scenario *scenario, void (*visit)(void *context, const struct scenario_item *item),
                   void *context)
{
    const struct keys_key *key = keys_table, *end = keys_table + keys_count;
    for (; key < end; key++) {
        const struct keys_key *first = key;
        if (keys_is_named(key)) {
            while (!is_last_of_group(key))
                key++;
            walk_named(scenario, first, key, visit, context);
        } else if (key->type != KEYS_SEED || scenario->has_seed) {
            visit(context, &(struct scenario_item){key, key->path, NULL, scenario});
        }
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

/* The canonical text while it grows: which section and source the last line was in. */
struct writer {
    FILE *to;
    bool with_seed;
    char section[KEYS_PATH_MAX];
    const char *name;
};

/* Starts the section of the item, and the source in it, when the last line was in another. */
static void enter(struct writer *writer, const struct scenario_item *item)
{
    size_t length = strcspn(item->key->path, ".");
    if (item->key->path[length] == '\0')
        return;
    if (strncmp(writer->section, item->key->path, length) != 0 || writer->section[length] != '\0') {
        (void)snprintf(writer->section, sizeof writer->section, "%.*s", (int)length, item->key->path);
        fprintf(writer->to, "%s:\n", writer->section);
    }
    if (item->name != NULL && item->name != writer->name) {
        fputs("  ", writer->to);
        print_name(writer->to, item->name);
        fputs(":\n", writer->to);
    }
    writer->name = item->name;
}

static void write_item(void *context, const struct scenario_item *item)
{
    struct writer *writer = context;
    char text[VALUE_TEXT_MAX];
    if (item->key->type == KEYS_SEED && !writer->with_seed)
        return;
    enter(writer, item);
    const char *dot = strrchr(item->key->path, '.');
    int indent = dot == NULL ? 0 : item->name == NULL ? 2 : 4;
    fprintf(writer->to, "%*s%s: ", indent, "", dot == NULL ? item->key->path : dot + 1);
    keys_write(item->key, item->base, text);
    if (item->key->type == KEYS_NAME)
        print_name(writer->to, text);
    else
        fputs(text, writer->to);
    fputc('\n', writer->to);
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

void scenario_hash(const struct scenario *scenario, char ret_hex[static 17])
{
    char *text = scenario_canonical(scenario, false);
    uint64_t hash = fnv1a(UINT64_C(0xCBF29CE484222325), text);
    hash = fnv1a(hash, "model " SCENARIO_MODEL_VERSION);
    free(text);
    (void)snprintf(ret_hex, 17, "%016" PRIx64, hash);
}
