#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/report.h"

/* Filling the report; `at` is the scenario that rows ordered by scenario have come to. */
struct reading {
    struct report *report;
    size_t at;
};

static char *text_of(const struct summary_cell *cell)
{
    return alloc_text(cell->kind == SUMMARY_TEXT ? cell->text : "");
}

static double number_of(const struct summary_cell *cell)
{
    if (cell->kind == SUMMARY_INTEGER)
        return (double)cell->integer;
    return cell->kind == SUMMARY_REAL ? cell->real : (double)NAN;
}

/* The scenario that a row is about; rows come in the order of their scenarios. */
static struct report_scenario *scenario_of(struct reading *reading, int64_t id)
{
    struct report *report = reading->report;
    while (reading->at < report->scenarios && report->scenario[reading->at].id < id)
        reading->at++;
    bool is_there = reading->at < report->scenarios && report->scenario[reading->at].id == id;
    return is_there ? &report->scenario[reading->at] : NULL;
}

static void on_scenario(void *context, const struct summary_cell cells[])
{
    struct report *report = ((struct reading *)context)->report;
    report->scenario =
        alloc_grown(report->scenario, report->scenarios, &report->scenarios_capacity, sizeof *report->scenario);
    report->scenario[report->scenarios++] = (struct report_scenario){.id = cells[0].integer,
                                                                     .name = text_of(&cells[1]),
                                                                     .method = text_of(&cells[2]),
                                                                     .chips = cells[3].integer,
                                                                     .learners = cells[4].integer,
                                                                     .question = text_of(&cells[5]),
                                                                     .text = text_of(&cells[6])};
}

static void on_param(void *context, const struct summary_cell cells[])
{
    struct report_scenario *scenario = scenario_of(context, cells[0].integer);
    if (scenario == NULL)
        return;
    scenario->param =
        alloc_grown(scenario->param, scenario->params, &scenario->params_capacity, sizeof *scenario->param);
    scenario->param[scenario->params++] = (struct report_param){.key = text_of(&cells[1]),
                                                                .text = text_of(&cells[2]),
                                                                .number = number_of(&cells[3]),
                                                                .source = text_of(&cells[4])};
}

static enum run_status status_of(const struct summary_cell *cell)
{
    for (int i = 0; i < RUN_STATUS_COUNT; i++)
        if (cell->kind == SUMMARY_TEXT && strcmp(cell->text, run_status_name[i]) == 0)
            return (enum run_status)i;
    return RUN_NO_PROGRESS;
}

/* The columns of runs_sql. */
enum { RUN_SCENARIO, RUN_SEED, RUN_REPLICA, RUN_STATUS, RUN_DURATION, RUN_PAUSE, RUN_METRICS };
enum { RUN_BUCKETS = RUN_METRICS + RUN_METRIC_COUNT };

static void on_run(void *context, const struct summary_cell cells[])
{
    struct report_scenario *scenario = scenario_of(context, cells[RUN_SCENARIO].integer);
    if (scenario == NULL)
        return;
    struct record record = {.is_filled = true,
                            .is_reused = true,
                            .seed = (uint64_t)cells[RUN_SEED].integer,
                            .replica = (uint32_t)cells[RUN_REPLICA].integer,
                            .status = status_of(&cells[RUN_STATUS]),
                            .duration_s = number_of(&cells[RUN_DURATION]),
                            .pause_s = number_of(&cells[RUN_PAUSE])};
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        record.metric[i] = number_of(&cells[RUN_METRICS + i]);
    for (int i = 0; i < RUN_BUCKET_COUNT; i++) {
        double chip_s = number_of(&cells[RUN_BUCKETS + i]);
        record.bucket_chip_s[i] = isnan(chip_s) ? 0 : chip_s;
    }
    scenario->record =
        alloc_grown(scenario->record, scenario->records, &scenario->records_capacity, sizeof *scenario->record);
    scenario->record[scenario->records++] = record;
}

/* A row per run with its metrics and the sums of its buckets; the caller frees it. */
static char *runs_sql(void)
{
    struct alloc_draft sql;
    alloc_draft_start(&sql);
    (void)fputs("SELECT scenario_id, seed, replica, status, duration_s, "
                "(SELECT sum(run.duration_s - stepping_s) FROM learner WHERE run_id = run.id)",
                sql.to);
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        (void)fprintf(sql.to, ", run.\"%s\"", run_metric_info[i].name);
    for (int i = 0; i < RUN_BUCKET_COUNT; i++)
        (void)fprintf(sql.to, ", (SELECT sum(chip_seconds) FROM bucket WHERE run_id = run.id AND name = '%s')",
                      run_bucket_name[i]);
    (void)fputs(" FROM run ORDER BY scenario_id, seed, replica", sql.to);
    return alloc_draft_finish(&sql);
}

/* Of scenarios that say the same, as those of two versions of the models do, the one with the newest run. */
static const char scenarios_sql[] = "SELECT id, name, method, chips, learners, question, text FROM ("
                                    "SELECT *, row_number() OVER (PARTITION BY text ORDER BY ("
                                    "SELECT max(id) FROM run WHERE scenario_id = scenario.id AND status = 'done'"
                                    ") DESC) AS rank FROM scenario) WHERE rank = 1 ORDER BY id";

static void on_older(void *context, const struct summary_cell cells[])
{
    ((struct report *)context)->older = cells[0].integer;
}

static int read_all(struct store *store, struct report *report, struct sim_error *error)
{
    struct reading scenarios = {.report = report}, params = {.report = report}, runs = {.report = report};
    if (store_rows(store, scenarios_sql, on_scenario, &scenarios, error) != 0 ||
        store_rows(store, "SELECT count(*) - count(DISTINCT text) FROM scenario", on_older, report, error) != 0 ||
        store_rows(store, "SELECT scenario_id, key, text, value, source FROM param ORDER BY scenario_id, key", on_param,
                   &params, error) != 0)
        return -1;
    char *sql = runs_sql();
    int status = store_rows(store, sql, on_run, &runs, error);
    free(sql);
    return status;
}

/* ------------------------------------------------------------------ what tells scenarios apart */

static int by_key_and_text(const void *a, const void *b)
{
    const struct report_param *left = a, *right = b;
    int key = strcmp(left->key, right->key);
    return key != 0 ? key : strcmp(left->text, right->text);
}

/* Every key of every scenario, sorted by key and then text, with strings of the scenarios; the caller frees it. */
static struct report_param *all_params(const struct report *report, size_t *ret_count)
{
    size_t count = 0;
    for (size_t i = 0; i < report->scenarios; i++)
        count += report->scenario[i].params;
    struct report_param *all = sim_allocate(count, sizeof *all);
    *ret_count = 0;
    for (size_t i = 0; i < report->scenarios; i++)
        for (size_t k = 0; k < report->scenario[i].params; k++)
            all[(*ret_count)++] = report->scenario[i].param[k];
    qsort(all, count, sizeof *all, by_key_and_text);
    return all;
}

/* Whether the values of one key, sorted, tell scenarios apart, and somebody chose one of them. */
static bool is_varied(const struct report_param value[], size_t count, size_t scenarios)
{
    bool is_chosen = false;
    for (size_t i = 0; i < count; i++)
        is_chosen = is_chosen || strcmp(value[i].source, "user") == 0;
    bool is_the_same = count == scenarios && strcmp(value[0].text, value[count - 1].text) == 0;
    return is_chosen && !is_the_same && strcmp(value[0].key, "name") != 0;
}

static void find_varied(struct report *report)
{
    size_t count = 0;
    struct report_param *all = all_params(report, &count);
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && strcmp(all[end].key, all[first].key) == 0)
            end++;
        if (!is_varied(all + first, end - first, report->scenarios))
            continue;
        report->varied =
            alloc_grown(report->varied, report->varieds, &report->varieds_capacity, sizeof *report->varied);
        report->varied[report->varieds++] = all[first].key;
    }
    free(all);
}

static int by_key(const void *key, const void *param)
{
    return strcmp(key, ((const struct report_param *)param)->key);
}

const struct report_param *report_param(const struct report_scenario *scenario, const char *key)
{
    if (scenario->params == 0)
        return NULL;
    return bsearch(key, scenario->param, scenario->params, sizeof *scenario->param, by_key);
}

static double sortable(double number)
{
    return isnan(number) ? (double)-INFINITY : number;
}

int report_param_order(const void *a, const void *b)
{
    const struct report_param *left = a, *right = b;
    double x = sortable(left->number), y = sortable(right->number);
    if (x < y || x > y)
        return x < y ? -1 : 1;
    return strcmp(left->text, right->text);
}

char *report_label(const struct report *report, const struct report_scenario *scenario, const char *but)
{
    struct alloc_draft draft;
    bool is_empty = true;
    alloc_draft_start(&draft);
    for (size_t i = 0; i < report->varieds; i++) {
        const struct report_param *param = report_param(scenario, report->varied[i]);
        if ((but != NULL && strcmp(report->varied[i], but) == 0) || param == NULL)
            continue;
        (void)fprintf(draft.to, "%s%s = %s", is_empty ? "" : ", ", param->key, param->text);
        is_empty = false;
    }
    if (is_empty)
        (void)fputs(scenario->name, draft.to);
    return alloc_draft_finish(&draft);
}

bool report_has_one_name(const struct report *report)
{
    for (size_t i = 1; i < report->scenarios; i++)
        if (strcmp(report->scenario[i].name, report->scenario[0].name) != 0)
            return false;
    return true;
}

size_t report_counted(const struct report_scenario *scenario)
{
    size_t count = 0;
    for (size_t i = 0; i < scenario->records; i++)
        count += record_counts(&scenario->record[i]);
    return count;
}

/* ------------------------------------------------------------------ the whole */

int report_read(struct store *store, const char *database, struct report *ret, struct sim_error *error)
{
    struct report report = {.store = store, .database = database};
    if (read_all(store, &report, error) != 0) {
        report_fini(&report);
        return -1;
    }
    find_varied(&report);
    *ret = report;
    return 0;
}

static void free_scenario(struct report_scenario *scenario)
{
    for (size_t i = 0; i < scenario->params; i++) {
        free(scenario->param[i].key);
        free(scenario->param[i].text);
        free(scenario->param[i].source);
    }
    free(scenario->param);
    free(scenario->record);
    free(scenario->name);
    free(scenario->method);
    free(scenario->question);
    free(scenario->text);
}

void report_fini(struct report *report)
{
    for (size_t i = 0; i < report->scenarios; i++)
        free_scenario(&report->scenario[i]);
    free(report->scenario);
    free(report->varied);
    *report = (struct report){0};
}
