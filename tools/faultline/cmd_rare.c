/* cmd_rare.c -- `faultline rare`: how much of the time nobody steps, when that is too rare to be seen. */
#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/batch.h"
#include "tools/faultline/command.h"
#include "tools/faultline/independent.h"
#include "tools/faultline/metric.h"
#include "tools/faultline/notes.h"
#include "tools/faultline/people.h"
#include "tools/faultline/rare.h"
#include "tools/faultline/splitting.h"

#define YEAR_S 31557600.0
#define SEEN_MANY 30 /* outages; from here on Student's interval will do */
#define TREES_FEW 4  /* that carry the mean; with fewer its interval is not to be trusted */

/* One call of `faultline rare`. */
struct call {
    struct options options;
    const char *path;
    enum run_metric metric;
    struct scenario_text *text;
    struct batch batch; /* of one cell: the replicas as they are */
    struct splitting splitting;
    struct splitting_tree *tree;
    char *repeat; /* the command line, for the last words of a bug */
};

/* An answer to the question, by one way. */
struct answer {
    const char *method;
    struct independent downtime;
    double per_year; /* outages; NAN when it does not say */
};

/* ------------------------------------------------------------------ arguments */

enum { KEY_METRIC = 0x200 };

static const struct argp_option option_list[] = {
    {"metric", KEY_METRIC, "METRIC", 0, "uptime (default): some learner steps; or quorum_uptime: syncer.quorum do", 3},
    {0}};

static void set_metric(struct call *call, const struct argp_state *state, const char *name)
{
    struct sim_error error;
    if (metric_find(name, &call->metric, &error) != 0)
        argp_error(state, "--metric: %s", error.text);
    if (call->metric != RUN_METRIC_uptime && call->metric != RUN_METRIC_quorum_uptime)
        argp_error(state, "--metric: '%s' is not one of uptime, quorum_uptime", name);
}

static void check_arguments(const struct call *call, const struct argp_state *state)
{
    if (call->path == NULL)
        argp_error(state, "SCENARIO is missing");
    if (call->options.replicas < 2)
        argp_error(state, "-n: an interval takes 2 replicas and more");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct call *call = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &call->options;
        return 0;
    case KEY_METRIC:
        set_metric(call, state, argument);
        return 0;
    case ARGP_KEY_ARG:
        options_one(state, "scenario", argument, &call->path);
        return 0;
    case ARGP_KEY_END:
        check_arguments(call, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse_arguments(struct call *call, int argc, char **argv)
{
    const struct argp_child children[] = {{.argp = &options_argp}, {0}};
    const struct argp argp = {
        .options = option_list,
        .parser = parse_option,
        .args_doc = "SCENARIO",
        .doc =
            "Measure how much of the time no learner steps, however rare: a replica is split whenever one more learner "
            "stands still than before, and its copies weigh less (importance splitting). Beside it stand what the "
            "replicas as they are have seen, and what follows if learners stand still independently.\v"
            "CSV and JSON have a row per way of asking: the share of the time (downtime = 1 - metric) with its 95 % "
            "interval. -o stores the replicas, not their copies. What stops all learners at once has to be seen to be "
            "counted, so its rate must not be too low for the replicas. Exit status: 0 done, 2 bad input, 3 not "
            "stored, "
            "4 no outage could be reached or a replica made no progress, 128 plus the signal when interrupted.",
        .children = children,
    };
    options_parse(&argp, argc, argv, call);
}

/* ------------------------------------------------------------------ simulation */

static int complain(const struct sim_error *error, int status)
{
    fprintf(stderr, "faultline: %s\n", error->text);
    return status;
}

static int64_t quorum_of(const struct call *call)
{
    return call->metric == RUN_METRIC_uptime ? 1 : config_quorum(&batch_scenario(&call->batch, 0)->config);
}

static int open_scenario(struct call *call)
{
    struct batch *batch = &call->batch;
    struct batch_cell cell = {
        .path = call->path,
        .setting = call->options.setting,
        .settings = call->options.settings,
        .name = "",
        .replicas = (size_t)call->options.replicas,
    };
    int failure = scenario_open(call->path, &call->text, &batch->error);
    cell.text = call->text;
    if (failure == 0)
        failure = batch_add(batch, &cell);
    if (failure == 0 && config_has_until(&batch_scenario(batch, 0)->config))
        failure = sim_error_set(&batch->error,
                                "%s: until: a share of the time is of a time that is given; set "
                                "duration instead, as in -s duration=30d",
                                call->path);
    if (failure != 0)
        return complain(&batch->error, COMMAND_BAD_INPUT);
    if (!call->options.is_quiet)
        notes_print(&batch_scenario(batch, 0)->config);
    return COMMAND_DONE;
}

static int simulate(struct call *call)
{
    int status = batch_open_store(&call->batch);
    if (status == COMMAND_DONE)
        status = batch_look_up(&call->batch);
    if (status == COMMAND_DONE)
        status = batch_simulate(&call->batch);
    return status == COMMAND_DONE ? batch_complain_about_progress(&call->batch) : status;
}

static int split(struct call *call)
{
    const struct scenario *scenario = batch_scenario(&call->batch, 0);
    struct splitting *splitting = &call->splitting;
    size_t count = (size_t)call->options.replicas;
    struct sim_error error;
    splitting_init(splitting, &scenario->config, scenario->seed, quorum_of(call));
    splitting->jobs = call->options.jobs;
    splitting->is_quiet = call->options.is_quiet;
    splitting->repeat = call->repeat = options_repeat(&call->options, "rare", call->path, call->options.setting,
                                                      call->options.settings, scenario->seed, count);
    call->tree = sim_allocate(count, sizeof *call->tree);
    if (splitting_plan(splitting, &error) == 0 && splitting_run(splitting, count, call->tree, &error) == 0)
        return COMMAND_DONE;
    return complain(&error, COMMAND_INVARIANT);
}

/* ------------------------------------------------------------------ answers */

static struct answer by_splitting(const struct call *call)
{
    size_t count = (size_t)call->options.replicas;
    double *share = sim_allocate(count, sizeof *share), outages = 0, watched_s = 0;
    for (size_t i = 0; i < count; i++) {
        share[i] = call->tree[i].down_s / call->tree[i].duration_s;
        outages += call->tree[i].outages;
        watched_s += call->tree[i].duration_s;
    }
    struct summary_sample sample = summary_of(share, count);
    free(share);
    double relative = sample.sd / sqrt((double)count) / sample.mean;
    struct answer answer = {"splitting", {NAN, NAN, NAN}, NAN};
    if (sample.mean > 0) {
        answer.downtime = independent_interval(sample.mean, relative, (double)count - 1);
        answer.per_year = outages / watched_s * YEAR_S;
    }
    return answer;
}

/* How many trees carry the mean: all of them when they are alike, one when it has nearly all of it. */
static double carrying(const struct call *call)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < call->options.replicas; i++) {
        sum += call->tree[i].down_s;
        squares += call->tree[i].down_s * call->tree[i].down_s;
    }
    return squares > 0 ? sum * sum / squares : 0;
}

/* Few outages: quantiles of a Poisson count, for outages of their mean length. */
static struct answer by_seeing(const struct call *call)
{
    const struct record *record = call->batch.cell[0].record;
    size_t count = call->batch.cell[0].replicas;
    const struct rare rare = rare_of(record, count);
    struct summary_sample sample = metric_sample(record, count, call->metric);
    struct answer answer = {"seen", {1 - sample.mean, NAN, NAN}, NAN};
    bool is_of_all = call->metric == RUN_METRIC_uptime || call->splitting.thresholds == (int)record->learners;
    if (sample.mean < 1 && (!is_of_all || rare.outages >= SEEN_MANY)) {
        answer.downtime.low = fmax(1 - sample.mean - sample.ci95, 0);
        answer.downtime.high = fmin(1 - sample.mean + sample.ci95, 1);
    } else if (is_of_all) {
        answer.downtime.low = rare.outages > 0 ? rare.length_s / rare.gap_high_s : 0;
        answer.downtime.high = rare.downtime;
    }
    if (is_of_all && rare.outages > 0)
        answer.per_year = rare.outages / rare.watched_s * YEAR_S;
    return answer;
}

static const char *objection(const struct call *call)
{
    const struct batch_cell *cell = &call->batch.cell[0];
    return independent_objection(&batch_scenario(&call->batch, 0)->config, cell->record, cell->replicas);
}

static struct answer by_independence(const struct call *call)
{
    const struct batch_cell *cell = &call->batch.cell[0];
    struct answer answer = {"independent", {NAN, NAN, NAN}, NAN};
    if (objection(call) == NULL)
        answer.downtime =
            independent_of(&batch_scenario(&call->batch, 0)->config, quorum_of(call), cell->record, cell->replicas);
    return answer;
}

/* ------------------------------------------------------------------ report */

#define ANSWERS 3

static void print_rows(const struct call *call, const struct answer answer[ANSWERS])
{
    const struct summary_column column[] = {{"metric", true}, {"method", true}, {"downtime", false},
                                            {"low", false},   {"high", false},  {"outages_per_year", false},
                                            {"n", false}};
    struct summary_writer *writer = summary_open(stdout, call->options.format, column, sizeof column / sizeof *column);
    for (int i = 0; i < ANSWERS; i++) {
        const struct summary_cell cell[] = {
            summary_text(run_metric_info[call->metric].name),
            summary_text(answer[i].method),
            summary_real(answer[i].downtime.share),
            summary_real(answer[i].downtime.low),
            summary_real(answer[i].downtime.high),
            summary_real(answer[i].per_year),
            summary_integer(call->options.replicas),
        };
        summary_row(writer, cell);
    }
    summary_close(writer);
}

static void write_interval(const struct independent *downtime, char ret[static 2 * PEOPLE_TEXT_MAX])
{
    if (downtime->low > 0)
        (void)snprintf(ret, (size_t)2 * PEOPLE_TEXT_MAX, "%.2g to %.2g", downtime->low, downtime->high);
    else if (downtime->high > 0)
        (void)snprintf(ret, (size_t)2 * PEOPLE_TEXT_MAX, "at most %.2g", downtime->high);
    else
        (void)snprintf(ret, (size_t)2 * PEOPLE_TEXT_MAX, "-");
}

static void print_answer(struct summary_writer *writer, const char *name, const struct answer *answer)
{
    char share[PEOPLE_TEXT_MAX] = "-", interval[2 * PEOPLE_TEXT_MAX], gap[PEOPLE_TEXT_MAX] = "-",
         length[PEOPLE_TEXT_MAX] = "-";
    if (answer->downtime.share > 0)
        (void)snprintf(share, sizeof share, "%.3g", answer->downtime.share);
    write_interval(&answer->downtime, interval);
    if (answer->per_year > 0) {
        people_span(YEAR_S / answer->per_year, gap);
        people_span(answer->downtime.share * YEAR_S / answer->per_year, length);
    }
    const struct summary_cell cell[] = {summary_text(name), summary_text(share), summary_text(interval),
                                        summary_text(gap), summary_text(length)};
    summary_row(writer, cell);
}

static void print_verdict(const struct call *call, const struct answer *splitting)
{
    const struct splitting *by = &call->splitting;
    const char *name = run_metric_info[call->metric].name;
    double copies = 0;
    for (int64_t i = 0; i < call->options.replicas; i++)
        copies += (double)call->tree[i].copies;
    if (splitting->downtime.share > 0)
        printf("\n%s is 1 - %.3g: %.1f nines. %.0f copies of the replicas were made.\n", name,
               splitting->downtime.share, -log10(splitting->downtime.share), copies);
    else
        printf("\nNo copy of a replica came to an outage: the pilot got as far as %d of %d learners standing still.\n",
               by->reached, by->thresholds);
    if (carrying(call) > 0 && carrying(call) < TREES_FEW)
        printf("Few of the replicas carry that mean, so that its interval says too much: raise -n.\n");
    const char *why = objection(call);
    if (why != NULL)
        printf("Learners are not independent: %s.\n", why);
}

static void print_table(const struct call *call, const struct answer answer[ANSWERS])
{
    const struct scenario *scenario = batch_scenario(&call->batch, 0);
    const struct summary_column column[] = {
        {"downtime", true}, {"share", false}, {"95 %", false}, {"once in", false}, {"for", false}};
    char span[PEOPLE_TEXT_MAX];
    people_span(sim_time_seconds(scenario->config.duration_ns - scenario->config.warmup_ns), span);
    printf("%" PRId64 " replicas of %s, %" PRId64 " learner%s; down is when ", call->options.replicas, span,
           scenario->config.learners, scenario->config.learners == 1 ? "" : "s");
    if (quorum_of(call) > 1)
        printf("fewer than %" PRId64 " step\n\n", quorum_of(call));
    else
        printf("none steps\n\n");
    struct summary_writer *writer = summary_open(stdout, SUMMARY_TABLE, column, sizeof column / sizeof *column);
    print_answer(writer, "by splitting", &answer[0]);
    print_answer(writer, "seen", &answer[1]);
    if (answer[2].downtime.share > 0)
        print_answer(writer, "if learners are independent", &answer[2]);
    summary_close(writer);
    print_verdict(call, &answer[0]);
}

static int report(const struct call *call)
{
    const struct answer answer[ANSWERS] = {by_splitting(call), by_seeing(call), by_independence(call)};
    if (call->options.format == SUMMARY_TABLE)
        print_table(call, answer);
    else
        print_rows(call, answer);
    return answer[0].downtime.share > 0 ? COMMAND_DONE : COMMAND_NO_ANSWER;
}

int cmd_rare(int argc, char **argv)
{
    struct call call = {.options = options_default(), .metric = RUN_METRIC_uptime};
    parse_arguments(&call, argc, argv);
    batch_init(&call.batch, &call.options, "run"); /* a replica is repeated as one of a run */
    call.batch.keeps_scenarios = call.batch.keeps_learners = true;
    int status = open_scenario(&call);
    if (status == COMMAND_DONE)
        status = simulate(&call);
    if (status == COMMAND_DONE)
        status = split(&call);
    if (status == COMMAND_DONE)
        status = report(&call);
    splitting_fini(&call.splitting);
    batch_fini(&call.batch);
    if (call.text != NULL)
        scenario_close(call.text);
    options_fini(&call.options);
    free(call.tree);
    free(call.repeat);
    return status;
}
