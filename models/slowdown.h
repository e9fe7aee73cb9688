/* models/slowdown.h -- chips that are slower for a while.
 *
 * A source of kind slowdown is a stream of (time, chip) like that of kind chip (models/failures.h). A chip in service
 * that it hits makes its slice `factor` times slower than its class for `lasts`, whatever the learner does meanwhile;
 * both are drawn by the number of the slowdown in its stream. The slowest slice present sets the pace of the learner:
 * the rest of the step under way stretches, and shrinks again when the slowdown is over (models/pace.h). Of several on
 * one slice the slowest rules; they do not multiply. A slice that its learner lets go of, or whose place gets other
 * hardware, comes back at full speed.
 *
 * Each learner has a heap of its slowdowns, the slowest first, and each slice a list of its own, so that one begins or
 * ends in O(log n).
 *
 * Units: speeds relative to learners.step_time; ns.
 * Ownership: part of the world; slowdowns_init allocates, slowdowns_fini releases.
 * Errors: an end past the end of the run is "never".
 */
#ifndef MODELS_SLOWDOWN_H
#define MODELS_SLOWDOWN_H

#include <stdint.h>

#include "sim/queue.h"

struct failure_source;
struct slowdown;
struct world;

/* The slowdowns of one learner: a binary heap. */
struct slowdown_heap {
    struct slowdown **at;
    int64_t count, capacity;
};

struct slowdowns {
    struct slowdown_heap *of_learner; /* NULL, as the other, in a world without such a source */
    struct slowdown **of_slice;       /* lists */
    int64_t begun;                    /* since the warm-up */
};

void slowdowns_init(struct world *world);
void slowdowns_fini(struct world *world);

/* Slowdown `number` of `source` hits a slice; dropped when it is not in service. */
void slowdown_strike(struct world *world, const struct failure_source *source, uint32_t slice, uint64_t number);

/* The hardware of a slice leaves its place, or comes back repaired: it is not slow any more. Call it between two steps
 * of its learner only. */
void slowdowns_end(struct world *world, uint32_t slice);

#endif
