#include "models/merge.h"

#include <stdlib.h>

#include "sim/assert.h"

void merge_init(struct merge *merge, int64_t learners)
{
    int64_t leaves = 2;
    while (leaves < learners)
        leaves *= 2;
    size_t count = (size_t)learners;
    *merge = (struct merge){
        .leaves = leaves,
        .node = sim_allocate((size_t)leaves * 2, sizeof *merge->node),
        .learner = sim_allocate(count, sizeof *merge->learner),
        .chip_steps = sim_allocate(count, sizeof *merge->chip_steps),
        .steps = sim_allocate(count, sizeof *merge->steps),
        .chips = sim_allocate(count, sizeof *merge->chips),
        .weight = sim_allocate(count, sizeof *merge->weight),
    };
}

void merge_fini(struct merge *merge)
{
    free(merge->node);
    free(merge->learner);
    free(merge->chip_steps);
    free(merge->steps);
    free(merge->chips);
    free(merge->weight);
    *merge = (struct merge){0};
}

/* By itself, so that the compiler takes several at a time: divisions are what costs. */
static void weigh(int64_t count, const double *restrict chip_steps, const double *restrict steps,
                  const double *restrict chips, double tokens_per_step, double *restrict weight)
{
    for (int64_t i = 0; i < count; i++)
        weight[i] = merge_weight(steps[i], chip_steps[i] * tokens_per_step / chips[i]);
}

void merge_weigh(struct merge *merge, double tokens_per_step)
{
    weigh(merge->listed, merge->chip_steps, merge->steps, merge->chips, tokens_per_step, merge->weight);
    for (int64_t i = 0; i < merge->listed; i++)
        merge_set(merge, merge->learner[i], merge->weight[i]);
    merge->listed = 0;
}

static inline void sum_pair(struct merge_weight *node, int64_t i)
{
    node[i].weight = node[2 * i].weight + node[2 * i + 1].weight;
    node[i].squared = node[2 * i].squared + node[2 * i + 1].squared;
}

void merge_sum(struct merge *merge)
{
    struct merge_weight *node = merge->node;
    if (merge->changes == 0)
        return;
    if (merge->changes > MERGE_CHANGED_MAX)
        for (int64_t i = merge->leaves - 1; i > 0; i--)
            sum_pair(node, i);
    else
        for (int64_t k = 0; k < merge->changes; k++)
            for (int64_t i = (merge->leaves + merge->changed[k]) / 2; i > 0; i /= 2)
                sum_pair(node, i);
    merge->changes = 0;
    merge->effective_learners = node[1].squared > 0 ? node[1].weight * node[1].weight / node[1].squared : 0;
}
