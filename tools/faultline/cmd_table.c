#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/faultline/command.h"
#include "tools/faultline/options.h"
#include "tools/faultline/store.h"
#include "tools/faultline/summary.h"
#include "tools/faultline/table_view.h"

#define CLOSE_ENOUGH 0.015 /* 1.5 points */
#define TEXT_MAX 32

struct published_table {
    const char *name;
    const char *title;
    bool has_floor; /* cells of equal chips per learner should agree: true of goodput only */
};

static const struct published_table tables[] = {
    {"1a", "goodput", true},
    {"1b", "uptime", false},
};

#define TABLES (sizeof tables / sizeof tables[0])

struct request {
    const struct published_table *table; /* both NULL: all tables, as an overview */
    const struct table_view *view;
    const char *path;
    enum summary_format format;
    struct store_cell *cell;
    size_t cells;
};

/* ------------------------------------------------------------------ arguments */

static const struct argp_option option_list[] = {
    {"format", 'f', "FORMAT", 0, "Print table (default), csv, json or markdown", 0}, {0}};

static void find_table(struct request *request, const struct argp_state *state, const char *name)
{
    for (size_t i = 0; i < TABLES; i++)
        if (strcmp(tables[i].name, name) == 0)
            request->table = &tables[i];
    request->view = table_view_find(name);
    if (request->table == NULL && request->view == NULL)
        argp_error(state, "there is no table '%s'; the tables are 1a, 1b, 4, 5, 12, 13", name);
}

/* `table FILE.db` or `table NAME FILE.db`. */
static void take_arguments(struct request *request, struct argp_state *state)
{
    int count = state->argc - state->next;
    if (count > 2)
        argp_error(state, "'%s' is one argument too many", state->argv[state->next + 2]);
    if (count == 2)
        find_table(request, state, state->argv[state->next]);
    request->path = state->argv[state->argc - 1];
    state->next = state->argc;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct request *request = state->input;
    switch (key) {
    case 'f':
        request->format =
            (enum summary_format)options_choice(state, "--format", argument, summary_format_name, SUMMARY_FORMAT_COUNT);
        return 0;
    case ARGP_KEY_ARGS:
        take_arguments(request, state);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "FILE.db is missing");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = option_list,
    .parser = parse_option,
    .args_doc = "[1a|1b|4|5|12|13] FILE.db",
    .doc = "Print a table of the paper: published beside simulated, with the half-width of the 95 % interval and the "
           "difference in points. Without a table: how many cells of each have runs.\v"
           "`basis` says what a simulated cell rests on: paper (every input that matters), derived (a formula), fitted "
           "(to these very cells) or assumed. "
           "CSV and JSON hold fractions. Exit status 4: there are no runs.",
};

/* ------------------------------------------------------------------ cells */

static bool has_runs(const struct store_cell *cell)
{
    return cell->n > 0;
}

static size_t cells_with_runs(const struct request *request)
{
    size_t count = 0;
    for (size_t i = 0; i < request->cells; i++)
        count += has_runs(&request->cell[i]);
    return count;
}

static double difference(const struct store_cell *cell)
{
    return cell->simulated - cell->published;
}

static void write_numbers(struct summary_writer *writer, const struct store_cell *cell)
{
    struct summary_cell row[] = {
        summary_text(cell->method),     summary_integer(cell->learners), summary_integer(cell->chips),
        summary_real(cell->published),  summary_real(cell->simulated),   summary_real(cell->ci95),
        summary_real(difference(cell)), summary_integer(cell->n),
    };
    summary_row(writer, row);
}

static void percent(double x, int decimals, char ret[static TEXT_MAX])
{
    if (isnan(x))
        (void)snprintf(ret, TEXT_MAX, "-");
    else
        (void)snprintf(ret, TEXT_MAX, "%.*f", decimals, 100 * x);
}

static void signed_points(double x, char ret[static TEXT_MAX])
{
    if (fabs(x) < 0.0005)
        (void)snprintf(ret, TEXT_MAX, "0.0");
    else if (isnan(x))
        (void)snprintf(ret, TEXT_MAX, "-");
    else
        (void)snprintf(ret, TEXT_MAX, "%+.1f", 100 * x);
}

static void write_for_people(struct summary_writer *writer, const struct store_cell *cell)
{
    char published[TEXT_MAX];
    char simulated[TEXT_MAX] = "missing";
    char interval[TEXT_MAX];
    char points[TEXT_MAX];
    percent(cell->published, 0, published);
    if (has_runs(cell))
        percent(cell->simulated, 1, simulated);
    percent(cell->ci95, 2, interval);
    signed_points(difference(cell), points);
    struct summary_cell row[] = {
        summary_text(cell->method), summary_integer(cell->learners), summary_integer(cell->chips),
        summary_text(published),    summary_text(simulated),         summary_text(interval),
        summary_text(points),       summary_integer(cell->n),
    };
    summary_row(writer, row);
}

static bool is_for_people(const struct request *request)
{
    return request->format == SUMMARY_TABLE || request->format == SUMMARY_MARKDOWN;
}

static void write_cells(const struct request *request)
{
    const struct summary_column column[] = {
        {"method", true},      {"learners", false},  {"chips", false},
        {"published", false},  {"simulated", false}, {is_for_people(request) ? "interval" : "ci95", false},
        {"difference", false}, {"n", false},
    };
    struct summary_writer *writer = summary_open(stdout, request->format, column, sizeof column / sizeof column[0]);
    for (size_t i = 0; i < request->cells; i++) {
        if (is_for_people(request))
            write_for_people(writer, &request->cell[i]);
        else
            write_numbers(writer, &request->cell[i]);
    }
    summary_close(writer);
}

/* ------------------------------------------------------------------ below the cells */

static bool is_elastic(const struct store_cell *cell)
{
    return strcmp(cell->method, "dp") != 0;
}

/* Root mean square of the differences of the cells with runs; NAN when there are none. */
static double root_mean_square(const struct request *request, bool only_elastic, size_t *ret_count)
{
    double squares = 0;
    *ret_count = 0;
    for (size_t i = 0; i < request->cells; i++) {
        const struct store_cell *cell = &request->cell[i];
        if (!has_runs(cell) || (only_elastic && !is_elastic(cell)))
            continue;
        squares += difference(cell) * difference(cell);
        (*ret_count)++;
    }
    return sqrt(squares / (double)*ret_count);
}

static const struct store_cell *worst_cell(const struct request *request)
{
    const struct store_cell *worst = NULL;
    for (size_t i = 0; i < request->cells; i++) {
        const struct store_cell *cell = &request->cell[i];
        if (has_runs(cell) && (worst == NULL || fabs(difference(cell)) > fabs(difference(worst))))
            worst = cell;
    }
    return worst;
}

static size_t cells_close_enough(const struct request *request)
{
    size_t count = 0;
    for (size_t i = 0; i < request->cells; i++)
        count += has_runs(&request->cell[i]) && fabs(difference(&request->cell[i])) <= CLOSE_ENOUGH;
    return count;
}

/* Mean of the published cells with as many chips per learner as `like`. */
static double group_mean(const struct request *request, const struct store_cell *like)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < request->cells; i++) {
        const struct store_cell *cell = &request->cell[i];
        if (!is_elastic(cell) || cell->chips * like->learners != like->chips * cell->learners)
            continue;
        sum += cell->published;
        count++;
    }
    return sum / (double)count;
}

/* How far the elastic cells of the paper are from the mean of their group of equal chips per learner: what any model
 * with independent learners is off by at least. */
static double paper_floor(const struct request *request, size_t *ret_count, double *ret_worst)
{
    double squares = 0;
    *ret_count = 0;
    *ret_worst = 0;
    for (size_t i = 0; i < request->cells; i++) {
        const struct store_cell *cell = &request->cell[i];
        if (!is_elastic(cell))
            continue;
        double distance = cell->published - group_mean(request, cell);
        squares += distance * distance;
        *ret_worst = fmax(*ret_worst, fabs(distance));
        (*ret_count)++;
    }
    return sqrt(squares / (double)*ret_count);
}

static void write_fit(const struct request *request)
{
    size_t all;
    size_t elastic;
    double rms = root_mean_square(request, false, &all);
    double rms_elastic = root_mean_square(request, true, &elastic);
    const struct store_cell *worst = worst_cell(request);
    if (worst == NULL)
        return;
    printf("RMS difference: %.2f points over %zu cells", 100 * rms, all);
    if (elastic > 0)
        printf("; %.2f over the %zu elastic and decoupled ones", 100 * rms_elastic, elastic);
    printf("\nworst cell: %+.1f points (%s, %" PRId64 " learner%s, %" PRId64 " chips)\n", 100 * difference(worst),
           worst->method, worst->learners, worst->learners == 1 ? "" : "s", worst->chips);
    printf("within 1.5 points: %zu of %zu cells\n", cells_close_enough(request), all);
}

static void write_floor(const struct request *request)
{
    size_t count;
    double worst;
    double floor_rms = paper_floor(request, &count, &worst);
    if (!request->table->has_floor || count == 0)
        return;
    printf(
        "floor: %.2f points RMS, %.1f in the worst of %zu cells: what the paper's own elastic and decoupled cells of "
        "equal chips per learner differ by from their mean; a model with independent learners cannot do better\n",
        100 * floor_rms, 100 * worst, count);
}

static void write_heading(const struct request *request)
{
    printf("%sTable %s: %s in percent, published (arXiv 2604.21428v1) and simulated; interval: half-width, 95 %%, "
           "Student t; difference in points\n\n",
           request->format == SUMMARY_MARKDOWN ? "### " : "", request->table->name, request->table->title);
}

static void write_table(const struct request *request)
{
    if (!is_for_people(request)) {
        write_cells(request);
        return;
    }
    write_heading(request);
    write_cells(request);
    printf("\n");
    write_fit(request);
    printf("missing: %zu of %zu cells have no runs\n", request->cells - cells_with_runs(request), request->cells);
    write_floor(request);
}

/* ------------------------------------------------------------------ the command */

static void warn_of_choice(const struct request *request, int64_t ambiguous, int64_t cells)
{
    if (ambiguous > 0)
        fprintf(stderr,
                "faultline: %s: several scenarios fit %" PRId64 " of %" PRId64
                " cells; the one with the newest run is shown\n",
                request->path, ambiguous, cells);
}

static int64_t ambiguous_cells(const struct request *request)
{
    int64_t count = 0;
    for (size_t i = 0; i < request->cells; i++)
        count += request->cell[i].scenarios > 1;
    return count;
}

static int no_runs(const struct request *request)
{
    const char *name = "any table";
    const char *scenario = "table-1, table-5, ...";
    if (request->table != NULL) {
        name = request->table->name;
        scenario = "table-1";
    }
    char view_scenario[TEXT_MAX];
    if (request->view != NULL) {
        name = table_view_name(request->view);
        (void)snprintf(view_scenario, sizeof view_scenario, "table-%s", name);
        scenario = view_scenario;
    }
    fprintf(stderr,
            "faultline: %s: has no runs of the cells of %s%s by a scenario called %s; `faultline run ... -o %s` adds "
            "some\n",
            request->path, request->table == NULL && request->view == NULL ? "" : "table ", name, scenario,
            request->path);
    return COMMAND_NO_ANSWER;
}

static int complain(const struct sim_error *error, int status)
{
    fprintf(stderr, "faultline: %s\n", error->text);
    return status;
}

static int print_table(struct request *request, struct store *store)
{
    struct sim_error error;
    if (store_cells(store, request->table->name, &request->cell, &request->cells, &error) != 0)
        return complain(&error, COMMAND_BAD_INPUT);
    write_table(request);
    warn_of_choice(request, ambiguous_cells(request), (int64_t)request->cells);
    int status = cells_with_runs(request) == 0 ? no_runs(request) : COMMAND_DONE;
    free(request->cell);
    return status;
}

static int print_view(const struct request *request, struct store *store)
{
    struct sim_error error;
    struct table_view_count count;
    if (table_view_count(request->view, store, &count, &error) != 0 ||
        table_view_print(stdout, request->view, store, request->format, &error) != 0)
        return complain(&error, COMMAND_BAD_INPUT);
    warn_of_choice(request, count.ambiguous, count.cells);
    return count.with_runs == 0 ? no_runs(request) : COMMAND_DONE;
}

struct overview {
    struct summary_writer *writer;
    int64_t found;
};

static void overview_row(struct overview *overview, const char *name, const char *title, int64_t cells,
                         int64_t with_runs)
{
    struct summary_cell row[] = {summary_text(name), summary_text(title), summary_integer(cells),
                                 summary_integer(with_runs)};
    summary_row(overview->writer, row);
    overview->found += with_runs;
}

static int overview_tables(struct overview *overview, struct request *request, struct store *store,
                           struct sim_error *error)
{
    for (size_t i = 0; i < TABLES; i++) {
        if (store_cells(store, tables[i].name, &request->cell, &request->cells, error) != 0)
            return -1;
        overview_row(overview, tables[i].name, tables[i].title, (int64_t)request->cells,
                     (int64_t)cells_with_runs(request));
        free(request->cell);
    }
    return 0;
}

static int overview_views(struct overview *overview, struct store *store, struct sim_error *error)
{
    const struct table_view *view;
    struct table_view_count count;
    for (size_t i = 0; (view = table_view_at(i)) != NULL; i++) {
        if (table_view_count(view, store, &count, error) != 0)
            return -1;
        overview_row(overview, table_view_name(view), table_view_title(view), count.cells, count.with_runs);
    }
    return 0;
}

static int print_overview(struct request *request, struct store *store)
{
    const struct summary_column column[] = {{"table", true}, {"metric", true}, {"cells", false}, {"with_runs", false}};
    struct sim_error error;
    struct overview overview = {summary_open(stdout, request->format, column, sizeof column / sizeof column[0]), 0};
    bool is_read =
        overview_tables(&overview, request, store, &error) == 0 && overview_views(&overview, store, &error) == 0;
    summary_close(overview.writer);
    if (!is_read)
        return complain(&error, COMMAND_BAD_INPUT);
    return overview.found == 0 ? no_runs(request) : COMMAND_DONE;
}

static int answer(struct request *request, struct store *store)
{
    if (request->view != NULL)
        return print_view(request, store);
    return request->table == NULL ? print_overview(request, store) : print_table(request, store);
}

int cmd_table(int argc, char **argv)
{
    struct request request = {0};
    struct store *store;
    struct sim_error error;
    options_parse(&argp, argc, argv, &request);
    if (store_open_reading(request.path, &store, &error) != 0)
        return complain(&error, COMMAND_BAD_INPUT);
    int status = answer(&request, store);
    store_close(store);
    return status;
}
