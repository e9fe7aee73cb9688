#include "tools/faultline/sample.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"

struct kept {
    struct kept *next;
    struct sim_law_sample *sample;
};

/* Grows at its head only: whoever has seen a head may walk on from it. */
static _Atomic(struct kept *) all;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct sim_law_sample *make(const double value_s[], int count)
{
    size_t size = (size_t)count * sizeof value_s[0];
    struct sim_law_sample *sample = sim_allocate(1, sizeof *sample + size);
    sample->count = count;
    memcpy(sample->value_s, value_s, size);
    qsort(sample->value_s, (size_t)count, sizeof value_s[0], ascending);
    return sample;
}

static bool is_equal(const struct sim_law_sample *a, const struct sim_law_sample *b)
{
    return a->count == b->count && memcmp(a->value_s, b->value_s, (size_t)a->count * sizeof a->value_s[0]) == 0;
}

static const struct kept *find(const struct kept *from, const struct sim_law_sample *sample)
{
    while (from != NULL && !is_equal(from->sample, sample))
        from = from->next;
    return from;
}

const struct sim_law_sample *sample_of(const double value_s[], int count)
{
    struct kept *mine = sim_allocate(1, sizeof *mine);
    *mine = (struct kept){atomic_load(&all), make(value_s, count)};
    do {
        const struct kept *there = find(mine->next, mine->sample);
        if (there != NULL) {
            free(mine->sample);
            free(mine);
            return there->sample;
        }
    } while (!atomic_compare_exchange_weak(&all, &mine->next, mine));
    return mine->sample;
}
