/* models/clocks.h -- vector clocks: what each worker knows of all others.
 *
 * Workers are the learners, in their order, and the syncer after them. A worker counts its own events (steps of a
 * learner, rounds of the syncer) and carries along the highest counts it has heard of: whoever receives a message takes
 * the larger of the two, entry by entry. Messages are reports, broadcasts and copies of the state. A clock costs as
 * many numbers as there are workers, so clocks are kept only when somebody asks for them (models/run.h, on_step).
 *
 * Units: counts.
 * Ownership: clocks_init allocates, clocks_fini releases; zeroed clocks are off, and everything else is then a no-op.
 * Errors: none.
 */
#ifndef MODELS_CLOCKS_H
#define MODELS_CLOCKS_H

#include <stdint.h>

struct clocks {
    int64_t workers;
    int64_t *entry; /* [worker * workers + other] */
};

void clocks_init(struct clocks *clocks, int64_t learners);
void clocks_fini(struct clocks *clocks);

/* The number of the syncer. */
int64_t clocks_syncer(const struct clocks *clocks);

/* The clock of a worker, `workers` entries; NULL when clocks are off. Valid until its next change. */
const int64_t *clocks_of(const struct clocks *clocks, int64_t worker);

/* A worker has made a step, or closed a round. */
void clocks_tick(struct clocks *clocks, int64_t worker);

/* A worker receives a message that carries `clock`; NULL says nothing. */
void clocks_receive(struct clocks *clocks, int64_t worker, const int64_t *clock);

/* What a message says that is sent now: a copy of the worker's clock that the caller frees; NULL when clocks are off.
 */
int64_t *clocks_copy(const struct clocks *clocks, int64_t worker);

#endif
