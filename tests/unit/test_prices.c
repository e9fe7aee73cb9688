/* Prices: who is paid for what, by hand. */
#include <math.h>

#include "models/prices.h"
#include "tests/rig.h"

/* 64 chips for an hour at 3 a chip. */
static struct config hour(enum config_method method)
{
    struct config config = rig_config(method);
    config.duration_ns = 3600 * SIM_SECOND;
    config.price_chip_hour = config.price_spare_hour = config.price_standby_hour = config.price_loan_hour = 3;
    return config;
}

static double cost_of(const struct config *config, struct run_result *ret)
{
    struct run_result result = rig_run(config, 1, 0);
    *ret = result;
    run_result_fini(&result);
    return ret->metric[RUN_METRIC_cost];
}

static void expect_cost(const struct config *config, double expected)
{
    struct run_result result;
    ck_assert_double_eq_tol(cost_of(config, &result), expected, 1e-9 * expected);
}

START_TEST(no_prices_no_cost)
{
    struct run_result result;
    struct config config = rig_config(CONFIG_DP);
    ck_assert(isnan(cost_of(&config, &result)));
    ck_assert(isnan(result.metric[RUN_METRIC_cost_per_useful_chip_hour]));
    ck_assert(isnan(result.metric[RUN_METRIC_cost_per_million_tokens]));
}
END_TEST

/* Nothing fails: every chip-hour is useful, and an hour is 3,600 steps of 1,000 tokens. */
START_TEST(a_fleet_that_never_fails)
{
    struct run_result result;
    struct config config = hour(CONFIG_DP);
    ck_assert_double_eq_tol(cost_of(&config, &result), 64 * 3, 1e-9);
    ck_assert_double_eq_tol(result.metric[RUN_METRIC_cost_per_useful_chip_hour], 3, 1e-9);
    ck_assert_double_eq_tol(result.metric[RUN_METRIC_cost_per_million_tokens], 192 / 3.6, 1e-9);
    config.warmup_ns = config.duration_ns / 4;
    expect_cost(&config, 64 * 3 * 0.75);
}
END_TEST

/* A quarter of the chips is old and costs 1; classes lie over the fleet in their order, so it is the first learner that
 * is preempted for half of the time. */
START_TEST(classes_at_prices_of_their_own)
{
    struct config config = hour(CONFIG_DECOUPLED_DILOCO);
    config.learners = 4;
    config.class_count = 2;
    config.class[0] = (struct config_class){.name = "old", .share = 0.25, .speed = 1};
    config.class[1] = (struct config_class){.name = "new", .share = 0.75, .speed = 1};
    config.price_count = 1;
    config.price[0] = (struct config_price){.name = "old", .chip_hour = 1};
    expect_cost(&config, 48 * 3 + 16 * 1);
    rig_add_preemption(&config, "night", 0, 0, rig_constant(0));
    config.source[0].calendar_every_ns = 1200 * SIM_SECOND;
    config.source[0].calendar_lasts_ns = 600 * SIM_SECOND;
    expect_cost(&config, 48 * 3 + 16 * 1 * 0.5);
}
END_TEST

/* A spare is a slice of 8 chips. */
START_TEST(spares_and_standby_at_prices_of_their_own)
{
    struct config config = hour(CONFIG_ELASTIC_DP);
    config.spares = 2;
    config.standby = 3;
    config.price_spare_hour = 1;
    config.price_standby_hour = 2;
    expect_cost(&config, 64 * 3 + 2 * 8 * 1 + 3 * 8 * 2);
}
END_TEST

/* Chips that work for somebody else for half of the time. */
START_TEST(a_preempted_learner_costs_its_own_price)
{
    struct config config = hour(CONFIG_DECOUPLED_DILOCO);
    config.learners = 4;
    rig_add_preemption(&config, "night", 1, 0, rig_constant(0));
    config.source[0].calendar_every_ns = 1200 * SIM_SECOND;
    config.source[0].calendar_from_ns = 300 * SIM_SECOND;
    config.source[0].calendar_lasts_ns = 600 * SIM_SECOND;
    expect_cost(&config, 48 * 3 + 16 * 3 * 0.5);
    config.price_preempted_hour = 1;
    expect_cost(&config, 48 * 3 + 16 * 3 * 0.5 + 16 * 1 * 0.5);
}
END_TEST

START_TEST(crews_whether_they_work_or_not)
{
    struct config config = hour(CONFIG_ELASTIC_DP);
    config.price_crew_hour = 50;
    expect_cost(&config, 64 * 3); /* as many as there are */
    config.crews = 2;
    expect_cost(&config, 64 * 3 + 2 * 50);
    config.crews = 0;
    config.stage_count = 2;
    config.stage[0] = (struct config_stage){.name = "auto", .crews = 4, .success = 1, .takes = rig_constant(1)};
    config.stage[1] = (struct config_stage){.name = "manual", .success = 1, .takes = rig_constant(1)};
    expect_cost(&config, 64 * 3 + 4 * 50);
}
END_TEST

START_TEST(links_by_their_bandwidth)
{
    struct config config = hour(CONFIG_DECOUPLED_DILOCO);
    config.learners = 4;
    config.price_gbit_hour = 10;
    expect_cost(&config, 64 * 3); /* no network, no links */
    config.parameters = 1000;
    config.bits = 16;
    config.datacentres = 2;
    config.link_bits_per_s = 2e9;
    config.link_count = 1;
    config.link[0] = (struct config_link){.name = "slow", .learner_count = 1, .learner = {3}, .bits_per_s = 0.5e9};
    expect_cost(&config, 64 * 3 + 10 * (3 * 2 + 0.5));
}
END_TEST

/* A slice fails at 0 h 10, is away for good, and a loan of 8 chips stands in for it from 0 h 15 on. */
START_TEST(a_loan_costs_while_it_is_there)
{
    static struct world world;
    struct rig_failure failure = {.time = 600 * SIM_SECOND, .chip = 3, .delay = SIM_TIME_NEVER};
    struct config config = hour(CONFIG_ELASTIC_DP);
    config.loan_slices = 1;
    config.loan_preempt_ns = 300 * SIM_SECOND;
    config.price_loan_hour = 5;
    const struct run_request request = {.config = &config, .seed = 1};
    world_init(&world, &request);
    rig_schedule(&world, &failure);
    (void)sim_run(&world.sim, config.duration_ns);
    world_settle(&world);
    ck_assert_double_eq_tol(prices_cost(&world, config.duration_ns), 64 * 3 + 8 * 5 * 0.75, 1e-9);
    world_fini(&world);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("prices");
    TCase *cases = tcase_create("prices");
    tcase_add_test(cases, no_prices_no_cost);
    tcase_add_test(cases, a_fleet_that_never_fails);
    tcase_add_test(cases, classes_at_prices_of_their_own);
    tcase_add_test(cases, spares_and_standby_at_prices_of_their_own);
    tcase_add_test(cases, a_preempted_learner_costs_its_own_price);
    tcase_add_test(cases, crews_whether_they_work_or_not);
    tcase_add_test(cases, links_by_their_bandwidth);
    tcase_add_test(cases, a_loan_costs_while_it_is_there);
    suite_add_tcase(suite, cases);
    return rig_main(suite);
}
