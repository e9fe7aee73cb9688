/* Outages and recovery by hand. Learners of one chip, steps of 10, U = 6, tau = 2, K = 1, recover_after 4 steps;
 * learner 0 reports every 10 and closes a round with each report unless somebody else does; learner 1 is preempted at
 * 13, its second step lost. */
#include "tests/rig.h"

static struct world world;
static struct rig_absence absence[4];

static struct config pair(int64_t learners, sim_time duration)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.duration_ns = duration;
    config.chips = config.learners = learners;
    config.chips_per_slice = 1;
    config.step_time_ns = 10;
    config.upscale_ns = 6;
    config.recover_after = 4;
    return config;
}

/* A copy of the state takes so long, a fragment no time: one datacentre. */
static void add_copies(struct config *config, sim_time copy_ns)
{
    config->parameters = 1e9;
    config->bits = 1;
    config->datacentres = 1;
    config->link_bits_per_s = 3e18 / (double)copy_ns;
}

static void open_with(const struct config *config, int count, const struct rig_absence script[])
{
    rig_open(&world, config);
    for (int i = 0; i < count; i++) {
        absence[i] = script[i];
        rig_preempt(&world, &absence[i]);
    }
}

static void play(const struct config *config, int count, const struct rig_absence script[])
{
    open_with(config, count, script);
    rig_finish(&world);
}

static int64_t bucket(int64_t learner, enum run_bucket bucket)
{
    return (int64_t)world.learner[learner].count.account.bucket[bucket];
}

static void expect(int64_t learner, int64_t recoveries, int64_t recovering, int64_t useful)
{
    ck_assert_int_eq(world.learner[learner].count.recoveries, recoveries);
    ck_assert_int_eq(bucket(learner, RUN_BUCKET_recovering), recovering);
    ck_assert_int_eq(bucket(learner, RUN_BUCKET_useful), useful);
}

/* Given back at 57, up at 63: 50 ns without a step are no more than 5 of them, it goes on with the state it has. At 58,
 * up at 64: more. It waits for the broadcast of 70, copies in no time. 0-10 useful, then 63-100 or 70-100. */
START_TEST(an_outage_longer_than_recover_after_is_too_long)
{
    struct config config = pair(2, 100);
    config.recover_after = 5;
    play(&config, 1, (struct rig_absence[]){{13, 57, 1, NULL}});
    expect(1, 0, 0, 10 + 37);
    world_fini(&world);
    play(&config, 1, (struct rig_absence[]){{13, 58, 1, NULL}});
    expect(1, 1, 6, 10 + 30);
    expect(0, 0, 0, 100);
    world_fini(&world);
}
END_TEST

/* recover_after 0: every outage. Up at 26: waits for 30. A reconfiguration is not an outage: learner 0, of two slices,
 * loses one. */
START_TEST(any_outage_may_be_too_long)
{
    static struct rig_failure failure = {.time = 33, .chip = 0, .delay = 5};
    struct config config = pair(2, 100);
    config.recover_after = 0;
    config.chips = 4;
    config.downscale_ns = 4;
    open_with(&config, 1, (struct rig_absence[]){{13, 20, 1, NULL}});
    rig_schedule(&world, &failure);
    rig_finish(&world);
    expect(1, 1, 2 * 4, 2 * (10 + 70));
    ck_assert_int_eq(world.learner[0].count.recoveries, 0);
    ck_assert_int_gt(bucket(0, RUN_BUCKET_upscale), 0);
    world_fini(&world);
}
END_TEST

/* The same by failures: the only slice of learner 1 fails at 13, and it is away from 20 on; back at 64, up at 70, 50 ns
 * later: it goes on. Back at 65, up at 71: it waits for the broadcast of 80. */
START_TEST(away_is_an_outage_too)
{
    static struct rig_failure failure;
    struct config config = pair(2, 100);
    config.recover_after = 5;
    failure = (struct rig_failure){.time = 13, .chip = 1, .delay = 51};
    rig_open(&world, &config);
    rig_schedule(&world, &failure);
    rig_finish(&world);
    expect(1, 0, 0, 20 + 30);
    world_fini(&world);
    failure.delay = 52;
    rig_open(&world, &config);
    rig_schedule(&world, &failure);
    rig_finish(&world);
    expect(1, 1, 9, 20 + 20);
    world_fini(&world);
}
END_TEST

/* Rounds are planned, and keep a learner whose slice fails at 25 s until its step ends at 30 s; then it rebuilds itself
 * for D. The slice is back at 26 s, which is heard in the same way, and taken in for U. */
START_TEST(what_is_heard_in_a_step_waits_for_its_end)
{
    static struct rig_failure failure;
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.learners = 2;
    config.step_time_ns = 10 * SIM_SECOND;
    failure = (struct rig_failure){.time = 25 * SIM_SECOND, .chip = 0, .delay = SIM_SECOND};
    rig_open(&world, &config);
    rig_schedule(&world, &failure);
    const struct learner *learner = &world.learner[0];
    (void)sim_run(&world.sim, 24 * SIM_SECOND);
    enum learner_keeper keeper = learner->keeper;
    ck_assert_int_ne(keeper, LEARNER_ITSELF);
    for (int at = 25; at < 30; at++) {
        (void)sim_run(&world.sim, at * SIM_SECOND);
        ck_assert(!slice_list_is_empty(&learner->failing));
        ck_assert_int_eq(learner->keeper, keeper);
        ck_assert_int_eq(sim_lane_time(&world.sim.lane, 0), 30 * SIM_SECOND);
    }
    (void)sim_run(&world.sim, 30 * SIM_SECOND);
    ck_assert_int_eq(learner->state, LEARNER_DOWNSCALING);
    ck_assert_int_eq(learner->total.steps, 3);
    (void)sim_run(&world.sim, 35 * SIM_SECOND);
    ck_assert_int_eq(learner->state, LEARNER_STEPPING);
    ck_assert_int_eq(bucket(0, RUN_BUCKET_downscale), 24 * (2 * SIM_SECOND));
    ck_assert_int_eq(bucket(0, RUN_BUCKET_upscale), 32 * (3 * SIM_SECOND));
    world_fini(&world);
}
END_TEST

/* Stamped at 70, a copy of 25: steps from 95. It has the updates of rounds up to 8 (closed at 90): at 105 round 10
 * counts its one step of fragment 10, and fragment 9 (closed at 100) has just overwritten it; nothing it did before its
 * absence weighs any more. */
START_TEST(a_copy_takes_its_time)
{
    struct config config = pair(2, 106);
    add_copies(&config, 25);
    play(&config, 1, (struct rig_absence[]){{13, 57, 1, NULL}});
    expect(1, 1, 95 - 63, 10 + 11);
    for (int64_t p = 0; p < 24; p++) {
        const struct ledger_entry entry = ledger_entry(&world.syncer.ledger, 1, p);
        ck_assert_int_eq(entry.round, p <= 10 ? p : -1);
        ck_assert_int_eq(entry.received.steps, p == 9 || p == 10 ? 2 : 1);
    }
    ck_assert_int_eq(world.syncer.count.rounds, 11);
    world_fini(&world);
}
END_TEST

/* H = 4, a copy of 100 stamped with round 6 (closed at 70): rounds 7 to 10 pass, at 80 to 110; round 11 may not.
 * Learner 0 reports at 120, 130, 140, and is then two steps ahead: blocked until 170, when the copy is there and three
 * rounds close at once. */
START_TEST(at_most_h_rounds_pass_during_a_copy)
{
    struct config config = pair(2, 172);
    config.fragments = config.sync_every = 4;
    add_copies(&config, 100);
    open_with(&config, 1, (struct rig_absence[]){{13, 57, 1, NULL}});
    (void)sim_run(&world.sim, 169);
    ck_assert_int_eq(world.syncer.count.rounds, 11);
    ck_assert_int_eq(world.syncer.state, SYNCER_MERGING);
    rig_finish(&world);
    ck_assert_int_eq(world.syncer.count.rounds, 14);
    ck_assert_int_eq(bucket(0, RUN_BUCKET_blocked), 30);
    expect(1, 1, 170 - 63, 10 + 2);
    world_fini(&world);
}
END_TEST

/* Two copies: stamped with 6 at 70 and, of learner 2 (given back at 92, up at 98), with 9 at 100. The older one binds:
 * until 170 rounds up to 10; then that of 9: round 13 is the last until 200. Rounds 7 to 10 at 80 to 110; 11 to 13 at
 * 170, of the reports of 120, 130, 140. Learner 0 steps on at 170: 180, 190; and 1 steps, too. */
START_TEST(the_oldest_copy_binds)
{
    struct config config = pair(3, 205);
    config.fragments = config.sync_every = 4;
    add_copies(&config, 100);
    open_with(&config, 2, (struct rig_absence[]){{13, 57, 1, NULL}, {13, 92, 2, NULL}});
    (void)sim_run(&world.sim, 169);
    ck_assert_int_eq(world.syncer.count.rounds, 11);
    (void)sim_run(&world.sim, 199);
    ck_assert_int_eq(world.syncer.count.rounds, 14);
    rig_finish(&world);
    expect(1, 1, 170 - 63, 10 + 35);
    expect(2, 1, 200 - 98, 10 + 5);
    world_fini(&world);
}
END_TEST

/* Learner 0 is gone, too, from 31 to 200: nobody to copy from, learner 1 goes on at 63 as it is, with K = 1. Learner 0
 * has a peer at 206: it waits for the broadcast of 213 (of 63 + 150). */
START_TEST(without_peers_a_stale_state_goes_on)
{
    struct config config = pair(2, 240);
    play(&config, 2, (struct rig_absence[]){{13, 57, 1, NULL}, {31, 200, 0, NULL}});
    expect(1, 0, 0, 10 + 177);
    expect(0, 1, 7, 30 + 27);
    world_fini(&world);
}
END_TEST

/* The last peer leaves at 65, before its broadcast of 70 came: no use to wait any longer. */
START_TEST(nobody_waits_for_a_quorum_that_is_lost)
{
    struct config config = pair(2, 100);
    play(&config, 2, (struct rig_absence[]){{13, 57, 1, NULL}, {65, SIM_TIME_NEVER, 0, NULL}});
    expect(1, 0, 2, 10 + 35);
    world_fini(&world);
}
END_TEST

/* A copy goes on when the peers leave: it is from one that answered. */
START_TEST(a_copy_under_way_arrives)
{
    struct config config = pair(2, 100);
    add_copies(&config, 25);
    play(&config, 2, (struct rig_absence[]){{13, 57, 1, NULL}, {75, SIM_TIME_NEVER, 0, NULL}});
    expect(1, 1, 95 - 63, 10 + 5);
    world_fini(&world);
}
END_TEST

/* Preempted at 100 in a copy of 100 that began at 70: it is lost. Given back at 110, up at 116, waits for 120, copies
 * until 220. The first copy no longer holds up the syncer, the second does: stamped with 11 (120), so rounds up to 15
 * (160). */
START_TEST(preempted_while_copying)
{
    struct config config = pair(2, 225);
    config.fragments = config.sync_every = 4;
    add_copies(&config, 100);
    open_with(&config, 2, (struct rig_absence[]){{13, 57, 1, NULL}, {100, 110, 1, NULL}});
    (void)sim_run(&world.sim, 219);
    ck_assert_int_eq(world.syncer.count.rounds, 16);
    ck_assert_int_eq(world.syncer.copying, 1);
    rig_finish(&world);
    ck_assert_int_eq(world.syncer.copying, 0);
    expect(1, 1, (100 - 63) + (220 - 116), 10 + 5);
    world_fini(&world);
}
END_TEST

/* Preempted for ever while copying: nothing holds up the others. */
START_TEST(a_copy_that_is_given_up_holds_up_nobody)
{
    struct config config = pair(2, 400);
    config.fragments = config.sync_every = 4;
    add_copies(&config, 1000);
    play(&config, 2, (struct rig_absence[]){{13, 57, 1, NULL}, {200, SIM_TIME_NEVER, 1, NULL}});
    ck_assert_int_eq(world.learner[0].count.recoveries + world.learner[1].count.recoveries, 0);
    /* rounds 7 to 10 until 110, reports at 120 to 140, blocked until 200 */
    ck_assert_int_eq(bucket(0, RUN_BUCKET_blocked), 60);
    ck_assert_int_eq(bucket(0, RUN_BUCKET_useful), 340);
    ck_assert_int_eq(world.syncer.count.rounds, 34);
    world_fini(&world);
}
END_TEST

/* K = M: without it no round closes, so it cannot wait for one; nor may anybody else. Both step on at 63, and so for K
 * = 2 of 3 when two are gone. */
START_TEST(whose_report_is_needed_never_waits)
{
    struct config config = pair(2, 100);
    config.quorum = 2;
    play(&config, 1, (struct rig_absence[]){{13, 57, 1, NULL}});
    expect(1, 0, 0, 10 + 37);
    ck_assert_int_eq(bucket(0, RUN_BUCKET_blocked), 73 - 40); /* reports at 20, 30, 40 */
    world_fini(&world);
    config = pair(3, 100);
    config.quorum = 2;
    play(&config, 2, (struct rig_absence[]){{13, 57, 1, NULL}, {13, 80, 2, NULL}});
    expect(1, 0, 0, 10 + 37);
    expect(2, 1, 93 - 86, 10 + 7); /* the other two close rounds at 73, 83, 93 */
    world_fini(&world);
}
END_TEST

/* A slice fails at 80 during the copy of 70 to 95: noticed then. The learner has two slices: down for 4 with one. */
START_TEST(a_failure_during_a_copy)
{
    static struct rig_failure failure;
    struct config config = pair(2, 109);
    config.chips = 4;
    config.downscale_ns = 4;
    add_copies(&config, 25);
    failure = (struct rig_failure){.time = 80, .chip = 3, .delay = SIM_TIME_NEVER};
    open_with(&config, 1, (struct rig_absence[]){{13, 57, 1, NULL}});
    rig_schedule(&world, &failure);
    rig_finish(&world);
    expect(1, 1, 2 * (95 - 63), 2 * 10 + 10);
    ck_assert_int_eq(bucket(1, RUN_BUCKET_downscale), 4);
    world_fini(&world);
}
END_TEST

/* Claims on a state that missed a cycle are void until the fragment is received anew. H = P = 4; learner 1 is gone from
 * 13, on its way up from 56, which is when updates reach it again, and steps from 62. Learner 0 closes rounds 0 (with
 * 1) to 6 at 10 to 70, then 8 and 10 at 80 and 90; learner 1 closes 7, 9 and 11 at 72, 82 and 92. Round 7: fragment 3,
 * which learner 1 never received: void. Round 9: fragment 1, received in round 5 (60). Round 11: fragment 3, received
 * in round 7. */
START_TEST(a_stale_state_weighs_nothing)
{
    struct config config = pair(2, 92);
    config.recover_after = 5;
    config.fragments = config.sync_every = 4;
    open_with(&config, 1, (struct rig_absence[]){{13, 56, 1, NULL}});
    (void)sim_run(&world.sim, 71);
    ck_assert_int_eq((int64_t)world.syncer.count.merged.claims, 2 + 6);
    (void)sim_run(&world.sim, 72);
    ck_assert_int_eq(world.syncer.count.rounds, 8);
    ck_assert_int_eq((int64_t)world.syncer.count.merged.claims, 2 + 6);
    rig_finish(&world);
    ck_assert_int_eq(world.syncer.count.rounds, 12);
    ck_assert_int_eq((int64_t)world.syncer.count.merged.claims, 2 + 6 + 4);
    ck_assert_int_eq(world.syncer.count.merged.staleness_max, 4);
    world_fini(&world);
}
END_TEST

/* Not there when the run begins, given at 100, up at 106: waits for the broadcast of 110 and copies until 135. Until it
 * steps nothing waits for it, and what it reports at 145 is the first that is merged of it. */
START_TEST(a_newcomer_copies_the_state)
{
    struct config config = pair(2, 200);
    add_copies(&config, 25);
    open_with(&config, 1, (struct rig_absence[]){{0, 100, 1, NULL}});
    (void)sim_run(&world.sim, 144);
    ck_assert_int_eq((int64_t)world.syncer.count.merged.claims, 14);
    ck_assert_int_eq(world.learner[1].total.steps, 0);
    rig_finish(&world);
    expect(1, 1, 135 - 106, 200 - 135);
    expect(0, 0, 0, 200);
    ck_assert_int_eq(bucket(1, RUN_BUCKET_away), 100);
    ck_assert_int_eq((int64_t)world.syncer.count.merged.claims, 20 + 6);
    world_fini(&world);
}
END_TEST

static void add_copying(TCase *tcase)
{
    tcase_add_test(tcase, a_copy_takes_its_time);
    tcase_add_test(tcase, at_most_h_rounds_pass_during_a_copy);
    tcase_add_test(tcase, the_oldest_copy_binds);
    tcase_add_test(tcase, a_copy_under_way_arrives);
    tcase_add_test(tcase, preempted_while_copying);
    tcase_add_test(tcase, a_copy_that_is_given_up_holds_up_nobody);
    tcase_add_test(tcase, a_failure_during_a_copy);
    tcase_add_test(tcase, a_newcomer_copies_the_state);
}

int main(void)
{
    Suite *suite = suite_create("learner sync");
    TCase *tcase = tcase_create("learner sync");
    tcase_add_test(tcase, an_outage_longer_than_recover_after_is_too_long);
    tcase_add_test(tcase, any_outage_may_be_too_long);
    tcase_add_test(tcase, away_is_an_outage_too);
    tcase_add_test(tcase, what_is_heard_in_a_step_waits_for_its_end);
    add_copying(tcase);
    tcase_add_test(tcase, without_peers_a_stale_state_goes_on);
    tcase_add_test(tcase, nobody_waits_for_a_quorum_that_is_lost);
    tcase_add_test(tcase, whose_report_is_needed_never_waits);
    tcase_add_test(tcase, a_stale_state_weighs_nothing);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
