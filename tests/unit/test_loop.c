#include "sim/loop.h"
#include "tests/rig.h"

static struct sim sim;
static int64_t handled;
static sim_time last;

static void setup(void)
{
    sim_init(&sim, 1, 0);
    handled = 0;
    last = -1;
}

static void teardown(void)
{
    sim_fini(&sim);
}

static void on_tick(void *context, uint32_t entity)
{
    (void)entity;
    if (context != &sim || sim.origin.now < last)
        ck_abort_msg("the clock went back, or the context was lost");
    last = sim.origin.now;
    handled++;
}

static void at(sim_time time)
{
    (void)sim_queue_schedule(&sim.queue, time, 0, 0, on_tick, &sim);
}

/* Comes again after `entity` ns. */
static void on_again(void *context, uint32_t entity)
{
    on_tick(context, entity);
    (void)sim_queue_schedule(&sim.queue, sim.origin.now + entity, 0, entity, on_again, &sim);
}

START_TEST(the_end_is_closed)
{
    at(0), at(10), at(10), at(11);
    ck_assert(sim_run(&sim, 10) == SIM_REACHED_END);
    ck_assert_int_eq(handled, 3);
    ck_assert_int_eq(sim.origin.now, 10);
    ck_assert_int_eq(sim_queue_next_time(&sim.queue), 11);
    ck_assert(sim_run(&sim, 20) == SIM_REACHED_END);
    ck_assert_int_eq(handled, 4);
    ck_assert_int_eq(sim.origin.now, 20);
    ck_assert_int_eq(sim.events, 4);
}
END_TEST

START_TEST(an_empty_run_reaches_its_end)
{
    ck_assert(sim_run(&sim, 5) == SIM_REACHED_END);
    ck_assert_int_eq(sim.origin.now, 5);
    ck_assert(sim_run(&sim, SIM_TIME_NEVER) == SIM_REACHED_END);
    ck_assert_int_eq(sim.origin.now, SIM_TIME_NEVER);
}
END_TEST

START_TEST(what_is_scheduled_at_the_end_for_the_end_still_happens)
{
    (void)sim_queue_schedule(&sim.queue, 7, 0, 7, on_again, &sim);
    at(21);
    ck_assert(sim_run(&sim, 21) == SIM_REACHED_END);
    ck_assert_int_eq(handled, 4); /* 7, 14, 21, 21 */
}
END_TEST

static void on_end(void *context, uint32_t entity)
{
    (void)entity;
    handled++;
    sim_end_now(context);
}

START_TEST(a_handler_may_end_the_run)
{
    for (sim_time at = 50; at <= 52; at++)
        for (uint32_t entity = 0; entity < 2; entity++)
            (void)sim_queue_schedule(&sim.queue, at, 0, entity, on_end, &sim);
    ck_assert(sim_run(&sim, 100) == SIM_REACHED_END);
    ck_assert_int_eq(sim.origin.now, 50);
    ck_assert_int_eq(handled, 2); /* what is due at that instant still happens */
}
END_TEST

START_TEST(the_stop_flag_is_seen_after_each_event)
{
    atomic_bool stop = true;
    sim.stop = &stop;
    (void)sim_queue_schedule(&sim.queue, 0, 0, 1, on_again, &sim);
    ck_assert(sim_run(&sim, 1000000) == SIM_STOPPED);
    ck_assert_int_eq(handled, 1);
    atomic_store(&stop, false);
    ck_assert(sim_run(&sim, 1000000) == SIM_REACHED_END);
    ck_assert_int_eq(handled, 1000001);
}
END_TEST

START_TEST(no_progress_is_noticed)
{
    sim.guard_events = 5000;
    (void)sim_queue_schedule(&sim.queue, 77, 0, 0, on_again, &sim);
    ck_assert(sim_run(&sim, 100) == SIM_NO_PROGRESS);
    ck_assert_int_eq(sim.origin.now, 77);
    ck_assert_int_le(handled, 12000);
}
END_TEST

START_TEST(slow_progress_is_no_progress_below_the_guard)
{
    sim.guard_events = 5000;
    sim.guard_ns = 1000000;
    (void)sim_queue_schedule(&sim.queue, 0, 0, 1, on_again, &sim);
    ck_assert(sim_run(&sim, 1000000) == SIM_NO_PROGRESS);
}
END_TEST

START_TEST(many_events_with_progress_are_fine)
{
    sim.guard_events = 5000;
    sim.guard_ns = 4000;
    (void)sim_queue_schedule(&sim.queue, 0, 0, 1, on_again, &sim);
    ck_assert(sim_run(&sim, 1000000) == SIM_REACHED_END);
    ck_assert_int_eq(handled, 1000001);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("loop");
    TCase *tcase = tcase_create("loop");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, the_end_is_closed);
    tcase_add_test(tcase, an_empty_run_reaches_its_end);
    tcase_add_test(tcase, what_is_scheduled_at_the_end_for_the_end_still_happens);
    tcase_add_test(tcase, a_handler_may_end_the_run);
    tcase_add_test(tcase, the_stop_flag_is_seen_after_each_event);
    tcase_add_test(tcase, no_progress_is_noticed);
    tcase_add_test(tcase, slow_progress_is_no_progress_below_the_guard);
    tcase_add_test(tcase, many_events_with_progress_are_fine);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
