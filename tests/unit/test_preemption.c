/* Preemption: calendars to the nanosecond, random absences by their share, and what an absence leaves behind. */
#include <math.h>

#include "tests/rig.h"

enum { CHANGES_MAX = 64 };

static struct world world;
static struct {
    sim_time time;
    bool is_taken;
} change[CHANGES_MAX];
static int changes;

static void on_transition(void *context, const struct run_transition *transition)
{
    (void)context;
    if (strcmp(transition->machine, "learner") != 0 || changes == CHANGES_MAX)
        return;
    if (strcmp(transition->to, "preempted") != 0 && strcmp(transition->from, "preempted") != 0)
        return;
    change[changes].time = transition->time_ns;
    change[changes++].is_taken = strcmp(transition->to, "preempted") == 0;
}

static const struct run_observer observer = {.on_transition = on_transition};

static struct config tiny(void)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.duration_ns = 300;
    config.chips = 4;
    config.chips_per_slice = 1;
    config.learners = 2;
    config.step_time_ns = 10;
    config.upscale_ns = 6;
    return config;
}

static void add_calendar(struct config *config, sim_time every, sim_time from, sim_time lasts)
{
    rig_add_preemption(config, "night", 1, 0, rig_constant(0));
    struct config_source *source = &config->source[config->source_count - 1];
    source->calendar_every_ns = every;
    source->calendar_from_ns = from;
    source->calendar_lasts_ns = lasts;
}

/* Runs from time 0, whose absences the observer sees, too. */
static void play(const struct config *config)
{
    const struct run_request request = {.config = config, .seed = 1, .observer = &observer};
    changes = 0;
    world_init(&world, &request);
    rig_finish(&world);
}

static void expect_changes(const sim_time at[], int count)
{
    ck_assert_int_eq(changes, count);
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(change[i].time, at[i]);
        ck_assert_int_eq(change[i].is_taken, i % 2 == 0);
    }
}

static int64_t away(int64_t learner)
{
    return (int64_t)world.learner[learner].count.account.bucket[RUN_BUCKET_away];
}

/* Every 100 from 33 for 21: [33, 54), [133, 154), [233, 254). Learner 0 is never taken. */
START_TEST(a_calendar_to_the_nanosecond)
{
    struct config config = tiny();
    add_calendar(&config, 100, 33, 21);
    play(&config);
    expect_changes((sim_time[]){33, 54, 133, 154, 233, 254}, 6);
    ck_assert_int_eq(away(1), 2 * 3 * 21);
    ck_assert_int_eq(away(0), 0);
    ck_assert_int_eq(world.count.interruptions, 3);
    world_fini(&world);
}
END_TEST

/* From the first instant; up to the end of the run, which is closed; a period that starts as the run ends; an absence
 * over the end of a period. */
START_TEST(edges_of_a_calendar)
{
    struct config config = tiny();
    add_calendar(&config, 100, 0, 1);
    play(&config);
    expect_changes((sim_time[]){0, 1, 100, 101, 200, 201, 300}, 7);
    world_fini(&world);
    config = tiny();
    add_calendar(&config, 150, 100, 100);
    play(&config);
    expect_changes((sim_time[]){100, 200, 250}, 3);
    ck_assert_int_eq(away(1), 2 * 150);
    world_fini(&world);
    config = tiny();
    add_calendar(&config, 400, 290, 10);
    play(&config);
    expect_changes((sim_time[]){290, 300}, 2);
    world_fini(&world);
}
END_TEST

/* As long as its period: never given back. */
START_TEST(an_endless_night)
{
    struct config config = tiny();
    add_calendar(&config, 100, 40, 100);
    play(&config);
    expect_changes((sim_time[]){40}, 1);
    ck_assert_int_eq(away(1), 2 * 260);
    world_fini(&world);
}
END_TEST

/* 0-30 three steps, 30-33 lost, 33-54 away, 54-60 upscale, 60-100 four steps. */
START_TEST(an_absence_by_hand)
{
    struct config config = tiny();
    config.duration_ns = 100;
    add_calendar(&config, 100, 33, 21);
    play(&config);
    const struct learner *learner = &world.learner[1];
    ck_assert_int_eq(learner->count.steps, 7);
    ck_assert_int_eq((int64_t)learner->count.account.bucket[RUN_BUCKET_useful], 2 * 70);
    ck_assert_int_eq((int64_t)learner->count.account.bucket[RUN_BUCKET_lost], 2 * 3);
    ck_assert_int_eq((int64_t)learner->count.account.bucket[RUN_BUCKET_upscale], 2 * 6);
    ck_assert_int_eq(learner->count.stepping_ns, 73);
    world_fini(&world);
}
END_TEST

/* Two sources hold it: [20, 50) and [40, 90); it is gone from 20 to 90, and taken once. */
START_TEST(who_is_held_twice_is_given_back_once)
{
    static struct rig_absence first = {.from = 20, .until = 50, .learner = 1}, second = {40, 90, 1, NULL};
    struct config config = tiny();
    changes = 0;
    rig_open(&world, &config);
    rig_watch(&world, &observer);
    rig_preempt(&world, &first);
    rig_preempt(&world, &second);
    rig_finish(&world);
    expect_changes((sim_time[]){20, 90}, 2);
    ck_assert_int_eq(world.count.interruptions, 1);
    world_fini(&world);
}
END_TEST

/* Chips that are away do not fail: 25 hits nothing. A slice that failed at 15 and was let go of at 20 is back at 40,
 * meanwhile, and rejoins with the learner: 2 chips again from 50 on. Away: 1 x (21 - 20), 2 x 29. */
START_TEST(failures_and_returns_meanwhile)
{
    static struct rig_absence absence = {.from = 21, .until = 50, .learner = 1};
    static struct rig_failure failure[2];
    struct config config = tiny();
    rig_open(&world, &config);
    failure[0] = (struct rig_failure){.time = 15, .chip = 2, .delay = 25};
    failure[1] = (struct rig_failure){.time = 25, .chip = 3, .delay = 1};
    rig_schedule(&world, &failure[0]);
    rig_schedule(&world, &failure[1]);
    rig_preempt(&world, &absence);
    rig_finish(&world);
    ck_assert_int_eq(world.count.failures, 1);
    ck_assert_int_eq(world.count.repairs, 1);
    ck_assert_int_eq(world.learner[1].chips_present, 2);
    ck_assert_int_eq(away(1), 1 + 2 * 29);
    world_fini(&world);
}
END_TEST

/* dp: the job starts again, its failed slice replaced. 0-12 one step, 2 lost; away 12-40, restart 40-60, steps. */
START_TEST(a_preempted_job_restarts)
{
    static struct rig_absence absence = {.from = 12, .until = 40};
    static struct rig_failure failure;
    struct config config = tiny();
    config.method = CONFIG_DP;
    config.learners = 1;
    config.restart_ns = 20;
    config.duration_ns = 100;
    failure = (struct rig_failure){.time = 11, .chip = 2, .delay = SIM_TIME_NEVER};
    rig_open(&world, &config);
    rig_schedule(&world, &failure);
    rig_preempt(&world, &absence);
    rig_finish(&world);
    ck_assert_int_eq(world.learner[0].count.steps, 1 + 4);
    ck_assert_int_eq((int64_t)rig_bucket(&world, RUN_BUCKET_restart), 4 * 20);
    ck_assert_int_eq((int64_t)rig_bucket(&world, RUN_BUCKET_lost), 4 * 2);
    ck_assert_int_eq(away(0), 4 * 28);
    ck_assert_int_eq(world.learner[0].chips_present, 4);
    world_fini(&world);
}
END_TEST

/* An alternating renewal process: present for 90 s on average, absent for 30: a quarter of 4e6 s, of about 33,000
 * cycles. The share has the deviation sqrt(cycles x var(30 x there - 90 x gone) / 120^2) / (cycles x 120), at most 0.25
 * x 0.75 x sqrt(2 / cycles) for two exponentials, less for a constant; 4 of them are 0.006. */
START_TEST(random_absences_have_their_share)
{
    struct config config = tiny();
    config.duration_ns = 4000000 * SIM_SECOND;
    config.step_time_ns = 1000 * SIM_SECOND;
    rig_add_preemption(&config, "spot", 1, 90, _i == 0 ? rig_constant(30) : rig_exponential(30));
    play(&config);
    double share = (double)away(1) / (2.0 * (double)config.duration_ns);
    ck_assert_double_eq_tol(share, 0.25, 0.006);
    ck_assert_double_eq_tol((double)world.count.interruptions, 4e6 / 120, 4 * sqrt(4e6 / 120));
    ck_assert_int_eq(away(0), 0);
    world_fini(&world);
}
END_TEST

/* The absences of a learner are its own: a second learner of the same source meets others, and moves none of the first.
 */
START_TEST(learners_of_one_source_are_independent)
{
    struct config config = tiny();
    config.duration_ns = 40000;
    rig_add_preemption(&config, "spot", 0, 5e-7, rig_exponential(1e-7));
    play(&config);
    int64_t alone = away(0);
    world_fini(&world);
    config.source[0].learner[config.source[0].learner_count++] = 1;
    play(&config);
    ck_assert_int_gt(alone, 0);
    ck_assert_int_eq(away(0), alone);
    ck_assert_int_gt(away(1), 0);
    ck_assert_int_ne(away(1), alone);
    world_fini(&world);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("preemption");
    TCase *tcase = tcase_create("preemption");
    tcase_add_test(tcase, a_calendar_to_the_nanosecond);
    tcase_add_test(tcase, edges_of_a_calendar);
    tcase_add_test(tcase, an_endless_night);
    tcase_add_test(tcase, an_absence_by_hand);
    tcase_add_test(tcase, who_is_held_twice_is_given_back_once);
    tcase_add_test(tcase, failures_and_returns_meanwhile);
    tcase_add_test(tcase, a_preempted_job_restarts);
    tcase_add_loop_test(tcase, random_absences_have_their_share, 0, 2);
    tcase_add_test(tcase, learners_of_one_source_are_independent);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
