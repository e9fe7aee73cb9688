/* cmd_report.c -- `faultline report FILE.db`: the database as one HTML page. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/faultline/alloc.h"
#include "tools/faultline/command.h"
#include "tools/faultline/draft.h"
#include "tools/faultline/options.h"
#include "tools/faultline/report.h"
#include "tools/faultline/store.h"

struct arguments {
    const char *database;
    const char *output; /* "-": standard output */
};

static const struct argp_option option_list[] = {
    {"output", 'o', "FILE.html", 0, "Write the page to a file; without it, or as -, to standard output", 0}, {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case 'o':
        arguments->output = argument;
        return 0;
    case ARGP_KEY_ARG:
        options_one(state, "database", argument, &arguments->database);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "FILE.db is missing");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = option_list,
    .parser = parse_option,
    .args_doc = "FILE.db",
    .doc = "Write a page about everything in a database: the question, the answer in words with intervals, figures, "
           "tables, published beside simulated, every effective key with its source, and the commands that repeat it. "
           "It is one file without scripts that fetches nothing.\vWith several scenarios, as from a sweep, they are "
           "compared over "
           "the keys that differ. The question is the comment at the head of the scenario file. Exit status 4: there "
           "are no finished runs.",
};

/* ------------------------------------------------------------------ the page into its file */

/* A page must not take the place of its database. */
static int check_output(const struct arguments *arguments)
{
    struct stat page, database;
    if (stat(arguments->output, &page) != 0 || stat(arguments->database, &database) != 0 ||
        page.st_dev != database.st_dev || page.st_ino != database.st_ino)
        return COMMAND_DONE;
    fprintf(stderr, "faultline: %s: is the database itself; name another file for the page\n", arguments->output);
    return COMMAND_BAD_INPUT;
}

static int put(const char *path, const char *page, size_t size)
{
    struct draft draft;
    struct sim_error error;
    if (draft_open(path, "page", &draft, &error) == 0) {
        errno = 0;
        int failure = fwrite(page, 1, size, draft.to) == size ? 0 : errno;
        if (draft_finish(&draft, failure, &error) == 0)
            return COMMAND_DONE;
    }
    fprintf(stderr, "faultline: %s\n", error.text);
    return COMMAND_NOT_STORED;
}

/* ------------------------------------------------------------------ the command */

static int complain(const struct sim_error *error)
{
    fprintf(stderr, "faultline: %s\n", error->text);
    return COMMAND_BAD_INPUT;
}

static bool has_results(const struct report *report)
{
    for (size_t i = 0; i < report->scenarios; i++)
        if (report_counted(&report->scenario[i]) > 0)
            return true;
    return false;
}

static int write_page(const struct arguments *arguments, const struct report *report)
{
    struct sim_error error;
    struct alloc_draft page;
    alloc_draft_start(&page);
    int failure = report_write(page.to, report, &error);
    char *text = alloc_draft_finish(&page);
    int status = COMMAND_DONE;
    if (failure != 0)
        status = complain(&error);
    else if (strcmp(arguments->output, "-") == 0)
        (void)fwrite(text, 1, page.size, stdout);
    else
        status = put(arguments->output, text, page.size);
    free(text);
    return status;
}

static int report(const struct arguments *arguments)
{
    struct store *store;
    struct report report;
    struct sim_error error;
    if (store_open_reading(arguments->database, &store, &error) != 0)
        return complain(&error);
    int status = COMMAND_BAD_INPUT;
    if (report_read(store, arguments->database, &report, &error) != 0) {
        (void)complain(&error);
    } else if (!has_results(&report)) {
        fprintf(stderr, "faultline: %s: holds no finished runs; `faultline run SCENARIO -o %s` adds some\n",
                arguments->database, arguments->database);
        status = COMMAND_NO_ANSWER;
        report_fini(&report);
    } else {
        if (report.older > 0)
            fprintf(stderr,
                    "faultline: note: left out: %" PRId64 " of the scenarios, of which others say the same and have "
                    "newer runs (another version of the models, or of a log)\n",
                    report.older);
        status = write_page(arguments, &report);
        report_fini(&report);
    }
    store_close(store);
    return status;
}

int cmd_report(int argc, char **argv)
{
    struct arguments arguments = {.output = "-"};
    options_parse(&argp, argc, argv, &arguments);
    int status = strcmp(arguments.output, "-") == 0 ? COMMAND_DONE : check_output(&arguments);
    return status == COMMAND_DONE ? report(&arguments) : status;
}
