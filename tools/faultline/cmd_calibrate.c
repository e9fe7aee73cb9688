/* cmd_calibrate.c -- `faultline calibrate`: fits keys of scenarios to published numbers and shows what is left over. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/calibrate.h"
#include "tools/faultline/command.h"
#include "tools/faultline/options.h"
#include "tools/faultline/summary.h"

#define FILES_MAX 16
#define DIGITS 3

enum { KEY_AGAINST = 0x200, KEY_FREE, KEY_STARTS, KEY_EVALUATIONS, KEY_KEEP };

struct calibrate_arguments {
    struct options options;
    const char *scenario[FILES_MAX], *against[FILES_MAX], *free[FILES_MAX];
    size_t scenarios, againsts, frees;
    int64_t starts, evaluations, keep;
};

static void append(const char *list[], size_t *count, const char *value, const struct argp_state *state)
{
    if (*count == FILES_MAX)
        argp_error(state, "more than %d of one kind", FILES_MAX);
    list[(*count)++] = value;
}

static int64_t whole(const struct argp_state *state, const char *option, const char *text, int64_t highest)
{
    int64_t value = 1;
    if (!options_integer(text, 1, highest, &value))
        argp_error(state, "%s: '%s' is not a whole number from 1 to %" PRId64, option, text, highest);
    return value;
}

static error_t parse_number(int key, const char *value, struct argp_state *state)
{
    struct calibrate_arguments *arguments = state->input;
    switch (key) {
    case KEY_STARTS:
        arguments->starts = whole(state, "--starts", value, 1000);
        return 0;
    case KEY_EVALUATIONS:
        arguments->evaluations = whole(state, "--evaluations", value, 1000000);
        return 0;
    case KEY_KEEP:
        arguments->keep = whole(state, "--keep", value, 1000000);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct calibrate_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->options;
        return 0;
    case KEY_AGAINST:
        append(arguments->against, &arguments->againsts, value, state);
        return 0;
    case KEY_FREE:
        append(arguments->free, &arguments->frees, value, state);
        return 0;
    case ARGP_KEY_ARG:
        append(arguments->scenario, &arguments->scenarios, value, state);
        return 0;
    case ARGP_KEY_END:
        if (arguments->scenarios == 0 || arguments->againsts == 0 || arguments->frees == 0)
            argp_error(state, "a scenario, --against and --free are needed");
        if (arguments->scenarios > arguments->againsts)
            argp_error(state, "each scenario needs an --against of its own");
        if (arguments->options.output)
            argp_error(state, "-o: a fit stores nothing; its result is what it prints");
        return 0;
    default:
        return parse_number(key, value, state);
    }
}

static const struct argp_option option_list[] = {
    {"against", KEY_AGAINST, "CSV", 0,
     "Published numbers: method,learners,chips,metric,percent; may be repeated. The first belongs to the first "
     "scenario, and so "
     "on; when there are more, the last scenario serves the rest",
     3},
    {"free", KEY_FREE, "KEY[=LOW..HIGH],...", 0,
     "Keys to fit: durations, shares, the means of laws, and choices, which are tried in every combination", 3},
    {"starts", KEY_STARTS, "N", 0, "Starting points of the search per combination of choices (default 1)", 3},
    {"evaluations", KEY_EVALUATIONS, "N", 0, "At most so many steps of the search per starting point (default 300)", 3},
    {"keep", KEY_KEEP, "N", 0,
     "Screen all combinations with one replica, then fit the best N with -n replicas (default 3)", 3},
    {0}};

static const struct argp_child children[] = {{&options_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "SCENARIO...",
    .doc = "Fit keys of a scenario to published numbers: the smallest root mean square difference, in percentage "
           "points, under the same chaos for every parameter set tried.",
    .children = children,
};

/* --- setting up --- */

/* A number for every row of against[first..last-1] on one scenario. */
static int add_targets_of(struct calibrate *fit, const struct calibrate_arguments *arguments, size_t scenario,
                          size_t first, size_t last, struct sim_error *error)
{
    const struct options *options = &arguments->options;
    struct scenario_text *text;
    int status = 0;
    if (scenario_open(arguments->scenario[scenario], &text, error) != 0)
        return -1;
    for (size_t i = first; i < last && status == 0; i++)
        status = calibrate_add_targets(fit, arguments->against[i], text, options->setting, options->settings, error);
    scenario_close(text);
    return status;
}

static int add_free_keys(struct calibrate *fit, const char *list, struct sim_error *error)
{
    char *copy = alloc_text(list), *rest = copy, *spec;
    int status = 0;
    while (status == 0 && (spec = strsep(&rest, ",")) != NULL)
        status = calibrate_add_key(fit, spec, error);
    free(copy);
    return status;
}

static int add_targets(struct calibrate *fit, const struct calibrate_arguments *arguments, struct sim_error *error)
{
    for (size_t i = 0; i < arguments->scenarios; i++) {
        size_t end = i + 1 < arguments->scenarios ? i + 1 : arguments->againsts;
        if (add_targets_of(fit, arguments, i, i, end, error) != 0)
            return -1;
    }
    return fit->targets > 0 ? 0 : sim_error_set(error, "%s: holds no published numbers", arguments->against[0]);
}

static int set_up(struct calibrate *fit, const struct calibrate_arguments *arguments, struct sim_error *error)
{
    if (add_targets(fit, arguments, error) != 0)
        return -1;
    for (size_t i = 0; i < arguments->frees; i++)
        if (add_free_keys(fit, arguments->free[i], error) != 0)
            return -1;
    const struct scenario *first = &fit->cell[0].base;
    fit->seed = arguments->options.has_seed ? arguments->options.seed : first->has_seed ? first->seed : 1;
    fit->threads = arguments->options.jobs;
    fit->timeout_s = arguments->options.timeout_s;
    fit->starts = (size_t)arguments->starts;
    fit->evaluations = (size_t)arguments->evaluations;
    return 0;
}

/* --- searching --- */

static int by_rms(const void *a, const void *b)
{
    const struct calibrate_point *x = a, *y = b;
    return (x->score.rms > y->score.rms) - (x->score.rms < y->score.rms);
}

static void note(const struct calibrate *fit, const struct calibrate_point *point, const char *stage, size_t i,
                 size_t of)
{
    char text[VALUE_TEXT_MAX];
    (void)fprintf(stderr, "faultline: %s %zu of %zu: RMS %.3f, worst %+.2f;", stage, i + 1, of, point->score.rms,
                  point->score.worst);
    for (size_t k = 0; k < fit->keys; k++) {
        calibrate_write(fit, k, point, text);
        (void)fprintf(stderr, " %s=%s", fit->key[k].path, text);
    }
    (void)fputc('\n', stderr);
}

/* Improves points[0..count-1] with so many replicas and sorts them, the best first. */
static bool improve_all(struct calibrate *fit, struct calibrate_point *points, size_t count, size_t replicas,
                        const char *stage, bool is_quiet)
{
    fit->replicas = replicas;
    for (size_t i = 0; i < count; i++) {
        if (!calibrate_improve(fit, &points[i]))
            return false;
        if (!is_quiet)
            note(fit, &points[i], stage, i, count);
    }
    qsort(points, count, sizeof *points, by_rms);
    return true;
}

static bool search(struct calibrate *fit, const struct calibrate_arguments *arguments, struct calibrate_point *points,
                   size_t count)
{
    const struct options *options = &arguments->options;
    size_t keep = (size_t)arguments->keep < count ? (size_t)arguments->keep : count;
    for (size_t i = 0; i < count; i++)
        calibrate_combination(fit, i, &points[i]);
    if (count > keep && !improve_all(fit, points, count, 1, "screened", options->is_quiet))
        return false;
    fit->starts = count > keep ? 1 : fit->starts; /* what was screened starts where the screening ended */
    return improve_all(fit, points, keep, (size_t)options->replicas, "fitted", options->is_quiet);
}

/* --- telling --- */

/* For people three decimals, for programs all of them. */
static struct summary_cell points_cell(double value, enum summary_format format, char *buffer, size_t size)
{
    if (format != SUMMARY_TABLE)
        return summary_real(value);
    (void)snprintf(buffer, size, "%.3f", value);
    return summary_text(buffer);
}

#define SCORES 4 /* columns behind the keys */

static void print_point(const struct calibrate *fit, const struct calibrate_point *point, struct summary_writer *writer,
                        enum summary_format format)
{
    struct summary_cell cell[CALIBRATE_KEYS_MAX + SCORES];
    char text[CALIBRATE_KEYS_MAX + 2][VALUE_TEXT_MAX];
    size_t k = fit->keys;
    for (size_t i = 0; i < k; i++) {
        calibrate_write(fit, i, point, text[i]);
        cell[i] = summary_text(text[i]);
    }
    cell[k] = points_cell(point->score.rms, format, text[CALIBRATE_KEYS_MAX], VALUE_TEXT_MAX);
    cell[k + 1] = points_cell(point->score.worst, format, text[CALIBRATE_KEYS_MAX + 1], VALUE_TEXT_MAX);
    cell[k + 2] = summary_integer((int64_t)point->score.within);
    cell[k + 3] = summary_integer((int64_t)fit->targets);
    summary_row(writer, cell);
}

static void print_points(const struct calibrate *fit, const struct calibrate_point *points, size_t count,
                         enum summary_format format)
{
    static const char *const score_name[SCORES] = {"rms_points", "worst_points", "within_1_5", "numbers"};
    struct summary_column column[CALIBRATE_KEYS_MAX + SCORES];
    for (size_t i = 0; i < fit->keys; i++)
        column[i] = (struct summary_column){.name = fit->key[i].path, .is_text = true};
    for (size_t i = 0; i < SCORES; i++)
        column[fit->keys + i] = (struct summary_column){.name = score_name[i]};
    struct summary_writer *writer = summary_open(stdout, format, column, fit->keys + SCORES);
    for (size_t i = 0; i < count; i++)
        print_point(fit, &points[i], writer, format);
    summary_close(writer);
}

/* The best point with numbers short enough to be written into a scenario, scored again. */
static bool print_rounded(struct calibrate *fit, struct calibrate_point *best)
{
    char text[VALUE_TEXT_MAX];
    calibrate_round(fit, best, DIGITS);
    if (!calibrate_score(fit, best))
        return false;
    const struct calibrate_target *worst = &fit->target[best->score.worst_target];
    const struct config *config = &fit->cell[worst->cell].base.config;
    printf("\nThe best, rounded to %d digits:\n", DIGITS);
    for (size_t i = 0; i < fit->keys; i++) {
        calibrate_write(fit, i, best, text);
        printf("  -s '%s=%s'\n", fit->key[i].path, text);
    }
    printf("RMS %.3f points; worst %+.2f (%s of %s with %" PRId64 " learner%s and %" PRId64
           " chips); %zu of %zu within 1.5\n",
           best->score.rms, best->score.worst, run_metric_info[worst->metric].name, config_method_name[config->method],
           config->learners, config->learners == 1 ? "" : "s", config->chips, best->score.within, fit->targets);
    return true;
}

static int fail(const char *text, int status)
{
    (void)fprintf(stderr, "faultline: %s\n", text);
    return status;
}

static int fit_and_tell(struct calibrate *fit, const struct calibrate_arguments *arguments)
{
    size_t combinations = calibrate_combinations(fit);
    size_t keep = (size_t)arguments->keep < combinations ? (size_t)arguments->keep : combinations;
    struct calibrate_point *points = sim_allocate(combinations, sizeof *points);
    enum summary_format format = arguments->options.format;
    int status = COMMAND_DONE;
    bool done = search(fit, arguments, points, combinations);
    if (done)
        print_points(fit, points, keep, format);
    if (done && format == SUMMARY_TABLE)
        done = print_rounded(fit, &points[0]);
    if (!done && fit->signal != 0)
        status = fail("interrupted: the fit is not finished", COMMAND_SIGNAL + fit->signal);
    else if (!done)
        status = fail(fit->error.text, COMMAND_NO_ANSWER);
    free(points);
    return status;
}

int cmd_calibrate(int argc, char **argv)
{
    struct calibrate_arguments arguments = {.options = options_default(), .starts = 1, .evaluations = 300, .keep = 3};
    arguments.options.replicas = 4;
    options_parse(&argp, argc, argv, &arguments);
    struct calibrate fit;
    struct sim_error error;
    calibrate_init(&fit);
    int status =
        set_up(&fit, &arguments, &error) == 0 ? fit_and_tell(&fit, &arguments) : fail(error.text, COMMAND_BAD_INPUT);
    calibrate_fini(&fit);
    options_fini(&arguments.options);
    return status;
}
