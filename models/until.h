/* models/until.h -- a run that ends when its work is done.
 *
 * Work is what completed steps did: the chips that took part, times the length of the step. It is counted from the end
 * of the warm-up, and what is rolled back is taken off again. The run ends with the step that completes until.work (in
 * chip-time / fleet.chips) or until.tokens; what else is due at that nanosecond still happens. Tokens are those that
 * learners processed, whether a round merged them or not: the same for every method, as a token budget is.
 *
 * A learner that sleeps through quiet steps wakes for the first that may complete the work (until_quiet_steps), so that
 * the run ends at the same nanosecond as with every step simulated. That needs all work to be counted up to now, so
 * only a single learner sleeps (until_needs_every_step).
 *
 * Units: chip-ns, chip-steps.
 * Ownership: part of the world.
 * Errors: none. A run without `until` counts nothing.
 */
#ifndef MODELS_UNTIL_H
#define MODELS_UNTIL_H

#include <stdbool.h>

#include "sim/time.h"

struct config;
struct learner;
struct world;

struct until {
    bool is_counting;
    bool is_done;
    sim_chip_time work;          /* chip-ns */
    sim_chip_time chip_steps[2]; /* of small and of large learners, which have one chip more */
};

/* Counts from now on, from nothing; does nothing when the run has a duration. */
void until_start(struct world *world);

/* Steps that `learner` completed, or rolled back when negative; ends the run when that completes the work. */
void until_count(struct world *world, const struct learner *learner, sim_chip_time work, sim_chip_time chip_steps);

/* How many steps from the one under way, at least 1, end before or with the one that completes the work when this
 * learner alone works: a lower bound. Requires until.is_counting. */
int64_t until_quiet_steps(const struct world *world, const struct learner *learner);

/* True when no learner may sleep through steps, because what the others have done must be known. */
bool until_needs_every_step(const struct config *config);

#endif
