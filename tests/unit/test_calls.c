#include "sim/calls.h"
#include "tests/rig.h"

enum { MANY = 10000 };

static struct sim_calls calls;
static char context[MANY];

static void on_this(void *of, uint32_t entity)
{
    (void)of;
    (void)entity;
}

static void on_that(void *of, uint32_t entity)
{
    on_this(of, entity);
}

static void setup(void)
{
    sim_calls_init(&calls);
}

static void teardown(void)
{
    sim_calls_fini(&calls);
}

static void check(uint32_t number, sim_handler *handler, const void *of)
{
    ck_assert(calls.call[number].handler == handler);
    ck_assert_ptr_eq(calls.call[number].context, of);
}

START_TEST(a_call_is_kept_once_for_many_events)
{
    uint32_t first = sim_calls_take(&calls, on_this, context);
    for (int i = 0; i < MANY; i++)
        ck_assert_uint_eq(sim_calls_take(&calls, on_this, context), first);
    check(first, on_this, context);
    for (int i = 0; i < MANY; i++)
        sim_calls_release(&calls, first);
    check(first, on_this, context); /* one event still has it */
    ck_assert_uint_eq(calls.count, 2);
}
END_TEST

START_TEST(handler_and_context_both_matter)
{
    uint32_t a = sim_calls_take(&calls, on_this, context), b = sim_calls_take(&calls, on_that, context);
    uint32_t c = sim_calls_take(&calls, on_this, context + 1), d = sim_calls_take(&calls, on_this, NULL);
    check(a, on_this, context);
    check(b, on_that, context);
    check(c, on_this, context + 1);
    check(d, on_this, NULL);
}
END_TEST

/* Far more than are looked up by hash: each keeps its number as long as an event has it, and then others get them. */
START_TEST(many_calls_are_kept_apart_and_their_numbers_used_again)
{
    static uint32_t number[MANY];
    uint32_t count = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++)
            number[i] = sim_calls_take(&calls, i % 2 ? on_this : on_that, &context[i]);
        for (int i = 0; i < MANY; i++)
            check(number[i], i % 2 ? on_this : on_that, &context[i]);
        for (int i = 0; i < MANY; i++)
            sim_calls_release(&calls, number[i]);
        count = round == 0 ? calls.count : count;
    }
    ck_assert_uint_le(count, MANY + (1U << SIM_CALLS_RECENT_BITS) + 1);
    ck_assert_uint_le(calls.count, count + (1U << SIM_CALLS_RECENT_BITS));
}
END_TEST

START_TEST(calls_that_come_and_go_take_no_room)
{
    for (int i = 0; i < 1000000; i++)
        sim_calls_release(&calls, sim_calls_take(&calls, on_this, &context[i % MANY]));
    ck_assert_uint_le(calls.count, (1U << SIM_CALLS_RECENT_BITS) + 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("calls");
    TCase *tcase = tcase_create("calls");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_call_is_kept_once_for_many_events);
    tcase_add_test(tcase, handler_and_context_both_matter);
    tcase_add_test(tcase, many_calls_are_kept_apart_and_their_numbers_used_again);
    tcase_add_test(tcase, calls_that_come_and_go_take_no_room);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
