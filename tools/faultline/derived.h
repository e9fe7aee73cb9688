/* tools/faultline/derived.h -- what follows from a scenario before anything is simulated.
 *
 * Expectations of the parameters alone, as a planner would do them on paper: rates add, a slice is away for its mean
 * return time after each failure, an absence ends what a preemption began, and pauses of learners are left out. What
 * pauses cost is what the simulation is for.
 *
 * Units: as in the unit of each value.
 * Ownership: nothing is kept.
 * Errors: none.
 */
#ifndef TOOLS_FAULTLINE_DERIVED_H
#define TOOLS_FAULTLINE_DERIVED_H

#include "models/config.h"

enum derived_unit { DERIVED_COUNT, DERIVED_REAL, DERIVED_SECONDS, DERIVED_FRACTION, DERIVED_RATE };

struct derived_value {
    const char *section; /* "failures", "fleet.classes", "repair", "network"; NULL for the whole fleet */
    const char *entry;   /* the name in the section; NULL where there is none */
    const char *name;
    enum derived_unit unit;
    double number;
    const char *meaning;
};

/* Calls `visit` for every derived value; the value lives during the call. Requires config_check to have passed. */
void derived_each(const struct config *config, void (*visit)(void *context, const struct derived_value *value),
                  void *context);

/* How long a run takes when nothing ever stops or slows a learner, in seconds: its duration, or the time its work
 * needs. */
double derived_span_s(const struct config *config);

/* Long-run share of the slices that is in repair after failures of chips and shocks, were there crews for all; 0 for a
 * dp job that replaces them. */
double derived_share_away(const struct config *config);

/* Work that arrives for the crews of a stage of repair (0 without stages) over what they can do, when all chips are in
 * service; 0 when crews are unlimited. */
double derived_crew_load(const struct config *config, int stage);

#endif
