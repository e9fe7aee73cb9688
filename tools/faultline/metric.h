/* tools/faultline/metric.h -- metrics as users name them and amounts of them as users write them.
 *
 * Units: of the metric (models/metrics.def); fractions 0 to 1.
 * Ownership: nothing is kept.
 * Errors: -1 with what is wrong and what is allowed; outputs are untouched.
 */
#ifndef TOOLS_FAULTLINE_METRIC_H
#define TOOLS_FAULTLINE_METRIC_H

#include "models/run.h"
#include "sim/error.h"
#include "tools/faultline/record.h"
#include "tools/faultline/summary.h"

/* The metric of that name; the unit at its end may be left out: time_to_train for time_to_train_s. */
int metric_find(const char *name, enum run_metric *ret, struct sim_error *error);

/* An amount of the metric: 90% or 0.9 of a fraction, 60d or a number of seconds where the name ends in _s, 1.5T or a
 * plain number of anything else. */
int metric_read(enum run_metric metric, const char *text, double *ret, struct sim_error *error);

/* The sample of a metric over the replicas that count. An uptime of 1 in all of them is no proof that it is 1: its ci95
 * is then the upper bound of the downtime (tools/faultline/rare.h). */
struct summary_sample metric_sample(const struct record records[], size_t count, enum run_metric metric);

/* The same for the share of the chip-time that is in a bucket. */
struct summary_sample metric_share(const struct record records[], size_t count, enum run_bucket bucket);

#endif
