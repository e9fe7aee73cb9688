/* models/merge.h -- what a round merges: weights, tokens and staleness, summed over the learners it counts.
 *
 * A learner weighs tokens x (tokens / steps), those it has trained on the fragment since it last received it. Sums are
 * in the order in which learners are added, so they are the same wherever they are made.
 *
 * Units: tokens, steps, rounds.
 * Ownership: a value.
 * Errors: none.
 */
#ifndef MODELS_MERGE_H
#define MODELS_MERGE_H

#include "models/ledger.h"

struct merge {
    double weight, weight_squared;
    double tokens; /* each counts 1/P for every fragment it is merged for */
    int64_t claims;
    int64_t staleness, staleness_max;
};

/* Adds a claim that is not void, of so many tokens. Returns its weight. */
static inline double merge_add(struct merge *merge, const struct ledger_claim *claim, double tokens, int64_t fragments)
{
    double weight = tokens * (tokens / (double)claim->steps);
    merge->weight += weight;
    merge->weight_squared += weight * weight;
    merge->tokens += tokens / (double)fragments;
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

#endif
