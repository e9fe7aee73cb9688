/* Paces of learners around a syncer against what follows from their step times. No failures. */
#include <math.h>

#include "models/learner_internal.h"
#include "tests/claim.h"
#include "tests/rig.h"

static struct config around(int64_t learners, int64_t quorum, int64_t overlap)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.duration_ns = 100000 * SIM_SECOND;
    config.learners = learners;
    config.quorum = quorum;
    config.sync_overlap = overlap;
    return config;
}

/* K = M, tau = 0: nobody starts a step before the slowest has ended its own: floor(T / slowest) rounds and steps. K =
 * 1: learner i makes floor(T / step_i). The spread is drawn, so the theory is computed from the speeds that were drawn.
 */
START_TEST(lock_step_runs_at_the_pace_of_the_slowest)
{
    static struct world world;
    struct config config = around(8, 8, 0);
    config.speed_spread = 0.1;
    rig_open_seeded(&world, &config, claim_seed(1), 0);
    rig_finish(&world);
    sim_time slowest = 0, fastest = SIM_TIME_NEVER;
    for (int i = 0; i < 8; i++) {
        sim_time step = (sim_time)llround((double)config.step_time_ns / world.learner[i].pace.speed);
        slowest = step > slowest ? step : slowest;
        fastest = step < fastest ? step : fastest;
    }
    ck_assert_int_gt(slowest, fastest + SIM_SECOND / 10);
    ck_assert_int_eq(world.syncer.count.rounds, config.duration_ns / slowest);
    ck_assert_int_eq((int64_t)world.syncer.count.participants, 8 * world.syncer.count.rounds);
    world_fini(&world);
}
END_TEST

START_TEST(decoupled_learners_run_at_their_own)
{
    static struct world world;
    struct config config = around(8, 1, 2);
    config.speed_spread = 0.1;
    rig_open_seeded(&world, &config, claim_seed(1), 0);
    rig_finish(&world);
    for (int i = 0; i < 8; i++) {
        sim_time step = (sim_time)llround((double)config.step_time_ns / world.learner[i].pace.speed);
        ck_assert_int_eq(world.learner[i].count.steps, config.duration_ns / step);
        ck_assert_int_eq((int64_t)world.learner[i].count.account.bucket[RUN_BUCKET_blocked], 0);
    }
    world_fini(&world);
}
END_TEST

/* Speeds 1, 1, 0.5 and 0.25 steps a second: lock-step 4 x 0.25 = 1, decoupled 2.75 learner-steps a second. */
static double pace_of(int64_t quorum, int64_t overlap)
{
    static const sim_time step_s[] = {1, 1, 2, 4};
    static struct world world;
    struct config config = around(4, quorum, overlap);
    double steps = 0;
    rig_open(&world, &config);
    rig_step_by_step(&world);
    for (int i = 0; i < 4; i++) {
        struct learner *learner = &world.learner[i];
        learner->pace.speed = 1 / (double)step_s[i];
        learner->pace.step_ns = 0;
        learner->step_ns = step_s[i] * SIM_SECOND;
        learner_set_wake(learner, learner->step_ns);
    }
    rig_finish(&world);
    for (int i = 0; i < 4; i++)
        steps += (double)world.learner[i].count.steps;
    world_fini(&world);
    return steps / sim_time_seconds(config.duration_ns);
}

START_TEST(speeds_1_1_half_quarter)
{
    ck_assert_double_eq_tol(pace_of(4, 0), 1.0, 1e-9);
    ck_assert_double_eq_tol(pace_of(1, 2), 2.75, 1e-9);
}
END_TEST

/* K = M, tau = 0, jitter s: all start together, a round takes the largest of M steps, 1 + s Z(M), with the mean of the
 * largest of M standard normals Z(2) = 1/sqrt(pi), Z(4) = 1.02938, Z(8) = 1.42360 (tables of order statistics; the cut
 * at 0.1 is 9 SDs away). With K < M and tau = 0 learners do not start together and no such form is known. */
START_TEST(strict_barriers_wait_for_the_largest_of_m)
{
    CLAIM_TEST();
    static const struct {
        int64_t learners;
        double largest;
    } row[] = {{1, 0}, {2, 0.5641895835}, {4, 1.0293753730}, {8, 1.4236003060}};
    struct config config = around(row[_i].learners, row[_i].learners, 0);
    config.step_jitter = 0.1;
    struct sim_tally round;
    sim_tally_init(&round);
    for (uint32_t replica = 0; replica < 10; replica++) {
        struct run_result result = rig_run(&config, claim_seed(1), replica);
        sim_tally_add(&round, 100000 / result.metric[RUN_METRIC_rounds]);
        double goodput = result.metric[RUN_METRIC_goodput], rate = result.metric[RUN_METRIC_syncer_progress];
        ck_assert_double_eq_tol(goodput, rate, 0.002); /* a learner steps for 1 in each round, on average */
        run_result_fini(&result);
    }
    claim_sharp_mean("round_s", &round, 1 + 0.1 * row[_i].largest, 0.0006);
    sim_tally_fini(&round);
}
END_TEST

/* The published table of mixed speeds, with strict barriers: four of eight 18 % slower, 10 % jitter on all. The largest
 * of eight is practically the largest of four of mean 1.18: E max by quadrature of 1 - F^4 G^4. Goodput = mean step /
 * that. */
static double mean_of_largest(void)
{
    double sum = 0, h = 1e-4;
    for (double x = 0.2; x < 3; x += h) {
        double fast = 0.5 * erfc(-(x - 1) / 0.1 / sqrt(2)), slow = 0.5 * erfc(-(x - 1.18) / 0.118 / sqrt(2));
        sum += (1 - pow(fast * slow, 4)) * h;
    }
    return 0.2 + sum;
}

START_TEST(mixed_speeds_behind_a_barrier)
{
    static struct world world;
    struct config config = around(8, 8, 0);
    config.step_jitter = 0.1;
    rig_open(&world, &config);
    for (int i = 4; i < 8; i++)
        world.learner[i].pace.speed = 1 / 1.18;
    rig_finish(&world);
    double goodput = (double)rig_bucket(&world, RUN_BUCKET_useful) / (double)config.chips / (double)config.duration_ns;
    double theory = 1.09 / mean_of_largest();
    ck_assert_double_eq_tol(goodput, theory, 0.001);
    ck_assert_double_eq_tol(goodput, 0.837, 0.002);
    world_fini(&world);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analytic syncer");
    TCase *tcase = tcase_create("analytic syncer");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, lock_step_runs_at_the_pace_of_the_slowest);
    tcase_add_test(tcase, decoupled_learners_run_at_their_own);
    tcase_add_test(tcase, speeds_1_1_half_quarter);
    tcase_add_loop_test(tcase, strict_barriers_wait_for_the_largest_of_m, 0, 4);
    tcase_add_test(tcase, mixed_speeds_behind_a_barrier);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
