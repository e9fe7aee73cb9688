/* tools/faultline/sweep_precision.h -- replicas of a sweep until each cell is known as well as was asked for.
 *
 * The report names the half-widths; sim/sequential.h says how many replicas they take.
 *
 * Units: counts.
 * Ownership: nothing is kept.
 * Errors: sweep_precision_complain prints them and returns an exit status.
 */
#ifndef TOOLS_FAULTLINE_SWEEP_PRECISION_H
#define TOOLS_FAULTLINE_SWEEP_PRECISION_H

#include "tools/faultline/sweep_report.h"

/* Raises the replicas of the cells that are not precise enough, up to `most` each; false when none is left to raise.
 * The batch is that of the report. */
bool sweep_precision_raise(const struct sweep_report *report, size_t most, struct batch *batch);

/* Says on stderr how many cells miss their precision; then the status is COMMAND_NO_ANSWER. */
int sweep_precision_complain(const struct sweep_report *report);

#endif
