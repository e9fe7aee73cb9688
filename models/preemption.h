/* models/preemption.h -- learners that are taken away as a whole and given back: scavenged chips, day and night; or
 * whose links to the syncer are cut, or slower.
 *
 * On a calendar a learner is absent in [k every + from, k every + from + lasts) for k = 0, 1, ... (none that began
 * before the run); at random it is taken after an exponential gap, which runs while it is there, and stays away for a
 * draw of `lasts`. A preempted learner stops at once, its step lost; its chips do not fail meanwhile. With `notice` it
 * is told so long before, or when it is given back if that is later, and need not lose anything (models/learner.h): the
 * absences are those without notice. One whose link is cut steps on. With `factor` a source does not cut a link, but
 * makes it so many times slower, by a draw for each time; of several the slowest rules. Each learner of a source has
 * its own gaps and lengths, but for links that are cut together: a partition.
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

/* One source and one of its learners, or all of them. */
struct preemption {
    struct world *world;
    const struct config_source *source;
    const int32_t *learner; /* those it takes at once */
    int learners;
    struct sim_stream stream;
    sim_time takes_at; /* the next time, while they are there */
    bool is_told;      /* they know */
    int64_t rate;      /* of the links that it slows down (models/transfer.h); 0: of none now */
};

/* Starts every source of the config that preempts learners or cuts links. */
void preemption_start_all(struct world *world);

/* When the learner will be taken next, as far as it was told; SIM_TIME_NEVER: it was not. */
sim_time preemption_next(const struct world *world, int64_t learner);

#endif
