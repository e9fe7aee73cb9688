/* tests/crash/stream.c -- streams for fault.c whose writes can be seen: stdio writes to the disk by itself otherwise.
 */
#undef _FILE_OFFSET_BITS /* here fopen and fopen64 are two functions */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/crash/fault.h"

#define REAL(name, ret, ...)                                                                                           \
    static ret (*real)(__VA_ARGS__);                                                                                   \
    if (real == NULL)                                                                                                  \
    *(void **)&real = dlsym(RTLD_NEXT, name)

struct stream {
    FILE *file;
    int fd;
};

static struct stream streams[16];

static ssize_t write_stream(void *cookie, const char *data, size_t size)
{
    ssize_t done = write(((struct stream *)cookie)->fd, data, size);
    return done < 0 ? 0 : done; /* fopencookie(3): 0 is the error, errno says which */
}

static int close_stream(void *cookie)
{
    struct stream *stream = cookie;
    stream->file = NULL;
    return close(stream->fd);
}

static FILE *open_stream(const char *path, const char *mode)
{
    REAL("fopen", FILE *, const char *, const char *);
    if (!fault_is_ours(path) || mode[0] != 'w')
        return real(path, mode);
    int fd = open(path, O_WRONLY | O_CREAT | (strchr(mode, 'x') != NULL ? O_EXCL : O_TRUNC), 0666);
    struct stream *stream = streams;
    while (stream->file != NULL)
        stream++;
    if (fd < 0)
        return NULL;
    stream->fd = fd;
    return stream->file =
               fopencookie(stream, mode, (cookie_io_functions_t){.write = write_stream, .close = close_stream});
}

FILE *fopen(const char *path, const char *mode)
{
    return open_stream(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    return open_stream(path, mode);
}

int fileno(FILE *file)
{
    REAL("fileno", int, FILE *);
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++)
        if (streams[i].file == file && file != NULL)
            return streams[i].fd;
    return real(file);
}
