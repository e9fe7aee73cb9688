#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/store_internal.h"
#include "tools/faultline/value.h"

#define COLUMNS_MAX 128

static double column_or_nan(struct sqlite3_stmt *select, int column)
{
    bool is_null = sqlite3_column_type(select, column) == SQLITE_NULL;
    return is_null ? NAN : sqlite3_column_double(select, column);
}

static struct store_cell read_cell(struct sqlite3_stmt *select)
{
    struct store_cell cell = {
        .learners = sqlite3_column_int64(select, 1),
        .chips = sqlite3_column_int64(select, 2),
        .published = sqlite3_column_double(select, 3),
        .simulated = column_or_nan(select, 4),
        .ci95 = column_or_nan(select, 5),
        .n = sqlite3_column_int64(select, 6),
        .scenarios = sqlite3_column_int64(select, 7),
    };
    (void)snprintf(cell.method, sizeof cell.method, "%s", (const char *)sqlite3_column_text(select, 0));
    return cell;
}

/* False, with an error, when a value is not text or a number: bytes, or a text with a zero byte in it, of which only
 * the beginning would be seen. */
static bool check_value(const struct store *store, struct sqlite3_stmt *select, int column, struct sim_error *error)
{
    int type = sqlite3_column_type(select, column);
    const char *text = type == SQLITE_TEXT ? (const char *)sqlite3_column_text(select, column) : NULL;
    bool is_text = text != NULL && strlen(text) == (size_t)sqlite3_column_bytes(select, column);
    if (type != SQLITE_BLOB && (type != SQLITE_TEXT || is_text))
        return true;
    (void)sim_error_set(error, "%s: the table cannot be read: a value of %s holds bytes that are no text", store->path,
                        sqlite3_column_name(select, column));
    return false;
}

static struct summary_cell read_value(struct sqlite3_stmt *select, int column)
{
    switch (sqlite3_column_type(select, column)) {
    case SQLITE_INTEGER:
        return summary_integer(sqlite3_column_int64(select, column));
    case SQLITE_FLOAT:
        return summary_real(sqlite3_column_double(select, column));
    case SQLITE_TEXT:
        return summary_text((const char *)sqlite3_column_text(select, column));
    default:
        return (struct summary_cell){.kind = SUMMARY_MISSING};
    }
}

static int read_values(const struct store *store, struct sqlite3_stmt *select, struct summary_cell ret[],
                       struct sim_error *error)
{
    int count = sqlite3_column_count(select);
    for (int i = 0; i < count; i++) {
        if (!check_value(store, select, i, error))
            return -1;
        ret[i] = read_value(select, i);
    }
    return 0;
}

/* After the last step of a query; with SQLITE_MISMATCH *error is filled already. */
static int finish_reading(const struct store *store, struct sqlite3_stmt *select, int code, struct sim_error *error)
{
    if (code != SQLITE_DONE && code != SQLITE_MISMATCH)
        (void)store_fail(store, "the table cannot be read", error);
    (void)store_finish(select);
    return code == SQLITE_DONE ? 0 : -1;
}

int store_rows(struct store *store, const char *sql, void (*on_row)(void *context, const struct summary_cell cells[]),
               void *context, struct sim_error *error)
{
    struct summary_cell cell[COLUMNS_MAX];
    struct sqlite3_stmt *select = store_prepare(store, sql, "");
    int code = select == NULL ? SQLITE_ERROR : SQLITE_ROW;
    SIM_ASSERT(NULL, sqlite3_column_count(select) <= COLUMNS_MAX);
    while (code == SQLITE_ROW && (code = sqlite3_step(select)) == SQLITE_ROW) {
        if (read_values(store, select, cell, error) != 0)
            code = SQLITE_MISMATCH;
        else
            on_row(context, cell);
    }
    return finish_reading(store, select, code, error);
}

/* ------------------------------------------------------------------ a whole table */

#define IS_TABLE "type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"

static int fail_no_table(struct store *store, const char *name, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    struct sqlite3_stmt *select = store_prepare(
        store, "SELECT group_concat(name, ', ') FROM (SELECT name FROM sqlite_schema WHERE " IS_TABLE " ORDER BY name)",
        "");
    bool is_there = select != NULL && sqlite3_step(select) == SQLITE_ROW;
    (void)sim_error_set(error, "%s: there is no table %s; there are %s", store->path, value_quote(name, quoted),
                        is_there ? (const char *)sqlite3_column_text(select, 0) : "none");
    (void)store_finish(select);
    return -1;
}

/* SQLITE_ROW when there is a table or view of the name, SQLITE_DONE when not. */
static int find_table(struct store *store, const char *name)
{
    struct sqlite3_stmt *select =
        store_prepare(store, "SELECT 1 FROM sqlite_schema WHERE name = ? AND " IS_TABLE, "s", name);
    int code = select == NULL ? SQLITE_ERROR : sqlite3_step(select);
    (void)store_finish(select);
    return code;
}

static int hand_rows(const struct store *store, struct sqlite3_stmt *select, const struct store_reader *reader,
                     struct sim_error *error)
{
    int count = sqlite3_column_count(select), code = SQLITE_ROW;
    struct summary_column *column = sim_allocate((size_t)count, sizeof *column);
    struct summary_cell *cell = sim_allocate((size_t)count, sizeof *cell);
    for (int i = 0; i < count; i++) {
        const char *type = sqlite3_column_decltype(select, i);
        column[i] = (struct summary_column){sqlite3_column_name(select, i), type != NULL && strcmp(type, "TEXT") == 0};
    }
    reader->on_columns(reader->context, column, (size_t)count);
    while (code == SQLITE_ROW && (code = sqlite3_step(select)) == SQLITE_ROW) {
        if (read_values(store, select, cell, error) != 0)
            code = SQLITE_MISMATCH;
        else
            reader->on_row(reader->context, cell);
    }
    free(column);
    free(cell);
    return code;
}

int store_each_row(struct store *store, const char *name, const struct store_reader *reader, struct sim_error *error)
{
    int code = find_table(store, name);
    if (code == SQLITE_DONE)
        return fail_no_table(store, name, error);
    if (code != SQLITE_ROW)
        return store_fail(store, "the table cannot be read", error);
    char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", name);
    struct sqlite3_stmt *select = store_prepare(store, sql, "");
    code = select == NULL ? SQLITE_ERROR : hand_rows(store, select, reader, error);
    sqlite3_free(sql);
    return finish_reading(store, select, code, error);
}

int store_cells(struct store *store, const char *name, struct store_cell **ret, size_t *ret_count,
                struct sim_error *error)
{
    char sql[160];
    struct store_cell *cells = NULL;
    size_t count = 0;
    size_t capacity = 0;
    (void)snprintf(sql, sizeof sql,
                   "SELECT method, learners, chips, published, simulated, ci95, n, scenarios FROM table_%s", name);
    struct sqlite3_stmt *select = store_prepare(store, sql, "");
    int code = select == NULL ? SQLITE_ERROR : SQLITE_ROW;
    while (code == SQLITE_ROW && (code = sqlite3_step(select)) == SQLITE_ROW) {
        cells = alloc_grown(cells, count, &capacity, sizeof *cells);
        cells[count++] = read_cell(select);
    }
    if (code != SQLITE_DONE)
        (void)store_fail(store, "the table cannot be read", error);
    (void)store_finish(select);
    if (code != SQLITE_DONE) {
        free(cells);
        return -1;
    }
    *ret = cells;
    *ret_count = count;
    return 0;
}
