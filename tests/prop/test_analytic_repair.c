/* Crews, spares and stages of repair against birth-death chains and renewal arguments.
 *
 * The chain: N places, s spares, c crews, n units failed. Everything is exponential: a unit in service fails at rate
 * 1/MTBF, a crew mends at rate 1/MTTR. Failures come at N/MTBF while spares are left and at (N + s - n)/MTBF after
 * that; on standby they fail like the others, so that it is (N + s - n)/MTBF from the first. Repairs come at min(n,
 * c)/MTTR, and p(n + 1)/p(n) is the ratio of the two. With pauses of no length and failures noticed at once the fleet
 * is that chain: mean operating = sum p(n) min(N, N + s - n), busy crews = sum p(n) min(n, c), and by Little's law the
 * mean wait = sum p(n) (n - c)+ / rate of failures. */
#include <math.h>

#include "tests/claim.h"
#include "tests/rig.h"

#define HOUR_S 3600.0

enum { PLACES = 100, SPARES_MAX = 10, REPLICAS = 24 };
static const double mtbf_h = 1000, mttr_h = 24;

struct chain {
    double operating, busy, wait_h, up;
};

/* Crews: 0 is as many as are needed. */
static struct chain solve(int crews, int spares, bool is_warm)
{
    struct chain chain = {0};
    double p = 1, sum = 0, waiting = 0, rate = 0;
    int units = PLACES + spares, hands = crews > 0 ? crews : units;
    for (int n = 0; n <= units; n++) {
        int there = units - n, filled = there < PLACES ? there : PLACES, at_work = n < hands ? n : hands;
        double failing = (is_warm ? there : filled) / mtbf_h;
        sum += p;
        chain.operating += p * filled;
        chain.busy += p * at_work;
        waiting += p * (n - at_work);
        rate += p * failing;
        p *= failing * mttr_h / (n < hands ? n + 1 : hands);
    }
    chain.operating /= sum;
    chain.busy /= sum * hands;
    chain.wait_h = waiting / rate;
    return chain;
}

static struct config fleet(enum config_method method)
{
    struct config config = rig_config(method);
    config.duration_ns = (sim_time)42000 * 3600 * SIM_SECOND;
    config.warmup_ns = (sim_time)2000 * 3600 * SIM_SECOND;
    config.chips = PLACES;
    config.chips_per_slice = 1;
    config.step_time_ns = SIM_SECOND;
    config.downscale_ns = config.upscale_ns = config.restart_ns = 0;
    config.noticed = CONFIG_AT_ONCE;
    config.overlap = CONFIG_FOLD;
    rig_add_source(&config, "chip", mtbf_h * HOUR_S, rig_exponential(mttr_h * HOUR_S));
    return config;
}

struct means {
    double mean[RUN_METRIC_COUNT], half[RUN_METRIC_COUNT];
};

/* Waits are skewed, and Student's t of few of them errs where it matters when all claims are judged together. */
static uint32_t replicas(void)
{
    return claim_is_verifying() ? 4 * REPLICAS : REPLICAS;
}

static struct means simulate(const struct config *config)
{
    struct sim_tally tally[RUN_METRIC_COUNT];
    struct means means;
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        sim_tally_init(&tally[i]);
    for (uint32_t replica = 0; replica < replicas(); replica++) {
        struct run_result result = rig_run(config, claim_seed(7), replica);
        for (int i = 0; i < RUN_METRIC_COUNT; i++)
            sim_tally_add(&tally[i], isnan(result.metric[i]) ? 0 : result.metric[i]); /* without `until` */
        run_result_fini(&result);
    }
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        means.mean[i] = sim_tally_mean(&tally[i]);
        means.half[i] = sim_tally_half_width(&tally[i], 0.99);
        sim_tally_fini(&tally[i]);
    }
    return means;
}

/* Of a mean that is so far off, by Student's t; without a spread it must be right. */
static double p_value(double off, double half)
{
    double t = gsl_cdf_tdist_Qinv(0.005, replicas() - 1);
    return half > 0 ? 2 * gsl_cdf_tdist_Q(fabs(off) / (half / t), replicas() - 1) : fabs(off) <= 1e-9;
}

/* The theory lies inside the interval, and the interval is narrower than `width`. */
static void expect(const struct means *means, enum run_metric metric, double theory, double width)
{
    const char *name = run_metric_info[metric].name;
    double mean = means->mean[metric], half = means->half[metric];
    if (!claim_is_verifying())
        ck_assert_msg(half < width, "case %s: +- %g is too wide", name, half);
    claim(name, theory, mean, half, p_value(mean - theory, half), CLAIM_FAIR_T);
}

/* Given with the cases: mean operating of 100 units, MTBF 1,000 h, MTTR 24 h. */
START_TEST(the_chain_is_the_published_one)
{
    ck_assert_double_eq_tol(solve(3, 0, false).operating, 96.0513, 5e-5);
    ck_assert_double_eq_tol(solve(3, 5, false).operating, 98.8094, 5e-5);
    ck_assert_double_eq_tol(solve(0, 0, false).operating, PLACES * mtbf_h / (mtbf_h + mttr_h), 1e-9);
}
END_TEST

static const struct {
    int crews, spares;
    bool is_warm;
} grid[] = {
    {0, 0, false}, {2, 0, false}, {3, 0, false}, {4, 0, false}, {8, 0, false}, {3, 5, false},
    {4, 2, false}, {0, 3, false}, {3, 5, true},  {4, 2, true},  {5, 8, true},  {0, 10, true},
};
enum { GRID = sizeof grid / sizeof grid[0] };

START_TEST(machines_crews_and_spares)
{
    CLAIM_TEST();
    struct config config = fleet(CONFIG_ELASTIC_DP);
    config.crews = grid[_i].crews;
    config.spares = grid[_i].is_warm ? 0 : grid[_i].spares;
    config.standby = grid[_i].is_warm ? grid[_i].spares : 0;
    const struct chain theory = solve(grid[_i].crews, grid[_i].spares, grid[_i].is_warm);
    const struct means means = simulate(&config);
    expect(&means, RUN_METRIC_operating, theory.operating / PLACES, 0.01);
    expect(&means, RUN_METRIC_crew_busy, grid[_i].crews > 0 ? theory.busy : 0, 0.01);
    expect(&means, RUN_METRIC_crew_wait_s, grid[_i].crews > 0 ? theory.wait_h * HOUR_S : 0, 90000);
}
END_TEST

/* Lemons move with the hardware: in a fleet of 100 places and 20 spares with unlimited crews, every unit alternates
 * between service, standby included, and repair, so with a share w of lemons that fail k times as often a lemon is
 * there a share 1 / (1 + k r) of the time and another 1 / (1 + r), r = MTTR / MTBF; failures come at the sum of their
 * rates. */
START_TEST(lemons_move_with_their_hardware)
{
    CLAIM_TEST();
    const double w = 0.2, k = 5, r = mttr_h / mtbf_h, hours = 40000;
    struct config config = fleet(CONFIG_ELASTIC_DP);
    config.standby = 20;
    config.source[0].lemon_share = w;
    config.source[0].lemon_factor = k;
    const struct means means = simulate(&config);
    double rate = (w * k / (1 + k * r) + (1 - w) / (1 + r)) * (PLACES + 20) / mtbf_h;
    double failures = means.mean[RUN_METRIC_failures] + means.mean[RUN_METRIC_standby_failures];
    double half = means.half[RUN_METRIC_failures] + means.half[RUN_METRIC_standby_failures]; /* at most */
    claim("failures", rate * hours, failures, half, p_value(failures - rate * hours, half), CLAIM_FAIR_T);
    ck_assert_double_lt(means.half[RUN_METRIC_failures], 0.01 * rate * hours);
    expect(&means, RUN_METRIC_repairs, rate * hours, 0.01 * rate * hours);
}
END_TEST

/* --- k of n --- */

/* A learner of N places that steps with k of them, in states (n failed, r back and waiting): while fewer than k are in
 * service the others wait, and do not fail, until together they are enough, and then all are in service again. A place
 * is vacant while more have failed than there are spares. Solved by repeated small steps of time. */
enum { FEW = 8, STATES = FEW + 3 };

static double few_p[STATES][FEW + 1];
static int few_crews, few_spares, few_least;

static int in_service(int failed, int ready)
{
    return FEW - (failed > few_spares ? failed - few_spares : 0) - ready;
}

static int at_work(int failed)
{
    return few_crews > 0 && failed > few_crews ? few_crews : failed;
}

/* The time step is small enough for every rate. */
static void advance(double dt_h)
{
    static double next[STATES][FEW + 1];
    memset(next, 0, sizeof next);
    for (int n = 0; n <= FEW + few_spares; n++)
        for (int r = 0; r <= FEW && in_service(n, r) >= 0; r++) {
            double p = few_p[n][r], fails = p * dt_h * in_service(n, r) / 100, mends = p * dt_h * at_work(n) / mttr_h;
            next[n][r] += p - fails - mends;
            if (fails > 0)
                next[n + 1][r] += fails;
            if (mends <= 0)
                continue;
            int ready = n > few_spares ? r + 1 : r;
            bool is_enough = in_service(n - 1, 0) >= few_least;
            next[n - 1][is_enough ? 0 : ready] += mends;
        }
    memcpy(few_p, next, sizeof next);
}

static struct chain solve_few(void)
{
    struct chain chain = {0};
    memset(few_p, 0, sizeof few_p);
    few_p[0][0] = 1;
    for (int i = 0; i < 20000; i++)
        advance(0.5);
    for (int n = 0; n <= FEW + few_spares; n++)
        for (int r = 0; r <= FEW && in_service(n, r) >= 0; r++) {
            chain.operating += few_p[n][r] * in_service(n, r);
            chain.up += in_service(n, r) >= few_least ? few_p[n][r] : 0;
            chain.busy += few_p[n][r] * at_work(n) / (few_crews > 0 ? few_crews : 1);
        }
    return chain;
}

static const struct {
    enum config_method method;
    int crews, spares, least;
} few[] = {
    {CONFIG_ELASTIC_DP, 0, 0, 7}, {CONFIG_ELASTIC_DP, 1, 0, 6}, {CONFIG_ELASTIC_DP, 2, 0, 4},
    {CONFIG_ELASTIC_DP, 1, 2, 7}, {CONFIG_ELASTIC_DP, 2, 1, 8}, {CONFIG_DP, 0, 1, 8},
    {CONFIG_DP, 1, 0, 8},         {CONFIG_DP, 2, 2, 8},         {CONFIG_DP, 3, 1, 8},
};
enum { FEWS = sizeof few / sizeof few[0] };

START_TEST(learners_of_k_of_n)
{
    CLAIM_TEST();
    struct config config = fleet(few[_i].method);
    config.chips = FEW;
    config.source[0].mtbi_s = 100 * HOUR_S;
    few_crews = few[_i].crews;
    few_spares = few[_i].spares;
    few_least = few[_i].least;
    config.crews = few_crews;
    config.spares = few_spares;
    config.min_share = (double)few_least / FEW;
    const struct chain theory = solve_few();
    const struct means means = simulate(&config);
    expect(&means, RUN_METRIC_operating, theory.operating / FEW, 0.01);
    expect(&means, RUN_METRIC_uptime, theory.up, 0.02);
    expect(&means, RUN_METRIC_crew_busy, few_crews > 0 ? theory.busy : 0, 0.02);
}
END_TEST

/* --- stages --- */

static void add_stage(struct config *config, const char *name, double takes_s, double escalates, double success)
{
    struct config_stage *stage = &config->stage[config->stage_count++];
    *stage = (struct config_stage){.takes = rig_exponential(takes_s), .escalates = escalates, .success = success};
    (void)strncpy(stage->name, name, sizeof stage->name - 1);
}

/* Tried automatically first, a share e goes on to manual repair; what is sent back is mended with s1 and s2, else it
 * fails again after a second. A pass mends with m = (1 - e) s1 + e s2, so a fault takes 1/m passes, each with one
 * automatic and e manual repairs. */
START_TEST(visits_of_each_stage_until_a_fault_is_mended)
{
    CLAIM_TEST();
    const double e = 0.8, s1 = 0.6, s2 = 0.8, m = (1 - e) * s1 + e * s2;
    struct config config = fleet(CONFIG_ELASTIC_DP);
    add_stage(&config, "automatic", 2 * HOUR_S, e, s1);
    add_stage(&config, "manual", 48 * HOUR_S, 0, s2);
    config.relapse = rig_constant(1);
    double failures = 0, passes = 0, manual = 0, unmended = 0;
    for (uint32_t replica = 0; replica < REPLICAS; replica++) {
        struct world *world = malloc(sizeof *world);
        rig_open_seeded(world, &config, claim_seed(1), replica);
        rig_finish(world);
        failures += (double)(world->count.failures - world->repair.count.unmended);
        passes += (double)world->repair.stage[0].started;
        manual += (double)world->repair.stage[1].started;
        unmended += (double)world->repair.count.unmended;
        world_fini(world);
        free(world);
    }
    ck_assert_double_gt(failures, 50000);
    /* a geometric number of passes has variance (1 - m) / m^2 */
    claim_normal("passes of a fault", 1 / m, passes / failures, sqrt((1 - m) / failures) / m);
    claim_normal("manual", e, manual / passes, sqrt(e * (1 - e) / passes));
    claim_normal("unmended", 1 - m, unmended / passes, sqrt(m * (1 - m) / passes));
}
END_TEST

/* Each place alternates: a service of mean MTBF, then 1/m passes of mean a + e b, between them one second of service.
 */
START_TEST(service_between_repairs_in_stages)
{
    CLAIM_TEST();
    const double a = 2, b = 48, e = 0.8, m = 0.2 * 0.6 + 0.8 * 0.8;
    struct config config = fleet(CONFIG_ELASTIC_DP);
    add_stage(&config, "automatic", a * HOUR_S, e, 0.6);
    add_stage(&config, "manual", b * HOUR_S, 0, 0.8);
    config.relapse = rig_constant(1);
    const struct means means = simulate(&config);
    double up = mtbf_h + (1 / m - 1) / HOUR_S, down = (a + e * b) / m;
    expect(&means, RUN_METRIC_operating, up / (up + down), 0.001);
    expect(&means, RUN_METRIC_crew_wait_s, 0, 1);
}
END_TEST

/* The manual stage with two crews is a machine repair of its own where the automatic one takes no time and nothing is
 * mended there: e = 1. */
START_TEST(a_stage_has_crews_of_its_own)
{
    CLAIM_TEST();
    struct config config = fleet(CONFIG_ELASTIC_DP);
    add_stage(&config, "automatic", 1e-9, 1, 1);
    add_stage(&config, "manual", mttr_h * HOUR_S, 0, 1);
    config.stage[1].crews = 3;
    const struct chain theory = solve(3, 0, false);
    const struct means means = simulate(&config);
    expect(&means, RUN_METRIC_operating, theory.operating / PLACES, 0.006);
    expect(&means, RUN_METRIC_crew_busy, theory.busy, 0.02);
    expect(&means, RUN_METRIC_crew_wait_s, theory.wait_h * HOUR_S / 2, 30000); /* a mean over both stages */
}
END_TEST

/* A share w of failures takes out a sound slice and leaves the bad one, which fails again after a second: 1 / (1 - w)
 * slices are taken out per fault, each for MTTR. Faults come at the rate of chips in service. */
START_TEST(a_wrong_slice_taken_out_costs_as_much_again)
{
    CLAIM_TEST();
    const double wrong = 0.25, taken = 1 / (1 - wrong);
    struct config config = fleet(CONFIG_ELASTIC_DP);
    config.misdiagnosis = wrong;
    config.relapse = rig_constant(1);
    const struct means means = simulate(&config);
    double operating = mtbf_h / (mtbf_h + taken * mttr_h), hours = 40000;
    expect(&means, RUN_METRIC_operating, operating, 0.001);
    expect(&means, RUN_METRIC_failures, PLACES * operating * hours / mtbf_h * taken, 100);
}
END_TEST

/* Slices that come back at once and are retired with their second failure ever: by T a share 1 - (1 + T/MTBF)
 * exp(-T/MTBF) of them. */
START_TEST(repeat_offenders_retire)
{
    CLAIM_TEST();
    struct config config = fleet(CONFIG_ELASTIC_DP);
    config.duration_ns = (sim_time)1500 * 3600 * SIM_SECOND;
    config.warmup_ns = 0;
    config.source[0].return_after = rig_constant(0);
    config.retire_failures = 2;
    config.retire_within_ns = config.duration_ns;
    const struct means means = simulate(&config);
    expect(&means, RUN_METRIC_retired, PLACES * (1 - 2.5 * exp(-1.5)), 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analytic repair");
    TCase *tcase = tcase_create("analytic repair");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, the_chain_is_the_published_one);
    tcase_add_loop_test(tcase, machines_crews_and_spares, 0, GRID);
    tcase_add_test(tcase, lemons_move_with_their_hardware);
    tcase_add_loop_test(tcase, learners_of_k_of_n, 0, FEWS);
    tcase_add_test(tcase, visits_of_each_stage_until_a_fault_is_mended);
    tcase_add_test(tcase, service_between_repairs_in_stages);
    tcase_add_test(tcase, a_stage_has_crews_of_its_own);
    tcase_add_test(tcase, a_wrong_slice_taken_out_costs_as_much_again);
    tcase_add_test(tcase, repeat_offenders_retire);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
