#include "tools/faultline/store.h"

#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/store_internal.h"

#define APPLICATION_ID 0x464C544E /* "FLTN", in the header of the file */
#define PATIENCE_MS 120000        /* how long a busy file is waited for */
#define NAP_MS 10

int store_fail(const struct store *store, const char *what, struct sim_error *error)
{
    const char *why = store->db != NULL ? sqlite3_errmsg(store->db) : "out of memory";
    return sim_error_set(error, "%s: %s: %s", store->path, what, why);
}

static bool is_busy(int code)
{
    int primary = code & 0xFF;
    return primary == SQLITE_BUSY || primary == SQLITE_LOCKED || primary == SQLITE_PROTOCOL;
}

/* The busy handler of SQLite waits for most locks; the switch to WAL and recovery report BUSY without calling it. */
int store_exec(struct store *store, const char *sql)
{
    int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    for (int waited_ms = 0; is_busy(code) && waited_ms < PATIENCE_MS; waited_ms += NAP_MS) {
        struct timespec nap = {.tv_nsec = NAP_MS * 1000000L};
        (void)nanosleep(&nap, NULL);
        code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    }
    return code;
}

static int bind_double(sqlite3_stmt *statement, int index, double x)
{
    return isnan(x) ? sqlite3_bind_null(statement, index) : sqlite3_bind_double(statement, index, x);
}

static int bind_all(sqlite3_stmt *statement, const char *types, va_list values)
{
    int code = SQLITE_OK;
    for (int i = 0; types[i] != '\0' && code == SQLITE_OK; i++) {
        if (types[i] == 'i')
            code = sqlite3_bind_int64(statement, i + 1, va_arg(values, int64_t));
        else if (types[i] == 'd')
            code = bind_double(statement, i + 1, va_arg(values, double));
        else
            code = sqlite3_bind_text(statement, i + 1, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
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
    int code = bind_all(statement, types, values);
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
    int code = bind_all(statement, types, values);
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
    int code = query_numbers(store, sql, ret);
    for (int waited_ms = 0; is_busy(code) && waited_ms < PATIENCE_MS; waited_ms += NAP_MS) {
        struct timespec nap = {.tv_nsec = NAP_MS * 1000000L};
        (void)nanosleep(&nap, NULL);
        code = query_numbers(store, sql, ret);
    }
    return code;
}

enum content { CONTENT_EMPTY, CONTENT_OURS, CONTENT_REFUSED };

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
    else if (application != APPLICATION_ID)
        (void)sim_error_set(error, "%s: is a database of another program", store->path);
    else if (version == STORE_SCHEMA_VERSION)
        return CONTENT_OURS;
    else
        (void)sim_error_set(
            error,
            "%s: has schema version %lld, this program reads version %d; name another file, or move this one away",
            store->path, (long long)version, STORE_SCHEMA_VERSION);
    return CONTENT_REFUSED;
}

/* Under the write lock: another process may have been faster. */
static int create_locked(struct store *store, struct sim_error *error)
{
    char mark[128];
    enum content content = look_inside(store, error);
    if (content != CONTENT_EMPTY)
        return content == CONTENT_OURS ? 0 : -1;
    if (store_create(store, error) != 0)
        return -1;
    (void)snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID,
                   STORE_SCHEMA_VERSION);
    if (store_exec(store, mark) != SQLITE_OK)
        return store_fail(store, "cannot be created", error);
    return 0;
}

static int create(struct store *store, struct sim_error *error)
{
    if (store_exec(store, "PRAGMA journal_mode = WAL") != SQLITE_OK ||
        store_exec(store, "BEGIN IMMEDIATE") != SQLITE_OK)
        return store_fail(store, "cannot be created", error);
    int failure = create_locked(store, error);
    if (failure == 0 && store_exec(store, "COMMIT") != SQLITE_OK)
        failure = store_fail(store, "cannot be created", error);
    if (failure != 0)
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return failure;
}

/* A text of its own; the caller frees it. */
__attribute__((format(printf, 1, 2))) static char *text_of(const char *format, ...)
{
    struct alloc_draft draft;
    va_list values;
    alloc_draft_start(&draft);
    va_start(values, format);
    (void)vfprintf(draft.to, format, values);
    va_end(values);
    return alloc_draft_finish(&draft);
}

/* True when what we print goes to that file, as with `-o /dev/stdout` or `-o a.db >a.db`. */
static bool is_standard_stream(const struct stat *about)
{
    struct stat stream;
    for (int number = STDOUT_FILENO; number <= STDERR_FILENO; number++)
        if (fstat(number, &stream) == 0 && stream.st_dev == about->st_dev && stream.st_ino == about->st_ino)
            return true;
    return false;
}

/* What SQLite would take for something else than a file of that name. */
static bool is_name_of_file(const char *path)
{
    return path[0] != '\0' && path[0] != ':' && strcmp(path, "-") != 0 && strncmp(path, "file:", 5) != 0;
}

static int check_path(const char *path, struct sim_error *error)
{
    struct stat about;
    if (!is_name_of_file(path))
        return sim_error_set(error, "'%s': results are stored in a file; give its name (in this folder: ./NAME)", path);
    if (stat(path, &about) != 0)
        return errno == ENOENT || errno == EACCES ? 0 : sim_error_set(error, "%s: %s", path, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return sim_error_set(error, "%s: is a folder; results are stored in a file", path);
    if (!S_ISREG(about.st_mode))
        return sim_error_set(error, "%s: is not a regular file", path);
    if (is_standard_stream(&about))
        return sim_error_set(error, "%s: is where the output goes; results are stored in a file of their own", path);
    if (about.st_size == 1) /* which SQLite takes for an empty file */
        return sim_error_set(error, "%s: file is not a database", path);
    return 0;
}

static int connect_file(const char *path, const char *uri, int flags, struct store **ret, struct sim_error *error)
{
    if (check_path(path, error) != 0)
        return -1;
    struct store *store = sim_allocate(1, sizeof *store);
    store->path = alloc_text(path);
    if (sqlite3_open_v2(uri, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK) {
        (void)store_fail(store, "cannot be opened", error);
        store_close(store);
        return -1;
    }
    (void)sqlite3_extended_result_codes(store->db, 1);
    /* A column that is missing is an error, not a text: see "double-quoted string literals" in the documentation of
     * SQLite. */
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    (void)sqlite3_busy_timeout(store->db, PATIENCE_MS);
    *ret = store;
    return 0;
}

/* A process that dies loses nothing that was committed; a machine that loses power may lose the last replicas, never
 * the file. */
static int prepare_writing(struct store *store, struct sim_error *error)
{
    if (sqlite3_db_readonly(store->db, "main") == 1)
        return sim_error_set(error, "%s: cannot be written", store->path);
    enum content content = look_inside(store, error);
    if (content == CONTENT_REFUSED || (content == CONTENT_EMPTY && create(store, error) != 0))
        return -1;
    if (store_exec(store, "PRAGMA foreign_keys = ON; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 250") !=
        SQLITE_OK)
        return store_fail(store, "cannot be opened", error);
    return 0;
}

int store_open(const char *path, struct store **ret, struct sim_error *error)
{
    struct store *store;
    /* SQLITE_OPEN_URI is for what is attached: a name that begins as a URI is refused. */
    if (connect_file(path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, &store, error) != 0)
        return -1;
    if (prepare_writing(store, error) != 0) {
        store_close(store);
        return -1;
    }
    *ret = store;
    return 0;
}

/* A file in a folder where nothing can be created, and without a log of changes beside it, does not change; the usual
 * way to read it would need a file of shared memory there. */
static bool is_frozen(const char *path)
{
    char *copy = alloc_text(path);
    char *wal = text_of("%s-wal", path);
    bool is_so = access(dirname(copy), W_OK) != 0 && access(wal, F_OK) != 0;
    free(copy);
    free(wal);
    return is_so;
}

char *store_uri(const char *path)
{
    const char *root = path[0] == '/' ? "//" : ""; /* before it is an empty name of a machine */
    const char *how = is_frozen(path) ? "immutable=1" : "mode=rw";
    char *escaped = sim_allocate(3 * strlen(path) + 1, 1);
    char *to = escaped;
    for (; *path != '\0'; path++)
        to += sprintf(to, strchr("%?#", *path) != NULL ? "%%%02X" : "%c", (unsigned char)*path);
    char *uri = text_of("file:%s%s?%s", root, escaped, how);
    free(escaped);
    return uri;
}

static int connect_reading(const char *path, struct store **ret, struct sim_error *error)
{
    if (!is_frozen(path))
        return connect_file(path, path, SQLITE_OPEN_READWRITE, ret, error);
    char *uri = store_uri(path);
    int failure = connect_file(path, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, ret, error);
    free(uri);
    return failure;
}

int store_open_reading(const char *path, struct store **ret, struct sim_error *error)
{
    struct store *store;
    if (connect_reading(path, &store, error) != 0)
        return -1;
    enum content content = look_inside(store, error);
    if (content != CONTENT_OURS) {
        if (content == CONTENT_EMPTY)
            (void)sim_error_set(error, "%s: is empty", path);
        store_close(store);
        return content == CONTENT_EMPTY ? 1 : -1;
    }
    *ret = store;
    return 0;
}

void store_close(struct store *store)
{
    if (store == NULL)
        return;
    (void)sqlite3_close(store->db);
    free(store->path);
    free(store);
}
