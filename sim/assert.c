#include "sim/assert.h"

#include <stdio.h>
#include <stdlib.h>

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
    (void)fprintf(stderr, "faultline: out of memory (%zu x %zu bytes)\n", count, size);
    _Exit(1);
}

void *sim_allocate(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);
    if (!block)
        out_of_memory(count, size);
    return block;
}

void *sim_reallocate(void *block, size_t count, size_t size)
{
    void *grown = reallocarray(block, count ? count : 1, size);
    if (!grown)
        out_of_memory(count, size);
    return grown;
}
