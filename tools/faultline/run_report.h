/* tools/faultline/run_report.h -- what `faultline run` prints about finished replicas.
 *
 * CSV and JSON have a row per replica and hold nothing that depends on the wall clock; behind the results stand the
 * settings of the command line, a column each, so that the rows of a loop can be told apart. The table is for people:
 * means with their intervals, without those that the method has no part in, and where the chip-time went. Replicas that
 * made no progress, or stalled, have a row but no part in a mean.
 *
 * Units: as in models/metrics.def, fractions and chip-seconds in CSV and JSON; percent in the table.
 * Ownership: nothing is kept.
 * Errors: those of the stream.
 */
#ifndef TOOLS_FAULTLINE_RUN_REPORT_H
#define TOOLS_FAULTLINE_RUN_REPORT_H

#include "tools/faultline/record.h"
#include "tools/faultline/scenario.h"
#include "tools/faultline/summary.h"

/* More are stored, but not shown. */
#define RUN_REPORT_SETTINGS_MAX 32

/* The settings of the command line: "KEY=VALUE". */
struct run_report_settings {
    const char *const *setting;
    size_t settings;
    bool is_controlled; /* the metrics of the table, not its chip-time (tools/faultline/control.h) */
};

/* Prints the filled ones among the records of `scenario`; format table, csv or json. */
void run_report(FILE *to, enum summary_format format, const struct scenario *scenario,
                const struct run_report_settings *settings, const struct record records[], size_t count);

#endif
