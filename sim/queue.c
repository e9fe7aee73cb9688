#include "sim/queue.h"

#include <stdlib.h>

#define NONE UINT32_MAX
#define ENTITY_BITS 24
#define SEQUENCE_BITS 35
#define SEQUENCE_MASK ((1ULL << SEQUENCE_BITS) - 1)
#define TIE_BITS (ENTITY_BITS + SEQUENCE_BITS)
#define TIE_MASK ((1ULL << TIE_BITS) - 1)
#define SCRAMBLER 0xbf58476d1ce4e5b9U
#define STALE_MIN 64U    /* fewer are left where they are */
#define AHEAD_MIN 16384U /* slots: fewer are in the cache anyway */
#define AHEAD_AT_ONCE 3U /* more would have to wait for each other */

static const struct sim_handle nobody = {NONE, 0};
static const struct sim_ladder_item end_of_time = {SIM_TIME_NEVER, UINT64_MAX, 0};

static void end_near(struct sim_queue *queue, uint32_t count)
{
    queue->near_count = count;
    queue->is_next = false;
    for (uint32_t i = 0; i < 3; i++)
        queue->near[count + i] = end_of_time;
}

void sim_queue_init(struct sim_queue *queue, const struct sim_origin *origin)
{
    *queue = (struct sim_queue){.origin = origin, .free_slot = NONE, .leaving = nobody};
    sim_calls_init(&queue->calls);
    sim_ladder_init(&queue->ladder);
    end_near(queue, 0);
}

void sim_queue_fini(struct sim_queue *queue)
{
    free(queue->slot);
    sim_calls_fini(&queue->calls);
    sim_ladder_fini(&queue->ladder);
    *queue = (struct sim_queue){0};
}

void sim_queue_set_foresight(struct sim_queue *queue, sim_foresight *foresight, const void *context)
{
    queue->foresight = foresight;
    queue->foresight_context = context;
}

/* --- order: rank (4 bits), entity (24), sequence (35), is_scrambled (1) --- */

static uint64_t inverse(uint64_t odd) /* modulo 2^64, by Newton's iteration */
{
    uint64_t x = odd;
    for (int i = 0; i < 5; i++)
        x *= 2 - odd * x;
    return x;
}

/* Mixes the bits of a tie, so that none of them decides; invertible, because the entity is in it. */
static uint64_t scramble(uint64_t tie, uint64_t key)
{
    tie = tie * (2 * key + 1) & TIE_MASK;
    tie = (tie ^ tie >> (TIE_BITS + 1) / 2) * SCRAMBLER & TIE_MASK;
    return tie ^ tie >> (TIE_BITS + 1) / 2;
}

static uint64_t unscramble(uint64_t tie, uint64_t key)
{
    tie = (tie ^ tie >> (TIE_BITS + 1) / 2) * inverse(SCRAMBLER) & TIE_MASK;
    return (tie ^ tie >> (TIE_BITS + 1) / 2) * inverse(2 * key + 1) & TIE_MASK;
}

/* What puts a key behind all its equals so far. The lower half is its stamp, which is not 0. */
static uint64_t make_order(struct sim_queue *queue, unsigned rank, uint32_t entity)
{
    if ((uint32_t)(++queue->sequence << 1) == 0)
        queue->sequence++;
    uint64_t tie = (uint64_t)entity << SEQUENCE_BITS | (queue->sequence & SEQUENCE_MASK);
    uint64_t order = (uint64_t)rank << (TIE_BITS + 1);
    return queue->shuffle ? order | scramble(tie, queue->shuffle) << 1 | 1 : order | tie << 1;
}

static unsigned rank_of(const struct sim_ladder_item *item)
{
    return (unsigned)(item->order >> (TIE_BITS + 1));
}

static uint32_t entity_of(const struct sim_queue *queue, const struct sim_ladder_item *item)
{
    uint64_t tie = item->order >> 1 & TIE_MASK;
    return (uint32_t)((item->order & 1 ? unscramble(tie, queue->shuffle) : tie) >> SEQUENCE_BITS);
}

/* --- slots --- */

static void grow_slots(struct sim_queue *queue)
{
    size_t used = queue->slots, wanted = used ? 2 * used : 64;
    queue->slot = sim_reallocate_table(queue->slot, used * sizeof *queue->slot, wanted * sizeof *queue->slot);
    queue->slot_capacity = (uint32_t)wanted;
}

static uint32_t take_slot(struct sim_queue *queue)
{
    uint32_t slot = queue->free_slot;
    if (slot != NONE) {
        queue->free_slot = queue->slot[slot].next_free;
        return slot;
    }
    if (queue->slots == queue->slot_capacity)
        grow_slots(queue);
    return queue->slots++;
}

static void release_slot(struct sim_queue *queue, uint32_t slot)
{
    sim_calls_release(&queue->calls, queue->slot[slot].call);
    queue->slot[slot] = (struct sim_queue_slot){.next_free = queue->free_slot};
    queue->free_slot = slot;
    queue->is_next = false;
}

/* --- near items: a heap of four children a node --- */

static bool is_stale(const struct sim_queue *queue, const struct sim_ladder_item *item)
{
    return queue->slot[item->slot].stamp != (uint32_t)item->order;
}

static bool is_kept(const void *context, const struct sim_ladder_item *item)
{
    return !is_stale(context, item);
}

static void sift_up(struct sim_queue *queue, uint32_t at, sim_ladder_key key, uint32_t slot)
{
    for (; at > 0 && key < sim_ladder_key_of(&queue->near[(at - 1) / 4]); at = (at - 1) / 4)
        queue->near[at] = queue->near[(at - 1) / 4];
    sim_ladder_write(&queue->near[at], key, slot);
}

/* The first of four. */
static uint32_t first_of(const struct sim_ladder_item child[static 4])
{
    sim_ladder_key a = sim_ladder_key_of(&child[0]), b = sim_ladder_key_of(&child[1]);
    sim_ladder_key c = sim_ladder_key_of(&child[2]), d = sim_ladder_key_of(&child[3]);
    uint32_t left = b < a, right = 2 + (d < c);
    return (d < c ? d : c) < (b < a ? b : a) ? right : left;
}

/* Nodes have all four children: those that are not there are the end of time. */
static void sift_down(struct sim_queue *queue, uint32_t at, sim_ladder_key key, uint32_t slot)
{
    for (uint32_t child; (child = 4 * at + 1) < queue->near_count; at = child) {
        child += first_of(&queue->near[child]);
        if (key <= sim_ladder_key_of(&queue->near[child]))
            break;
        queue->near[at] = queue->near[child];
    }
    sim_ladder_write(&queue->near[at], key, slot);
}

/* Nobody took the place of the root that left: the last item does. */
static void fill_hole(struct sim_queue *queue)
{
    queue->has_hole = false;
    struct sim_ladder_item *last = &queue->near[--queue->near_count];
    sim_ladder_key key = sim_ladder_key_of(last);
    uint32_t slot = last->slot;
    *last = end_of_time;
    if (queue->near_count > 0)
        sift_down(queue, 0, key, slot);
}

static void make_heap(struct sim_queue *queue)
{
    for (uint32_t i = (queue->near_count + 2) / 4; i-- > 0;)
        sift_down(queue, i, sim_ladder_key_of(&queue->near[i]), queue->near[i].slot);
}

/* Those of the first items that count are the near ones from now on. */
static void keep_near(struct sim_queue *queue, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!is_stale(queue, &queue->near[i]))
            queue->near[kept++] = queue->near[i];
    queue->stale -= count - kept;
    end_near(queue, kept);
    make_heap(queue);
}

/* Slots of the next batch, and what the models have of its entities, are on their way from memory while this one is
 * used up. */
static void look_ahead(struct sim_queue *queue, uint32_t at_most)
{
    for (; queue->ahead_count > 0 && at_most > 0; at_most--) {
        const struct sim_ladder_item *item = &queue->ahead[--queue->ahead_count];
        __builtin_prefetch(&queue->slot[item->slot], 1);
        if (queue->foresight)
            queue->foresight(queue->foresight_context, entity_of(queue, item));
    }
}

/* Takes the next batch. */
static void refill(struct sim_queue *queue)
{
    look_ahead(queue, queue->ahead_count);
    uint32_t taken = sim_ladder_take(&queue->ladder, queue->near);
    if (queue->slots >= AHEAD_MIN)
        queue->ahead_count = sim_ladder_peek(&queue->ladder, &queue->ahead);
    keep_near(queue, taken);
}

static void insert_near(struct sim_queue *queue, sim_ladder_key key, uint32_t slot)
{
    if (queue->has_hole) {
        queue->has_hole = false;
        sift_down(queue, 0, key, slot);
    } else if (queue->near_count < SIM_QUEUE_NEAR_MAX) {
        queue->near[queue->near_count + 3] = end_of_time;
        sift_up(queue, queue->near_count++, key, slot);
    } else {
        sim_ladder_give_back(&queue->ladder, queue->near, queue->near_count);
        end_near(queue, 0);
        sim_ladder_put(&queue->ladder, key, slot);
    }
}

/* Drops stale items when they are half of all. */
static void note_stale(struct sim_queue *queue)
{
    if (++queue->stale < STALE_MIN || queue->stale <= (queue->near_count + queue->ladder.count) / 2)
        return;
    if (queue->has_hole)
        fill_hole(queue);
    keep_near(queue, queue->near_count);
    sim_ladder_sweep(&queue->ladder, is_kept, queue);
    queue->ahead_count = 0;
    queue->stale = 0;
}

/* --- events --- */

struct sim_handle sim_queue_schedule(struct sim_queue *queue, sim_time time, unsigned rank, uint32_t entity,
                                     sim_handler *handler, void *context)
{
    SIM_ASSERT(queue->origin, time >= queue->origin->now);
    SIM_ASSERT(queue->origin, rank < 16 && entity < (1U << ENTITY_BITS));
    uint64_t order = make_order(queue, rank, entity);
    sim_ladder_key key = sim_ladder_key_from(time, order);
    struct sim_handle handle = {take_slot(queue), (uint32_t)order};
    queue->slot[handle.slot] = (struct sim_queue_slot){handle.stamp, {sim_calls_take(&queue->calls, handler, context)}};
    if (key > queue->ladder.near_last)
        sim_ladder_put(&queue->ladder, key, handle.slot);
    else
        insert_near(queue, key, handle.slot);
    return handle;
}

bool sim_queue_is_pending(const struct sim_queue *queue, struct sim_handle handle)
{
    bool is_leaving = handle.slot == queue->leaving.slot && handle.stamp == queue->leaving.stamp;
    return !is_leaving && handle.stamp != 0 && handle.slot < queue->slots &&
           queue->slot[handle.slot].stamp == handle.stamp;
}

bool sim_queue_cancel(struct sim_queue *queue, struct sim_handle handle)
{
    if (!sim_queue_is_pending(queue, handle))
        return false;
    release_slot(queue, handle.slot);
    note_stale(queue);
    return true;
}

/* Takes out the event that was moved last, now that its slot has come from memory. */
static void settle(struct sim_queue *queue)
{
    struct sim_handle leaving = queue->leaving;
    queue->leaving = nobody;
    (void)sim_queue_cancel(queue, leaving);
}

/* Schedules the event anew. The slot of the old one may be anywhere in memory, and nobody waits for it: the old event
 * is taken out when the next one is moved, or when it would be the next to happen. */
void sim_queue_set(struct sim_queue *queue, struct sim_handle *handle, sim_time time, unsigned rank, uint32_t entity,
                   sim_handler *handler, void *context)
{
    settle(queue);
    queue->leaving = *handle;
    queue->is_next = false;
    *handle = sim_queue_schedule(queue, time, rank, entity, handler, context);
    __builtin_prefetch(&queue->slot[queue->leaving.slot], 1);
}

/* Sees to it that the root is the next item; false when there is none. */
static bool find_next(struct sim_queue *queue)
{
    while (!queue->is_next) {
        if (queue->has_hole)
            fill_hole(queue);
        if (queue->near->slot == queue->leaving.slot)
            settle(queue);
        if (queue->near_count == 0) {
            if (queue->ladder.depth == 0)
                return false;
            refill(queue);
        } else if (is_stale(queue, queue->near)) {
            queue->has_hole = true;
            queue->stale--;
        } else {
            queue->is_next = true;
        }
    }
    return true;
}

static const struct sim_ladder_item *next_item(struct sim_queue *queue)
{
    return queue->is_next || find_next(queue) ? queue->near : NULL;
}

sim_time sim_queue_next_time(struct sim_queue *queue)
{
    const struct sim_ladder_item *item = next_item(queue);
    return item ? item->time : SIM_TIME_NEVER;
}

unsigned sim_queue_next_rank(struct sim_queue *queue)
{
    return rank_of(next_item(queue));
}

bool sim_queue_pop(struct sim_queue *queue, struct sim_event *ret)
{
    const struct sim_ladder_item *item = next_item(queue);
    if (!item)
        return false;
    const struct sim_call *call = &queue->calls.call[queue->slot[item->slot].call];
    *ret = (struct sim_event){item->time, rank_of(item), entity_of(queue, item), call->handler, call->context};
    release_slot(queue, item->slot);
    queue->has_hole = true;
    look_ahead(queue, AHEAD_AT_ONCE);
    return true;
}
