#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/command.h"
#include "tools/faultline/notes.h"
#include "tools/faultline/options.h"
#include "tools/faultline/progress.h"
#include "tools/faultline/run_report.h"
#include "tools/faultline/runner.h"
#include "tools/faultline/store.h"

/* One call of `faultline run`. Job j of the runner is replica todo[j]. */
struct batch {
    struct options options;
    const char *path;
    struct runlog wanted; /* which logs to keep */
    struct scenario_text *text;
    struct scenario scenario;
    char *repeat;
    struct store *store; /* NULL without -o */
    int64_t scenario_id;
    size_t replicas;
    struct record *record; /* by replica */
    size_t todos;
    uint32_t *todo;
    struct runlog *log;            /* by job */
    struct run_observer *observer; /* by job */
    struct progress progress;
    struct sim_error error;
};

/* ------------------------------------------------------------------ arguments */

enum { KEY_LOG = 0x200 };

static const struct argp_option option_list[] = {
    {"log", KEY_LOG, "WHAT", 0,
     "Store besides the summary also every change of state (transitions) or every round of the syncer (rounds); may be "
     "repeated; needs -o",
     2},
    {0}};

static void parse_log(struct batch *batch, const struct argp_state *state, const char *what)
{
    if (strcmp(what, "transitions") == 0)
        batch->wanted.keeps_transitions = true;
    else if (strcmp(what, "rounds") == 0)
        batch->wanted.keeps_rounds = true;
    else if (strcmp(what, "summary") != 0)
        argp_error(state, "--log: '%s' is not one of summary, transitions, rounds", what);
}

static bool has_log(const struct batch *batch)
{
    return batch->wanted.keeps_transitions || batch->wanted.keeps_rounds;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct batch *batch = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &batch->options;
        return 0;
    case KEY_LOG:
        parse_log(batch, state, argument);
        return 0;
    case ARGP_KEY_ARG:
        if (batch->path != NULL)
            argp_error(state, "one scenario at a time; '%s' is one too many", argument);
        batch->path = argument;
        return 0;
    case ARGP_KEY_END:
        if (batch->path == NULL)
            argp_error(state, "SCENARIO is missing");
        if (has_log(batch) && batch->options.output == NULL)
            argp_error(state, "--log stores rows: it needs -o FILE.db");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse_arguments(struct batch *batch, int argc, char **argv)
{
    const struct argp_child children[] = {{.argp = &options_argp}, {0}};
    const struct argp argp = {
        .options = option_list,
        .parser = parse_option,
        .args_doc = "SCENARIO",
        .doc =
            "Simulate the replicas of a scenario (a YAML file; - is stdin) and print what came out.\v"
            "CSV and JSON have one row per replica and hold fractions; the table shows percent. Exit status: 0 done, "
            "2 bad input, 3 not stored, 4 a replica made no progress, 128 plus the signal when interrupted: what had "
            "finished is kept.",
        .children = children,
    };
    (void)argp_parse(&argp, argc, argv, 0, NULL, batch);
}

/* ------------------------------------------------------------------ preparation */

static int complain(const struct batch *batch, int status)
{
    fprintf(stderr, "faultline: %s\n", batch->error.text);
    return status;
}

static int open_scenario(struct batch *batch)
{
    if (scenario_open(batch->path, &batch->text, &batch->error) != 0 ||
        options_build(&batch->options, batch->text, &batch->scenario, &batch->error) != 0)
        return complain(batch, COMMAND_BAD_INPUT);
    batch->repeat = options_repeat(&batch->options, "run", batch->path, batch->scenario.seed);
    if (!batch->options.is_quiet)
        notes_print(&batch->scenario.config);
    return COMMAND_DONE;
}

static int open_store(struct batch *batch)
{
    if (batch->options.output == NULL)
        return COMMAND_DONE;
    if (store_open(batch->options.output, &batch->store, &batch->error) != 0 ||
        store_scenario(batch->store, &batch->scenario, batch->text, batch->options.setting, batch->options.settings,
                       &batch->scenario_id, &batch->error) != 0)
        return complain(batch, COMMAND_NOT_STORED);
    return COMMAND_DONE;
}

/* Reads back what is stored and lists the rest as jobs. */
static int find_stored(struct batch *batch)
{
    batch->replicas = (size_t)batch->options.replicas;
    batch->record = sim_allocate(batch->replicas, sizeof *batch->record);
    batch->todo = sim_allocate(batch->replicas, sizeof *batch->todo);
    for (uint32_t replica = 0; replica < batch->replicas; replica++) {
        struct record *record = &batch->record[replica];
        int found = batch->store == NULL ? 0
                                         : store_find(batch->store, batch->scenario_id, batch->scenario.seed, replica,
                                                      &batch->wanted, record, &batch->error);
        if (found < 0)
            return complain(batch, COMMAND_NOT_STORED);
        if (found == 0)
            batch->todo[batch->todos++] = replica;
        record_fini(record);
    }
    return COMMAND_DONE;
}

/* ------------------------------------------------------------------ simulation */

static void prepare_job(void *context, size_t job, struct run_request *ret)
{
    struct batch *batch = context;
    *ret = (struct run_request){
        .config = &batch->scenario.config,
        .seed = batch->scenario.seed,
        .replica = batch->todo[job],
        .repeat = batch->repeat,
    };
    if (!has_log(batch))
        return;
    batch->log[job] = batch->wanted;
    batch->log[job].on_over = runner_stop;
    batch->observer[job] = runlog_observer(&batch->log[job]);
    ret->observer = &batch->observer[job];
}

static int save(struct batch *batch, const struct record *record, const struct runlog *log)
{
    if (batch->store == NULL)
        return 0;
    return store_save(batch->store, batch->scenario_id, record, log, &batch->error);
}

/* Keeps the record when it is stored, or need not be. */
static int deliver_job(void *context, size_t job, const struct run_result *result, double wall_s)
{
    struct batch *batch = context;
    uint32_t replica = batch->todo[job];
    if (batch->log[job].is_over)
        return COMMAND_NOT_STORED;
    struct record record = record_from_result(result, batch->scenario.seed, replica, wall_s);
    int failure = save(batch, &record, &batch->log[job]);
    runlog_fini(&batch->log[job]);
    record_fini(&record);
    if (failure != 0)
        return COMMAND_NOT_STORED;
    batch->record[replica] = record;
    return 0;
}

static void on_tick(void *context, size_t delivered)
{
    struct batch *batch = context;
    progress_update(&batch->progress, delivered);
}

static int complain_about_log(struct batch *batch)
{
    for (size_t job = 0; job < batch->todos; job++) {
        if (batch->log[job].is_over)
            (void)sim_error_set(&batch->error,
                                "%s: replica %" PRIu32 " has more than %zu rows of one log: none of it is stored; log "
                                "less, or a shorter duration",
                                batch->options.output, batch->todo[job], RUNLOG_ROWS_MAX);
    }
    return complain(batch, COMMAND_NOT_STORED);
}

static bool has_overrun(const struct batch *batch)
{
    for (size_t job = 0; job < batch->todos; job++)
        if (batch->log[job].is_over)
            return true;
    return false;
}

static size_t finished(const struct batch *batch)
{
    size_t count = 0;
    for (size_t i = 0; i < batch->replicas; i++)
        count += batch->record[i].is_filled;
    return count;
}

static int complain_about_signal(const struct batch *batch, int number)
{
    fprintf(stderr, "faultline: interrupted: %zu of %zu replicas are finished%s%s, the rest is not done\n",
            finished(batch), batch->replicas, batch->store == NULL ? "" : " and kept in ",
            batch->store == NULL ? "" : batch->options.output);
    return COMMAND_SIGNAL + number;
}

static int simulate(struct batch *batch)
{
    struct runner_end end;
    batch->log = sim_allocate(batch->todos, sizeof *batch->log);
    batch->observer = sim_allocate(batch->todos, sizeof *batch->observer);
    struct runner_plan plan = {
        .jobs = batch->todos,
        .threads = batch->options.jobs,
        .window = has_log(batch) ? 2 * (size_t)batch->options.jobs : 0,
        .context = batch,
        .prepare = prepare_job,
        .deliver = deliver_job,
        .tick = on_tick,
    };
    batch->progress = progress_start(batch->todos, batch->options.is_quiet);
    int failure = runner_run(&plan, &end, &batch->error);
    progress_stop(&batch->progress);
    if (failure != 0)
        return complain(batch, COMMAND_NOT_STORED);
    if (has_overrun(batch))
        return complain_about_log(batch);
    if (end.refused != 0)
        return complain(batch, end.refused);
    return end.signal != 0 ? complain_about_signal(batch, end.signal) : COMMAND_DONE;
}

/* ------------------------------------------------------------------ report */

static void note_reuse(const struct batch *batch)
{
    size_t reused = batch->replicas - batch->todos;
    if (batch->store != NULL && !batch->options.is_quiet)
        fprintf(stderr, "faultline: %zu reused, %zu computed\n", reused, finished(batch) - reused);
}

/* Replicas that made no progress, the first by name. */
static int complain_about_progress(const struct batch *batch)
{
    size_t stuck = 0;
    const struct record *first = NULL;
    for (size_t i = 0; i < batch->replicas; i++) {
        const struct record *record = &batch->record[i];
        if (!record->is_filled || record->status != RUN_NO_PROGRESS)
            continue;
        first = stuck++ == 0 ? record : first;
    }
    if (first == NULL)
        return COMMAND_DONE;
    fprintf(stderr, "faultline: replica %" PRIu32 ": no progress at t = %.9g s; %zu of %zu replicas ended so\n",
            first->replica, sim_time_seconds(first->no_progress_at_ns), stuck, batch->replicas);
    return COMMAND_NO_ANSWER;
}

/* Prints what is finished, also when `status` is a failure; returns the status of the command. */
static int report(struct batch *batch, int status)
{
    const struct run_report_settings settings = {batch->options.setting, batch->options.settings};
    run_report(stdout, batch->options.format, &batch->scenario, &settings, batch->record, batch->replicas);
    note_reuse(batch);
    int stuck = complain_about_progress(batch);
    return status == COMMAND_DONE ? stuck : status;
}

static void release(struct batch *batch)
{
    for (size_t job = 0; batch->log != NULL && job < batch->todos; job++)
        runlog_fini(&batch->log[job]);
    store_close(batch->store);
    if (batch->text != NULL)
        scenario_close(batch->text);
    options_fini(&batch->options);
    free(batch->repeat);
    free(batch->record);
    free(batch->todo);
    free(batch->log);
    free(batch->observer);
}

int cmd_run(int argc, char **argv)
{
    struct batch batch = {.options = options_default()};
    parse_arguments(&batch, argc, argv);
    int status = open_scenario(&batch);
    if (status == COMMAND_DONE)
        status = open_store(&batch);
    if (status == COMMAND_DONE)
        status = find_stored(&batch);
    if (status == COMMAND_DONE)
        status = report(&batch, simulate(&batch));
    release(&batch);
    return status;
}
