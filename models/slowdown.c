#include "models/slowdown.h"

#include <math.h>
#include <stdlib.h>

#include "models/world.h"

struct slowdown {
    struct world *world;
    uint32_t slice;
    double speed;
    int64_t place;         /* in the heap */
    struct slowdown *next; /* of the same slice */
    struct sim_handle end;
};

void slowdowns_init(struct world *world)
{
    const struct config *config = world->config;
    if (!config_has_kind(config, CONFIG_SOURCE_SLOWDOWN))
        return;
    world->slowdowns.of_learner = sim_allocate((size_t)config->learners, sizeof *world->slowdowns.of_learner);
    world->slowdowns.of_slice = sim_allocate((size_t)world->fleet.slices, sizeof(struct slowdown *));
}

void slowdowns_fini(struct world *world)
{
    struct slowdown_heap *heaps = world->slowdowns.of_learner;
    for (int64_t i = 0; heaps && i < world->config->learners; i++) {
        for (int64_t k = 0; k < heaps[i].count; k++)
            free(heaps[i].at[k]);
        free(heaps[i].at);
    }
    free(heaps);
    free(world->slowdowns.of_slice);
}

/* --- the heap --- */

static void put(struct slowdown_heap *heap, int64_t place, struct slowdown *slowdown)
{
    heap->at[place] = slowdown;
    slowdown->place = place;
}

static void sift_up(struct slowdown_heap *heap, struct slowdown *slowdown)
{
    int64_t place = slowdown->place;
    for (; place > 0 && slowdown->speed < heap->at[(place - 1) / 2]->speed; place = (place - 1) / 2)
        put(heap, place, heap->at[(place - 1) / 2]);
    put(heap, place, slowdown);
}

static void sift_down(struct slowdown_heap *heap, struct slowdown *slowdown)
{
    int64_t place = slowdown->place;
    for (int64_t child; (child = 2 * place + 1) < heap->count; place = child) {
        if (child + 1 < heap->count && heap->at[child + 1]->speed < heap->at[child]->speed)
            child++;
        if (slowdown->speed <= heap->at[child]->speed)
            break;
        put(heap, place, heap->at[child]);
    }
    put(heap, place, slowdown);
}

static void push(struct slowdown_heap *heap, struct slowdown *slowdown)
{
    if (heap->count == heap->capacity) {
        heap->capacity = heap->capacity > 0 ? 2 * heap->capacity : 4;
        heap->at = sim_reallocate(heap->at, (size_t)heap->capacity, sizeof(struct slowdown *));
    }
    slowdown->place = heap->count++;
    sift_up(heap, slowdown);
}

static void take_out(struct slowdown_heap *heap, const struct slowdown *slowdown)
{
    struct slowdown *last = heap->at[--heap->count];
    if (last == slowdown)
        return;
    last->place = slowdown->place;
    sift_up(heap, last);
    sift_down(heap, last);
}

/* --- beginning and end --- */

static struct learner *learner_of(struct world *world, uint32_t slice)
{
    return &world->learner[fleet_slice_learner(&world->fleet, slice)];
}

static struct slowdown_heap *heap_of(struct world *world, uint32_t slice)
{
    return &world->slowdowns.of_learner[fleet_slice_learner(&world->fleet, slice)];
}

static double slowest(const struct slowdown_heap *heap)
{
    return heap->count > 0 ? heap->at[0]->speed : INFINITY;
}

/* It is in no list any more. */
static void end(struct slowdown *slowdown)
{
    struct world *world = slowdown->world;
    take_out(heap_of(world, slowdown->slice), slowdown);
    if (!world->slowdowns.of_slice[slowdown->slice])
        world_note_change(world, "pace", slowdown->slice, "slow", "full", "slowdown over");
    free(slowdown);
}

static void on_end(void *context, uint32_t slice)
{
    struct slowdown *slowdown = context;
    struct world *world = slowdown->world;
    struct slowdown **link = &world->slowdowns.of_slice[slice];
    while (*link != slowdown)
        link = &(*link)->next;
    *link = slowdown->next;
    end(slowdown);
    learner_on_pace(learner_of(world, slice), slowest(heap_of(world, slice)));
}

void slowdowns_end(struct world *world, uint32_t slice)
{
    if (!world->slowdowns.of_slice || !world->slowdowns.of_slice[slice])
        return;
    struct slowdown *slowdown = world->slowdowns.of_slice[slice];
    world->slowdowns.of_slice[slice] = NULL;
    while (slowdown) {
        struct slowdown *next = slowdown->next;
        (void)sim_queue_cancel(&world->sim.queue, slowdown->end);
        end(slowdown);
        slowdown = next;
    }
    (void)pace_slow(&learner_of(world, slice)->pace, slowest(heap_of(world, slice)));
}

static void begin(struct world *world, uint32_t slice, double factor, sim_time until)
{
    struct slowdown **list = &world->slowdowns.of_slice[slice];
    struct learner *learner = learner_of(world, slice);
    if (!*list)
        world_note_change(world, "pace", slice, "full", "slow", "slowdown");
    struct slowdown *slowdown = sim_allocate(1, sizeof *slowdown);
    *slowdown = (struct slowdown){
        .world = world, .slice = slice, .speed = pace_class_speed(&learner->pace, slice) / factor, .next = *list};
    *list = slowdown;
    push(heap_of(world, slice), slowdown);
    if (until <= world->config->duration_ns)
        slowdown->end = sim_queue_schedule(&world->sim.queue, until, WORLD_RANK_RETURN, slice, on_end, slowdown);
    learner_on_pace(learner, slowest(heap_of(world, slice)));
}

/* Two numbers of each: how long, and how slow. */
static double draw(const struct world *world, const struct failure_source *source, const struct sim_law *law,
                   uint64_t index)
{
    return sim_law_quantile(law, sim_uniform_at(&world->sim.origin, WORLD_STREAM_SLOWDOWN, source->identity, index));
}

void slowdown_strike(struct world *world, const struct failure_source *source, uint32_t slice, uint64_t number)
{
    bool is_dropped = !world_is_in_service(world, slice);
    if (is_dropped && !world->draws)
        return;
    double lasts_s = draw(world, source, &source->config->lasts, 2 * number);
    double factor = draw(world, source, &source->config->factor, 2 * number + 1);
    if (is_dropped)
        return; /* noted for designs in which it is not */
    world->slowdowns.begun++;
    begin(world, slice, fmin(fmax(factor, 1), CONFIG_FACTOR_MAX), sim_time_after(world->sim.origin.now, lasts_s));
}
