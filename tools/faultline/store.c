#include "tools/faultline/store.h"

#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include "sim/assert.h"
#include "tools/faultline/store_internal.h"

#define NAP_MS 10

int store_fail(const struct store *store, const char *what, struct sim_error *error)
{
    const char *why = store->db != NULL ? sqlite3_errmsg(store->db) : "out of memory";
    return sim_error_set(error, "%s: %s: %s", store->path, what, why);
}

bool store_is_busy(int code)
{
    int primary = code & 0xFF;
    return primary == SQLITE_BUSY || primary == SQLITE_LOCKED || primary == SQLITE_PROTOCOL;
}

/* After a moment, whether to try again what was busy since `start`. */
static bool is_worth_a_try(int code, time_t start)
{
    struct timespec nap = {.tv_nsec = NAP_MS * 1000000L};
    if (!store_is_busy(code) || time(NULL) - start >= STORE_PATIENCE_MS / 1000)
        return false;
    (void)nanosleep(&nap, NULL);
    return true;
}

/* The busy handler of SQLite waits for most locks; the switch to WAL and recovery report BUSY without calling it. */
int store_exec(struct store *store, const char *sql)
{
    time_t start = time(NULL);
    int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    while (is_worth_a_try(code, start))
        code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    return code;
}

static int bind_double(sqlite3_stmt *statement, int index, double x)
{
    return isnan(x) ? sqlite3_bind_null(statement, index) : sqlite3_bind_double(statement, index, x);
}

/* `texts` says whether SQLite copies them, or they stay where they are until the statement has run. */
static int bind_all(sqlite3_stmt *statement, const char *types, va_list values, sqlite3_destructor_type texts)
{
    int code = SQLITE_OK;
    for (int i = 0; types[i] != '\0' && code == SQLITE_OK; i++) {
        if (types[i] == 'i')
            code = sqlite3_bind_int64(statement, i + 1, va_arg(values, int64_t));
        else if (types[i] == 'd')
            code = bind_double(statement, i + 1, va_arg(values, double));
        else
            code = sqlite3_bind_text(statement, i + 1, va_arg(values, const char *), -1, texts);
    }
    return code;
}

struct sqlite3_stmt *store_prepare(struct store *store, const char *sql, const char *types, ...)
{
    sqlite3_stmt *statement = NULL;
    va_list values;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return NULL;
    va_start(values, types);
    int code = bind_all(statement, types, values, SQLITE_TRANSIENT);
    va_end(values);
    if (code == SQLITE_OK)
        return statement;
    (void)sqlite3_finalize(statement);
    return NULL;
}

int store_run(struct sqlite3_stmt *statement, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    int code = bind_all(statement, types, values, SQLITE_STATIC);
    va_end(values);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    (void)sqlite3_reset(statement);
    return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
}

int store_finish(struct sqlite3_stmt *statement)
{
    return sqlite3_finalize(statement);
}

#define NUMBERS 3

/* The integers a query gives in its one row. A code of SQLite. */
static int query_numbers(struct store *store, const char *sql, int64_t ret[static NUMBERS])
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    for (int i = 0; i < NUMBERS && code == SQLITE_ROW; i++)
        ret[i] = sqlite3_column_int64(statement, i);
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

static int query_numbers_patiently(struct store *store, const char *sql, int64_t ret[static NUMBERS])
{
    time_t start = time(NULL);
    int code = query_numbers(store, sql, ret);
    while (is_worth_a_try(code, start))
        code = query_numbers(store, sql, ret);
    return code;
}

enum content { CONTENT_EMPTY, CONTENT_OURS, CONTENT_OLDER, CONTENT_REFUSED };

static enum content judge_version(struct store *store, int64_t version, struct sim_error *error)
{
    int code = version == STORE_SCHEMA_VERSION ? store_compare(store) : SQLITE_MISMATCH;
    store->older_version = 0;
    if (code == SQLITE_OK)
        return CONTENT_OURS;
    if (code != SQLITE_MISMATCH) {
        (void)sim_error_set(error, "%s: cannot be read as a database: %s", store->path, sqlite3_errstr(code));
        return CONTENT_REFUSED;
    }
    if (version >= 1 && version <= STORE_SCHEMA_VERSION) {
        store->older_version = version;
        return CONTENT_OLDER;
    }
    (void)sim_error_set(error,
                        "%s: has schema version %lld, this program knows versions 1 to %d; a newer faultline reads it",
                        store->path, (long long)version, STORE_SCHEMA_VERSION);
    return CONTENT_REFUSED;
}

/* What the file holds, asked in one statement: between two of them another process may have created it. Refusal comes
 * with a text. Writes nothing. */
static enum content look_inside(struct store *store, struct sim_error *error)
{
    int64_t number[NUMBERS] = {0};
    int code = query_numbers_patiently(store,
                                       "SELECT (SELECT count(*) FROM sqlite_schema), "
                                       "(SELECT application_id FROM pragma_application_id), "
                                       "(SELECT user_version FROM pragma_user_version)",
                                       number);
    int64_t objects = number[0], application = number[1], version = number[2];
    if (code != SQLITE_OK)
        (void)store_fail(store, "cannot be read as a database", error);
    else if (objects == 0 && application == 0 && version == 0)
        return CONTENT_EMPTY;
    else if (application != STORE_APPLICATION_ID)
        (void)sim_error_set(error, "%s: is a database of another program", store->path);
    else
        return judge_version(store, version, error);
    return CONTENT_REFUSED;
}

/* Under the write lock: another process may have been faster. */
static int build_locked(struct store *store, struct sim_error *error)
{
    switch (look_inside(store, error)) {
    case CONTENT_EMPTY:
        return store_create(store, error);
    case CONTENT_OLDER:
        return store_migrate(store, error);
    case CONTENT_OURS:
        return 0;
    case CONTENT_REFUSED:
        break;
    }
    return -1;
}

/* Creates what is in our files, or brings it from an older version, whole or not at all. */
static int build(struct store *store, struct sim_error *error)
{
    if (store_exec(store, "BEGIN IMMEDIATE") != SQLITE_OK)
        return store_fail(store, "cannot be written", error);
    int failure = build_locked(store, error);
    if (failure == 0 && store_exec(store, "COMMIT") != SQLITE_OK)
        failure = store_fail(store, "cannot be written", error);
    if (failure != 0)
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return failure;
}

static int prepare_writing(struct store *store, enum store_journal journal, struct sim_error *error)
{
    enum content content = look_inside(store, error);
    int64_t older_version = store->older_version;
    if (content == CONTENT_REFUSED || store_set_journal(store, journal, content == CONTENT_EMPTY, error) != 0)
        return -1;
    if (content != CONTENT_OURS && build(store, error) != 0)
        return -1;
    store->older_version = older_version;
    if (store_exec(store, "PRAGMA foreign_keys = ON") != SQLITE_OK)
        return store_fail(store, "cannot be opened", error);
    return 0;
}

const char *const store_journal_name[STORE_JOURNAL_COUNT] = {"auto", "wal", "delete"};

int store_open(const char *path, enum store_journal journal, struct store **ret, struct sim_error *error)
{
    struct store *store;
    if (store_connect_writing(path, &store, error) != 0)
        return -1;
    if (prepare_writing(store, journal, error) != 0) {
        store_close(store);
        return -1;
    }
    *ret = store;
    return 0;
}

/* From now on the store is a copy of its file, in a temporary file or in memory, brought to our version. */
static int adopt_copy(struct store *store, struct sim_error *error)
{
    struct store copy = {.path = store->path, .is_copy = true};
    int code = store_connect(&copy, "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (code == SQLITE_OK)
        code = store_copy(store, &copy, "main");
    int failure = code == SQLITE_OK ? 0 : store_fail(&copy, "cannot be read as a database", error);
    if (failure == 0)
        failure = build(&copy, error);
    (void)sqlite3_close(failure == 0 ? store->db : copy.db);
    if (failure != 0)
        return -1;
    store->db = copy.db;
    store->is_copy = true;
    return 0;
}

static int prepare_reading(struct store *store, struct sim_error *error)
{
    switch (look_inside(store, error)) {
    case CONTENT_OURS:
        return 0;
    case CONTENT_OLDER:
        return adopt_copy(store, error);
    case CONTENT_EMPTY:
        (void)sim_error_set(error, "%s: is empty", store->path);
        return 1;
    case CONTENT_REFUSED:
        break;
    }
    return -1;
}

int store_open_reading(const char *path, struct store **ret, struct sim_error *error)
{
    struct store *store;
    if (store_connect_reading(path, &store, error) != 0)
        return -1;
    int failure = prepare_reading(store, error);
    if (failure != 0) {
        store_close(store);
        return failure;
    }
    *ret = store;
    return 0;
}

int64_t store_older_version(const struct store *store)
{
    return store->older_version;
}

void store_close(struct store *store)
{
    if (store == NULL)
        return;
    (void)sqlite3_close(store->db);
    free(store->path);
    free(store);
}
