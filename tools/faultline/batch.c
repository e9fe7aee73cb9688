#include "tools/faultline/batch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/command.h"
#include "tools/faultline/control.h"
#include "tools/faultline/runner.h"

struct batch_scenario {
    struct scenario scenario;
    char *repeat; /* the command line */
};

struct batch_job {
    struct batch_cell *cell;
    uint32_t replica;
    struct runlog log;
    struct run_observer observer;
};

static int complain(const struct batch *batch, int status)
{
    fprintf(stderr, "faultline: %s\n", batch->error.text);
    return status;
}

/* ------------------------------------------------------------------ cells */

void batch_init(struct batch *batch, struct options *options, const char *command)
{
    *batch = (struct batch){.options = options, .command = command};
}

static void drop_scenario(struct batch_scenario *scenario)
{
    if (scenario != NULL)
        free(scenario->repeat);
    free(scenario);
}

static void drop_jobs(struct batch *batch)
{
    for (size_t i = 0; i < batch->jobs; i++)
        runlog_fini(&batch->job[i].log);
    free(batch->job);
    batch->job = NULL;
    batch->jobs = 0;
}

static void drop_learners(const struct batch *batch, struct record *record)
{
    if (!batch->keeps_learners)
        record_fini(record);
}

void batch_fini(struct batch *batch)
{
    drop_jobs(batch);
    for (size_t i = 0; i < batch->cells; i++) {
        drop_scenario(atomic_load(&batch->cell[i].scenario));
        for (size_t k = 0; k < batch->cell[i].looked_up; k++)
            record_fini(&batch->cell[i].record[k]);
        free(batch->cell[i].record);
    }
    free(batch->cell);
    tape_abandon(batch->tape);
    trace_abandon(batch->trace);
    store_close(batch->store);
}

/* NULL with an error when the scenario is not valid. */
static struct batch_scenario *build(const struct batch *batch, const struct batch_cell *cell, struct sim_error *error)
{
    struct batch_scenario *built = sim_allocate(1, sizeof *built);
    if (options_build(batch->options, cell->text, cell->setting, cell->settings, &built->scenario, error) != 0) {
        free(built);
        return NULL;
    }
    built->repeat = options_repeat(batch->options, batch->command, cell->path, cell->setting, cell->settings,
                                   built->scenario.seed, cell->replicas);
    return built;
}

/* The scenario of the cell, built when it is not there. Any thread may call it. */
static const struct batch_scenario *scenario_of(const struct batch *batch, struct batch_cell *cell)
{
    struct sim_error error;
    struct batch_scenario *there = atomic_load(&cell->scenario);
    if (there != NULL)
        return there;
    struct batch_scenario *built = build(batch, cell, &error);
    SIM_ASSERT(NULL, built != NULL); /* it was valid when the cell was added */
    if (atomic_compare_exchange_strong(&cell->scenario, &there, built))
        return built;
    drop_scenario(built); /* another thread was faster */
    return there;
}

static void let_go(const struct batch *batch, struct batch_cell *cell)
{
    if (!batch->keeps_scenarios)
        drop_scenario(atomic_exchange(&cell->scenario, NULL));
}

int batch_add(struct batch *batch, const struct batch_cell *cell)
{
    struct batch_scenario *built = build(batch, cell, &batch->error);
    if (built == NULL)
        return -1;
    const char *objection = batch->needs_control ? control_objection(&built->scenario.config) : NULL;
    if (objection != NULL) {
        drop_scenario(built);
        return sim_error_set(&batch->error, "--control: %s", objection);
    }
    batch->options->seed = built->scenario.seed;
    batch->options->has_seed = true;
    batch->cell = alloc_grown(batch->cell, batch->cells, &batch->cells_capacity, sizeof *batch->cell);
    struct batch_cell *added = &batch->cell[batch->cells++];
    *added = *cell;
    added->failure_rate = control_rate(&built->scenario.config);
    atomic_store(&added->scenario, built);
    let_go(batch, added);
    return 0;
}

const struct scenario *batch_scenario(const struct batch *batch, size_t cell)
{
    SIM_ASSERT(NULL, batch->keeps_scenarios);
    return &atomic_load(&batch->cell[cell].scenario)->scenario;
}

/* What is missing or empty holds nothing, and is no mistake. */
static int open_reading(struct batch *batch)
{
    if (access(batch->options->output, F_OK) != 0 && errno == ENOENT)
        return COMMAND_DONE;
    if (store_open_reading(batch->options->output, &batch->store, &batch->error) < 0)
        return complain(batch, COMMAND_BAD_INPUT);
    return COMMAND_DONE;
}

int batch_open_store(struct batch *batch)
{
    if (batch->options->output == NULL)
        return COMMAND_DONE;
    if (batch->only_reads)
        return open_reading(batch);
    if (store_open(batch->options->output, batch->options->journal, &batch->store, &batch->error) != 0)
        return complain(batch, COMMAND_NOT_STORED);
    int64_t older = store_older_version(batch->store);
    if (older != 0 && !batch->options->is_quiet)
        fprintf(stderr, "faultline: %s: its tables were those of schema version %" PRId64 ", now they are of %d\n",
                batch->options->output, older, STORE_SCHEMA_VERSION);
    return COMMAND_DONE;
}

/* ------------------------------------------------------------------ what is stored */

static bool is_first(const struct batch *batch, const struct batch_cell *cell, size_t replica)
{
    return cell == batch->cell && replica == 0;
}

static bool is_taped(const struct batch *batch, const struct batch_cell *cell, size_t replica)
{
    return batch->tape != NULL && is_first(batch, cell, replica);
}

static bool is_traced(const struct batch *batch, const struct batch_cell *cell, size_t replica)
{
    return batch->trace != NULL && is_first(batch, cell, replica);
}

/* Who is told what happens in a replica, besides its log; NULL: nobody. */
static const struct run_observer *witness(const struct batch *batch, const struct batch_cell *cell, size_t replica)
{
    if (is_taped(batch, cell, replica))
        return tape_observer(batch->tape);
    return is_traced(batch, cell, replica) ? trace_observer(batch->trace) : NULL;
}

/* Enters the scenario of a cell, or finds it, unless that was done before; -1 on failure. */
static int enter_scenario(struct batch *batch, struct batch_cell *cell)
{
    if (batch->store == NULL || cell->scenario_id != 0)
        return 0;
    const struct scenario *scenario = &scenario_of(batch, cell)->scenario;
    int failure = batch->only_reads ? store_find_scenario(batch->store, scenario, &cell->scenario_id, &batch->error)
                                    : store_scenario(batch->store, scenario, cell->text, cell->setting, cell->settings,
                                                     &cell->scenario_id, &batch->error);
    let_go(batch, cell);
    return failure < 0 ? -1 : 0;
}

/* Reads back the new replicas of a cell that are stored; -1 on failure. */
static int find_stored_of(struct batch *batch, struct batch_cell *cell)
{
    cell->record = sim_reallocate(cell->record, cell->replicas, sizeof *cell->record);
    for (; cell->looked_up < cell->replicas; cell->looked_up++) {
        struct record *record = &cell->record[cell->looked_up];
        *record = (struct record){0};
        if (batch->store != NULL && witness(batch, cell, cell->looked_up) == NULL &&
            store_find(batch->store, cell->scenario_id, batch->options->seed, (uint32_t)cell->looked_up, &batch->wanted,
                       record, &batch->error) < 0)
            return -1;
        drop_learners(batch, record);
    }
    return 0;
}

static size_t missing(const struct batch_cell *cell)
{
    size_t count = 0;
    for (size_t i = 0; i < cell->replicas; i++)
        count += !cell->record[i].is_filled;
    return count;
}

/* A job for every replica that is not there. */
static void list_jobs(struct batch *batch)
{
    size_t jobs = 0;
    drop_jobs(batch);
    for (size_t i = 0; i < batch->cells; i++)
        jobs += batch->cell[i].undelivered = missing(&batch->cell[i]);
    batch->job = sim_allocate(jobs, sizeof *batch->job);
    for (size_t i = 0; i < batch->cells; i++)
        for (size_t replica = 0; replica < batch->cell[i].replicas; replica++)
            if (!batch->cell[i].record[replica].is_filled)
                batch->job[batch->jobs++] = (struct batch_job){.cell = &batch->cell[i], .replica = (uint32_t)replica};
}

int batch_look_up(struct batch *batch)
{
    for (size_t i = 0; i < batch->cells; i++)
        if (enter_scenario(batch, &batch->cell[i]) != 0 || find_stored_of(batch, &batch->cell[i]) != 0)
            return complain(batch, COMMAND_NOT_STORED);
    list_jobs(batch);
    return COMMAND_DONE;
}

/* ------------------------------------------------------------------ simulation */

static bool has_log(const struct batch *batch)
{
    return batch->wanted.keeps_transitions || batch->wanted.keeps_rounds;
}

static void prepare_job(void *context, size_t index, struct run_request *ret)
{
    struct batch *batch = context;
    struct batch_job *job = &batch->job[index];
    const struct batch_scenario *built = scenario_of(batch, job->cell);
    *ret = (struct run_request){
        .config = &built->scenario.config,
        .seed = built->scenario.seed,
        .replica = job->replica,
        .repeat = built->repeat,
    };
    const struct run_observer *next = witness(batch, job->cell, job->replica);
    if (is_taped(batch, job->cell, job->replica))
        ret->draws = tape_draws(batch->tape);
    if (!has_log(batch) && next == NULL)
        return;
    job->log = batch->wanted;
    job->log.next = next;
    job->log.on_over = runner_stop;
    job->observer = runlog_observer(&job->log);
    ret->observer = &job->observer;
}

static int save(struct batch *batch, const struct batch_job *job, const struct record *record)
{
    if (batch->store == NULL)
        return 0;
    return store_save(batch->store, job->cell->scenario_id, record, &job->log, &batch->error);
}

static int finish_tape(struct batch *batch, const struct batch_job *job, const struct run_result *result)
{
    if (!is_taped(batch, job->cell, job->replica))
        return 0;
    struct tape_writer *tape = batch->tape;
    batch->tape = NULL;
    if (result->status == RUN_DONE)
        return tape_finish(tape, result, &batch->error);
    tape_abandon(tape);
    return sim_error_set(&batch->error, "no tape: replica 0 ended as %s", run_status_name[result->status]);
}

/* Whatever the status: where a run got stuck is what one wants to see. */
static int finish_trace(struct batch *batch, const struct batch_job *job, const struct run_result *result)
{
    sim_time cut_ns = -1;
    if (!is_traced(batch, job->cell, job->replica))
        return 0;
    const struct config *config = &scenario_of(batch, job->cell)->scenario.config;
    struct trace *trace = batch->trace;
    batch->trace = NULL;
    if (trace_finish(trace, config->warmup_ns + result->duration_ns, &cut_ns, &batch->error) != 0)
        return -1;
    if (cut_ns >= 0 && !batch->options->is_quiet)
        fprintf(stderr,
                "faultline: the trace ends at t = %.9g s, after %d events; a shorter duration shows all of it\n",
                sim_time_seconds(cut_ns), TRACE_EVENTS_MAX);
    return 0;
}

/* Keeps the record when it is stored, or need not be. */
static int deliver_job(void *context, size_t index, const struct run_result *result, double wall_s)
{
    struct batch *batch = context;
    struct batch_job *job = &batch->job[index];
    if (job->log.is_over)
        return COMMAND_NOT_STORED;
    struct record record = record_from_result(result, batch->options->seed, job->replica, wall_s);
    int failure = save(batch, job, &record);
    if (failure == 0)
        failure = finish_tape(batch, job, result);
    if (failure == 0)
        failure = finish_trace(batch, job, result);
    runlog_fini(&job->log);
    drop_learners(batch, &record);
    if (failure != 0) {
        record_fini(&record);
        return COMMAND_NOT_STORED;
    }
    job->cell->record[job->replica] = record;
    if (--job->cell->undelivered == 0) {
        let_go(batch, job->cell);
        batch->cells_done++;
    }
    return 0;
}

static void on_tick(void *context, size_t delivered)
{
    struct batch *batch = context;
    progress_update(&batch->progress, batch->cells_done, delivered);
}

static int complain_about_log(struct batch *batch, const struct batch_job *job)
{
    (void)sim_error_set(&batch->error,
                        "%s: replica %" PRIu32 " has more than %zu rows of one log: none of it is stored; log less, or "
                        "a shorter duration",
                        batch->options->output, job->replica, RUNLOG_ROWS_MAX);
    return complain(batch, COMMAND_NOT_STORED);
}

/* The last job with too long a log, or NULL. */
static const struct batch_job *overrun(const struct batch *batch)
{
    for (size_t i = batch->jobs; i > 0; i--)
        if (batch->job[i - 1].log.is_over)
            return &batch->job[i - 1];
    return NULL;
}

static size_t wanted_replicas(const struct batch *batch)
{
    size_t count = 0;
    for (size_t i = 0; i < batch->cells; i++)
        count += batch->cell[i].replicas;
    return count;
}

static int complain_about_signal(const struct batch *batch, int number)
{
    fprintf(stderr, "faultline: interrupted: %zu of %zu replicas are finished%s%s, the rest is not done\n",
            batch_finished(batch), wanted_replicas(batch), batch->store == NULL ? "" : " and kept in ",
            batch->store == NULL ? "" : batch->options->output);
    return COMMAND_SIGNAL + number;
}

static size_t cells_with_jobs(const struct batch *batch)
{
    size_t count = 0;
    for (size_t i = 0; i < batch->cells; i++)
        count += batch->cell[i].undelivered > 0;
    return count;
}

int batch_simulate(struct batch *batch)
{
    struct runner_end end;
    struct runner_plan plan = {
        .jobs = batch->jobs,
        .threads = batch->options->jobs,
        .timeout_s = batch->options->timeout_s,
        .window = has_log(batch) ? 2 * (size_t)batch->options->jobs : 0,
        .context = batch,
        .prepare = prepare_job,
        .deliver = deliver_job,
        .tick = on_tick,
    };
    batch->cells_done = 0;
    batch->progress = progress_start(cells_with_jobs(batch), batch->jobs, batch->options->is_quiet);
    int failure = runner_run(&plan, &end, &batch->error);
    progress_stop(&batch->progress);
    const struct batch_job *over = overrun(batch);
    if (failure != 0)
        return complain(batch, COMMAND_NOT_STORED);
    if (over != NULL)
        return complain_about_log(batch, over);
    if (end.refused != 0)
        return complain(batch, end.refused);
    return end.signal != 0 ? complain_about_signal(batch, end.signal) : COMMAND_DONE;
}

/* ------------------------------------------------------------------ what came of it */

static size_t count_records(const struct batch *batch, bool reused_only)
{
    size_t count = 0;
    for (size_t i = 0; i < batch->cells; i++)
        for (size_t k = 0; k < batch->cell[i].looked_up; k++)
            count += batch->cell[i].record[k].is_filled && (batch->cell[i].record[k].is_reused || !reused_only);
    return count;
}

size_t batch_finished(const struct batch *batch)
{
    return count_records(batch, false);
}

size_t batch_reused(const struct batch *batch)
{
    return count_records(batch, true);
}

static void print_end(const struct batch *batch, const struct record *record)
{
    if (record->status == RUN_TIMEOUT)
        fprintf(stderr,
                "stopped at t = %.9g s after %.3g s of wall time (--timeout): the same command computes it again",
                sim_time_seconds(record->no_progress_at_ns), batch->options->timeout_s);
    else if (record->status == RUN_STALLED)
        fprintf(stderr, "stalled: its work is not done after %.9g s (until.within)", record->duration_s);
    else
        fprintf(stderr, "no progress at t = %.9g s", sim_time_seconds(record->no_progress_at_ns));
}

/* Replicas that ended in this way, the first by name. */
static int complain_about_end(const struct batch *batch, enum run_status status)
{
    size_t stuck = 0;
    const struct record *first = NULL;
    const char *cell = "";
    for (size_t i = 0; i < batch->cells; i++)
        for (size_t k = 0; k < batch->cell[i].looked_up; k++) {
            const struct record *record = &batch->cell[i].record[k];
            if (!record->is_filled || record->status != status || stuck++ > 0)
                continue;
            first = record;
            cell = batch->cell[i].name;
        }
    if (first == NULL)
        return COMMAND_DONE;
    fprintf(stderr, "faultline: %s%sreplica %" PRIu32 ": ", cell, cell[0] == '\0' ? "" : ": ", first->replica);
    print_end(batch, first);
    fprintf(stderr, "; %zu of %zu replicas ended so\n", stuck, wanted_replicas(batch));
    return COMMAND_NO_ANSWER;
}

bool batch_has_timeout(const struct batch *batch)
{
    for (size_t i = 0; i < batch->cells; i++)
        for (size_t k = 0; k < batch->cell[i].looked_up; k++)
            if (batch->cell[i].record[k].is_filled && batch->cell[i].record[k].status == RUN_TIMEOUT)
                return true;
    return false;
}

int batch_complain_about_progress(const struct batch *batch)
{
    static const enum run_status bad[] = {RUN_TIMEOUT, RUN_NO_PROGRESS, RUN_STALLED};
    int status = COMMAND_DONE;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (complain_about_end(batch, bad[i]) != COMMAND_DONE)
            status = COMMAND_NO_ANSWER;
    return status;
}
