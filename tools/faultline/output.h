/* tools/faultline/output.h -- text of any content inside CSV and JSON, and the end of standard output.
 *
 * Units: none.
 * Ownership: nothing is kept.
 * Errors: output_finish reports what could not be written, once, on stderr.
 */
#ifndef TOOLS_FAULTLINE_OUTPUT_H
#define TOOLS_FAULTLINE_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

/* A field of CSV (RFC 4180): in quotes when it has a comma, a quote or a line break. */
void output_csv(FILE *to, const char *text);

/* A JSON string with its quotes. */
void output_json(FILE *to, const char *text);

/* The shortest decimal that strtod reads back to the same double, for CSV and JSON; `none` when it is not finite. */
void output_number(FILE *to, double number, const char *none);

/* Columns that `text` takes in a terminal when each character takes one. */
size_t output_width(const char *text);

/* `text` and blanks up to `width` columns. */
void output_padded(FILE *to, const char *text, size_t width);

/* Flushes standard output: COMMAND_DONE, or COMMAND_NOT_STORED after a message; a reader that left is told nothing. */
int output_finish(void);

#endif
