#include "models/clocks.h"

#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"

void clocks_init(struct clocks *clocks, int64_t learners)
{
    clocks->workers = learners + 1;
    clocks->entry = sim_allocate((size_t)clocks->workers * (size_t)clocks->workers, sizeof *clocks->entry);
}

void clocks_fini(struct clocks *clocks)
{
    free(clocks->entry);
    *clocks = (struct clocks){0};
}

int64_t clocks_syncer(const struct clocks *clocks)
{
    return clocks->workers - 1;
}

static int64_t *clock_of(const struct clocks *clocks, int64_t worker)
{
    return clocks->entry + worker * clocks->workers;
}

const int64_t *clocks_of(const struct clocks *clocks, int64_t worker)
{
    return clocks->entry ? clock_of(clocks, worker) : NULL;
}

void clocks_tick(struct clocks *clocks, int64_t worker)
{
    if (clocks->entry)
        clock_of(clocks, worker)[worker]++;
}

void clocks_receive(struct clocks *clocks, int64_t worker, const int64_t *clock)
{
    for (int64_t i = 0; clocks->entry && clock && i < clocks->workers; i++)
        if (clock[i] > clock_of(clocks, worker)[i])
            clock_of(clocks, worker)[i] = clock[i];
}

int64_t *clocks_copy(const struct clocks *clocks, int64_t worker)
{
    if (!clocks->entry)
        return NULL;
    int64_t *copy = sim_allocate((size_t)clocks->workers, sizeof *copy);
    return memcpy(copy, clock_of(clocks, worker), (size_t)clocks->workers * sizeof *copy);
}
