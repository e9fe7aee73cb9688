#include "tools/faultline/table_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/faultline/html.h"

#define COLUMNS_MAX 16
#define TEXT_MAX 64
#define SQL_MAX 512

/* How people are shown a column. */
enum column_kind {
    COLUMN_TEXT,
    COLUMN_COUNT,
    COLUMN_SHARE,
    COLUMN_PERCENT,
    COLUMN_INTERVAL,
    COLUMN_POINTS,
    COLUMN_NUMBER,
    COLUMN_RATIO,
    COLUMN_SIGNED
};

struct column {
    const char *name;
    enum column_kind kind;
};

struct table_view {
    const char *name;
    const char *title;
    const char *heading; /* what the numbers are */
    struct column column[COLUMNS_MAX];
};

static const struct table_view views[] = {
    {"4",
     "train_time",
     "training time with extra chips for half of the FLOPs, relative to that without; extra: percent of the base; "
     "ideal: 1/2 + 1/2 / (1 + x), x = "
     "extra / base",
     {{"method", COLUMN_TEXT},
      {"extra", COLUMN_SHARE},
      {"basis", COLUMN_TEXT},
      {"published", COLUMN_RATIO},
      {"simulated", COLUMN_RATIO},
      {"difference", COLUMN_SIGNED},
      {"ideal", COLUMN_RATIO},
      {"n", COLUMN_COUNT}}},
    {"5",
     "goodput",
     "goodput in percent with four of eight learners 18 % slower; interval: half-width, 95 %, Student t; difference in "
     "points",
     {{"quorum", COLUMN_COUNT},
      {"grace", COLUMN_TEXT},
      {"overlap", COLUMN_COUNT},
      {"basis", COLUMN_TEXT},
      {"published", COLUMN_PERCENT},
      {"simulated", COLUMN_PERCENT},
      {"ci95", COLUMN_INTERVAL},
      {"difference", COLUMN_POINTS},
      {"participants", COLUMN_NUMBER},
      {"rounds_per_step_time", COLUMN_NUMBER},
      {"n", COLUMN_COUNT}}},
    {"12",
     "upscale_loss",
     "steps lost at an upscale by those who were there, over the steps that one copy of the model takes; simulated: "
     "percent "
     "of what data-parallel loses",
     {{"copy_steps", COLUMN_NUMBER},
      {"basis", COLUMN_TEXT},
      {"published", COLUMN_SHARE},
      {"simulated", COLUMN_PERCENT},
      {"difference", COLUMN_POINTS},
      {"lost_decoupled", COLUMN_NUMBER},
      {"lost_elastic_dp", COLUMN_NUMBER},
      {"n", COLUMN_COUNT}}},
    {"13",
     "link",
     "the smallest link in Gbit/s with which chips compute for a share of their time (percent; 5 billion parameters); "
     "ratio: published / "
     "simulated",
     {{"step_time_s", COLUMN_NUMBER},
      {"datacentres", COLUMN_COUNT},
      {"method", COLUMN_TEXT},
      {"bits", COLUMN_COUNT},
      {"compute_utilisation", COLUMN_SHARE},
      {"basis", COLUMN_TEXT},
      {"published", COLUMN_NUMBER},
      {"simulated", COLUMN_NUMBER},
      {"ratio", COLUMN_NUMBER},
      {"within_one_step", COLUMN_TEXT},
      {"n", COLUMN_COUNT}}},
};

#define VIEWS (sizeof views / sizeof views[0])

#define CELLS_OF_TABLE_1                                                                                               \
    {                                                                                                                  \
        {"method", COLUMN_TEXT}, {"learners", COLUMN_COUNT}, {"chips", COLUMN_COUNT}, {"published", COLUMN_PERCENT},   \
            {"simulated", COLUMN_PERCENT}, {"ci95", COLUMN_INTERVAL}, {"difference", COLUMN_POINTS},                   \
            {"n", COLUMN_COUNT},                                                                                       \
    }

/* For a page; cmd_table.c says more about them. */
static const struct table_view first_views[] = {
    {"1a", "goodput", "goodput in percent; interval: half-width, 95 %, Student t; difference in points",
     CELLS_OF_TABLE_1},
    {"1b", "uptime", "uptime in percent; interval: half-width, 95 %, Student t; difference in points",
     CELLS_OF_TABLE_1},
};

#define FIRST_VIEWS (sizeof first_views / sizeof first_views[0])

const struct table_view *table_view_at(size_t index)
{
    return index < VIEWS ? &views[index] : NULL;
}

const struct table_view *table_view_of_page(size_t index)
{
    return index < FIRST_VIEWS ? &first_views[index] : table_view_at(index - FIRST_VIEWS);
}

const struct table_view *table_view_find(const char *name)
{
    for (size_t i = 0; i < VIEWS; i++)
        if (strcmp(views[i].name, name) == 0)
            return &views[i];
    return NULL;
}

const char *table_view_name(const struct table_view *view)
{
    return view->name;
}

const char *table_view_title(const struct table_view *view)
{
    return view->title;
}

static size_t column_count(const struct table_view *view)
{
    size_t count = 0;
    while (count < COLUMNS_MAX && view->column[count].name != NULL)
        count++;
    return count;
}

/* ------------------------------------------------------------------ counting */

static void take_count(void *context, const struct summary_cell cells[])
{
    struct table_view_count *count = context;
    *count = (struct table_view_count){cells[0].integer, cells[1].integer, cells[2].integer};
}

int table_view_count(const struct table_view *view, struct store *store, struct table_view_count *ret,
                     struct sim_error *error)
{
    char sql[SQL_MAX];
    (void)snprintf(sql, sizeof sql,
                   "SELECT count(*), count(nullif(n, 0)), count(nullif(scenarios > 1, 0)) FROM table_%s", view->name);
    return store_rows(store, sql, take_count, ret, error);
}

/* ------------------------------------------------------------------ printing */

struct printing {
    FILE *to;
    enum summary_format format;
    const struct table_view *view;
    struct summary_writer *writer;
    bool is_for_people;
};

static bool is_for_people(enum summary_format format)
{
    return format == SUMMARY_TABLE || format == SUMMARY_MARKDOWN || format == SUMMARY_HTML;
}

static struct summary_cell number_for_people(enum column_kind kind, double x, char ret[static TEXT_MAX])
{
    static const char *const format[] = {
        [COLUMN_SHARE] = "%.0f",  [COLUMN_PERCENT] = "%.1f", [COLUMN_INTERVAL] = "%.2f", [COLUMN_POINTS] = "%+.1f",
        [COLUMN_NUMBER] = "%.3g", [COLUMN_RATIO] = "%.3f",   [COLUMN_SIGNED] = "%+.3f"};
    bool is_share = kind == COLUMN_SHARE || kind == COLUMN_PERCENT || kind == COLUMN_INTERVAL || kind == COLUMN_POINTS;
    /* the format is one of the constants above */
    (void)snprintf(ret, TEXT_MAX, format[kind], is_share ? 100 * x : x);
    if (strspn(ret, "+-0.") == strlen(ret) && strchr("+-", ret[0]) != NULL)
        memmove(ret, ret + 1, strlen(ret)); /* a difference of nothing has no sign */
    return summary_text(ret);
}

static struct summary_cell for_people(const struct column *column, struct summary_cell cell, char text[static TEXT_MAX])
{
    if (cell.kind == SUMMARY_MISSING)
        return summary_text(strcmp(column->name, "simulated") == 0 ? "missing" : "-");
    if (column->kind == COLUMN_TEXT || column->kind == COLUMN_COUNT)
        return cell;
    return number_for_people(column->kind, cell.kind == SUMMARY_INTEGER ? (double)cell.integer : cell.real, text);
}

static void print_row(void *context, const struct summary_cell cells[])
{
    const struct printing *printing = context;
    struct summary_cell row[COLUMNS_MAX];
    char text[COLUMNS_MAX][TEXT_MAX];
    for (size_t i = 0; i < column_count(printing->view); i++)
        row[i] = printing->is_for_people ? for_people(&printing->view->column[i], cells[i], text[i]) : cells[i];
    summary_row(printing->writer, row);
}

static void print_note(void *context, const struct summary_cell cells[])
{
    const struct printing *printing = context;
    const char *note = cells[0].kind == SUMMARY_TEXT ? cells[0].text : "";
    if (printing->format != SUMMARY_HTML) {
        fprintf(printing->to, "%s\n", note);
        return;
    }
    fputs("<p class=\"note\">", printing->to);
    html_text(printing->to, note);
    fputs("</p>\n", printing->to);
}

/* The query of the rows, and the columns as the writer wants them. */
static void describe(const struct table_view *view, bool people, char sql[static SQL_MAX], struct summary_column ret[])
{
    size_t length = (size_t)snprintf(sql, SQL_MAX, "SELECT ");
    for (size_t i = 0; i < column_count(view); i++) {
        length += (size_t)snprintf(sql + length, SQL_MAX - length, "%s%s", i == 0 ? "" : ", ", view->column[i].name);
        const char *title = people && view->column[i].kind == COLUMN_INTERVAL ? "interval" : view->column[i].name;
        ret[i] = (struct summary_column){title, view->column[i].kind == COLUMN_TEXT};
    }
    (void)snprintf(sql + length, SQL_MAX - length, " FROM table_%s", view->name);
}

static bool has_notes(const struct table_view *view)
{
    return table_view_find(view->name) != NULL;
}

static const char *kind_of(const struct table_view *view)
{
    return strcmp(view->name, "12") == 0 ? "Figure" : "Table";
}

static void print_heading(const struct printing *printing)
{
    const struct table_view *view = printing->view;
    const char *mark = printing->format == SUMMARY_MARKDOWN ? "### " : "";
    if (printing->format == SUMMARY_HTML)
        fprintf(printing->to, "<h3>%s %s</h3>\n<p class=\"heading\">%s.</p>\n", kind_of(view), view->name,
                view->heading);
    else
        fprintf(printing->to, "%s%s %s: %s\n\n", mark, kind_of(view), view->name, view->heading);
}

int table_view_print(FILE *to, const struct table_view *view, struct store *store, enum summary_format format,
                     struct sim_error *error)
{
    char sql[SQL_MAX];
    struct summary_column column[COLUMNS_MAX];
    struct printing printing = {.to = to, .format = format, .view = view, .is_for_people = is_for_people(format)};
    describe(view, printing.is_for_people, sql, column);
    if (printing.is_for_people)
        print_heading(&printing);
    printing.writer = summary_open(to, format, column, column_count(view));
    int status = store_rows(store, sql, print_row, &printing, error);
    summary_close(printing.writer);
    if (status != 0 || !printing.is_for_people || !has_notes(view))
        return status;
    fputs("\n", to);
    (void)snprintf(sql, sizeof sql, "SELECT note FROM table_%s_notes", view->name);
    return store_rows(store, sql, print_note, &printing, error);
}
