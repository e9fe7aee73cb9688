#include "tools/faultline/csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/input.h"
#include "tools/faultline/unxz.h"

struct csv {
    char *name; /* of the file, for messages */
    char *text; /* whole; fields are cut out in place */
    size_t size;
    char *next;
    int line;
    char *line_start;
    size_t columns;
    struct csv_field *header;
    struct csv_field field[CSV_FIELDS_MAX];
    size_t fields;
};

int csv_error(const struct csv *csv, const struct csv_field *field, struct sim_error *error, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return sim_error_set(error, "%s:%d:%d: %s", csv->name, field->line, field->column, what);
}

static int error_here(const struct csv *csv, const char *at, struct sim_error *error, const char *what)
{
    const struct csv_field here = {.line = csv->line, .column = (int)(at - csv->line_start) + 1};
    return csv_error(csv, &here, error, "%s", what);
}

static int unpack(struct csv *csv, struct sim_error *error)
{
    char *text = NULL;
    struct sim_error why;
    if (!unxz_is_xz(csv->text, csv->size))
        return 0;
    if (unxz(csv->text, csv->size, CSV_BYTES_MAX, &text, &csv->size, &why) != 0)
        return sim_error_set(error, "%s: %.400s", csv->name, why.text);
    free(csv->text);
    csv->text = text;
    return 0;
}

static int load(struct csv *csv, const char *path, struct sim_error *error)
{
    static const struct input_kind kind = {"a table", CSV_BYTES_MAX};
    if (input_read(path, &kind, &csv->text, &csv->size, error) != 0 || unpack(csv, error) != 0)
        return -1;
    if (memchr(csv->text, '\0', csv->size))
        return sim_error_set(error, "%s: holds a NUL byte: not a text file", csv->name);
    csv->next = csv->text + (strncmp(csv->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    csv->line = 1;
    csv->line_start = csv->next;
    return 0;
}

static void note_newline(struct csv *csv, char *newline)
{
    csv->line++;
    csv->line_start = newline + 1;
}

/* A quoted field: *from is behind the opening quote; NULL when it is never closed. Returns what follows the closing
 * quote. */
static char *unquote(struct csv *csv, char *from)
{
    char *to = from;
    for (char *at = from; *at; at++) {
        if (*at == '"' && at[1] != '"') {
            char *rest = at + 1;
            *to = '\0'; /* at or before the closing quote */
            return rest;
        }
        if (*at == '"')
            at++;
        if (*at == '\n')
            note_newline(csv, at);
        *to++ = *at;
    }
    return NULL;
}

/* The carriage return of a CRLF belongs to the end of the line. */
static char *skip_return(char *at)
{
    return *at == '\r' && (at[1] == '\n' || at[1] == '\0') ? at + 1 : at;
}

/* Finds where the text of the field ends and takes away its quotes; NULL when a quote is never closed. */
static char *end_of_field(struct csv *csv, struct csv_field *field)
{
    char *at = csv->next;
    if (*at == '"') {
        field->text = at + 1;
        return unquote(csv, at + 1);
    }
    at += strcspn(at, ",\n");
    return at > csv->next && at[-1] == '\r' && *at != ',' ? at - 1 : at;
}

/* Cuts one field at csv->next. *ret_end becomes what ended it: ',', '\n' or 0. */
static int cut_field(struct csv *csv, char *ret_end, struct sim_error *error)
{
    if (csv->fields == CSV_FIELDS_MAX)
        return error_here(csv, csv->next, error, "too many fields in one record");
    struct csv_field *field = &csv->field[csv->fields++];
    *field = (struct csv_field){csv->next, csv->line, (int)(csv->next - csv->line_start) + 1};
    char *at = end_of_field(csv, field);
    if (!at)
        return csv_error(csv, field, error, "this quote is never closed");
    char *end = skip_return(at);
    *ret_end = *end;
    if (*end != ',' && *end != '\n' && *end != '\0')
        return error_here(csv, end, error, "text after the closing quote of a field");
    *at = '\0';
    if (*ret_end == '\n')
        note_newline(csv, end);
    csv->next = *ret_end ? end + 1 : end;
    return 0;
}

static int cut_record(struct csv *csv, struct sim_error *error)
{
    char end = ',';
    csv->fields = 0;
    while (end == ',')
        if (cut_field(csv, &end, error) != 0)
            return -1;
    return 0;
}

/* Blank lines are nothing; not even a short record. */
static void skip_blank_lines(struct csv *csv)
{
    for (;;) {
        size_t blank = *csv->next == '\r' ? 1 : 0;
        if (csv->next[blank] != '\n')
            return;
        note_newline(csv, csv->next + blank);
        csv->next += blank + 1;
    }
}

int csv_next(struct csv *csv, const struct csv_field **ret_fields, bool *ret_more, struct sim_error *error)
{
    skip_blank_lines(csv);
    if (*csv->next == '\0') {
        *ret_more = false;
        return 0;
    }
    if (cut_record(csv, error) != 0)
        return -1;
    if (csv->fields != csv->columns)
        return csv_error(csv, &csv->field[0], error, "%zu field%s, but the header has %zu", csv->fields,
                         csv->fields == 1 ? "" : "s", csv->columns);
    *ret_fields = csv->field;
    *ret_more = true;
    return 0;
}

static int read_header(struct csv *csv, struct sim_error *error)
{
    skip_blank_lines(csv);
    if (*csv->next == '\0')
        return sim_error_set(error, "%s: is empty; a header line is needed", csv->name);
    if (cut_record(csv, error) != 0)
        return -1;
    csv->columns = csv->fields;
    csv->header = sim_allocate(csv->columns, sizeof *csv->header);
    memcpy(csv->header, csv->field, csv->columns * sizeof *csv->header);
    return 0;
}

int csv_open(const char *path, struct csv **ret, struct sim_error *error)
{
    struct csv *csv = sim_allocate(1, sizeof *csv);
    csv->name = alloc_text(strcmp(path, "-") == 0 ? "stdin" : path);
    if (load(csv, path, error) != 0 || read_header(csv, error) != 0) {
        csv_close(csv);
        return -1;
    }
    *ret = csv;
    return 0;
}

void csv_close(struct csv *csv)
{
    if (!csv)
        return;
    free(csv->name);
    free(csv->text);
    free(csv->header);
    free(csv);
}

int csv_column(const struct csv *csv, const char *name, size_t *ret, struct sim_error *error)
{
    size_t found = csv->columns;
    for (size_t i = 0; i < csv->columns; i++) {
        if (strcmp(csv->header[i].text, name) != 0)
            continue;
        if (found < csv->columns)
            return csv_error(csv, &csv->header[i], error, "the header has the column '%s' twice", name);
        found = i;
    }
    if (found == csv->columns)
        return csv_error(csv, &csv->header[0], error, "the header has no column '%s'", name);
    *ret = found;
    return 0;
}
