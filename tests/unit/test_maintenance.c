/* Maintenance: calendars to the nanosecond, who is held and for how long, and what it leaves alone. */
#include "tests/rig.h"

static struct world world;
static struct config config;
static char heard[2000];

/* What slices do, but for those in the middle of a learner's own business. */
static void on_transition(void *context, const struct run_transition *transition)
{
    (void)context;
    size_t used = strlen(heard);
    if (strcmp(transition->machine, "slice") == 0)
        (void)snprintf(heard + used, sizeof heard - used, "%lld:%lld>%s ", (long long)transition->time_ns,
                       (long long)transition->id, transition->to);
}

static const struct run_observer observer = {.on_transition = on_transition};

/* Six slices of 4 chips, steps of 10 ns, no cost of anything. Maintenance of all from 33 to 54, every 100. */
static void setup(void)
{
    config = rig_config(CONFIG_ELASTIC_DP);
    config.duration_ns = 100;
    config.chips = 24;
    config.chips_per_slice = 4;
    config.step_time_ns = 10;
    config.downscale_ns = config.upscale_ns = config.restart_ns = 0;
    config.source_count = 1;
    config.source[0] = (struct config_source){.name = "patch",
                                              .kind = CONFIG_SOURCE_MAINTENANCE,
                                              .calendar_every_ns = 100,
                                              .calendar_from_ns = 33,
                                              .calendar_lasts_ns = 21};
}

static void only_class(const char *name, double before, double share)
{
    config.class_count = 3;
    config.class[0] = (struct config_class){"a", before, 1};
    config.class[1] = (struct config_class){"b", share, 1};
    config.class[2] = (struct config_class){"c", 1 - before - share, 1};
    (void)strcpy(config.source[0].only_class, name);
}

static void open(void)
{
    struct config_fault fault;
    if (!config_check(&config, &fault))
        ck_abort_msg("%s: %s", fault.key, fault.why);
    const struct run_request request = {.config = &config, .seed = 1, .observer = &observer};
    heard[0] = '\0';
    world_init(&world, &request);
}

static void play(const char *expected)
{
    open();
    rig_finish(&world);
    if (expected)
        ck_assert_str_eq(heard, expected);
    world_fini(&world);
}

/* One slice of the middle: it leaves at 33, its learner lets go at the end of the step at 40, it is ready at 54 and in
 * at 60. A second turn from 133 to 154. Whatever elastic.noticed says no step is lost. */
START_TEST(a_calendar_to_the_nanosecond)
{
    config.noticed = (enum config_noticed)_i;
    config.duration_ns = 200;
    only_class("b", 0.5, 1 / 6.0);
    open();
    rig_finish(&world);
    ck_assert_str_eq(heard, "33:3>leaving 40:3>maintained 54:3>ready 60:3>active "
                            "133:3>leaving 140:3>maintained 154:3>ready 160:3>active ");
    ck_assert_int_eq(world.count.maintenances, 2);
    ck_assert_int_eq(world.count.failures, 0);
    ck_assert_int_eq(world.count.interruptions, 2);
    ck_assert_int_eq(world.learner[0].count.steps, 20);
    ck_assert(rig_bucket(&world, RUN_BUCKET_lost) == 0);
    ck_assert(rig_bucket(&world, RUN_BUCKET_away) == 2 * 4 * 20);
    world_fini(&world);
}
END_TEST

/* Domains of 6 chips: 0 to 5 are slices 0 and 1, 6 to 11 slices 1 and 2, one each 8 ns. Slice 1 is held until both are
 * over. */
START_TEST(domains_roll)
{
    only_class("a", 0.5, 0.25); /* chips 0 to 11 */
    config.source[0].domain_chips = 6;
    config.source[0].calendar_lasts_ns = 12;
    config.source[0].rolling_ns = 8;
    play("33:0>leaving 33:1>leaving 40:1>maintained 40:0>maintained 41:2>leaving 45:0>ready 50:2>maintained "
         "50:0>active 53:1>ready 53:2>ready 60:1>active 60:2>active ");
    config.source[0].rolling_ns = 0; /* as long as it lasts: 33 to 45, 45 to 57 */
    play("33:0>leaving 33:1>leaving 40:1>maintained 40:0>maintained 45:0>ready 45:1>ready 45:2>leaving "
         "45:1>maintained 50:2>maintained 50:0>active 57:1>ready 57:2>ready 60:1>active 60:2>active ");
}
END_TEST

/* Over before the learner lets go: as with a failure that is mended, the pauses are due. */
START_TEST(shorter_than_a_step)
{
    only_class("b", 0.5, 1 / 6.0);
    config.source[0].calendar_lasts_ns = 2;
    play("33:3>leaving 35:3>mended 40:3>ready 40:3>active ");
}
END_TEST

/* A failure at 31 takes slice 3 out at 40. Repaired at 45, it waits for the end of the maintenance; repaired at 75 it
 * returns then. In either case it did not leave: it was gone. */
START_TEST(a_repair_that_ends_meanwhile_waits)
{
    static struct rig_failure failure;
    only_class("b", 0.5, 1 / 6.0);
    failure = (struct rig_failure){.time = 31, .chip = 12, .delay = _i ? 44 : 14};
    open();
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_str_eq(heard, _i ? "31:3>failed 40:3>away 75:3>ready 80:3>active "
                               : "31:3>failed 40:3>away 45:3>ready 45:3>maintained 54:3>ready 60:3>active ");
    ck_assert_int_eq(world.count.maintenances, 0);
    world_fini(&world);
}
END_TEST

/* All six are needed. Slice 0 fails at 5 and is back at 6; from 10 to 14 the learner downscales and from 14 to 18 it
 * upscales, without slice 0: that is held from 12 to 33. Slice 1 fails at 16, for 4, which would have been handled
 * after the next step: as there is none, its learner lets go of it at 18, when it has too few. */
START_TEST(what_failed_in_a_pause_does_not_wait_for_a_step_that_never_comes)
{
    static struct rig_failure failure[2];
    only_class("a", 1 / 6.0, 0.5);
    config.overlap = CONFIG_NEXT_STEP;
    config.min_share = 1;
    config.downscale_ns = config.upscale_ns = 4;
    config.source[0].calendar_from_ns = 12;
    failure[0] = (struct rig_failure){.time = 5, .chip = 0, .delay = 1};
    failure[1] = (struct rig_failure){.time = 16, .chip = 4, .delay = 4};
    open();
    rig_schedule(&world, &failure[0]);
    rig_schedule(&world, &failure[1]);
    rig_finish(&world);
    ck_assert_str_eq(heard, "5:0>failed 6:0>mended 10:0>ready 12:0>maintained 16:1>failed 18:1>away 20:1>ready "
                            "33:0>ready 33:1>active 33:0>active ");
    world_fini(&world);
}
END_TEST

/* Failed at 1, back at 12, it waits for upscales to gather. It is held from 33 on, and in again after that. */
START_TEST(who_waits_to_rejoin_is_held)
{
    static struct rig_failure failure[2];
    only_class("b", 0.5, 1 / 6.0);
    config.upscale_every_ns = 30;
    failure[0] = (struct rig_failure){.time = 1, .chip = 0, .delay = 2};
    failure[1] = (struct rig_failure){.time = 11, .chip = 12, .delay = 2};
    open();
    rig_schedule(&world, &failure[0]);
    rig_schedule(&world, &failure[1]);
    rig_finish(&world);
    ck_assert_str_eq(heard, "1:0>failed 3:0>mended 10:0>ready 10:0>active 11:3>failed 13:3>mended 20:3>ready "
                            "33:3>maintained 54:3>ready 60:3>active ");
    world_fini(&world);
}
END_TEST

/* Chips that are held do not fail, and need neither crews nor spares. */
START_TEST(it_uses_nothing)
{
    static struct rig_failure failure[2];
    only_class("b", 0.5, 1 / 6.0);
    config.crews = 1;
    config.spares = 2;
    failure[0] = (struct rig_failure){.time = 35, .chip = 12, .delay = 5};
    failure[1] = (struct rig_failure){.time = 45, .chip = 12, .delay = 5};
    open();
    rig_schedule(&world, &failure[0]);
    rig_schedule(&world, &failure[1]);
    rig_finish(&world);
    ck_assert_int_eq(world.count.failures, 0);
    ck_assert_int_eq(world.count.repairs, 0);
    ck_assert_int_eq(world.spares.count.used, 0);
    ck_assert_int_eq(world.units.in_state[UNIT_SPARE], 2);
    world_fini(&world);
}
END_TEST

/* A spare takes the place of a slice that failed just before, at 31; the place stays out until 54. */
START_TEST(a_spare_in_a_held_place_waits)
{
    static struct rig_failure failure;
    only_class("b", 0.5, 1 / 6.0);
    config.spares = 1;
    failure = (struct rig_failure){.time = 31, .chip = 12, .delay = SIM_TIME_NEVER};
    open();
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_str_eq(heard, "31:3>failed 40:3>active 40:3>leaving 40:3>maintained 54:3>ready 60:3>active ");
    world_fini(&world);
}
END_TEST

/* A job that is not elastic waits until it is whole. It saves its state first, from 40 to 43; nothing is lost. What
 * fails while it waits is replaced by its restart. */
START_TEST(a_job_saves_and_waits)
{
    static struct rig_failure failure;
    only_class("b", 0.5, 1 / 6.0);
    config.method = CONFIG_DP;
    config.restart_ns = 5;
    config.checkpoint_every_ns = 10000;
    config.checkpoint_cost_ns = 3;
    config.checkpoint_restore_ns = 2;
    failure = (struct rig_failure){.time = 50, .chip = 0, .delay = SIM_TIME_NEVER};
    open();
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_int_eq(world.count.checkpoints, 1);
    ck_assert_int_eq(world.learner[0].count.steps_lost, 0);
    ck_assert(rig_bucket(&world, RUN_BUCKET_checkpoint) == 24 * 3);
    ck_assert(rig_bucket(&world, RUN_BUCKET_lost) == 0);
    ck_assert(rig_bucket(&world, RUN_BUCKET_away) == 24 * (54 - 43));
    ck_assert(rig_bucket(&world, RUN_BUCKET_restart) == 24 * (5 + 2));
    ck_assert_int_eq(world.learner[0].count.steps, 4 + 3); /* 61, 71, 81, 91 */
    ck_assert_int_eq(world.learner[0].chips_present, 24);
    world_fini(&world);
}
END_TEST

/* Preempted from 20 to 45, the learner finds its slice held when it is given back; to 70, it finds it sound. */
START_TEST(a_preempted_learner_finds_out_later)
{
    static struct rig_absence absence;
    only_class("b", 0.5, 1 / 6.0);
    absence = (struct rig_absence){.from = 20, .until = _i ? 70 : 45};
    open();
    rig_preempt(&world, &absence);
    rig_finish(&world);
    ck_assert_str_eq(heard, _i ? "" : "45:3>leaving 45:3>maintained 54:3>ready 55:3>active ");
    ck_assert_int_eq(world.in_service.value, 24);
    world_fini(&world);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("maintenance");
    TCase *tcase = tcase_create("maintenance");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_loop_test(tcase, a_calendar_to_the_nanosecond, 0, CONFIG_NOTICED_COUNT);
    tcase_add_test(tcase, domains_roll);
    tcase_add_test(tcase, shorter_than_a_step);
    tcase_add_loop_test(tcase, a_repair_that_ends_meanwhile_waits, 0, 2);
    tcase_add_test(tcase, what_failed_in_a_pause_does_not_wait_for_a_step_that_never_comes);
    tcase_add_test(tcase, who_waits_to_rejoin_is_held);
    tcase_add_test(tcase, it_uses_nothing);
    tcase_add_test(tcase, a_spare_in_a_held_place_waits);
    tcase_add_test(tcase, a_job_saves_and_waits);
    tcase_add_loop_test(tcase, a_preempted_learner_finds_out_later, 0, 2);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
