#include "models/repair.h"
#include "tests/rig.h"

static struct world world;
static struct config config;
static struct failure_source source;

static void setup(void)
{
    config = rig_config(CONFIG_ELASTIC_DP);
    rig_add_source(&config, "chip", 1e12, rig_exponential(50));
    rig_open(&world, &config);
    source = (struct failure_source){.world = &world, .config = &config.source[0], .identity = 77};
}

static void teardown(void)
{
    world_fini(&world);
}

static sim_time delay_of(uint64_t identity, uint64_t number)
{
    double u = sim_uniform_at(&world.sim.origin, WORLD_STREAM_RETURN, identity, number);
    return sim_time_after(0, sim_law_quantile(&config.source[0].return_after, u));
}

/* Runs until the slice has come back, and says when. */
static sim_time return_of(uint32_t slice)
{
    while (slice_state(&world, slice) == SLICE_FAILED || slice_state(&world, slice) == SLICE_AWAY)
        (void)sim_run(&world.sim, sim_next_time(&world.sim));
    return world.sim.origin.now;
}

/* Numbers far apart and out of order: each has its own draw, whoever failed before. */
START_TEST(the_delay_is_addressed_by_the_failure)
{
    static const uint64_t number[] = {5, 4, 1000003};
    for (int64_t i = 0; i < 3; i++) {
        sim_time failed = world.sim.origin.now;
        ck_assert_int_ne(delay_of(77, number[i]), delay_of(78, number[i]));
        world_fail_chip(&world, &source, i * 8, number[i]);
        ck_assert_int_eq(return_of((uint32_t)i) - failed, delay_of(77, number[i]));
    }
}
END_TEST

static void fail_with(double delay_s)
{
    config.source[0].return_after = rig_constant(delay_s);
    world_fail_chip(&world, &source, 0, 0);
    rig_finish(&world);
}

START_TEST(a_return_at_the_end_of_the_run_happens)
{
    fail_with(1000);
    ck_assert_int_eq(world.count.repairs, 1);
    ck_assert_int_eq((int)slice_state(&world, 0), SLICE_ACTIVE); /* a step ended then, too */
}
END_TEST

START_TEST(a_return_after_the_end_is_never)
{
    fail_with(1000.000000001);
    ck_assert_int_eq(world.count.repairs, 0);
    ck_assert_int_eq((int)slice_state(&world, 0), SLICE_AWAY);
}
END_TEST

START_TEST(a_return_after_the_end_of_time_is_never)
{
    fail_with(1e15);
    ck_assert_int_eq(world.count.repairs, 0);
}
END_TEST

/* --- followed one by one --- */

static void reopen(void)
{
    world_fini(&world);
    rig_open(&world, &config);
    source.world = &world;
}

/* One crew, three failures of 10 s at once: back after 10, 20 and 30 s, in their order. */
START_TEST(who_finds_no_crew_waits_in_line)
{
    config.crews = 1;
    config.source[0].return_after = rig_constant(10);
    reopen();
    for (int64_t i = 0; i < 3; i++)
        world_fail_chip(&world, &source, (2 - i) * 8, (uint64_t)i);
    ck_assert_int_eq(return_of(2), 10 * SIM_SECOND);
    ck_assert_int_eq(return_of(1), 20 * SIM_SECOND);
    ck_assert_int_eq(return_of(0), 30 * SIM_SECOND);
    ck_assert_double_eq(repair_wait_s(&world), 10);
    units_check(&world);
}
END_TEST

/* With crews for all, the same failure takes the same time as without. */
START_TEST(crews_for_all_change_no_delay)
{
    config.crews = 8;
    reopen();
    for (int64_t i = 0; i < 3; i++) {
        sim_time failed = world.sim.origin.now;
        world_fail_chip(&world, &source, i * 8, 40 + (uint64_t)i);
        ck_assert_int_eq(return_of((uint32_t)i) - failed, delay_of(77, 40 + (uint64_t)i));
    }
}
END_TEST

static void advance_to(double at_s)
{
    (void)sim_run(&world.sim, (sim_time)(at_s * 1e9));
}

/* Three failures within 100 s, the last included: not at 0, 60 and 101 s, but at 60, 101 and 160 s. */
START_TEST(the_third_failure_within_a_span_is_the_last)
{
    static const double at_s[] = {0, 60, 101, 160};
    config.retire_failures = 3;
    config.retire_within_ns = 100 * SIM_SECOND;
    config.source[0].return_after = rig_constant(1);
    reopen();
    for (uint64_t i = 0; i < 4; i++) {
        advance_to(at_s[i]);
        ck_assert_int_eq(world.repair.count.retired, 0);
        world_fail_chip(&world, &source, 0, i);
    }
    ck_assert_int_eq(world.repair.count.retired, 1);
    rig_finish(&world);
    ck_assert_int_eq((int)slice_state(&world, 0), SLICE_AWAY);
    ck_assert_int_eq(world.units.in_state[UNIT_RETIRED], 1);
    ck_assert_int_eq(world.count.repairs, 3);
}
END_TEST

/* Every failure takes another slice out; the one that failed goes on, and fails again after 7 s in service, and so on.
 */
START_TEST(the_wrong_slice_is_taken_out)
{
    config.misdiagnosis = 1;
    config.relapse = rig_constant(7);
    config.source[0].return_after = rig_constant(1000);
    reopen();
    world_fail_chip(&world, &source, 0, 0);
    ck_assert_int_eq((int)slice_state(&world, 0), SLICE_ACTIVE);
    ck_assert_int_eq(world.in_service.value, 56);
    advance_to(6.9);
    ck_assert_int_eq(world.count.failures, 1);
    advance_to(7.1);
    ck_assert_int_eq(world.count.failures, 2);
    ck_assert_int_eq(world.in_service.value, 48);
    advance_to(50); /* nobody else is left to take out: the eighth time it is the right one */
    ck_assert_int_eq(world.count.failures, 8);
    ck_assert_int_eq(world.in_service.value, 0);
    units_check(&world);
}
END_TEST

/* A slice that comes back unmended fails again after 5 s of service: 10 s in repair, then steps until U ends, then 5 s.
 * A preemption of 100 s in between does not count. */
START_TEST(an_unmended_slice_fails_again_after_so_much_service)
{
    config.stage_count = 1;
    config.stage[0] = (struct config_stage){.name = "only", .takes = rig_constant(10), .success = 0};
    config.relapse = rig_constant(5);
    config.upscale_ns = 0;
    reopen();
    world_fail_chip(&world, &source, 0, 0);
    advance_to(12);
    ck_assert_int_eq((int)slice_state(&world, 0), SLICE_ACTIVE); /* since 10, when a step ended */
    world_preempt(&world, 0);
    advance_to(112);
    world_grant(&world, 0);
    advance_to(114.9);
    ck_assert_int_eq(world.count.failures, 1);
    advance_to(115.1);
    ck_assert_int_eq(world.count.failures, 2);
    ck_assert_int_eq(world.repair.count.unmended, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("repair");
    TCase *tcase = tcase_create("repair");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, the_delay_is_addressed_by_the_failure);
    tcase_add_test(tcase, a_return_at_the_end_of_the_run_happens);
    tcase_add_test(tcase, a_return_after_the_end_is_never);
    tcase_add_test(tcase, a_return_after_the_end_of_time_is_never);
    tcase_add_test(tcase, who_finds_no_crew_waits_in_line);
    tcase_add_test(tcase, crews_for_all_change_no_delay);
    tcase_add_test(tcase, the_third_failure_within_a_span_is_the_last);
    tcase_add_test(tcase, the_wrong_slice_is_taken_out);
    tcase_add_test(tcase, an_unmended_slice_fails_again_after_so_much_service);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
