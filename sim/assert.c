#include "sim/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LINE_BYTES 64

_Noreturn void sim_assert_failed(const struct sim_origin *origin, const char *what, const char *file, int line)
{
    (void)fprintf(stderr, "faultline: bug: %s:%d: '%s' does not hold\n", file, line, what);
    if (origin) {
        (void)fprintf(stderr, "faultline: at t = %.9f s, replica %u, seed %llu\n", sim_time_seconds(origin->now),
                      origin->replica, (unsigned long long)origin->seed);
        if (origin->repeat)
            (void)fprintf(stderr, "faultline: repeat it with: %s\n", origin->repeat);
    }
    _Exit(1);
}

static _Noreturn void out_of_memory(size_t count, size_t size)
{
    if (count > 0)
        (void)fprintf(stderr, "faultline: out of memory (%zu x %zu bytes)\n", count, size);
    else
        (void)fputs("faultline: out of memory\n", stderr);
    _Exit(1);
}

void *sim_allocate(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);
    if (!block)
        out_of_memory(count, size);
    return block;
}

void *sim_allocate_lines(size_t count, size_t size)
{
    size_t bytes;
    void *block = __builtin_mul_overflow(count ? count : 1, size, &bytes) ? NULL : aligned_alloc(LINE_BYTES, bytes);
    if (!block)
        out_of_memory(count, size);
    return memset(block, 0, bytes);
}

void sim_require(const void *allocated)
{
    if (!allocated)
        out_of_memory(0, 0);
}

void *sim_reallocate(void *block, size_t count, size_t size)
{
    void *grown = reallocarray(block, count ? count : 1, size);
    if (!grown)
        out_of_memory(count, size);
    return grown;
}

#define LARGE_PAGE ((size_t)2 << 20)

void *sim_reallocate_table(void *block, size_t used, size_t bytes)
{
    if (bytes < 2 * LARGE_PAGE)
        return sim_reallocate(block, 1, bytes);
    size_t whole = (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    void *grown = aligned_alloc(LARGE_PAGE, whole);
    if (!grown)
        out_of_memory(1, whole);
    (void)madvise(grown, whole, MADV_HUGEPAGE); /* where the system has none, nothing is lost */
    if (used > 0)
        memcpy(grown, block, used);
    free(block);
    return grown;
}
