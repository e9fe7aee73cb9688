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

START_TEST(set_anew_goes_last_among_its_equals)
{
    static char tag[3];
    struct sim_handle first = put(10, 1, 5, &tag[2]);
    (void)put(10, 1, 5, &tag[0]);
    (void)put(10, 1, 5, &tag[1]);
    sim_queue_set(&queue, &first, 10, 1, 5, on_nothing, &tag[2]);
    for (int i = 0; i < 3; i++)
        ck_assert_ptr_eq(take(), &tag[i]);
}
END_TEST

START_TEST(stale_handles_are_recognised)
{
    const struct sim_handle none = {0};
    ck_assert(!sim_queue_is_pending(&queue, none));
    ck_assert(!sim_queue_cancel(&queue, none));
    struct sim_handle old = put(1, 0, 0, NULL);
    ck_assert(sim_queue_is_pending(&queue, old));
    ck_assert(sim_queue_cancel(&queue, old));
    struct sim_handle new = put(2, 0, 0, &origin);
    ck_assert_uint_eq(old.slot, new.slot); /* the place is used again */
    ck_assert(!sim_queue_is_pending(&queue, old));
    ck_assert(!sim_queue_cancel(&queue, old));
    ck_assert(sim_queue_is_pending(&queue, new));
    ck_assert_ptr_eq(take(), &origin);
    ck_assert(!sim_queue_is_pending(&queue, new));
    ck_assert(!sim_queue_cancel(&queue, new));
    const struct sim_handle beyond = {.slot = 12345, .stamp = 1};
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

START_TEST(moving_into_the_past_stops)
{
    struct sim_handle handle = put(20, 0, 0, NULL);
    origin.now = 10;
    sim_queue_set(&queue, &handle, 9, 0, 0, on_nothing, NULL);
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

/* A handle that is set names the event from then on, and no copy of it does. */
START_TEST(set_schedules_what_is_not_pending_and_moves_what_is)
{
    static char tag[2];
    struct sim_handle handle = {0};
    sim_queue_set(&queue, &handle, 7, 0, 1, on_nothing, &tag[0]);
    const struct sim_handle copy = handle;
    (void)put(5, 0, 2, &tag[1]);
    sim_queue_set(&queue, &handle, 3, 0, 1, on_nothing, &tag[0]);
    ck_assert(!sim_queue_is_pending(&queue, copy));
    ck_assert(!sim_queue_cancel(&queue, copy));
    ck_assert(sim_queue_is_pending(&queue, handle));
    ck_assert_ptr_eq(take(), &tag[0]);
    ck_assert_ptr_eq(take(), &tag[1]);
    ck_assert_int_eq(sim_queue_next_time(&queue), SIM_TIME_NEVER);
}
END_TEST

/* Also when its place has gone to somebody else, or it is the next to happen. */
START_TEST(what_was_moved_is_gone_at_once)
{
    static char tag[2];
    struct sim_handle moved = put(1, 0, 1, &tag[0]), left = put(0, 0, 2, NULL);
    (void)take();
    struct sim_handle heir = put(5, 0, 3, &tag[1]);
    ck_assert_uint_eq(heir.slot, left.slot);
    sim_queue_set(&queue, &left, 9, 0, 2, on_nothing, NULL);
    ck_assert(sim_queue_is_pending(&queue, heir));
    ck_assert_int_eq(sim_queue_next_time(&queue), 1);
    sim_queue_set(&queue, &moved, 7, 0, 1, on_nothing, &tag[0]);
    ck_assert_int_eq(sim_queue_next_time(&queue), 5);
    ck_assert_ptr_eq(take(), &tag[1]);
    ck_assert_ptr_eq(take(), &tag[0]);
    ck_assert(sim_queue_cancel(&queue, left));
    ck_assert_int_eq(sim_queue_next_time(&queue), SIM_TIME_NEVER);
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
    uint32_t slots = queue.slots;
    for (uint32_t i = 0; i < 2000000; i++) {
        if (!sim_queue_cancel(&queue, timer[i % 100]))
            ck_abort_msg("timer %u was not pending", i);
        timer[i % 100] = put((i * 7919) % 1000, 0, i % 100, NULL);
        if (queue.near_count + queue.ladder.count > 256)
            ck_abort_msg("%u items after %u timers", queue.near_count + queue.ladder.count, i);
    }
    ck_assert_uint_eq(queue.slots, slots);
}
END_TEST

/* The same with more timers than are kept near, far apart: what the ladder holds stays within twice what is pending. */
START_TEST(timers_of_the_far_future_leave_nothing)
{
    static struct sim_handle timer[10000];
    for (uint32_t i = 0; i < 10000; i++)
        timer[i] = put((sim_time)i << 30, 0, i, NULL);
    size_t chunks = 0;
    for (uint32_t i = 0; i < 2000000; i++) {
        sim_queue_set(&queue, &timer[i % 10000], (sim_time)(i * 7919U % 10000) << 30, 0, i % 10000, on_nothing, NULL);
        if (i == 100000)
            chunks = queue.ladder.chunks;
        if (queue.near_count + queue.ladder.count > 20001)
            ck_abort_msg("%u items after %u timers", queue.near_count + queue.ladder.count, i);
    }
    ck_assert_uint_eq(queue.ladder.chunks, chunks);
    ck_assert_uint_eq(queue.slots, 10001); /* and one on its way out */
}
END_TEST

enum { MANY = 20000 };

static int foreseen[MANY];

static void on_foreseen(const void *context, uint32_t entity)
{
    ck_assert_ptr_eq(context, &queue);
    ck_assert_uint_lt(entity, MANY);
    foreseen[entity]++;
}

/* Nearly all are told of while those before them leave; never one that has left, and in what order they leave does not
 * change. */
START_TEST(many_events_are_foreseen)
{
    struct sim_event event;
    int known = 0;
    memset(foreseen, 0, sizeof foreseen);
    sim_queue_set_foresight(&queue, on_foreseen, &queue);
    for (uint32_t i = 0; i < MANY; i++)
        put((sim_time)(i * 7919U % MANY) * 1000, 0, i, NULL);
    for (uint32_t i = 0; i < MANY; i++) {
        ck_assert(sim_queue_pop(&queue, &event));
        ck_assert_int_eq(event.time, (sim_time)i * 1000);
        known += foreseen[event.entity] > 0;
        foreseen[event.entity] = -MANY;
    }
    for (uint32_t i = 0; i < MANY; i++)
        ck_assert_int_eq(foreseen[i], -MANY);
    ck_assert_int_gt(known, MANY / 2);
}
END_TEST

static struct sim_handle watched[MANY];

static void on_foreseen_pending(const void *context, uint32_t entity)
{
    (void)context;
    ck_assert(sim_queue_is_pending(&queue, watched[entity]));
    foreseen[entity]++;
}

/* So many are cancelled that the ladder is swept, also those that were about to be foreseen. */
START_TEST(what_was_swept_is_not_foreseen)
{
    uint32_t gone = 1;
    int known = 0;
    memset(foreseen, 0, sizeof foreseen);
    for (uint32_t i = 0; i < MANY; i++)
        watched[i] = put(i, 0, i, NULL);
    (void)take();
    do
        ck_assert(sim_queue_cancel(&queue, watched[gone++]));
    while (queue.stale > 0);
    ck_assert_uint_gt(gone, MANY / 2 - 1000);
    sim_queue_set_foresight(&queue, on_foreseen_pending, NULL);
    while (sim_queue_next_time(&queue) < SIM_TIME_NEVER)
        (void)take();
    for (uint32_t i = 0; i < MANY; i++)
        known += foreseen[i];
    ck_assert_int_gt(known, MANY / 4);
}
END_TEST

static void add_exits(TCase *tcase)
{
    tcase_add_exit_test(tcase, scheduling_into_the_past_stops, 1);
    tcase_add_exit_test(tcase, moving_into_the_past_stops, 1);
    tcase_add_exit_test(tcase, a_rank_out_of_range_stops, 1);
    tcase_add_exit_test(tcase, an_entity_out_of_range_stops, 1);
}

int main(void)
{
    Suite *suite = suite_create("queue");
    TCase *tcase = tcase_create("queue");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, order_is_time_rank_entity_sequence);
    tcase_add_test(tcase, set_anew_goes_last_among_its_equals);
    tcase_add_test(tcase, stale_handles_are_recognised);
    tcase_add_test(tcase, timers_set_and_cancelled_leave_nothing);
    tcase_add_test(tcase, timers_of_the_far_future_leave_nothing);
    tcase_add_test(tcase, many_events_are_foreseen);
    tcase_add_test(tcase, what_was_swept_is_not_foreseen);
    tcase_add_test(tcase, set_schedules_what_is_not_pending_and_moves_what_is);
    tcase_add_test(tcase, what_was_moved_is_gone_at_once);
    tcase_add_test(tcase, shuffled_ties_keep_time_and_rank_and_mix_the_rest);
    add_exits(tcase);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
