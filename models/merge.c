#include "models/merge.h"

#include <stdlib.h>

#include "sim/assert.h"

void merge_init(struct merge *merge, int64_t learners)
{
    int64_t leaves = 2;
    while (leaves < learners)
        leaves *= 2;
    *merge = (struct merge){
        .leaves = leaves,
        .weight = sim_allocate((size_t)leaves, sizeof *merge->weight),
        .node = sim_allocate((size_t)leaves, sizeof *merge->node),
    };
}

void merge_fini(struct merge *merge)
{
    free(merge->weight);
    free(merge->node);
    *merge = (struct merge){0};
}

static inline void sum_learners(struct merge_node *node, const double *weight)
{
    node->weight = weight[0] + weight[1];
    node->squared = weight[0] * weight[0] + weight[1] * weight[1];
}

static inline void sum_nodes(struct merge_node *node, int64_t i)
{
    node[i].weight = node[2 * i].weight + node[2 * i + 1].weight;
    node[i].squared = node[2 * i].squared + node[2 * i + 1].squared;
}

static void sum_all(struct merge_node *restrict node, const double *restrict weight, int64_t pairs)
{
    for (int64_t i = 0; i < pairs; i++)
        sum_learners(&node[pairs + i], weight + 2 * i);
    for (int64_t i = pairs - 1; i > 0; i--)
        sum_nodes(node, i);
}

/* From the learner up; what is on the way is not read again from where it was just written. */
static void sum_path(struct merge *merge, int64_t learner)
{
    int64_t i = (merge->leaves + learner) / 2;
    struct merge_node *node = merge->node, sum;
    sum_learners(&sum, merge->weight + (learner & ~INT64_C(1)));
    node[i] = sum;
    for (; i > 1; i /= 2) {
        sum.weight += node[i ^ 1].weight;
        sum.squared += node[i ^ 1].squared;
        node[i / 2] = sum;
    }
}

void merge_sum(struct merge *merge)
{
    const struct merge_node *all = &merge->node[1];
    if (merge->changes == 0)
        return;
    if (merge->changes > MERGE_CHANGED_MAX)
        sum_all(merge->node, merge->weight, merge->leaves / 2);
    else
        for (int64_t k = 0; k < merge->changes; k++)
            sum_path(merge, merge->changed[k]);
    merge->changes = 0;
    merge->effective_learners = all->squared > 0 ? all->weight * all->weight / all->squared : 0;
}
