/* Slowdowns against theory: gaps, lengths, how long a learner is slow, and how many steps that costs. */
#include <gsl/gsl_integration.h>
#include <math.h>

#include "sim/tally.h"
#include "tests/claim.h"
#include "tests/distance.h"
#include "tests/rig.h"

/* --- gaps and lengths --- */

enum { GAPS = 10000 };

struct heard {
    int count;
    sim_time last;
    double gap_s[GAPS], length_s[GAPS];
};

static void on_transition(void *context, const struct run_transition *transition)
{
    struct heard *heard = context;
    if (strcmp(transition->machine, "pace") != 0 || heard->count == GAPS)
        return;
    if (strcmp(transition->to, "slow") == 0) {
        heard->gap_s[heard->count] = sim_time_seconds(transition->time_ns - heard->last);
        heard->last = transition->time_ns;
    } else {
        heard->length_s[heard->count++] = sim_time_seconds(transition->time_ns - heard->last);
    }
}

/* 1,000 chips, a slowdown each in 1,000 h, for about a second: none meets another. Planted errors, which the same test
 * finds: the mean taken for the rate (with hours as the unit), a mean 10 % off, median and mean of the length mixed up,
 * its sigma off by a tenth. */
START_TEST(gaps_and_lengths_follow_their_laws)
{
    CLAIM_TEST();
    static struct heard heard;
    const struct sim_law lasts = {.kind = SIM_LAW_LOGNORMAL, .parameter = {1, 0.5}}, gap = rig_exponential(3600),
                         rate = rig_exponential(3600.0 / 3600 / 3600), longer = rig_exponential(3960),
                         mean = sim_law_with_mean(lasts, 1),
                         wider = {.kind = SIM_LAW_LOGNORMAL, .parameter = {1, 0.55}};
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    config.chips = 1000;
    config.chips_per_slice = 1;
    config.step_time_ns = 100 * SIM_SECOND;
    config.duration_ns = (sim_time)(GAPS + 500) * 3600 * SIM_SECOND;
    rig_add_slowdown(&config, "slow", 3.6e6, rig_constant(2), lasts);
    const struct run_observer observer = {.context = &heard, .on_transition = on_transition};
    const struct run_request request = {.config = &config, .seed = claim_seed(4), .observer = &observer};
    struct run_result result;
    run_replica(&request, &result);
    run_result_fini(&result);
    ck_assert_int_eq(heard.count, GAPS);
    claim_distance("gaps", distance_to(heard.gap_s, GAPS, &gap));
    CLAIM_FINDS(distance_to(heard.gap_s, GAPS, &rate), 1.95);
    CLAIM_FINDS(distance_to(heard.gap_s, GAPS, &longer), 1.95);
    claim_distance("lengths", distance_to(heard.length_s, GAPS, &lasts));
    CLAIM_FINDS(distance_to(heard.length_s, GAPS, &mean), 1.95);
    CLAIM_FINDS(distance_to(heard.length_s, GAPS, &wider), 1.95);
}
END_TEST

/* --- how long, and what it costs --- */

/* Slowdowns under way are Poisson with mean a = rate x mean length, whatever the law of the length (M/G/infinity from
 * its start on; in 20,000 mean lengths the start does not show). */
enum { REPLICAS = 20 };
#define LOAD 0.7

static struct config loaded(enum config_method method, struct sim_law factor, struct sim_law lasts)
{
    struct config config = rig_config(method);
    config.duration_ns = 200000 * SIM_SECOND;
    rig_add_slowdown(&config, "slow", 64 * sim_law_mean(&lasts) / LOAD, factor, lasts);
    return config;
}

static void expect_mean(const struct config *config, enum run_metric metric, double theory)
{
    struct sim_tally tally;
    sim_tally_init(&tally);
    for (uint32_t replica = 0; replica < REPLICAS; replica++) {
        struct run_result result = rig_run(config, claim_seed(2), replica);
        sim_tally_add(&tally, result.metric[metric]);
        run_result_fini(&result);
    }
    ck_assert_double_lt(3.3 * sim_tally_sd(&tally) / sqrt(REPLICAS), 0.02 * theory);
    claim_mean(run_metric_info[metric].name, &tally, theory, CLAIM_FAIR);
    sim_tally_fini(&tally);
}

static const struct sim_law lengths[] = {{.kind = SIM_LAW_CONSTANT, .parameter = {10}},
                                         {.kind = SIM_LAW_EXPONENTIAL, .parameter = {10}},
                                         {.kind = SIM_LAW_LOGNORMAL, .parameter = {6, 1}}};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

/* Slow with probability 1 - exp(-a), and then at half the pace: steps come at the rate 1 - (1 - exp(-a)) / 2. Steps are
 * of 1 s, slowdowns of 10 s: a pace that held for whole steps would show. With a syncer and K = 1 nobody waits. */
START_TEST(a_constant_factor_costs_its_share)
{
    CLAIM_TEST();
    struct config config =
        loaded(_i < LENGTHS ? CONFIG_DP : CONFIG_DECOUPLED_DILOCO, rig_constant(2), lengths[_i % LENGTHS]);
    double slow = -expm1(-LOAD);
    expect_mean(&config, RUN_METRIC_slowed, slow);
    expect_mean(&config, RUN_METRIC_steps, 200000 * (1 - slow / 2));
}
END_TEST

/* 1 / x, weighted by the density of the largest factor of those under way: P(largest <= x) = exp(-a (1 - F(x))). By
 * parts, 1 - E[1 / largest] = integral from 1 on of (1 - exp(-a (1 - F(x)))) / x^2. */
static double cost(double x, void *law)
{
    return -expm1(-LOAD * (1 - sim_law_cdf(law, x))) / (x * x);
}

START_TEST(the_largest_of_many_factors_rules)
{
    CLAIM_TEST();
    struct sim_law factor = {.kind = SIM_LAW_LOGNORMAL, .parameter = {2, 0.5}};
    struct config config = loaded(CONFIG_ELASTIC_DP, factor, lengths[2]);
    gsl_function integrand = {.function = cost, .params = &factor};
    gsl_integration_workspace *workspace = gsl_integration_workspace_alloc(1000);
    double lost, error;
    (void)gsl_integration_qagiu(&integrand, 1, 0, 1e-9, 1000, workspace, &lost, &error);
    gsl_integration_workspace_free(workspace);
    expect_mean(&config, RUN_METRIC_steps, 200000 * (1 - lost));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("slowdowns");
    TCase *tcase = tcase_create("theory");
    tcase_add_test(tcase, gaps_and_lengths_follow_their_laws);
    tcase_add_loop_test(tcase, a_constant_factor_costs_its_share, 0, 2 * LENGTHS);
    tcase_add_test(tcase, the_largest_of_many_factors_rules);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
