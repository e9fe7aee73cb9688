/* cmd_run.c -- `faultline run`: the replicas of one scenario. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "tools/faultline/batch.h"
#include "tools/faultline/command.h"
#include "tools/faultline/control.h"
#include "tools/faultline/notes.h"
#include "tools/faultline/run_report.h"

/* One call of `faultline run`. */
struct run {
    struct options options;
    const char *path;
    const char *tape, *trace;
    struct scenario_text *text;
    struct batch batch; /* of one cell */
};

/* ------------------------------------------------------------------ arguments */

enum { KEY_LOG = 0x200, KEY_TAPE, KEY_TRACE, KEY_CONTROL };

static const struct argp_option option_list[] = {
    {"log", KEY_LOG, "WHAT", 0,
     "Store besides the summary also every change of state (transitions) or every round of the syncer (rounds); may be "
     "repeated; needs -o",
     2},
    {"tape", KEY_TAPE, "FILE", 0, "Write the event tape of replica 0, for `faultline replay`", 2},
    {"trace", KEY_TRACE, "FILE.json", 0, "Write what happened in replica 0 as a timeline for Perfetto and Chrome", 2},
    {"control", KEY_CONTROL, NULL, 0,
     "Narrower intervals in the table by what is known of the failures, a control variate, and how many times fewer "
     "replicas that is worth",
     2},
    {0}};

static void parse_log(struct run *run, const struct argp_state *state, const char *what)
{
    if (strcmp(what, "transitions") == 0)
        run->batch.wanted.keeps_transitions = true;
    else if (strcmp(what, "rounds") == 0)
        run->batch.wanted.keeps_rounds = true;
    else if (strcmp(what, "summary") != 0)
        argp_error(state, "--log: '%s' is not one of summary, transitions, rounds", what);
}

static bool has_log(const struct run *run)
{
    return run->batch.wanted.keeps_transitions || run->batch.wanted.keeps_rounds;
}

static void check_arguments(const struct run *run, const struct argp_state *state)
{
    if (run->path == NULL)
        argp_error(state, "SCENARIO is missing");
    if (has_log(run) && run->options.output == NULL)
        argp_error(state, "--log stores rows: it needs -o FILE.db");
    if (run->batch.needs_control && run->options.format != SUMMARY_TABLE)
        argp_error(state, "--control is for the table: other formats have a row per replica");
    if (run->batch.needs_control && run->options.replicas < CONTROL_REPLICAS_MIN)
        argp_error(state, "--control takes %d replicas and more", CONTROL_REPLICAS_MIN);
    if (run->tape != NULL && run->trace != NULL)
        argp_error(state, "--tape and --trace: one at a time");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct run *run = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &run->options;
        return 0;
    case KEY_LOG:
        parse_log(run, state, argument);
        return 0;
    case KEY_TAPE:
        run->tape = argument;
        return 0;
    case KEY_TRACE:
        run->trace = argument;
        return 0;
    case KEY_CONTROL:
        run->batch.needs_control = true;
        return 0;
    case ARGP_KEY_ARG:
        options_one(state, "scenario", argument, &run->path);
        return 0;
    case ARGP_KEY_END:
        check_arguments(run, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse_arguments(struct run *run, int argc, char **argv)
{
    const struct argp_child children[] = {{.argp = &options_argp}, {0}};
    const struct argp argp = {
        .options = option_list,
        .parser = parse_option,
        .args_doc = "SCENARIO",
        .doc =
            "Simulate the replicas of a scenario (a YAML file; - is stdin) and print what came out.\v"
            "CSV and JSON have one row per replica and hold fractions; the table shows percent. Exit status: 0 done, "
            "2 bad input, 3 not stored, 4 a replica made no progress, stalled or timed out, 128 plus the signal when "
            "interrupted: "
            "what had finished is kept.",
        .children = children,
    };
    options_parse(&argp, argc, argv, run);
}

/* ------------------------------------------------------------------ run and report */

static int open_scenario(struct run *run)
{
    struct batch *batch = &run->batch;
    struct batch_cell cell = {
        .path = run->path,
        .setting = run->options.setting,
        .settings = run->options.settings,
        .name = "",
        .replicas = (size_t)run->options.replicas,
    };
    int failure = scenario_open(run->path, &run->text, &batch->error);
    cell.text = run->text;
    if (failure != 0 || batch_add(batch, &cell) != 0) {
        fprintf(stderr, "faultline: %s\n", batch->error.text);
        return COMMAND_BAD_INPUT;
    }
    if (!run->options.is_quiet)
        notes_print(&batch_scenario(batch, 0)->config);
    return COMMAND_DONE;
}

static int open_tape(struct run *run)
{
    struct batch *batch = &run->batch;
    int failure = 0;
    if (run->tape != NULL)
        failure = tape_create(run->tape, batch_scenario(batch, 0), 0, &batch->tape, &batch->error);
    if (run->trace != NULL)
        failure = trace_create(run->trace, batch_scenario(batch, 0), 0, &batch->trace, &batch->error);
    if (failure == 0)
        return COMMAND_DONE;
    fprintf(stderr, "faultline: %s\n", batch->error.text);
    return COMMAND_NOT_STORED;
}

static void note_reuse(const struct run *run)
{
    size_t reused = batch_reused(&run->batch);
    if (run->options.output != NULL && !run->options.is_quiet)
        fprintf(stderr, "faultline: %zu reused, %zu computed\n", reused, batch_finished(&run->batch) - reused);
}

/* Prints what is finished, also when `status` is a failure; returns the status of the command. */
static int report(struct run *run, int status)
{
    const struct run_report_settings settings = {run->options.setting, run->options.settings, run->batch.needs_control};
    const struct batch_cell *cell = &run->batch.cell[0];
    run_report(stdout, run->options.format, batch_scenario(&run->batch, 0), &settings, cell->record, cell->replicas);
    note_reuse(run);
    int stuck = batch_complain_about_progress(&run->batch);
    return status == COMMAND_DONE ? stuck : status;
}

int cmd_run(int argc, char **argv)
{
    struct run run = {.options = options_default()};
    batch_init(&run.batch, &run.options, "run");
    run.batch.keeps_scenarios = true;
    parse_arguments(&run, argc, argv);
    int status = open_scenario(&run);
    if (status == COMMAND_DONE)
        status = batch_open_store(&run.batch);
    if (status == COMMAND_DONE)
        status = open_tape(&run);
    if (status == COMMAND_DONE)
        status = batch_look_up(&run.batch);
    if (status == COMMAND_DONE)
        status = report(&run, batch_simulate(&run.batch));
    batch_fini(&run.batch);
    if (run.text != NULL)
        scenario_close(run.text);
    options_fini(&run.options);
    return status;
}
