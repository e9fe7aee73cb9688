#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "tools/faultline/alloc.h"
#include "tools/faultline/store_internal.h"
#include "tools/faultline/summary.h"

#define METRICS_LINE "    -- METRICS\n" /* of schema.sql: gives way to one column per metric */
#define STUDENT_ROWS 1000
#define PUBLISHED_FIELDS_MAX 6

static void write_metric_columns(FILE *to)
{
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        const struct run_metric_info *info = &run_metric_info[i];
        (void)fprintf(to, "    \"%s\" %s, -- %s\n", info->name,
                      info->kind == RUN_METRIC_COUNT_KIND ? "INTEGER" : "REAL", info->meaning);
    }
}

int store_create_schema(struct store *store)
{
    struct alloc_draft draft;
    alloc_draft_start(&draft);
    for (const char *const *line = store_schema_sql; *line != NULL; line++) {
        if (strcmp(*line, METRICS_LINE) == 0)
            write_metric_columns(draft.to);
        else
            (void)fputs(*line, draft.to);
    }
    char *sql = alloc_draft_finish(&draft);
    int code = store_exec(store, sql);
    free(sql);
    return code;
}

static int fill_student(struct store *store)
{
    sqlite3_stmt *insert = store_prepare(store, "INSERT INTO student VALUES (?, ?)", "");
    int code = insert == NULL ? SQLITE_ERROR : SQLITE_OK;
    for (int64_t df = 1; df <= STUDENT_ROWS && code == SQLITE_OK; df++)
        code = store_run(insert, "id", df, summary_t95((double)df));
    (void)store_finish(insert);
    return code;
}

static int fill_metrics(struct store *store)
{
    static const char *const kind[] = {
        [RUN_METRIC_FRACTION] = "fraction", [RUN_METRIC_COUNT_KIND] = "count", [RUN_METRIC_REAL] = "real"};
    sqlite3_stmt *insert = store_prepare(store, "INSERT INTO metric VALUES (?, ?, ?, ?)", "");
    int code = insert == NULL ? SQLITE_ERROR : SQLITE_OK;
    for (int64_t i = 0; i < RUN_METRIC_COUNT && code == SQLITE_OK; i++) {
        const struct run_metric_info *info = &run_metric_info[i];
        code = store_run(insert, "isss", i, info->name, kind[info->kind], info->meaning);
    }
    (void)store_finish(insert);
    return code;
}

/* A published table that is part of the program, and how a line of it becomes a row: field i of the line is value ?i.
 */
struct published {
    const char *const *lines;
    int fields;
    const char *insert;
};

static const struct published published[] = {
    {store_table_1a_csv, 5,
     "INSERT INTO published VALUES ('1a', ?1, CAST(?2 AS INTEGER), CAST(?3 AS INTEGER), ?4, ?5 / 100.0)"},
    {store_table_1b_csv, 5,
     "INSERT INTO published VALUES ('1b', ?1, CAST(?2 AS INTEGER), CAST(?3 AS INTEGER), ?4, ?5 / 100.0)"},
    {store_table_5_csv, 5,
     "INSERT INTO published_5 VALUES (CAST(?1 AS INTEGER), ?2, ?3 / 100.0, ?4 / 100.0, ?5 / 100.0)"},
    {store_table_13_csv, 6,
     "INSERT INTO published_13 VALUES (CAST(?1 AS REAL), CAST(?2 AS INTEGER),"
     " iif(?3 = 'data-parallel', 'elastic-dp', 'decoupled-diloco'), CAST(?4 AS INTEGER), ?5 / 100.0, CAST(?6 AS "
     "REAL))"},
    {store_table_4_csv, 3, "INSERT INTO published_4 VALUES (?1, ?2 / 100.0, CAST(?3 AS REAL))"},
};

/* One line of comma-separated fields without quotes. */
static int insert_published(sqlite3_stmt *insert, const char *line, int fields)
{
    char *copy = alloc_text(line);
    char *rest = copy;
    const char *field[PUBLISHED_FIELDS_MAX] = {NULL};
    char types[PUBLISHED_FIELDS_MAX + 1] = "ssssss";
    types[fields] = '\0';
    for (int i = 0; i < fields; i++)
        field[i] = strsep(&rest, ",\n");
    int code = SQLITE_MISMATCH;
    if (field[fields - 1] != NULL)
        code = store_run(insert, types, field[0], field[1], field[2], field[3], field[4], field[5]);
    free(copy);
    return code;
}

static int fill_published(struct store *store, const struct published *table)
{
    sqlite3_stmt *insert = store_prepare(store, table->insert, "");
    int code = insert == NULL ? SQLITE_ERROR : SQLITE_OK;
    for (size_t i = 1; table->lines[i] != NULL && code == SQLITE_OK; i++) /* line 0 names the columns */
        code = insert_published(insert, table->lines[i], table->fields);
    (void)store_finish(insert);
    return code;
}

static int mark(struct store *store)
{
    char sql[128];
    (void)snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d", STORE_APPLICATION_ID,
                   STORE_SCHEMA_VERSION);
    return store_exec(store, sql);
}

int store_create(struct store *store, struct sim_error *error)
{
    int code = store_create_schema(store);
    if (code == SQLITE_OK)
        code = fill_student(store);
    if (code == SQLITE_OK)
        code = fill_metrics(store);
    for (size_t i = 0; i < sizeof published / sizeof published[0] && code == SQLITE_OK; i++)
        code = fill_published(store, &published[i]);
    if (code == SQLITE_OK)
        code = mark(store);
    return code == SQLITE_OK ? 0 : store_fail(store, "cannot be created", error);
}
