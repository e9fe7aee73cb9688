/* models/merge.h -- what a round merges: weights, tokens and staleness of the learners it counts.
 *
 * A learner weighs tokens x (tokens / steps), those it has trained on the fragment since it last received it. Claims
 * are listed first, side by side, and weighed together: the divisions are what costs. Weights are summed in the order
 * in which learners were added; what is summed over rounds is exact (struct merge_count), so that a thousand rounds
 * that are all alike can be added at once.
 *
 * Units: tokens, steps, rounds, chip-steps.
 * Ownership: merge_init allocates, merge_fini releases.
 * Errors: none.
 */
#ifndef MODELS_MERGE_H
#define MODELS_MERGE_H

#include <math.h>

#include "models/ledger.h"

struct merge {
    int64_t claims; /* that are not void, and what they are: */
    double *chip_steps, *steps, *chips;
    double *tokens, *weight; /* once they are weighed */
    sim_chip_time chip_steps_sum[2]; /* of small and of large learners (models/fleet.h) */
    int64_t staleness, staleness_max;
    double weight_sum, weight_squared_sum;
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

void merge_init(struct merge *merge, int64_t learners);
void merge_fini(struct merge *merge);

/* Forgets the claims. */
static inline void merge_begin(struct merge *merge)
{
    merge->claims = merge->staleness = merge->staleness_max = 0;
    merge->chip_steps_sum[0] = merge->chip_steps_sum[1] = 0;
}

/* Adds a claim that is not void, of a learner with so many chips. */
static inline void merge_add(struct merge *merge, const struct ledger_claim *claim, int64_t chips, bool is_large)
{
    int64_t i = merge->claims++;
    merge->chip_steps[i] = (double)claim->chip_steps;
    merge->steps[i] = (double)claim->steps;
    merge->chips[i] = (double)chips;
    merge->chip_steps_sum[is_large] += claim->chip_steps;
    merge->staleness += claim->staleness;
    if (claim->staleness > merge->staleness_max)
        merge->staleness_max = claim->staleness;
}

/* Weighs them; a step of a whole learner has so many tokens. */
void merge_weigh(struct merge *merge, double tokens_per_step);

/* Their tokens. Requires that they are weighed. */
double merge_tokens(const struct merge *merge);

/* (sum w)^2 / sum w^2; 0 when nothing weighed in. */
static inline double merge_effective_learners(const struct merge *merge)
{
    return merge->weight_squared_sum > 0 ? merge->weight_sum * merge->weight_sum / merge->weight_squared_sum : 0;
}

/* Counts a round. */
static inline void merge_count_round(struct merge_count *count, const struct merge *merge)
{
    count->merges++;
    count->claims += merge->claims;
    count->staleness += merge->staleness;
    count->effective_learners += llround(merge_effective_learners(merge) * 0x1p32);
    for (int i = 0; i < 2; i++)
        count->chip_steps[i] += merge->chip_steps_sum[i];
    if (merge->staleness_max > count->staleness_max)
        count->staleness_max = merge->staleness_max;
}

/* The mean over merges; 0 when there was none. */
static inline double merge_mean_effective_learners(const struct merge_count *count)
{
    return count->merges > 0 ? (double)count->effective_learners * 0x1p-32 / (double)count->merges : 0;
}

#endif
