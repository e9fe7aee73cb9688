/* sim/queue.h -- the pending events of a run, in order.
 *
 * Events leave in the order (time, rank, entity, sequence): rank says what kind of thing goes first within a
 * nanosecond, entity breaks ties between equals by who they are rather than by who was scheduled first, so that an
 * event that does nothing cannot reorder the others. A handle names a pending event: it can be cancelled or moved until
 * it leaves. A handle of an event that has left or was cancelled is recognised as such, also after its place was used
 * again.
 *
 * Units: time in ns.
 * Ownership: sim_queue_init allocates, sim_queue_fini releases; contexts stay the caller's.
 * Errors: scheduling before the clock of the origin is a bug and stops the run. Ranks are below 16, entities below
 * 2^24.
 *
 * A 4-ary heap of 24-byte keys, apart from the handlers; cancel and move through the index of each slot.
 */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/assert.h"
#include "sim/time.h"

/* What happens: called with the context and the entity that were scheduled. */
typedef void sim_handler(void *context, uint32_t entity);

struct sim_event {
    sim_time time;
    uint32_t entity;
    sim_handler *handler;
    void *context;
};

/* Zeroed, a handle names no event. */
struct sim_handle {
    uint32_t slot;
    uint32_t generation;
};

struct sim_queue_key {
    sim_time time;
    uint64_t order; /* rank (4 bits), entity (24), sequence (36) */
    uint32_t slot;
};

struct sim_queue_slot {
    sim_handler *handler;
    void *context;
    uint32_t position; /* in the heap; next free slot when not pending */
    uint32_t generation;
    uint32_t entity;
    uint32_t rank;
};

struct sim_queue {
    const struct sim_origin *origin;
    struct sim_queue_key *heap;
    struct sim_queue_slot *slot;
    uint32_t count, slots, capacity, free_slot;
    bool has_hole; /* the root has left and its place is free: the next event scheduled takes it, as handlers mostly
                      schedule one */
    uint64_t sequence;
    uint64_t shuffle; /* not 0: ties of (time, rank) leave in an order scrambled by this key (tests) */
};

void sim_queue_init(struct sim_queue *queue, const struct sim_origin *origin);
void sim_queue_fini(struct sim_queue *queue);

/* Adds an event at `time`, not before the clock. */
struct sim_handle sim_queue_schedule(struct sim_queue *queue, sim_time time, unsigned rank, uint32_t entity,
                                     sim_handler *handler, void *context);

/* True while the event has neither left nor been cancelled. */
bool sim_queue_is_pending(const struct sim_queue *queue, struct sim_handle handle);

/* Takes the event out; false when it was not pending. */
bool sim_queue_cancel(struct sim_queue *queue, struct sim_handle handle);

/* Moves a pending event to `time`, last among those of its time, rank and entity. False when it was not pending. */
bool sim_queue_reschedule(struct sim_queue *queue, struct sim_handle handle, sim_time time);

/* Time of the next event; SIM_TIME_NEVER when there is none. */
sim_time sim_queue_next_time(struct sim_queue *queue);

/* Its rank. Requires that there is one. */
unsigned sim_queue_next_rank(struct sim_queue *queue);

/* Takes out the next event; false when there is none. */
bool sim_queue_pop(struct sim_queue *queue, struct sim_event *ret);

#endif
