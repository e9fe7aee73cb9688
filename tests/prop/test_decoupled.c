/* What Decoupled DiLoCo is for, over seeds: goodput with mixed speeds, rounds and participants with and without grace,
 * waits for a quorum against order statistics. No failures. */
#include <math.h>

#include "sim/tally.h"
#include "tests/rig.h"

enum { SEEDS = 5, REPLICAS = 2500 };

/* Table 5 of arXiv 2604.21428: M = 8, four learners 18 % slower, 10 % jitter on all. */
static struct config mixed_speeds(int64_t quorum, int64_t overlap, enum config_grace grace)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.duration_ns = 10000 * SIM_SECOND;
    config.learners = 8;
    config.quorum = quorum;
    config.sync_overlap = overlap;
    config.grace = grace;
    config.step_jitter = 0.1;
    config.class_count = 2;
    config.class[0] = (struct config_class){"slow", 0.5, 1 / 1.18};
    config.class[1] = (struct config_class){"plain", 0.5, 1};
    return config;
}

/* Published: 84; nothing for the second row, in which the tau rule hides most of the barrier; 100; 100. Without grace
 * nearly each of the 4 + 4 / 1.18 = 7.39 reports per step time closes a round of its own. With grace a round takes a
 * mean step, and the faster half gathers reports until their wait shortens the grace: it is blocked for 0.1 % of the
 * time. */
static const struct {
    int64_t quorum, overlap;
    enum config_grace grace;
    double goodput, within;
    double rounds_min, rounds_max, participants_min, participants_max;
} table_5[] = {
    {8, 0, CONFIG_GRACE_OFF, 0.84, 0.015, 0.75, 0.8, 8, 8},
    {8, 2, CONFIG_GRACE_OFF, 0.92, 0.01, 0.8, 0.85, 8, 8},
    {1, 2, CONFIG_GRACE_OFF, 1, 1e-9, 7.37, 7.41, 1, 1.001},
    {1, 2, CONFIG_GRACE_ADAPTIVE, 1, 0.0015, 0.95, 1.05, 7, 8},
};
enum { ROWS = sizeof table_5 / sizeof table_5[0] };

START_TEST(mixed_speeds_as_published)
{
    struct config config = mixed_speeds(table_5[_i].quorum, table_5[_i].overlap, table_5[_i].grace);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct run_result result = rig_run(&config, seed, 0);
        const double *metric = result.metric;
        ck_assert_double_eq_tol(metric[RUN_METRIC_goodput], table_5[_i].goodput, table_5[_i].within);
        ck_assert_double_ge(metric[RUN_METRIC_syncer_progress], table_5[_i].rounds_min);
        ck_assert_double_le(metric[RUN_METRIC_syncer_progress], table_5[_i].rounds_max);
        ck_assert_double_ge(metric[RUN_METRIC_participants], table_5[_i].participants_min);
        ck_assert_double_le(metric[RUN_METRIC_participants], table_5[_i].participants_max);
        run_result_fini(&result);
    }
}
END_TEST

/* Independent exponential steps of mean 1 from time 0: the first round has its quorum with the K-th of M = 8 reports,
 * 1/8 + 1/7 + ... + 1/(9 - K) on average. */
static sim_time first_quorum_ns;

static void on_round(void *context, const struct run_round *round)
{
    (void)context;
    if (round->round == 0)
        first_quorum_ns = round->quorum_ns;
}

static struct config exponential_steps(int64_t quorum)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.learners = 8;
    config.quorum = quorum;
    config.sync_overlap = 0;
    config.step_jitter = 1;
    config.jitter_law = CONFIG_EXPONENTIAL;
    return config;
}

START_TEST(a_quorum_waits_for_the_kth_of_m)
{
    static const struct run_observer observer = {.on_round = on_round};
    static const double kth[] = {0.125, 0.267857, 0.434524, 0.634524, 0.884524, 1.217857, 1.717857, 2.717857};
    struct config config = exponential_steps(_i + 1);
    struct sim_tally wait;
    sim_tally_init(&wait);
    config.duration_ns = 30 * SIM_SECOND;
    for (uint32_t replica = 0; replica < REPLICAS; replica++) {
        const struct run_request request = {.config = &config, .seed = 7, .replica = replica, .observer = &observer};
        struct run_result result;
        first_quorum_ns = -1;
        run_replica(&request, &result);
        run_result_fini(&result);
        ck_assert_int_ge(first_quorum_ns, 0);
        sim_tally_add(&wait, sim_time_seconds(first_quorum_ns));
    }
    ck_assert_double_eq_tol(sim_tally_mean(&wait), kth[_i], sim_tally_half_width(&wait, 0.999));
    ck_assert_double_lt(sim_tally_half_width(&wait, 0.999), 0.08 * kth[_i]);
    sim_tally_fini(&wait);
}
END_TEST

/* K = M without overlap: every round starts all at once, and takes the largest of eight exponentials, 1 + 1/2 + ... +
 * 1/8 = 2.717857 on average, with the variance 1 + 1/4 + ... + 1/64 = 1.527422: over 36,794 rounds four standard errors
 * are 0.0258. K = 1: eight learners that never wait, eight rounds per step time. */
START_TEST(barriers_of_exponential_steps)
{
    struct config config = exponential_steps(8);
    config.duration_ns = 100000 * SIM_SECOND;
    struct run_result result = rig_run(&config, 3, 0);
    ck_assert_double_eq_tol(result.metric[RUN_METRIC_quorum_wait_s], 2.717857, 0.0258);
    ck_assert_double_eq_tol(result.metric[RUN_METRIC_goodput], 1 / 2.717857, 0.0035);
    run_result_fini(&result);
    config = exponential_steps(1);
    config.duration_ns = 20000 * SIM_SECOND;
    result = rig_run(&config, 3, 0); /* a Poisson stream: 160,000 +- 4 x 400 */
    ck_assert_double_eq_tol(result.metric[RUN_METRIC_rounds], 160000, 1600);
    ck_assert_double_eq(result.metric[RUN_METRIC_goodput], 1);
    run_result_fini(&result);
}
END_TEST

/* Speeds 1, 1, 0.5 and 0.25 as classes, at any overlap: lock-step 4 x 0.25 = 1, decoupled 2.75 learner-steps a second.
 * Who is ahead when the run ends has made at most tau steps more. */
START_TEST(lock_step_and_decoupled)
{
    struct config config = rig_config(_i == 0 ? CONFIG_STREAMING_DILOCO : CONFIG_DECOUPLED_DILOCO);
    config.duration_ns = 4000 * SIM_SECOND;
    config.learners = 4;
    config.quorum = _i == 0 ? 4 : 1;
    config.class_count = 3;
    config.class[0] = (struct config_class){"new", 0.5, 1};
    config.class[1] = (struct config_class){"old", 0.25, 0.5};
    config.class[2] = (struct config_class){"oldest", 0.25, 0.25};
    for (config.sync_overlap = 0; config.sync_overlap < 8; config.sync_overlap++) {
        struct run_result result = rig_run(&config, 1, 0);
        double steps = result.metric[RUN_METRIC_steps];
        int64_t ahead = _i == 0 ? 3 * config.sync_overlap : 0;
        ck_assert_double_eq(steps, (_i == 0 ? 4000 : 11000) + (double)ahead);
        run_result_fini(&result);
    }
}
END_TEST

/* DiLoCo: H steps, then a barrier for the whole model. With equal steps nobody waits; with speeds 1 and 0.5 the fast
 * one waits H steps of the slow one in each cycle, but for the first round, which has a step only: barriers at 2 (1 +
 * 24 k). */
START_TEST(diloco_meets_every_h_steps)
{
    struct config config = rig_config(CONFIG_DILOCO);
    config.duration_ns = 2 * (1 + 24 * 40) * SIM_SECOND;
    config.learners = config.quorum = 2;
    config.fragments = 1;
    config.sync_overlap = 0;
    config.class_count = 2;
    config.class[0] = (struct config_class){"fast", 0.5, 1};
    config.class[1] = (struct config_class){"slow", 0.5, 0.5};
    struct run_result result = rig_run(&config, 1, 0);
    ck_assert_double_eq(result.metric[RUN_METRIC_steps], 2 * (1 + 24 * 40));
    ck_assert_double_eq_tol(result.metric[RUN_METRIC_goodput], 0.75, 1e-12);
    ck_assert_double_eq(result.metric[RUN_METRIC_rounds], 1 + 24 * 40);
    ck_assert_double_eq_tol(result.metric[RUN_METRIC_tokens_merged], result.metric[RUN_METRIC_tokens], 1e-6);
    run_result_fini(&result);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("decoupled");
    TCase *tcase = tcase_create("decoupled");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, mixed_speeds_as_published, 0, ROWS);
    tcase_add_loop_test(tcase, a_quorum_waits_for_the_kth_of_m, 0, 8);
    tcase_add_test(tcase, barriers_of_exponential_steps);
    tcase_add_loop_test(tcase, lock_step_and_decoupled, 0, 2);
    tcase_add_test(tcase, diloco_meets_every_h_steps);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
