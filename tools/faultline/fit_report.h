/* tools/faultline/fit_report.h -- what `faultline fit` prints about laws: a table for people, rows, quantiles for a
 * plot.
 *
 * Units: seconds.
 * Ownership: nothing is kept.
 * Errors: an exit status where a file is written; those of standard output are found by output_finish.
 */
#ifndef TOOLS_FAULTLINE_FIT_REPORT_H
#define TOOLS_FAULTLINE_FIT_REPORT_H

#include "tools/faultline/fit.h"
#include "tools/faultline/summary.h"

#define FIT_REPORT_LAWS_MAX 8

/* Delays of one kind, and the laws for them, the best first. */
struct fit_part {
    const char *name; /* gap, service, outage */
    struct fit_sample sample;
    struct fit fit[FIT_REPORT_LAWS_MAX];
    size_t fits;
};

/* A table for people. */
void fit_report_part(const struct fit_part *part);

/* How often each cause of a log is behind a failure, and how much of its down time, as a table for people. */
void fit_report_causes(const struct config_log *log);

/* A row for each law of each part, parameters in the order of sim/law.h with their standard errors. */
void fit_report_rows(enum summary_format format, const struct fit_part parts[], size_t count);

/* CSV of observed and fitted quantiles, some thousand for each part and law at most. Returns an exit status. */
int fit_report_quantiles(const char *path, const struct fit_part parts[], size_t count);

#endif
