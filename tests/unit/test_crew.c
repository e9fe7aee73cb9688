#include "models/crew.h"

#include "tests/rig.h"

static struct world world;
static struct config config;
static struct crew crew;

static void setup(void)
{
    config = rig_config(CONFIG_ELASTIC_DP);
    config.crews = 2;
    rig_open(&world, &config);
    crew_init(&crew, &world.sim.origin, 2);
}

static void teardown(void)
{
    world_fini(&world);
}

START_TEST(first_come_first_served)
{
    ck_assert(crew_join(&world, &crew, 5));
    ck_assert(crew_join(&world, &crew, 3));
    ck_assert(!crew_join(&world, &crew, 4));
    ck_assert(!crew_join(&world, &crew, 1));
    ck_assert_uint_eq(crew_leave(&world, &crew), 4);
    ck_assert(!crew_join(&world, &crew, 0)); /* nobody passes those in line */
    ck_assert_uint_eq(crew_leave(&world, &crew), 1);
    ck_assert_uint_eq(crew_leave(&world, &crew), 0);
    ck_assert_uint_eq(crew_leave(&world, &crew), UNIT_NONE);
    ck_assert_int_eq(crew.busy.value, 1);
    ck_assert_int_eq(crew.started, 5);
}
END_TEST

START_TEST(waits_and_work_are_counted)
{
    (void)crew_join(&world, &crew, 0);
    (void)crew_join(&world, &crew, 1);
    world.sim.origin.now = 10;
    (void)crew_join(&world, &crew, 2);
    world.sim.origin.now = 40;
    (void)crew_leave(&world, &crew);
    ck_assert_int_eq((int64_t)crew.waited_ns, 30);
    world.sim.origin.now = 50;
    (void)crew_leave(&world, &crew);
    world.sim.origin.now = 100;
    ck_assert_double_eq(sim_level_mean(&crew.busy), 1.5);
    crew_reset_counts(&crew);
    world.sim.origin.now = 110;
    ck_assert_int_eq(crew.started, 0);
    ck_assert_int_eq((int64_t)crew.waited_ns, 0);
    ck_assert_double_eq(sim_level_mean(&crew.busy), 1); /* still at work */
}
END_TEST

START_TEST(without_a_limit_nobody_waits)
{
    crew_init(&crew, &world.sim.origin, 0);
    for (uint32_t unit = 0; unit < 8; unit++)
        ck_assert(crew_join(&world, &crew, unit));
    ck_assert_uint_eq(crew_leave(&world, &crew), UNIT_NONE);
    ck_assert_int_eq(crew.busy.value, 7);
}
END_TEST

START_TEST(a_crew_that_is_not_busy_cannot_leave)
{
    (void)crew_leave(&world, &crew);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("crew");
    TCase *tcase = tcase_create("crew");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, first_come_first_served);
    tcase_add_test(tcase, waits_and_work_are_counted);
    tcase_add_test(tcase, without_a_limit_nobody_waits);
    tcase_add_exit_test(tcase, a_crew_that_is_not_busy_cannot_leave, 1);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
