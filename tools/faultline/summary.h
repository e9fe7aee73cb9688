/* tools/faultline/summary.h -- samples as mean and interval, and result sets as table, CSV, JSON, Markdown or HTML.
 *
 * One writer for all formats: a command names its columns and hands over rows. CSV (RFC 4180) and JSON (one object a
 * line) are written at once; a missing value in them is an empty field or null. Table and Markdown wait for the last
 * row to align their columns; a command gives them cells that are formatted for people.
 *
 * HTML is for the page of tools/faultline/report.h and no format of the command line.
 *
 * Units: of the sample.
 * Ownership: a writer copies what it keeps and is released by summary_close.
 * Errors: none; a failed write is found by output_finish.
 */
#ifndef TOOLS_FAULTLINE_SUMMARY_H
#define TOOLS_FAULTLINE_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct summary_sample {
    size_t n;
    double mean;
    double sd;   /* of the sample, n - 1; NAN when n < 2 */
    double ci95; /* half-width of the 95 % interval of the mean, Student's t; NAN when n < 2 */
};

/* Mean, deviation and interval of x[0..n-1]; the mean of nothing is NAN. */
struct summary_sample summary_of(const double x[], size_t n);

/* The 97.5 % quantile of Student's t with `df` degrees of freedom. */
double summary_t95(double df);

enum summary_format {
    SUMMARY_TABLE,
    SUMMARY_CSV,
    SUMMARY_JSON,
    SUMMARY_MARKDOWN,
    SUMMARY_FORMAT_COUNT,
    SUMMARY_HTML = SUMMARY_FORMAT_COUNT
};

/* Names as users type them. */
extern const char *const summary_format_name[SUMMARY_FORMAT_COUNT];

enum summary_kind { SUMMARY_MISSING, SUMMARY_TEXT, SUMMARY_INTEGER, SUMMARY_REAL };

struct summary_cell {
    enum summary_kind kind;
    const char *text;
    int64_t integer;
    double real; /* NAN and infinities are missing in CSV and JSON */
};

struct summary_column {
    const char *name;
    bool is_text; /* aligned left in tables */
};

struct summary_writer;

/* A writer of rows with these columns; the names are copied. CSV gets its header line now. */
struct summary_writer *summary_open(FILE *to, enum summary_format format, const struct summary_column columns[],
                                    size_t count);

/* One row with as many cells as there are columns. */
void summary_row(struct summary_writer *writer, const struct summary_cell cells[]);

/* Prints what is still to be printed and releases the writer. */
void summary_close(struct summary_writer *writer);

/* A text cell, a whole number, a real number. */
struct summary_cell summary_text(const char *text);
struct summary_cell summary_integer(int64_t integer);
struct summary_cell summary_real(double real);

#endif
