#include "models/merge.h"

#include <stdlib.h>

#include "sim/assert.h"

void merge_init(struct merge *merge, int64_t learners)
{
    int64_t leaves = LEDGER_LANES;
    while (leaves < learners)
        leaves *= 2;
    *merge = (struct merge){
        .leaves = leaves,
        .weight = sim_allocate_lines((size_t)leaves, sizeof *merge->weight),
        .weights = sim_allocate_lines((size_t)leaves, sizeof *merge->weights),
        .squares = sim_allocate_lines((size_t)leaves, sizeof *merge->squares),
    };
}

void merge_fini(struct merge *merge)
{
    free(merge->weight);
    free(merge->weights);
    free(merge->squares);
    *merge = (struct merge){0};
}

#define CHUNK 4 /* added at a time; every level that has so many is a multiple of it */

/* The halves of a level, node by node. */
static void add_halves(double *restrict to, const double *restrict from, int64_t half)
{
    for (int64_t i = 0; i < half; i += CHUNK)
        for (int64_t k = i; k < i + CHUNK; k++)
            to[k] = from[k] + from[half + k];
}

static void square_halves(double *restrict to, const double *restrict from, int64_t half)
{
    for (int64_t i = 0; i < half; i += CHUNK)
        for (int64_t k = i; k < i + CHUNK; k++)
            to[k] = from[k] * from[k] + from[half + k] * from[half + k];
}

/* Level 4 to 2 and 1. */
static void add_last(double node[static 2 * CHUNK])
{
    node[2] = node[4] + node[6];
    node[3] = node[5] + node[7];
    node[1] = node[2] + node[3];
}

static void sum_all(struct merge *merge)
{
    int64_t nodes = merge->leaves / 2;
    add_halves(merge->weights + nodes, merge->weight, nodes);
    square_halves(merge->squares + nodes, merge->weight, nodes);
    while ((nodes /= 2) >= CHUNK) {
        add_halves(merge->weights + nodes, merge->weights + 2 * nodes, nodes);
        add_halves(merge->squares + nodes, merge->squares + 2 * nodes, nodes);
    }
    add_last(merge->weights);
    add_last(merge->squares);
}

/* From the learner up; what is on the way is not read again from where it was just written. */
static void sum_path(struct merge *merge, int64_t learner)
{
    int64_t nodes = merge->leaves / 2, i = learner & (nodes - 1);
    const double *weight = merge->weight;
    double sum = weight[i] + weight[nodes + i];
    double squared = weight[i] * weight[i] + weight[nodes + i] * weight[nodes + i];
    for (;;) {
        merge->weights[nodes + i] = sum;
        merge->squares[nodes + i] = squared;
        if (nodes == 1)
            return;
        int64_t other = nodes + (i ^ (nodes / 2));
        sum += merge->weights[other];
        squared += merge->squares[other];
        nodes /= 2;
        i &= nodes - 1;
    }
}

void merge_sum(struct merge *merge)
{
    if (merge->changes == 0)
        return;
    if (merge->changes > MERGE_CHANGED_MAX)
        sum_all(merge);
    else
        for (int64_t k = 0; k < merge->changes; k++)
            sum_path(merge, merge->changed[k]);
    merge->changes = 0;
    double sum = merge->weights[1], squared = merge->squares[1];
    merge->effective_learners = squared > 0 ? sum * sum / squared : 0;
}

void merge_add_others(const struct merge *merge, int64_t learner, struct merge_growth *growth)
{
    int64_t nodes = merge->leaves / 2, i = learner & (nodes - 1);
    double other = merge->weight[learner ^ nodes];
    growth->levels = 0;
    growth->other[growth->levels].weight = other;
    growth->other[growth->levels++].squared = other * other;
    for (; nodes > 1; nodes /= 2, i &= nodes - 1) {
        int64_t beside = nodes + (i ^ (nodes / 2));
        growth->other[growth->levels].weight = merge->weights[beside];
        growth->other[growth->levels++].squared = merge->squares[beside];
    }
}
