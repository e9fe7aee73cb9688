/* tools/faultline/calibrate_internal.h -- what the two halves of a fit share: setting a key of a scenario to a number.
 *
 * For calibrate.c and calibrate_search.c only; everyone else uses calibrate.h.
 *
 * Units: as in calibrate.h.
 * Ownership: nothing is kept.
 * Errors: -1 with a text when the value is outside the range of its key.
 */
#ifndef TOOLS_FAULTLINE_CALIBRATE_INTERNAL_H
#define TOOLS_FAULTLINE_CALIBRATE_INTERNAL_H

#include "tools/faultline/calibrate.h"

/* The struct that the key's field lies in: the scenario or one of its failure sources; NULL when it has no such source.
 */
void *calibrate_base(const struct calibrate_key *free_key, struct scenario *scenario);

/* Sets the field of a key below `base` to a number, a choice to the one with that number. */
int calibrate_set(const struct calibrate_key *free_key, void *base, double value, struct sim_error *error);

#endif
