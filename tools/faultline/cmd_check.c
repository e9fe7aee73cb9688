#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/command.h"
#include "tools/faultline/derived.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/notes.h"
#include "tools/faultline/options.h"
#include "tools/faultline/output.h"
#include "tools/faultline/scenario.h"
#include "tools/faultline/summary.h"

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_YAML, FORMAT_COUNT };
static const char *const format_name[FORMAT_COUNT] = {"table", "csv", "json", "yaml"};

struct arguments {
    const char *path;
    const char **setting;
    size_t settings;
    enum format format;
};

static const struct argp_option options[] = {
    {"set", 's', "KEY=VALUE", 0, "Set a key over the file; may be repeated, the last one wins", 0},
    {"format", 'f', "FORMAT", 0, "Print table (default), csv, json, or yaml: the canonical text of the scenario", 0},
    {0},
};

static error_t on_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case 's':
        arguments->setting[arguments->settings++] = value;
        return 0;
    case 'f':
        arguments->format = (enum format)options_choice(state, "--format", value, format_name, FORMAT_COUNT);
        return 0;
    case ARGP_KEY_ARG:
        options_one(state, "scenario", value, &arguments->path);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a scenario is needed; - is standard input");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .options = options,
    .parser = on_option,
    .args_doc = "SCENARIO",
    .doc = "Validate a scenario; print every effective value with its origin (file, -s, or the source of the default: "
           "paper, "
           "fitted, assumed) and what follows from them.\vExit status: 0 valid, 2 not valid, 64 wrong usage.",
};

/* One line of the output. */
struct row {
    char key[KEYS_PATH_MAX];
    char *text; /* of its own */
    bool is_list;
    double number;
    const char *from;    /* "derived" for what follows */
    const char *meaning; /* of a derived value, else "" */
};

struct rows {
    size_t count;
    size_t capacity;
    struct row *row;
};

static char *copy(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(sim_allocate(size, 1), text, size);
}

static struct row *add_row(struct rows *rows)
{
    rows->row = alloc_grown(rows->row, rows->count, &rows->capacity, sizeof rows->row[0]);
    return &rows->row[rows->count++];
}

static void on_entry(void *context, const struct scenario_entry *entry)
{
    struct row *row = add_row(context);
    const struct keys_key *key = NULL;
    enum keys_match match = keys_find(entry->key, &key);
    SIM_ASSERT(NULL, match == KEYS_KEY);
    *row = (struct row){.text = copy(entry->text),
                        .is_list = keys_is_list(key) || (key->type == KEYS_LAW && value_is_sample(entry->text)),
                        .number = entry->number,
                        .from = scenario_origin_name(entry),
                        .meaning = ""};
    (void)snprintf(row->key, sizeof row->key, "%s", entry->key);
}

/* A number for people: no more digits than an expectation deserves. */
static void write_about(const struct derived_value *value, char ret[static VALUE_TEXT_MAX])
{
    switch (value->unit) {
    case DERIVED_COUNT:
        (void)snprintf(ret, VALUE_TEXT_MAX, "%.0f", value->number);
        break;
    case DERIVED_REAL:
        (void)snprintf(ret, VALUE_TEXT_MAX, value->number < 100 ? "%.3g" : "%.0f", value->number);
        break;
    case DERIVED_SECONDS:
        value_about_seconds(value->number, ret);
        break;
    case DERIVED_FRACTION:
        (void)snprintf(ret, VALUE_TEXT_MAX, "%.3g%%", 100 * value->number);
        break;
    case DERIVED_RATE:
        value_about_rate(value->number, ret);
        break;
    }
}

static void on_derived(void *context, const struct derived_value *value)
{
    struct row *row = add_row(context);
    char text[VALUE_TEXT_MAX];
    write_about(value, text);
    *row = (struct row){.text = copy(text), .number = value->number, .from = "derived", .meaning = value->meaning};
    const char *part[] = {value->section, value->entry, value->name};
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        size_t used = strlen(row->key);
        if (part[i] != NULL)
            (void)snprintf(row->key + used, sizeof row->key - used, "%s%s", used == 0 ? "" : ".", part[i]);
    }
}

static bool is_derived(const struct row *row)
{
    return strcmp(row->from, "derived") == 0;
}

/* A long list is cut in the table; the other formats have all of it. */
static void shorten(char *text)
{
    char more[] = ", ...]";
    enum { WIDTH_MAX = 60 };
    if (strlen(text) <= WIDTH_MAX)
        return;
    more[sizeof more - 2] = text[strlen(text) - 1];
    char *end = text + WIDTH_MAX - sizeof more;
    while (*end != ',')
        end--;
    memcpy(end, more, sizeof more);
}

static void print_table(const struct rows *rows)
{
    size_t key_width = 0, text_width = 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->row[i].is_list)
            shorten(rows->row[i].text);
        size_t key = output_width(rows->row[i].key), text = output_width(rows->row[i].text);
        key_width = key > key_width ? key : key_width;
        text_width = text > text_width ? text : text_width;
    }
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        if (i > 0 && is_derived(row) && !is_derived(row - 1))
            putchar('\n');
        output_padded(stdout, row->key, key_width + 2);
        output_padded(stdout, row->text, text_width + 2);
        puts(is_derived(row) ? row->meaning : row->from);
    }
}

static void print_csv(const struct rows *rows)
{
    const struct summary_column column[] = {{"key", true}, {"text", true}, {"number", false}, {"from", true}};
    struct summary_writer *writer = summary_open(stdout, SUMMARY_CSV, column, 4);
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        struct summary_cell cell[] = {summary_text(row->key), summary_text(row->text), summary_real(row->number),
                                      summary_text(row->from)};
        summary_row(writer, cell);
    }
    summary_close(writer);
}

static void print_json(const struct rows *rows, const struct scenario *scenario)
{
    char hash[17];
    scenario_hash(scenario, hash);
    fputs("{\"name\": ", stdout);
    output_json(stdout, scenario->name);
    printf(", \"hash\": \"%s\", \"values\": [", hash);
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        fputs(i == 0 ? "{\"key\": " : ", {\"key\": ", stdout);
        output_json(stdout, row->key);
        fputs(", \"text\": ", stdout);
        output_json(stdout, row->text);
        fputs(", \"number\": ", stdout);
        output_number(stdout, row->number, "null");
        printf(", \"from\": \"%s\"}", row->from);
    }
    puts("]}");
}

static void print_yaml(const struct scenario *scenario)
{
    char *text = scenario_canonical(scenario, true);
    fputs(text, stdout);
    free(text);
}

static void print_scenario(const struct arguments *arguments, const struct scenario_text *text,
                           const struct scenario *scenario)
{
    struct rows rows = {0};
    scenario_each(text, arguments->setting, arguments->settings, scenario, on_entry, &rows);
    derived_each(&scenario->config, on_derived, &rows);
    if (arguments->format == FORMAT_TABLE)
        print_table(&rows);
    else if (arguments->format == FORMAT_CSV)
        print_csv(&rows);
    else if (arguments->format == FORMAT_JSON)
        print_json(&rows, scenario);
    else
        print_yaml(scenario);
    for (size_t i = 0; i < rows.count; i++)
        free(rows.row[i].text);
    free(rows.row);
}

static int check(const struct arguments *arguments)
{
    struct scenario_text *text = NULL;
    struct scenario scenario;
    struct sim_error error;
    int status = scenario_open(arguments->path, &text, &error);
    if (status == 0)
        status = scenario_build(text, arguments->setting, arguments->settings, &scenario, &error);
    if (status == 0) {
        print_scenario(arguments, text, &scenario);
        notes_print(&scenario.config);
    }
    scenario_close(text);
    if (status == 0)
        return COMMAND_DONE;
    fprintf(stderr, "faultline: %s\n", error.text);
    return COMMAND_BAD_INPUT;
}

int cmd_check(int argc, char **argv)
{
    struct arguments arguments = {.setting = sim_allocate((size_t)argc, sizeof(char *))};
    options_parse(&parser, argc, argv, &arguments);
    int status = check(&arguments);
    free(arguments.setting);
    return status;
}
