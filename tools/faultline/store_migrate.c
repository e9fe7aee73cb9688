/* Files of older versions. What they lack is added by building our tables beside theirs and copying the columns that
 * both have, so one way serves every version; tables that come with the program, and views, are made anew. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/faultline/alloc.h"
#include "tools/faultline/store_internal.h"

#define OLD "faultline_old_" /* before the name of a table while it is copied */

/* The tables that hold what was simulated. */
static const char *const kept[] = {"scenario", "param", "run", "bucket", "learner", "transition", "round"};

#define KEPT (sizeof kept / sizeof kept[0])

/* Columns that older versions do not have though each row needs one, and what was true of their rows. */
static const struct {
    const char *table, *column, *value;
} filled_in[] = {{"param", "source", "'unknown'"}, {"round", "restarts", "0"}, {"run", "complete", "1"}};

#define FILLED_IN (sizeof filled_in / sizeof filled_in[0])

/* ------------------------------------------------------------------ what is there */

/* The one count a query gives; -1 when SQLite fails. */
static int64_t ask(struct store *store, const char *sql, const char *name)
{
    struct sqlite3_stmt *select = store_prepare(store, sql, name == NULL ? "" : "s", name);
    bool is_there = select != NULL && sqlite3_step(select) == SQLITE_ROW;
    int64_t answer = is_there ? sqlite3_column_int64(select, 0) : -1;
    (void)store_finish(select);
    return answer;
}

/* Runs a statement with a name in it, which printf of SQLite quotes. */
static int exec_named(struct store *store, const char *format, const char *name)
{
    char *sql = sqlite3_mprintf(format, name, name);
    int code = store_exec(store, sql);
    sqlite3_free(sql);
    return code;
}

/* A database in memory with our tables and views, empty. */
static int make_sample(struct store *ret)
{
    *ret = (struct store){.path = ""};
    int code = store_connect(ret, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    return code == SQLITE_OK ? store_create_schema(ret) : code;
}

/* Calls `visit` with type, name and SQL of all that our files hold, views first, until it does not return SQLITE_OK. */
static int each_of_ours(struct store *store, int (*visit)(struct store *store, const char *const object[3]))
{
    struct store sample;
    int code = make_sample(&sample);
    struct sqlite3_stmt *select =
        code == SQLITE_OK
            ? store_prepare(&sample,
                            "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC", "")
            : NULL;
    if (code == SQLITE_OK && select == NULL)
        code = sqlite3_errcode(sample.db);
    while (code == SQLITE_OK && (code = sqlite3_step(select)) == SQLITE_ROW) {
        const char *const object[3] = {(const char *)sqlite3_column_text(select, 0),
                                       (const char *)sqlite3_column_text(select, 1),
                                       (const char *)sqlite3_column_text(select, 2)};
        code = visit(store, object);
    }
    (void)store_finish(select);
    (void)sqlite3_close(sample.db);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int compare_object(struct store *store, const char *const object[3])
{
    struct sqlite3_stmt *select =
        store_prepare(store, "SELECT 1 FROM sqlite_schema WHERE type = ? AND name = ? AND sql = ?", "sss", object[0],
                      object[1], object[2]);
    int code = select == NULL ? sqlite3_errcode(store->db) : sqlite3_step(select);
    (void)store_finish(select);
    if (code == SQLITE_DONE)
        return SQLITE_MISMATCH;
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

int store_compare(struct store *store)
{
    return each_of_ours(store, compare_object);
}

/* ------------------------------------------------------------------ making room */

static bool is_kept(const char *name)
{
    for (size_t i = 0; i < KEPT; i++)
        if (strcmp(kept[i], name) == 0)
            return true;
    return false;
}

/* Removes what has the name of something of ours, whatever it is. */
static int drop_object(struct store *store, const char *const object[3])
{
    static const char *const drop[] = {"DROP VIEW \"%w\"", "DROP INDEX \"%w\"", "DROP TABLE \"%w\""};
    static const char *const type[] = {"view", "index", "table"};
    if (is_kept(object[1]))
        return SQLITE_OK;
    for (size_t i = 0; i < sizeof type / sizeof type[0]; i++) {
        char *sql =
            sqlite3_mprintf("SELECT count(*) FROM sqlite_schema WHERE type = %Q AND name = ? COLLATE NOCASE", type[i]);
        int64_t count = ask(store, sql, object[1]);
        sqlite3_free(sql);
        int code = count > 0 ? exec_named(store, drop[i], object[1]) : SQLITE_OK;
        if (count < 0 || code != SQLITE_OK)
            return count < 0 ? SQLITE_ERROR : code;
    }
    return SQLITE_OK;
}

static int set_aside(struct store *store)
{
    int code = each_of_ours(store, drop_object);
    for (size_t i = 0; i < KEPT && code == SQLITE_OK; i++)
        code = exec_named(store, "ALTER TABLE \"%w\" RENAME TO \"" OLD "%w\"", kept[i]);
    return code;
}

/* A table of rows of each name, and not something that looks like one. */
static int check_tables(struct store *store, struct sim_error *error)
{
    for (size_t i = 0; i < KEPT; i++) {
        int64_t count = ask(
            store, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ? AND sql LIKE 'CREATE TABLE %'",
            kept[i]);
        if (count < 0)
            return store_fail(store, "cannot be read as a database", error);
        if (count != 1)
            return sim_error_set(error, "%s: says it is a database of faultline, but has no table %s", store->path,
                                 kept[i]);
    }
    return 0;
}

/* ------------------------------------------------------------------ copying */

static const char *value_for(const char *table, const char *column)
{
    for (size_t i = 0; i < FILLED_IN; i++)
        if (strcmp(filled_in[i].table, table) == 0 && strcmp(filled_in[i].column, column) == 0)
            return filled_in[i].value;
    return NULL;
}

/* The columns of our table, whether each must have a value, and whether the old one has it. */
#define COLUMNS                                                                                                        \
    "SELECT n.name, n.\"notnull\", o.name IS NOT NULL FROM pragma_table_info(?1) AS n"                                 \
    " LEFT JOIN pragma_table_info('" OLD "' || ?1) AS o ON o.name = n.name ORDER BY n.cid"

/* Adds a column to the lists of INSERT and SELECT; false when nobody knows what to put there. No run is complete when a
 * metric is missing. */
static bool add_column(const char *table, struct sqlite3_stmt *column, bool has_gap, FILE *into, FILE *from)
{
    const char *name = (const char *)sqlite3_column_text(column, 0);
    bool is_needed = sqlite3_column_int(column, 1) != 0, is_there = sqlite3_column_int(column, 2) != 0;
    const char *value = value_for(table, name);
    if (has_gap && strcmp(name, "complete") == 0) {
        is_there = false;
        value = "0";
    }
    if (!is_there && value == NULL)
        return !is_needed;
    (void)fprintf(into, ", \"%s\"", name);
    (void)fprintf(from, is_there ? ", \"%s\"" : ", %s", is_there ? name : value);
    return true;
}

/* The statement that copies a table, which the caller frees; NULL with an error when a column is missing. */
static char *copy_sql(struct store *store, const char *table, bool has_gap, struct sim_error *error)
{
    struct alloc_draft into, from;
    struct sqlite3_stmt *column = store_prepare(store, COLUMNS, "s", table);
    bool is_possible = column != NULL;
    if (!is_possible)
        (void)store_fail(store, "cannot be brought to this version", error);
    alloc_draft_start(&into);
    alloc_draft_start(&from);
    while (is_possible && sqlite3_step(column) == SQLITE_ROW) {
        is_possible = add_column(table, column, has_gap, into.to, from.to);
        if (!is_possible)
            (void)sim_error_set(error, "%s: its table %s lacks the column %s", store->path, table,
                                (const char *)sqlite3_column_text(column, 0));
    }
    int code = store_finish(column);
    if (is_possible && code != SQLITE_OK) {
        (void)store_fail(store, "cannot be brought to this version", error);
        is_possible = false;
    }
    char *columns = alloc_draft_finish(&into), *values = alloc_draft_finish(&from), *sql = NULL;
    if (is_possible) {
        alloc_draft_start(&into);
        (void)fprintf(into.to, "INSERT INTO main.%s(%s) SELECT %s FROM main." OLD "%s", table, columns + 2, values + 2,
                      table);
        sql = alloc_draft_finish(&into);
    }
    free(columns);
    free(values);
    return sql;
}

/* A column of theirs that ours does not have would be lost; in a copy that is no harm. */
static int check_columns(struct store *store, const char *table, struct sim_error *error)
{
    struct sqlite3_stmt *select = store_prepare(store,
                                                "SELECT name FROM pragma_table_info('" OLD
                                                "' || ?1) WHERE name NOT IN (SELECT name FROM pragma_table_info(?1))",
                                                "s", table);
    int code = select == NULL ? SQLITE_ERROR : sqlite3_step(select);
    if (code == SQLITE_ROW && !store->is_copy)
        (void)sim_error_set(error,
                            "%s: its table %s has a column %s, which this program does not know; name another file",
                            store->path, table, (const char *)sqlite3_column_text(select, 0));
    else if (code != SQLITE_ROW && code != SQLITE_DONE)
        (void)store_fail(store, "cannot be brought to this version", error);
    (void)store_finish(select);
    return code == SQLITE_DONE || (code == SQLITE_ROW && store->is_copy) ? 0 : -1;
}

static int copy_table(struct store *store, const char *table, bool has_gap, struct sim_error *error)
{
    if (check_columns(store, table, error) != 0)
        return -1;
    char *sql = copy_sql(store, table, has_gap, error);
    if (sql == NULL)
        return -1;
    int code = store_exec(store, sql);
    free(sql);
    return code == SQLITE_OK ? 0 : store_fail(store, "cannot be brought to this version", error);
}

static int drop_old(struct store *store)
{
    int code = SQLITE_OK;
    for (size_t i = KEPT; i > 0 && code == SQLITE_OK; i--)
        code = exec_named(store, "DROP TABLE \"" OLD "%w\"", kept[i - 1]);
    return code;
}

static int rebuild(struct store *store, struct sim_error *error)
{
    if (set_aside(store) != SQLITE_OK)
        return store_fail(store, "cannot be brought to this version", error);
    if (store_create(store, error) != 0)
        return -1;
    int64_t gaps = ask(store,
                       "SELECT count(*) FROM pragma_table_info('run') WHERE NOT \"notnull\" AND name NOT IN "
                       "(SELECT name FROM pragma_table_info('" OLD "run'))",
                       NULL);
    if (gaps < 0)
        return store_fail(store, "cannot be brought to this version", error);
    for (size_t i = 0; i < KEPT; i++)
        if (copy_table(store, kept[i], gaps != 0, error) != 0)
            return -1;
    return drop_old(store) == SQLITE_OK ? 0 : store_fail(store, "cannot be brought to this version", error);
}

int store_migrate(struct store *store, struct sim_error *error)
{
    if (check_tables(store, error) != 0)
        return -1;
    /* A table that is renamed takes along no view of the planner's own and no reference to it: the new one has its
     * name. */
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, 1, NULL);
    int failure = rebuild(store, error);
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, 0, NULL);
    return failure;
}

int store_copy(const struct store *from, struct store *to, const char *name)
{
    sqlite3_backup *backup = sqlite3_backup_init(to->db, name, from->db, "main");
    if (backup == NULL)
        return sqlite3_errcode(to->db);
    int code = sqlite3_backup_step(backup, -1);
    for (int waited_ms = 0; store_is_busy(code) && waited_ms < STORE_PATIENCE_MS; waited_ms += 10) {
        (void)sqlite3_sleep(10);
        code = sqlite3_backup_step(backup, -1);
    }
    int end = sqlite3_backup_finish(backup);
    return code == SQLITE_DONE ? end : code;
}
