/* cmd_sweep.c -- `faultline sweep`: a scenario with every combination of values of some keys. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "sim/sequential.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/command.h"
#include "tools/faultline/control.h"
#include "tools/faultline/cost.h"
#include "tools/faultline/options.h"
#include "tools/faultline/shard.h"
#include "tools/faultline/sweep_left.h"
#include "tools/faultline/sweep_precision.h"

#define REPLICAS_MAX_DEFAULT 1000 /* of a cell with --precision */

/* One --vary or --zip. */
struct spec {
    const char *text;
    bool is_zipped;
};

/* One call of `faultline sweep`. */
struct sweep {
    struct options options;
    const char *path;
    const char *cells_path; /* --cells */
    struct spec *spec;
    size_t specs, specs_capacity;
    int64_t replicas_max;
    struct shard shard;
    bool is_every_shard; /* in turn, for an outline */
    bool is_outline;     /* --dry-run */
    struct scenario_text *text;
    struct vary *vary;
    const char **setting; /* of all cells of the vary, one after the other */
    char **name;          /* of each of them */
    uint64_t *weight;     /* of each of them; NULL when nothing asks for it */
    size_t *cell;         /* those that are simulated here, in their order */
    size_t cells;
    struct batch batch;
    struct sweep_report report;
};

/* ------------------------------------------------------------------ arguments */

enum { KEY_VARY = 0x200, KEY_ZIP, KEY_CELLS, KEY_PRECISION, KEY_MAX, KEY_SHOW, KEY_SHARD, KEY_DRY_RUN, KEY_CONTROL };

static const struct argp_option option_list[] = {
    {"vary", KEY_VARY, "KEY=LIST", 0,
     "Values of a key: 1,2,4 or a range, 150k..2.4M x2, 0..60s +5s, 1..4; commas in parentheses do not split. May be "
     "repeated: every combination is a cell, the last key moving fastest",
     3},
    {"zip", KEY_ZIP, "KEY=LIST", 0, "The same, but all keys that are zipped move in step", 3},
    {"cells", KEY_CELLS, "FILE", 0,
     "Cells from a file (- is stdin), one a line: KEY=VALUE KEY=VALUE; every line has the same keys", 3},
    {"precision", KEY_PRECISION, "METRIC=HALF-WIDTH", 0,
     "Add replicas to each cell until the 95 % interval of the metric is that narrow, as in goodput=0.3%; -n (at least "
     "10) is where it starts. May be repeated",
     3},
    {"max-replicas", KEY_MAX, "N", 0, "With --precision: at most N replicas a cell (default 1000)", 3},
    {"control", KEY_CONTROL, NULL, 0, "Narrower intervals by what is known of the failures, a control variate", 3},
    {"show", KEY_SHOW, "METRIC,...", 0, "Metrics of the table (default: goodput,uptime); CSV and JSON have all", 3},
    {"shard", KEY_SHARD, "I/N", 0,
     "Simulate only part I of N, for as many machines: cells are dealt out by predicted cost, the same everywhere. "
     "Needs "
     "a seed; a part may be empty",
     3},
    {"dry-run", KEY_DRY_RUN, NULL, 0,
     "Simulate nothing; print what there is to do, in seconds of one core, and what of it the database of -o holds. "
     "--shard '*/N' prints a row for each part, and a * in the name of the database is its number",
     3},
    {0}};

static void add_spec(struct sweep *sweep, const char *text, bool is_zipped)
{
    sweep->spec = alloc_grown(sweep->spec, sweep->specs, &sweep->specs_capacity, sizeof *sweep->spec);
    sweep->spec[sweep->specs++] = (struct spec){text, is_zipped};
}

static void parse_precision(struct sweep *sweep, const struct argp_state *state, const char *text)
{
    struct sim_error error;
    enum run_metric metric = 0;
    double half_width = 0;
    size_t length = strcspn(text, "=");
    if (text[length] == '\0')
        argp_error(state, "--precision: expected METRIC=HALF-WIDTH, as in goodput=0.3%%");
    char *name = alloc_text(text);
    name[length] = '\0';
    if (metric_find(name, &metric, &error) != 0 || metric_read(metric, text + length + 1, &half_width, &error) != 0)
        argp_error(state, "--precision: %s", error.text);
    if (!(half_width > 0))
        argp_error(state, "--precision: a half-width is above 0");
    free(name);
    sweep->report.precision[metric] = half_width;
    sweep->report.is_shown[metric] = true;
}

static void parse_show(struct sweep *sweep, const struct argp_state *state, const char *list)
{
    struct sim_error error;
    enum run_metric metric = 0;
    char *copy = alloc_text(list), *rest = copy, *name;
    while ((name = strsep(&rest, ",")) != NULL) {
        if (metric_find(name, &metric, &error) != 0)
            argp_error(state, "--show: %s", error.text);
        sweep->report.is_shown[metric] = true;
    }
    free(copy);
}

static void parse_shard(struct sweep *sweep, const struct argp_state *state, const char *text)
{
    char *first = alloc_text(text);
    sweep->is_every_shard = text[0] == '*';
    if (sweep->is_every_shard)
        first[0] = '1';
    if (!shard_read(first, &sweep->shard))
        argp_error(state, "--shard: '%s' is not I/N, as in 3/8, with I from 1 to N and N from 1 to %d", text,
                   SHARD_COUNT_MAX);
    free(first);
}

static bool is_stdin(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

static void parse_end(struct sweep *sweep, const struct argp_state *state)
{
    if (sweep->path == NULL)
        argp_error(state, "SCENARIO is missing");
    if (sweep->specs == 0 && sweep->cells_path == NULL)
        argp_error(state, "nothing is varied: give --vary, --zip or --cells");
    if (is_stdin(sweep->cells_path) && is_stdin(sweep->path))
        argp_error(state, "standard input can be the scenario or the cells, not both");
    if (sweep->is_every_shard && !sweep->is_outline)
        argp_error(state, "--shard: every part at once is for --dry-run");
    if (sweep->report.is_controlled && sweep->options.replicas < CONTROL_REPLICAS_MIN)
        argp_error(state, "--control takes %d replicas and more", CONTROL_REPLICAS_MIN);
    if (memchr(sweep->report.is_shown, true, sizeof sweep->report.is_shown) == NULL)
        sweep->report.is_shown[RUN_METRIC_goodput] = sweep->report.is_shown[RUN_METRIC_uptime] = true;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct sweep *sweep = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &sweep->options;
        return 0;
    case KEY_VARY:
    case KEY_ZIP:
        add_spec(sweep, argument, key == KEY_ZIP);
        return 0;
    case KEY_CELLS:
        sweep->cells_path = argument;
        return 0;
    case KEY_PRECISION:
        parse_precision(sweep, state, argument);
        return 0;
    case KEY_MAX:
        if (!options_integer(argument, SIM_SEQUENTIAL_FIRST, OPTIONS_REPLICAS_MAX, &sweep->replicas_max))
            argp_error(state, "--max-replicas: '%s' is not a whole number from %d to %d", argument,
                       SIM_SEQUENTIAL_FIRST, OPTIONS_REPLICAS_MAX);
        return 0;
    case KEY_SHOW:
        parse_show(sweep, state, argument);
        return 0;
    case KEY_CONTROL:
        sweep->report.is_controlled = sweep->batch.needs_control = true;
        return 0;
    case KEY_SHARD:
        parse_shard(sweep, state, argument);
        return 0;
    case KEY_DRY_RUN:
        sweep->is_outline = true;
        return 0;
    case ARGP_KEY_ARG:
        options_one(state, "scenario", argument, &sweep->path);
        return 0;
    case ARGP_KEY_END:
        parse_end(sweep, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse_arguments(struct sweep *sweep, int argc, char **argv)
{
    const struct argp_child children[] = {{.argp = &options_argp}, {0}};
    const struct argp argp = {
        .options = option_list,
        .parser = parse_option,
        .args_doc = "SCENARIO",
        .doc = "Simulate a scenario (a YAML file; - is stdin) with every combination of values of some keys, under the "
               "same chaos, and print a row per cell.\v"
               "CSV and JSON have the varied keys, n, and of each metric the mean, _sd and _ci95 (half-width, "
               "Student's t), as fractions. With -o finished replicas are stored and reused. Exit status: 0 done, 2 "
               "bad input, 3 not stored, 4 a replica made no progress or a precision was not reached, 128 plus the "
               "signal when interrupted: what had finished is kept.",
        .children = children,
    };
    options_parse(&argp, argc, argv, sweep);
}

/* ------------------------------------------------------------------ cells */

static bool is_precise_wanted(const struct sweep *sweep)
{
    for (size_t i = 0; i < RUN_METRIC_COUNT; i++)
        if (sweep->report.precision[i] > 0)
            return true;
    return false;
}

static int read_cells(struct sweep *sweep, struct sim_error *error)
{
    for (size_t i = 0; i < sweep->specs; i++)
        if (vary_add(sweep->vary, sweep->spec[i].text, sweep->spec[i].is_zipped, error) != 0)
            return -1;
    if (sweep->cells_path != NULL && vary_add_file(sweep->vary, sweep->cells_path, error) != 0)
        return -1;
    return vary_finish(sweep->vary, error);
}

/* What distinguishes a cell from the others; the caller frees it. */
static char *cell_name(const struct vary *vary, size_t cell)
{
    struct alloc_draft draft;
    alloc_draft_start(&draft);
    for (size_t i = 0; i < vary_keys(vary); i++)
        (void)fprintf(draft.to, "%s%s", i == 0 ? "" : " ", vary_setting(vary, cell, i));
    return alloc_draft_finish(&draft);
}

static size_t settings_of(const struct sweep *sweep)
{
    return sweep->options.settings + vary_keys(sweep->vary);
}

static const char **setting_of(const struct sweep *sweep, size_t index)
{
    return &sweep->setting[index * settings_of(sweep)];
}

/* Settings and name of a cell. */
static void describe_cell(struct sweep *sweep, size_t index)
{
    const struct options *options = &sweep->options;
    const char **setting = setting_of(sweep, index);
    for (size_t i = 0; i < settings_of(sweep); i++)
        setting[i] =
            i < options->settings ? options->setting[i] : vary_setting(sweep->vary, index, i - options->settings);
    sweep->name[index] = cell_name(sweep->vary, index);
}

/* -1, with the cell in front of what is wrong with it. */
static int refuse_cell(struct sweep *sweep, size_t index)
{
    char quoted[VALUE_QUOTE_MAX];
    struct sim_error why = sweep->batch.error;
    return sim_error_set(&sweep->batch.error, "cell %zu, %s: %.800s", index + 1,
                         value_quote(sweep->name[index], quoted), why.text);
}

static int add_cell(struct sweep *sweep, size_t index, size_t replicas)
{
    const struct batch_cell cell = {
        .text = sweep->text,
        .path = sweep->path,
        .setting = setting_of(sweep, index),
        .settings = settings_of(sweep),
        .name = sweep->name[index],
        .replicas = replicas,
    };
    return batch_add(&sweep->batch, &cell) == 0 ? 0 : refuse_cell(sweep, index);
}

static int add_cells(struct sweep *sweep)
{
    size_t replicas = (size_t)sweep->options.replicas;
    if (is_precise_wanted(sweep) && replicas < SIM_SEQUENTIAL_FIRST)
        replicas = SIM_SEQUENTIAL_FIRST;
    if (sweep->cells * replicas > OPTIONS_REPLICAS_MAX)
        return sim_error_set(&sweep->batch.error, "%zu cells of %zu replicas are more than %d replicas", sweep->cells,
                             replicas, OPTIONS_REPLICAS_MAX);
    for (size_t i = 0; i < sweep->cells; i++)
        if (add_cell(sweep, sweep->cell[i], replicas) != 0)
            return -1;
    return 0;
}

/* ------------------------------------------------------------------ shards */

/* Every cell is built, also those of other shards: what is not valid is refused by all of them. */
static int weigh_cell(struct sweep *sweep, size_t index, uint64_t *ret)
{
    struct scenario scenario;
    struct sim_error *error = &sweep->batch.error;
    if (scenario_build(sweep->text, setting_of(sweep, index), settings_of(sweep), &scenario, error) != 0)
        return refuse_cell(sweep, index);
    if (sweep->shard.count > 0 && !scenario.has_seed && !sweep->options.has_seed)
        return sim_error_set(error, "--shard: there is no seed, and each shard would draw its own; give --seed, or "
                                    "seed in the scenario");
    scenario.config.every_step = sweep->options.every_step;
    *ret = shard_weight(cost_seconds(&scenario.config));
    return 0;
}

static int weigh_cells(struct sweep *sweep)
{
    size_t cells = vary_cells(sweep->vary);
    sweep->weight = sim_allocate(cells, sizeof *sweep->weight);
    for (size_t i = 0; i < cells; i++)
        if (weigh_cell(sweep, i, &sweep->weight[i]) != 0)
            return -1;
    return 0;
}

/* Keeps the cells of the shard. */
static void deal_cells(struct sweep *sweep)
{
    double share = 0;
    size_t cells = vary_cells(sweep->vary);
    const struct shard *shard = &sweep->shard;
    sweep->cells = shard_cells(shard, sweep->weight, cells, sweep->cell, &share);
    if (!sweep->options.is_quiet)
        fprintf(stderr, "faultline: shard %" PRIu32 "/%" PRIu32 ": %zu of %zu cells, %.1f %% of the predicted work\n",
                shard->index + 1, shard->count, sweep->cells, cells, 100 * share);
}

static int choose_cells(struct sweep *sweep)
{
    size_t cells = sweep->cells = vary_cells(sweep->vary);
    sweep->setting = sim_allocate(cells * settings_of(sweep), sizeof *sweep->setting);
    sweep->name = sim_allocate(cells, sizeof *sweep->name);
    sweep->report.cell = sweep->cell = sim_allocate(cells, sizeof *sweep->cell);
    for (size_t i = 0; i < cells; i++) {
        describe_cell(sweep, i);
        sweep->cell[i] = i;
    }
    if (sweep->shard.count == 0 && !sweep->is_outline)
        return 0;
    if (weigh_cells(sweep) != 0)
        return -1;
    if (!sweep->is_outline)
        deal_cells(sweep);
    return 0;
}

static int prepare(struct sweep *sweep)
{
    struct sim_error *error = &sweep->batch.error;
    if (read_cells(sweep, error) == 0 && scenario_open(sweep->path, &sweep->text, error) == 0 &&
        choose_cells(sweep) == 0 && (sweep->is_outline || add_cells(sweep) == 0))
        return COMMAND_DONE;
    fprintf(stderr, "faultline: %s\n", error->text);
    return COMMAND_BAD_INPUT;
}

/* ------------------------------------------------------------------ run and report */

/* A cell of which nothing was computed is reused; one of which something was, computed. */
static void note_reuse(const struct sweep *sweep)
{
    size_t reused = 0, computed = 0;
    for (size_t i = 0; i < sweep->batch.cells; i++) {
        const struct batch_cell *cell = &sweep->batch.cell[i];
        bool is_reused = true, is_whole = true;
        for (size_t k = 0; k < cell->looked_up; k++) {
            is_whole = is_whole && cell->record[k].is_filled;
            is_reused = is_reused && cell->record[k].is_reused;
        }
        reused += is_whole && is_reused;
        computed += is_whole && !is_reused;
    }
    if (sweep->options.output != NULL && !sweep->options.is_quiet)
        fprintf(stderr, "faultline: %zu reused, %zu computed\n", reused, computed);
}

static int report(struct sweep *sweep, int status)
{
    sweep_print(stdout, sweep->options.format, &sweep->report);
    note_reuse(sweep);
    int stuck = batch_complain_about_progress(&sweep->batch);
    if (status == COMMAND_DONE)
        status = stuck;
    return status == COMMAND_DONE ? sweep_precision_complain(&sweep->report) : status;
}

static int simulate(struct sweep *sweep)
{
    int status;
    do {
        status = batch_look_up(&sweep->batch);
        if (status != COMMAND_DONE)
            return status;
        status = batch_simulate(&sweep->batch);
    } while (status == COMMAND_DONE &&
             sweep_precision_raise(&sweep->report, (size_t)sweep->replicas_max, &sweep->batch));
    return report(sweep, status);
}

/* ------------------------------------------------------------------ outline */

/* Reads back what is stored of the cells of the batch, as far as replicas are known to be wanted. */
static int look_up_part(struct sweep *sweep)
{
    struct batch *batch = &sweep->batch;
    if (add_cells(sweep) != 0) {
        fprintf(stderr, "faultline: %s\n", batch->error.text);
        return COMMAND_BAD_INPUT;
    }
    int status = batch_open_store(batch);
    do {
        if (status == COMMAND_DONE)
            status = batch_look_up(batch);
    } while (status == COMMAND_DONE && batch->jobs == 0 &&
             sweep_precision_raise(&sweep->report, (size_t)sweep->replicas_max, batch));
    return status;
}

/* A row for one part: the cells whose owner it is. */
static int outline_part(struct sweep *sweep, struct summary_writer *rows, const uint32_t owner[], uint32_t part)
{
    const char *path = sweep->options.output;
    char *name = path != NULL && sweep->is_every_shard ? sweep_left_name(path, part + 1) : NULL;
    sweep->cells = 0;
    for (size_t i = 0; i < vary_cells(sweep->vary); i++)
        if (owner[i] == part)
            sweep->cell[sweep->cells++] = i;
    batch_fini(&sweep->batch); /* of the part before */
    batch_init(&sweep->batch, &sweep->options, "run");
    sweep->batch.only_reads = true;
    sweep->options.output = name != NULL ? name : path;
    int status = look_up_part(sweep);
    if (status == COMMAND_DONE)
        sweep_left_row(rows, part + 1, &sweep->report, sweep->weight);
    sweep->options.output = path;
    free(name);
    return status;
}

static int outline(struct sweep *sweep)
{
    int status = COMMAND_DONE;
    uint32_t parts = sweep->shard.count > 0 ? sweep->shard.count : 1;
    uint32_t first = sweep->shard.index, end = sweep->is_every_shard ? parts : first + 1;
    uint32_t *owner = sim_allocate(vary_cells(sweep->vary), sizeof *owner);
    shard_deal(parts, sweep->weight, vary_cells(sweep->vary), owner);
    struct summary_writer *rows = sweep_left_open(stdout, sweep->options.format);
    for (uint32_t part = first; part < end && status == COMMAND_DONE; part++)
        status = outline_part(sweep, rows, owner, part);
    summary_close(rows);
    free(owner);
    return status;
}

static void release(struct sweep *sweep)
{
    batch_fini(&sweep->batch);
    for (size_t i = 0; sweep->name != NULL && i < vary_cells(sweep->vary); i++)
        free(sweep->name[i]);
    vary_destroy(sweep->vary);
    if (sweep->text != NULL)
        scenario_close(sweep->text);
    options_fini(&sweep->options);
    free(sweep->cell);
    free(sweep->weight);
    free(sweep->name);
    free(sweep->setting);
    free(sweep->spec);
}

int cmd_sweep(int argc, char **argv)
{
    struct sweep sweep = {.options = options_default(), .replicas_max = REPLICAS_MAX_DEFAULT};
    batch_init(&sweep.batch, &sweep.options, "run"); /* a cell is repeated as a run of its own */
    parse_arguments(&sweep, argc, argv);
    sweep.vary = vary_create();
    sweep.report.vary = sweep.vary;
    sweep.report.batch = &sweep.batch;
    int status = prepare(&sweep);
    if (status == COMMAND_DONE && !sweep.is_outline)
        status = batch_open_store(&sweep.batch);
    if (status == COMMAND_DONE)
        status = sweep.is_outline ? outline(&sweep) : simulate(&sweep);
    release(&sweep);
    return status;
}
