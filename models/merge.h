/* models/merge.h -- what a round merges: weights, tokens and staleness of the learners it counts.
 *
 * A learner weighs tokens x (tokens / steps), those it has trained on the fragment since it last received it. Weights
 * are kept by learner and summed in pairs, the two halves of the learners first, so that a sum depends on nothing but
 * the weights. What is summed over rounds is exact (struct merge_count), so that a thousand rounds that are all alike
 * can be added at once.
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
    int64_t learners;
    double *weight;            /* of each learner; 0: it is not counted, or its claim is void */
    double *sum, *squared_sum; /* of pairs of them; the first: of all */
    double effective_learners; /* (sum w)^2 / sum w^2; 0 when nothing weighed in */
    int64_t claims; /* that are not void */
    sim_chip_time chip_steps[2]; /* of small and of large learners (models/fleet.h) */
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

void merge_init(struct merge *merge, int64_t learners);
void merge_fini(struct merge *merge);

/* Forgets what was counted, but not the weights. */
static inline void merge_begin(struct merge *merge)
{
    merge->claims = merge->staleness = merge->staleness_max = 0;
    merge->chip_steps[0] = merge->chip_steps[1] = 0;
}

/* Of a claim that is not void. */
static inline double merge_weight(int64_t steps, double tokens)
{
    return tokens * (tokens / (double)steps);
}

/* Counts a claim that is not void. */
static inline void merge_add(struct merge *merge, const struct ledger_claim *claim, bool is_large)
{
    merge->chip_steps[is_large] += claim->chip_steps;
    merge->claims++;
    merge->staleness += claim->staleness;
    if (claim->staleness > merge->staleness_max)
        merge->staleness_max = claim->staleness;
}

/* Counts so many of them, all as stale, with these chip-steps in all. */
static inline void merge_add_alike(struct merge *merge, int64_t claims, const sim_chip_time chip_steps[static 2],
                                   int64_t staleness)
{
    merge->chip_steps[0] += chip_steps[0];
    merge->chip_steps[1] += chip_steps[1];
    merge->claims += claims;
    merge->staleness += claims * staleness;
    if (staleness > merge->staleness_max)
        merge->staleness_max = staleness;
}

/* Sums the weights. */
void merge_sum(struct merge *merge);

/* Counts so many rounds like this. Requires that the weights are summed. */
static inline void merge_count_rounds(struct merge_count *count, const struct merge *merge, int64_t rounds)
{
    count->merges += rounds;
    count->claims += rounds * merge->claims;
    count->staleness += rounds * merge->staleness;
    count->effective_learners += (sim_chip_time)rounds * llround(merge->effective_learners * 0x1p32);
    for (int i = 0; i < 2; i++)
        count->chip_steps[i] += rounds * merge->chip_steps[i];
    if (merge->staleness_max > count->staleness_max)
        count->staleness_max = merge->staleness_max;
}

/* The mean over merges; 0 when there was none. */
static inline double merge_mean_effective_learners(const struct merge_count *count)
{
    return count->merges > 0 ? (double)count->effective_learners * 0x1p-32 / (double)count->merges : 0;
}

#endif
