/* The arrivals of a Poisson process: the same however many are drawn ahead, at the rate asked for, none past the end.
 */
#include "sim/poisson.h"

#include <math.h>

#include "sim/loop.h"
#include "tests/rig.h"

enum { MANY = 1000 };

static struct sim sim;
static struct sim_poisson process;
static struct sim_arrival seen[MANY];
static int count;

static void on_arrival(void *context, uint32_t entity)
{
    ck_assert_ptr_eq(context, &sim);
    ck_assert_uint_eq(entity, 9);
    struct sim_arrival arrival = sim_poisson_take(&process);
    ck_assert_int_eq(arrival.at, sim.origin.now);
    ck_assert(arrival.mark > 0 && arrival.mark < 1);
    if (count < MANY)
        seen[count] = arrival;
    count++;
}

static void begin(double mean_gap_ns, sim_time end, unsigned ahead)
{
    sim_init(&sim, 1, 0);
    sim.guard_ns = 1;
    sim_lane_init(&sim.lane, &sim.queue, 2);
    sim_lane_register(&sim.lane, 1, 3, 9, on_arrival, &sim);
    process = (struct sim_poisson){
        .lane = &sim.lane, .slot = 1, .mean_gap_ns = mean_gap_ns, .end = end, .ahead_max = ahead, .number = 100};
    sim_stream_init(&process.stream, &sim.origin, 1, 2);
    count = 0;
    sim_poisson_start(&process, 0);
}

START_TEST(drawn_ahead_or_not)
{
    static const unsigned ahead[] = {1, 2, 7, 31, SIM_POISSON_AHEAD_MAX};
    static struct sim_arrival one_by_one[MANY];
    begin(1000, 500000, 1);
    ck_assert_int_eq(sim_run(&sim, SIM_TIME_NEVER - 1), SIM_REACHED_END);
    int expected = count;
    ck_assert_int_gt(expected, 400);
    memcpy(one_by_one, seen, sizeof seen);
    sim_fini(&sim);
    begin(1000, 500000, ahead[_i]);
    (void)sim_run(&sim, SIM_TIME_NEVER - 1);
    ck_assert_int_eq(count, expected);
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(seen[i].at, one_by_one[i].at);
        ck_assert_double_eq(seen[i].mark, one_by_one[i].mark);
        ck_assert_uint_eq(seen[i].number, 100 + (uint64_t)i);
        ck_assert_int_le(seen[i].at, 500000);
    }
    sim_fini(&sim);
}
END_TEST

/* Gaps shorter than a nanosecond, whose fractions add up: 1e6 of them take 0.7e6 ns, but for four standard errors. */
START_TEST(the_rate_does_not_drift)
{
    begin(0.7, 700000, SIM_POISSON_AHEAD_MAX);
    (void)sim_run(&sim, 700000);
    ck_assert_double_eq_tol(count, 1e6, 4 * sqrt(1e6));
    sim_fini(&sim);
}
END_TEST

/* Of nothing, and of so few that the first comes after the end of time. */
START_TEST(never)
{
    begin(_i == 0 ? INFINITY : 1e300, 1000, SIM_POISSON_AHEAD_MAX);
    ck_assert_int_eq(sim_run(&sim, SIM_TIME_NEVER - 1), SIM_REACHED_END);
    ck_assert_int_eq(count, 0);
    sim_fini(&sim);
}
END_TEST

/* What was drawn ahead is forgotten: one way on meets others than the other, both the same until then. */
START_TEST(another_branch)
{
    static struct sim_arrival first[MANY];
    for (uint64_t branch = 1; branch <= 2; branch++) {
        begin(1000, 100000, SIM_POISSON_AHEAD_MAX);
        (void)sim_run(&sim, 50000);
        int before = count;
        sim_poisson_branch(&process, sim.origin.now, branch);
        (void)sim_run(&sim, 100000);
        ck_assert_int_gt(before, 20);
        ck_assert_int_gt(count, before + 20);
        ck_assert_int_gt(seen[before].at, 50000);
        ck_assert_uint_eq(seen[before].number, 100 + (uint64_t)before);
        for (int i = 0; i < before && branch == 2; i++)
            ck_assert_int_eq(seen[i].at, first[i].at);
        if (branch == 2)
            ck_assert_int_ne(seen[before].at, first[before].at);
        memcpy(first, seen, sizeof seen);
        sim_fini(&sim);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("poisson");
    TCase *tcase = tcase_create("poisson");
    tcase_add_loop_test(tcase, drawn_ahead_or_not, 0, 5);
    tcase_add_test(tcase, the_rate_does_not_drift);
    tcase_add_loop_test(tcase, never, 0, 2);
    tcase_add_test(tcase, another_branch);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
