/* Shocks: which chips they hit, all at once, and what a learner makes of it. Written down, not drawn. */
#include "tests/rig.h"

static struct world world;
static struct config config;

/* Two learners of 24 chips in slices of 8; domains of 20 chips: 0 to 19, 20 to 39, 40 to 47. Nothing comes by itself:
 * mtbi is far longer than the run. */
static void setup(void)
{
    config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.chips = 48;
    config.learners = 2;
    rig_add_domain(&config, "rack", 20, 1e12, rig_constant(50));
}

static void open(void)
{
    rig_open(&world, &config);
}

static void strike_at(sim_time time, int64_t domain, uint64_t number)
{
    (void)sim_run(&world.sim, time);
    domain_strike(&world.source[0], domain, number);
}

static void expect_failed(const char *slices)
{
    for (uint32_t i = 0; i < (uint32_t)world.fleet.slices; i++)
        ck_assert_msg((slice_state(&world, i) == SLICE_FAILED) == (slices[i] == 'x'), "slice %u", (unsigned)i);
}

START_TEST(domains_are_runs_of_chips)
{
    ck_assert_int_eq(domain_total(&config, &config.source[0]), 3);
    ck_assert_int_eq(domain_first_chip(&config, &config.source[0], 2), 40);
    config.source[0].domain_chips = 48;
    ck_assert_int_eq(domain_total(&config, &config.source[0]), 1);
    config.source[0].domain_chips = 0;
    (void)strcpy(config.source[0].domain_level, "pod");
    config.level_count = 2;
    config.level[0] = (struct config_level){"rack", 4};
    config.level[1] = (struct config_level){"pod", 16};
    ck_assert_int_eq(domain_total(&config, &config.source[0]), 3);
    ck_assert_int_eq(domain_first_chip(&config, &config.source[0], 1), 16);
}
END_TEST

/* Slices 0 to 2 are of the first learner. Domain 1 has 4 chips of slice 2, all 8 of 3 and of 4: three slices of two
 * learners go, 20 chips have failed. */
START_TEST(a_slice_goes_as_a_whole)
{
    open();
    strike_at(500, 1, 0);
    expect_failed("..xxx.");
    ck_assert_int_eq(world.count.failures, 20);
    ck_assert_int_eq(world.count.domain.shocks, 1);
    ck_assert_int_eq(world.count.domain.chips_max, 20);
    (void)sim_run(&world.sim, 3 * SIM_SECOND + 500);
    ck_assert_int_eq(world.learner[0].chips_present, 16);
    ck_assert_int_eq(world.learner[1].chips_present, 8);
    ck_assert_int_eq(world.count.interruptions, 2);
    rig_finish(&world);
    ck_assert_int_eq(world.count.repairs, 3);
    world_fini(&world);
}
END_TEST

/* The last domain has 8 chips. A second shock finds slice 2 absent and hits 16 chips of the others; a third finds
 * nobody and is none. */
START_TEST(who_is_absent_is_not_hit)
{
    open();
    strike_at(500, 2, 0);
    expect_failed(".....x");
    ck_assert_int_eq(world.count.failures, 8);
    struct rig_failure one = {.time = 600, .chip = 16, .delay = SIM_TIME_NEVER};
    rig_schedule(&world, &one);
    (void)sim_run(&world.sim, 600);
    strike_at(700, 1, 1);
    ck_assert_int_eq(world.count.failures, 8 + 1 + 16);
    strike_at(800, 1, 2);
    strike_at(800, 2, 3);
    ck_assert_int_eq(world.count.failures, 8 + 1 + 16);
    ck_assert_int_eq(world.count.domain.shocks, 2);
    ck_assert_int_eq(world.count.domain.chips, 24);
    ck_assert_int_eq(world.count.domain.chips_max, 16);
    world_fini(&world);
}
END_TEST

/* Only chips of learner 1: of domain 1 those are 24 to 39. */
START_TEST(a_shock_stays_in_its_scope)
{
    config.source[0].learner[config.source[0].learner_count++] = 1;
    open();
    strike_at(500, 0, 0);
    expect_failed("......");
    ck_assert_int_eq(world.count.domain.shocks, 0);
    strike_at(600, 1, 1);
    expect_failed("...xx.");
    ck_assert_int_eq(world.count.failures, 16);
    world_fini(&world);
}
END_TEST

/* A preempted learner is not in service. */
START_TEST(preempted_chips_do_not_fail)
{
    open();
    (void)sim_run(&world.sim, 400);
    world_preempt(&world, 0);
    strike_at(500, 1, 0);
    expect_failed("...xx.");
    ck_assert_int_eq(world.count.failures, 16);
    world_fini(&world);
}
END_TEST

static sim_time back[8];

static void on_transition(void *context, const struct run_transition *transition)
{
    (void)context;
    if (transition->machine[1] == 'l' && strcmp(transition->cause, "repaired") == 0)
        back[transition->id] = transition->time_ns;
}

static const struct run_observer observer = {.on_transition = on_transition};

/* One draw for all, or one for each. */
START_TEST(slices_return_together_or_each_by_itself)
{
    config.source[0].return_after = rig_exponential(50);
    config.source[0].delay = (enum config_delay)_i;
    memset(back, 0, sizeof back);
    open();
    rig_watch(&world, &observer);
    strike_at(500, 1, 0);
    rig_finish(&world);
    ck_assert(back[2] > 500 && back[3] > 500 && back[4] > 500);
    ck_assert_int_eq(back[2] == back[3], _i == CONFIG_DELAY_SHARED);
    ck_assert_int_eq(back[3] == back[4], _i == CONFIG_DELAY_SHARED);
    ck_assert(back[0] == 0 && back[1] == 0 && back[5] == 0);
    world_fini(&world);
}
END_TEST

/* A job that stands still for a checkpoint learns of a failure at once. A shock is one interruption and one downscale;
 * planted: the same slices lost one after the other in the same instant are two of each under `queue`. */
static void lose_three(bool is_shock, int64_t *ret_downscaling_s)
{
    static struct rig_failure one[3];
    setup();
    config.method = CONFIG_ELASTIC_DP;
    config.learners = 1;
    config.overlap = CONFIG_QUEUE;
    config.checkpoint_every_ns = 10 * SIM_SECOND;
    config.checkpoint_cost_ns = 5 * SIM_SECOND;
    open();
    (void)sim_run(&world.sim, 12 * SIM_SECOND);
    ck_assert_int_eq((int)world.learner[0].state, LEARNER_CHECKPOINTING);
    for (int i = 0; i < 3 && !is_shock; i++) {
        one[i] = (struct rig_failure){.time = 12 * SIM_SECOND, .chip = 20 + 8 * i, .delay = SIM_TIME_NEVER};
        rig_schedule(&world, &one[i]);
    }
    if (is_shock)
        strike_at(12 * SIM_SECOND, 1, 0);
    (void)sim_run(&world.sim, 50 * SIM_SECOND);
    *ret_downscaling_s = (int64_t)(world.learner[0].count.account.bucket[RUN_BUCKET_downscale] / 24 / SIM_SECOND);
    ck_assert_int_eq(world.count.interruptions, 1);
    world_fini(&world);
}

START_TEST(a_shock_is_one_event_for_its_learner)
{
    int64_t at_once = 0, one_by_one = 0;
    lose_three(true, &at_once);
    lose_three(false, &one_by_one);
    ck_assert_int_eq(at_once, 2);
    ck_assert_int_eq(one_by_one, 4);
}
END_TEST

/* Two spares for three slices. With units each slice is one through repair; a shock is no wrong diagnosis. */
START_TEST(slices_are_units_through_repair)
{
    config.spares = 2;
    config.crews = 1;
    config.misdiagnosis = 1;
    open();
    strike_at(500, 1, 0);
    expect_failed("..xxx.");
    ck_assert_int_eq(world.units.in_state[UNIT_REPAIRING], 1);
    ck_assert_int_eq(world.units.in_state[UNIT_WAITING], 2);
    (void)sim_run(&world.sim, 10 * SIM_SECOND);
    ck_assert_int_eq(world.spares.count.used, 2);
    (void)sim_run(&world.sim, 151 * SIM_SECOND); /* three times 50 s, one after the other */
    ck_assert_int_eq(world.units.in_state[UNIT_PLACED], 6);
    ck_assert_int_eq(world.units.in_state[UNIT_SPARE], 2);
    ck_assert_int_eq(world.count.repairs, 3);
    rig_finish(&world);
    world_fini(&world);
}
END_TEST

/* A dp job that replaces what it lost restarts once. */
START_TEST(a_job_restarts_once)
{
    config.method = CONFIG_DP;
    config.learners = 1;
    config.overlap = CONFIG_RESTART;
    open();
    strike_at(500, 1, 0);
    rig_finish(&world);
    ck_assert_int_eq(world.count.repairs, 3);
    ck_assert_int_eq(world.count.interruptions, 1);
    ck_assert(rig_bucket(&world, RUN_BUCKET_restart) == (sim_chip_time)48 * 10 * SIM_SECOND);
    world_fini(&world);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("domain");
    TCase *tcase = tcase_create("domain");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, domains_are_runs_of_chips);
    tcase_add_test(tcase, a_slice_goes_as_a_whole);
    tcase_add_test(tcase, who_is_absent_is_not_hit);
    tcase_add_test(tcase, a_shock_stays_in_its_scope);
    tcase_add_test(tcase, preempted_chips_do_not_fail);
    tcase_add_loop_test(tcase, slices_return_together_or_each_by_itself, 0, CONFIG_DELAY_COUNT);
    tcase_add_test(tcase, a_shock_is_one_event_for_its_learner);
    tcase_add_test(tcase, slices_are_units_through_repair);
    tcase_add_test(tcase, a_job_restarts_once);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
