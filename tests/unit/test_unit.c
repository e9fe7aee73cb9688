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
    world.observer = &observer;
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
    tcase_add_exit_test(tcase, a_spare_does_not_fail, 1);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
