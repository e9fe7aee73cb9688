/* tools/faultline/store_internal.h -- what the files store*.c share; nobody else includes it.
 *
 * Units: none.
 * Ownership: a statement is finished by its user with store_finish.
 * Errors: store_fail turns the last error of SQLite into a text that names the file.
 */
#ifndef TOOLS_FAULTLINE_STORE_INTERNAL_H
#define TOOLS_FAULTLINE_STORE_INTERNAL_H

#include "tools/faultline/store.h"

struct sqlite3;
struct sqlite3_stmt;

struct store {
    struct sqlite3 *db;
    char *path;
};

/* Generated from schema.sql and the published tables: lines, ended by NULL. */
extern const char *const store_schema_sql[];
extern const char *const store_table_1a_csv[];
extern const char *const store_table_1b_csv[];
extern const char *const store_table_4_csv[];
extern const char *const store_table_5_csv[];
extern const char *const store_table_13_csv[];

/* Fills *error with "PATH: `what`: why" and returns -1. */
int store_fail(const struct store *store, const char *what, struct sim_error *error);

/* Runs SQL without results; waits and tries again, up to two minutes, while others hold the file. A code of SQLite. */
int store_exec(struct store *store, const char *sql);

/* A prepared statement with values bound in order: `types` has a letter per value, i (int64_t), d (double; NAN is
 * NULL), s (const char *). Returns NULL when SQLite refuses. */
struct sqlite3_stmt *store_prepare(struct store *store, const char *sql, const char *types, ...);

/* Binds new values to a statement and runs it once, for statements without results. A code of SQLite. */
int store_run(struct sqlite3_stmt *statement, const char *types, ...);

/* A statement around the names of the metrics, each behind a comma; the caller frees it. */
char *store_metric_sql(const char *before, const char *after);

/* The file as a URI for reading; the caller frees it. */
char *store_uri(const char *path);

/* Releases a statement (or NULL); a code of SQLite. */
int store_finish(struct sqlite3_stmt *statement);

/* Creates everything in an empty database, inside the transaction of the caller. */
int store_create(struct store *store, struct sim_error *error);

#endif
