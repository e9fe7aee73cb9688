/* models/passes.h -- what is done for several learners, or rounds, at a time.
 *
 * Written with vectors of the compiler, without a branch on what a learner does, and compiled for every processor and
 * for those with vectors of 256 and of 512 bits. All say the same to the last bit: nothing depends on the order of
 * learners but sums of integers, and each lane does what would be done for it alone.
 *
 * Units: as in models/roster.h and models/merge.h. Yes is -1, no is 0.
 * Ownership: nothing is kept.
 * Errors: none.
 */
#ifndef MODELS_PASSES_H
#define MODELS_PASSES_H

#include <stdbool.h>

#include "models/merge.h"

struct roster_block;

/* A round that closes. What the ledger has on a fragment is by learner; if none is due, what may be written. */
struct roster_round {
    int64_t round, cycle; /* its number; rounds in a cycle of fragments */
    sim_time closed_ns;
    int64_t was_due, is_due;     /* a fragment in the round before; in this one */
    struct ledger_block *before; /* on that of the round before */
    struct ledger_block *due;    /* on that of this one */
    double tokens_per_step;      /* of a whole learner */
    double *weight;              /* of each learner: what it claims weighs, unless it cruises */
};

struct roster_sum {
    int64_t participants, reporters; /* counted; with another report */
    int64_t claims, staleness, staleness_max;
    int64_t chip_steps[2]; /* claimed; of small and of large learners */
    int64_t silent;        /* who will not report */
    sim_time first, last;  /* report of those that will in the next round */
};

struct passes {
    /* A round closes. Each learner that is entered
     * - ends a step if one ends by then, and with it takes in the update of the round before, unless it has;
     * - has a report counted if it has one, and with it what it claims;
     * - takes the update in if it does not step, or begins a step just then.
     * Returns false, and does nothing, when there is more for somebody: a second step, or older updates. */
    bool (*close)(struct roster_block *block, int64_t blocks, const struct roster_round *round, struct roster_sum *ret);

    /* Effective learners, in units of 2^-32 (models/merge.h), summed over so many rounds in which one claim grows. At
     * most PASSES_ROUNDS_MAX. */
    int64_t (*grow)(const struct merge_growth *growth, int64_t rounds);
};

#define PASSES_ROUNDS_MAX 8192 /* so the sum is below 2^63 */

/* Those that are best on this processor, of these. */
const struct passes *passes_best(void);

extern const struct passes passes_any;
#ifdef __x86_64__
extern const struct passes passes_avx2, passes_avx512;
#endif

#endif
