/* models/outage.h -- the syncer fails, and comes back.
 *
 * A source of kind syncer is a stream of pairs: an exponential gap with mean mtbi, which runs while the syncer is up,
 * and a draw of return_after. What the syncer had is gone: with its failure everything goes back to the last complete
 * snapshot (models/snapshot.h). While it is down no learner begins another step; when it is back, everybody reads the
 * snapshot. A failure while it is down, or reading, is dropped.
 *
 * Units: ns.
 * Ownership: part of the world, one for each source.
 * Errors: a time past the end of the run is "never".
 */
#ifndef MODELS_OUTAGE_H
#define MODELS_OUTAGE_H

#include "models/config.h"

struct world;

struct outage {
    struct world *world;
    const struct config_source *source;
    uint64_t identity; /* names its random stream */
    uint64_t count;    /* failures drawn so far, dropped ones included */
};

/* Starts a source: schedules its first failure. */
void outage_start(struct outage *outage, struct world *world, const struct config_source *source);

#endif
