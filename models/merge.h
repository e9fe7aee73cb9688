/* models/merge.h -- what a round merges: weights, tokens and staleness of the learners it counts.
 *
 * A learner weighs tokens x (tokens / steps), those it has trained on the fragment since it last received it. Weights
 * are summed in pairs, one of the first half and one of the second, and so on with the sums: so a sum depends on
 * nothing but the weights, several are added at a time, and a few that change do not cost all the additions. What is
 * summed over rounds is exact (struct merge_count), so that a thousand rounds that are all alike can be added at once.
 *
 * Units: tokens, steps, rounds, chip-steps.
 * Ownership: merge_init allocates, merge_fini releases.
 * Errors: none.
 */
#ifndef MODELS_MERGE_H
#define MODELS_MERGE_H

#include "models/ledger.h"

#define MERGE_LEVELS_MAX 62

/* More than so many weights that changed are summed with all the others. */
#define MERGE_CHANGED_MAX 6

struct merge {
    int64_t leaves; /* a power of 2, at least the learners, and LEDGER_LANES */
    double *weight; /* of each learner; 0 when it is not counted or its claim is void */
    double *weights,
        *squares; /* of weights, of squares: level n has nodes n to 2 n - 1; n + i is of 2 n + i and 3 n + i */
    int64_t changed[MERGE_CHANGED_MAX], changes;
    double effective_learners; /* (sum w)^2 / sum w^2; 0 when nothing weighed in */
    int64_t claims;            /* that are not void */
    sim_chip_time sum[2];      /* of chip-steps; of small and of large learners (models/fleet.h) */
    int64_t staleness, staleness_max;
};

/* Effective learners are counted in these. */
#define MERGE_UNITS 0x1p32

/* A claim that grows by as much from round to round, while all others stay as they are. */
struct merge_growth {
    int64_t chip_steps, slope; /* claimed in the first round; more in each that follows */
    double steps, chips;       /* claimed; of a whole learner */
    double tokens_per_step;    /* of a whole learner */
    int levels;
    struct {
        double weight, squared;
    } other[MERGE_LEVELS_MAX]; /* what is added to it, and to its square, on the way up */
};

/* Of rounds with a fragment. */
struct merge_count {
    int64_t merges;
    int64_t staleness_max;
    sim_chip_time claims;             /* of learners that weighed in */
    sim_chip_time staleness;          /* summed over claims */
    sim_chip_time effective_learners; /* summed over merges, MERGE_UNITS to one */
    sim_chip_time chip_steps[2];      /* each merged for one of P fragments */
};

void merge_init(struct merge *merge, int64_t learners);
void merge_fini(struct merge *merge);

/* Forgets what was counted, but not the weights. */
static inline void merge_begin(struct merge *merge)
{
    merge->claims = merge->staleness = merge->staleness_max = 0;
    merge->sum[0] = merge->sum[1] = 0;
}

/* From now on the learner weighs so much. */
static inline void merge_set(struct merge *merge, int64_t learner, double weight)
{
    merge->weight[learner] = weight;
    if (merge->changes < MERGE_CHANGED_MAX)
        merge->changed[merge->changes] = learner;
    merge->changes++;
}

/* Of a claim that is not void. */
static inline double merge_weight(double steps, double tokens)
{
    return tokens * (tokens / steps);
}

/* Counts a claim that is not void. */
static inline void merge_add(struct merge *merge, const struct ledger_claim *claim, bool is_large)
{
    merge->sum[is_large] += claim->chip_steps;
    merge->claims++;
    merge->staleness += claim->staleness;
    if (claim->staleness > merge->staleness_max)
        merge->staleness_max = claim->staleness;
}

/* Counts so many of them. */
static inline void merge_add_sum(struct merge *merge, int64_t claims, const sim_chip_time chip_steps[static 2],
                                 int64_t staleness, int64_t staleness_max)
{
    merge->sum[0] += chip_steps[0];
    merge->sum[1] += chip_steps[1];
    merge->claims += claims;
    merge->staleness += staleness;
    if (staleness_max > merge->staleness_max)
        merge->staleness_max = staleness_max;
}

/* The weights of all learners, to be changed. */
static inline double *merge_weights(struct merge *merge)
{
    merge->changes = MERGE_CHANGED_MAX + 1;
    return merge->weight;
}

/* Sums the weights. */
void merge_sum(struct merge *merge);

/* What the weights of the others add to that of a learner. Requires that the weights are summed. */
void merge_add_others(const struct merge *merge, int64_t learner, struct merge_growth *growth);

static inline double merge_weight_sum(const struct merge *merge)
{
    return merge->weights[1];
}

/* Counts so many rounds like this: what is summed, and the effective learners. Requires that the weights are summed. */
static inline void merge_count_sums(struct merge_count *count, const struct merge *merge, int64_t rounds)
{
    count->merges += rounds;
    count->claims += (sim_chip_time)rounds * merge->claims;
    count->staleness += (sim_chip_time)rounds * merge->staleness;
    for (int i = 0; i < 2; i++)
        count->chip_steps[i] += rounds * merge->sum[i];
    if (merge->staleness_max > count->staleness_max)
        count->staleness_max = merge->staleness_max;
}

/* The nearest, as llround has it, which takes longer: they are not negative, and below 2^51. */
static inline int64_t merge_units(double effective_learners)
{
    double above = effective_learners * MERGE_UNITS + 0.5;
    return (int64_t)above;
}

static inline void merge_count_effective(struct merge_count *count, const struct merge *merge, int64_t rounds)
{
    count->effective_learners += (sim_chip_time)rounds * merge_units(merge->effective_learners);
}

/* The mean over merges; 0 when there was none. */
static inline double merge_mean_effective_learners(const struct merge_count *count)
{
    return count->merges > 0 ? (double)count->effective_learners / MERGE_UNITS / (double)count->merges : 0;
}

#endif
