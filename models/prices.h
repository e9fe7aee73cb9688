/* models/prices.h -- what a run costs.
 *
 * Everybody is paid for the time that the metrics cover, at work or not: the chips of the fleet, spares, slices on
 * standby, crews whose number is limited, and the links of learners. Two are paid by what they do: a borrowed slice
 * only while it is there, and the chips of a preempted learner at a price of their own, because somebody else has them.
 *
 * Units: of prices, whatever currency they are in; prices per hour.
 * Ownership: nothing is kept.
 * Errors: none; without prices there is no cost (NAN).
 */
#ifndef MODELS_PRICES_H
#define MODELS_PRICES_H

#include "models/config.h"

struct world;

/* True when the scenario has prices. */
bool prices_are_given(const struct config *config);

/* The cost of `duration_ns`, which the counts of the world cover. */
double prices_cost(struct world *world, sim_time duration_ns);

#endif
