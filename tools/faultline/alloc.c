#include "tools/faultline/alloc.h"

#include "sim/assert.h"

void *alloc_grown(void *block, size_t used, size_t *capacity, size_t size)
{
    if (used < *capacity)
        return block;
    *capacity += *capacity / 2 + 16;
    return sim_reallocate(block, *capacity, size);
}
