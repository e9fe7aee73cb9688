/* sim/loop.h -- a run: clock, pending events, and the loop that joins them.
 *
 * Everything of a run hangs off one struct sim; there is no global state, so runs can go side by side. The loop takes
 * the next event of queue and lane, sets the clock to its time and calls its handler, until no event is left at or
 * before the end. The end of the run is closed: what is due exactly then still happens.
 *
 * Units: time in ns.
 * Ownership: sim_init allocates, sim_fini releases. The struct must not move in between: its parts point at its origin.
 * Errors: sim_run says how it ended; a run that spends more events than its guard allows on too little time is stopped.
 */
#ifndef SIM_LOOP_H
#define SIM_LOOP_H

#include <stdatomic.h>

#include "sim/lane.h"
#include "sim/queue.h"

enum sim_outcome { SIM_REACHED_END, SIM_STOPPED, SIM_NO_PROGRESS };

struct sim {
    struct sim_origin origin;
    struct sim_queue queue;
    struct sim_lane lane; /* without slots until sim_lane_init */
    sim_time end;         /* of the run; set by sim_run */
    unsigned rank;        /* of the last event of this instant, and its entity */
    uint32_t entity;
    const atomic_bool *stop;            /* looked at every thousand events; may be NULL */
    void (*check)(const void *context); /* called after every event; may be NULL */
    const void *check_context;
    int64_t events;       /* handled so far */
    int64_t guard_events; /* a run must advance by guard_ns within so many events */
    sim_time guard_ns;
    int64_t guard_from_event; /* of the last look */
    sim_time guard_from_time;
};

/* A clock at 0 and no events. */
void sim_init(struct sim *sim, uint64_t seed, uint32_t replica);
void sim_fini(struct sim *sim);

/* Handles events in order up to and including `end`, or an earlier one that a handler sets, and leaves the clock there.
 */
enum sim_outcome sim_run(struct sim *sim, sim_time end);

/* True when somebody wants the run to stop: a handler that has much to do leaves the rest for later. */
bool sim_wants_stop(const struct sim *sim);

/* Time of the next event, of queue or lane; SIM_TIME_NEVER when there is none. */
sim_time sim_next_time(struct sim *sim);

/* True when an event of that time, rank and entity would have been handled by now, before the one under way. */
bool sim_is_past(const struct sim *sim, sim_time time, unsigned rank, uint32_t entity);

/* For handlers: the run ends at the clock; what else is due now still happens. */
void sim_end_now(struct sim *sim);

#endif
