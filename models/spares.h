/* models/spares.h -- slices beside the fleet: spares, standby and loans.
 *
 * A spare takes the place of a failed slice when the learner lets go of it (models/learner.h). The one on standby go
 * first: they are warm, and fail like chips in service; the others are cold and do not. Whoever finds no spare has a
 * vacant place. A repaired unit goes back to its place, or, when another has that, to the place that has been vacant
 * longest, or else becomes a spare: on standby until these are complete.
 *
 * A vacant place asks for a loan, as long as the lender has any; it is there after fleet.loan.preemption, unless the
 * place is filled before. A slice of the fleet's own that is spare while a loan is out takes its place when the learner
 * next stops for a failure, so that this costs nothing extra. A loan that fails is repaired like any other slice, and
 * goes home after that when another has its place.
 *
 * The account here holds the chip-time of as many slices as there are spares and standby: `standby` for those that
 * wait, `away` for those that do not, for which an own slice is in repair or retired. A loan is in the place it takes;
 * the own slice that it stands for is in no account meanwhile. So the buckets of a run sum to (fleet.chips + chips of
 * spares and standby) x duration.
 *
 * Units: ns, chips.
 * Ownership: part of the world; spares_init allocates, spares_fini releases.
 * Errors: a loan that would come past the end of the run is "never".
 */
#ifndef MODELS_SPARES_H
#define MODELS_SPARES_H

#include "models/account.h"
#include "models/failures.h"
#include "models/unit.h"
#include "sim/level.h"

/* A place that waits for a unit. */
struct spares_vacancy {
    uint32_t previous, next; /* in the order in which they became vacant */
    bool is_vacant;
    struct sim_handle loan; /* on its way */
};

/* Failures of one source of a constant rate among the slices on standby. */
struct spares_source {
    struct world *world;
    struct failure_source *of;
    uint64_t identity;
    struct sim_poisson process;
};

struct spares_count {
    int64_t used;
    int64_t loans;
    int64_t failures; /* on standby */
    struct account account;
};

struct spares {
    int64_t chips; /* of one spare slice */
    struct unit_list cold;
    uint32_t *warm; /* the first warm_count are there */
    int64_t warm_count;
    struct unit_list lender;
    int64_t loans_coming;
    struct sim_level borrowed;      /* slices of the lender that are here */
    struct spares_vacancy *vacancy; /* of each place; NULL when there is nothing to fill it with */
    uint32_t first, last;
    struct spares_source source[CONFIG_SOURCES_MAX];
    sim_time booked_until;
    struct spares_count count;
};

void spares_init(struct world *world);
void spares_start(struct world *world);
void spares_fini(struct world *world);

/* Fills the place of a failed slice that its learner lets go of, at once: by the slice itself when it is mended, by a
 * spare. False when there is none. Raises *swap_ns to the pause it takes. */
bool spares_replace(struct world *world, uint32_t place, sim_time *swap_ns);

/* The place of a slice that its learner has let go of and nobody replaces. */
void spares_vacate(struct world *world, uint32_t place);

/* Own spares take the places in a learner that is stopped which loans have. Raises *swap_ns to the pause it takes. */
void spares_return_loans(struct world *world, int64_t learner, sim_time *swap_ns);

/* A unit on standby failed just now. */
void spares_fail(struct world *world, const struct unit_fault *fault, uint32_t unit);

/* A unit is sent back by repair. */
void spares_on_repaired(struct world *world, uint32_t unit);

/* Chips of the spares and the slices on standby, in all. */
int64_t spares_chips(const struct world *world);

/* Books time up to the clock. */
void spares_book(struct world *world);

/* Forgets what was booked and counted. */
void spares_reset_counts(struct world *world);

/* Nobody waits for a spare that is there. */
void spares_check(const struct world *world);

#endif
