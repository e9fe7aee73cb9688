/* models/roster_passes.h -- the passes of a round over the roster.
 *
 * Loops without a branch over columns that do not overlap, so that the compiler takes several rows at a time. They are
 * compiled for every processor, and once more for those with vectors of 256 bits; both say the same to the last bit,
 * as nothing in them depends on the order of rows but sums of integers.
 *
 * Units: as in models/roster.h. Yes is -1, no is 0.
 * Ownership: nothing is kept.
 * Errors: none.
 */
#ifndef MODELS_ROSTER_PASSES_H
#define MODELS_ROSTER_PASSES_H

#include <stdbool.h>

#include "models/merge.h"

struct roster;

/* Of a round that closes. */
struct roster_sum {
    int64_t participants, reporters; /* counted; with another report */
    int64_t claims, staleness, staleness_max;
    int64_t chip_steps[2]; /* claimed; of small and of large learners */
    int64_t silent;        /* who will not report */
    sim_time first, last;  /* report of those that will in the next round */
};

/* What the ledger has on the fragment of a round, by learner, and whether there is one. */
struct roster_sheet {
    int64_t is_due;
    int64_t *steps, *chip_steps, *counted, *round;
};

struct roster_passes {
    /* One step of each that ends by then, and with it the update of round `last` is taken in. True when there is more:
     * another step, or other updates. */
    bool (*end_steps)(const struct roster *roster, struct roster_sheet before, int64_t last, sim_time closed_ns);
    /* A report of everyone who has one is counted, and what it claims. */
    void (*count_reports)(const struct roster *roster, struct roster_sheet due, int64_t round, int64_t cycle,
                          sim_time closed_ns, struct roster_sum *ret);
    /* What so many claims weigh, for all that do not cruise. */
    void (*weigh)(const struct roster *roster, int64_t claims, double tokens_per_step, double weight[]);
    /* Who does not step, or begins a step just then, takes the update in. Adds what is in sight of the next round. */
    void (*hand_out)(const struct roster *roster, struct roster_sheet due, int64_t round, sim_time closed_ns,
                     struct roster_sum *ret);
};

/* Those that are best on this processor. */
const struct roster_passes *roster_passes(void);

#endif
