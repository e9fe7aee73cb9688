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
    flights->rate = sim_allocate(learners, sizeof *flights->rate);
    flights->landed = sim_allocate(learners, sizeof *flights->landed);
    if (config_has_slow_links(config))
        flights->pull = sim_allocate(learners, sizeof *flights->pull);
    for (int64_t i = 0; i < config->learners; i++) {
        flights->link[i] = network_link_of(config, i);
        flights->rate[i] = TRANSFER_FULL;
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
        free(flights->flight[i].up);
        free(flights->flight[i].down);
    }
    free(flights->flight);
    free(flights->pull);
    free(flights->rate);
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

/* What is sent from `from` on, and takes `full_ns` with the latency of the link when that is at full rate. */
static struct transfer begin(const struct flights *flights, int64_t learner, sim_time from, sim_time full_ns)
{
    sim_time latency = flights->link[learner].latency_ns;
    return transfer_begin(from, full_ns == SIM_TIME_NEVER ? full_ns : full_ns - latency, flights->rate[learner]);
}

static sim_time arrival(const struct flights *flights, int64_t learner, const struct transfer *transfer)
{
    return sim_time_add(transfer->end, flights->link[learner].latency_ns);
}

/* Nothing is pulled from a learner. */
static const struct transfer no_pull = {.from = -1, .end = -1};

/* When the last pull that began at `from` is over. */
static sim_time all_pulled(const struct flights *flights, const struct transfer pull[], sim_time from)
{
    sim_time last = from;
    for (int64_t i = 0; i < learners_of(flights); i++) {
        sim_time at = pull[i].end >= 0 ? arrival(flights, i, &pull[i]) : from;
        last = at > last ? at : last;
    }
    return last;
}

/* Over links that may become slower, or faster again, meanwhile. */
static sim_time begin_pulls(struct flights *flights, int64_t fragment)
{
    sim_time now = now_of(flights);
    for (int64_t i = 0; i < learners_of(flights); i++) {
        bool is_counted = takes_time(flights, fragment) && learner_uncounted(&flights->world->learner[i]) > 0;
        flights->pull[i] = is_counted ? begin(flights, i, now, up_ns(flights, i, fragment)) : no_pull;
    }
    return all_pulled(flights, flights->pull, now) - now;
}

sim_time flights_pull_ns(struct flights *flights, int64_t fragment)
{
    sim_time slowest = 0;
    if (flights->pull)
        return begin_pulls(flights, fragment);
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

/* As its link is now. */
static sim_time down_now_ns(const struct flights *flights, int64_t learner, int64_t fragment)
{
    sim_time full_ns = down_ns(flights, learner, fragment);
    if (!flights->pull)
        return full_ns;
    struct transfer sent = begin(flights, learner, 0, full_ns);
    return arrival(flights, learner, &sent);
}

sim_time flights_push_ns(const struct flights *flights, int64_t fragment)
{
    sim_time slowest = 0;
    for (int64_t i = 0; i < learners_of(flights) && takes_time(flights, fragment); i++) {
        sim_time down = listens(flights, i) ? down_now_ns(flights, i, fragment) : 0;
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

/* --- links that are slower for a while --- */

/* No update overtakes the one before it. */
static sim_time behind(const struct flight *before, int64_t learner, sim_time lands)
{
    return before && before->lands[learner] > lands ? before->lands[learner] : lands;
}

/* The update leaves for a learner when it is merged. */
static void begin_push(const struct flights *flights, struct flight *flight, int64_t learner)
{
    flight->down[learner] = begin(flights, learner, flight->merged, down_ns(flights, learner, flight->fragment));
}

static void follow_transfers(struct flights *flights, struct flight *flight)
{
    size_t learners = (size_t)learners_of(flights);
    if (!flight->up) {
        flight->up = sim_allocate(learners, sizeof *flight->up);
        flight->down = sim_allocate(learners, sizeof *flight->down);
    }
    for (int64_t i = 0; i < learners_of(flights); i++) {
        flight->up[i] = flights->pull[i];
        if (takes_time(flights, flight->fragment))
            begin_push(flights, flight, i);
    }
}

/* The last pull ends at another time, and with it all that comes after. */
static void merge_again(struct flights *flights, struct flight *flight, sim_time merged)
{
    flight->merged = merged;
    for (int64_t i = 0; i < learners_of(flights); i++)
        begin_push(flights, flight, i);
}

static void change_transfers(struct flights *flights, struct flight *flight, int64_t learner, int64_t before)
{
    sim_time now = now_of(flights);
    if (flight->merged > now) {
        transfer_change(&flight->up[learner], now, before, flights->rate[learner]);
        merge_again(flights, flight, all_pulled(flights, flight->up, now));
    } else {
        transfer_change(&flight->down[learner], now, before, flights->rate[learner]);
    }
}

static sim_time landing(const struct flights *flights, const struct flight *flight, int64_t learner)
{
    if (!takes_time(flights, flight->fragment))
        return flight->merged;
    return flights->pull ? arrival(flights, learner, &flight->down[learner])
                         : sim_time_add(flight->merged, down_ns(flights, learner, flight->fragment));
}

/* Where it has yet to land. */
static void move_landings(struct flights *flights, struct flight *flight, const struct flight *before)
{
    for (int64_t i = 0; i < learners_of(flights); i++)
        if (flight->lands[i] > now_of(flights))
            flight->lands[i] = behind(before, i, landing(flights, flight, i));
}

void flights_change_rate(struct flights *flights, int64_t learner, int64_t rate)
{
    int64_t before = flights->rate[learner];
    flights->rate[learner] = rate;
    for (int64_t k = 0; k < flights->count; k++) {
        struct flight *flight = flight_at(flights, k);
        if (takes_time(flights, flight->fragment))
            change_transfers(flights, flight, learner, before);
        move_landings(flights, flight, k > 0 ? flight_at(flights, k - 1) : NULL);
    }
    flights_plan(flights);
}

/* --- copies of the state --- */

static double slower(double a, double b)
{
    return a < b ? a : b;
}

/* Of the slower of two links as they are now, as part of what it is at best. */
static int64_t copy_rate(const struct flights *flights, const struct flights_copy *copy)
{
    const struct network_link *from = &flights->link[copy->peer], *to = &flights->link[copy->learner];
    double best = slower(from->bits_per_s, to->bits_per_s),
           now = slower(from->bits_per_s * (double)flights->rate[copy->peer],
                        to->bits_per_s * (double)flights->rate[copy->learner]);
    return transfer_rate(TRANSFER_FULL * best / now);
}

void flights_begin_copy(const struct flights *flights, int64_t peer, int64_t learner, struct flights_copy *ret)
{
    const struct network_link *from = &flights->link[peer], *to = &flights->link[learner];
    sim_time full_ns = network_state_ns(flights->world->config, from, to);
    *ret = (struct flights_copy){.peer = peer, .learner = learner};
    ret->latency_ns = from->latency_ns > to->latency_ns ? from->latency_ns : to->latency_ns;
    ret->rate = copy_rate(flights, ret);
    ret->sent = transfer_begin(now_of(flights), full_ns > 0 ? full_ns - ret->latency_ns : 0, ret->rate);
    ret->latency_ns = full_ns > 0 ? ret->latency_ns : 0;
}

bool flights_change_copy(const struct flights *flights, struct flights_copy *copy)
{
    int64_t rate = copy_rate(flights, copy);
    if (rate == copy->rate)
        return false;
    transfer_change(&copy->sent, now_of(flights), copy->rate, rate);
    copy->rate = rate;
    return true;
}

sim_time flights_copy_arrives(const struct flights_copy *copy)
{
    return sim_time_add(copy->sent.end, copy->latency_ns);
}

/* --- on their way --- */

static void take_off(struct flights *flights, int64_t round, int64_t fragment, sim_time pull_ns)
{
    const struct flight *before = flights->count > 0 ? flight_at(flights, flights->count - 1) : NULL;
    struct flight *flight = flight_at(flights, flights->count++);
    sim_time now = now_of(flights);
    if (!flight->lands)
        flight->lands = sim_allocate((size_t)learners_of(flights), sizeof *flight->lands);
    flight->merged = sim_time_add(now, pull_ns);
    flight->round = round;
    flight->fragment = fragment;
    free(flight->clock);
    flight->clock = clocks_copy(&flights->world->clocks, clocks_syncer(&flights->world->clocks));
    flight->seen = now - 1;
    if (flights->pull)
        follow_transfers(flights, flight);
    for (int64_t i = 0; i < learners_of(flights); i++)
        flight->lands[i] = behind(before, i, landing(flights, flight, i));
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
