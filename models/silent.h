/* models/silent.h -- chips that compute wrong results, which are found later.
 *
 * A source of kind silent is a stream of (time, chip) like that of kind chip (models/failures.h). A chip in service
 * corrupts the state of its learner, and through the next merge that of all; found_after later this is noticed. Then
 * the job, or with a syncer everything, goes back to the last complete checkpoint that was recorded before the
 * corruption, at once; what has been done since is lost, and newer checkpoints are worth nothing. The slice of the chip
 * fails at that moment, if it is in service. A corruption that a restart has removed in the meantime is never found.
 *
 * Units: ns.
 * Ownership: what is not found yet is a list of the world; silent_fini releases it.
 * Errors: a time past the end of the run is "never".
 */
#ifndef MODELS_SILENT_H
#define MODELS_SILENT_H

#include "models/failures.h"

/* A corruption that nobody has noticed. */
struct silent {
    struct world *world;
    const struct failure_source *source;
    struct silent *next;
    int64_t learner;
    uint32_t slice;
    uint64_t number; /* of the failure in its stream */
    sim_time corrupted_ns;
    bool is_gone; /* nothing of it is left */
};

/* Failure `number` of `source` corrupts what the learner of this slice computes. */
void silent_corrupt(struct world *world, const struct failure_source *source, uint32_t slice, uint64_t number);

/* The state of a learner is again what it was at `taken_ns`. */
void silent_on_rollback(struct world *world, int64_t learner, sim_time taken_ns);

void silent_fini(struct world *world);

#endif
