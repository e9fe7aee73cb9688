/* models/repair.h -- how long a failed slice stays away.
 *
 * The delay runs from the failure. It is addressed by the number of the failure in the stream of its source, so the
 * same failure takes the same time in every design that meets it.
 *
 * Units: seconds for laws, ns for times.
 * Ownership: nothing is kept.
 * Errors: a delay past the end of the run is "never".
 */
#ifndef MODELS_REPAIR_H
#define MODELS_REPAIR_H

#include "models/failures.h"

/* Sends a slice that failed just now, by failure `number` of `source`, to repair. */
void repair_start(struct world *world, const struct failure_source *source, uint32_t slice, uint64_t number);

/* Draws what the failure would have drawn had it not been dropped: a tape keeps it for designs in which it is not. */
void repair_foresee(struct world *world, const struct failure_source *source, uint64_t number);

#endif
