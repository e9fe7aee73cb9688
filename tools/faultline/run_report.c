#include "tools/faultline/run_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/metric.h"
#include "tools/faultline/people.h"
#include "tools/faultline/value.h"

#define TEXT_MAX 48

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
    bool is_count = run_metric_info[metric].kind == RUN_METRIC_COUNT_KIND && isfinite(value);
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

/* What a method without a syncer is not measured by. */
static const bool is_about_syncer[RUN_METRIC_COUNT] = {
    [RUN_METRIC_quorum_uptime] = true,      [RUN_METRIC_syncer_progress] = true, [RUN_METRIC_rounds] = true,
    [RUN_METRIC_participants] = true,       [RUN_METRIC_quorum_wait_s] = true,   [RUN_METRIC_grace_s] = true,
    [RUN_METRIC_effective_learners] = true, [RUN_METRIC_staleness] = true,       [RUN_METRIC_staleness_max] = true,
    [RUN_METRIC_tokens_merged] = true,      [RUN_METRIC_recoveries] = true,
};

/* What is always 0 where no state can be lost. */
static const bool is_about_checkpoints[RUN_METRIC_COUNT] = {
    [RUN_METRIC_checkpoints] = true, [RUN_METRIC_rollbacks] = true, [RUN_METRIC_steps_lost] = true};

static const bool is_about_shocks[RUN_METRIC_COUNT] = {
    [RUN_METRIC_shocks] = true, [RUN_METRIC_blast_chips] = true, [RUN_METRIC_blast_chips_max] = true};

static bool can_lose_state(const struct config *config)
{
    return config_has_checkpoints(config) || config_can_go_back(config) ||
           config_has_kind(config, CONFIG_SOURCE_SILENT);
}

static bool is_shown(const struct config *config, size_t metric)
{
    if (metric == RUN_METRIC_time_to_train_s)
        return config_has_until(config);
    return (config_has_syncer(config) || !is_about_syncer[metric]) &&
           (can_lose_state(config) || !is_about_checkpoints[metric]) &&
           (config_has_kind(config, CONFIG_SOURCE_DOMAIN) || !is_about_shocks[metric]);
}

static void write_metrics(FILE *to, const struct config *config, const struct record records[], size_t count)
{
    const struct summary_column column[] = {{"metric", true}, {"mean", false}, {"+- 95 %", false}};
    struct summary_writer *writer = summary_open(to, SUMMARY_TABLE, column, 3);
    for (size_t i = 0; i < RUN_METRIC_COUNT; i++)
        if (is_shown(config, i))
            write_sample(writer, run_metric_info[i].name, metric_sample(records, count, (enum run_metric)i),
                         run_metric_info[i].kind == RUN_METRIC_FRACTION);
    summary_close(writer);
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
    if (seconds >= 86400)
        (void)fprintf(to, "%.6g d", seconds / 86400);
    else if (seconds >= 3600)
        (void)fprintf(to, "%.6g h", seconds / 3600);
    else
        (void)fprintf(to, "%.6g s", seconds);
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
    write_metrics(to, &scenario->config, records, count);
    (void)fputc('\n', to);
    write_account(to, records, count);
}
