/* tools/faultline/sweep_report.h -- what `faultline sweep` prints: a row per cell.
 *
 * CSV and JSON have the varied keys as they were given, n, and of each metric its mean, standard deviation (`_sd`) and
 * half-width of the 95 % interval (`_ci95`, Student's t). The table is for people and shows the metrics that are asked
 * for. Replicas that made no progress have no part in n. What a precision was asked of has the wider interval of
 * sim/sequential.h, which pays for stopping early.
 *
 * Units: as in models/metrics.def; percent in the table.
 * Ownership: nothing is kept.
 * Errors: those of the stream.
 */
#ifndef TOOLS_FAULTLINE_SWEEP_REPORT_H
#define TOOLS_FAULTLINE_SWEEP_REPORT_H

#include "tools/faultline/batch.h"
#include "tools/faultline/metric.h"
#include "tools/faultline/vary.h"

struct sweep_report {
    const struct vary *vary;
    const struct batch *batch;
    const size_t *cell;                 /* of the vary, that each cell of the batch is */
    double precision[RUN_METRIC_COUNT]; /* asked for: a half-width; 0: none */
    bool is_shown[RUN_METRIC_COUNT];    /* in the table */
    bool is_controlled;                 /* tools/faultline/control.h */
};

/* The sample of a metric in a cell of the batch. */
struct summary_sample sweep_sample(const struct sweep_report *report, size_t cell, enum run_metric metric);

void sweep_print(FILE *to, enum summary_format format, const struct sweep_report *report);

#endif
