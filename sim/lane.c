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
    registered->tie = (uint64_t)rank << SIM_LANE_RANK_SHIFT | slot;
    registered->entity = entity;
}

static bool is_before(sim_time time, uint64_t tie, const struct sim_lane_entry *than)
{
    return time != than->time ? time < than->time : tie < than->tie;
}

/* Out of line, as some below are: what is always done has few registers to save then. */
static __attribute__((noinline)) void recentre(struct sim_lane *lane)
{
    size_t count = (size_t)(lane->end - lane->first);
    struct sim_lane_entry *first = lane->entry + (lane->capacity - count) / 2;
    memmove(first, lane->first, count * sizeof *first);
    lane->first = first;
    lane->end = first + count;
}

static void put(struct sim_lane_entry *place, struct sim_lane_slot *slot, uint64_t tie)
{
    place->time = slot->time;
    place->tie = tie;
    place->slot = slot;
}

/* What is soonest goes in front, everything else past those that are later. There is room for one more at both ends. */
static void insert(struct sim_lane *lane, struct sim_lane_slot *slot, uint64_t tie)
{
    struct sim_lane_entry *place;
    if (lane->first == lane->end || is_before(slot->time, tie, lane->first))
        place = --lane->first;
    else
        for (place = lane->end++; is_before(slot->time, tie, place - 1); place--)
            *place = *(place - 1);
    put(place, slot, tie);
    if (lane->first == lane->entry || lane->end == lane->entry + lane->capacity)
        recentre(lane);
}

static void take_out(struct sim_lane *lane, const struct sim_lane_slot *slot)
{
    struct sim_lane_entry *at = lane->first, *last = --lane->end;
    while (at->slot != slot)
        at++;
    for (; at < last; at++)
        *at = *(at + 1);
}

/* One that is set goes elsewhere, or is not to be any more. */
static __attribute__((noinline)) void set_anew(struct sim_lane *lane, struct sim_lane_slot *slot, uint64_t tie)
{
    take_out(lane, slot);
    if (slot->time != SIM_TIME_NEVER)
        insert(lane, slot, tie);
}

static __attribute__((noinline)) void set_in_queue(struct sim_lane *lane, struct sim_lane_slot *slot)
{
    if (slot->time == SIM_TIME_NEVER)
        (void)sim_queue_cancel(lane->queue, slot->handle);
    else
        sim_queue_set(lane->queue, &slot->handle, slot->time, (unsigned)(slot->tie >> SIM_LANE_RANK_SHIFT),
                      slot->entity, slot->handler, slot->context);
}

static uint64_t scramble(struct sim_lane *lane, uint64_t tie)
{
    uint64_t key = (lane->queue->shuffle + ++lane->sequence) * SCRAMBLE;
    return tie >> SIM_LANE_RANK_SHIFT << SIM_LANE_RANK_SHIFT | key >> (64 - SIM_LANE_RANK_SHIFT);
}

void sim_lane_move(struct sim_lane *lane, uint32_t slot, sim_time time)
{
    SIM_ASSERT(lane->queue->origin, slot < lane->slots && time >= lane->queue->origin->now);
    struct sim_lane_slot *set = &lane->slot[slot];
    uint64_t tie = lane->queue->shuffle ? scramble(lane, set->tie) : set->tie;
    bool was_set = set->time != SIM_TIME_NEVER;
    set->time = time;
    if (!lane->entry)
        set_in_queue(lane, set);
    else if (was_set)
        set_anew(lane, set, tie);
    else
        insert(lane, set, tie);
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
    return (struct sim_event){entry->time, (unsigned)(entry->tie >> SIM_LANE_RANK_SHIFT), slot->entity, slot->handler,
                              slot->context};
}
