/* cmd_plan.c -- `faultline plan`: the value of a key that meets a target, or that is best. */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/command.h"
#include "tools/faultline/paired.h"
#include "tools/faultline/people.h"
#include "tools/faultline/plan.h"

/* One call of `faultline plan`. */
struct plan_call {
    struct options options;
    const char *path;
    const char *solve;
    bool has_goal;
    char target_text[VALUE_TEXT_MAX]; /* ">=90%", "max" */
    bool wants_sensitivity;
    struct scenario_text *text;
    struct plan plan;
};

/* ------------------------------------------------------------------ arguments */

enum { KEY_SOLVE = 0x200, KEY_TARGET, KEY_MIN, KEY_MAX, KEY_MAXIMIZE, KEY_MINIMIZE, KEY_CONFIDENCE, KEY_SENSITIVITY };

static const struct argp_option option_list[] = {
    {"solve", KEY_SOLVE, "KEY[=LOW..HIGH]", 0,
     "The key to find a value of; without a range from a twentieth to twenty times what the scenario says", 3},
    {"target", KEY_TARGET, "METRIC>=VALUE", 0, "Or METRIC<=VALUE: what is to hold, as in 'goodput>=90%'", 3},
    {"min", KEY_MIN, NULL, 0,
     "The smallest value that meets the target (default, unless of the two ends only the lower one does)", 3},
    {"max", KEY_MAX, NULL, 0, "The largest value that meets the target", 3},
    {"maximize", KEY_MAXIMIZE, "METRIC", 0, "Instead of a target: the value with the most of a metric", 3},
    {"minimize", KEY_MINIMIZE, "METRIC", 0, "Or with the least", 3},
    {"confidence", KEY_CONFIDENCE, "SHARE", 0, "A target holds when it does with this confidence (default 95%)", 3},
    {"sensitivity", KEY_SENSITIVITY, NULL, 0,
     "How much the metric at the answer depends on every number of the scenario, each moved by 10 % both ways; CSV and "
     "JSON then have these instead of the answer",
     3},
    {0}};

static void set_goal(struct plan_call *call, const struct argp_state *state, enum plan_goal goal, const char *metric)
{
    struct sim_error error;
    if (call->has_goal)
        argp_error(state, "one of --target, --maximize and --minimize, once");
    call->has_goal = true;
    call->plan.goal = goal;
    if (metric_find(metric, &call->plan.metric, &error) != 0)
        argp_error(state, "%s", error.text);
    (void)snprintf(call->target_text, sizeof call->target_text, "%s", goal == PLAN_MAXIMIZE ? "max" : "min");
}

static void parse_target(struct plan_call *call, const struct argp_state *state, const char *text)
{
    struct sim_error error;
    char *metric = alloc_text(text);
    size_t length = strcspn(metric, "<>");
    if (metric[length] == '\0' || metric[length + 1] != '=')
        argp_error(state, "--target: expected METRIC>=VALUE or METRIC<=VALUE, in quotes for the shell");
    enum plan_goal goal = metric[length] == '>' ? PLAN_AT_LEAST : PLAN_AT_MOST;
    while (length > 0 && metric[length - 1] == ' ')
        length--;
    metric[length] = '\0';
    set_goal(call, state, goal, metric);
    const char *value = strchr(text, '=') + 1;
    value += strspn(value, " ");
    if (metric_read(call->plan.metric, value, &call->plan.target, &error) != 0)
        argp_error(state, "--target %s: %s", metric, error.text);
    (void)snprintf(call->target_text, sizeof call->target_text, "%s%s", goal == PLAN_AT_LEAST ? ">=" : "<=", value);
    free(metric);
}

static void parse_confidence(struct plan_call *call, const struct argp_state *state, const char *text)
{
    struct sim_error error;
    double share = 0;
    if (value_read_fraction(text, &share, &error) != 0)
        argp_error(state, "--confidence: %s", error.text);
    if (!(share >= 0.5) || !(share < 1))
        argp_error(state, "--confidence: '%s' is out of range; allowed: 50%% to below 100%%", text);
    call->plan.confidence = share;
}

static void set_side(struct plan_call *call, const struct argp_state *state, enum plan_side side)
{
    if (call->plan.side != PLAN_EITHER && call->plan.side != side)
        argp_error(state, "--min or --max, not both");
    call->plan.side = side;
}

static error_t parse_goal(int key, char *argument, struct argp_state *state)
{
    struct plan_call *call = state->input;
    switch (key) {
    case KEY_TARGET:
        parse_target(call, state, argument);
        return 0;
    case KEY_MIN:
    case KEY_MAX:
        set_side(call, state, key == KEY_MIN ? PLAN_SMALLEST : PLAN_LARGEST);
        return 0;
    case KEY_MAXIMIZE:
    case KEY_MINIMIZE:
        set_goal(call, state, key == KEY_MAXIMIZE ? PLAN_MAXIMIZE : PLAN_MINIMIZE, argument);
        return 0;
    case KEY_CONFIDENCE:
        parse_confidence(call, state, argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse_end(const struct plan_call *call, const struct argp_state *state)
{
    if (call->path == NULL)
        argp_error(state, "SCENARIO is missing");
    if (call->solve == NULL || !call->has_goal)
        argp_error(state, "--solve and one of --target, --maximize and --minimize are needed");
    if (call->plan.side != PLAN_EITHER && call->plan.goal != PLAN_AT_LEAST && call->plan.goal != PLAN_AT_MOST)
        argp_error(state, "--min and --max go with --target");
    if (call->options.replicas < 2)
        argp_error(state, "-n: an interval takes 2 replicas and more");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct plan_call *call = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &call->options;
        return 0;
    case KEY_SOLVE:
        call->solve = argument;
        return 0;
    case KEY_SENSITIVITY:
        call->wants_sensitivity = true;
        return 0;
    case ARGP_KEY_ARG:
        options_one(state, "scenario", argument, &call->path);
        return 0;
    case ARGP_KEY_END:
        parse_end(call, state);
        return 0;
    default:
        return parse_goal(key, argument, state);
    }
}

static void parse_arguments(struct plan_call *call, int argc, char **argv)
{
    const struct argp_child children[] = {{.argp = &options_argp}, {0}};
    const struct argp argp = {
        .options = option_list,
        .parser = parse_option,
        .args_doc = "SCENARIO",
        .doc = "Find the smallest or largest value of a key with which a target holds, or the value that is best, with "
               "every value tried under the same chaos.\v"
               "A target is taken to hold when the one-sided bound of the mean at the confidence does. Between two of "
               "the nine values tried first the metric has to rise or fall throughout. CSV and JSON have the key as a "
               "column of its name, then metric,target,mean,ci95,n,confidence. Exit status: 0 done, 2 bad input, 3 not "
               "stored, 4 no value meets the target, 128 plus the signal when interrupted.",
        .children = children,
    };
    options_parse(&argp, argc, argv, call);
}

/* ------------------------------------------------------------------ the answer */

static void print_row(const struct plan_call *call, size_t point)
{
    const struct plan *plan = &call->plan;
    const struct summary_column column[] = {{plan->key_path, true}, {"metric", true}, {"target", true},
                                            {"mean", false},        {"ci95", false},  {"n", false},
                                            {"confidence", false}};
    struct summary_sample sample = plan_sample(plan, point);
    const struct summary_cell cell[] = {
        summary_text(plan_value(plan, point)),
        summary_text(run_metric_info[plan->metric].name),
        summary_text(call->target_text),
        summary_real(sample.mean),
        summary_real(sample.ci95),
        summary_integer((int64_t)sample.n),
        summary_real(plan->confidence),
    };
    struct summary_writer *writer =
        summary_open(stdout, call->options.format, column, sizeof column / sizeof column[0]);
    summary_row(writer, cell);
    summary_close(writer);
}

static void amounts(const struct plan *plan, size_t point, char mean[static PEOPLE_TEXT_MAX],
                    char half_width[static PEOPLE_TEXT_MAX])
{
    struct summary_sample sample = plan_sample(plan, point);
    people_sample(&sample, run_metric_info[plan->metric].kind == RUN_METRIC_FRACTION, mean, half_width);
}

/* True when the replicas do not tell the two points apart. */
static bool is_as_good(const struct plan *plan, size_t best, size_t other)
{
    const struct batch_cell *a = &plan->batch.cell[plan->point[best].cell],
                            *b = &plan->batch.cell[plan->point[other].cell];
    struct paired paired = paired_of(a->record, b->record, a->replicas, plan->metric);
    return fabs(paired.difference.mean) <= paired.difference.ci95 || paired.difference.mean == 0;
}

static void print_best(const struct plan_call *call, size_t best)
{
    const struct plan *plan = &call->plan;
    char mean[PEOPLE_TEXT_MAX], half_width[PEOPLE_TEXT_MAX];
    size_t first = best, last = best;
    amounts(plan, best, mean, half_width);
    while (first > 0 && is_as_good(plan, best, first - 1))
        first--;
    while (last + 1 < plan->points && is_as_good(plan, best, last + 1))
        last++;
    printf("%s = %s: the %s %s, %s +- %s\n", plan->key_path, plan_value(plan, best),
           plan->goal == PLAN_MAXIMIZE ? "most" : "least", run_metric_info[plan->metric].name, mean, half_width);
    if (first < last)
        printf("From %s to %s the replicas do not tell it apart.\n", plan_value(plan, first), plan_value(plan, last));
    if (best == 0 || best + 1 == plan->points)
        puts("It is at the end of the range that was searched.");
}

static void print_solution(const struct plan_call *call, size_t point)
{
    const struct plan *plan = &call->plan;
    char mean[PEOPLE_TEXT_MAX], half_width[PEOPLE_TEXT_MAX];
    bool is_first = point == 0, is_last = point + 1 == plan->points;
    amounts(plan, point, mean, half_width);
    printf("%s = %s: %s is %s +- %s, and %s with %g %% confidence\n", plan->key_path, plan_value(plan, point),
           run_metric_info[plan->metric].name, mean, half_width, call->target_text, 100 * plan->confidence);
    if (is_first || is_last)
        printf("It is the %s end of the range.\n", is_first ? "lower" : "upper");
}

static void print_tried(const struct plan *plan)
{
    const struct summary_column column[] = {
        {plan->key_path, true}, {run_metric_info[plan->metric].name, false}, {"+- 95 %", false}};
    char mean[PEOPLE_TEXT_MAX], half_width[PEOPLE_TEXT_MAX];
    struct summary_writer *writer = summary_open(stdout, SUMMARY_TABLE, column, 3);
    for (size_t i = 0; i < plan->points; i++) {
        amounts(plan, i, mean, half_width);
        const struct summary_cell cell[] = {summary_text(plan_value(plan, i)), summary_text(mean),
                                            summary_text(half_width)};
        summary_row(writer, cell);
    }
    summary_close(writer);
}

static void print_answer(const struct plan_call *call, size_t point)
{
    bool has_target = call->plan.goal == PLAN_AT_LEAST || call->plan.goal == PLAN_AT_MOST;
    if (call->options.format != SUMMARY_TABLE) {
        print_row(call, point);
        return;
    }
    if (has_target)
        print_solution(call, point);
    else
        print_best(call, point);
    printf("\n%zu values tried, %lld replicas each:\n\n", call->plan.points, (long long)call->options.replicas);
    print_tried(&call->plan);
}

static int complain_about_target(const struct plan_call *call, size_t best)
{
    const struct plan *plan = &call->plan;
    char mean[PEOPLE_TEXT_MAX], half_width[PEOPLE_TEXT_MAX];
    amounts(plan, best, mean, half_width);
    fprintf(
        stderr,
        "faultline: no value of %s from %s to %s meets %s%s with %g %% confidence; the best of %zu tried is %s, with "
        "%s +- %s\n",
        plan->key_path, plan_value(plan, 0), plan_value(plan, plan->points - 1), run_metric_info[plan->metric].name,
        call->target_text, 100 * plan->confidence, plan->points, plan_value(plan, best), mean, half_width);
    return COMMAND_NO_ANSWER;
}

/* ------------------------------------------------------------------ sensitivity */

static void print_sensitivity_table(const struct plan_call *call, const struct plan_sensitivity row[], size_t count)
{
    const struct summary_column column[] = {{"key", true}, {"value", true}, {"elasticity", false}, {"+- 95 %", false}};
    char elasticity[PEOPLE_TEXT_MAX], half_width[PEOPLE_TEXT_MAX];
    size_t silent = 0;
    printf("\n1 %% more of a key changes %s by so many per cent of its value:\n\n",
           run_metric_info[call->plan.metric].name);
    struct summary_writer *writer = summary_open(stdout, SUMMARY_TABLE, column, 4);
    for (size_t i = 0; i < count; i++) {
        silent += row[i].elasticity == 0;
        if (row[i].elasticity == 0)
            continue;
        (void)snprintf(elasticity, sizeof elasticity, "%+.4f", row[i].elasticity);
        (void)snprintf(half_width, sizeof half_width, "%.4f", row[i].ci95);
        const struct summary_cell cell[] = {summary_text(row[i].key), summary_text(row[i].value),
                                            summary_text(elasticity), summary_text(half_width)};
        summary_row(writer, cell);
    }
    summary_close(writer);
    printf("\n%zu other numbers of the scenario have no part in it.\n", silent);
}

static void print_sensitivity_rows(const struct plan_call *call, const struct plan_sensitivity row[], size_t count)
{
    const struct summary_column column[] = {{"key", true},         {"value", true}, {"metric", true},
                                            {"elasticity", false}, {"ci95", false}, {"n", false}};
    struct summary_writer *writer =
        summary_open(stdout, call->options.format, column, sizeof column / sizeof column[0]);
    for (size_t i = 0; i < count; i++) {
        const struct summary_cell cell[] = {
            summary_text(row[i].key),
            summary_text(row[i].value),
            summary_text(run_metric_info[call->plan.metric].name),
            summary_real(row[i].elasticity),
            summary_real(row[i].ci95),
            summary_integer((int64_t)row[i].n),
        };
        summary_row(writer, cell);
    }
    summary_close(writer);
}

static int print_sensitivities(struct plan_call *call, size_t point)
{
    struct plan_sensitivity *row;
    size_t count;
    int status = plan_sensitivities(&call->plan, point, &row, &count);
    if (status == COMMAND_DONE && call->options.format == SUMMARY_TABLE)
        print_sensitivity_table(call, row, count);
    else if (status == COMMAND_DONE)
        print_sensitivity_rows(call, row, count);
    free(row);
    if (batch_has_timeout(&call->plan.batch))
        return batch_complain_about_progress(&call->plan.batch);
    return status;
}

/* ------------------------------------------------------------------ all of it */

static int prepare(struct plan_call *call)
{
    struct plan *plan = &call->plan;
    plan->path = call->path;
    int failure = scenario_open(call->path, &call->text, &plan->batch.error);
    plan->text = call->text;
    if (failure == 0 && plan_set_key(plan, call->solve) == 0)
        return COMMAND_DONE;
    fprintf(stderr, "faultline: %s\n", plan->batch.error.text);
    return COMMAND_BAD_INPUT;
}

static void note_reuse(const struct plan_call *call)
{
    size_t reused = batch_reused(&call->plan.batch);
    if (call->options.output != NULL && !call->options.is_quiet)
        fprintf(stderr, "faultline: %zu reused, %zu computed\n", reused, batch_finished(&call->plan.batch) - reused);
}

static int search(struct plan_call *call)
{
    size_t point = 0;
    int status = plan_search(&call->plan, &point);
    if (batch_has_timeout(&call->plan.batch))
        return batch_complain_about_progress(&call->plan.batch);
    if (status == COMMAND_NO_ANSWER)
        return complain_about_target(call, point);
    if (status != COMMAND_DONE)
        return status;
    if (call->options.format == SUMMARY_TABLE || !call->wants_sensitivity)
        print_answer(call, point);
    if (call->wants_sensitivity)
        status = print_sensitivities(call, point);
    note_reuse(call);
    return status;
}

int cmd_plan(int argc, char **argv)
{
    struct plan_call call = {.options = options_default()};
    plan_init(&call.plan, &call.options);
    parse_arguments(&call, argc, argv);
    int status = prepare(&call);
    if (status == COMMAND_DONE)
        status = search(&call);
    plan_fini(&call.plan);
    if (call.text != NULL)
        scenario_close(call.text);
    options_fini(&call.options);
    return status;
}
