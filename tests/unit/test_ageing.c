/* The service clock by hand: chips whose life is a number, so that each failure is known to the nanosecond. */
#include "tests/rig.h"

enum { FAILURES_MAX = 32 };

static struct world world;
static struct config config;
static struct {
    sim_time time;
    int64_t slice;
} failure[FAILURES_MAX];
static int failures;

static void on_transition(void *context, const struct run_transition *transition)
{
    (void)context;
    if (strcmp(transition->machine, "slice") != 0 || strcmp(transition->cause, "chip failed") != 0)
        return;
    ck_assert_int_lt(failures, FAILURES_MAX);
    failure[failures].time = transition->time_ns;
    failure[failures++].slice = transition->id;
}

static const struct run_observer observer = {.on_transition = on_transition};

/* Two slices of two chips that live for 100 ns; whoever fails is back after 7. Nothing else takes time. */
static void setup(void)
{
    config = rig_config(CONFIG_ELASTIC_DP);
    config.duration_ns = 300;
    config.chips = 4;
    config.chips_per_slice = 2;
    config.step_time_ns = 10;
    config.noticed = CONFIG_AT_ONCE;
    config.downscale_ns = config.upscale_ns = 0;
    rig_add_source(&config, "old", 0, rig_constant(7e-9));
    config.source[0].timing = CONFIG_BY_LIFE;
    config.source[0].life = rig_constant(100e-9);
    failures = 0;
}

static void open(void)
{
    rig_open(&world, &config);
    rig_watch(&world, &observer);
}

static void finish(void)
{
    rig_finish(&world);
    world_fini(&world);
}

/* Failures of slice 0 only. */
static void expect(const sim_time at[], int count)
{
    int seen = 0;
    for (int i = 0; i < failures; i++)
        if (failure[i].slice == 0) {
            ck_assert_int_lt(seen, count);
            ck_assert_int_eq(failure[i].time, at[seen++]);
        }
    ck_assert_int_eq(seen, count);
}

/* Both chips are 100 old at 100. One fails; the other still does when they are back at 107, and at 114 both are new, of
 * ages 0 and 0: 207 in service until 114 + 100, the other again 7 later. */
START_TEST(kept_ages)
{
    open();
    finish();
    expect((sim_time[]){100, 107, 214, 221}, 4);
}
END_TEST

START_TEST(reset_ages)
{
    config.source[0].ageing = CONFIG_AGES_RESET;
    open();
    finish();
    expect((sim_time[]){100, 207}, 2);
}
END_TEST

/* Another source takes the slice away from 30 to 50: its chips are 100 old at 120. */
START_TEST(who_is_away_does_not_age)
{
    static struct rig_failure other = {.time = 30, .chip = 1, .delay = 20};
    config.duration_ns = 125;
    open();
    rig_schedule(&world, &other);
    finish();
    expect((sim_time[]){30, 120}, 2);
}
END_TEST

/* Held by two from 20 to 90: 70 later. */
START_TEST(who_is_preempted_does_not_age)
{
    static struct rig_absence first = {.from = 20, .until = 50}, second = {.from = 40, .until = 90};
    open();
    rig_preempt(&world, &first);
    rig_preempt(&world, &second);
    config.duration_ns = 175;
    finish();
    expect((sim_time[]){170}, 1);
}
END_TEST

/* Away when its learner is taken, and back before it is given back: out of service from 30 to 90. */
START_TEST(away_and_preempted)
{
    static struct rig_failure other = {.time = 30, .chip = 1, .delay = 20};
    static struct rig_absence absence = {.from = 40, .until = 90};
    config.duration_ns = 165;
    open();
    rig_schedule(&world, &other);
    rig_preempt(&world, &absence);
    finish();
    expect((sim_time[]){30, 160}, 2);
}
END_TEST

/* The other slice fails at 30; its learner rebuilds itself for 15 and then has too few chips: slice 0 serves on. */
START_TEST(who_waits_or_rebuilds_ages)
{
    static struct rig_failure other = {.time = 30, .chip = 2, .delay = SIM_TIME_NEVER};
    config.duration_ns = 105;
    config.downscale_ns = 15;
    open();
    rig_schedule(&world, &other);
    finish();
    expect((sim_time[]){100}, 1);
    failures = 0;
    config.min_share = 1;
    open();
    rig_schedule(&world, &other);
    finish();
    expect((sim_time[]){100}, 1);
}
END_TEST

/* A failure of the other source at 100, too, and before it: the one of old age waits until the slice is back. */
START_TEST(at_the_same_instant)
{
    static struct rig_failure other = {.time = 100, .chip = 0, .delay = 20};
    config.duration_ns = 121;
    config.chips = 2;
    open();
    rig_schedule(&world, &other);
    finish();
    ck_assert(failures == 2 && failure[1].time >= 107);
    expect((sim_time[]){100, failure[1].time}, 2);
}
END_TEST

/* What happens at the end of the run happens; a clock that stands still cannot get there. */
START_TEST(the_end_of_the_run)
{
    config.duration_ns = 100;
    open();
    finish();
    ck_assert_int_eq(failures, 2);
    failures = 0;
    config.duration_ns = 99;
    open();
    finish();
    ck_assert_int_eq(failures, 0);
}
END_TEST

/* Lemons live a quarter of it. */
START_TEST(lemons_age_faster)
{
    config.source[0].lemon_share = 1;
    config.source[0].lemon_factor = 4;
    config.duration_ns = 70;
    open();
    finish();
    expect((sim_time[]){25, 32, 39 + 25}, 3);
}
END_TEST

/* Slice 0 of 4 is not in scope, and slice 1 is only half in: chips 3 and 4 of 8. */
START_TEST(only_those_in_scope)
{
    config.chips = 8;
    config.class_count = 3;
    config.class[0] = (struct config_class){"a", 0.375, 1};
    config.class[1] = (struct config_class){"b", 0.25, 1};
    config.class[2] = (struct config_class){"c", 0.375, 1};
    (void)strcpy(config.source[0].only_class, "b");
    config.duration_ns = 150;
    open();
    finish();
    ck_assert_int_eq(failures, 2);
    ck_assert(failure[0].slice == 1 && failure[1].slice == 2);
    ck_assert(failure[0].time == 100 && failure[1].time == 100);
}
END_TEST

/* The hardware of slice 0, 30 old, and that of slice 1, 60 old, change places while both are away, until 80. One chip
 * fails 40 later; the other when its slice rejoins, with the step that ends at 130. */
START_TEST(hardware_can_move)
{
    static struct rig_failure first = {.time = 30, .chip = 0, .delay = 50},
                              second = {.time = 60, .chip = 2, .delay = 20};
    config.duration_ns = 149;
    open();
    rig_schedule(&world, &first);
    rig_schedule(&world, &second);
    ck_assert(sim_run(&world.sim, 70) == SIM_REACHED_END);
    struct ageing *slice = world.source[0].ageing, moved = slice[0];
    slice[0] = slice[1];
    slice[1] = moved;
    finish();
    expect((sim_time[]){30, 80 + 40, 130}, 3);
}
END_TEST

/* Laws that scatter: each slice fails at the same times of its service clock whatever else happens, and no two slices
 * do. */
START_TEST(draws_are_addressed_by_slice)
{
    static struct rig_failure other = {.time = 10, .chip = 0, .delay = 5};
    config.source[0].life = (struct sim_law){SIM_LAW_WEIBULL, {200e-9, 0.7}};
    config.duration_ns = 60;
    open();
    sim_time first = world.source[0].ageing[1].group[AGEING_NORMAL].fails_at;
    ck_assert_int_ne(first, world.source[0].ageing[0].group[AGEING_NORMAL].fails_at);
    finish();
    struct sim_law life = config.source[0].life;
    rig_add_source(&config, "another", 0, rig_constant(0));
    config.source[1].timing = CONFIG_BY_LIFE;
    config.source[1].life = life;
    open();
    rig_schedule(&world, &other);
    ck_assert_int_eq(world.source[0].ageing[1].group[AGEING_NORMAL].fails_at, first);
    ck_assert_int_ne(world.source[1].ageing[1].group[AGEING_NORMAL].fails_at, first);
    finish();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ageing");
    TCase *tcase = tcase_create("ageing");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, kept_ages);
    tcase_add_test(tcase, reset_ages);
    tcase_add_test(tcase, who_is_away_does_not_age);
    tcase_add_test(tcase, who_is_preempted_does_not_age);
    tcase_add_test(tcase, away_and_preempted);
    tcase_add_test(tcase, who_waits_or_rebuilds_ages);
    tcase_add_test(tcase, at_the_same_instant);
    tcase_add_test(tcase, the_end_of_the_run);
    tcase_add_test(tcase, lemons_age_faster);
    tcase_add_test(tcase, only_those_in_scope);
    tcase_add_test(tcase, hardware_can_move);
    tcase_add_test(tcase, draws_are_addressed_by_slice);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
