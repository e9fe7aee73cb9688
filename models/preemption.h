/* models/preemption.h -- learners that are taken away as a whole and given back: scavenged chips, day and night.
 *
 * On a calendar a learner is absent in [k every + from, k every + from + lasts) for k = 0, 1, ... (none that began
 * before the run); at random it is taken after an exponential gap, which runs while it is there, and stays away for a
 * draw of `lasts`. A preempted learner stops at once, its step lost; its chips do not fail meanwhile.
 *
 * Units: ns.
 * Ownership: part of the world, one array.
 * Errors: a time past the end of the run is "never".
 */
#ifndef MODELS_PREEMPTION_H
#define MODELS_PREEMPTION_H

#include "models/config.h"
#include "sim/rng.h"

struct world;

/* One source and one of its learners. */
struct preemption {
    struct world *world;
    const struct config_source *source;
    int64_t learner;
    struct sim_stream stream;
};

/* Starts every preemption source of the config. */
void preemption_start_all(struct world *world);

#endif
