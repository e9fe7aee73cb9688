/* tests/queue_model.h -- the queue against a model that needs no cleverness: all pending events in one sorted row.
 *
 * Whoever drives it says what is scheduled, moved, cancelled and taken; each is done to both, and they must agree.
 *
 * Units: time in ns.
 * Ownership: queue_model_start and queue_model_finish; the state belongs to the test program.
 * Errors: a difference ends the test.
 */
#ifndef TESTS_QUEUE_MODEL_H
#define TESTS_QUEUE_MODEL_H

#include <check.h>
#include <string.h>

#include "sim/queue.h"

enum { QUEUE_MODEL_MAX = 6000 };

struct queue_model_entry {
    sim_time time;
    unsigned rank;
    uint32_t entity;
    uint64_t sequence;
    struct sim_handle handle;
};

static struct {
    struct sim_origin origin;
    struct sim_queue queue;
    struct queue_model_entry *sorted[QUEUE_MODEL_MAX], entry[QUEUE_MODEL_MAX], *unused[QUEUE_MODEL_MAX];
    int pending, free;
    uint64_t sequence;
} queue_model;

#define QUEUE_MODEL_ASSERT(condition)                                                                                  \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ck_abort_msg("at %lld: %s", (long long)queue_model.origin.now, #condition);                                \
    } while (0)

static inline void queue_model_start(void)
{
    queue_model.origin = (struct sim_origin){.seed = 7};
    sim_queue_init(&queue_model.queue, &queue_model.origin);
    queue_model.pending = queue_model.free = 0;
    for (int i = 0; i < QUEUE_MODEL_MAX; i++) {
        queue_model.entry[i].handle = (struct sim_handle){0};
        queue_model.unused[queue_model.free++] = &queue_model.entry[i];
    }
}

static inline bool queue_model_goes_before(const struct queue_model_entry *a, const struct queue_model_entry *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->entity != b->entity ? a->entity < b->entity : a->sequence < b->sequence;
}

static inline void queue_model_add(struct queue_model_entry *entry)
{
    int low = 0, high = queue_model.pending;
    while (low < high) {
        int middle = (low + high) / 2;
        if (queue_model_goes_before(queue_model.sorted[middle], entry))
            low = middle + 1;
        else
            high = middle;
    }
    struct queue_model_entry **at = &queue_model.sorted[low];
    memmove(at + 1, at, (size_t)(queue_model.pending++ - low) * sizeof *at);
    *at = entry;
}

static inline struct queue_model_entry *queue_model_remove(int place)
{
    struct queue_model_entry **at = &queue_model.sorted[place], *entry = *at;
    memmove(at, at + 1, (size_t)(--queue_model.pending - place) * sizeof *at);
    return entry;
}

static inline void queue_model_on_event(void *context, uint32_t entity)
{
    (void)context;
    (void)entity;
}

/* What is next, without taking it. A queue that was looked at is in another state than one that was not. */
static inline void queue_model_look(void)
{
    sim_time next = queue_model.pending == 0 ? SIM_TIME_NEVER : queue_model.sorted[0]->time;
    QUEUE_MODEL_ASSERT(sim_queue_next_time(&queue_model.queue) == next);
}

/* Nothing when there is no room. Every other event is set by the handle of one that is gone. */
static inline void queue_model_schedule(sim_time time, unsigned rank, uint32_t entity)
{
    if (queue_model.free == 0)
        return;
    struct queue_model_entry *entry = queue_model.unused[--queue_model.free];
    *entry = (struct queue_model_entry){time, rank, entity, queue_model.sequence++, entry->handle};
    if (entry->sequence % 2)
        sim_queue_set(&queue_model.queue, &entry->handle, time, rank, entity, queue_model_on_event, entry);
    else
        entry->handle = sim_queue_schedule(&queue_model.queue, time, rank, entity, queue_model_on_event, entry);
    queue_model_add(entry);
}

/* The entry at a place of the sorted row. */
static inline void queue_model_cancel(int place)
{
    struct queue_model_entry *entry = queue_model_remove(place);
    queue_model.unused[queue_model.free++] = entry;
    QUEUE_MODEL_ASSERT(sim_queue_cancel(&queue_model.queue, entry->handle));
    QUEUE_MODEL_ASSERT(!sim_queue_cancel(&queue_model.queue, entry->handle));
    QUEUE_MODEL_ASSERT(!sim_queue_is_pending(&queue_model.queue, entry->handle));
}

static inline void queue_model_move(int place, sim_time time)
{
    struct queue_model_entry *entry = queue_model_remove(place);
    entry->time = time;
    entry->sequence = queue_model.sequence++;
    const struct sim_handle before = entry->handle;
    sim_queue_set(&queue_model.queue, &entry->handle, time, entry->rank, entry->entity, queue_model_on_event, entry);
    queue_model_add(entry);
    QUEUE_MODEL_ASSERT(sim_queue_is_pending(&queue_model.queue, entry->handle));
    QUEUE_MODEL_ASSERT(!sim_queue_is_pending(&queue_model.queue, before));
    QUEUE_MODEL_ASSERT(!sim_queue_cancel(&queue_model.queue, before));
}

static inline void queue_model_take(void)
{
    struct sim_event event = {0};
    bool is_empty = queue_model.pending == 0;
    const struct queue_model_entry *first = is_empty ? NULL : queue_model.sorted[0];
    QUEUE_MODEL_ASSERT(sim_queue_next_time(&queue_model.queue) == (is_empty ? SIM_TIME_NEVER : first->time));
    QUEUE_MODEL_ASSERT(is_empty || sim_queue_next_rank(&queue_model.queue) == first->rank);
    QUEUE_MODEL_ASSERT(sim_queue_pop(&queue_model.queue, &event) == !is_empty);
    if (is_empty)
        return;
    QUEUE_MODEL_ASSERT(event.context == first && event.time == first->time && event.entity == first->entity);
    QUEUE_MODEL_ASSERT(event.handler == queue_model_on_event && event.rank == first->rank);
    QUEUE_MODEL_ASSERT(!sim_queue_is_pending(&queue_model.queue, first->handle));
    queue_model.unused[queue_model.free++] = queue_model_remove(0);
    if (event.time < SIM_TIME_NEVER / 2) /* so that there is time left */
        queue_model.origin.now = event.time;
}

/* Takes what is left. */
static inline void queue_model_finish(void)
{
    while (queue_model.pending > 0)
        queue_model_take();
    queue_model_take();
    QUEUE_MODEL_ASSERT(queue_model.queue.stale == 0);
    QUEUE_MODEL_ASSERT(queue_model.queue.ladder.count == 0);
    sim_queue_fini(&queue_model.queue);
}

#endif
