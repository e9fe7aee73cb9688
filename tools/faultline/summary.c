#include "tools/faultline/summary.h"

#include <gsl/gsl_cdf.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "sim/tally.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/html.h"
#include "tools/faultline/output.h"

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

struct summary_sample summary_of(const double x[], size_t n)
{
    struct sim_tally tally;
    sim_tally_init(&tally);
    for (size_t i = 0; i < n; i++)
        sim_tally_add(&tally, x[i]);
    struct summary_sample sample = {
        .n = n,
        .mean = sim_tally_mean(&tally),
        .sd = sim_tally_sd(&tally),
        .ci95 = sim_tally_half_width(&tally, 0.95),
    };
    sim_tally_fini(&tally);
    return sample;
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

/* A number as both CSV and JSON write it. */
static void write_number(FILE *to, const struct summary_cell *cell)
{
    if (cell->kind == SUMMARY_INTEGER)
        (void)fprintf(to, "%" PRId64, cell->integer);
    else
        output_number(to, cell->real, "");
}

static void write_csv_row(const struct summary_writer *writer, const struct summary_cell cells[])
{
    for (size_t i = 0; i < writer->columns; i++) {
        if (i > 0)
            (void)fputc(',', writer->to);
        if (cells[i].kind == SUMMARY_TEXT)
            output_csv(writer->to, cells[i].text);
        else if (cells[i].kind != SUMMARY_MISSING)
            write_number(writer->to, &cells[i]);
    }
    (void)fputc('\n', writer->to);
}

static void write_json_row(const struct summary_writer *writer, const struct summary_cell cells[])
{
    for (size_t i = 0; i < writer->columns; i++) {
        (void)fputs(i == 0 ? "{" : ", ", writer->to);
        output_json(writer->to, writer->name[i]);
        (void)fputs(": ", writer->to);
        if (cells[i].kind == SUMMARY_TEXT)
            output_json(writer->to, cells[i].text);
        else if (cells[i].kind == SUMMARY_MISSING)
            (void)fputs("null", writer->to);
        else
            write_number(writer->to, &cells[i]);
    }
    (void)fputs("}\n", writer->to);
}

/* The head of a table that scrolls by itself on a narrow screen. */
static void write_html_head(const struct summary_writer *writer)
{
    (void)fputs("<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>", writer->to);
    for (size_t i = 0; i < writer->columns; i++) {
        (void)fprintf(writer->to, "<th scope=\"col\"%s>", writer->is_text[i] ? " class=\"text\"" : "");
        html_text(writer->to, writer->name[i]);
        (void)fputs("</th>", writer->to);
    }
    (void)fputs("</tr></thead><tbody>\n", writer->to);
}

static void write_html_row(const struct summary_writer *writer, const struct summary_cell cells[])
{
    (void)fputs("<tr>", writer->to);
    for (size_t i = 0; i < writer->columns; i++) {
        (void)fputs(writer->is_text[i] ? "<td class=\"text\">" : "<td>", writer->to);
        if (cells[i].kind == SUMMARY_TEXT)
            html_text(writer->to, cells[i].text);
        else if (cells[i].kind == SUMMARY_MISSING)
            (void)fputc('-', writer->to);
        else
            write_number(writer->to, &cells[i]);
        (void)fputs("</td>", writer->to);
    }
    (void)fputs("</tr>\n", writer->to);
}

/* The cell as a table shows it; Markdown escapes its column mark. */
static char *cell_text(const struct summary_writer *writer, const struct summary_cell *cell)
{
    struct alloc_draft draft;
    alloc_draft_start(&draft);
    if (cell->kind == SUMMARY_MISSING)
        (void)fputc('-', draft.to);
    else if (cell->kind != SUMMARY_TEXT)
        write_number(draft.to, cell);
    else
        for (const char *c = cell->text; *c != '\0'; c++)
            (void)fprintf(draft.to, writer->format == SUMMARY_MARKDOWN && *c == '|' ? "\\%c" : "%c", *c);
    return alloc_draft_finish(&draft);
}

static void keep_row(struct summary_writer *writer, const struct summary_cell cells[])
{
    for (size_t i = 0; i < writer->columns; i++) {
        writer->kept = alloc_grown(writer->kept, writer->kept_count, &writer->kept_capacity, sizeof *writer->kept);
        char *text = cell_text(writer, &cells[i]);
        size_t width = output_width(text);
        writer->kept[writer->kept_count++] = text;
        if (width > writer->width[i])
            writer->width[i] = width;
    }
}

static void print_line(const struct summary_writer *writer, char *const text[])
{
    bool is_markdown = writer->format == SUMMARY_MARKDOWN;
    for (size_t i = 0; i < writer->columns; i++) {
        int pad = (int)(writer->width[i] - output_width(text[i]));
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
        writer->name[i] = alloc_text(columns[i].name);
        writer->width[i] = output_width(columns[i].name);
        writer->is_text[i] = columns[i].is_text;
        if (format == SUMMARY_CSV) {
            (void)fputs(i > 0 ? "," : "", to);
            output_csv(to, columns[i].name);
        }
    }
    if (format == SUMMARY_CSV)
        (void)fputc('\n', to);
    if (format == SUMMARY_HTML)
        write_html_head(writer);
    return writer;
}

void summary_row(struct summary_writer *writer, const struct summary_cell cells[])
{
    if (is_kept(writer))
        keep_row(writer, cells);
    else if (writer->format == SUMMARY_CSV)
        write_csv_row(writer, cells);
    else if (writer->format == SUMMARY_HTML)
        write_html_row(writer, cells);
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
    } else if (writer->format == SUMMARY_HTML) {
        (void)fputs("</tbody></table></div>\n", writer->to);
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
