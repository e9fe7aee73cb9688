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
 * The near future is a small heap of four children a node. When it gets too large it goes to a ladder (sim/ladder.h),
 * which gives the events back in small batches as their time comes; in the usual run, with a few dozen events, it never
 * does. An event is an item of 20 bytes there and a slot of 8 bytes that says what is to be called (sim/calls.h). One
 * that is cancelled or moved leaves its item behind, which is known as stale because the slot has the stamp of the item
 * that counts.
 */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/assert.h"
#include "sim/calls.h"
#include "sim/ladder.h"
#include "sim/time.h"

/* Told the entities of events that will soon be next, while those before them happen, so that what they are about can
 * be on its way from memory. Changes nothing. */
typedef void sim_foresight(const void *context, uint32_t entity);

struct sim_event {
    sim_time time;
    unsigned rank;
    uint32_t entity;
    sim_handler *handler;
    void *context;
};

/* Zeroed, a handle names no event. */
struct sim_handle {
    uint32_t slot;
    uint32_t stamp; /* that the event was given last; the same one comes again after 2^31 others */
};

/* 8 bytes, as they are read and written in no order: the fewer cache lines they are on, the better. */
struct sim_queue_slot {
    uint32_t stamp; /* that of the one item that counts; 0 when not pending */
    union {
        uint32_t call;
        uint32_t next_free; /* when not pending */
    };
};

#define SIM_QUEUE_NEAR_MAX 256U

struct sim_queue {
    const struct sim_origin *origin;
    struct sim_calls calls;
    struct sim_queue_slot *slot;
    struct sim_ladder_item near[SIM_QUEUE_NEAR_MAX + 3]; /* a heap, and the end of time three times */
    uint32_t near_count;
    bool is_next;  /* its root is the next event: it counts, and nothing has left since that was seen */
    bool has_hole; /* its root has left: the next event scheduled takes the place, as handlers mostly schedule one */
    struct sim_handle leaving; /* what was moved last, if it was pending: to be taken out */
    uint32_t stale;            /* items near and in the ladder that do not count */
    uint32_t slots, slot_capacity, free_slot;
    const struct sim_ladder_item *ahead; /* of the ladder, that are likely to be near next */
    uint32_t ahead_count;                /* of these are still to be looked at */
    uint64_t sequence;
    uint64_t shuffle; /* not 0: ties of (time, rank) leave in an order scrambled by this key (tests) */
    struct sim_ladder ladder;
    sim_foresight *foresight; /* NULL: nobody is told */
    const void *foresight_context;
};

void sim_queue_init(struct sim_queue *queue, const struct sim_origin *origin);
void sim_queue_fini(struct sim_queue *queue);

/* Only a queue with many events looks ahead. */
void sim_queue_set_foresight(struct sim_queue *queue, sim_foresight *foresight, const void *context);

/* Adds an event at `time`, not before the clock. */
struct sim_handle sim_queue_schedule(struct sim_queue *queue, sim_time time, unsigned rank, uint32_t entity,
                                     sim_handler *handler, void *context);

/* True while the event has neither left nor been cancelled. */
bool sim_queue_is_pending(const struct sim_queue *queue, struct sim_handle handle);

/* Takes the event out; false when it was not pending. */
bool sim_queue_cancel(struct sim_queue *queue, struct sim_handle handle);

/* Sees to it that the event of *handle happens at `time`, last among those of its time, rank and entity: moves it when
 * it is pending, otherwise schedules it. *handle is then its handle. */
void sim_queue_set(struct sim_queue *queue, struct sim_handle *handle, sim_time time, unsigned rank, uint32_t entity,
                   sim_handler *handler, void *context);

/* Time of the next event; SIM_TIME_NEVER when there is none. */
sim_time sim_queue_next_time(struct sim_queue *queue);

/* Its rank. Requires that there is one. */
unsigned sim_queue_next_rank(struct sim_queue *queue);

/* Takes out the next event; false when there is none. */
bool sim_queue_pop(struct sim_queue *queue, struct sim_event *ret);

#endif
