/* tests/bench/ours.c -- sim/queue.h under the loads of the benchmark, as the models use it: the whole order, handlers
 * that are called, and events that can be cancelled. */
#include "sim/queue.h"
#include "tests/bench/loads.h"

struct our_queue {
    struct sim_origin origin;
    struct sim_queue queue;
    struct sim_handle *handle; /* of each id; NULL when nothing is moved */
    uint32_t happened;
};

static void on_event(void *context, uint32_t entity)
{
    struct our_queue *queue = context;
    queue->happened = entity;
}

/* A model keeps the handle with the state that an event is about, which is asked for ahead. */
static void foresee_handle(const void *context, uint32_t id)
{
    __builtin_prefetch((const struct sim_handle *)context + id, 1);
}

static void queue_init(struct our_queue *queue, uint32_t events, int can_move)
{
    *queue = (struct our_queue){0};
    sim_queue_init(&queue->queue, &queue->origin);
    if (can_move) {
        queue->handle = sim_reallocate_table(NULL, 0, events * sizeof *queue->handle);
        sim_queue_set_foresight(&queue->queue, foresee_handle, queue->handle);
    }
}

static void queue_fini(struct our_queue *queue)
{
    sim_queue_fini(&queue->queue);
    free(queue->handle);
}

static void queue_push(struct our_queue *queue, int64_t time, uint32_t id)
{
    struct sim_handle handle = sim_queue_schedule(&queue->queue, time, 0, id, on_event, queue);
    if (queue->handle)
        queue->handle[id] = handle;
}

static void queue_pop(struct our_queue *queue, int64_t *time, uint32_t *id)
{
    struct sim_event event;
    SIM_ASSERT(&queue->origin, sim_queue_pop(&queue->queue, &event));
    *time = queue->origin.now = event.time;
    event.handler(event.context, event.entity);
    *id = queue->happened;
}

static void queue_move(struct our_queue *queue, uint32_t id, int64_t time)
{
    sim_queue_set(&queue->queue, &queue->handle[id], time, 0, id, on_event, queue);
}

static void queue_look_ahead(const struct our_queue *queue, uint32_t id)
{
    __builtin_prefetch(&queue->handle[id], 1);
}

static void foresee(const void *context, uint32_t id)
{
    __builtin_prefetch((const struct bench_machine *)context + id, 1);
}

static void queue_foresee(struct our_queue *queue, const struct bench_machine *machine)
{
    sim_queue_set_foresight(&queue->queue, foresee, machine);
}

#define QUEUE our_queue
#define LOADS bench_ours
#include "tests/bench/loads.inc"
