/* tests/crash/alloc.c -- a library for LD_PRELOAD whose N-th allocation fails, and with FAULT_LASTS=1 all after it.
 *
 * Counted from main on are malloc, calloc, realloc, aligned_alloc and posix_memalign, whoever calls them. FAULT_AT is
 * N; the file FAULT_MARK is made when it comes to that. What is over 1 GB fails anyway.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_long count;
static long at;
static bool lasts;
static const char *mark;

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("FAULT_AT");
    lasts = getenv("FAULT_LASTS") != NULL;
    mark = getenv("FAULT_MARK");
    count = 0;
    at = text != NULL ? strtol(text, NULL, 10) : 0;
}

static bool fails(void)
{
    if (at == 0)
        return false;
    long number = atomic_fetch_add(&count, 1) + 1;
    if (number < at || (number > at && !lasts))
        return false;
    if (number == at && mark != NULL)
        (void)close(open(mark, O_WRONLY | O_CREAT, 0644));
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t number, size_t size)
{
    return fails() ? NULL : __libc_calloc(number, size);
}

void *realloc(void *block, size_t size)
{
    return fails() ? NULL : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
    void *block = fails() ? NULL : __libc_memalign(alignment, size);
    if (block == NULL)
        return ENOMEM;
    *ret = block;
    return 0;
}

__attribute__((destructor)) static void finish(void)
{
    const char *path = getenv("FAULT_COUNT");
    char text[32];
    size_t length = sizeof text;
    long rest = count;
    at = 0;
    if (path == NULL)
        return;
    text[--length] = '\n';
    do
        text[--length] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    (void)!write(file, text + length, sizeof text - length);
    (void)close(file);
}
