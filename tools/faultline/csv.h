/* tools/faultline/csv.h -- reading comma-separated values from strangers.
 *
 * RFC 4180, and what spreadsheets make of it: a byte order mark, CRLF or LF, a missing newline at the end, quoted
 * fields with doubled quotes. An .xz file is unpacked. Every record has as many fields as the header; columns are found
 * by name. The file is read as a whole, so that stdin works and a row can be looked at twice.
 *
 * Units: lines and columns count from 1; columns in bytes.
 * Ownership: csv_open allocates, csv_close releases; fields live until then.
 * Errors: -1 with `file:line:column: what, why`; outputs are untouched.
 */
#ifndef TOOLS_FAULTLINE_CSV_H
#define TOOLS_FAULTLINE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/error.h"

#define CSV_BYTES_MAX ((size_t)256 * 1024 * 1024)
#define CSV_FIELDS_MAX 1024

struct csv;

struct csv_field {
    const char *text;
    int line, column;
};

/* Reads the file at `path` ("-" is stdin) and its header. */
int csv_open(const char *path, struct csv **ret, struct sim_error *error);
void csv_close(struct csv *csv);

/* The number of the column called `name`. */
int csv_column(const struct csv *csv, const char *name, size_t *ret, struct sim_error *error);

/* The next record in *ret_fields, as many as the header has; *ret_more is false after the last. */
int csv_next(struct csv *csv, const struct csv_field **ret_fields, bool *ret_more, struct sim_error *error);

/* An error at a field, in the form of the others. */
__attribute__((format(printf, 4, 5))) int csv_error(const struct csv *csv, const struct csv_field *field,
                                                    struct sim_error *error, const char *format, ...);

#endif
