#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/html.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/metric.h"
#include "tools/faultline/people.h"
#include "tools/faultline/report_internal.h"

enum { VARIED_MAX = 12, VALUES_MAX = 8 };

/* ------------------------------------------------------------------ one scenario: every metric */

static bool is_worth_a_row(const struct summary_sample *sample)
{
    return isfinite(sample->mean) && (sample->mean != 0 || sample->sd > 0);
}

void report_metrics(FILE *to, const struct report_scenario *scenario)
{
    const struct summary_column column[] = {{"metric", true}, {"mean", false}, {"± 95 %", false}, {"meaning", true}};
    struct summary_writer *writer = summary_open(to, SUMMARY_HTML, column, 4);
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        char mean[PEOPLE_TEXT_MAX], half_width[PEOPLE_TEXT_MAX];
        struct summary_sample sample = metric_sample(scenario->record, scenario->records, (enum run_metric)i);
        if (!is_worth_a_row(&sample))
            continue;
        people_sample(&sample, run_metric_info[i].kind == RUN_METRIC_FRACTION, mean, half_width);
        const struct summary_cell row[] = {summary_text(run_metric_info[i].name), summary_text(mean),
                                           summary_text(half_width), summary_text(run_metric_info[i].meaning)};
        summary_row(writer, row);
    }
    summary_close(writer);
}

/* ------------------------------------------------------------------ many scenarios: a row each */

/* What a comparison shows of each scenario: always the first two, the others where they are not alike. */
static const enum run_metric compared[] = {RUN_METRIC_goodput,  RUN_METRIC_uptime,        RUN_METRIC_time_to_train_s,
                                           RUN_METRIC_failures, RUN_METRIC_interruptions, RUN_METRIC_rounds};

#define COMPARED (sizeof compared / sizeof compared[0])
#define ALWAYS_COMPARED 2
#define COLUMNS_MAX (2 + VARIED_MAX + 1 + 2 * COMPARED)

static bool tells_apart(const struct report *report, enum run_metric metric)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < report->scenarios; i++) {
        struct summary_sample sample = metric_sample(report->scenario[i].record, report->scenario[i].records, metric);
        if (!isfinite(sample.mean))
            continue;
        low = fmin(low, sample.mean);
        high = fmax(high, sample.mean);
    }
    return high > low;
}

struct comparison {
    const struct report *report;
    size_t varieds;
    enum run_metric metric[COMPARED];
    size_t metrics;
};

static struct comparison plan_comparison(const struct report *report)
{
    struct comparison plan = {.report = report, .varieds = report->varieds < VARIED_MAX ? report->varieds : VARIED_MAX};
    for (size_t i = 0; i < COMPARED; i++)
        if (i < ALWAYS_COMPARED || tells_apart(report, compared[i]))
            plan.metric[plan.metrics++] = compared[i];
    return plan;
}

static struct summary_writer *open_comparison(FILE *to, const struct comparison *plan)
{
    struct summary_column column[COLUMNS_MAX] = {{"id", false}, {"name", true}};
    size_t columns = report_has_one_name(plan->report) ? 1 : 2;
    for (size_t i = 0; i < plan->varieds; i++)
        column[columns++] = (struct summary_column){plan->report->varied[i], true};
    column[columns++] = (struct summary_column){"n", false};
    for (size_t i = 0; i < plan->metrics; i++) {
        column[columns++] = (struct summary_column){run_metric_info[plan->metric[i]].name, false};
        column[columns++] = (struct summary_column){"± 95 %", false};
    }
    return summary_open(to, SUMMARY_HTML, column, columns);
}

static void compare_row(struct summary_writer *writer, const struct comparison *plan,
                        const struct report_scenario *scenario)
{
    struct summary_cell cell[COLUMNS_MAX] = {summary_integer(scenario->id), summary_text(scenario->name)};
    char mean[COMPARED][PEOPLE_TEXT_MAX], half_width[COMPARED][PEOPLE_TEXT_MAX];
    size_t cells = report_has_one_name(plan->report) ? 1 : 2;
    for (size_t i = 0; i < plan->varieds; i++) {
        const struct report_param *param = report_param(scenario, plan->report->varied[i]);
        cell[cells++] = summary_text(param != NULL ? param->text : "-");
    }
    cell[cells++] = summary_integer((int64_t)report_counted(scenario));
    for (size_t i = 0; i < plan->metrics; i++) {
        struct summary_sample sample = metric_sample(scenario->record, scenario->records, plan->metric[i]);
        people_sample(&sample, run_metric_info[plan->metric[i]].kind == RUN_METRIC_FRACTION, mean[i], half_width[i]);
        bool none_seen = plan->metric[i] == RUN_METRIC_uptime && sample.mean >= 1 && !(sample.ci95 > 0);
        cell[cells++] = summary_text(none_seen ? "no stop seen" : mean[i]);
        cell[cells++] = summary_text(none_seen ? "" : half_width[i]);
    }
    summary_row(writer, cell);
}

void report_comparison(FILE *to, const struct report *report)
{
    struct comparison plan = plan_comparison(report);
    struct summary_writer *writer = open_comparison(to, &plan);
    for (size_t i = 0; i < report->scenarios && i < REPORT_ROWS_MAX; i++)
        compare_row(writer, &plan, &report->scenario[i]);
    summary_close(writer);
    if (report->varieds > plan.varieds)
        (void)fprintf(to, "<p class=\"note\">%zu more keys differ; the database has them in <code>param</code>.</p>\n",
                      report->varieds - plan.varieds);
    if (report->scenarios > REPORT_ROWS_MAX)
        (void)fprintf(to, "<p class=\"note\">The first %d of %zu scenarios.</p>\n", REPORT_ROWS_MAX, report->scenarios);
}

/* ------------------------------------------------------------------ effective keys */

/* Where a value comes from, and the default that it replaces. */
static char *source_text(const struct report_param *param)
{
    const struct keys_key *key = NULL;
    struct alloc_draft draft;
    alloc_draft_start(&draft);
    (void)fputs(param->source, draft.to);
    bool is_known = keys_find(param->key, &key) == KEYS_KEY && key->default_text != NULL;
    if (is_known && strcmp(param->source, "user") == 0) {
        if (strcmp(key->default_text, param->text) == 0)
            (void)fprintf(draft.to, "; the default, too (%s)", keys_source_name[key->source]);
        else
            (void)fprintf(draft.to, "; default %s (%s)", key->default_text, keys_source_name[key->source]);
    }
    return alloc_draft_finish(&draft);
}

static bool is_varied(const struct report *report, const char *key)
{
    for (size_t i = 0; i < report->varieds; i++)
        if (strcmp(report->varied[i], key) == 0)
            return true;
    return false;
}

static void param_row(struct summary_writer *writer, const struct report_param *param, const char *value)
{
    const struct keys_key *key = NULL;
    char *source = source_text(param);
    bool is_known = keys_find(param->key, &key) == KEYS_KEY;
    const struct summary_cell row[] = {summary_text(param->key), summary_text(value), summary_text(source),
                                       summary_text(is_known ? key->help : "")};
    summary_row(writer, row);
    free(source);
}

/* The values of a varied key in order, each once: "1, 2, 4, 8"; the caller frees it. */
static char *values_text(const struct report *report, const char *key)
{
    struct alloc_draft draft;
    size_t count = 0, shown = 0, distinct = 0;
    struct report_param *value = sim_allocate(report->scenarios, sizeof *value);
    for (size_t i = 0; i < report->scenarios; i++) {
        const struct report_param *param = report_param(&report->scenario[i], key);
        if (param != NULL)
            value[count++] = *param;
    }
    qsort(value, count, sizeof *value, report_param_order);
    alloc_draft_start(&draft);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(value[i].text, value[i - 1].text) == 0)
            continue;
        if (distinct++ < VALUES_MAX)
            (void)fprintf(draft.to, "%s%s", shown++ == 0 ? "" : ", ", value[i].text);
    }
    if (distinct > shown)
        (void)fprintf(draft.to, " and %zu more", distinct - shown);
    if (count < report->scenarios)
        (void)fputs("; or none", draft.to);
    free(value);
    return alloc_draft_finish(&draft);
}

static const struct report_param *first_param(const struct report *report, const char *key)
{
    const struct report_param *param = NULL;
    for (size_t i = 0; i < report->scenarios && param == NULL; i++)
        param = report_param(&report->scenario[i], key);
    return param;
}

static struct summary_writer *open_params(FILE *to)
{
    const struct summary_column column[] = {{"key", true}, {"value", true}, {"source", true}, {"meaning", true}};
    return summary_open(to, SUMMARY_HTML, column, 4);
}

static void write_varied(FILE *to, const struct report *report)
{
    (void)fputs("<h3>What differs</h3>\n", to);
    struct summary_writer *writer = open_params(to);
    for (size_t i = 0; i < report->varieds; i++) {
        char *values = values_text(report, report->varied[i]);
        param_row(writer, first_param(report, report->varied[i]), values);
        free(values);
    }
    summary_close(writer);
    (void)fputs("<h3>What is common</h3>\n", to);
}

void report_params(FILE *to, const struct report *report)
{
    if (report->varieds > 0)
        write_varied(to, report);
    const struct report_scenario *first = &report->scenario[0];
    struct summary_writer *writer = open_params(to);
    for (size_t i = 0; i < first->params; i++)
        if (!is_varied(report, first->param[i].key))
            param_row(writer, &first->param[i], first->param[i].text);
    summary_close(writer);
}
