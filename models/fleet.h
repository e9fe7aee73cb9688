/* models/fleet.h -- how the chips of a fleet are cut into learners and slices.
 *
 * Chips, slices and learners are numbered from 0; a learner owns a block of chips, a slice a block of its learner's
 * chips. Chips that do not divide: the first learners get one more, the last slice of a learner may be smaller. Pure
 * arithmetic: a chip's place is computed, never stored. What a slice is doing is in models/slice.h.
 *
 * Units: counts.
 * Ownership: a value.
 * Errors: an index outside the fleet is a bug of the caller.
 */
#ifndef MODELS_FLEET_H
#define MODELS_FLEET_H

#include <stdbool.h>

#include "models/config.h"

/* What chips and slices are divided by again and again: multiplying by the inverse costs less. */
struct fleet_divisor {
    int64_t by;
    uint64_t inverse; /* 2^63 / by, rounded down, plus 1: exact for what is below 2^31 */
};

/* Slices are full but for the last of a learner. */
enum fleet_size { FLEET_FULL, FLEET_LAST_OF_LARGE, FLEET_LAST_OF_SMALL, FLEET_SIZE_COUNT };

struct fleet {
    int64_t chips_per_slice;
    int64_t learners;
    int64_t large_learners; /* the first so many have one chip more */
    int64_t small_chips;    /* chips of the others */
    int64_t large_slices;   /* slices of a large learner */
    int64_t small_slices;
    int64_t slices; /* in all */
    int64_t chips_of_size[FLEET_SIZE_COUNT];
    struct fleet_divisor slice;                          /* chips of one */
    struct fleet_divisor large_of_chips, small_of_chips; /* learners of each size, by their chips */
    struct fleet_divisor large_of_slices, small_of_slices;
};

struct fleet_place {
    int64_t learner;
    int64_t slice;
    int64_t chip; /* its number in the slice */
};

void fleet_init(struct fleet *fleet, const struct config *config);

int64_t fleet_learner_chips(const struct fleet *fleet, int64_t learner);
int64_t fleet_learner_slices(const struct fleet *fleet, int64_t learner);

/* True when a learner with so many chips has one more than others. */
bool fleet_is_large(const struct fleet *fleet, int64_t learner_chips);

/* Tokens of chip-steps of small and of large learners, when a step of a whole one has so many. */
double fleet_tokens(const struct fleet *fleet, double tokens_per_step, const sim_chip_time chip_steps[static 2]);

/* The size of the last slice of a learner. */
enum fleet_size fleet_last_size(const struct fleet *fleet, int64_t learner);

int64_t fleet_slice_learner(const struct fleet *fleet, int64_t slice);
int64_t fleet_slice_chips(const struct fleet *fleet, int64_t slice);

/* Number of the first chip of a slice. */
int64_t fleet_first_chip(const struct fleet *fleet, int64_t slice);

/* --- where things are: in line, as it is asked for each failure that is drawn --- */

__extension__ typedef unsigned __int128 fleet_wide;

static inline int64_t fleet_divide(int64_t n, const struct fleet_divisor *divisor)
{
    return (int64_t)((fleet_wide)(2 * (uint64_t)n) * divisor->inverse >> 64);
}

/* First number of block `i` when the first `large_learners` blocks have `large` entries and the others `small`. */
static inline int64_t fleet_block_start(const struct fleet *fleet, int64_t i, int64_t large, int64_t small)
{
    int64_t larges = i < fleet->large_learners ? i : fleet->large_learners;
    return larges * large + (i - larges) * small;
}

/* The block that holds number `n`, in the same layout. */
static inline int64_t fleet_block_of(const struct fleet *fleet, int64_t n, const struct fleet_divisor *large,
                                     const struct fleet_divisor *small)
{
    int64_t edge = fleet->large_learners * large->by;
    return n < edge ? fleet_divide(n, large) : fleet->large_learners + fleet_divide(n - edge, small);
}

/* Number of the first slice of a learner. */
static inline int64_t fleet_first_slice(const struct fleet *fleet, int64_t learner)
{
    return fleet_block_start(fleet, learner, fleet->large_slices, fleet->small_slices);
}

/* The learner and the slice that hold a chip, and where in the slice. */
static inline struct fleet_place fleet_locate(const struct fleet *fleet, int64_t chip)
{
    int64_t learner = fleet_block_of(fleet, chip, &fleet->large_of_chips, &fleet->small_of_chips);
    int64_t within = chip - fleet_block_start(fleet, learner, fleet->large_of_chips.by, fleet->small_of_chips.by);
    int64_t slice = fleet_divide(within, &fleet->slice);
    return (struct fleet_place){learner, fleet_first_slice(fleet, learner) + slice,
                                within - slice * fleet->chips_per_slice};
}

#endif
