#include "tools/faultline/sweep_report.h"

#include "sim/sequential.h"
#include "tools/faultline/control.h"
#include "tools/faultline/people.h"

#define NAME_MAX_BYTES 64
#define COLUMNS_MAX (VARY_KEYS_MAX + 1 + 3 * RUN_METRIC_COUNT)

struct summary_sample sweep_sample(const struct sweep_report *report, size_t cell, enum run_metric metric)
{
    const struct batch_cell *of = &report->batch->cell[cell];
    struct summary_sample sample = report->is_controlled
                                       ? control_sample(of->failure_rate, of->record, of->looked_up, metric)
                                       : metric_sample(of->record, of->looked_up, metric);
    if (report->precision[metric] > 0)
        sample.ci95 = sim_sequential_half_width(sample.n, sample.sd, 0.95);
    return sample;
}

static size_t finished(const struct batch_cell *cell)
{
    size_t n = 0;
    for (size_t i = 0; i < cell->looked_up; i++)
        n += record_counts(&cell->record[i]);
    return n;
}

static size_t key_columns(const struct vary *vary, struct summary_column column[])
{
    size_t columns = 0;
    for (; columns < vary_keys(vary); columns++)
        column[columns] = (struct summary_column){.name = vary_key(vary, columns), .is_text = true};
    column[columns++] = (struct summary_column){.name = "n"};
    return columns;
}

static size_t key_cells(const struct sweep_report *report, size_t row, struct summary_cell cell[])
{
    size_t filled = 0;
    for (; filled < vary_keys(report->vary); filled++)
        cell[filled] = summary_text(vary_value(report->vary, report->cell[row], filled));
    cell[filled++] = summary_integer((int64_t)finished(&report->batch->cell[row]));
    return filled;
}

/* ------------------------------------------------------------------ rows for programs */

static struct summary_writer *open_rows(FILE *to, enum summary_format format, const struct vary *vary)
{
    static const char *const suffix[] = {"", "_sd", "_ci95"};
    struct summary_column column[COLUMNS_MAX];
    char name[RUN_METRIC_COUNT][3][NAME_MAX_BYTES];
    size_t columns = key_columns(vary, column);
    for (size_t i = 0; i < RUN_METRIC_COUNT; i++)
        for (size_t k = 0; k < 3; k++) {
            (void)snprintf(name[i][k], NAME_MAX_BYTES, "%s%s", run_metric_info[i].name, suffix[k]);
            column[columns++] = (struct summary_column){.name = name[i][k]};
        }
    return summary_open(to, format, column, columns);
}

static void write_row(struct summary_writer *writer, const struct sweep_report *report, size_t row)
{
    struct summary_cell cell[COLUMNS_MAX];
    size_t filled = key_cells(report, row, cell);
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        struct summary_sample sample = sweep_sample(report, row, (enum run_metric)i);
        cell[filled++] = summary_real(sample.mean);
        cell[filled++] = summary_real(sample.sd);
        cell[filled++] = summary_real(sample.ci95);
    }
    summary_row(writer, cell);
}

/* ------------------------------------------------------------------ table for people */

static struct summary_writer *open_table(FILE *to, const struct sweep_report *report)
{
    struct summary_column column[COLUMNS_MAX];
    size_t columns = key_columns(report->vary, column);
    for (size_t i = 0; i < RUN_METRIC_COUNT; i++)
        if (report->is_shown[i]) {
            column[columns++] = (struct summary_column){.name = run_metric_info[i].name};
            column[columns++] = (struct summary_column){.name = "+- 95 %"};
        }
    return summary_open(to, SUMMARY_TABLE, column, columns);
}

static void write_people_row(struct summary_writer *writer, const struct sweep_report *report, size_t row)
{
    struct summary_cell cell[COLUMNS_MAX];
    char text[RUN_METRIC_COUNT][2][PEOPLE_TEXT_MAX];
    size_t filled = key_cells(report, row, cell);
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        if (!report->is_shown[i])
            continue;
        struct summary_sample sample = sweep_sample(report, row, (enum run_metric)i);
        people_sample(&sample, run_metric_info[i].kind == RUN_METRIC_FRACTION, text[i][0], text[i][1]);
        cell[filled++] = summary_text(text[i][0]);
        cell[filled++] = summary_text(text[i][1]);
    }
    summary_row(writer, cell);
}

void sweep_print(FILE *to, enum summary_format format, const struct sweep_report *report)
{
    bool is_table = format == SUMMARY_TABLE;
    struct summary_writer *writer = is_table ? open_table(to, report) : open_rows(to, format, report->vary);
    for (size_t row = 0; row < report->batch->cells; row++) {
        if (is_table)
            write_people_row(writer, report, row);
        else
            write_row(writer, report, row);
    }
    summary_close(writer);
}
