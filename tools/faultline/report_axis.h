/* tools/faultline/report_axis.h -- an axis of a figure: from numbers to places, and round numbers to mark.
 *
 * Units: numbers as they are shown; places in the pixels of the viewBox.
 * Ownership: the caller owns the struct.
 * Errors: none; a span of nothing is widened.
 */
#ifndef TOOLS_FAULTLINE_REPORT_AXIS_H
#define TOOLS_FAULTLINE_REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#define REPORT_TICKS_MAX 12

struct report_axis {
    double low, high;
    double from, to; /* places of these */
    bool is_log;
};

/* An axis that spans at least low to high. It is logarithmic where both are positive and far apart, and `may_be_log`.
 */
struct report_axis report_axis_over(double low, double high, double from, double to, bool may_be_log);

/* The place of a number. */
double report_axis_place(const struct report_axis *axis, double x);

/* Widens a linear axis to round numbers and gives those on it; returns how many, and their distance in *ret_step. */
size_t report_axis_ticks(struct report_axis *axis, double ret_tick[static REPORT_TICKS_MAX], double *ret_step);

#endif
