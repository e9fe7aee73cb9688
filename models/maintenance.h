/* models/maintenance.h -- planned work: slices that are taken out by a calendar and given back.
 *
 * In every period of the calendar, from k every + from on (k = 0, 1, ...), a source takes out what it is about for
 * `lasts`: all of its scope, or, with failures.NAME.domain, one domain after the other, each `rolling` after the one
 * before (by default as soon as that is back). A slice with a chip in the domain and in scope goes as a whole.
 *
 * It is planned: the chips leave service at once, so they do not fail any more, but their learner steps on with them to
 * the end of its step, whatever elastic.noticed says, and then lets go. A job that would lose its state by it writes a
 * checkpoint first. The work ends at its planned time, however late the learner let go.
 *
 * A slice that is held by maintenance does not rejoin: what is repaired or waits to rejoin waits until the last of the
 * works that hold it is over. Repairs go on meanwhile, by their own crews. Maintenance itself needs none, and no spare
 * takes the place. A learner that is preempted is worked on, too, and finds out when it is given back.
 *
 * Units: ns.
 * Ownership: part of the world, one array; maintenance_start_all allocates.
 * Errors: none; config_check sees that the works of a period fit into it.
 */
#ifndef MODELS_MAINTENANCE_H
#define MODELS_MAINTENANCE_H

#include "models/scope.h"
#include "sim/time.h"

struct world;

struct maintenance {
    struct world *world;
    const struct config_source *source;
    struct scope scope;
    sim_time turn; /* when that of this period began */
};

/* From the start of a domain to that of the next. */
sim_time maintenance_rolling_ns(const struct config_source *source);

/* Starts every maintenance of the config. */
void maintenance_start_all(struct world *world);

/* True when some work holds the slice. */
bool maintenance_holds(const struct world *world, uint32_t slice);

/* What is held is out, or on its way, or belongs to a preempted learner; what is out by plan is held. */
void maintenance_check(const struct world *world);

/* A preempted learner is back in service: what is held of it leaves. */
void maintenance_recall(struct world *world, int64_t learner);

#endif
