/* The syncer with learners of chosen paces: rounds and waits worked out by hand. One chip a learner unless said. */
#include "tests/rig.h"

enum { ROUNDS_MAX = 400 };

static struct world world;
static struct run_round seen[ROUNDS_MAX];
static int rounds;

static void on_round(void *context, const struct run_round *round)
{
    (void)context;
    if (rounds < ROUNDS_MAX)
        seen[rounds] = *round;
    rounds++;
}

static const struct run_observer observer = {.on_round = on_round};

static struct config syncing(int64_t learners, int64_t quorum, int64_t overlap, sim_time duration)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.duration_ns = duration;
    config.chips = config.learners = learners;
    config.chips_per_slice = 1;
    config.step_time_ns = 10;
    config.downscale_ns = 4;
    config.upscale_ns = 6;
    config.quorum = quorum;
    config.sync_overlap = overlap;
    return config;
}

/* Learner i takes pace[i] ns a step, from the first one on. */
static void open_at(const struct config *config, const sim_time pace[])
{
    rounds = 0;
    rig_open(&world, config);
    world.observer = &observer;
    for (int64_t i = 0; i < config->learners; i++) {
        struct learner *learner = &world.learner[i];
        learner->pace.speed = (double)config->step_time_ns / (double)pace[i];
        learner->step_ns = pace[i];
        ck_assert(sim_queue_reschedule(&world.sim.queue, learner->wake, pace[i]));
    }
}

static void play(const struct config *config, const sim_time pace[])
{
    open_at(config, pace);
    rig_finish(&world);
    world_fini(&world);
}

static int64_t blocked(int64_t learner)
{
    return (int64_t)world.learner[learner].count.account.bucket[RUN_BUCKET_blocked];
}

static int64_t steps(int64_t learner)
{
    return world.learner[learner].count.steps;
}

static void expect_round(int i, sim_time quorum, sim_time closed, int64_t participants)
{
    ck_assert_int_lt(i, rounds);
    ck_assert_int_eq(seen[i].round, i);
    ck_assert_int_eq(seen[i].opened_ns, i > 0 ? seen[i - 1].closed_ns : 0);
    ck_assert_int_eq(seen[i].quorum_ns, quorum);
    ck_assert_int_eq(seen[i].closed_ns, closed);
    ck_assert_int_eq(seen[i].participants, participants);
}

START_TEST(reports_of_one_instant_are_one_round)
{
    for (int64_t quorum = 1; quorum <= 4; quorum++)
        for (int64_t overlap = 0; overlap < 3; overlap++) {
            struct config config = syncing(4, quorum, overlap, 100);
            config.grace = overlap == 1 ? CONFIG_GRACE_ADAPTIVE : CONFIG_GRACE_OFF;
            open_at(&config, (sim_time[]){10, 10, 10, 10});
            rig_finish(&world);
            ck_assert_int_eq(rounds, 10);
            for (int i = 0; i < 10; i++)
                expect_round(i, 10 * (i + 1), 10 * (i + 1), 4);
            ck_assert_int_eq(blocked(0) + blocked(3), 0);
            world_fini(&world);
        }
}
END_TEST

/* Steps of 10 and 15: reports at 10, 15, 20, 30 (both), 40, 45, 50, 60 (both). */
START_TEST(a_quorum_of_one_closes_at_every_report)
{
    struct config config = syncing(2, 1, 2, 60);
    play(&config, (sim_time[]){10, 15});
    static const sim_time at[] = {10, 15, 20, 30, 40, 45, 50, 60};
    ck_assert_int_eq(rounds, 8);
    for (int i = 0; i < 8; i++)
        expect_round(i, at[i], at[i], at[i] % 30 == 0 ? 2 : 1);
}
END_TEST

/* Steps of 10, 14 and 50, K = 2: reports 10a 14b | 20a 28b | 30a 42b (40a again: same learner) | 50a,c | 56b 60a */
START_TEST(a_quorum_counts_distinct_learners)
{
    struct config config = syncing(3, 2, 20, 60);
    play(&config, (sim_time[]){10, 14, 50});
    static const sim_time at[] = {14, 28, 42, 50, 60};
    ck_assert_int_eq(rounds, 5);
    for (int i = 0; i < 5; i++)
        expect_round(i, at[i], at[i], 2);
}
END_TEST

/* K = M, steps of 10 and 45: a round every 45. The fast one reports at 10 and may take tau steps more; then it is blocked:
 * tau = 0 from 10 to 45, 1 from 20, 2 from 30, 3 from 40; with 4 it is never blocked. */
START_TEST(at_most_tau_steps_beyond_what_is_owed)
{
    for (int64_t overlap = 0; overlap <= 3; overlap++) {
        struct config config = syncing(2, 2, overlap, 450);
        open_at(&config, (sim_time[]){10, 45});
        rig_finish(&world);
        ck_assert_int_eq(rounds, 10);
        ck_assert_int_eq(seen[9].closed_ns, 450);
        ck_assert_int_eq(steps(0), 10 * (overlap + 1));
        ck_assert_int_eq(steps(1), 10);
        ck_assert_int_eq(blocked(0), 10 * (45 - 10 * (overlap + 1)));
        ck_assert_int_eq(blocked(1), 0);
        world_fini(&world);
    }
    struct config config = syncing(2, 2, 4, 450);
    open_at(&config, (sim_time[]){10, 45});
    rig_finish(&world);
    ck_assert_int_eq(blocked(0), 0);
    ck_assert_int_eq(steps(0), 45);
    world_fini(&world);
}
END_TEST

/* tau = 2, steps of 10 and 25: blocked at 50, but in that instant the round closes: no time passes. */
START_TEST(blocked_for_an_instant_costs_nothing)
{
    struct config config = syncing(2, 2, 2, 500);
    open_at(&config, (sim_time[]){10, 25});
    rig_finish(&world);
    ck_assert_int_eq(blocked(0), 0);
    ck_assert_int_eq(steps(0), 50);
    ck_assert_int_eq(rounds, 20);
    world_fini(&world);
}
END_TEST

/* Moving averages by hand, x += (v - x) / 8 cut towards 0; steps of 1000, 1200 and 5000, K = 1, tau = 2, safety 0.9.
 * t     report  step average        quorum average       grace until
 * 1000  a       1000                0 + 1000/8 = 125     min(0.9 (2000 - 125), 1000) = 1000: 2000
 * 1200  b       1000 + 200/8 = 1025
 * 2000  a       1025 - 25/8 = 1022                       closes with a, b
 * 2400  b       1022 + 178/8 = 1044 125 + 275/8 = 159    min(0.9 (2088 - 159), 1044): 3444
 * 3000  a       1044 - 44/8 = 1039
 * 3444                                                   closes with a, b
 * 3600  b       1039 + 161/8 = 1059 159 - 3/8 = 159      3600 + 1059 = 4659
 * 4000  a       1059 - 59/8 = 1052
 * 4659                                                   closes with a, b
 * 4800  b       1052 + 148/8 = 1070 159 - 18/8 = 157     5870
 * 5000  a, c    1070 - 70/8 = 1062, then + 3938/8 = 1554; nobody is missing: closes with all */
START_TEST(adaptive_grace_by_hand)
{
    struct config config = syncing(3, 1, 2, 5000);
    config.step_time_ns = 1000;
    config.grace = CONFIG_GRACE_ADAPTIVE;
    open_at(&config, (sim_time[]){1000, 1200, 5000});
    rig_finish(&world);
    ck_assert_int_eq(rounds, 4);
    expect_round(0, 1000, 2000, 2);
    expect_round(1, 2400, 3444, 2);
    expect_round(2, 3600, 4659, 2);
    expect_round(3, 4800, 5000, 3);
    ck_assert_int_eq(world.syncer.step_average_ns, 1554);
    ck_assert_int_eq(world.syncer.quorum_average_ns, 157);
    ck_assert_int_eq(world.syncer.count.quorum_wait_ns, 1000 + 400 + 156 + 141);
    ck_assert_int_eq(world.syncer.count.grace_ns, 1000 + 1044 + 1059 + 200);
    world_fini(&world);
}
END_TEST

/* safety 0.1: 0.1 (2000 - 125) = 187, less than a step. tau = 0: the slack is negative, no grace at all. */
START_TEST(grace_is_a_share_of_the_slack)
{
    struct config config = syncing(3, 1, 2, 1300);
    config.step_time_ns = 1000;
    config.grace = CONFIG_GRACE_ADAPTIVE;
    config.grace_safety = 0.1;
    play(&config, (sim_time[]){1000, 1200, 5000});
    expect_round(0, 1000, 1187, 1);
    config.sync_overlap = 0;
    play(&config, (sim_time[]){1000, 1200, 5000});
    ck_assert_int_eq(rounds, 2);
    expect_round(0, 1000, 1000, 1);
    expect_round(1, 1200, 1200, 1);
}
END_TEST

/* Grace from 1000 to 2000 for b (1200) and c (5000); c goes away at 1500 and is back at 1700: who is away is not waited for. */
START_TEST(grace_does_not_wait_for_who_is_away)
{
    struct config config = syncing(3, 1, 2, 2000);
    config.step_time_ns = 1000;
    config.grace = CONFIG_GRACE_ADAPTIVE;
    config.noticed = CONFIG_AT_ONCE;
    static struct rig_failure failure = {.time = 1500, .chip = 2, .delay = 200};
    open_at(&config, (sim_time[]){1000, 1200, 5000});
    rig_schedule(&world, &failure);
    rig_finish(&world);
    expect_round(0, 1000, 1500, 2);
    ck_assert_int_eq(world.syncer.connected, 3);
    world_fini(&world);
}
END_TEST

/* K = M: while one learner is away nothing closes; the other waits. a and b step 10; b fails at 13, leaves at 20, is back at 53,
 * up to 59, reports at 69. a: tau = 1, reports 20 (b reported at 20, too), then 30, blocked from 40. */
START_TEST(a_full_quorum_waits_for_who_is_away)
{
    struct config config = syncing(2, 2, 1, 70);
    static struct rig_failure failure = {.time = 13, .chip = 1, .delay = 40};
    open_at(&config, (sim_time[]){10, 10});
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_int_eq(rounds, 3);
    expect_round(1, 20, 20, 2);
    expect_round(2, 69, 69, 2);
    ck_assert_int_eq(blocked(0), 69 - 40);
    ck_assert_int_eq(steps(0), 4);
    world_fini(&world);
}
END_TEST

/* Fragment p has the rounds t with t mod H = floor(p H / P): each once a cycle, as evenly as whole rounds allow. */
START_TEST(fragments_take_turns)
{
    for (int64_t cycle = 1; cycle <= 24; cycle++)
        for (int64_t fragments = 1; fragments <= cycle; fragments++) {
            struct config config = syncing(1, 1, 0, 10 * 3 * cycle);
            config.sync_every = cycle;
            config.fragments = fragments;
            play(&config, (sim_time[]){10});
            ck_assert_int_eq(rounds, 3 * cycle);
            int64_t due[24];
            memset(due, -1, sizeof due);
            for (int64_t p = 0; p < fragments; p++)
                due[p * cycle / fragments] = p;
            for (int i = 0; i < rounds; i++)
                ck_assert_int_eq(seen[i].fragment, due[i % cycle]);
        }
}
END_TEST

/* P = 1, H = 2, K = M, tau = 0, steps of 10 and 25. Round 0 (a fragment): a is blocked from 10 to 25. Round 1 (none): nobody is;
 * a steps on at 35 and 45, the round closes at 50. Round 2: a reports at 55, blocked until 75. Round 3 closes at 100. */
START_TEST(a_round_without_a_fragment_blocks_nobody)
{
    struct config config = syncing(2, 2, 0, 100);
    config.sync_every = 2;
    config.fragments = 1;
    open_at(&config, (sim_time[]){10, 25});
    rig_finish(&world);
    ck_assert_int_eq(rounds, 4);
    for (int i = 0; i < 4; i++)
        expect_round(i, 25 * (i + 1), 25 * (i + 1), 2);
    ck_assert_int_eq(blocked(0), 15 + 20);
    ck_assert_int_eq(steps(0), 1 + 2 + 1 + 2);
    world_fini(&world);
}
END_TEST

/* The same without blocking, but with grace: rounds without a fragment do not use it. */
START_TEST(a_round_without_a_fragment_has_no_grace)
{
    struct config config = syncing(2, 1, 1, 100);
    config.sync_every = 2;
    config.fragments = 1;
    config.grace = CONFIG_GRACE_ADAPTIVE;
    play(&config, (sim_time[]){10, 15});
    for (int i = 0; i < rounds; i++)
        ck_assert(seen[i].fragment >= 0 || seen[i].closed_ns == seen[i].quorum_ns);
    expect_round(0, 10, 15, 2);
    expect_round(1, 20, 20, 1);
}
END_TEST

START_TEST(a_report_of_who_is_away_stops)
{
    struct config config = syncing(2, 1, 1, 100);
    open_at(&config, (sim_time[]){10, 10});
    syncer_on_connection(&world.syncer, 1, false);
    (void)syncer_on_report(&world.syncer, &(struct syncer_report){.learner = 1, .step = 1, .step_ns = 10});
}
END_TEST

static void add_grace(TCase *tcase)
{
    tcase_add_test(tcase, adaptive_grace_by_hand);
    tcase_add_test(tcase, grace_is_a_share_of_the_slack);
    tcase_add_test(tcase, grace_does_not_wait_for_who_is_away);
    tcase_add_test(tcase, a_round_without_a_fragment_has_no_grace);
}

int main(void)
{
    Suite *suite = suite_create("syncer");
    TCase *tcase = tcase_create("syncer");
    tcase_add_test(tcase, reports_of_one_instant_are_one_round);
    tcase_add_test(tcase, a_quorum_of_one_closes_at_every_report);
    tcase_add_test(tcase, a_quorum_counts_distinct_learners);
    tcase_add_test(tcase, at_most_tau_steps_beyond_what_is_owed);
    tcase_add_test(tcase, blocked_for_an_instant_costs_nothing);
    add_grace(tcase);
    tcase_add_test(tcase, a_full_quorum_waits_for_who_is_away);
    tcase_add_test(tcase, fragments_take_turns);
    tcase_add_test(tcase, a_round_without_a_fragment_blocks_nobody);
    tcase_add_exit_test(tcase, a_report_of_who_is_away_stops, 1);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
