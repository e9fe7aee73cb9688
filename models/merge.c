#include "models/merge.h"

#include <stdlib.h>

#include "sim/assert.h"

void merge_init(struct merge *merge, int64_t learners)
{
    int64_t leaves = 2;
    while (leaves < learners)
        leaves *= 2;
    *merge = (struct merge){.leaves = leaves, .node = sim_allocate((size_t)leaves * 2, sizeof *merge->node)};
}

void merge_fini(struct merge *merge)
{
    free(merge->node);
    *merge = (struct merge){0};
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
