#include "tools/faultline/summary.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"

const char *const summary_format_name[SUMMARY_FORMAT_COUNT] = {"table", "csv", "json", "markdown"};

struct summary_writer {
    FILE *to;
    enum summary_format format;
    size_t columns;
    bool *is_text;
    char **name;
    size_t *width;
    char **kept; /* rows x columns, for table and Markdown */
    size_t kept_count;
    size_t kept_capacity;
};

double summary_t95(double df)
{
    return gsl_cdf_tdist_Pinv(0.975, df);
}

/* Two passes: replicas may agree in all but the last digits. */
struct summary_sample summary_of(const double x[], size_t n)
{
    struct summary_sample sample = {.n = n, .mean = NAN, .sd = NAN, .ci95 = NAN};
    double sum = 0;
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    if (n == 0)
        return sample;
    sample.mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - sample.mean) * (x[i] - sample.mean);
    if (n < 2)
        return sample;
    sample.sd = sqrt(squares / (double)(n - 1));
    sample.ci95 = summary_t95((double)(n - 1)) * sample.sd / sqrt((double)n);
    return sample;
}

void summary_shortest(double x, char ret[static 32])
{
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(ret, 32, "%.*g", digits, x);
        if (strtod(ret, NULL) == x)
            return;
    }
}

struct summary_cell summary_text(const char *text)
{
    return (struct summary_cell){.kind = SUMMARY_TEXT, .text = text};
}

struct summary_cell summary_integer(int64_t integer)
{
    return (struct summary_cell){.kind = SUMMARY_INTEGER, .integer = integer};
}

struct summary_cell summary_real(double real)
{
    return (struct summary_cell){.kind = isfinite(real) ? SUMMARY_REAL : SUMMARY_MISSING, .real = real};
}

/* RFC 4180: quotes where a comma, a quote or a line end needs them. */
static void write_csv_text(FILE *to, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        (void)fputs(text, to);
        return;
    }
    (void)fputc('"', to);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            (void)fputc('"', to);
        (void)fputc(*text, to);
    }
    (void)fputc('"', to);
}

static void write_json_text(FILE *to, const char *text)
{
    (void)fputc('"', to);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            (void)fprintf(to, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            (void)fprintf(to, "\\u%04x", c);
        else
            (void)fputc(c, to);
    }
    (void)fputc('"', to);
}

/* A number as both CSV and JSON write it. */
static void write_number(FILE *to, const struct summary_cell *cell)
{
    char text[32];
    if (cell->kind == SUMMARY_INTEGER)
        (void)snprintf(text, sizeof text, "%lld", (long long)cell->integer);
    else
        summary_shortest(cell->real, text);
    (void)fputs(text, to);
}

static void write_csv_row(const struct summary_writer *writer, const struct summary_cell cells[])
{
    for (size_t i = 0; i < writer->columns; i++) {
        if (i > 0)
            (void)fputc(',', writer->to);
        if (cells[i].kind == SUMMARY_TEXT)
            write_csv_text(writer->to, cells[i].text);
        else if (cells[i].kind != SUMMARY_MISSING)
            write_number(writer->to, &cells[i]);
    }
    (void)fputc('\n', writer->to);
}

static void write_json_row(const struct summary_writer *writer, const struct summary_cell cells[])
{
    for (size_t i = 0; i < writer->columns; i++) {
        (void)fputs(i == 0 ? "{" : ", ", writer->to);
        write_json_text(writer->to, writer->name[i]);
        (void)fputs(": ", writer->to);
        if (cells[i].kind == SUMMARY_TEXT)
            write_json_text(writer->to, cells[i].text);
        else if (cells[i].kind == SUMMARY_MISSING)
            (void)fputs("null", writer->to);
        else
            write_number(writer->to, &cells[i]);
    }
    (void)fputs("}\n", writer->to);
}

/* The cell as a table shows it; Markdown escapes its column mark. */
static char *cell_text(const struct summary_writer *writer, const struct summary_cell *cell)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL)
        return sim_allocate(1, 1);
    if (cell->kind == SUMMARY_MISSING)
        (void)fputc('-', to);
    else if (cell->kind != SUMMARY_TEXT)
        write_number(to, cell);
    else
        for (const char *c = cell->text; *c != '\0'; c++)
            (void)fprintf(to, writer->format == SUMMARY_MARKDOWN && *c == '|' ? "\\%c" : "%c", *c);
    (void)fclose(to);
    return text;
}

/* Columns on a screen: bytes that do not continue a UTF-8 character. */
static size_t screen_width(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void keep_row(struct summary_writer *writer, const struct summary_cell cells[])
{
    for (size_t i = 0; i < writer->columns; i++) {
        writer->kept = alloc_grown(writer->kept, writer->kept_count, &writer->kept_capacity, sizeof *writer->kept);
        char *text = cell_text(writer, &cells[i]);
        size_t width = screen_width(text);
        writer->kept[writer->kept_count++] = text;
        if (width > writer->width[i])
            writer->width[i] = width;
    }
}

static void print_line(const struct summary_writer *writer, char *const text[])
{
    bool is_markdown = writer->format == SUMMARY_MARKDOWN;
    for (size_t i = 0; i < writer->columns; i++) {
        int pad = (int)(writer->width[i] - screen_width(text[i]));
        bool is_last = i + 1 == writer->columns && !is_markdown;
        (void)fputs(is_markdown ? (i == 0 ? "| " : " | ") : (i == 0 ? "" : "  "), writer->to);
        if (writer->is_text[i])
            (void)fprintf(writer->to, "%s%*s", text[i], is_last ? 0 : pad, "");
        else
            (void)fprintf(writer->to, "%*s%s", pad, "", text[i]);
    }
    (void)fputs(is_markdown ? " |\n" : "\n", writer->to);
}

static void print_rule(const struct summary_writer *writer)
{
    for (size_t i = 0; i < writer->columns; i++) {
        (void)fputs(i == 0 ? "|" : "", writer->to);
        for (size_t dash = 0; dash < writer->width[i] + 1; dash++)
            (void)fputc('-', writer->to);
        (void)fputs(writer->is_text[i] ? "-|" : ":|", writer->to);
    }
    (void)fputc('\n', writer->to);
}

static bool is_kept(const struct summary_writer *writer)
{
    return writer->format == SUMMARY_TABLE || writer->format == SUMMARY_MARKDOWN;
}

struct summary_writer *summary_open(FILE *to, enum summary_format format, const struct summary_column columns[],
                                    size_t count)
{
    struct summary_writer *writer = sim_allocate(1, sizeof *writer);
    *writer = (struct summary_writer){.to = to, .format = format, .columns = count};
    writer->name = sim_allocate(count, sizeof *writer->name);
    writer->width = sim_allocate(count, sizeof *writer->width);
    writer->is_text = sim_allocate(count, sizeof *writer->is_text);
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(columns[i].name) + 1;
        writer->name[i] = memcpy(sim_allocate(size, 1), columns[i].name, size);
        writer->width[i] = screen_width(columns[i].name);
        writer->is_text[i] = columns[i].is_text;
        if (format == SUMMARY_CSV) {
            (void)fputs(i > 0 ? "," : "", to);
            write_csv_text(to, columns[i].name);
        }
    }
    if (format == SUMMARY_CSV)
        (void)fputc('\n', to);
    return writer;
}

void summary_row(struct summary_writer *writer, const struct summary_cell cells[])
{
    if (is_kept(writer))
        keep_row(writer, cells);
    else if (writer->format == SUMMARY_CSV)
        write_csv_row(writer, cells);
    else
        write_json_row(writer, cells);
}

void summary_close(struct summary_writer *writer)
{
    if (is_kept(writer)) {
        print_line(writer, writer->name);
        if (writer->format == SUMMARY_MARKDOWN)
            print_rule(writer);
        for (size_t i = 0; i < writer->kept_count; i += writer->columns)
            print_line(writer, &writer->kept[i]);
    }
    for (size_t i = 0; i < writer->kept_count; i++)
        free(writer->kept[i]);
    for (size_t i = 0; i < writer->columns; i++)
        free(writer->name[i]);
    free(writer->kept);
    free(writer->name);
    free(writer->width);
    free(writer->is_text);
    free(writer);
}

int summary_flush(FILE *to, const char *name, struct sim_error *error)
{
    errno = 0;
    if (fflush(to) == 0 && !ferror(to))
        return 0;
    return sim_error_set(error, "%s: %s", name, errno != 0 ? strerror(errno) : "a write failed");
}
