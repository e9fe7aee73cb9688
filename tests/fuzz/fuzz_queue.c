/* The queue and its ladder: bytes become orders to schedule, move, cancel and take, with times of many shapes; what
 * leaves is compared with a sorted row. A run of one order fills the ladder from few bytes. */
#include "sim/queue.h"
#include "tests/fuzz/fuzz.h"

enum { EVENTS_MAX = 3000, ACTS_MAX = 1500 };

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
static int pending, free_count, acts;
static uint64_t sequence;

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
    return a->entity != b->entity ? a->entity < b->entity : a->sequence < b->sequence;
}

static void model_add(struct entry *entry)
{
    int low = 0, high = pending;
    while (low < high) {
        int middle = (low + high) / 2;
        if (goes_before(sorted[middle], entry))
            low = middle + 1;
        else
            high = middle;
    }
    memmove(&sorted[low + 1], &sorted[low], (size_t)(pending - low) * sizeof *sorted);
    sorted[low] = entry;
    pending++;
}

static void model_remove(int at)
{
    pending--;
    memmove(&sorted[at], &sorted[at + 1], (size_t)(pending - at) * sizeof *sorted);
}

/* Not before the clock: in some nanoseconds, at once, at a power of two, at the end of time. */
static sim_time time_of(struct fuzz_bytes *bytes, uint8_t shape, int turn)
{
    sim_time left = SIM_TIME_NEVER - origin.now, ahead = 0;
    switch (shape % 4) {
    case 0:
        ahead = fuzz_byte(bytes);
        break;
    case 1:
        ahead = (sim_time)(fuzz_number(bytes, 3)) * (1 + turn);
        break;
    case 2:
        ahead = ((sim_time)1 << fuzz_byte(bytes) % 62) + turn % 3;
        break;
    default:
        ahead = left - fuzz_byte(bytes);
        break;
    }
    return origin.now + (ahead < 0 ? 0 : ahead < left ? ahead : left);
}

static void schedule(struct fuzz_bytes *bytes, uint8_t shape, int turn)
{
    if (free_count == 0)
        return;
    struct entry *entry = unused[--free_count];
    uint8_t who = (uint8_t)(fuzz_byte(bytes) + turn);
    *entry = (struct entry){.time = time_of(bytes, shape, turn), .rank = who % 16, .entity = who / 16};
    entry->sequence = sequence++;
    entry->handle = sim_queue_schedule(&queue, entry->time, entry->rank, entry->entity, on_nothing, entry);
    model_add(entry);
}

static void cancel(struct fuzz_bytes *bytes)
{
    if (pending == 0)
        return;
    int at = (int)(fuzz_number(bytes, 2) % (uint64_t)pending);
    struct entry *entry = sorted[at];
    model_remove(at);
    unused[free_count++] = entry;
    FUZZ_ASSERT(sim_queue_cancel(&queue, entry->handle));
    FUZZ_ASSERT(!sim_queue_cancel(&queue, entry->handle) && !sim_queue_is_pending(&queue, entry->handle));
}

static void move(struct fuzz_bytes *bytes, uint8_t shape, int turn)
{
    if (pending == 0)
        return;
    int at = (int)(fuzz_number(bytes, 2) % (uint64_t)pending);
    struct entry *entry = sorted[at];
    model_remove(at);
    entry->time = time_of(bytes, shape, turn);
    entry->sequence = sequence++;
    sim_queue_set(&queue, &entry->handle, entry->time, entry->rank, entry->entity, on_nothing, entry);
    model_add(entry);
}

static void take(void)
{
    struct sim_event event = {0};
    sim_time first = pending > 0 ? sorted[0]->time : SIM_TIME_NEVER;
    FUZZ_ASSERT(sim_queue_next_time(&queue) == first);
    FUZZ_ASSERT(pending == 0 || sim_queue_next_rank(&queue) == sorted[0]->rank);
    FUZZ_ASSERT(sim_queue_pop(&queue, &event) == (pending > 0));
    if (pending == 0)
        return;
    struct entry *entry = sorted[0];
    FUZZ_ASSERT(event.context == entry && event.time == first && event.entity == entry->entity);
    FUZZ_ASSERT(!sim_queue_is_pending(&queue, entry->handle));
    unused[free_count++] = entry;
    model_remove(0);
    origin.now = first < SIM_TIME_NEVER / 2 ? first : origin.now;
}

/* An order: two bits of what, two of the shape of its time, and how often. */
static void act(struct fuzz_bytes *bytes)
{
    uint8_t order = fuzz_byte(bytes), shape = order >> 2;
    int turns = order >> 4 == 15 ? 1 + 4 * fuzz_byte(bytes) : 1 + (order >> 4) % 4;
    for (int turn = 0; turn < turns && acts < ACTS_MAX; turn++, acts++) {
        struct fuzz_bytes same = *bytes; /* a row of them shares its bytes */
        struct fuzz_bytes *from = turn + 1 < turns ? &same : bytes;
        if (order % 4 == 0)
            schedule(from, shape, turn);
        else if (order % 4 == 1)
            cancel(from);
        else if (order % 4 == 2)
            move(from, shape, turn);
        else
            take();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, data + size};
    origin = (struct sim_origin){.seed = 7};
    sim_queue_init(&queue, &origin);
    pending = free_count = 0;
    for (int i = 0; i < EVENTS_MAX; i++)
        unused[free_count++] = &entries[i];
    for (acts = 0; bytes.at < bytes.end && acts < ACTS_MAX;)
        act(&bytes);
    while (pending > 0)
        take();
    take();
    FUZZ_ASSERT(queue.stale == 0 && queue.ladder.count == 0);
    sim_queue_fini(&queue);
    return 0;
}
