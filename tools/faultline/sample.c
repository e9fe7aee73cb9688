#include "tools/faultline/sample.h"

#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"

struct kept {
    struct kept *next;
    struct sim_law_sample *sample;
};

static struct kept *all;

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

const struct sim_law_sample *sample_of(const double value_s[], int count)
{
    struct sim_law_sample *sample = make(value_s, count);
    for (const struct kept *kept = all; kept != NULL; kept = kept->next)
        if (is_equal(kept->sample, sample)) {
            free(sample);
            return kept->sample;
        }
    struct kept *kept = sim_allocate(1, sizeof *kept);
    *kept = (struct kept){all, sample};
    all = kept;
    return sample;
}
