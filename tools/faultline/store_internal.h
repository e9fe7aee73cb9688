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

#define STORE_APPLICATION_ID 0x464C544E /* "FLTN", in the header of the file */
#define STORE_PATIENCE_MS 120000        /* how long a busy file is waited for */

struct store {
    struct sqlite3 *db;
    char *path;
    bool is_alone;         /* there is no shared memory, so nobody else can use the file meanwhile */
    bool is_copy;          /* of a file of an older version, brought to ours; the file itself is as it was */
    int64_t older_version; /* of the schema that the file had when it was opened; 0: ours */
};

/* Generated from schema.sql and the published tables: lines, ended by NULL. */
extern const char *const store_schema_sql[];
extern const char *const store_table_1a_csv[];
extern const char *const store_table_1b_csv[];
extern const char *const store_table_4_csv[];
extern const char *const store_table_5_csv[];
extern const char *const store_table_13_csv[];

/* In store_file.c: a connection to what may be a file of results, which has been looked at from outside only. */
int store_connect_writing(const char *path, struct store **ret, struct sim_error *error);
int store_connect_reading(const char *path, struct store **ret, struct sim_error *error);

/* Opens store->db with all precautions against what may be in it; a code of SQLite. */
int store_connect(struct store *store, const char *name, int flags);

/* Gives the file the journal that was asked for or that fits its place, and the syncs that go with it. */
int store_set_journal(struct store *store, enum store_journal asked, bool is_new, struct sim_error *error);

/* True for a code of SQLite that says that others hold the file. */
bool store_is_busy(int code);

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

/* Creates everything in an empty database and marks it as ours, inside the transaction of the caller. */
int store_create(struct store *store, struct sim_error *error);

/* The tables and views alone, empty; a code of SQLite. */
int store_create_schema(struct store *store);

/* In store_migrate.c. SQLITE_OK when every table and view that this program makes is in the file as it makes it,
 * SQLITE_MISMATCH when not; or the code of a failure. */
int store_compare(struct store *store);

/* Rebuilds the tables and views of a file of an older version, or of ours that lacks columns, inside the transaction of
 * the caller. Rows stay; what they lack is said in schema.sql. Refuses a file that holds what ours cannot. */
int store_migrate(struct store *store, struct sim_error *error);

/* Copies the whole file of `from` over the database called `name` of `to`; a code of SQLite. */
int store_copy(const struct store *from, struct store *to, const char *name);

#endif
