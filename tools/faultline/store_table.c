#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/faultline/alloc.h"
#include "tools/faultline/store_internal.h"

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
