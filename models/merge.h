/* models/merge.h -- what a round merges: weights, tokens and staleness, summed over the learners it counts.
 *
 * A learner weighs tokens x (tokens / steps), those it has trained on the fragment since it last received it. Weights
 * are summed in the order in which learners are added; what is summed over rounds is exact (struct merge_count), so
 * that a thousand rounds that are all alike can be added at once.
 *
 * Units: tokens, steps, rounds, chip-steps.
 * Ownership: a value.
 * Errors: none.
 */
#ifndef MODELS_MERGE_H
#define MODELS_MERGE_H

#include <math.h>

#include "models/ledger.h"

struct merge {
    double weight, weight_squared;
    double tokens;
    sim_chip_time chip_steps[2]; /* of small and of large learners (models/fleet.h) */
    int64_t claims;
    int64_t staleness, staleness_max;
};

/* Of rounds with a fragment. */
struct merge_count {
    int64_t merges;
    int64_t claims;    /* of learners that weighed in */
    int64_t staleness; /* summed over claims */
    int64_t staleness_max;
    sim_chip_time effective_learners; /* summed over merges, in units of 2^-32 */
    sim_chip_time chip_steps[2];      /* each merged for one of P fragments */
};

/* Adds a claim that is not void, of so many tokens. Returns its weight. */
static inline double merge_add(struct merge *merge, const struct ledger_claim *claim, double tokens, bool is_large)
{
    double weight = tokens * (tokens / (double)claim->steps);
    merge->weight += weight;
    merge->weight_squared += weight * weight;
    merge->tokens += tokens;
    merge->chip_steps[is_large] += claim->chip_steps;
    merge->claims++;
    merge->staleness += claim->staleness;
    if (claim->staleness > merge->staleness_max)
        merge->staleness_max = claim->staleness;
    return weight;
}

/* (sum w)^2 / sum w^2; 0 when nothing weighed in. */
static inline double merge_effective_learners(const struct merge *merge)
{
    return merge->weight_squared > 0 ? merge->weight * merge->weight / merge->weight_squared : 0;
}

/* Counts a round. */
static inline void merge_count_round(struct merge_count *count, const struct merge *merge)
{
    count->merges++;
    count->claims += merge->claims;
    count->staleness += merge->staleness;
    count->effective_learners += llround(merge_effective_learners(merge) * 0x1p32);
    for (int i = 0; i < 2; i++)
        count->chip_steps[i] += merge->chip_steps[i];
    if (merge->staleness_max > count->staleness_max)
        count->staleness_max = merge->staleness_max;
}

/* The mean over merges; 0 when there was none. */
static inline double merge_mean_effective_learners(const struct merge_count *count)
{
    return count->merges > 0 ? (double)count->effective_learners * 0x1p-32 / (double)count->merges : 0;
}

#endif
