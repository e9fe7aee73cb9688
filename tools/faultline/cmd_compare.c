/* cmd_compare.c -- `faultline compare`: the difference of two scenarios under the same chaos. */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/batch.h"
#include "tools/faultline/break_even.h"
#include "tools/faultline/command.h"
#include "tools/faultline/control.h"
#include "tools/faultline/paired.h"
#include "tools/faultline/people.h"

#define SIDES 2

/* One call of `faultline compare`. */
struct compare {
    struct options options;
    const char *path[SIDES]; /* the second is NULL when both are one file */
    struct options with;     /* only its settings: those of B alone */
    struct scenario_text *text[SIDES];
    const char **setting[SIDES];
    struct batch batch;
    const char *break_even, *metric; /* as given; NULL */
    struct break_even even;
};

/* ------------------------------------------------------------------ arguments */

enum { KEY_WITH = 0x200, KEY_BREAK_EVEN, KEY_METRIC, KEY_CONTROL };

static const struct argp_option option_list[] = {
    {"with", KEY_WITH, "KEY=VALUE", 0, "Set a key in B alone; may be repeated. -s sets it in both", 3},
    {"control", KEY_CONTROL, NULL, 0, "Narrower intervals by what is known of the failures, a control variate", 3},
    {"break-even", KEY_BREAK_EVEN, "KEY=LOW..HIGH", 0,
     "Search for the value of a key, set in both, at which the metric is the same on average", 3},
    {"metric", KEY_METRIC, "METRIC", 0, "The metric of --break-even; cost_per_useful_chip_hour by default", 3},
    {0}};

static bool is_stdin(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static void check_arguments(const struct compare *compare, const struct argp_state *state)
{
    if (compare->path[0] == NULL)
        argp_error(state, "A.yaml is missing");
    if (compare->path[1] == NULL && compare->with.settings == 0)
        argp_error(state, "nothing to compare with: give B.yaml, or --with KEY=VALUE");
    if (compare->metric != NULL && compare->break_even == NULL)
        argp_error(state, "--metric is for --break-even");
    if (compare->batch.needs_control && compare->break_even != NULL)
        argp_error(state, "--control is not for --break-even");
    if (compare->batch.needs_control && compare->options.replicas < CONTROL_REPLICAS_MIN)
        argp_error(state, "--control takes %d replicas and more", CONTROL_REPLICAS_MIN);
    if (is_stdin(compare->path[0]) && is_stdin(compare->path[1]))
        argp_error(state, "standard input can be one scenario, not both");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct compare *compare = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &compare->options;
        return 0;
    case KEY_WITH:
        options_add_setting(&compare->with, argument);
        return 0;
    case KEY_BREAK_EVEN:
        compare->break_even = argument;
        return 0;
    case KEY_METRIC:
        compare->metric = argument;
        return 0;
    case KEY_CONTROL:
        compare->batch.needs_control = true;
        return 0;
    case ARGP_KEY_ARG:
        if (compare->path[1] != NULL)
            argp_error(state, "two scenarios at a time; '%s' is one too many", argument);
        compare->path[compare->path[0] != NULL] = argument;
        return 0;
    case ARGP_KEY_END:
        check_arguments(compare, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse_arguments(struct compare *compare, int argc, char **argv)
{
    const struct argp_child children[] = {{.argp = &options_argp}, {0}};
    const struct argp argp = {
        .options = option_list,
        .parser = parse_option,
        .args_doc = "A.yaml [B.yaml]",
        .doc =
            "Simulate two scenarios under the same chaos and print how they differ, metric by metric: B - A with its "
            "95 % interval, from the differences of replica i of both. Without B.yaml, B is A with what --with "
            "says.\v"
            "times_fewer is how many times more replicas of each it would take to know the difference as well from "
            "runs that have nothing in common. CSV and JSON hold fractions. Exit status: 0 done, 2 bad input, 3 not "
            "stored, 4 a replica made no progress, 128 plus the signal when interrupted.",
        .children = children,
    };
    options_parse(&argp, argc, argv, compare);
}

/* ------------------------------------------------------------------ scenarios */

static int add_side(struct compare *compare, int side)
{
    struct batch *batch = &compare->batch;
    size_t common = compare->options.settings, own = side == 1 ? compare->with.settings : 0;
    compare->setting[side] = sim_allocate(common + own, sizeof *compare->setting[side]);
    for (size_t i = 0; i < common + own; i++)
        compare->setting[side][i] = i < common ? compare->options.setting[i] : compare->with.setting[i - common];
    int file = compare->path[side] != NULL ? side : 0;
    if (compare->text[file] == NULL && scenario_open(compare->path[file], &compare->text[file], &batch->error) != 0)
        return -1;
    const struct batch_cell cell = {
        .text = compare->text[file],
        .path = compare->path[file],
        .setting = compare->setting[side],
        .settings = common + own,
        .name = side == 0 ? "A" : "B",
        .replicas = (size_t)compare->options.replicas,
    };
    return batch_add(batch, &cell);
}

static int set_break_even(struct compare *compare)
{
    struct break_even *even = &compare->even;
    const char *metric = compare->metric != NULL ? compare->metric : "cost_per_useful_chip_hour";
    struct sim_error error;
    if (compare->break_even == NULL ||
        (break_even_set(even, compare->break_even, &error) == 0 && metric_find(metric, &even->metric, &error) == 0))
        return COMMAND_DONE;
    fprintf(stderr, "faultline: %s\n", error.text);
    return COMMAND_BAD_INPUT;
}

static int prepare(struct compare *compare)
{
    if (set_break_even(compare) != COMMAND_DONE)
        return COMMAND_BAD_INPUT;
    for (int side = 0; side < SIDES; side++) {
        if (add_side(compare, side) == 0)
            continue;
        fprintf(stderr, "faultline: %s: %s\n", side == 0 ? "A" : "B", compare->batch.error.text);
        return COMMAND_BAD_INPUT;
    }
    bool is_same_fleet =
        batch_scenario(&compare->batch, 0)->config.chips == batch_scenario(&compare->batch, 1)->config.chips;
    if (!is_same_fleet && !compare->options.is_quiet)
        fprintf(stderr, "faultline: note: A and B differ in fleet.chips: they do not meet the same failures\n");
    return COMMAND_DONE;
}

/* ------------------------------------------------------------------ report */

static struct paired pair(const struct compare *compare, enum run_metric metric)
{
    const struct batch_cell *cell = compare->batch.cell;
    const double rate[SIDES] = {cell[0].failure_rate, cell[1].failure_rate};
    if (compare->batch.needs_control)
        return paired_controlled(cell[0].record, cell[1].record, rate, cell[0].replicas, metric);
    return paired_of(cell[0].record, cell[1].record, cell[0].replicas, metric);
}

static void print_rows(const struct compare *compare)
{
    const struct summary_column column[] = {{"metric", true},      {"a", false},    {"b", false},
                                            {"difference", false}, {"ci95", false}, {"n", false},
                                            {"times_fewer", false}};
    struct summary_writer *writer =
        summary_open(stdout, compare->options.format, column, sizeof column / sizeof *column);
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        struct paired paired = pair(compare, (enum run_metric)i);
        const struct summary_cell cell[] = {
            summary_text(run_metric_info[i].name),
            summary_real(paired.a),
            summary_real(paired.b),
            summary_real(paired.difference.mean),
            summary_real(paired.difference.ci95),
            summary_integer((int64_t)paired.n),
            summary_real(paired.times_fewer),
        };
        summary_row(writer, cell);
    }
    summary_close(writer);
}

static void print_people_row(struct summary_writer *writer, enum run_metric metric, const struct paired *paired)
{
    char a[PEOPLE_TEXT_MAX], b[PEOPLE_TEXT_MAX], difference[PEOPLE_TEXT_MAX], half_width[PEOPLE_TEXT_MAX],
        fewer[PEOPLE_TEXT_MAX] = "-";
    people_amount(metric, paired->a, a);
    people_amount(metric, paired->b, b);
    people_amount(metric, paired->difference.mean, difference);
    people_amount(metric, paired->difference.ci95, half_width);
    if (!isnan(paired->times_fewer))
        (void)snprintf(fewer, sizeof fewer, "%.3g", paired->times_fewer);
    const struct summary_cell cell[] = {summary_text(run_metric_info[metric].name),
                                        summary_text(a),
                                        summary_text(b),
                                        summary_text(difference),
                                        summary_text(half_width),
                                        summary_text(fewer)};
    summary_row(writer, cell);
}

/* What differs, or could. */
static void print_table(const struct compare *compare)
{
    const struct summary_column column[] = {{"metric", true}, {"A", false},       {"B", false},
                                            {"B - A", false}, {"+- 95 %", false}, {"times fewer", false}};
    size_t n = pair(compare, RUN_METRIC_goodput).n;
    printf("A and B under the same chaos, mean of %zu pair%s of replicas\n\n", n, n == 1 ? "" : "s");
    struct summary_writer *writer = summary_open(stdout, SUMMARY_TABLE, column, sizeof column / sizeof *column);
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        struct paired paired = pair(compare, (enum run_metric)i);
        bool is_equal = paired.difference.mean == 0 && !(paired.difference.sd > 0);
        if (!is_equal && !isnan(paired.difference.mean))
            print_people_row(writer, (enum run_metric)i, &paired);
    }
    summary_close(writer);
    printf("\nMetrics that are equal in every pair are left out. Without the same chaos, each side would need so many "
           "times the\nreplicas for the same interval.\n");
}

/* ------------------------------------------------------------------ break-even */

static void print_even_row(const struct break_even *even, enum summary_format format)
{
    const struct summary_column column[] = {{even->path, true}, {"ci95", false}, {"metric", true},
                                            {"a", false},       {"b", false},    {"n", false}};
    struct summary_writer *writer = summary_open(stdout, format, column, sizeof column / sizeof *column);
    const struct summary_cell cell[] = {
        summary_text(even->value),    summary_real(even->ci95),     summary_text(run_metric_info[even->metric].name),
        summary_real(even->paired.a), summary_real(even->paired.b), summary_integer((int64_t)even->paired.n),
    };
    summary_row(writer, cell);
    summary_close(writer);
}

/* To so many digits; "?" for what is not known. */
static void write_digits(const struct break_even *even, double number, int digits, char ret[static VALUE_TEXT_MAX])
{
    double unit = number != 0 ? pow(10, floor(log10(fabs(number))) + 1 - digits) : 1;
    struct sim_error ignored;
    (void)snprintf(ret, VALUE_TEXT_MAX, "?");
    if (isfinite(number))
        (void)keys_write_number(even->key, round(number / unit) * unit, ret, &ignored);
}

static void print_even(const struct break_even *even)
{
    char a[PEOPLE_TEXT_MAX], b[PEOPLE_TEXT_MAX], value[VALUE_TEXT_MAX], width[VALUE_TEXT_MAX];
    write_digits(even, even->number, 4, value);
    write_digits(even, even->ci95, 2, width);
    people_amount(even->metric, even->paired.a, a);
    people_amount(even->metric, even->paired.b, b);
    printf("%s = %s +- %s (95 %%, %zu pairs of replicas)\n\nThere %s is %s in A and %s in B; above it B has %s.\n",
           even->path, value, width, even->paired.n, run_metric_info[even->metric].name, a, b,
           even->b_is_less_above ? "less" : "more");
}

static int find_break_even(struct compare *compare)
{
    int status = break_even_find(&compare->even, &compare->batch);
    if (status == COMMAND_DONE && compare->options.format == SUMMARY_TABLE)
        print_even(&compare->even);
    else if (status == COMMAND_DONE)
        print_even_row(&compare->even, compare->options.format);
    int stuck = batch_complain_about_progress(&compare->batch);
    return status == COMMAND_DONE ? stuck : status;
}

static int report(const struct compare *compare, int status)
{
    if (compare->options.format == SUMMARY_TABLE)
        print_table(compare);
    else
        print_rows(compare);
    size_t reused = batch_reused(&compare->batch);
    if (compare->options.output != NULL && !compare->options.is_quiet)
        fprintf(stderr, "faultline: %zu reused, %zu computed\n", reused, batch_finished(&compare->batch) - reused);
    int stuck = batch_complain_about_progress(&compare->batch);
    return status == COMMAND_DONE ? stuck : status;
}

static int report_pair(struct compare *compare)
{
    int status = batch_look_up(&compare->batch);
    return status == COMMAND_DONE ? report(compare, batch_simulate(&compare->batch)) : status;
}

static void release(struct compare *compare)
{
    batch_fini(&compare->batch);
    break_even_fini(&compare->even);
    for (int side = 0; side < SIDES; side++) {
        if (compare->text[side] != NULL)
            scenario_close(compare->text[side]);
        free(compare->setting[side]);
    }
    options_fini(&compare->options);
    options_fini(&compare->with);
}

int cmd_compare(int argc, char **argv)
{
    struct compare compare = {.options = options_default()};
    batch_init(&compare.batch, &compare.options, "run"); /* a side is repeated as a run of its own */
    parse_arguments(&compare, argc, argv);
    compare.batch.keeps_scenarios = true;
    int status = prepare(&compare);
    if (status == COMMAND_DONE)
        status = batch_open_store(&compare.batch);
    if (status == COMMAND_DONE)
        status = compare.break_even != NULL ? find_break_even(&compare) : report_pair(&compare);
    release(&compare);
    return status;
}
