/* tools/faultline/dates.h -- points in time as people write them in logs.
 *
 * A format is text with %Y %m %d %H %M %S (digits, with or without leading zeros), %b (Jan to Dec), %y (69 to 99 are
 * 1969 to 1999, 00 to 68 are 2000 to 2068), %F for %Y-%m-%d, %T for %H:%M:%S and %%; everything else stands for itself.
 * Times are UTC: no time zones, no locale, no leap seconds. What is not in the format is the first of its kind; the
 * seconds may have a fraction.
 *
 * Units: ns since 1970.
 * Ownership: nothing is kept.
 * Errors: -1 with what is wrong; outputs are untouched.
 */
#ifndef TOOLS_FAULTLINE_DATES_H
#define TOOLS_FAULTLINE_DATES_H

#include "sim/error.h"
#include "sim/time.h"

/* Checks a format: only the directives above, and the year among them. */
int dates_check(const char *format, struct sim_error *error);

/* Reads `text`, all of it. Years are 1970 to 2200. */
int dates_read(const char *format, const char *text, sim_time *ret, struct sim_error *error);

#endif
