#include "sim/queue.h"
#include "tests/rig.h"

static void on_nothing(void *context, uint32_t entity)
{
    (void)context;
    (void)entity;
}

static struct sim_origin origin;
static struct sim_queue queue;

static void setup(void)
{
    origin = (struct sim_origin){.seed = 7};
    sim_queue_init(&queue, &origin);
}

static void teardown(void)
{
    sim_queue_fini(&queue);
}

static struct sim_handle put(sim_time time, unsigned rank, uint32_t entity, void *tag)
{
    return sim_queue_schedule(&queue, time, rank, entity, on_nothing, tag);
}

static void *take(void)
{
    struct sim_event event;
    ck_assert(sim_queue_pop(&queue, &event));
    ck_assert(event.handler == on_nothing);
    return event.context;
}

START_TEST(order_is_time_rank_entity_sequence)
{
    static char tag[8];
    (void)put(5, 0, 0, &tag[7]);
    (void)put(4, 2, 0, &tag[6]);
    (void)put(4, 1, 9, &tag[4]);
    (void)put(4, 1, 9, &tag[5]);
    (void)put(4, 1, 3, &tag[3]);
    (void)put(4, 0, (1U << 24) - 1, &tag[2]);
    (void)put(3, 15, 99, &tag[1]);
    (void)put(0, 15, 99, &tag[0]);
    for (int i = 0; i < 8; i++)
        ck_assert_ptr_eq(take(), &tag[i]);
    struct sim_event event;
    ck_assert(!sim_queue_pop(&queue, &event));
    ck_assert_int_eq(sim_queue_next_time(&queue), SIM_TIME_NEVER);
}
END_TEST

START_TEST(rescheduled_goes_last_among_its_equals)
{
    static char tag[3];
    struct sim_handle first = put(10, 1, 5, &tag[2]);
    (void)put(10, 1, 5, &tag[0]);
    (void)put(10, 1, 5, &tag[1]);
    ck_assert(sim_queue_reschedule(&queue, first, 10));
    for (int i = 0; i < 3; i++)
        ck_assert_ptr_eq(take(), &tag[i]);
}
END_TEST

START_TEST(stale_handles_are_recognised)
{
    const struct sim_handle none = {0};
    ck_assert(!sim_queue_is_pending(&queue, none));
    ck_assert(!sim_queue_cancel(&queue, none));
    ck_assert(!sim_queue_reschedule(&queue, none, 3));
    struct sim_handle old = put(1, 0, 0, NULL);
    ck_assert(sim_queue_is_pending(&queue, old));
    ck_assert(sim_queue_cancel(&queue, old));
    struct sim_handle new = put(2, 0, 0, &origin);
    ck_assert_uint_eq(old.slot, new.slot); /* the place is used again */
    ck_assert(!sim_queue_is_pending(&queue, old));
    ck_assert(!sim_queue_cancel(&queue, old));
    ck_assert(!sim_queue_reschedule(&queue, old, 9));
    ck_assert(sim_queue_is_pending(&queue, new));
    ck_assert_ptr_eq(take(), &origin);
    ck_assert(!sim_queue_is_pending(&queue, new));
    ck_assert(!sim_queue_cancel(&queue, new));
    const struct sim_handle beyond = {.slot = 12345, .generation = 1};
    ck_assert(!sim_queue_is_pending(&queue, beyond));
}
END_TEST

START_TEST(scheduling_into_the_past_stops)
{
    origin.now = 10;
    (void)put(10, 0, 0, NULL);
    (void)put(9, 0, 0, NULL);
}
END_TEST

START_TEST(rescheduling_into_the_past_stops)
{
    struct sim_handle handle = put(20, 0, 0, NULL);
    origin.now = 10;
    (void)sim_queue_reschedule(&queue, handle, 9);
}
END_TEST

START_TEST(a_rank_out_of_range_stops)
{
    (void)put(1, 16, 0, NULL);
}
END_TEST

START_TEST(an_entity_out_of_range_stops)
{
    (void)put(1, 0, 1U << 24, NULL);
}
END_TEST

/* The model: a plain array, searched from end to end. */
#define MODEL_MAX 600
struct entry {
    bool is_pending;
    sim_time time;
    unsigned rank;
    uint32_t entity;
    uint64_t sequence;
    struct sim_handle handle;
};
static struct entry model[MODEL_MAX];
static uint64_t sequence;
static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % below;
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

static struct entry *model_first(void)
{
    struct entry *first = NULL;
    for (int i = 0; i < MODEL_MAX; i++)
        if (model[i].is_pending && (!first || goes_before(&model[i], first)))
            first = &model[i];
    return first;
}

static void model_add(struct entry *entry)
{
    *entry = (struct entry){
        .is_pending = true,
        .time = origin.now + (sim_time)draw(40),
        .rank = (unsigned)draw(3),
        .entity = (uint32_t)draw(4),
        .sequence = sequence++,
    };
    entry->handle = put(entry->time, entry->rank, entry->entity, entry);
}

static void model_pop(void)
{
    struct entry *first = model_first();
    struct sim_event event;
    ck_assert_int_eq(sim_queue_next_time(&queue), first ? first->time : SIM_TIME_NEVER);
    ck_assert(sim_queue_pop(&queue, &event) == (first != NULL));
    if (!first)
        return;
    ck_assert_ptr_eq(event.context, first);
    ck_assert_int_eq(event.time, first->time);
    ck_assert_uint_eq(event.entity, first->entity);
    first->is_pending = false;
    origin.now = event.time;
}

static void model_move(struct entry *entry)
{
    sim_time time = origin.now + (sim_time)draw(40);
    ck_assert(sim_queue_reschedule(&queue, entry->handle, time) == entry->is_pending);
    entry->time = time;
    entry->sequence = sequence++;
}

static void act(uint64_t adds_of_ten)
{
    struct entry *entry = &model[draw(MODEL_MAX)];
    uint64_t dice = draw(10);
    ck_assert(sim_queue_is_pending(&queue, entry->handle) == entry->is_pending);
    if (dice < adds_of_ten) {
        if (!entry->is_pending)
            model_add(entry);
    } else if (dice == 7) {
        ck_assert(sim_queue_cancel(&queue, entry->handle) == entry->is_pending);
        entry->is_pending = false;
    } else if (dice == 8) {
        if (entry->is_pending)
            model_move(entry);
    } else {
        model_pop();
    }
}

START_TEST(agrees_with_a_sorted_model)
{
    state = (uint64_t)_i * 977 + 5;
    for (int i = 0; i < 20000; i++)
        act(i / 2000 % 2 ? 3 : 6);
    while (model_first())
        model_pop();
    model_pop();
}
END_TEST

START_TEST(shuffled_ties_keep_time_and_rank_and_mix_the_rest)
{
    static char tag[64];
    queue.shuffle = 12345;
    for (uint32_t i = 0; i < 64; i++)
        (void)put(i / 16, i / 8 % 2, i, &tag[i]);
    int moved = 0;
    for (int i = 0; i < 64; i++) {
        long which = (char *)take() - tag;
        ck_assert_int_eq(which / 8, i / 8);
        moved += which != i;
    }
    ck_assert_int_gt(moved, 32);
}
END_TEST

/* A timer that is cancelled leaves nothing behind: two million of them take no more room than the hundred pending. */
START_TEST(timers_set_and_cancelled_leave_nothing)
{
    struct sim_handle timer[100];
    for (uint32_t i = 0; i < 100; i++)
        timer[i] = put(i, 0, i, NULL);
    uint32_t capacity = queue.capacity;
    for (uint32_t i = 0; i < 2000000; i++) {
        if (!sim_queue_cancel(&queue, timer[i % 100]))
            ck_abort_msg("timer %u was not pending", i);
        timer[i % 100] = put((i * 7919) % 1000, 0, i % 100, NULL);
    }
    ck_assert_uint_eq(queue.count, 100);
    ck_assert_uint_eq(queue.capacity, capacity);
}
END_TEST

static void add_exits(TCase *tcase)
{
    tcase_add_exit_test(tcase, scheduling_into_the_past_stops, 1);
    tcase_add_exit_test(tcase, rescheduling_into_the_past_stops, 1);
    tcase_add_exit_test(tcase, a_rank_out_of_range_stops, 1);
    tcase_add_exit_test(tcase, an_entity_out_of_range_stops, 1);
}

int main(void)
{
    Suite *suite = suite_create("queue");
    TCase *tcase = tcase_create("queue");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, order_is_time_rank_entity_sequence);
    tcase_add_test(tcase, rescheduled_goes_last_among_its_equals);
    tcase_add_test(tcase, stale_handles_are_recognised);
    tcase_add_test(tcase, timers_set_and_cancelled_leave_nothing);
    tcase_add_loop_test(tcase, agrees_with_a_sorted_model, 0, 10);
    tcase_add_test(tcase, shuffled_ties_keep_time_and_rank_and_mix_the_rest);
    add_exits(tcase);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
