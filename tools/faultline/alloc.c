#include "tools/faultline/alloc.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/faultline/command.h"

static void *checked(void *block)
{
    if (block != NULL)
        return block;
    fputs("faultline: out of memory\n", stderr);
    exit(COMMAND_NOT_STORED);
}

void *alloc_zeroed(size_t count, size_t size)
{
    return checked(calloc(count == 0 ? 1 : count, size));
}

void *alloc_resized(void *block, size_t count, size_t size)
{
    return checked(reallocarray(block, count == 0 ? 1 : count, size));
}

void *alloc_grown(void *block, size_t used, size_t *capacity, size_t size)
{
    if (used < *capacity)
        return block;
    *capacity += *capacity / 2 + 16;
    return alloc_resized(block, *capacity, size);
}
