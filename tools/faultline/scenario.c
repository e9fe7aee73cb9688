#include "tools/faultline/scenario.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/input.h"
#include "tools/faultline/names.h"
#include "tools/faultline/scenario_internal.h"
#include "tools/faultline/utf8.h"

enum { BYTES_MAX = 1 << 20, POSITION_MAX = 320 };

/* One reading of a file, from the bytes to the list of keys. */
struct reader {
    yaml_parser_t parser;
    const char *bytes;
    size_t size;
    struct scenario_text *text;
    const char *key; /* whose value is read now; NULL between values */
    struct sim_error *error;
};

static void write_position(const struct reader *reader, struct scenario_place place, char ret[static POSITION_MAX])
{
    (void)snprintf(ret, POSITION_MAX, "%.255s:%zu:%zu", reader->text->file, place.line, place.column);
}

__attribute__((format(printf, 3, 4))) static int fail(const struct reader *reader, struct scenario_place place,
                                                      const char *format, ...)
{
    char position[POSITION_MAX], what[640];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    write_position(reader, place, position);
    bool keyed = reader->key != NULL;
    return sim_error_set(reader->error, "%s: %s%s%s", position, keyed ? reader->key : "", keyed ? ": " : "", what);
}

static struct scenario_place place_of(yaml_mark_t mark)
{
    return (struct scenario_place){mark.line + 1, mark.column + 1};
}

/* Line and column of a byte; what is no UTF-8 counts byte by byte. */
static struct scenario_place place_of_byte(const struct reader *reader, size_t offset)
{
    struct scenario_place place = {1, 1};
    for (size_t i = 0; i < offset && i < reader->size; i++) {
        if (reader->bytes[i] == '\n')
            place = (struct scenario_place){place.line + 1, 1};
        else if (((unsigned char)reader->bytes[i] & 0xC0) != 0x80)
            place.column++;
    }
    return place;
}

/* What libyaml complains about. */
static int fail_parser(const struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    alloc_require(parser->error != YAML_MEMORY_ERROR);
    if (parser->error == YAML_READER_ERROR)
        return fail(reader, place_of_byte(reader, parser->problem_offset), "not text: %s; expected UTF-8",
                    parser->problem);
    struct scenario_place place = place_of(parser->problem_mark);
    size_t at = parser->problem_mark.index; /* in characters: exact where the text before is ASCII */
    if (at < reader->size && reader->bytes[at] == '\t')
        return fail(reader, place, "not YAML: a tab may not indent; use blanks");
    return fail(reader, place, "not YAML: %s%s%s", parser->context != NULL ? parser->context : "",
                parser->context != NULL ? ", " : "", parser->problem != NULL ? parser->problem : "syntax error");
}

static bool has_anchor(const yaml_event_t *event)
{
    return (event->type == YAML_SCALAR_EVENT && event->data.scalar.anchor != NULL) ||
           (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.anchor != NULL) ||
           (event->type == YAML_SEQUENCE_START_EVENT && event->data.sequence_start.anchor != NULL);
}

static bool has_tag(const yaml_event_t *event)
{
    return (event->type == YAML_SCALAR_EVENT && event->data.scalar.tag != NULL) ||
           (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.tag != NULL) ||
           (event->type == YAML_SEQUENCE_START_EVENT && event->data.sequence_start.tag != NULL);
}

/* The next event, without what a scenario has no use for. On success the caller deletes it. */
static int next(struct reader *reader, yaml_event_t *ret)
{
    yaml_event_t event;
    if (yaml_parser_parse(&reader->parser, &event) == 0)
        return fail_parser(reader);
    struct scenario_place place = place_of(event.start_mark);
    int status = 0;
    if (event.type == YAML_ALIAS_EVENT || has_anchor(&event))
        status = fail(reader, place, "anchors and aliases (& and *) are not allowed; write the value out, or quote it");
    else if (has_tag(&event))
        status = fail(reader, place, "tags (!) are not allowed; every value is text, or quote it");
    else if (event.type == YAML_SCALAR_EVENT && strlen((char *)event.data.scalar.value) != event.data.scalar.length)
        status = fail(reader, place, "a NUL character is not allowed");
    if (status != 0)
        yaml_event_delete(&event);
    else
        *ret = event;
    return status;
}

const struct scenario_node *scenario_node_find(const struct scenario_text *text, const char *path)
{
    for (size_t i = 0; i < text->count; i++)
        if (strcmp(text->node[i].path, path) == 0)
            return &text->node[i];
    return NULL;
}

int scenario_unknown(const char *position, const char *path, struct sim_error *error)
{
    char nearest[KEYS_PATH_MAX];
    if (keys_nearest(path, nearest))
        return sim_error_set(error, "%s: %s: there is no such key; did you mean %s?", position, path, nearest);
    return sim_error_set(error, "%s: %s: there is no such key; `faultline keys` lists them", position, path);
}

int scenario_check_segment(const char *segment, struct sim_error *error)
{
    char name[CONFIG_NAME_MAX], quoted[VALUE_QUOTE_MAX];
    if (keys_read_name(segment, name, error) != 0)
        return -1;
    if (segment[0] != '\0' && segment[strlen(segment) - 1] == ')')
        return sim_error_set(error, "%s: the rest of a law: its comma ends a value inside { }; put the law in quotes",
                             value_quote(segment, quoted));
    if (strpbrk(segment, ".=") != NULL)
        return sim_error_set(error, "%s: no . or = in a key, they separate in -s KEY=VALUE; write nested mappings",
                             value_quote(segment, quoted));
    return 0;
}

/* Adds the key `name` below `section`; NULL when it is unknown, a duplicate or one too many. */
static struct scenario_node *add_node(struct reader *reader, const char *section, const char *name,
                                      struct scenario_place place)
{
    char position[POSITION_MAX], path[2 * KEYS_PATH_MAX];
    struct sim_error why;
    struct scenario_text *text = reader->text;
    if (scenario_check_segment(name, &why) != 0)
        return (void)fail(reader, place, "%.500s", why.text), NULL;
    (void)snprintf(path, sizeof path, "%s%s%s", section, section[0] == '\0' ? "" : ".", name);
    write_position(reader, place, position);
    if (keys_find(path, NULL) == KEYS_UNKNOWN)
        return (void)scenario_unknown(position, path, reader->error), NULL;
    const struct scenario_node *first = scenario_node_find(text, path);
    if (first != NULL)
        return (void)fail(reader, place, "%s: given twice; the first is on line %zu", path, first->name.line), NULL;
    if (text->count == SCENARIO_NODES_MAX)
        return (void)fail(reader, place, "%s: too many keys; the limit is %d", path, SCENARIO_NODES_MAX), NULL;
    struct scenario_node *node = &text->node[text->count++];
    (void)utf8_copy(sizeof node->path, node->path, path);
    node->name = place;
    node->value = place;
    return node;
}

static int read_mapping(struct reader *reader, const char *section);

static int put_scalar(struct reader *reader, struct scenario_node *node, const yaml_event_t *event)
{
    char below[256];
    if (keys_find(node->path, NULL) == KEYS_SECTION) {
        keys_below(node->path, sizeof below, below);
        return fail(reader, node->value, "a mapping is expected, with the keys: %s", below);
    }
    node->text = alloc_text((const char *)event->data.scalar.value);
    return 0;
}

/* One number of a list, behind the comma that separates it from the one before. */
static int put_element(const struct reader *reader, const yaml_event_t *event, const char *comma, FILE *to)
{
    char quoted[VALUE_QUOTE_MAX];
    struct scenario_place place = place_of(event->start_mark);
    if (event->type != YAML_SCALAR_EVENT)
        return fail(reader, place, "a list holds single numbers, not lists or mappings");
    const char *text = (const char *)event->data.scalar.value;
    if (text[strcspn(text, ",[]\n")] != '\0')
        return fail(reader, place, "%s: a list holds single numbers", value_quote(text, quoted));
    fprintf(to, "%s%s", comma, text);
    return 0;
}

/* A scalar in double quotes, behind what separates it from the one before. */
static int put_quoted(struct reader *reader, const yaml_event_t *event, const char *before, FILE *to)
{
    if (event->type != YAML_SCALAR_EVENT)
        return fail(reader, place_of(event->start_mark), "a single value is expected, not a list or a mapping");
    fputs(before, to);
    names_write_word(to, (const char *)event->data.scalar.value);
    return 0;
}

/* The elements behind the start of a list, and its end. */
static int put_elements(struct reader *reader, bool are_names, FILE *to)
{
    const char *comma = "[";
    for (;;) {
        yaml_event_t event = {0};
        if (next(reader, &event) != 0)
            return -1;
        bool is_end = event.type == YAML_SEQUENCE_END_EVENT;
        int status = is_end      ? 0
                     : are_names ? put_quoted(reader, &event, comma, to)
                                 : put_element(reader, &event, comma, to);
        yaml_event_delete(&event);
        if (is_end)
            fputs(comma[0] == '[' ? "[]" : "]", to);
        if (is_end || status != 0)
            return status;
        comma = ", ";
    }
}

/* The text of a list is what a setting would say: [4, 5]. */
static int put_list(struct reader *reader, struct scenario_node *node)
{
    const struct keys_key *key = NULL;
    struct alloc_draft draft;
    if (keys_find(node->path, &key) != KEYS_KEY || (!keys_is_list(key) && key->type != KEYS_NAMES))
        return fail(reader, node->value, "a list is not allowed here");
    alloc_draft_start(&draft);
    int status = put_elements(reader, key->type == KEYS_NAMES, draft.to);
    node->text = alloc_draft_finish(&draft);
    return status;
}

/* The pairs behind the start of a mapping, and its end. */
static int put_pairs(struct reader *reader, FILE *to)
{
    for (int count = 0;; count++) {
        yaml_event_t event = {0};
        if (next(reader, &event) != 0)
            return -1;
        bool is_end = event.type == YAML_MAPPING_END_EVENT;
        const char *before = count == 0 ? "{" : count % 2 == 0 ? ", " : ": ";
        int status = is_end ? 0 : put_quoted(reader, &event, before, to);
        yaml_event_delete(&event);
        if (is_end)
            fputs(count == 0 ? "{}" : "}", to);
        if (is_end || status != 0)
            return status;
    }
}

/* The text of conditions is what a setting would say: {"System": "20"}. */
static int put_conditions(struct reader *reader, struct scenario_node *node)
{
    struct alloc_draft draft;
    alloc_draft_start(&draft);
    int status = put_pairs(reader, draft.to);
    node->text = alloc_draft_finish(&draft);
    return status;
}

static int put_value(struct reader *reader, struct scenario_node *node, const yaml_event_t *event)
{
    const struct keys_key *key = NULL;
    node->value = place_of(event->start_mark);
    if (event->type == YAML_SCALAR_EVENT)
        return put_scalar(reader, node, event);
    if (event->type == YAML_SEQUENCE_START_EVENT)
        return put_list(reader, node);
    if (keys_find(node->path, &key) == KEYS_KEY && key->type == KEYS_WHERE)
        return put_conditions(reader, node);
    if (key != NULL)
        return fail(reader, node->value, "a %s is expected, not a mapping",
                    keys_is_list(key) ? "list" : "single value");
    reader->key = NULL;
    return read_mapping(reader, node->path);
}

/* The value of a key: a scalar for a key, a mapping for a section. */
static int read_value(struct reader *reader, struct scenario_node *node)
{
    yaml_event_t event = {0};
    reader->key = node->path;
    if (next(reader, &event) != 0)
        return -1;
    int status = put_value(reader, node, &event);
    reader->key = NULL;
    yaml_event_delete(&event);
    return status;
}

static int read_key(struct reader *reader, const char *section, const yaml_event_t *event)
{
    struct scenario_place place = place_of(event->start_mark);
    if (event->type != YAML_SCALAR_EVENT)
        return fail(reader, place, "a key must be a word, not a mapping or a list");
    struct scenario_node *node = add_node(reader, section, (const char *)event->data.scalar.value, place);
    return node == NULL ? -1 : read_value(reader, node);
}

/* The rest of a mapping whose start was read. It nests no deeper than the key table: an unknown section is refused at
 * once. */
static int read_mapping(struct reader *reader, const char *section)
{
    for (;;) {
        yaml_event_t event = {0};
        if (next(reader, &event) != 0)
            return -1;
        bool at_end = event.type == YAML_MAPPING_END_EVENT;
        int status = at_end ? 0 : read_key(reader, section, &event);
        yaml_event_delete(&event);
        if (at_end || status != 0)
            return status;
    }
}

/* Takes an event of the frame around the keys. */
static int expect(struct reader *reader, yaml_event_type_t type, const char *otherwise)
{
    yaml_event_t event = {0};
    if (next(reader, &event) != 0)
        return -1;
    int status = event.type == type ? 0 : fail(reader, place_of(event.start_mark), "%s", otherwise);
    yaml_event_delete(&event);
    return status;
}

static int read_document(struct reader *reader)
{
    if (expect(reader, YAML_STREAM_START_EVENT, "not text") != 0 ||
        expect(reader, YAML_DOCUMENT_START_EVENT,
               "the scenario is empty; at least name, method, duration (or until) and "
               "fleet.chips are required") != 0 ||
        expect(reader, YAML_MAPPING_START_EVENT, "a scenario is a mapping: lines of `key: value`") != 0)
        return -1;
    if (read_mapping(reader, "") != 0)
        return -1;
    if (expect(reader, YAML_DOCUMENT_END_EVENT, "the scenario does not end here") != 0)
        return -1;
    return expect(reader, YAML_STREAM_END_EVENT, "a second document is not allowed; one scenario a file");
}

/* True behind any of the five line breaks of YAML 1.1. */
static bool is_line_start(const char *bytes, size_t at)
{
    if (at == 0 || bytes[at - 1] == '\n' || bytes[at - 1] == '\r')
        return true;
    if (at >= 2 && memcmp(bytes + at - 2, "\xC2\x85", 2) == 0)
        return true;
    return at >= 3 &&
           (memcmp(bytes + at - 3, "\xE2\x80\xA8", 3) == 0 || memcmp(bytes + at - 3, "\xE2\x80\xA9", 3) == 0);
}

/* What must not even reach libyaml: a zero byte would end its text, and the time it takes for directives is quadratic.
 */
static int check_bytes(const struct reader *reader)
{
    for (size_t i = 0; i < reader->size; i++) {
        if (reader->bytes[i] == '\0')
            return fail(reader, place_of_byte(reader, i), "a NUL character is not allowed");
        if (reader->bytes[i] == '%' && is_line_start(reader->bytes, i))
            return fail(reader, place_of_byte(reader, i), "a line may not start with %%: directives are not allowed");
    }
    return 0;
}

/* Parses the bytes; a byte order mark in front of them is skipped. */
static int parse(const char *bytes, size_t size, struct scenario_text *text, struct sim_error *error)
{
    size_t mark = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    struct reader reader = {.bytes = bytes + mark, .size = size - mark, .text = text, .error = error};
    if (check_bytes(&reader) != 0)
        return -1;
    alloc_require(yaml_parser_initialize(&reader.parser) == 1);
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)reader.bytes, reader.size);
    int status = read_document(&reader);
    yaml_parser_delete(&reader.parser);
    return status;
}

int scenario_parse(const char *file, const char *bytes, size_t size, struct scenario_text **ret,
                   struct sim_error *error)
{
    if (size > BYTES_MAX)
        return sim_error_set(error, "%.255s: larger than a scenario may be; the limit is 1 MiB", file);
    struct scenario_text *text = sim_allocate(1, sizeof *text);
    text->file = alloc_text(file);
    text->logs = sim_allocate(1, sizeof *text->logs);
    int status = parse(bytes, size, text, error);
    text->question = scenario_head(bytes, size);
    if (status == 0)
        *ret = text;
    else
        scenario_close(text);
    return status;
}

int scenario_open(const char *path, struct scenario_text **ret, struct sim_error *error)
{
    static const struct input_kind kind = {"a scenario", BYTES_MAX};
    char *bytes = NULL;
    size_t size = 0;
    if (input_read(path, &kind, &bytes, &size, error) != 0)
        return -1;
    int status = scenario_parse(path, bytes, size, ret, error);
    free(bytes);
    return status;
}

void scenario_close(struct scenario_text *text)
{
    if (text == NULL)
        return;
    for (size_t i = 0; i < text->count; i++)
        free(text->node[i].text);
    scenario_free_logs(text->logs);
    free(text->question);
    free(text->file);
    free(text);
}
