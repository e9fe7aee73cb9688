/* tools/faultline/report_internal.h -- the parts of the page, for report_page.c.
 *
 * Units: as in tools/faultline/report.h.
 * Ownership: nothing is kept.
 * Errors: none; a failed write is found when the stream is closed.
 */
#ifndef TOOLS_FAULTLINE_REPORT_INTERNAL_H
#define TOOLS_FAULTLINE_REPORT_INTERNAL_H

#include "tools/faultline/report.h"

/* Rows of a table of scenarios, and scenarios of a figure; the page says when it leaves some out. */
enum { REPORT_ROWS_MAX = 2000, REPORT_BARS_MAX = 24, REPORT_SERIES_MAX = 8 };

/* The key numbers in words: of the only scenario, or of what many have between them. */
void report_words(FILE *to, const struct report *report);

void report_metrics(FILE *to, const struct report_scenario *scenario);
void report_comparison(FILE *to, const struct report *report);
void report_params(FILE *to, const struct report *report);

/* Figures: the replicas of a scenario, where its chip-time went that was not useful, the same for many scenarios, and a
 * metric over the key that was varied most. */
void report_chart_replicas(FILE *to, const struct report_scenario *scenario);
void report_chart_losses(FILE *to, const struct report_scenario *scenario);
void report_chart_accounts(FILE *to, const struct report *report);
void report_chart_over(FILE *to, const struct report *report, enum run_metric metric);

#endif
