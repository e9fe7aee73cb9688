/* tests/crash/fault.c -- a library for LD_PRELOAD that makes the N-th change of a file go wrong.
 *
 * Changes are counted of files below FAULT_FOLDER: opening one that is not there, writing, truncating, syncing,
 * renaming, removing. At change number FAULT_AT happens what FAULT_HOW says, and the file FAULT_MARK is made:
 *
 *   kill    the process is killed before the change
 *   half    a write is half done, then the process is killed
 *   cut     power cut: all changes since the last fsync of each file, and of names since that of their folder, are
 * undone torn    power cut: of the sectors written since then some are old and some new, by FAULT_SEED EIO, ENOSPC,
 * EINTR   the change fails with this errno; with a + behind it all later ones do, too
 *
 * Files of shared memory (-shm) are no changes: nobody expects them to outlive the process. SQLite reaches the disk
 * through the functions below; stdio does not, so fopen gives a stream of ours (stream.c).
 */
#undef _FILE_OFFSET_BITS /* here pwrite and pwrite64 are two functions */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/crash/fault.h"

#define FILES_MAX 4096
#define OPS_MAX 4096
#define FDS_MAX 1024
#define NAME_BYTES 512
#define SECTOR 512

enum how { HOW_NOTHING, HOW_KILL, HOW_HALF, HOW_CUT, HOW_TORN, HOW_ERROR };

/* A sector as it was at the last sync, beyond the end of the file zero. */
struct sector {
    off_t at;
    unsigned char old[SECTOR];
};

struct file {
    char path[NAME_BYTES]; /* where it is now */
    off_t synced_size;
    struct sector *dirty;
    size_t dirties, capacity;
};

enum op_kind { OP_CREATED, OP_RENAMED };

/* A change of names that its folder was not synced after. */
struct op {
    enum op_kind kind;
    char from[NAME_BYTES], to[NAME_BYTES];
};

static struct file files[FILES_MAX];
static size_t file_count;
static struct op ops[OPS_MAX];
static size_t op_count, side_count;
static int file_of_fd[FDS_MAX]; /* number in `files` plus 1; -1: a folder; 0: nothing of ours */

static long at, count;
static enum how how;
static int error_number;
static bool lasts;
static uint64_t seed;
static const char *folder;

#define REAL(name, ret, ...)                                                                                           \
    static ret (*real)(__VA_ARGS__);                                                                                   \
    if (real == NULL)                                                                                                  \
    *(void **)&real = dlsym(RTLD_NEXT, name)

static uint64_t number(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("FAULT_HOW");
    static const struct {
        const char *name;
        enum how how;
        int number;
    } known[] = {{"kill", HOW_KILL, 0},      {"half", HOW_HALF, 0},   {"cut", HOW_CUT, 0},
                 {"torn", HOW_TORN, 0},      {"EIO", HOW_ERROR, EIO}, {"ENOSPC", HOW_ERROR, ENOSPC},
                 {"EINTR", HOW_ERROR, EINTR}};
    folder = getenv("FAULT_FOLDER");
    at = (long)number("FAULT_AT");
    seed = number("FAULT_SEED");
    for (size_t i = 0; text != NULL && i < sizeof known / sizeof known[0]; i++)
        if (strncmp(text, known[i].name, strlen(known[i].name)) == 0) {
            how = known[i].how;
            error_number = known[i].number;
            lasts = text[strlen(text) - 1] == '+';
        }
}

/* ------------------------------------------------------------------ which files */

bool fault_is_ours(const char *path)
{
    size_t length = strlen(path);
    return folder != NULL && strncmp(path, folder, strlen(folder)) == 0 && length < NAME_BYTES - 32 &&
           (length < 4 || strcmp(path + length - 4, "-shm") != 0);
}

static struct file *find(const char *path)
{
    for (size_t i = file_count; i > 0; i--)
        if (strcmp(files[i - 1].path, path) == 0)
            return &files[i - 1];
    return NULL;
}

static void die(const char *why)
{
    (void)dprintf(STDERR_FILENO, "fault.c: %s\n", why);
    abort();
}

static struct file *track(const char *path, off_t size)
{
    struct file *file = find(path);
    if (file != NULL)
        return file;
    if (file_count == FILES_MAX)
        die("too many files");
    file = &files[file_count++];
    (void)snprintf(file->path, sizeof file->path, "%s", path);
    file->synced_size = size;
    return file;
}

static struct file *file_at(int fd)
{
    return fd >= 0 && fd < FDS_MAX && file_of_fd[fd] > 0 ? &files[file_of_fd[fd] - 1] : NULL;
}

/* ------------------------------------------------------------------ the power cut */

static uint64_t next_random(void)
{
    uint64_t z = seed += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static ssize_t real_pwrite(int fd, const void *data, size_t size, off_t offset)
{
    REAL("pwrite64", ssize_t, int, const void *, size_t, off_t);
    return real(fd, data, size, offset);
}

static int real_open(const char *path, int flags, int mode)
{
    REAL("open64", int, const char *, int, ...);
    return real(path, flags, mode);
}

static int real_rename(const char *from, const char *to)
{
    REAL("rename", int, const char *, const char *);
    return real(from, to);
}

static int real_unlink(const char *path)
{
    REAL("unlink", int, const char *);
    return real(path);
}

static int real_ftruncate(int fd, off_t size)
{
    REAL("ftruncate64", int, int, off_t);
    return real(fd, size);
}

static void restore(struct file *file)
{
    bool is_torn = how == HOW_TORN;
    struct stat about;
    int fd = real_open(file->path, O_RDWR, 0);
    if (fd < 0 || fstat(fd, &about) != 0)
        return;
    for (size_t i = 0; i < file->dirties; i++)
        if (!is_torn || next_random() % 2 == 0)
            (void)real_pwrite(fd, file->dirty[i].old, SECTOR, file->dirty[i].at);
    bool keeps_size = is_torn && next_random() % 2 == 0;
    (void)real_ftruncate(fd, keeps_size ? about.st_size : file->synced_size);
    (void)close(fd);
}

static void cut_power(void)
{
    for (size_t i = 0; i < file_count; i++)
        restore(&files[i]);
    size_t kept = how == HOW_TORN ? next_random() % (op_count + 1) : 0;
    for (size_t i = op_count; i > kept; i--) {
        const struct op *op = &ops[i - 1];
        if (op->kind == OP_CREATED)
            (void)real_unlink(op->to);
        else
            (void)real_rename(op->to, op->from);
    }
}

static void note_op(enum op_kind kind, const char *from, const char *to)
{
    if (op_count == OPS_MAX)
        die("too many changes of names");
    struct op *op = &ops[op_count++];
    op->kind = kind;
    (void)snprintf(op->from, sizeof op->from, "%s", from);
    (void)snprintf(op->to, sizeof op->to, "%s", to);
}

/* A folder was synced: what was removed is gone for good. */
static void settle_names(void)
{
    for (size_t i = 0; i < op_count; i++)
        if (strstr(ops[i].to, ".removed-") != NULL)
            (void)real_unlink(ops[i].to);
    op_count = 0;
}

static void note_sector(struct file *file, int fd, off_t start)
{
    for (size_t i = 0; i < file->dirties; i++)
        if (file->dirty[i].at == start)
            return;
    if (file->dirties == file->capacity) {
        file->capacity += file->capacity / 2 + 64;
        file->dirty = realloc(file->dirty, file->capacity * sizeof *file->dirty);
        if (file->dirty == NULL)
            die("no memory");
    }
    struct sector *sector = &file->dirty[file->dirties++];
    *sector = (struct sector){.at = start};
    int reader = real_open(file->path, O_RDONLY, 0);
    if (pread(reader >= 0 ? reader : fd, sector->old, SECTOR, start) < 0)
        die("a sector cannot be read");
    if (reader >= 0)
        (void)close(reader);
}

static void note_write(struct file *file, int fd, off_t offset, size_t size)
{
    if (how != HOW_CUT && how != HOW_TORN)
        return;
    for (off_t start = offset - offset % SECTOR; start < offset + (off_t)size; start += SECTOR)
        note_sector(file, fd, start);
}

/* ------------------------------------------------------------------ the fault */

/* True when this change is the one, or one after it where the error lasts. */
static bool is_due(void)
{
    count++;
    return how != HOW_NOTHING && at != 0 && (count == at || (count > at && lasts && how == HOW_ERROR));
}

static void leave_mark(void)
{
    const char *path = getenv("FAULT_MARK");
    if (path != NULL)
        (void)close(real_open(path, O_WRONLY | O_CREAT, 0644));
}

/* Counts a change; true when it is to fail, with errno set. Of a write `fd` and what it would do. */
static bool fails(int fd, const void *data, size_t size, off_t offset)
{
    if (!is_due())
        return false;
    leave_mark();
    if (how == HOW_ERROR) {
        errno = error_number;
        return true;
    }
    if (how == HOW_HALF && size > 1)
        (void)real_pwrite(fd, data, size / 2, offset);
    if (how == HOW_CUT || how == HOW_TORN)
        cut_power();
    (void)kill(getpid(), SIGKILL);
    return true;
}

/* ------------------------------------------------------------------ what SQLite calls */

static int open_file(const char *path, int flags, int mode)
{
    struct stat about;
    bool is_there = stat(path, &about) == 0;
    bool is_new = (flags & O_CREAT) != 0 && !is_there;
    if (!fault_is_ours(path))
        return real_open(path, flags, mode);
    if (is_new && fails(-1, NULL, 0, 0))
        return -1;
    int fd = real_open(path, flags, mode);
    if (fd < 0 || fd >= FDS_MAX)
        return fd;
    if (is_there && S_ISDIR(about.st_mode)) {
        file_of_fd[fd] = -1;
        return fd;
    }
    if (is_new)
        note_op(OP_CREATED, "", path);
    if ((flags & O_ACCMODE) != O_RDONLY)
        file_of_fd[fd] = (int)(track(path, is_there ? about.st_size : 0) - files) + 1;
    return fd;
}

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        va_list rest;                                                                                                  \
        va_start(rest, flags);                                                                                         \
        int mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;                                                     \
        va_end(rest);                                                                                                  \
        return open_file(path, flags, mode);                                                                           \
    }

OPEN(open)
OPEN(open64)

int close(int fd)
{
    REAL("close", int, int);
    if (fd >= 0 && fd < FDS_MAX)
        file_of_fd[fd] = 0;
    return real(fd);
}

static ssize_t write_file(int fd, const void *data, size_t size, off_t offset)
{
    struct file *file = file_at(fd);
    if (file != NULL) {
        note_write(file, fd, offset, size);
        if (fails(fd, data, size, offset))
            return -1;
    }
    return real_pwrite(fd, data, size, offset);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    return write_file(fd, data, size, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    return write_file(fd, data, size, offset);
}

ssize_t write(int fd, const void *data, size_t size)
{
    REAL("write", ssize_t, int, const void *, size_t);
    if (file_at(fd) == NULL)
        return real(fd, data, size);
    ssize_t done = write_file(fd, data, size, lseek(fd, 0, SEEK_CUR));
    if (done > 0)
        (void)lseek(fd, done, SEEK_CUR);
    return done;
}

static int truncate_file(int fd, off_t size)
{
    struct file *file = file_at(fd);
    struct stat about;
    if (file != NULL) {
        if (fstat(fd, &about) == 0 && about.st_size > size)
            note_write(file, fd, size, (size_t)(about.st_size - size));
        if (fails(fd, NULL, 0, 0))
            return -1;
    }
    return real_ftruncate(fd, size);
}

int ftruncate(int fd, off_t size)
{
    return truncate_file(fd, size);
}

int ftruncate64(int fd, off64_t size)
{
    return truncate_file(fd, size);
}

static int sync_file(int fd)
{
    struct file *file = file_at(fd);
    struct stat about;
    if (fd >= 0 && fd < FDS_MAX && file_of_fd[fd] != 0 && fails(-1, NULL, 0, 0))
        return -1;
    if (file != NULL && fstat(fd, &about) == 0) {
        file->dirties = 0;
        file->synced_size = about.st_size;
    } else if (fd >= 0 && fd < FDS_MAX && file_of_fd[fd] == -1) {
        settle_names();
    }
    return 0; /* the disk itself may take its time: this machine stays on */
}

int fsync(int fd)
{
    return sync_file(fd);
}

int fdatasync(int fd)
{
    return sync_file(fd);
}

/* Moves what is at `path` aside, where a power cut finds it. */
static int set_aside(const char *path)
{
    char side[NAME_BYTES];
    (void)snprintf(side, sizeof side, "%.470s.removed-%zu", path, side_count++);
    struct stat about;
    struct file *file = find(path);
    if (stat(path, &about) != 0)
        return -1;
    if (file == NULL)
        file = track(path, about.st_size);
    if (real_rename(path, side) != 0)
        return -1;
    (void)snprintf(file->path, sizeof file->path, "%s", side);
    note_op(OP_RENAMED, path, side);
    return 0;
}

int unlink(const char *path)
{
    if (!fault_is_ours(path))
        return real_unlink(path);
    struct stat about;
    if (stat(path, &about) != 0)
        return real_unlink(path);
    if (fails(-1, NULL, 0, 0))
        return -1;
    return how == HOW_CUT || how == HOW_TORN ? set_aside(path) : real_unlink(path);
}

int rename(const char *from, const char *to)
{
    struct stat about;
    if (!fault_is_ours(to))
        return real_rename(from, to);
    if (fails(-1, NULL, 0, 0))
        return -1;
    if ((how == HOW_CUT || how == HOW_TORN) && stat(to, &about) == 0)
        (void)set_aside(to);
    struct file *file = find(from);
    if (real_rename(from, to) != 0)
        return -1;
    if (file != NULL)
        (void)snprintf(file->path, sizeof file->path, "%s", to);
    note_op(OP_RENAMED, from, to);
    return 0;
}

__attribute__((destructor)) static void finish(void)
{
    settle_names();
    if (getenv("FAULT_COUNT") == NULL)
        return;
    folder = NULL;
    int fd = real_open(getenv("FAULT_COUNT"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    (void)dprintf(fd, "%ld\n", count);
    (void)close(fd);
}
