/* tests/crash/disk.c -- a library for LD_PRELOAD that makes the disk look like another one.
 *
 * With DISK_UNSHARED=1 no file can be mapped as shared memory; with DISK_NETWORK=1 every file is on NFS.
 */
#undef _FILE_OFFSET_BITS /* here mmap and mmap64 are two functions */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#define NFS 0x6969

#define REAL(name, ret, ...)                                                                                           \
    static ret (*real)(__VA_ARGS__);                                                                                   \
    if (real == NULL)                                                                                                  \
    *(void **)&real = dlsym(RTLD_NEXT, name)

static void *map(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    REAL("mmap64", void *, void *, size_t, int, int, int, off_t);
    if (fd >= 0 && (flags & MAP_SHARED) != 0 && getenv("DISK_UNSHARED") != NULL) {
        errno = ENODEV;
        return MAP_FAILED;
    }
    return real(address, size, protection, flags, fd, offset);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    return map(address, size, protection, flags, fd, offset);
}

void *mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset)
{
    return map(address, size, protection, flags, fd, offset);
}

static int ask_about(const char *path, struct statfs *ret)
{
    REAL("statfs64", int, const char *, struct statfs *);
    int failure = real(path, ret);
    if (failure == 0 && getenv("DISK_NETWORK") != NULL)
        ret->f_type = NFS;
    return failure;
}

int statfs(const char *path, struct statfs *ret)
{
    return ask_about(path, ret);
}

int statfs64(const char *path, struct statfs64 *ret)
{
    return ask_about(path, (struct statfs *)ret);
}
