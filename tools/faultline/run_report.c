#include "tools/faultline/run_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/control.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/metric.h"
#include "tools/faultline/people.h"
#include "tools/faultline/rare.h"
#include "tools/faultline/value.h"

#define TEXT_MAX 48
#define LINE_WIDTH 85
#define OUTAGES_MANY 30 /* from here on the interval of uptime says it all */

/* ------------------------------------------------------------------ rows */

static const struct summary_column fixed_column[] = {
    {"scenario", true}, {"method", true}, {"chips", false},      {"learners", false},
    {"replica", false}, {"seed", false},  {"duration_s", false},
};

#define FIXED (sizeof fixed_column / sizeof fixed_column[0])
#define BUCKETS (FIXED + RUN_METRIC_COUNT)
#define STATUS (BUCKETS + RUN_BUCKET_COUNT)
#define SETTINGS (STATUS + 1)
#define COLUMNS_MAX (SETTINGS + RUN_REPORT_SETTINGS_MAX)

/* The settings that a row shows besides its fixed columns, each key once, the last value it was given. */
struct shown {
    const struct run_report_settings *settings;
    size_t index[RUN_REPORT_SETTINGS_MAX];
    char key[RUN_REPORT_SETTINGS_MAX][KEYS_PATH_MAX];
    size_t count;
};

static bool is_fixed_column(const char *key)
{
    for (size_t i = 0; i < FIXED; i++)
        if (strcmp(fixed_column[i].name, key) == 0)
            return true;
    return false;
}

static void show(struct shown *shown, size_t index)
{
    char key[KEYS_PATH_MAX];
    const char *setting = shown->settings->setting[index];
    (void)snprintf(key, sizeof key, "%.*s", (int)strcspn(setting, "="), setting);
    if (is_fixed_column(key))
        return;
    size_t i = 0;
    while (i < shown->count && strcmp(shown->key[i], key) != 0)
        i++;
    if (i == RUN_REPORT_SETTINGS_MAX)
        return;
    memcpy(shown->key[i], key, sizeof key);
    shown->index[i] = index;
    shown->count += i == shown->count;
}

static struct summary_writer *open_rows(FILE *to, enum summary_format format, const struct shown *shown)
{
    struct summary_column column[COLUMNS_MAX];
    char bucket_name[RUN_BUCKET_COUNT][TEXT_MAX];
    memcpy(column, fixed_column, sizeof fixed_column);
    for (size_t i = 0; i < RUN_METRIC_COUNT; i++)
        column[FIXED + i] = (struct summary_column){.name = run_metric_info[i].name};
    for (size_t i = 0; i < RUN_BUCKET_COUNT; i++) {
        (void)snprintf(bucket_name[i], TEXT_MAX, "%s_chip_s", run_bucket_name[i]);
        column[BUCKETS + i] = (struct summary_column){.name = bucket_name[i]};
    }
    column[STATUS] = (struct summary_column){.name = "status", .is_text = true};
    for (size_t i = 0; i < shown->count; i++)
        column[SETTINGS + i] = (struct summary_column){.name = shown->key[i], .is_text = true};
    return summary_open(to, format, column, SETTINGS + shown->count);
}

static struct summary_cell metric_cell(const struct record *record, size_t metric)
{
    double value = record->metric[metric];
    bool is_count = run_metric_info[metric].kind == RUN_METRIC_COUNT_KIND && fabs(value) < 0x1p63;
    return is_count ? summary_integer((int64_t)value) : summary_real(value);
}

static void write_row(struct summary_writer *writer, const struct scenario *scenario, const struct record *record,
                      const struct shown *shown)
{
    struct summary_cell cell[COLUMNS_MAX] = {
        summary_text(scenario->name),
        summary_text(config_method_name[scenario->config.method]),
        summary_integer(scenario->config.chips),
        summary_integer(scenario->config.learners),
        summary_integer(record->replica),
        summary_integer((int64_t)record->seed),
        summary_real(record->duration_s),
    };
    for (size_t i = 0; i < RUN_METRIC_COUNT; i++)
        cell[FIXED + i] = metric_cell(record, i);
    for (size_t i = 0; i < RUN_BUCKET_COUNT; i++)
        cell[BUCKETS + i] = summary_real(record->bucket_chip_s[i]);
    cell[STATUS] = summary_text(run_status_name[record->status]);
    for (size_t i = 0; i < shown->count; i++)
        cell[SETTINGS + i] = summary_text(strchr(shown->settings->setting[shown->index[i]], '=') + 1);
    summary_row(writer, cell);
}

static void write_rows(FILE *to, enum summary_format format, const struct scenario *scenario,
                       const struct run_report_settings *settings, const struct record records[], size_t count)
{
    struct shown shown = {.settings = settings};
    for (size_t i = 0; i < settings->settings; i++)
        show(&shown, i);
    struct summary_writer *writer = open_rows(to, format, &shown);
    for (size_t i = 0; i < count; i++)
        if (records[i].is_filled)
            write_row(writer, scenario, &records[i], &shown);
    summary_close(writer);
}

/* ------------------------------------------------------------------ table for people */

static void write_sample(struct summary_writer *writer, const char *name, struct summary_sample of, bool is_fraction)
{
    char mean[PEOPLE_TEXT_MAX];
    char half_width[PEOPLE_TEXT_MAX];
    people_sample(&of, is_fraction, mean, half_width);
    struct summary_cell cell[] = {summary_text(name), summary_text(mean), summary_text(half_width)};
    summary_row(writer, cell);
}

static void write_controlled(struct summary_writer *writer, size_t metric, struct summary_sample plain,
                             struct summary_sample controlled)
{
    char mean[PEOPLE_TEXT_MAX], half_width[PEOPLE_TEXT_MAX], fewer[PEOPLE_TEXT_MAX] = "-";
    double ratio = plain.sd / controlled.sd;
    people_sample(&controlled, run_metric_info[metric].kind == RUN_METRIC_FRACTION, mean, half_width);
    if (isfinite(ratio))
        (void)snprintf(fewer, sizeof fewer, "%.3g", ratio * ratio);
    struct summary_cell cell[] = {summary_text(run_metric_info[metric].name), summary_text(mean),
                                  summary_text(half_width), summary_text(fewer)};
    summary_row(writer, cell);
}

static bool is_zero(const struct summary_sample *sample)
{
    return sample->mean == 0 && !(sample->sd > 0);
}

/* What a planner looks for also when it is 0; other metrics that are 0 share a line, for most are about what the
 * scenario does not have. */
static bool is_shown(size_t metric, const struct summary_sample *sample)
{
    bool is_answer = metric == RUN_METRIC_goodput || metric == RUN_METRIC_uptime || metric == RUN_METRIC_failures;
    return is_answer || !(isnan(sample->mean) || is_zero(sample));
}

static void write_zeros(FILE *to, const struct record records[], size_t count)
{
    const char *before = "\n0 in every replica: ";
    size_t width = strlen(before);
    for (size_t i = 0; i < RUN_METRIC_COUNT; i++) {
        struct summary_sample sample = metric_sample(records, count, (enum run_metric)i);
        if (is_shown(i, &sample) || !is_zero(&sample))
            continue;
        width += strlen(run_metric_info[i].name) + 2;
        (void)fprintf(to, "%s%s", before, run_metric_info[i].name);
        before = width > LINE_WIDTH ? ",\n" : ", ";
        width = width > LINE_WIDTH ? 0 : width;
    }
    (void)fputs(before[0] == ',' ? "\n" : "", to);
}

static void write_metrics(FILE *to, const struct config *config, bool is_controlled, const struct record records[],
                          size_t count)
{
    const struct summary_column column[] = {
        {"metric", true}, {"mean", false}, {"+- 95 %", false}, {"times fewer", false}};
    struct summary_writer *writer = summary_open(to, SUMMARY_TABLE, column, is_controlled ? 4 : 3);
    for (size_t i = 0; i < RUN_METRIC_COUNT; i++) {
        struct summary_sample sample = metric_sample(records, count, (enum run_metric)i);
        bool is_twice = i == RUN_METRIC_quorum_uptime && !config_has_syncer(config); /* it is the uptime */
        if (!is_shown(i, &sample) || is_twice)
            continue;
        if (is_controlled)
            write_controlled(writer, i, sample,
                             control_sample(control_rate(config), records, count, (enum run_metric)i));
        else
            write_sample(writer, run_metric_info[i].name, sample, run_metric_info[i].kind == RUN_METRIC_FRACTION);
    }
    summary_close(writer);
    write_zeros(to, records, count);
}

static void write_account(FILE *to, const struct record records[], size_t count)
{
    const struct summary_column column[] = {{"chip-time", true}, {"share", false}, {"+- 95 %", false}};
    struct summary_writer *writer = summary_open(to, SUMMARY_TABLE, column, 3);
    for (size_t i = 0; i < RUN_BUCKET_COUNT; i++) {
        struct summary_sample share = metric_share(records, count, (enum run_bucket)i);
        if (share.mean != 0)
            write_sample(writer, run_bucket_name[i], share, true);
    }
    summary_close(writer);
}

/* A name is the user's own: control characters in it must not reach a terminal. */
static void write_name(FILE *to, const char *name)
{
    for (; *name != '\0'; name++)
        (void)fputc((unsigned char)*name < 0x20 || *name == 0x7f ? '?' : *name, to);
}

static void write_span(FILE *to, double seconds)
{
    char span[PEOPLE_TEXT_MAX];
    people_span(seconds, span);
    (void)fputs(span, to);
}

static void write_seen(FILE *to, const struct rare *rare)
{
    (void)fputs(": one in ", to);
    write_span(to, rare->gap_low_s);
    (void)fputs(" to ", to);
    write_span(to, rare->gap_high_s);
    (void)fputs(" (95 %), of ", to);
    write_span(to, rare->length_s);
    (void)fputs(" on average\n", to);
}

static void write_unseen(FILE *to, const struct rare *rare)
{
    (void)fputs(": with 95 % confidence at most one in ", to);
    write_span(to, rare->gap_low_s);
    (void)fputs(";\nthe bound on uptime is for outages as long as a mean pause of a learner, ", to);
    write_span(to, rare->length_s);
    (void)fputc('\n', to);
}

/* How often nobody stepped, when that was seldom. */
static void write_outages(FILE *to, const struct record records[], size_t count)
{
    const struct rare rare = rare_of(records, count);
    if (rare.outages >= OUTAGES_MANY || !(rare.length_s > 0))
        return;
    (void)fprintf(to, "\n%.0f outage%s in ", rare.outages, rare.outages == 1 ? "" : "s");
    write_span(to, rare.watched_s);
    if (rare.outages > 0)
        write_seen(to, &rare);
    else
        write_unseen(to, &rare);
}

/* What a run has to do, or how long it takes. */
static void write_length(FILE *to, const struct config *config)
{
    char tokens[PEOPLE_TEXT_MAX];
    if (!config_has_until(config)) {
        write_span(to, sim_time_seconds(config->duration_ns - config->warmup_ns));
    } else if (config->until_work_ns > 0) {
        write_span(to, sim_time_seconds(config->until_work_ns));
        (void)fputs(" of work", to);
    } else {
        people_amount(RUN_METRIC_tokens, config->until_tokens, tokens);
        (void)fprintf(to, "%s tokens", tokens);
    }
}

static void write_heading(FILE *to, const struct scenario *scenario, size_t done, size_t count)
{
    const struct config *config = &scenario->config;
    char chips[VALUE_TEXT_MAX];
    value_write_count(config->chips, chips);
    write_name(to, scenario->name);
    (void)fprintf(to, ": %s, %s chips in %" PRId64 " learner%s, seed %" PRIu64 "\n", config_method_name[config->method],
                  chips, config->learners, config->learners == 1 ? "" : "s", scenario->seed);
    (void)fprintf(to, "mean of %zu replica%s of ", done, done == 1 ? "" : "s");
    write_length(to, config);
    if (done < count)
        (void)fprintf(to, "; %zu not done", count - done);
    (void)fputc('\n', to);
}

void run_report(FILE *to, enum summary_format format, const struct scenario *scenario,
                const struct run_report_settings *settings, const struct record records[], size_t count)
{
    if (format != SUMMARY_TABLE) {
        write_rows(to, format, scenario, settings, records, count);
        return;
    }
    size_t done = 0;
    for (size_t i = 0; i < count; i++)
        done += record_counts(&records[i]);
    write_heading(to, scenario, done, count);
    if (done == 0)
        return;
    (void)fputc('\n', to);
    write_metrics(to, &scenario->config, settings->is_controlled, records, count);
    write_outages(to, records, count);
    (void)fputc('\n', to);
    write_account(to, records, count);
}
