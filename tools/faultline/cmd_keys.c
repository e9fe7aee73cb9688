#include <argp.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "models/run.h"
#include "tools/faultline/command.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/options.h"
#include "tools/faultline/output.h"
#include "tools/faultline/summary.h"

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_MARKDOWN, FORMAT_COUNT };
static const char *const format_name[FORMAT_COUNT] = {"table", "csv", "json", "markdown"};

struct arguments {
    const char *pattern;
    enum format format;
    bool wants_metrics;
};

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0, "Print table (default), csv, json, or markdown", 0},
    {"metrics", 'm', NULL, 0, "what a run is measured by instead: the columns of its CSV and of the database", 0},
    {0},
};

static error_t on_option(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case 'f':
        arguments->format = (enum format)options_choice(state, "--format", value, format_name, FORMAT_COUNT);
        return 0;
    case 'm':
        arguments->wants_metrics = true;
        return 0;
    case ARGP_KEY_ARG:
        options_one(state, "pattern", value, &arguments->pattern);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .options = options,
    .parser = on_option,
    .args_doc = "[PATTERN]",
    .doc =
        "List the keys of a scenario: type, default, what is allowed, where the default comes from, and meaning. "
        "PATTERN is "
        "part of a key (mtbi) or a whole one with wildcards ('fleet.*').\vNAME in a key stands for a name of your own.",
};

/* The path as people read it: NAME for a name of their own. */
static const char *shown_path(const struct keys_key *key, char ret[static KEYS_PATH_MAX])
{
    if (!keys_is_named(key))
        return key->path;
    keys_path(key, "NAME", ret);
    return ret;
}

static bool is_asked_for(const struct keys_key *key, const char *pattern)
{
    char path[KEYS_PATH_MAX];
    const char *shown = shown_path(key, path);
    if (pattern == NULL || strstr(shown, pattern) != NULL || fnmatch(pattern, shown, 0) == 0)
        return true;
    const struct keys_key *found;
    return keys_find(pattern, &found) == KEYS_KEY && found == key;
}

static const char *shown_default(const struct keys_key *key)
{
    return key->default_text != NULL ? key->default_text : "";
}

static void print_row(const struct keys_key *key)
{
    char path[KEYS_PATH_MAX], range[KEYS_RANGE_MAX];
    keys_range(key, range);
    output_padded(stdout, shown_path(key, path), 28);
    fputs(keys_type_name(key->type), stdout);
    if (key->default_text != NULL)
        printf(", default %s", key->default_text);
    printf(" (%s)", keys_source_name[key->source]);
    printf("; %s\n    %s\n", range, key->help);
}

static const char *const field_name[] = {"key", "type", "unit", "default", "range", "source", "help"};
#define FIELDS (sizeof field_name / sizeof field_name[0])

static void print_fields(const struct keys_key *key, enum format format)
{
    char path[KEYS_PATH_MAX], range[KEYS_RANGE_MAX];
    keys_range(key, range);
    const char *field[] = {shown_path(key, path),
                           keys_type_name(key->type),
                           key->unit,
                           shown_default(key),
                           range,
                           keys_source_name[key->source],
                           key->help};
    for (size_t i = 0; i < FIELDS; i++) {
        if (format == FORMAT_JSON)
            printf("%s\"%s\": ", i == 0 ? "{" : ", ", field_name[i]);
        else if (i > 0)
            putchar(',');
        (format == FORMAT_JSON ? output_json : output_csv)(stdout, field[i]);
    }
    puts(format == FORMAT_JSON ? "}" : "");
}

static void print_markdown(const struct keys_key *key)
{
    char path[KEYS_PATH_MAX], range[KEYS_RANGE_MAX];
    const char *quote = key->default_text != NULL ? "`" : "";
    keys_range(key, range);
    printf("| `%s` | %s | %s%s%s | %s | %s | %s |\n", shown_path(key, path), keys_type_name(key->type), quote,
           shown_default(key), quote, keys_source_name[key->source], range, key->help);
}

static void print_head(enum format format)
{
    for (size_t i = 0; format == FORMAT_CSV && i < FIELDS; i++)
        printf("%s%s", field_name[i], i + 1 < FIELDS ? "," : "\n");
    if (format == FORMAT_MARKDOWN)
        puts("| key | value | default | from | allowed | meaning |\n|---|---|---|---|---|---|");
}

static void print_key(const struct keys_key *key, enum format format)
{
    if (format == FORMAT_TABLE)
        print_row(key);
    else if (format != FORMAT_MARKDOWN)
        print_fields(key, format);
    else
        print_markdown(key);
}

static void print_metric(struct summary_writer *writer, const char *name, const char *kind, const char *meaning)
{
    const struct summary_cell cell[] = {summary_text(name), summary_text(kind), summary_text(meaning)};
    summary_row(writer, cell);
}

/* Metrics, then the buckets of the time account. */
static void print_metrics(enum format format)
{
    static const enum summary_format written[FORMAT_COUNT] = {SUMMARY_TABLE, SUMMARY_CSV, SUMMARY_JSON,
                                                              SUMMARY_MARKDOWN};
    static const char *const kind[] = {
        [RUN_METRIC_FRACTION] = "0 to 1", [RUN_METRIC_COUNT_KIND] = "count", [RUN_METRIC_REAL] = "number"};
    static const char *const bucket_meaning[] = {
#define BUCKET(name, meaning) meaning,
#include "models/bucket.def"
#undef BUCKET
    };
    const struct summary_column column[] = {{"metric", true}, {"value", true}, {"meaning", true}};
    struct summary_writer *writer = summary_open(stdout, written[format], column, 3);
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        print_metric(writer, run_metric_info[i].name, kind[run_metric_info[i].kind], run_metric_info[i].meaning);
    for (int i = 0; i < RUN_BUCKET_COUNT; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s_chip_s", run_bucket_name[i]);
        print_metric(writer, name, "chip-seconds", bucket_meaning[i]);
    }
    summary_close(writer);
}

static int fail_nothing_found(const char *pattern)
{
    char nearest[KEYS_PATH_MAX], quoted[VALUE_QUOTE_MAX];
    value_quote(pattern, quoted);
    if (keys_nearest(pattern, nearest))
        fprintf(stderr, "faultline: %s: no key is called so; did you mean %s?\n", quoted, nearest);
    else
        fprintf(stderr, "faultline: %s: no key is called so; `faultline keys` lists them\n", quoted);
    return COMMAND_BAD_INPUT;
}

int cmd_keys(int argc, char **argv)
{
    struct arguments arguments = {0};
    size_t found = 0;
    options_parse(&parser, argc, argv, &arguments);
    if (arguments.wants_metrics) {
        print_metrics(arguments.format);
        return COMMAND_DONE;
    }
    for (size_t i = 0; i < keys_count; i++) {
        if (!is_asked_for(&keys_table[i], arguments.pattern))
            continue;
        if (found++ == 0)
            print_head(arguments.format);
        print_key(&keys_table[i], arguments.format);
    }
    return found > 0 ? COMMAND_DONE : fail_nothing_found(arguments.pattern);
}
