/* models/crew.h -- crews, and the units that wait for one: first come, first served.
 *
 * A stage of repair has so many crews, or as many as are needed. Who finds none free waits in line. What a crew does,
 * and how long it takes, is in models/repair.h.
 *
 * Units: counts; ns.
 * Ownership: a value; the line is linked through the units.
 * Errors: releasing a crew that is not busy is a bug and stops the run.
 */
#ifndef MODELS_CREW_H
#define MODELS_CREW_H

#include "models/unit.h"
#include "sim/level.h"

struct crew {
    int64_t crews; /* 0: unlimited */
    struct unit_list line;
    struct sim_level busy;
    int64_t started;         /* units that a crew took up */
    sim_chip_time waited_ns; /* by these until then, in all */
};

void crew_init(struct crew *crew, const struct sim_origin *origin, int64_t crews);

/* A unit comes: true when a crew takes it up at once, else it waits in line. */
bool crew_join(struct world *world, struct crew *crew, uint32_t unit);

/* A crew is through: the unit it takes up next; UNIT_NONE when nobody waits. */
uint32_t crew_leave(struct world *world, struct crew *crew);

/* Forgets what was counted. */
void crew_reset_counts(struct crew *crew);

#endif
