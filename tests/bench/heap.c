/* tests/bench/heap.c -- the textbook's binary heap under the loads of the benchmark: 16-byte events and, where they
 * are moved, the place of each. */
#include "tests/bench/loads.h"

struct event {
    int64_t time;
    uint32_t id;
};

struct binary_heap {
    struct event *event;
    uint32_t *position; /* of each id; NULL when nothing is moved */
    uint32_t count;
};

static void queue_init(struct binary_heap *heap, uint32_t events, int can_move)
{
    heap->event = calloc(events + 1U, sizeof *heap->event);
    heap->position = can_move ? calloc(events, sizeof *heap->position) : NULL;
    heap->count = 0;
}

static void queue_fini(struct binary_heap *heap)
{
    free(heap->event);
    free(heap->position);
}

static void place(struct binary_heap *heap, uint32_t at, struct event event)
{
    heap->event[at] = event;
    if (heap->position)
        heap->position[event.id] = at;
}

static void rise(struct binary_heap *heap, uint32_t at, struct event event)
{
    for (; at > 0 && heap->event[(at - 1) / 2].time > event.time; at = (at - 1) / 2)
        place(heap, at, heap->event[(at - 1) / 2]);
    place(heap, at, event);
}

static void sink(struct binary_heap *heap, uint32_t at, struct event event)
{
    for (uint32_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && heap->event[child + 1].time < heap->event[child].time)
            child++;
        if (heap->event[child].time >= event.time)
            break;
        place(heap, at, heap->event[child]);
    }
    place(heap, at, event);
}

static void queue_push(struct binary_heap *heap, int64_t time, uint32_t id)
{
    rise(heap, heap->count++, (struct event){time, id});
}

static void queue_pop(struct binary_heap *heap, int64_t *time, uint32_t *id)
{
    *time = heap->event[0].time;
    *id = heap->event[0].id;
    if (--heap->count > 0)
        sink(heap, 0, heap->event[heap->count]);
}

static void queue_move(struct binary_heap *heap, uint32_t id, int64_t time)
{
    uint32_t at = heap->position[id];
    if (time < heap->event[at].time)
        rise(heap, at, (struct event){time, id});
    else
        sink(heap, at, (struct event){time, id});
}

static void queue_look_ahead(const struct binary_heap *heap, uint32_t id)
{
    __builtin_prefetch(&heap->position[id], 1);
}

static void queue_foresee(const struct binary_heap *heap, const struct bench_machine *machine)
{
    (void)heap;
    (void)machine;
}

#define QUEUE binary_heap
#define LOADS bench_heap
#include "tests/bench/loads.inc"
