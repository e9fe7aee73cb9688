#include "sim/loop.h"

#include <limits.h>

#define PROGRESS_LOOK_EVENTS 1024
#define GUARD_EVENTS 20000000

void sim_init(struct sim *sim, uint64_t seed, uint32_t replica)
{
    *sim = (struct sim){.origin = {.seed = seed, .replica = replica}, .guard_events = GUARD_EVENTS, .guard_ns = 1};
    sim_queue_init(&sim->queue, &sim->origin);
}

void sim_fini(struct sim *sim)
{
    sim_lane_fini(&sim->lane);
    sim_queue_fini(&sim->queue);
}

static bool is_stuck(struct sim *sim)
{
    if (sim->events - sim->guard_from_event < sim->guard_events)
        return false;
    bool stuck = sim->origin.now - sim->guard_from_time < sim->guard_ns;
    sim->guard_from_event = sim->events;
    sim->guard_from_time = sim->origin.now;
    return stuck;
}

bool sim_wants_stop(const struct sim *sim)
{
    return sim->stop && atomic_load_explicit(sim->stop, memory_order_relaxed);
}

sim_time sim_next_time(struct sim *sim)
{
    sim_time queue = sim_queue_next_time(&sim->queue), lane = sim_lane_next_time(&sim->lane);
    return lane < queue ? lane : queue;
}

/* The lane goes first where time and rank are the same. */
static bool is_lane_next(struct sim *sim, sim_time lane_time, sim_time queue_time)
{
    if (lane_time != queue_time)
        return lane_time < queue_time;
    return sim_lane_next_rank(&sim->lane) <= sim_queue_next_rank(&sim->queue);
}

/* Takes out the next event at or before the end; false when there is none. */
static bool pop(struct sim *sim, struct sim_event *ret)
{
    sim_time lane_time = sim_lane_next_time(&sim->lane), queue_time = sim_queue_next_time(&sim->queue);
    sim_time next = lane_time < queue_time ? lane_time : queue_time;
    if (next > sim->end || next == SIM_TIME_NEVER)
        return false;
    if (!is_lane_next(sim, lane_time, queue_time))
        return sim_queue_pop(&sim->queue, ret);
    *ret = sim_lane_pop(&sim->lane);
    return true;
}

/* The clock moves to an event. What is due in the same instant though its rank has passed does not turn it back. */
static void move_clock(struct sim *sim, const struct sim_event *event)
{
    SIM_ASSERT(&sim->origin, event->time >= sim->origin.now);
    bool is_later = event->time > sim->origin.now || event->rank > sim->rank;
    if (is_later || (event->rank == sim->rank && event->entity > sim->entity)) {
        sim->rank = event->rank;
        sim->entity = event->entity;
    }
    sim->origin.now = event->time;
}

enum sim_outcome sim_run(struct sim *sim, sim_time end)
{
    struct sim_event event;
    sim->end = end;
    while (pop(sim, &event)) {
        move_clock(sim, &event);
        event.handler(event.context, event.entity);
        if (sim->check)
            sim->check(sim->check_context);
        if (sim_wants_stop(sim)) /* an event may be a round of many learners */
            return SIM_STOPPED;
        if (++sim->events % PROGRESS_LOOK_EVENTS == 0 && is_stuck(sim))
            return SIM_NO_PROGRESS;
    }
    sim->origin.now = sim->end;
    sim->rank = UINT_MAX;
    return SIM_REACHED_END;
}

bool sim_is_past(const struct sim *sim, sim_time time, unsigned rank, uint32_t entity)
{
    if (time != sim->origin.now)
        return time < sim->origin.now;
    return rank != sim->rank ? rank < sim->rank : entity < sim->entity;
}

void sim_end_now(struct sim *sim)
{
    sim->end = sim->origin.now;
}
