#include "models/unit.h"

#include "tests/rig.h"

static struct world world;
static struct config config;

static void open_with(int64_t spares, int64_t standby, int64_t loans)
{
    config = rig_config(CONFIG_ELASTIC_DP);
    config.spares = spares;
    config.standby = standby;
    config.loan_slices = loans;
    rig_open(&world, &config);
}

START_TEST(nothing_is_kept_where_nobody_asks)
{
    open_with(0, 0, 0);
    ck_assert_ptr_null(world.units.unit);
    ck_assert_uint_eq(unit_of_place(&world, 5), 5);
    units_check(&world);
    world_fini(&world);
}
END_TEST

START_TEST(places_first_then_spares_standby_and_loans)
{
    static const int64_t in_state[UNIT_STATE_COUNT] = {
        [UNIT_PLACED] = 8, [UNIT_SPARE] = 2, [UNIT_STANDBY] = 3, [UNIT_ELSEWHERE] = 4};
    open_with(2, 3, 4);
    ck_assert_int_eq(world.units.count, 17);
    for (int i = 0; i < UNIT_STATE_COUNT; i++)
        ck_assert_int_eq(world.units.in_state[i], in_state[i]);
    ck_assert_int_eq(world.units.unit[7].state, UNIT_PLACED);
    ck_assert_int_eq(world.units.unit[8].state, UNIT_SPARE);
    ck_assert_int_eq(world.units.unit[10].state, UNIT_STANDBY);
    ck_assert(!world.units.unit[12].is_borrowed && world.units.unit[13].is_borrowed);
    world_fini(&world);
}
END_TEST

static struct run_transition seen[8];
static int count;

static void on_transition(void *context, const struct run_transition *transition)
{
    (void)context;
    if (strcmp(transition->machine, "unit") == 0 && count < 8)
        seen[count++] = *transition;
}

static const struct run_observer observer = {.on_transition = on_transition};

/* What a log of transitions shows of a failure that a spare makes up for. */
START_TEST(a_swap_is_in_the_log)
{
    static const char *const path[][2] = {
        {"placed", "waiting"}, {"waiting", "repairing"}, {"spare", "placed"}, {"repairing", "spare"}};
    static const int64_t unit[] = {2, 2, 8, 2};
    struct rig_failure failure = {.time = SIM_SECOND / 2, .chip = 16, .delay = 5 * SIM_SECOND};
    open_with(1, 0, 0);
    rig_watch(&world, &observer);
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_int_eq(count, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(seen[i].id, unit[i]);
        ck_assert_str_eq(seen[i].from, path[i][0]);
        ck_assert_str_eq(seen[i].to, path[i][1]);
    }
    world_fini(&world);
}
END_TEST

/* --- ages and lemons go with the hardware --- */

/* Chips that fail after 100 s of service, all together: one slice of 8 and a spare. The slice fails at 100 s and is
 * back 50 s later, when the spare, new at 100, has its place: it is cold, and does not age. The spare fails after 100 s
 * of its own, and the first one comes back into service: the chip that failed is new, the seven others fail at once,
 * one by one. */
static void open_ageing(int64_t spares, int64_t standby)
{
    config = rig_config(CONFIG_ELASTIC_DP);
    config.chips = 8;
    config.spares = spares;
    config.standby = standby;
    rig_add_source(&config, "old", 0, rig_constant(50));
    config.source[0].timing = CONFIG_BY_LIFE;
    config.source[0].life = (struct sim_law){.kind = SIM_LAW_WEIBULL, .parameter = {100, 100}};
    rig_open(&world, &config);
}

static sim_time until(int64_t failures)
{
    while (world.count.failures + world.spares.count.failures < failures)
        (void)sim_run(&world.sim, sim_next_time(&world.sim));
    return world.sim.origin.now;
}

START_TEST(a_spare_is_new_and_ages_in_service_only)
{
    open_ageing(1, 0);
    sim_time first = until(1);
    ck_assert_int_gt(first, 85 * SIM_SECOND);
    ck_assert_int_lt(first, 103 * SIM_SECOND);
    sim_time swapped = first / SIM_SECOND + 1, second = until(2) / SIM_SECOND;
    ck_assert_uint_eq(unit_of_place(&world, 0), 1);
    ck_assert_int_ge(second - swapped, 85); /* new, not as old as the slice whose place it took */
    ck_assert_int_le(second - swapped, 103);
    ck_assert_int_le(until(3) / SIM_SECOND - second,
                     18); /* the other chips of the first slice are as old as they were */
    ck_assert_uint_eq(unit_of_place(&world, 0), 0);
    world_fini(&world);
}
END_TEST

/* On standby it ages like the slice in service: the two fail at about the same time. */
START_TEST(a_slice_on_standby_ages)
{
    open_ageing(0, 1);
    sim_time first = until(1), second = until(2);
    ck_assert_int_ge(first, 85 * SIM_SECOND);
    ck_assert_int_le(second - first, 18 * SIM_SECOND);
    ck_assert_int_eq(world.spares.count.failures + world.count.failures, 2);
    world_fini(&world);
}
END_TEST

static int64_t lemons_left(void)
{
    int64_t left = 0;
    for (int64_t i = 0; i < world.units.count; i++)
        left += world.source[0].lemon_chips[i];
    return left;
}

/* Half of all chips, those of spares and loans too. */
START_TEST(spares_have_their_share_of_lemons)
{
    config = rig_config(CONFIG_ELASTIC_DP);
    config.chips = 6400;
    config.spares = 100;
    config.loan_slices = 50;
    rig_add_source(&config, "chip", 1e12, rig_constant(0));
    config.source[0].lemon_share = 0.5;
    config.source[0].lemon_factor = 3;
    rig_open(&world, &config);
    ck_assert_int_eq(lemons_left(), 3200 + 600);
    world_fini(&world);
}
END_TEST

/* Only lemons fail, almost: with stages that mend, each of them once; with stages that never do, they stay. */
START_TEST(a_lemon_that_is_mended_is_none)
{
    config = rig_config(CONFIG_ELASTIC_DP);
    config.duration_ns = 100000 * SIM_SECOND;
    config.chips_per_slice = 1;
    config.stage_count = 1;
    config.stage[0] = (struct config_stage){.name = "only", .takes = rig_constant(1), .success = _i};
    rig_add_source(&config, "chip", 1e6, rig_constant(0));
    config.source[0].lemon_share = 0.25;
    config.source[0].lemon_factor = 1000;
    rig_open(&world, &config);
    rig_finish(&world);
    ck_assert_int_eq(lemons_left(), _i == 1 ? 0 : 16);
    if (_i == 1)
        ck_assert_int_lt(world.count.failures, 16 + 20); /* and 64 x 0.1 of the others */
    else
        ck_assert_int_gt(world.count.failures, 16 * 80);
    world_fini(&world);
}
END_TEST

/* A class that begins in the middle of a slice, chips 4 to 7 of 8: half of its four chips are lemons, and fail 100
 * times as often, as many as 202 normal ones. */
START_TEST(lemons_of_half_a_slice)
{
    config = rig_config(CONFIG_ELASTIC_DP);
    config.duration_ns = 1000000 * SIM_SECOND;
    config.chips = 8;
    config.crews = 1;
    config.class_count = 2;
    config.class[0] = (struct config_class){.name = "a", .share = 0.5, .speed = 1};
    config.class[1] = (struct config_class){.name = "b", .share = 0.5, .speed = 1};
    rig_add_source(&config, "chip", 1e6, rig_constant(0));
    config.source[0].lemon_share = 0.5;
    config.source[0].lemon_factor = 100;
    (void)strcpy(config.source[0].only_class, "b");
    rig_open(&world, &config);
    ck_assert_int_eq(world.source[0].scope.range[0].first, 4);
    rig_finish(&world);
    ck_assert_int_gt(world.count.failures, 202 - 4 * 14);
    ck_assert_int_lt(world.count.failures, 202 + 4 * 14);
    world_fini(&world);
}
END_TEST

/* Slices of eight chips and of one, and spares of eight, all lemons that fail 100 times as often: who stands in the
 * place of one chip fails as one, not as eight. At most 900 failures are due; the first unit of the small place, a
 * single chip, makes them fewer whenever it stands in the large one. */
START_TEST(lemons_that_have_no_room)
{
    config = rig_config(CONFIG_ELASTIC_DP);
    config.duration_ns = 1000000 * SIM_SECOND;
    config.chips = 9;
    config.spares = 40;
    rig_add_source(&config, "chip", 1e6, rig_constant(100));
    config.source[0].lemon_share = 1;
    config.source[0].lemon_factor = 100;
    rig_open(&world, &config);
    ck_assert_int_eq(fleet_slice_chips(&world.fleet, 1), 1);
    rig_finish(&world);
    ck_assert_int_gt(world.count.failures, 600);
    ck_assert_int_lt(world.count.failures, 900 + 4 * 30);
    world_fini(&world);
}
END_TEST

/* Spares have lemons of their own, which fail at times of their own: those of the fleet fail when they did without. */
START_TEST(spares_leave_the_failures_of_lemons_alone)
{
    sim_time at[2][3];
    for (int64_t spares = 0; spares <= 1; spares++) {
        config = rig_config(CONFIG_ELASTIC_DP);
        config.chips = 800;
        config.spares = 1 + 40 * spares;
        rig_add_source(&config, "chip", 1e3, rig_constant(0));
        config.source[0].lemon_share = 0.5;
        config.source[0].lemon_factor = 3;
        rig_open(&world, &config);
        for (int kind = 0; kind < FAILURES_PROCESSES; kind++)
            at[spares][kind] = world.source[0].process[kind].at[0];
        world_fini(&world);
    }
    ck_assert_int_eq(at[0][FAILURES_OF_PLACES], at[1][FAILURES_OF_PLACES]);
    ck_assert_int_eq(at[0][FAILURES_OF_LEMONS], at[1][FAILURES_OF_LEMONS]);
    ck_assert_int_ne(at[0][FAILURES_OF_LEMONS_BESIDE], at[1][FAILURES_OF_LEMONS_BESIDE]);
}
END_TEST

START_TEST(a_spare_does_not_fail)
{
    open_with(1, 0, 0);
    unit_set_state(&world, 8, UNIT_WAITING);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("unit");
    TCase *tcase = tcase_create("unit");
    tcase_add_test(tcase, nothing_is_kept_where_nobody_asks);
    tcase_add_test(tcase, places_first_then_spares_standby_and_loans);
    tcase_add_test(tcase, a_swap_is_in_the_log);
    tcase_add_test(tcase, a_spare_is_new_and_ages_in_service_only);
    tcase_add_test(tcase, a_slice_on_standby_ages);
    tcase_add_test(tcase, spares_have_their_share_of_lemons);
    tcase_add_loop_test(tcase, a_lemon_that_is_mended_is_none, 0, 2);
    tcase_add_test(tcase, lemons_of_half_a_slice);
    tcase_add_test(tcase, lemons_that_have_no_room);
    tcase_add_test(tcase, spares_leave_the_failures_of_lemons_alone);
    tcase_add_exit_test(tcase, a_spare_does_not_fail, 1);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
