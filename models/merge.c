#include "models/merge.h"

#include <stdlib.h>

#include "sim/assert.h"

void merge_init(struct merge *merge, int64_t learners)
{
    size_t count = (size_t)learners;
    *merge = (struct merge){0};
    merge->chip_steps = sim_allocate(count, sizeof *merge->chip_steps);
    merge->steps = sim_allocate(count, sizeof *merge->steps);
    merge->chips = sim_allocate(count, sizeof *merge->chips);
    merge->tokens = sim_allocate(count, sizeof *merge->tokens);
    merge->weight = sim_allocate(count, sizeof *merge->weight);
}

void merge_fini(struct merge *merge)
{
    free(merge->chip_steps);
    free(merge->steps);
    free(merge->chips);
    free(merge->tokens);
    free(merge->weight);
    *merge = (struct merge){0};
}

/* By itself, so that the compiler takes several at a time. */
static void weigh(int64_t claims, const double *restrict chip_steps, const double *restrict steps,
                  const double *restrict chips, double tokens_per_step, double *restrict tokens,
                  double *restrict weight)
{
    for (int64_t i = 0; i < claims; i++) {
        tokens[i] = chip_steps[i] * tokens_per_step / chips[i];
        weight[i] = tokens[i] * (tokens[i] / steps[i]);
    }
}

void merge_weigh(struct merge *merge, double tokens_per_step)
{
    double sum = 0, squared_sum = 0;
    weigh(merge->claims, merge->chip_steps, merge->steps, merge->chips, tokens_per_step, merge->tokens, merge->weight);
    for (int64_t i = 0; i < merge->claims; i++) {
        sum += merge->weight[i];
        squared_sum += merge->weight[i] * merge->weight[i];
    }
    merge->weight_sum = sum;
    merge->weight_squared_sum = squared_sum;
}

double merge_tokens(const struct merge *merge)
{
    double sum = 0;
    for (int64_t i = 0; i < merge->claims; i++)
        sum += merge->tokens[i];
    return sum;
}
