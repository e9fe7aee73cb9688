#include "models/flights.h"

#include <stdlib.h>

#include "models/fragments.h"
#include "models/world.h"

static sim_time now_of(const struct flights *flights)
{
    return flights->world->sim.origin.now;
}

static int64_t learners_of(const struct flights *flights)
{
    return flights->world->config->learners;
}

void flights_init(struct flights *flights, struct world *world)
{
    const struct config *config = world->config;
    size_t learners = (size_t)config->learners;
    *flights = (struct flights){.world = world, .max = config->sync_overlap > 1 ? config->sync_overlap : 1};
    flights->link = sim_allocate(learners, sizeof *flights->link);
    flights->landed = sim_allocate(learners, sizeof *flights->landed);
    for (int64_t i = 0; i < config->learners; i++) {
        flights->link[i] = network_link_of(config, i);
        flights->landed[i] = -1;
    }
    flights->size = fragments_create(config);
    flights->flight = sim_allocate((size_t)flights->max, sizeof *flights->flight);
}

void flights_fini(struct flights *flights)
{
    for (int64_t i = 0; i < flights->max && flights->flight; i++) {
        free(flights->flight[i].lands);
        free(flights->flight[i].clock);
    }
    free(flights->flight);
    free(flights->size);
    free(flights->landed);
    free(flights->link);
    *flights = (struct flights){0};
}

bool flights_have_room(const struct flights *flights)
{
    return flights->count < flights->max;
}

static bool takes_time(const struct flights *flights, int64_t fragment)
{
    return fragment >= 0 && flights->world->config->parameters > 0;
}

/* Up is half of what it takes both ways, down the rest. */
static sim_time up_ns(const struct flights *flights, int64_t learner, int64_t fragment)
{
    return network_fragment_ns(flights->world->config, &flights->link[learner], flights->size[fragment]) / 2;
}

static sim_time down_ns(const struct flights *flights, int64_t learner, int64_t fragment)
{
    sim_time both = network_fragment_ns(flights->world->config, &flights->link[learner], flights->size[fragment]);
    return both == SIM_TIME_NEVER ? both : both - both / 2;
}

sim_time flights_pull_ns(const struct flights *flights, int64_t fragment)
{
    sim_time slowest = 0;
    for (int64_t i = 0; i < learners_of(flights) && takes_time(flights, fragment); i++) {
        sim_time up = learner_uncounted(&flights->world->learner[i]) > 0 ? up_ns(flights, i, fragment) : 0;
        slowest = up > slowest ? up : slowest;
    }
    return slowest;
}

static bool listens(const struct flights *flights, int64_t learner)
{
    return learner_listens(&flights->world->learner[learner]);
}

sim_time flights_push_ns(const struct flights *flights, int64_t fragment)
{
    sim_time slowest = 0;
    for (int64_t i = 0; i < learners_of(flights) && takes_time(flights, fragment); i++) {
        sim_time down = listens(flights, i) ? down_ns(flights, i, fragment) : 0;
        slowest = down > slowest ? down : slowest;
    }
    return slowest;
}

void flights_clear(struct flights *flights, int64_t round)
{
    flights->count = 0;
    (void)sim_queue_cancel(&flights->world->sim.queue, flights->landing);
    for (int64_t i = 0; i < learners_of(flights); i++)
        flights->landed[i] = round;
}

static struct flight *flight_at(const struct flights *flights, int64_t index)
{
    return &flights->flight[(flights->first + index) % flights->max];
}

/* True when it is still on its way to a learner that listens. What landed while nobody listened is past. */
static bool is_awaited(const struct flights *flights, const struct flight *flight, int64_t learner)
{
    sim_time lands = flight->lands[learner];
    return lands > flight->seen && lands >= now_of(flights) && listens(flights, learner);
}

static sim_time next_landing(const struct flights *flights, const struct flight *flight)
{
    sim_time next = SIM_TIME_NEVER;
    for (int64_t i = 0; i < learners_of(flights); i++)
        if (flight->lands[i] < next && is_awaited(flights, flight, i))
            next = flight->lands[i];
    return next;
}

/* Everyone who listens has it; what never arrives keeps it in the air. */
static bool is_over(const struct flights *flights, const struct flight *flight)
{
    for (int64_t i = 0; i < learners_of(flights); i++)
        if (is_awaited(flights, flight, i))
            return false;
    return true;
}

static void on_landing(void *context, uint32_t entity);

void flights_plan(struct flights *flights)
{
    struct sim_queue *queue = &flights->world->sim.queue;
    sim_time next = SIM_TIME_NEVER;
    while (flights->count > 0 && is_over(flights, flight_at(flights, 0))) {
        flights->first = (flights->first + 1) % flights->max;
        flights->count--;
    }
    for (int64_t k = 0; k < flights->count; k++) {
        sim_time at = next_landing(flights, flight_at(flights, k));
        next = at < next ? at : next;
    }
    if (next > flights->world->config->duration_ns)
        (void)sim_queue_cancel(queue, flights->landing);
    else
        sim_queue_set(queue, &flights->landing, next, WORLD_RANK_LANDING, 0, on_landing, flights);
}

/* It reaches all whose time is now. */
static void deliver(struct flights *flights, const struct flight *flight)
{
    const struct syncer_broadcast message = {flight->round, flight->fragment, flight->clock};
    for (int64_t i = 0; i < learners_of(flights) && flight->is_landing; i++)
        if (flight->lands[i] == now_of(flights))
            learner_on_broadcast(&flights->world->learner[i], &message);
}

/* They all have it before any of them acts. */
static void note_landed(struct flights *flights, struct flight *flight)
{
    flight->is_landing = flight->seen < now_of(flights);
    flight->seen = now_of(flights);
    for (int64_t i = 0; i < learners_of(flights) && flight->is_landing; i++)
        if (flight->lands[i] == flight->seen)
            flights->landed[i] = flight->round;
}

/* What lands now, the oldest first. */
static void land(struct flights *flights)
{
    int64_t first = flights->first, count = flights->count;
    for (int64_t k = 0; k < count; k++)
        note_landed(flights, flight_at(flights, k));
    flights_plan(flights);
    for (int64_t k = 0; k < count; k++)
        deliver(flights, &flights->flight[(first + k) % flights->max]);
    syncer_on_landing(&flights->world->syncer);
}

static void on_landing(void *context, uint32_t entity)
{
    (void)entity;
    struct flights *flights = context;
    forecast_catch_up(flights->world);
    land(flights);
    forecast_all(flights->world);
}

/* Everyone has it now. */
static void arrive_at_once(struct flights *flights, const struct syncer_broadcast *message)
{
    for (int64_t i = 0; i < learners_of(flights); i++)
        flights->landed[i] = message->round;
    for (int64_t i = 0; i < learners_of(flights); i++)
        learner_on_broadcast(&flights->world->learner[i], message);
    syncer_on_landing(&flights->world->syncer);
}

static void take_off(struct flights *flights, int64_t round, int64_t fragment, sim_time pull_ns)
{
    const struct flight *before = flights->count > 0 ? flight_at(flights, flights->count - 1) : NULL;
    struct flight *flight = flight_at(flights, flights->count++);
    sim_time now = now_of(flights), merged = sim_time_add(now, pull_ns);
    if (!flight->lands)
        flight->lands = sim_allocate((size_t)learners_of(flights), sizeof *flight->lands);
    flight->round = round;
    flight->fragment = fragment;
    free(flight->clock);
    flight->clock = clocks_copy(&flights->world->clocks, clocks_syncer(&flights->world->clocks));
    flight->seen = now - 1;
    for (int64_t i = 0; i < learners_of(flights); i++) {
        sim_time lands = takes_time(flights, fragment) ? sim_time_add(merged, down_ns(flights, i, fragment)) : merged;
        flight->lands[i] = before && before->lands[i] > lands ? before->lands[i] : lands;
    }
    if (!before && next_landing(flights, flight) == now)
        land(flights);
    else
        flights_plan(flights);
}

void flights_launch(struct flights *flights, int64_t round, int64_t fragment, sim_time pull_ns)
{
    SIM_ASSERT(&flights->world->sim.origin, flights_have_room(flights));
    const struct clocks *clocks = &flights->world->clocks;
    if (flights->count > 0 || takes_time(flights, fragment))
        take_off(flights, round, fragment, pull_ns);
    else
        arrive_at_once(flights, &(struct syncer_broadcast){round, fragment, clocks_of(clocks, clocks_syncer(clocks))});
}
