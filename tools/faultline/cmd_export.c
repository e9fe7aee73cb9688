/* cmd_export.c -- `faultline export FILE.db --table NAME`: a table or view of a results database, whole. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/faultline/command.h"
#include "tools/faultline/options.h"
#include "tools/faultline/store.h"

struct export
{
    const char *path;
    const char *table;
    enum summary_format format;
    struct summary_writer *writer;
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct export *export = state->input;
    switch (key) {
    case 't':
        export->table = value;
        return 0;
    case 'f':
        export->format =
            (enum summary_format)options_choice(state, "--format", value, summary_format_name, SUMMARY_FORMAT_COUNT);
        return 0;
    case ARGP_KEY_ARG:
        options_one(state, "database", value, &export->path);
        return 0;
    case ARGP_KEY_END:
        if (export->path == NULL)
            argp_error(state, "FILE.db is missing");
        if (export->table == NULL)
            argp_error(state, "which table? Say --table NAME, such as --table run");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void on_columns(void *context, const struct summary_column columns[], size_t count)
{
    struct export *export = context;
    export->writer = summary_open(stdout, export->format, columns, count);
}

static void on_row(void *context, const struct summary_cell cells[])
{
    struct export *export = context;
    summary_row(export->writer, cells);
}

static int export_table(struct export *export)
{
    struct store *store = NULL;
    struct sim_error error;
    const struct store_reader reader = {export, on_columns, on_row};
    int failure = store_open_reading(export->path, &store, &error);
    if (failure == 0)
        failure = store_each_row(store, export->table, &reader, &error);
    if (export->writer != NULL)
        summary_close(export->writer);
    store_close(store);
    if (failure != 0)
        fprintf(stderr, "faultline: %s\n", error.text);
    return failure == 0 ? COMMAND_DONE : COMMAND_BAD_INPUT;
}

int cmd_export(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"table", 't', "NAME", 0, "Name of the table or view; a wrong one lists them all", 0},
        {"format", 'f', "FORMAT", 0, "csv (the default), json (an object a line), table or markdown", 0},
        {0}};
    static const struct argp argp = {
        options,
        parse,
        "FILE.db",
        "Print a table or view of a results database, whole. The view ml_goodput has the time of each run under the "
        "names of Google's ml-goodput-measurement, to be compared with a measured job.\v"
        "Exit status: 0 done, 2 bad input, 3 the output could not be written.",
        NULL,
        NULL,
        NULL};
    struct export export = {.format = SUMMARY_CSV};
    options_parse(&argp, argc, argv, &export);
    return export_table(&export);
}
