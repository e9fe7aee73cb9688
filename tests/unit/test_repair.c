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
        (void)sim_run(&world.sim, sim_queue_next_time(&world.sim.queue));
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

int main(void)
{
    Suite *suite = suite_create("repair");
    TCase *tcase = tcase_create("repair");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, the_delay_is_addressed_by_the_failure);
    tcase_add_test(tcase, a_return_at_the_end_of_the_run_happens);
    tcase_add_test(tcase, a_return_after_the_end_is_never);
    tcase_add_test(tcase, a_return_after_the_end_of_time_is_never);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
