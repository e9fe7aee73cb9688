/* models/steady.h -- rounds that are alike are counted, not played.
 *
 * A fleet in which everybody cruises (models/cruise.h) repeats itself: each round closes one step after the one before,
 * with everyone's report in it. While claims are not settled each of them is merged; after that all merge the same, and
 * what many of them add is a product of integers (models/merge.h). The moving average of the quorum wait, which lags
 * behind, is moved on step by step until it stands still.
 *
 * Units: ns, rounds.
 * Ownership: nothing is kept.
 * Errors: none.
 */
#ifndef MODELS_STEADY_H
#define MODELS_STEADY_H

#include <stdbool.h>

#include "sim/time.h"

struct world;

/* A round has just been planned as it opened. Closes it, and those like it, as far as that is before `next`. False when
 * it is not of the kind. */
bool steady_play(struct world *world, sim_time next);

#endif
