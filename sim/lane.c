#include "sim/lane.h"

#include <stdlib.h>
#include <string.h>

/* Room for the window of sorted entries to move on before it is put back into the middle. */
#define ROOM 8U

#define SCRAMBLE 0x9e3779b97f4a7c15U

void sim_lane_init(struct sim_lane *lane, struct sim_queue *queue, uint32_t slots)
{
    *lane = (struct sim_lane){.queue = queue, .slots = slots};
    lane->slot = sim_allocate(slots, sizeof *lane->slot);
    for (uint32_t i = 0; i < slots; i++)
        lane->slot[i].time = SIM_TIME_NEVER;
    if (slots > SIM_LANE_SORTED_MAX)
        return;
    lane->capacity = slots * ROOM;
    lane->entry = sim_allocate(lane->capacity, sizeof *lane->entry);
    lane->first = lane->end = lane->entry + lane->capacity / 2;
}

void sim_lane_fini(struct sim_lane *lane)
{
    free(lane->entry);
    free(lane->slot);
    *lane = (struct sim_lane){0};
}

void sim_lane_register(struct sim_lane *lane, uint32_t slot, unsigned rank, uint32_t entity, sim_handler *handler,
                       void *context)
{
    SIM_ASSERT(lane->queue->origin, slot < lane->slots);
    struct sim_lane_slot *registered = &lane->slot[slot];
    registered->handler = handler;
    registered->context = context;
    registered->rank = rank;
    registered->entity = entity;
}

static bool is_before(const struct sim_lane_entry *a, const struct sim_lane_entry *b)
{
    return a->time != b->time ? a->time < b->time : a->tie < b->tie;
}

static void recentre(struct sim_lane *lane)
{
    size_t count = (size_t)(lane->end - lane->first);
    struct sim_lane_entry *first = lane->entry + (lane->capacity - count) / 2;
    memmove(first, lane->first, count * sizeof *first);
    lane->first = first;
    lane->end = first + count;
}

/* What is soonest goes in front, everything else past those that are later. */
static void insert(struct sim_lane *lane, struct sim_lane_entry entry)
{
    if (lane->first == lane->entry || lane->end == lane->entry + lane->capacity)
        recentre(lane);
    if (lane->first == lane->end || is_before(&entry, lane->first)) {
        *--lane->first = entry;
        return;
    }
    struct sim_lane_entry *place = lane->end++;
    for (; is_before(&entry, place - 1); place--)
        *place = *(place - 1);
    *place = entry;
}

static void take_out(struct sim_lane *lane, const struct sim_lane_slot *slot)
{
    struct sim_lane_entry *at = lane->first, *last = --lane->end;
    while (at->slot != slot)
        at++;
    for (; at < last; at++)
        *at = *(at + 1);
}

static void set_in_queue(struct sim_lane *lane, struct sim_lane_slot *slot, sim_time time)
{
    if (time == SIM_TIME_NEVER)
        (void)sim_queue_cancel(lane->queue, slot->handle);
    else
        sim_queue_set(lane->queue, &slot->handle, time, slot->rank, slot->entity, slot->handler, slot->context);
}

/* Rank, then slot, or in the order of a scramble. */
static uint64_t tie_of(struct sim_lane *lane, uint32_t slot)
{
    uint64_t tie = slot;
    if (lane->queue->shuffle)
        tie = ((lane->queue->shuffle + ++lane->sequence) * SCRAMBLE) >> 4;
    return ((uint64_t)lane->slot[slot].rank << SIM_LANE_RANK_SHIFT) | tie;
}

void sim_lane_move(struct sim_lane *lane, uint32_t slot, sim_time time)
{
    struct sim_lane_slot *set = &lane->slot[slot];
    SIM_ASSERT(lane->queue->origin, slot < lane->slots && time >= lane->queue->origin->now);
    bool is_set = set->time != SIM_TIME_NEVER;
    set->time = time;
    if (!lane->entry) {
        set_in_queue(lane, set, time);
        return;
    }
    if (is_set)
        take_out(lane, set);
    if (time != SIM_TIME_NEVER)
        insert(lane, (struct sim_lane_entry){time, tie_of(lane, slot), set});
}

sim_time sim_lane_time(const struct sim_lane *lane, uint32_t slot)
{
    const struct sim_lane_slot *asked = &lane->slot[slot];
    return lane->entry || sim_queue_is_pending(lane->queue, asked->handle) ? asked->time : SIM_TIME_NEVER;
}

struct sim_event sim_lane_pop(struct sim_lane *lane)
{
    const struct sim_lane_entry *entry = lane->first++;
    struct sim_lane_slot *slot = entry->slot;
    slot->time = SIM_TIME_NEVER;
    return (struct sim_event){entry->time, slot->rank, slot->entity, slot->handler, slot->context};
}
