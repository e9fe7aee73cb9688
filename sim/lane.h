/* sim/lane.h -- standing timers: a fixed set of slots, each with one event that is set again and again.
 *
 * The end of a step of each learner, the deadline of the syncer, the next failure of a stream: timers that exist for
 * the whole run and mostly move a little into the future, past few of the others. A sorted array with room at both ends
 * keeps a few dozen of them in order at the cost of a handful of instructions, where the queue (sim/queue.h) is for
 * events that come and go. Ties go by rank, then by slot, and a lane goes before events of the queue of the same time
 * and rank. With more slots than SIM_LANE_SORTED_MAX the events are kept in the queue, where order among many costs
 * less; nobody sees the difference.
 *
 * Units: time in ns.
 * Ownership: sim_lane_init allocates, sim_lane_fini releases; contexts stay the caller's. Zeroed, a lane has no slots.
 * Errors: a time before the clock is a bug and stops the run.
 */
#ifndef SIM_LANE_H
#define SIM_LANE_H

#include "sim/queue.h"

#define SIM_LANE_SORTED_MAX 64

struct sim_lane_slot {
    sim_handler *handler;
    void *context;
    uint64_t tie;             /* order within one nanosecond: the rank in its highest bits, then the slot */
    uint32_t entity;          /* handed to the handler */
    sim_time time;            /* when it is due; SIM_TIME_NEVER: not set */
    struct sim_handle handle; /* where it is kept in the queue */
};

struct sim_lane_entry {
    sim_time time;
    uint64_t tie; /* as of the slot, or scrambled within the rank */
    struct sim_lane_slot *slot;
};

#define SIM_LANE_RANK_SHIFT 60

struct sim_lane {
    struct sim_queue *queue;
    struct sim_lane_slot *slot;
    uint32_t slots;
    struct sim_lane_entry *entry;       /* NULL: kept in the queue */
    struct sim_lane_entry *first, *end; /* those that are set, in order */
    uint32_t capacity;
    uint64_t sequence; /* for scrambled ties (sim_queue.shuffle) */
};

void sim_lane_init(struct sim_lane *lane, struct sim_queue *queue, uint32_t slots);
void sim_lane_fini(struct sim_lane *lane);

/* Says once what slot `slot` is for, before it is set. */
void sim_lane_register(struct sim_lane *lane, uint32_t slot, unsigned rank, uint32_t entity, sim_handler *handler,
                       void *context);

/* Takes the timer of a slot to another time than it is set to. */
void sim_lane_move(struct sim_lane *lane, uint32_t slot, sim_time time);

/* Sets the timer of a slot to `time`, or moves it there; SIM_TIME_NEVER: stops it. */
static inline void sim_lane_set(struct sim_lane *lane, uint32_t slot, sim_time time)
{
    if (!lane->entry || lane->slot[slot].time != time)
        sim_lane_move(lane, slot, time);
}

/* When the timer of a slot is due; SIM_TIME_NEVER when it is not set. */
sim_time sim_lane_time(const struct sim_lane *lane, uint32_t slot);

/* Time of the first timer that the lane keeps itself; SIM_TIME_NEVER when there is none. */
static inline sim_time sim_lane_next_time(const struct sim_lane *lane)
{
    return lane->first != lane->end ? lane->first->time : SIM_TIME_NEVER;
}

/* Its rank. Requires that there is one. */
static inline unsigned sim_lane_next_rank(const struct sim_lane *lane)
{
    return (unsigned)(lane->first->tie >> SIM_LANE_RANK_SHIFT);
}

/* Takes out the first timer. Requires that there is one. */
struct sim_event sim_lane_pop(struct sim_lane *lane);

#endif
