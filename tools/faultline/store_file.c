/* The file under a store: what may be one, how it is opened, and how changes of it are kept whole. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/magic.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/store_internal.h"

#define TEXT_BYTES_MAX (64 << 20) /* of one value; a scenario is far smaller */
#define SQL_BYTES_MAX (1 << 20)
#define MAP_BYTES 32768 /* what SQLite maps at a time */

/* SQLITE_OPEN_URI is for what is attached: a name that begins as a URI is refused. */
#define FOR_WRITING (SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI)

/* ------------------------------------------------------------------ names */

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

static bool is_there(const char *path, const char *ending)
{
    char *name = alloc_printf("%s%s", path, ending);
    bool is_so = access(name, F_OK) == 0;
    free(name);
    return is_so;
}

static bool may_write_beside(const char *path)
{
    char *copy = alloc_text(path);
    bool is_so = access(dirname(copy), W_OK) == 0;
    free(copy);
    return is_so;
}

/* A file in a folder where nothing can be created, and without changes beside it that are not in it yet, does not
 * change; the usual way to read it would need a file of shared memory there. */
static bool is_frozen(const char *path)
{
    return !may_write_beside(path) && !is_there(path, "-wal") && !is_there(path, "-journal");
}

char *store_uri(const char *path)
{
    const char *root = path[0] == '/' ? "//" : ""; /* before it is an empty name of a machine */
    const char *how = is_frozen(path) ? "immutable=1" : "mode=rw";
    char *escaped = sim_allocate(3 * strlen(path) + 1, 1);
    char *to = escaped;
    for (; *path != '\0'; path++)
        to += sprintf(to, strchr("%?#", *path) != NULL ? "%%%02X" : "%c", (unsigned char)*path);
    char *uri = alloc_printf("file:%s%s?%s", root, escaped, how);
    free(escaped);
    return uri;
}

/* ------------------------------------------------------------------ memory */

/* SQLite without memory ends the program, as the rest of it does: some of its answers would be wrong ones, such as that
 * there is no table of a name. The file stays whole, as it does when the program is killed. */

static sqlite3_mem_methods plain; /* of SQLite, as it comes */

static void *require_block(int size)
{
    void *block = plain.xMalloc(size);
    alloc_require(block != NULL);
    return block;
}

static void *require_resized(void *block, int size)
{
    block = plain.xRealloc(block, size);
    alloc_require(block != NULL);
    return block;
}

/* Before the first use of SQLite; later it refuses, and stays as it is. */
static void require_memory(void)
{
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain) != SQLITE_OK)
        return;
    sqlite3_mem_methods requiring = plain;
    requiring.xMalloc = require_block;
    requiring.xRealloc = require_resized;
    (void)sqlite3_config(SQLITE_CONFIG_MALLOC, &requiring);
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* nobody asks, and each allocation would take a lock */
}

/* ------------------------------------------------------------------ opening */

/* A file may come from a stranger: nothing in it may do more than hold rows. Its triggers do not run, its views cannot
 * call what has effects, its own tables of SQLite cannot be written, and a value has a bounded length. */
static int harden(struct store *store)
{
    static const struct {
        int option, value;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}, {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0}, /* a column that is missing is an error, not a text */
    };
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0] && code == SQLITE_OK; i++)
        code = sqlite3_db_config(store->db, settings[i].option, settings[i].value, NULL);
    (void)sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, TEXT_BYTES_MAX);
    (void)sqlite3_limit(store->db, SQLITE_LIMIT_SQL_LENGTH, SQL_BYTES_MAX);
    if (code == SQLITE_OK)
        code = sqlite3_exec(store->db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
    return code;
}

int store_connect(struct store *store, const char *name, int flags)
{
    require_memory();
    int code = sqlite3_open_v2(name, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK)
        return code;
    (void)sqlite3_extended_result_codes(store->db, 1);
    (void)sqlite3_busy_timeout(store->db, STORE_PATIENCE_MS);
    return harden(store);
}

static int probe(struct store *store)
{
    return sqlite3_exec(store->db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
}

static bool lacks_shared_memory(int code)
{
    return code == SQLITE_IOERR_SHMOPEN || code == SQLITE_IOERR_SHMSIZE || code == SQLITE_IOERR_SHMLOCK ||
           code == SQLITE_IOERR_SHMMAP || code == SQLITE_CANTOPEN;
}

/* Lets go of the file for a moment that is not the same for everybody: two that both wait to be alone with it would
 * wait for ever. */
static int step_back(struct store *store, const char *name, int flags)
{
    struct timespec nap = {.tv_nsec = (5 + getpid() % 32) * 1000000L};
    (void)sqlite3_close(store->db);
    store->db = NULL;
    (void)nanosleep(&nap, NULL);
    return store_connect(store, name, flags);
}

/* Opens the file anew, to use it alone; a busy code when somebody else does. */
static int be_alone(struct store *store, const char *name, int flags)
{
    int code = step_back(store, name, flags);
    if (code != SQLITE_OK)
        return code;
    (void)sqlite3_busy_timeout(store->db, 0);
    code = sqlite3_exec(store->db, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = probe(store);
    (void)sqlite3_busy_timeout(store->db, STORE_PATIENCE_MS);
    return code;
}

/* Without shared memory a file in WAL can still be used by one process at a time, if that is said before it is read.
 * Whoever is alone with it makes it one that all can use (store_set_journal), if it may write. */
static int do_without_shared_memory(struct store *store, const char *name, int flags)
{
    int code = probe(store);
    time_t start = time(NULL);
    if (store_is_busy(code)) /* for a moment, which who looks inside waits for */
        return SQLITE_OK;
    while (lacks_shared_memory(code) && is_there(store->path, "")) {
        code = be_alone(store, name, flags);
        store->is_alone = code == SQLITE_OK;
        if (!store_is_busy(code) || time(NULL) - start > STORE_PATIENCE_MS / 1000)
            break;
        code = step_back(store, name, flags); /* it may be another kind of file by now */
        if (code == SQLITE_OK)
            code = probe(store);
    }
    return store_is_busy(code) ? code : SQLITE_OK; /* what else is wrong is said by who looks inside */
}

static int connect_file(const char *path, const char *name, int flags, struct store **ret, struct sim_error *error)
{
    if (check_path(path, error) != 0)
        return -1;
    struct store *store = sim_allocate(1, sizeof *store);
    store->path = alloc_text(path);
    int code = store_connect(store, name, flags);
    if (code == SQLITE_OK)
        code = do_without_shared_memory(store, name, flags);
    if (code != SQLITE_OK) {
        (void)store_fail(store, "cannot be opened", error);
        store_close(store);
        return -1;
    }
    *ret = store;
    return 0;
}

int store_connect_writing(const char *path, struct store **ret, struct sim_error *error)
{
    if (connect_file(path, path, FOR_WRITING, ret, error) != 0)
        return -1;
    if (sqlite3_db_readonly((*ret)->db, "main") != 1)
        return 0;
    (void)sim_error_set(error, "%s: cannot be written", path);
    store_close(*ret);
    return -1;
}

int store_connect_reading(const char *path, struct store **ret, struct sim_error *error)
{
    if (!is_frozen(path))
        return connect_file(path, path, SQLITE_OPEN_READWRITE, ret, error);
    char *uri = store_uri(path);
    int failure = connect_file(path, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, ret, error);
    free(uri);
    return failure;
}

/* ------------------------------------------------------------------ the journal */

/* Kinds of file systems whose files may be open on several machines, which share no memory. Numbers that
 * <linux/magic.h> lacks are from the documentation of statfs(2) and of these file systems. */
static const unsigned long network_kinds[] = {
    NFS_SUPER_MAGIC,  SMB_SUPER_MAGIC, CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC,  AFS_SUPER_MAGIC, CODA_SUPER_MAGIC,
    CEPH_SUPER_MAGIC, V9FS_MAGIC,      FUSE_SUPER_MAGIC, OCFS2_SUPER_MAGIC, 0x0BD00BD0, /* Lustre */
    0x47504653,                                                                         /* GPFS */
    0x19830326,                                                                         /* BeeGFS */
    0xAAD7AAEA,                                                                         /* PanFS */
    0x01161970,                                                                         /* GFS2 */
};

static bool is_on_network(const char *path)
{
    struct statfs about;
    char *copy = alloc_text(path);
    bool is_known = statfs(path, &about) == 0 || statfs(dirname(copy), &about) == 0;
    free(copy);
    for (size_t i = 0; i < sizeof network_kinds / sizeof network_kinds[0] && is_known; i++)
        if (((unsigned long)about.f_type & 0xFFFFFFFF) == network_kinds[i])
            return true;
    return false;
}

/* The journal that the file has now, in *ret; a code of SQLite. */
static int read_journal(struct store *store, const char *pragma, enum store_journal *ret)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db, pragma, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        const char *mode = (const char *)sqlite3_column_text(statement, 0);
        *ret = mode != NULL && strcmp(mode, "wal") == 0 ? STORE_JOURNAL_WAL : STORE_JOURNAL_DELETE;
    }
    (void)sqlite3_finalize(statement);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

/* True when memory can be shared through a file beside this one, as WAL needs it. */
static bool can_share_memory(const struct store *store)
{
    char *name = alloc_printf("%s-test-%ld", store->path, (long)getpid());
    int file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0)
        (void)unlink(name);
    free(name);
    void *memory = MAP_FAILED;
    if (file >= 0 && ftruncate(file, MAP_BYTES) == 0)
        memory = mmap(NULL, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED)
        (void)munmap(memory, MAP_BYTES);
    if (file >= 0)
        (void)close(file);
    return memory != MAP_FAILED;
}

/* A file that has none yet gets WAL: writers do not wait for readers, and a commit is one write. */
static enum store_journal choose(const struct store *store, enum store_journal asked, bool is_new,
                                 enum store_journal there)
{
    if (asked != STORE_JOURNAL_AUTO)
        return asked;
    if (store->is_alone || is_on_network(store->path))
        return STORE_JOURNAL_DELETE;
    if (is_new)
        return can_share_memory(store) ? STORE_JOURNAL_WAL : STORE_JOURNAL_DELETE;
    return there;
}

/* Sets it, in *ret what became of it. The kind of journal changes only while nobody else has the file open. */
static int change(struct store *store, enum store_journal wanted, enum store_journal *ret)
{
    const char *pragma = wanted == STORE_JOURNAL_WAL ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE";
    int code = read_journal(store, pragma, ret);
    for (time_t start = time(NULL); store_is_busy(code) && time(NULL) - start < STORE_PATIENCE_MS / 1000;) {
        code = step_back(store, store->path, FOR_WRITING);
        if (code == SQLITE_OK)
            code = read_journal(store, pragma, ret);
    }
    return code;
}

/* Others can come in again. */
static int share(struct store *store)
{
    if (!store->is_alone)
        return SQLITE_OK;
    store->is_alone = false;
    return store_exec(store, "PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema");
}

int store_set_journal(struct store *store, enum store_journal asked, bool is_new, struct sim_error *error)
{
    enum store_journal is = STORE_JOURNAL_AUTO, wanted = STORE_JOURNAL_AUTO;
    if (asked == STORE_JOURNAL_WAL && !can_share_memory(store))
        return sim_error_set(error, "%s: --journal wal needs shared memory, and there is none here; delete works",
                             store->path);
    int code = read_journal(store, "PRAGMA journal_mode", &is);
    if (code == SQLITE_OK)
        wanted = choose(store, asked, is_new, is);
    if (code == SQLITE_OK && wanted != is)
        code = change(store, wanted, &is);
    if (code == SQLITE_OK)
        code = share(store);
    if (code == SQLITE_OK)
        code =
            store_exec(store, is == STORE_JOURNAL_WAL ? "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 250"
                                                      : "PRAGMA synchronous = FULL");
    return code == SQLITE_OK ? 0 : store_fail(store, "its journal cannot be set", error);
}
