/* cmd_fit.c -- `faultline fit`: laws for the failures and outages of a log. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/command.h"
#include "tools/faultline/csv.h"
#include "tools/faultline/dates.h"
#include "tools/faultline/faillog.h"
#include "tools/faultline/fit_report.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/names.h"
#include "tools/faultline/options.h"
#include "tools/faultline/value.h"

#define ROWS_MAX 200000 /* half a minute */

enum of { OF_GAPS, OF_SERVICES, OF_COUNT };
static const char *const of_name[OF_COUNT] = {"system", "machine"};
static const char *const law_all = "all";

struct arguments {
    const char *path;
    const char *law;
    struct faillog_format format;
    char where[1024];
    char cause[CONFIG_TEXT_MAX], causes[CONFIG_TEXT_MAX]; /* as names */
    enum of of;
    enum summary_format output;
    const char *quantiles; /* file, or NULL */
    int64_t machines;      /* 0: those that the log names */
    bool is_quiet;
};

/* ------------------------------------------------------------------ arguments */

enum {
    KEY_START = 0x100,
    KEY_END,
    KEY_DOWN,
    KEY_MACHINE,
    KEY_DATES,
    KEY_UNIT,
    KEY_WHERE,
    KEY_CAUSE,
    KEY_CAUSES,
    KEY_MACHINES,
    KEY_GAPS,
    KEY_QUANTILES
};

static const struct argp_option option_list[] = {
    {"law", 'l', "LAW", 0, "exponential, weibull, lognormal, gamma, exp_weibull or all (default)", 1},
    {"gaps", KEY_GAPS, "OF", 0,
     "Failures are those of the system (default: gaps between starts), or of each machine: time in service from an "
     "outage to its next, with that up to the end of the log as censored",
     1},
    {"start", KEY_START, "COLUMN", 0, "Heading of the column with the start of an outage", 2},
    {"end", KEY_END, "COLUMN", 0, "With its end", 2},
    {"down", KEY_DOWN, "COLUMN", 0, "Or with its length", 2},
    {"machine", KEY_MACHINE, "COLUMN", 0, "With what failed", 2},
    {"dates", KEY_DATES, "FORMAT", 0, "How times are written, such as '%m/%d/%Y %H:%M'; none: as numbers", 2},
    {"unit", KEY_UNIT, "UNIT", 0, "Of numbers: s, min (default), h, d", 2},
    {"where", KEY_WHERE, "COLUMN=VALUE", 0, "Only rows with this value; may be repeated", 2},
    {"cause", KEY_CAUSE, "COLUMN[,COLUMN...]", 0,
     "With the cause, which the table then counts; of several columns the first that is filled names it by its heading",
     2},
    {"causes", KEY_CAUSES, "CAUSE[,CAUSE...]", 0, "Only rows with one of these causes, in upper or lower case", 2},
    {"machines", KEY_MACHINES, "N", 0, "Machines of the system (default: those that the log names)", 2},
    {"quantiles", KEY_QUANTILES, "FILE.csv", 0, "Write quantiles, observed and fitted, for plots/quantiles.gp", 3},
    {"format", 'f', "FORMAT", 0, "Print table (default), csv or json", 3},
    {"quiet", 'q', NULL, 0, "No notes on stderr", 3},
    {0}};

/* COLUMN=VALUE becomes "COLUMN": "VALUE" of the conditions. */
static void add_where(struct arguments *arguments, const struct argp_state *state, const char *text)
{
    size_t used = strlen(arguments->where);
    const char *equals = strchr(text, '=');
    if (equals == NULL || strpbrk(text, "\"\\") != NULL)
        argp_error(state, "--where: '%s' is not COLUMN=VALUE", text);
    if (used > 0)
        used--; /* the bracket */
    int room = (int)(sizeof arguments->where - used);
    int length = snprintf(arguments->where + used, (size_t)room, "%s\"%.*s\": \"%s\"}", used == 0 ? "{" : ", ",
                          (int)(equals - text), text, equals + 1);
    if (length >= room)
        argp_error(state, "--where: too long");
    arguments->format.where = arguments->where;
}

/* A,B becomes the list [A,B] of names; so does a single one when `is_list`. */
static const char *names_of(const struct argp_state *state, const char *option, const char *text, bool is_list,
                            char ret[static CONFIG_TEXT_MAX])
{
    struct names names;
    struct sim_error error;
    is_list = text[0] != '[' && (is_list || strchr(text, ',') != NULL);
    int length = snprintf(ret, CONFIG_TEXT_MAX, is_list ? "[%s]" : "%s", text);
    if (text[0] == '\0' || length >= CONFIG_TEXT_MAX)
        argp_error(state, "%s: 1 to %d bytes are expected", option, CONFIG_TEXT_MAX - 3);
    if (names_read(ret, &names, &error) != 0)
        argp_error(state, "%s: %s", option, error.text);
    return ret;
}

static void set_unit(struct arguments *arguments, const struct argp_state *state, const char *text)
{
    static const sim_time seconds[CONFIG_UNIT_COUNT] = {1, 60, 3600, 86400};
    arguments->format.unit_ns =
        seconds[options_choice(state, "--unit", text, config_unit_name, CONFIG_UNIT_COUNT)] * SIM_SECOND;
}

static void check_law(const struct arguments *arguments, const struct argp_state *state)
{
    bool is_known = strcmp(arguments->law, law_all) == 0;
    for (size_t i = 0; i < fit_kind_count; i++)
        is_known = is_known || strcmp(sim_law_type(fit_kinds[i])->name, arguments->law) == 0;
    if (!is_known)
        argp_error(state, "--law: '%s' is not one of exponential, weibull, lognormal, gamma, exp_weibull, all",
                   arguments->law);
}

static void set_path(struct arguments *arguments, const struct argp_state *state, const char *path)
{
    if (arguments->path != NULL)
        argp_error(state, "one log at a time; '%s' is one too many", path);
    arguments->path = path;
}

/* The place of an option that is a text; NULL for others. */
static const char **text_of(struct arguments *arguments, int key)
{
    switch (key) {
    case 'l':
        return &arguments->law;
    case KEY_START:
        return &arguments->format.start;
    case KEY_END:
        return &arguments->format.end;
    case KEY_DOWN:
        return &arguments->format.down;
    case KEY_MACHINE:
        return &arguments->format.machine;
    case KEY_DATES:
        return &arguments->format.dates;
    case KEY_QUANTILES:
        return &arguments->quantiles;
    default:
        return NULL;
    }
}

static error_t parse_other(int key, char *argument, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case KEY_GAPS:
        arguments->of = (enum of)options_choice(state, "--of", argument, of_name, OF_COUNT);
        return 0;
    case KEY_UNIT:
        set_unit(arguments, state, argument);
        return 0;
    case KEY_WHERE:
        add_where(arguments, state, argument);
        return 0;
    case KEY_CAUSE:
        arguments->format.cause = names_of(state, "--cause", argument, false, arguments->cause);
        return 0;
    case KEY_CAUSES:
        arguments->format.causes = names_of(state, "--causes", argument, true, arguments->causes);
        return 0;
    case KEY_MACHINES:
        if (!options_integer(argument, 1, CONFIG_CHIPS_MAX, &arguments->machines))
            argp_error(state, "--machines: '%s' is not a whole number from 1 to %d", argument, CONFIG_CHIPS_MAX);
        return 0;
    case 'f':
        arguments->output =
            (enum summary_format)options_choice(state, "--format", argument, summary_format_name, SUMMARY_MARKDOWN);
        return 0;
    case 'q':
        arguments->is_quiet = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    const char **text = text_of(arguments, key);
    if (text != NULL) {
        *text = argument;
        return 0;
    }
    if (key == ARGP_KEY_ARG) {
        set_path(arguments, state, argument);
        return 0;
    }
    if (key != ARGP_KEY_END)
        return parse_other(key, argument, state);
    if (arguments->path == NULL)
        argp_error(state, "a log is needed; - is standard input");
    if (arguments->format.causes != NULL && arguments->format.cause == NULL)
        argp_error(state, "--causes needs --cause COLUMN: where the cause stands");
    check_law(arguments, state);
    return 0;
}

static const struct argp parser = {
    .options = option_list,
    .parser = parse_option,
    .args_doc = "LOG.csv",
    .doc =
        "Fit laws to the failures and outages of a log (CSV, plain or .xz) by maximum likelihood, and print the best "
        "as a block for a scenario. Columns and dates that are not named are guessed, and said.\vDelays of 0 count "
        "as half the resolution of the clock. Exit status: 0 done, 2 bad input, 4 no law has a maximum, 64 wrong "
        "usage."};

/* ------------------------------------------------------------------ guesses */

static const char *const start_names[] = {"start", "started", "Prob Started", "begin", "failed", "time", NULL};
static const char *const end_names[] = {"end", "ended", "Prob Fixed", "fixed", "repaired", NULL};
static const char *const machine_names[] = {"machine", "node", "nodenum", "host", NULL};
static const char *const date_formats[] = {"%m/%d/%Y %H:%M", "%F %T", "%F %H:%M", "%FT%TZ", "%FT%T", "%F", NULL};

static const char *guess_column(const struct csv *csv, const char *const names[])
{
    struct sim_error ignored;
    size_t index;
    for (; *names != NULL; names++)
        if (csv_column(csv, *names, &index, &ignored) == 0)
            return *names;
    return NULL;
}

static void say(const struct arguments *arguments, const char *what, const char *guess)
{
    if (guess != NULL && !arguments->is_quiet)
        fprintf(stderr, "faultline: note: --%s '%s' is a guess\n", what, guess);
}

/* By the first row: the format that fits its start. */
static void guess_dates(struct arguments *arguments, struct csv *csv)
{
    const struct csv_field *field = NULL;
    struct sim_error ignored;
    size_t column;
    bool more = false;
    sim_time time;
    if (csv_column(csv, arguments->format.start, &column, &ignored) != 0 ||
        csv_next(csv, &field, &more, &ignored) != 0 || !more)
        return;
    for (const char *const *format = date_formats; *format != NULL && arguments->format.dates == NULL; format++)
        if (dates_read(*format, field[column].text, &time, &ignored) == 0)
            arguments->format.dates = *format;
    say(arguments, "dates", arguments->format.dates);
}

static void guess_columns(struct arguments *arguments, const struct csv *csv)
{
    struct faillog_format *format = &arguments->format;
    if (format->start == NULL) {
        format->start = guess_column(csv, start_names);
        say(arguments, "start", format->start);
    }
    if (format->end == NULL && format->down == NULL) {
        format->end = guess_column(csv, end_names);
        say(arguments, "end", format->end);
    }
    if (format->machine == NULL) {
        format->machine = guess_column(csv, machine_names);
        say(arguments, "machine", format->machine);
    }
}

/* Standard input can be read only once: there nothing is guessed. */
static int guess(struct arguments *arguments, struct sim_error *error)
{
    struct csv *csv = NULL;
    if (strcmp(arguments->path, "-") != 0) {
        if (csv_open(arguments->path, &csv, error) != 0)
            return -1;
        guess_columns(arguments, csv);
        if (arguments->format.start != NULL && arguments->format.dates == NULL)
            guess_dates(arguments, csv);
        csv_close(csv);
    }
    if (arguments->format.start == NULL)
        return sim_error_set(error, "%s: which column has the start of an outage? Say --start COLUMN", arguments->path);
    return 0;
}

/* ------------------------------------------------------------------ fitting */

static int by_aic(const void *a, const void *b)
{
    const struct fit *x = a, *y = b;
    return (x->aic > y->aic) - (x->aic < y->aic);
}

static void fit_part(const struct arguments *arguments, struct fit_part *part)
{
    for (size_t i = 0; i < fit_kind_count && part->sample.count > part->sample.censored; i++) {
        bool is_wanted =
            strcmp(arguments->law, law_all) == 0 || strcmp(arguments->law, sim_law_type(fit_kinds[i])->name) == 0;
        struct fit fit = {.is_found = false};
        if (is_wanted)
            fit = fit_law(&part->sample, fit_kinds[i]);
        if (fit.is_found)
            part->fit[part->fits++] = fit;
    }
    qsort(part->fit, part->fits, sizeof part->fit[0], by_aic);
}

/* ------------------------------------------------------------------ the block */

/* Mean time between interruptions of one machine: the time that all of them were observed, by failures. */
static double machine_mtbi_s(const struct config_log *log, int64_t machines)
{
    double length_s = sim_time_seconds(log->row[log->rows - 1].start_ns);
    return length_s * (double)machines / (double)(log->rows - 1);
}

/* To five digits: no estimate has more. */
static void print_law(const char *key, const struct fit *fit)
{
    char text[VALUE_TEXT_MAX];
    struct sim_law law = fit->law;
    for (size_t i = 0; i < sim_law_type(law.kind)->parameters; i++) {
        (void)snprintf(text, sizeof text, "%.4e", law.parameter[i]);
        law.parameter[i] = strtod(text, NULL);
    }
    value_write_law(&law, text);
    printf("    %s: \"%s\"\n", key, text);
}

/* The block to paste; a chip stands for a machine. */
static void print_block(const struct arguments *arguments, const struct config_log *log, const struct fit_part parts[],
                        size_t count)
{
    char mtbi[VALUE_TEXT_MAX];
    int64_t machines = arguments->machines > 0 ? arguments->machines : log->machines > 0 ? log->machines : 1;
    printf("# One chip stands for one machine: fleet: {chips: %lld, chips_per_slice: 1}\nfailures:\n  fitted:\n"
           "    kind: chip\n",
           (long long)machines);
    if (arguments->of == OF_SERVICES && parts[0].fits > 0 && keys_find("failures.fitted.life", NULL) == KEYS_KEY) {
        print_law("life", &parts[0].fit[0]);
    } else {
        value_about_seconds(machine_mtbi_s(log, machines), mtbi);
        printf("    mtbi: %s\n", mtbi);
    }
    if (count > 1 && parts[1].fits > 0)
        print_law("return_after", &parts[1].fit[0]);
    else
        puts("    return_after: \"constant(0s)\" # the log says nothing about it");
}

/* ------------------------------------------------------------------ all of it */

static int report(const struct arguments *arguments, const struct config_log *log, const struct fit_part parts[],
                  size_t count)
{
    if (arguments->output == SUMMARY_TABLE) {
        if (log->causes > 0)
            fit_report_causes(log);
        for (size_t i = 0; i < count; i++)
            fit_report_part(&parts[i]);
        print_block(arguments, log, parts, count);
    } else {
        fit_report_rows(arguments->output, parts, count);
    }
    return arguments->quantiles != NULL ? fit_report_quantiles(arguments->quantiles, parts, count) : COMMAND_DONE;
}

static int fit_log(const struct arguments *arguments, const struct config_log *log)
{
    struct fit_part part[2] = {{.name = arguments->of == OF_SERVICES ? "service" : "gap"}, {.name = "outage"}};
    bool has_outages = arguments->format.end != NULL || arguments->format.down != NULL;
    if (arguments->of == OF_SERVICES)
        fit_services(log, &part[0].sample);
    else
        fit_gaps(log, &part[0].sample);
    fit_outages(log, &part[1].sample);
    size_t parts = has_outages ? 2 : 1;
    for (size_t i = 0; i < parts; i++)
        fit_part(arguments, &part[i]);
    int status = COMMAND_NO_ANSWER;
    if (part[0].fits > 0)
        status = report(arguments, log, part, parts);
    else
        fprintf(stderr, "faultline: %s: no law has a maximum: there are %zu %ss that ended\n", arguments->path,
                part[0].sample.count - part[0].sample.censored, part[0].name);
    fit_sample_fini(&part[0].sample);
    fit_sample_fini(&part[1].sample);
    return status;
}

/* What the arguments cannot know of the log. */
static int check_log(const struct arguments *arguments, const struct config_log *log, struct sim_error *error)
{
    if (arguments->of == OF_SERVICES && log->machines == 0)
        return sim_error_set(error, "%s: --gaps machine needs the column of the machine: --machine COLUMN",
                             arguments->path);
    if (log->rows > ROWS_MAX)
        return sim_error_set(error,
                             "%s: %" PRId64 " failures take too long to fit; choose at most %d of them (--where)",
                             arguments->path, log->rows, ROWS_MAX);
    return 0;
}

int cmd_fit(int argc, char **argv)
{
    struct arguments arguments = {.law = law_all, .format = {.unit_ns = 60 * SIM_SECOND}};
    struct config_log *log = NULL;
    struct sim_error error;
    options_parse(&parser, argc, argv, &arguments);
    int status = guess(&arguments, &error);
    if (status == 0)
        status = faillog_read(arguments.path, &arguments.format, &log, &error);
    if (status == 0)
        status = check_log(&arguments, log, &error);
    if (status == 0)
        status = fit_log(&arguments, log);
    else
        fprintf(stderr, "faultline: %s\n", error.text);
    faillog_free(log);
    return status < 0 ? COMMAND_BAD_INPUT : status;
}
