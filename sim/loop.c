#include "sim/loop.h"

#define STOP_LOOK_EVENTS 1024
#define GUARD_EVENTS 20000000

void sim_init(struct sim *sim, uint64_t seed, uint32_t replica)
{
    *sim = (struct sim){.origin = {.seed = seed, .replica = replica}, .guard_events = GUARD_EVENTS, .guard_ns = 1};
    sim_queue_init(&sim->queue, &sim->origin);
}

void sim_fini(struct sim *sim)
{
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

static bool wants_stop(const struct sim *sim)
{
    return sim->stop && atomic_load_explicit(sim->stop, memory_order_relaxed);
}

enum sim_outcome sim_run(struct sim *sim, sim_time end)
{
    struct sim_event event;
    sim->end = end;
    while (sim_queue_pop(&sim->queue, sim->end, &event)) {
        SIM_ASSERT(&sim->origin, event.time >= sim->origin.now);
        sim->origin.now = event.time;
        event.handler(event.context, event.entity);
        if (sim->check)
            sim->check(sim->check_context);
        if (++sim->events % STOP_LOOK_EVENTS == 0) {
            if (wants_stop(sim))
                return SIM_STOPPED;
            if (is_stuck(sim))
                return SIM_NO_PROGRESS;
        }
    }
    sim->origin.now = sim->end;
    return SIM_REACHED_END;
}

void sim_end_now(struct sim *sim)
{
    sim->end = sim->origin.now;
}
