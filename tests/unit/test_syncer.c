/* The syncer with learners of chosen paces: rounds and waits worked out by hand. One chip a learner unless said. */
#include "models/fragments.h"
#include "models/learner_internal.h"
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
    rig_step_by_step(&world); /* paces by hand are not of this config */
    rig_watch(&world, &observer);
    for (int64_t i = 0; i < config->learners; i++) {
        struct learner *learner = &world.learner[i];
        learner->pace.speed = (double)config->step_time_ns / (double)pace[i];
        learner->pace.step_ns = 0;
        learner->step_ns = pace[i];
        learner_set_wake(learner, pace[i]);
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

/* Steps of 10, 14 and 50, K = 2, the oldest report of each: 10a 14b | 20a 28b | 30a 42b | 40a 50c | 50a 56b | 60a */
START_TEST(a_quorum_counts_distinct_learners)
{
    struct config config = syncing(3, 2, 20, 60);
    play(&config, (sim_time[]){10, 14, 50});
    static const sim_time at[] = {14, 28, 42, 50, 56};
    ck_assert_int_eq(rounds, 5);
    for (int i = 0; i < 5; i++)
        expect_round(i, at[i], at[i], 2);
}
END_TEST

/* K = M, steps of 10 and 45: a round every 45, whatever tau. The fast one begins a step while it is less than tau steps
 * beyond the oldest report that no round has counted; r rounds have counted r of its reports, so it makes at most r + 1
 * + tau steps: 9 + 1 + tau before the round of 450. All the rest of the time it is blocked. */
START_TEST(at_most_tau_steps_beyond_what_is_owed)
{
    for (int64_t overlap = 0; overlap < 24; overlap++) {
        struct config config = syncing(2, 2, overlap, 450);
        open_at(&config, (sim_time[]){10, 45});
        rig_finish(&world);
        ck_assert_int_eq(rounds, 10);
        for (int i = 0; i < 10; i++)
            expect_round(i, 45 * (i + 1), 45 * (i + 1), 2);
        ck_assert_int_eq(steps(0), 10 + overlap);
        ck_assert_int_eq(steps(1), 10);
        ck_assert_int_eq(blocked(0), 450 - 10 * (10 + overlap));
        ck_assert_int_eq(blocked(1), 0);
        world_fini(&world);
    }
}
END_TEST

/* tau = 2, steps of 10 and 30: blocked at 30, but in that instant the round closes. Then from 40 to 60, 70 to 90, ...,
 * 280 to 300. */
START_TEST(blocked_for_an_instant_costs_nothing)
{
    struct config config = syncing(2, 2, 2, 300);
    open_at(&config, (sim_time[]){10, 30});
    (void)sim_run(&world.sim, 40);
    world_settle(&world);
    ck_assert_int_eq(blocked(0), 0);
    ck_assert_int_eq(steps(0), 4);
    rig_finish(&world);
    ck_assert_int_eq(blocked(0), 9 * 20);
    ck_assert_int_eq(steps(0), 12);
    ck_assert_int_eq(rounds, 10);
    world_fini(&world);
}
END_TEST

/* Moving averages by hand, x += (v - x) / 8 cut towards 0; steps of 1000, 1200 and 5000, K = 1, tau = 2, safety 0.9. A
 * wait is that of the oldest report when the quorum is reached. t     report  step average        wait, its average
 * grace until 1000  a       1000                0: 0                min(0.9 x 2000, 1000) = 1000: 2000 1200  b 1000 +
 * 200/8 = 1025 2000  a       1025 - 25/8 = 1022  0: 0                closes with a, b; the new report of a: 2000 + 1022
 * = 3022 2400  b       1022 + 178/8 = 1044 3000  a       1044 - 44/8 = 1039 3022                              22: 2
 * closes with a, b; 3022 + 1039 = 4061 3600  b       1039 + 161/8 = 1059 4000  a       1059 - 59/8 = 1052 4061 61: 2 +
 * 59/8 = 9    closes with a, b; 5113 4800  b       1052 + 148/8 = 1070 5000  a, c    1070 - 70/8 = 1062, then + 3938/8
 * = 1554; nobody is missing: closes with all 0: 9 - 9/8 = 8      the second report of a at 5000 */
START_TEST(adaptive_grace_by_hand)
{
    struct config config = syncing(3, 1, 2, 5000);
    config.step_time_ns = 1000;
    config.grace = CONFIG_GRACE_ADAPTIVE;
    open_at(&config, (sim_time[]){1000, 1200, 5000});
    rig_finish(&world);
    ck_assert_int_eq(rounds, 4);
    expect_round(0, 1000, 2000, 2);
    expect_round(1, 2000, 3022, 2);
    expect_round(2, 3022, 4061, 2);
    expect_round(3, 4061, 5000, 3);
    ck_assert_int_eq(world.syncer.step_average_ns, 1554);
    ck_assert_int_eq(world.syncer.quorum_average_ns, 8);
    ck_assert_int_eq(world.syncer.count.quorum_wait_ns, 1000);
    ck_assert_int_eq(world.syncer.count.grace_ns, 1000 + 1022 + 1039 + 939);
    ck_assert_int_eq(blocked(0) + blocked(1) + blocked(2), 0);
    world_fini(&world);
}
END_TEST

/* K = 2, steps of 1000, 1600 and 5000, safety 0.3.
 * t     report  step average        wait, its average     grace until
 * 1000  a       1000
 * 1600  b       1000 + 600/8 = 1075 600 of a: 75          0.3 (2150 - 75) = 622: 2222, closes with a, b
 * 2000  a       1075 - 75/8 = 1066
 * 3000  a       1066 - 66/8 = 1058
 * 3200  b       1058 + 542/8 = 1125 1200 of a: 75 + 1125/8 = 215   0.3 (2250 - 215) = 610: 3810, closes with a, b */
START_TEST(waiting_for_a_quorum_leaves_less_grace)
{
    struct config config = syncing(3, 2, 2, 3900);
    config.step_time_ns = 1000;
    config.grace = CONFIG_GRACE_ADAPTIVE;
    config.grace_safety = 0.3;
    play(&config, (sim_time[]){1000, 1600, 5000});
    ck_assert_int_eq(rounds, 2);
    expect_round(0, 1600, 2222, 2);
    expect_round(1, 3200, 3810, 2);
}
END_TEST

/* safety 0.05: 0.05 x 2000 = 100, less than a step. tau = 0: no slack, no grace at all. */
START_TEST(grace_is_a_share_of_the_slack)
{
    struct config config = syncing(3, 1, 2, 1300);
    config.step_time_ns = 1000;
    config.grace = CONFIG_GRACE_ADAPTIVE;
    config.grace_safety = 0.05;
    play(&config, (sim_time[]){1000, 1200, 5000});
    expect_round(0, 1000, 1100, 1);
    config.sync_overlap = 0;
    play(&config, (sim_time[]){1000, 1200, 5000});
    ck_assert_int_eq(rounds, 2);
    expect_round(0, 1000, 1000, 1);
    expect_round(1, 1200, 1200, 1);
}
END_TEST

/* Grace from 1000 to 2000 for b (1200) and c (5000); c goes away at 1500 and is back at 1700: who is away is not waited
 * for. */
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

/* K = 2, grace from 1200 to 1200 + 1025 for c. b is gone from 1500 to 1706 and its report with it: the round collects
 * again until b reports at 2906. Step average 1025, 1022 (a at 2000), 1044; waits 200 and, of a's first report, 1906:
 * 25 + 1881/8 = 260; grace min(0.9 (2088 - 260), 1044): 3950. a is blocked from its third report at 3000 on. */
START_TEST(a_quorum_can_be_lost_again)
{
    struct config config = syncing(3, 2, 2, 3960);
    config.step_time_ns = 1000;
    config.grace = CONFIG_GRACE_ADAPTIVE;
    config.noticed = CONFIG_AT_ONCE;
    static struct rig_failure failure = {.time = 1500, .chip = 1, .delay = 200};
    open_at(&config, (sim_time[]){1000, 1200, 5000});
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_int_eq(rounds, 1);
    expect_round(0, 2906, 3950, 2);
    ck_assert_int_eq(world.syncer.quorum_average_ns, 260);
    ck_assert_int_eq(blocked(0), 950);
    world_fini(&world);
}
END_TEST

/* K = M: while one learner is away nothing closes; the other waits. a and b step 10; b fails at 13, leaves at 20 (and
 * its second report with it), is back at 53, up to 59, reports at 69. a, tau = 1: reports at 20 and 30, blocked from
 * then on. */
START_TEST(a_full_quorum_waits_for_who_is_away)
{
    struct config config = syncing(2, 2, 1, 70);
    static struct rig_failure failure = {.time = 13, .chip = 1, .delay = 40};
    open_at(&config, (sim_time[]){10, 10});
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_int_eq(rounds, 2);
    expect_round(0, 10, 10, 2);
    expect_round(1, 69, 69, 2);
    ck_assert_int_eq(blocked(0), 69 - 30);
    ck_assert_int_eq(steps(0), 3);
    world_fini(&world);
}
END_TEST

/* Whose turn is when: tests/unit/test_fragments.c. */
START_TEST(fragments_take_turns)
{
    for (int64_t cycle = 1; cycle <= 24; cycle++)
        for (int64_t fragments = 1; fragments <= cycle; fragments++) {
            struct config config = syncing(1, 1, 0, 10 * 3 * cycle);
            config.sync_every = cycle;
            config.fragments = fragments;
            play(&config, (sim_time[]){10});
            ck_assert_int_eq(rounds, 3 * cycle);
            for (int i = 0; i < rounds; i++)
                ck_assert_int_eq(seen[i].fragment, fragments_due(&config, i));
        }
}
END_TEST

/* P = 1, H = 2, K = M, tau = 0, steps of 10 and 25: a round every 25. Round 0 (a fragment): a is blocked from 10 to 25.
 * Its next report, at 35, is for round 1, which sends nothing: it steps on. That of 45 is for round 2: blocked until
 * 75. The reports of 85 and 95 are for rounds 3 and 4: blocked from 95. */
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
    ck_assert_int_eq(blocked(0), 15 + 30 + 5);
    ck_assert_int_eq(steps(0), 1 + 2 + 2);
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

/* Fragments of so many ns each on the way to the learners and back. */
static void add_network(struct config *config, int fragments, const double transfer_ns[])
{
    config->fragments = config->sync_every = fragments;
    config->tensor_count = fragments;
    config->bits = 1;
    config->datacentres = 2;
    config->link_bits_per_s = 1e18; /* 1e9 parameters in a nanosecond */
    for (int p = 0; p < fragments; p++)
        config->parameters += config->tensor[p] = 1e9 * transfer_ns[p];
}

static void expect_closed(const sim_time opened[], const sim_time closed[], int count)
{
    ck_assert_int_eq(rounds, count);
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(seen[i].opened_ns, opened[i]);
        ck_assert_int_eq(seen[i].closed_ns, closed[i]);
    }
}

/* One learner, steps of 10, transfers of 25, tau = 2. Rounds 0 and 1 fly from 10 to 35 and from 20 to 45: no room for
 * round 2, and the third report at 30 is two beyond the first. At 35 there is room, and the report of 30 is counted at
 * once. The step from 35 ends at 45, the next at 55, blocked until 60, and so on: two steps for each 25. */
START_TEST(tau_rounds_are_in_flight)
{
    struct config config = syncing(1, 1, 2, 85);
    add_network(&config, 4, (double[]){25, 25, 25, 25});
    open_at(&config, (sim_time[]){10});
    rig_finish(&world);
    expect_closed((sim_time[]){0, 10, 35, 45, 60, 70, 85}, (sim_time[]){10, 20, 35, 45, 60, 70, 85}, 7);
    ck_assert_int_eq(blocked(0), 5 + 5 + 5);
    ck_assert_int_eq(steps(0), 7);
    world_fini(&world);
}
END_TEST

/* tau = 0 and 1: one round in flight. Steps of 10, transfers of 25: each report waits for its own; with 1 the next step
 * hides behind it. tau = 1: report at 10, flight until 35, report at 20, blocked until 35; the second flight from 35 to
 * 60, ... */
START_TEST(one_round_in_flight_at_least)
{
    struct config config = syncing(1, 1, 0, 100);
    add_network(&config, 4, (double[]){25, 25, 25, 25});
    open_at(&config, (sim_time[]){10});
    rig_finish(&world);
    expect_closed((sim_time[]){0, 35, 70}, (sim_time[]){10, 45, 80}, 3);
    ck_assert_int_eq(blocked(0), 25 + 25 + 20);
    world_fini(&world);
    config.sync_overlap = 1;
    open_at(&config, (sim_time[]){10});
    rig_finish(&world);
    expect_closed((sim_time[]){0, 35, 60, 85}, (sim_time[]){10, 35, 60, 85}, 4);
    ck_assert_int_eq(blocked(0), 15 + 15 + 15 + 5);
    world_fini(&world);
}
END_TEST

/* Transfers of 25, 5 and 5: round 1, closed at 20, could be there at 25, but not before round 0: both land at 35. */
START_TEST(updates_arrive_in_the_order_of_their_rounds)
{
    struct config config = syncing(1, 1, 2, 45);
    add_network(&config, 3, (double[]){25, 5, 5});
    open_at(&config, (sim_time[]){10});
    rig_finish(&world);
    expect_closed((sim_time[]){0, 10, 35, 35}, (sim_time[]){10, 20, 35, 45}, 4);
    ck_assert_int_eq(blocked(0), 5);
    world_fini(&world);
}
END_TEST

/* The transfer counts against the slack: 0.9 (2 x 1000 - 1600/8) = 1620, one step at most; with safety 0.5 it is 900.
 */
START_TEST(a_transfer_leaves_less_grace)
{
    struct config config = syncing(3, 1, 2, 4000);
    config.step_time_ns = 1000;
    config.grace = CONFIG_GRACE_ADAPTIVE;
    config.grace_safety = 0.5;
    add_network(&config, 3, (double[]){1600, 1600, 1600});
    open_at(&config, (sim_time[]){1000, 5000, 5000});
    ck_assert_int_eq(world.syncer.transfer_average_ns, 0);
    rig_finish(&world);
    expect_round(0, 1000, 2000, 1); /* 0.5 x 2000: the first transfer is still to come */
    expect_round(1, 2000, 2900, 1); /* 0.5 (2000 - 200) */
    ck_assert_int_eq(world.syncer.transfer_average_ns, 200 + 1400 / 8);
    world_fini(&world);
}
END_TEST

/* Steps of 10 and 15, K = 1, P = H = 3, 1000 tokens a step; w = tokens^2 / steps. "(2)": steps that the update of a
 * fragment overwrites. 10 round 0, fragment 0: a 1 step, 1e6. 15 b takes in fragment 0 (1). Round 1, fragment 1: b 1
 * step, 1e6. 20 a takes in fragment 1 (2). Round 2, fragment 2: a 2 steps, 2e6. 30 b takes in fragment 2 (2). Round 3,
 * fragment 0: a 2 steps, 2e6; b 1 step, 1e6; effective learners 9 / 5. */
START_TEST(merge_weights_by_hand)
{
    static const double weight[] = {1e6, 1e6, 2e6, 3e6}, effective[] = {1, 1, 1, 1.8}, tokens[] = {1, 1, 2, 3};
    struct config config = syncing(2, 1, 2, 30);
    config.fragments = config.sync_every = 3;
    open_at(&config, (sim_time[]){10, 15});
    rig_finish(&world);
    ck_assert_int_eq(rounds, 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(seen[i].fragment, i % 3);
        ck_assert_int_eq(seen[i].staleness_max, i);
        ck_assert_double_eq(seen[i].weight, weight[i]);
        ck_assert_double_eq(seen[i].effective_learners, effective[i]);
        ck_assert_double_eq_tol(seen[i].tokens, tokens[i] * 1000 / 3, 1e-9);
    }
    ck_assert_int_eq((int64_t)world.learner[0].count.overwritten, 2);
    ck_assert_int_eq((int64_t)world.learner[1].count.overwritten, 1 + 2);
    ck_assert_int_eq((int64_t)world.syncer.count.merged.claims, 5);
    ck_assert_int_eq((int64_t)world.syncer.count.merged.staleness, 0 + 1 + 2 + 3 + 3);
    world_fini(&world);
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
    tcase_add_test(tcase, waiting_for_a_quorum_leaves_less_grace);
    tcase_add_test(tcase, grace_is_a_share_of_the_slack);
    tcase_add_test(tcase, a_transfer_leaves_less_grace);
    tcase_add_test(tcase, a_quorum_can_be_lost_again);
    tcase_add_test(tcase, grace_does_not_wait_for_who_is_away);
    tcase_add_test(tcase, a_round_without_a_fragment_has_no_grace);
}

static void add_flights(TCase *tcase)
{
    tcase_add_test(tcase, tau_rounds_are_in_flight);
    tcase_add_test(tcase, one_round_in_flight_at_least);
    tcase_add_test(tcase, updates_arrive_in_the_order_of_their_rounds);
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
    add_flights(tcase);
    tcase_add_test(tcase, merge_weights_by_hand);
    tcase_add_test(tcase, a_full_quorum_waits_for_who_is_away);
    tcase_add_test(tcase, fragments_take_turns);
    tcase_add_test(tcase, a_round_without_a_fragment_blocks_nobody);
    tcase_add_exit_test(tcase, a_report_of_who_is_away_stops, 1);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
