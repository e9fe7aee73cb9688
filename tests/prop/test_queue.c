/* The queue against a model that needs no cleverness: all pending events in one sorted array. Random scheduling,
 * moving, cancelling and taking, with times of many shapes: ties, bursts, far apart, at both ends of 64 bits. */
#include "sim/queue.h"
#include "tests/rig.h"

enum { EVENTS_MAX = 6000, ACTS = 60000 };

struct entry {
    sim_time time;
    unsigned rank;
    uint32_t entity;
    uint64_t sequence;
    struct sim_handle handle;
};

static struct sim_origin origin;
static struct sim_queue queue;
static struct entry *sorted[EVENTS_MAX], entries[EVENTS_MAX], *unused[EVENTS_MAX];
static int pending, free_count;
static uint64_t sequence, state;

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    uint64_t x = (state ^ state >> 29) * 0xbf58476d1ce4e5b9U;
    return (x >> 20) % below;
}

static void on_nothing(void *context, uint32_t entity)
{
    (void)context;
    (void)entity;
}

static bool goes_before(const struct entry *a, const struct entry *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    if (a->entity != b->entity)
        return a->entity < b->entity;
    return a->sequence < b->sequence;
}

static int place_of(const struct entry *entry)
{
    int low = 0, high = pending;
    while (low < high) {
        int middle = (low + high) / 2;
        if (goes_before(sorted[middle], entry))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void model_add(struct entry *entry)
{
    int at = place_of(entry);
    memmove(&sorted[at + 1], &sorted[at], (size_t)(pending - at) * sizeof *sorted);
    sorted[at] = entry;
    pending++;
}

static void model_remove(int at)
{
    pending--;
    memmove(&sorted[at], &sorted[at + 1], (size_t)(pending - at) * sizeof *sorted);
}

/* How far ahead, in a few shapes; the test goes from one to the next. */
static sim_time ahead(int shape)
{
    switch (shape) {
    case 0:
        return (sim_time)draw(40); /* ties */
    case 1:
        return 0; /* all at once */
    case 2:
        return (sim_time)(draw(2) ? draw(1000) : draw(10000000)); /* skewed */
    case 3:
        return (sim_time)1 << draw(60); /* of every size */
    case 4:
        return draw(50) ? (sim_time)draw(3) : (sim_time)draw((uint64_t)1 << 50); /* bursts */
    default:
        return (sim_time)(draw((uint64_t)INT64_MAX)); /* anywhere to the end of time */
    }
}

static sim_time draw_time(int shape)
{
    return draw(100) == 0 ? SIM_TIME_NEVER : sim_time_add(origin.now, ahead(shape));
}

static void schedule(int shape)
{
    if (free_count == 0)
        return;
    struct entry *entry = unused[--free_count];
    entry->time = draw_time(shape);
    entry->rank = (unsigned)draw(3);
    entry->entity = (uint32_t)draw(4);
    entry->sequence = sequence++;
    entry->handle = sim_queue_schedule(&queue, entry->time, entry->rank, entry->entity, on_nothing, entry);
    model_add(entry);
}

static void cancel(void)
{
    int at = (int)draw((uint64_t)pending);
    struct entry *entry = sorted[at];
    model_remove(at);
    unused[free_count++] = entry;
    ck_assert(sim_queue_cancel(&queue, entry->handle));
    ck_assert(!sim_queue_cancel(&queue, entry->handle));
    ck_assert(!sim_queue_is_pending(&queue, entry->handle));
}

static void move(int shape)
{
    int at = (int)draw((uint64_t)pending);
    struct entry *entry = sorted[at];
    model_remove(at);
    entry->time = draw_time(shape);
    entry->sequence = sequence++;
    sim_queue_set(&queue, &entry->handle, entry->time, entry->rank, entry->entity, on_nothing, entry);
    model_add(entry);
}

static void take(void)
{
    struct sim_event event = {0};
    sim_time first = pending > 0 ? sorted[0]->time : SIM_TIME_NEVER;
    if (sim_queue_next_time(&queue) != first)
        ck_abort_msg("next at %lld, not at %lld", (long long)sim_queue_next_time(&queue), (long long)first);
    ck_assert(sim_queue_pop(&queue, &event) == (pending > 0));
    if (pending == 0)
        return;
    if (event.context != sorted[0] || event.time != first || event.entity != sorted[0]->entity)
        ck_abort_msg("an event at %lld of %u left before one at %lld of %u", (long long)event.time, event.entity,
                     (long long)first, sorted[0]->entity);
    ck_assert(!sim_queue_is_pending(&queue, sorted[0]->handle));
    unused[free_count++] = sorted[0];
    model_remove(0);
    if (first < SIM_TIME_NEVER / 2) /* so that there is time left */
        origin.now = first;
}

static void act(int shape, uint64_t scheduled_of_ten)
{
    uint64_t dice = draw(10);
    if (dice < scheduled_of_ten)
        schedule(shape);
    else if (dice == 7 && pending > 0)
        cancel();
    else if (dice == 8 && pending > 0)
        move(shape);
    else
        take();
}

static void start(uint64_t seed)
{
    state = seed;
    origin = (struct sim_origin){.seed = 7};
    sim_queue_init(&queue, &origin);
    pending = free_count = 0;
    for (int i = 0; i < EVENTS_MAX; i++)
        unused[free_count++] = &entries[i];
}

/* Grows to thousands and shrinks to none, in turns. */
START_TEST(agrees_with_a_sorted_model)
{
    start((uint64_t)_i * 977 + 5);
    for (int i = 0; i < ACTS; i++)
        act(i / 5000 % 2 ? _i % 6 : (int)draw(6), i / 10000 % 2 ? 2 : 6);
    while (pending > 0)
        take();
    take();
    ck_assert_uint_eq(queue.stale, 0);
    ck_assert_uint_eq(queue.ladder.count, 0);
    sim_queue_fini(&queue);
}
END_TEST

/* Always earlier than all before: a row that grows at its front. */
START_TEST(filled_from_the_end)
{
    start(3);
    for (int i = 0; i < EVENTS_MAX; i++) {
        struct entry *entry = unused[--free_count];
        *entry = (struct entry){.time = (sim_time)(EVENTS_MAX - i) << 40};
        entry->handle = sim_queue_schedule(&queue, entry->time, 0, 0, on_nothing, entry);
        model_add(entry);
    }
    ck_assert_uint_lt(queue.ladder.depth, 20);
    while (pending > 0)
        take();
    sim_queue_fini(&queue);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("queue");
    TCase *tcase = tcase_create("queue");
    tcase_add_loop_test(tcase, agrees_with_a_sorted_model, 0, 24);
    tcase_add_test(tcase, filled_from_the_end);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
