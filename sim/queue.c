#include "sim/queue.h"

#include <stdlib.h>

#define ARITY 4U
#define NONE UINT32_MAX
#define ENTITY_BITS 24
#define SEQUENCE_BITS 36

void sim_queue_init(struct sim_queue *queue, const struct sim_origin *origin)
{
    *queue = (struct sim_queue){.origin = origin, .free_slot = NONE};
}

void sim_queue_fini(struct sim_queue *queue)
{
    free(queue->heap);
    free(queue->slot);
    *queue = (struct sim_queue){.free_slot = NONE};
}

static bool is_before(const struct sim_queue_key *a, const struct sim_queue_key *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void place(struct sim_queue *queue, uint32_t position, struct sim_queue_key key)
{
    queue->heap[position] = key;
    queue->slot[key.slot].position = position;
}

static void sift_up(struct sim_queue *queue, uint32_t position, struct sim_queue_key key)
{
    while (position > 0) {
        uint32_t parent = (position - 1) / ARITY;
        if (!is_before(&key, &queue->heap[parent]))
            break;
        place(queue, position, queue->heap[parent]);
        position = parent;
    }
    place(queue, position, key);
}

/* The child of `position` that goes first; NONE when it has none. */
static uint32_t first_child(const struct sim_queue *queue, uint32_t position)
{
    uint64_t first = (uint64_t)position * ARITY + 1;
    if (first >= queue->count)
        return NONE;
    uint64_t last = first + ARITY < queue->count ? first + ARITY : queue->count;
    uint32_t best = (uint32_t)first;
    for (uint32_t child = best + 1; child < last; child++)
        if (is_before(&queue->heap[child], &queue->heap[best]))
            best = child;
    return best;
}

static void sift_down(struct sim_queue *queue, uint32_t position, struct sim_queue_key key)
{
    for (;;) {
        uint32_t child = first_child(queue, position);
        if (child == NONE || !is_before(&queue->heap[child], &key))
            break;
        place(queue, position, queue->heap[child]);
        position = child;
    }
    place(queue, position, key);
}

/* Nobody took the place of the root that left: the last key does. */
static void fill_hole(struct sim_queue *queue)
{
    queue->has_hole = false;
    queue->count--;
    if (queue->count > 0)
        sift_down(queue, 0, queue->heap[queue->count]);
}

static void settle(struct sim_queue *queue, uint32_t position, struct sim_queue_key key)
{
    if (position > 0 && is_before(&key, &queue->heap[(position - 1) / ARITY]))
        sift_up(queue, position, key);
    else
        sift_down(queue, position, key);
}

static void grow(struct sim_queue *queue)
{
    queue->capacity = queue->capacity ? queue->capacity * 2 : 64;
    queue->heap = sim_reallocate(queue->heap, queue->capacity, sizeof *queue->heap);
    queue->slot = sim_reallocate(queue->slot, queue->capacity, sizeof *queue->slot);
}

static uint32_t take_slot(struct sim_queue *queue)
{
    if (queue->free_slot != NONE) {
        uint32_t slot = queue->free_slot;
        queue->free_slot = queue->slot[slot].position;
        return slot;
    }
    if (queue->slots == queue->capacity)
        grow(queue);
    queue->slot[queue->slots].generation = 0;
    return queue->slots++;
}

/* Odd generations are pending, even ones free; a handle keeps the one it was given, so an old one is recognised. */
static void release_slot(struct sim_queue *queue, uint32_t slot)
{
    queue->slot[slot].generation++;
    queue->slot[slot].position = queue->free_slot;
    queue->free_slot = slot;
}

static uint64_t scramble(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

static uint64_t make_order(struct sim_queue *queue, unsigned rank, uint32_t entity)
{
    uint64_t sequence = queue->sequence++;
    uint64_t tie = ((uint64_t)entity << SEQUENCE_BITS) | (sequence & ((1ULL << SEQUENCE_BITS) - 1));
    if (queue->shuffle)
        tie = scramble(queue->shuffle + sequence) >> 4;
    return ((uint64_t)rank << (ENTITY_BITS + SEQUENCE_BITS)) | tie;
}

struct sim_handle sim_queue_schedule(struct sim_queue *queue, sim_time time, unsigned rank, uint32_t entity,
                                     sim_handler *handler, void *context)
{
    SIM_ASSERT(queue->origin, time >= queue->origin->now);
    SIM_ASSERT(queue->origin, rank < 16 && entity < (1U << ENTITY_BITS));
    uint32_t slot = take_slot(queue);
    struct sim_queue_slot *taken = &queue->slot[slot];
    taken->handler = handler;
    taken->context = context;
    taken->entity = entity;
    taken->rank = rank;
    taken->generation++;
    struct sim_queue_key key = {time, make_order(queue, rank, entity), slot};
    if (queue->has_hole) {
        queue->has_hole = false;
        sift_down(queue, 0, key);
    } else {
        sift_up(queue, queue->count++, key);
    }
    return (struct sim_handle){.slot = slot, .generation = taken->generation};
}

bool sim_queue_is_pending(const struct sim_queue *queue, struct sim_handle handle)
{
    return (handle.generation & 1U) && handle.slot < queue->slots &&
           queue->slot[handle.slot].generation == handle.generation;
}

/* Takes the key at `position` out of the heap and frees its slot. */
static void take_out(struct sim_queue *queue, uint32_t position)
{
    release_slot(queue, queue->heap[position].slot);
    queue->count--;
    if (position < queue->count)
        settle(queue, position, queue->heap[queue->count]);
}

bool sim_queue_cancel(struct sim_queue *queue, struct sim_handle handle)
{
    if (!sim_queue_is_pending(queue, handle))
        return false;
    if (queue->has_hole)
        fill_hole(queue);
    take_out(queue, queue->slot[handle.slot].position);
    return true;
}

bool sim_queue_reschedule(struct sim_queue *queue, struct sim_handle handle, sim_time time)
{
    SIM_ASSERT(queue->origin, time >= queue->origin->now);
    if (!sim_queue_is_pending(queue, handle))
        return false;
    if (queue->has_hole)
        fill_hole(queue);
    const struct sim_queue_slot *slot = &queue->slot[handle.slot];
    struct sim_queue_key key = {time, make_order(queue, slot->rank, slot->entity), handle.slot};
    settle(queue, slot->position, key);
    return true;
}

sim_time sim_queue_next_time(struct sim_queue *queue)
{
    if (queue->has_hole)
        fill_hole(queue);
    return queue->count > 0 ? queue->heap[0].time : SIM_TIME_NEVER;
}

unsigned sim_queue_next_rank(struct sim_queue *queue)
{
    if (queue->has_hole)
        fill_hole(queue);
    return (unsigned)(queue->heap[0].order >> (ENTITY_BITS + SEQUENCE_BITS));
}

bool sim_queue_pop(struct sim_queue *queue, struct sim_event *ret)
{
    if (queue->has_hole)
        fill_hole(queue);
    if (queue->count == 0)
        return false;
    const struct sim_queue_slot *slot = &queue->slot[queue->heap[0].slot];
    *ret = (struct sim_event){queue->heap[0].time, slot->entity, slot->handler, slot->context};
    release_slot(queue, queue->heap[0].slot);
    queue->has_hole = true;
    return true;
}
