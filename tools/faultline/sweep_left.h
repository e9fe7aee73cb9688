/* tools/faultline/sweep_left.h -- what `faultline sweep --dry-run` prints: what there is to do, and what of it is
 * stored.
 *
 * A row per part of the sweep, read from its database. Predictions are those that the cells were dealt out by; beside
 * them stands what the stored replicas took, so that whoever reads it can tell by what factor they are off.
 *
 * Units: seconds of one core.
 * Ownership: the writer is released by summary_close.
 * Errors: those of the stream.
 */
#ifndef TOOLS_FAULTLINE_SWEEP_LEFT_H
#define TOOLS_FAULTLINE_SWEEP_LEFT_H

#include "tools/faultline/sweep_report.h"

/* The name of the database of a part: the last * of the path is its number. The caller frees it. */
char *sweep_left_name(const char *path, uint32_t part);

/* The columns shard, cells, replicas, stored, predicted_s (of all replicas), left_s (of those that are not stored) and
 * measured_s (what those that are took). */
struct summary_writer *sweep_left_open(FILE *to, enum summary_format format);

/* The row of the part whose cells the batch of the report holds, looked up; `weight` is that of each cell of the vary,
 * in microseconds. */
void sweep_left_row(struct summary_writer *writer, uint32_t part, const struct sweep_report *report,
                    const uint64_t weight[]);

#endif
