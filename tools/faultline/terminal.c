#include "tools/faultline/terminal.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/faultline/utf8.h"

#define CHUNK 4096

static bool is_kept(size_t length, uint32_t character)
{
    return length > 0 && (character == '\n' || character == '\t' || !utf8_is_control(character));
}

/* All of it; -1 with errno when that fails. */
static int put(int file, const char *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t written = write(file, bytes + done, size - done);
        if (written < 0)
            return -1;
        done += (size_t)written;
    }
    return 0;
}

/* A part of at most CHUNK bytes. A character that the end of the part cuts is one that is not kept. */
static int put_tamed(int file, const char *bytes, size_t size)
{
    char text[CHUNK + 1], tamed[CHUNK];
    size_t used = 0;
    (void)mempcpy(text, bytes, size);
    text[size] = '\0';
    for (size_t at = 0; at < size;) {
        uint32_t character = 0;
        size_t length = utf8_next(text + at, &character);
        if (is_kept(length, character))
            (void)memcpy(tamed + used, text + at, length);
        else
            tamed[used] = '?';
        used += is_kept(length, character) ? length : 1;
        at += length > 0 ? length : 1;
    }
    return put(file, tamed, used);
}

static ssize_t write_tamed(void *cookie, const char *bytes, size_t size)
{
    int file = *(const int *)cookie;
    for (size_t done = 0; done < size; done += CHUNK)
        if (put_tamed(file, bytes + done, size - done < CHUNK ? size - done : CHUNK) != 0)
            return 0; /* how a cookie says that it failed */
    return (ssize_t)size;
}

static FILE *guarded(const int *file, int mode)
{
    FILE *stream = fopencookie((void *)file, "w", (cookie_io_functions_t){.write = write_tamed});
    if (stream != NULL)
        (void)setvbuf(stream, NULL, mode, BUFSIZ);
    return stream;
}

void terminal_guard(void)
{
    static const int out = STDOUT_FILENO, err = STDERR_FILENO;
    FILE *stream = isatty(out) == 1 ? guarded(&out, _IOLBF) : NULL;
    stdout = stream != NULL ? stream : stdout;
    stream = guarded(&err, _IONBF);
    stderr = stream != NULL ? stream : stderr;
}

void terminal_control(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vdprintf(STDERR_FILENO, format, arguments);
    va_end(arguments);
}
