#include "tools/faultline/fit_report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/faultline/command.h"
#include "tools/faultline/value.h"

enum { NUMBER_MAX = 64, QUANTILES_MAX = 1000 };

/* ------------------------------------------------------------------ tables */

static const struct summary_column columns[] = {
    {"of", true},           {"law", true},   {"text", true},         {"parameter_1", false}, {"se_1", false},
    {"parameter_2", false}, {"se_2", false}, {"parameter_3", false}, {"se_3", false},        {"log_likelihood", false},
    {"aic", false},         {"ks", false},   {"n", false},           {"censored", false},    {"zeros", false},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

void fit_report_rows(enum summary_format format, const struct fit_part parts[], size_t count)
{
    struct summary_writer *writer = summary_open(stdout, format, columns, COLUMNS);
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < parts[p].fits; i++) {
            const struct fit *fit = &parts[p].fit[i];
            const struct sim_law_type *type = sim_law_type(fit->law.kind);
            char text[VALUE_TEXT_MAX];
            value_write_law(&fit->law, text);
            struct summary_cell cell[COLUMNS] = {summary_text(parts[p].name), summary_text(type->name),
                                                 summary_text(text)};
            for (size_t k = 0; k < SIM_LAW_PARAMETERS_MAX; k++) {
                bool has = k < type->parameters;
                cell[3 + 2 * k] = summary_real(has ? fit->law.parameter[k] : (double)NAN);
                cell[4 + 2 * k] = summary_real(has ? fit->error[k] : (double)NAN);
            }
            cell[9] = summary_real(fit->log_likelihood);
            cell[10] = summary_real(fit->aic);
            cell[11] = summary_real(fit->distance);
            cell[12] = summary_integer((int64_t)parts[p].sample.count);
            cell[13] = summary_integer((int64_t)parts[p].sample.censored);
            cell[14] = summary_integer((int64_t)parts[p].sample.zeros);
            summary_row(writer, cell);
        }
    summary_close(writer);
}

/* The scale is a span of time, the others are numbers: 12.6h +- 0.3h, 0.81 +- 0.01. */
static void write_parameter(const struct fit *fit, size_t i, char ret[static VALUE_TEXT_MAX])
{
    char value[VALUE_TEXT_MAX], error[VALUE_TEXT_MAX] = "?";
    const struct sim_law_type *type = sim_law_type(fit->law.kind);
    if (i >= type->parameters) {
        ret[0] = '\0';
        return;
    }
    if (i == 0) {
        value_about_seconds(fit->law.parameter[i], value);
        if (isfinite(fit->error[i]))
            value_about_seconds(fit->error[i], error);
    } else {
        (void)snprintf(value, sizeof value, "%.4g", fit->law.parameter[i]);
        if (isfinite(fit->error[i]))
            (void)snprintf(error, sizeof error, "%.2g", fit->error[i]);
    }
    (void)snprintf(ret, VALUE_TEXT_MAX, "%s %.24s +- %.24s", type->parameter_name[i], value, error);
}

void fit_report_part(const struct fit_part *part)
{
    static const struct summary_column column[] = {
        {"law", true},         {"", true}, {"", true}, {"", true}, {"AIC", false}, {"over the best", false},
        {"KS distance", false}};
    char mean[VALUE_TEXT_MAX], half[VALUE_TEXT_MAX];
    const struct fit_sample *sample = &part->sample;
    value_about_seconds(fit_sample_mean(sample), mean);
    value_about_seconds(sample->resolution_s / 2, half);
    printf("# %zu %ss, mean %s", sample->count - sample->censored, part->name, mean);
    if (sample->censored > 0)
        printf(", and %zu that had not ended", sample->censored);
    if (sample->zeros > 0)
        printf("; %zu of 0 count as %s", sample->zeros, half);
    puts("");
    struct summary_writer *writer = summary_open(stdout, SUMMARY_TABLE, column, 7);
    for (size_t i = 0; i < part->fits; i++) {
        const struct fit *fit = &part->fit[i];
        char parameter[SIM_LAW_PARAMETERS_MAX][VALUE_TEXT_MAX], number[3][NUMBER_MAX];
        for (size_t k = 0; k < SIM_LAW_PARAMETERS_MAX; k++)
            write_parameter(fit, k, parameter[k]);
        (void)snprintf(number[0], NUMBER_MAX, "%.1f", fit->aic);
        (void)snprintf(number[1], NUMBER_MAX, "%.1f", fit->aic - part->fit[0].aic);
        (void)snprintf(number[2], NUMBER_MAX, "%.4f", fit->distance);
        const struct summary_cell cell[] = {summary_text(sim_law_type(fit->law.kind)->name),
                                            summary_text(parameter[0]),
                                            summary_text(parameter[1]),
                                            summary_text(parameter[2]),
                                            summary_text(number[0]),
                                            summary_text(number[1]),
                                            summary_text(number[2])};
        summary_row(writer, cell);
    }
    summary_close(writer);
    puts("");
}

/* ------------------------------------------------------------------ causes */

static void cause_row(struct summary_writer *writer, const char *name, int64_t failures, double outages_s, double all_s)
{
    char mean[VALUE_TEXT_MAX] = "-", share[NUMBER_MAX] = "-";
    if (failures == 0)
        return;
    if (all_s > 0) {
        value_about_seconds(outages_s / (double)failures, mean);
        (void)snprintf(share, sizeof share, "%.1f%%", 100 * outages_s / all_s);
    }
    const struct summary_cell cell[] = {summary_text(name), summary_integer(failures), summary_text(mean),
                                        summary_text(share)};
    summary_row(writer, cell);
}

void fit_report_causes(const struct config_log *log)
{
    static const struct summary_column column[] = {
        {"cause", true}, {"failures", false}, {"mean outage", false}, {"share of down time", false}};
    int64_t unknown = 0;
    double unknown_s = 0, all_s = 0;
    for (int64_t i = 0; i < log->rows; i++) {
        double outage_s = sim_time_seconds(log->row[i].end_ns - log->row[i].start_ns);
        all_s += outage_s;
        unknown += log->row[i].cause == NULL;
        unknown_s += log->row[i].cause == NULL ? outage_s : 0;
    }
    struct summary_writer *writer = summary_open(stdout, SUMMARY_TABLE, column, 4);
    for (int i = 0; i < log->causes; i++)
        cause_row(writer, log->cause[i].name, log->cause[i].failures, log->cause[i].outages_s, all_s);
    cause_row(writer, "(none)", unknown, unknown_s, all_s);
    summary_close(writer);
    puts("");
}

/* ------------------------------------------------------------------ quantiles */

static void write_quantiles(FILE *to, const struct fit_part *part)
{
    double *estimate = fit_estimate(&part->sample);
    size_t n = part->sample.count, step = n / QUANTILES_MAX + 1;
    for (size_t f = 0; f < part->fits; f++) {
        double before = 0;
        for (size_t i = 0; i < n; i++) {
            double p = (before + estimate[i]) / 2;
            before = estimate[i];
            if (part->sample.delay[i].is_censored || i % step != 0 || !(p > 0 && p < 1))
                continue;
            fprintf(to, "%s,%s,", part->name, sim_law_type(part->fit[f].law.kind)->name);
            fprintf(to, "%.9g,%.9g,%.9g\n", p, part->sample.delay[i].seconds, sim_law_quantile(&part->fit[f].law, p));
        }
    }
    free(estimate);
}

int fit_report_quantiles(const char *path, const struct fit_part parts[], size_t count)
{
    FILE *to = fopen(path, "we");
    bool is_bad = to == NULL;
    if (to != NULL) {
        fputs("of,law,p,observed_s,fitted_s\n", to);
        for (size_t i = 0; i < count; i++)
            write_quantiles(to, &parts[i]);
        is_bad = ferror(to) != 0;
        is_bad = fclose(to) != 0 || is_bad;
    }
    if (is_bad)
        fprintf(stderr, "faultline: %s: cannot be written: %s\n", path, strerror(errno));
    return is_bad ? COMMAND_NOT_STORED : COMMAND_DONE;
}
