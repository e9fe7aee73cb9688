#include "models/merge.h"

#include <stdlib.h>

#include "sim/assert.h"

void merge_init(struct merge *merge, int64_t learners)
{
    size_t count = (size_t)learners;
    *merge = (struct merge){.learners = learners};
    merge->weight = sim_allocate(count, sizeof *merge->weight);
    merge->sum = sim_allocate(count, sizeof *merge->sum);
    merge->squared_sum = sim_allocate(count, sizeof *merge->squared_sum);
}

void merge_fini(struct merge *merge)
{
    free(merge->weight);
    free(merge->sum);
    free(merge->squared_sum);
    *merge = (struct merge){0};
}

/* The first pairs: weights become sums. */
static void pair(const double *restrict low, const double *restrict high, int64_t pairs, double *restrict sum,
                 double *restrict squared_sum)
{
    for (int64_t i = 0; i < pairs; i++) {
        sum[i] = low[i] + high[i];
        squared_sum[i] = low[i] * low[i] + high[i] * high[i];
    }
}

static void fold(double *restrict low, const double *restrict high, int64_t pairs)
{
    for (int64_t i = 0; i < pairs; i++)
        low[i] += high[i];
}

void merge_sum(struct merge *merge)
{
    double *sum = merge->sum, *squared_sum = merge->squared_sum;
    int64_t pairs = merge->learners / 2, rest = merge->learners - pairs;
    pair(merge->weight, merge->weight + rest, pairs, sum, squared_sum);
    if (rest > pairs) {
        sum[pairs] = merge->weight[pairs];
        squared_sum[pairs] = sum[pairs] * sum[pairs];
    }
    while (rest > 1) {
        pairs = rest / 2;
        rest -= pairs;
        fold(sum, sum + rest, pairs);
        fold(squared_sum, squared_sum + rest, pairs);
    }
    merge->effective_learners = squared_sum[0] > 0 ? sum[0] * sum[0] / squared_sum[0] : 0;
}
