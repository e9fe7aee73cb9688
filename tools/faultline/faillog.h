/* tools/faultline/faillog.h -- logs of failures: a CSV file with a row per outage, plain or .xz.
 *
 * Columns are found by their headings. Times are dates (tools/faultline/dates.h) or numbers of a unit. A row gives the
 * start of an outage and its end, or how long it was. Rows come in any order and are sorted by start; those of one
 * instant keep the order of the file. An outage that ends before it starts is refused; one of no length is not. The
 * machine is a name, and machines are numbered in the order of their first failure. The cause is what a column says, or
 * the heading of the first of several that says anything; causes that differ in case only are one, called as first
 * written.
 *
 * Units: ns from the first failure of the log.
 * Ownership: faillog_read allocates, faillog_free releases.
 * Errors: -1 with `file:line:column: what, why`; outputs are untouched.
 */
#ifndef TOOLS_FAULTLINE_FAILLOG_H
#define TOOLS_FAULTLINE_FAILLOG_H

#include "models/config.h"
#include "sim/error.h"

/* How a file is to be read; texts that are NULL or empty are not given. */
struct faillog_format {
    const char *start;
    const char *end, *down; /* one of them, or neither: outages of no length */
    const char *machine;
    const char *dates;
    const char *cause;  /* a column, or a list of them: tools/faultline/names.h */
    const char *causes; /* rows with one of these, in whatever case */
    const char *where;  /* {Column: value, ...}: rows that have all of these values */
    sim_time unit_ns;
};

/* Reads the file at `path` ("-" is stdin). */
int faillog_read(const char *path, const struct faillog_format *format, struct config_log **ret,
                 struct sim_error *error);

void faillog_free(struct config_log *log);

/* Checks the text of `where` and, when `ret` is not NULL, writes its canonical text there. */
int faillog_check_where(const char *text, char ret[static CONFIG_TEXT_MAX], struct sim_error *error);

#endif
