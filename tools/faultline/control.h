/* tools/faultline/control.h -- sharper means from what is known of the failures: a control variate.
 *
 * A replica with more failures than was to be expected has less goodput than on average, and how many were to be
 * expected is known: chips in service fail at a known rate, so the failures less rate x time in service have mean 0
 * (Doob-Meyer; `operating` is the time in service). The mean of a metric is taken off the line that is fitted through
 * replicas (surplus of failures, metric), where the surplus is 0. The interval is that of the intercept of a
 * regression, with n - 2 degrees of freedom and a variance that need not be the same everywhere; its bias is of order
 * 1 / n (Lavenberg and Welch, Management Science 27, 1981).
 *
 * Units: of the metric; rates in 1/s.
 * Ownership: nothing is kept.
 * Errors: control_objection says why a scenario has no such control.
 */
#ifndef TOOLS_FAULTLINE_CONTROL_H
#define TOOLS_FAULTLINE_CONTROL_H

#include "tools/faultline/metric.h"

#define CONTROL_REPLICAS_MIN 4

/* Why the surplus of failures of this scenario is not known to have mean 0; NULL: it is. */
const char *control_objection(const struct config *config);

/* Failures per second when all chips are in service. */
double control_rate(const struct config *config);

/* Failures of a replica less those that were to be expected. */
double control_surplus(double rate, const struct record *record);

/* The sample with the control: its mean, its ci95, and as sd that of a sample without one that would have this
 * interval. With fewer than CONTROL_REPLICAS_MIN observations, or when nothing varies, it is summary_of(y, n). */
struct summary_sample control_of(const double surplus[], const double y[], size_t n);

/* metric_sample with the control. */
struct summary_sample control_sample(double rate, const struct record records[], size_t count, enum run_metric metric);

#endif
