/* The lane against a list that is searched: the same order, with few slots (sorted) and with many (in the queue). */
#include "sim/loop.h"
#include "tests/rig.h"

enum { MANY = 200, TURNS = 1000 };

static struct sim sim;
static uint64_t state;

static int64_t chance(int64_t below)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (int64_t)((state >> 33) % (uint64_t)below);
}

static uint32_t woken[MANY];
static int wakes;

static void on_wake(void *context, uint32_t entity)
{
    ck_assert_ptr_eq(context, &sim);
    woken[wakes++] = entity;
}

/* Two ranks, so that a later slot may go first. */
static void open_lane(uint32_t slots)
{
    sim_init(&sim, 1, 0);
    sim_lane_init(&sim.lane, &sim.queue, slots);
    for (uint32_t i = 0; i < slots; i++)
        sim_lane_register(&sim.lane, i, i % 3 == 0 ? 4 : 3, i, on_wake, &sim);
}

/* The slot that is due first: by time, rank, number. */
static int64_t first_of(const sim_time time[], uint32_t slots)
{
    int64_t first = -1;
    for (uint32_t i = 0; i < slots; i++) {
        if (time[i] == SIM_TIME_NEVER)
            continue;
        bool is_first = first < 0 || time[i] < time[first] || (time[i] == time[first] && first % 3 == 0 && i % 3 != 0);
        first = is_first ? i : first;
    }
    return first;
}

static sim_time due[MANY]; /* as it should be */

/* Sets or stops some of them. */
static void move_some(uint32_t slots)
{
    for (int64_t moves = chance(3); moves >= 0; moves--) {
        uint32_t slot = (uint32_t)chance(slots);
        due[slot] = chance(8) ? sim.origin.now + chance(10) : SIM_TIME_NEVER;
        sim_lane_set(&sim.lane, slot, due[slot]);
    }
    for (uint32_t i = 0; i < slots; i++)
        ck_assert_int_eq(sim_lane_time(&sim.lane, i), due[i]);
}

/* Lets what is due in an instant happen, in order. */
static void wake_all(uint32_t slots)
{
    int64_t first = first_of(due, slots);
    sim_time now = first < 0 ? SIM_TIME_NEVER : due[first];
    ck_assert_int_eq(sim_next_time(&sim), now);
    wakes = 0;
    if (first >= 0)
        ck_assert(sim_run(&sim, now) == SIM_REACHED_END);
    for (int i = 0; i < wakes; i++) {
        first = first_of(due, slots);
        ck_assert_int_eq(woken[i], first);
        due[first] = SIM_TIME_NEVER;
    }
    first = first_of(due, slots);
    ck_assert(first < 0 || due[first] > now);
}

static void play(uint32_t slots)
{
    open_lane(slots);
    for (uint32_t i = 0; i < slots; i++)
        due[i] = SIM_TIME_NEVER;
    state = slots;
    for (int turn = 0; turn < TURNS; turn++) {
        move_some(slots);
        wake_all(slots);
    }
    sim_fini(&sim);
}

START_TEST(few_and_many_leave_in_order)
{
    play(1), play(7), play(SIM_LANE_SORTED_MAX), play(MANY);
}
END_TEST

static int order[8], places;

static void on_place(void *context, uint32_t entity)
{
    (void)context;
    order[places++] = (int)entity;
}

/* At one instant: ranks first, and the lane before the queue. */
START_TEST(a_lane_and_a_queue_are_one_order)
{
    for (int many = 0; many < 2; many++) {
        sim_init(&sim, 1, 0);
        sim_lane_init(&sim.lane, &sim.queue, many ? MANY : 2);
        sim_lane_register(&sim.lane, 0, 3, 10, on_place, NULL);
        sim_lane_register(&sim.lane, 1, 5, 11, on_place, NULL);
        (void)sim_queue_schedule(&sim.queue, 7, 2, 1, on_place, NULL);
        (void)sim_queue_schedule(&sim.queue, 7, 4, 2, on_place, NULL);
        (void)sim_queue_schedule(&sim.queue, 7, 6, 3, on_place, NULL);
        sim_lane_set(&sim.lane, 1, 7);
        sim_lane_set(&sim.lane, 0, 7);
        places = 0;
        ck_assert(sim_run(&sim, 7) == SIM_REACHED_END);
        const int expected[] = {1, 10, 2, 11, 3};
        ck_assert_int_eq(places, 5);
        ck_assert_mem_eq(order, expected, sizeof expected);
        sim_fini(&sim);
    }
}
END_TEST

static bool past[4];

static void on_ask(void *context, uint32_t entity)
{
    (void)context;
    for (uint32_t i = 0; i < 4; i++)
        past[i] = sim_is_past(&sim, sim.origin.now, 3, i);
    ck_assert(sim_is_past(&sim, sim.origin.now - 1, 9, 9));
    ck_assert(!sim_is_past(&sim, sim.origin.now + 1, 0, 0));
    if (entity == 2) /* an earlier rank in the same instant does not turn the clock back */
        (void)sim_queue_schedule(&sim.queue, sim.origin.now, 1, 0, on_ask, NULL);
}

START_TEST(what_is_past)
{
    sim_init(&sim, 1, 0);
    (void)sim_queue_schedule(&sim.queue, 5, 3, 2, on_ask, NULL);
    ck_assert(sim_run(&sim, 4) == SIM_REACHED_END);
    ck_assert(sim_is_past(&sim, 4, 15, 0)); /* all of an instant that sim_run has reached */
    ck_assert(sim_run(&sim, 9) == SIM_REACHED_END);
    ck_assert(past[0] && past[1] && !past[2] && !past[3]);
    sim_fini(&sim);
}
END_TEST

START_TEST(a_time_before_the_clock_stops_the_run)
{
    open_lane(3);
    (void)sim_run(&sim, 10);
    sim_lane_set(&sim.lane, 0, 9);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lane");
    TCase *tcase = tcase_create("lane");
    tcase_add_test(tcase, few_and_many_leave_in_order);
    tcase_add_test(tcase, a_lane_and_a_queue_are_one_order);
    tcase_add_test(tcase, what_is_past);
    tcase_add_exit_test(tcase, a_time_before_the_clock_stops_the_run, 1);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
