#include "tests/rig.h"

static struct world world;
static struct config config;
static char log_text[400];

static void on_transition(void *context, const struct run_transition *transition)
{
    (void)context;
    size_t used = strlen(log_text);
    (void)snprintf(log_text + used, sizeof log_text - used, "%lld %s %lld %s>%s (%s);", (long long)transition->time_ns,
                   transition->machine, (long long)transition->id, transition->from, transition->to, transition->cause);
}

static const struct run_observer observer = {.on_transition = on_transition};

static void setup(void)
{
    config = rig_config(CONFIG_ELASTIC_DP);
    config.chips = 19; /* slices of 8, 8 and 3 */
    rig_open(&world, &config);
    log_text[0] = '\0';
}

static void teardown(void)
{
    world_fini(&world);
}

START_TEST(lists_count_their_chips)
{
    struct slice_list list;
    slice_list_init(&list);
    ck_assert(slice_list_is_empty(&list));
    ck_assert_uint_eq(slice_list_pop(&world, &list), SLICE_NONE);
    slice_list_push(&world, &list, 0);
    slice_list_push(&world, &list, 2);
    ck_assert_int_eq(list.chips, 11);
    ck_assert(!slice_list_is_empty(&list));
    uint32_t first = slice_list_pop(&world, &list), second = slice_list_pop(&world, &list);
    ck_assert_uint_eq(first + second, 2);
    ck_assert_uint_ne(first, second);
    ck_assert_int_eq(list.chips, 0);
    ck_assert(slice_list_is_empty(&list));
    ck_assert_uint_eq(slice_list_pop(&world, &list), SLICE_NONE);
}
END_TEST

START_TEST(a_life_is_observed)
{
    rig_watch(&world, &observer);
    slice_step(&world, 1, SLICE_FAIL);
    slice_step(&world, 1, SLICE_MEND);
    slice_step(&world, 1, SLICE_DROP);
    slice_step(&world, 1, SLICE_JOIN);
    ck_assert_str_eq(log_text, "0 slice 1 active>failed (chip failed);0 slice 1 failed>mended (repaired);"
                               "0 slice 1 mended>ready (learner lets go);0 slice 1 ready>active (learner takes in);");
    ck_assert_int_eq((int)slice_state(&world, 1), SLICE_ACTIVE);
    ck_assert_int_eq((int)slice_state(&world, 0), SLICE_ACTIVE);
}
END_TEST

START_TEST(repair_of_a_slice_in_service_stops)
{
    slice_step(&world, 0, SLICE_MEND);
}
END_TEST

START_TEST(joining_from_away_stops)
{
    slice_step(&world, 0, SLICE_FAIL);
    slice_step(&world, 0, SLICE_DROP);
    slice_step(&world, 0, SLICE_JOIN);
}
END_TEST

/* The last chip of the fleet lies in the small slice; the chips away are those of that slice. */
START_TEST(a_chip_takes_its_whole_slice_and_no_other)
{
    static struct rig_failure failure = {.time = SIM_SECOND / 2, .chip = 18, .delay = SIM_TIME_NEVER};
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_int_eq((int)slice_state(&world, 2), SLICE_AWAY);
    ck_assert_int_eq((int)slice_state(&world, 1), SLICE_ACTIVE);
    ck_assert(rig_bucket(&world, RUN_BUCKET_away) == 3 * 999 * (sim_chip_time)SIM_SECOND);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("slice");
    TCase *tcase = tcase_create("slice");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, lists_count_their_chips);
    tcase_add_test(tcase, a_life_is_observed);
    tcase_add_exit_test(tcase, repair_of_a_slice_in_service_stops, 1);
    tcase_add_exit_test(tcase, joining_from_away_stops, 1);
    tcase_add_test(tcase, a_chip_takes_its_whole_slice_and_no_other);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
