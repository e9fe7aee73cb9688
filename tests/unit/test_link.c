/* Links that are cut, by hand. Learners of one chip, steps of 10, tau = 2, K = 1, a fragment in every round, unless a
 * test says otherwise. */
#include "tests/rig.h"

static struct world world;

static struct config learners(int64_t count, sim_time duration)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.duration_ns = duration;
    config.chips = config.learners = count;
    config.chips_per_slice = 1;
    config.step_time_ns = 10;
    config.sync_every = config.fragments = 3;
    config.sync_overlap = 2;
    config.recover_after = 100;
    return config;
}

/* Learners `first` to `last` are cut in [from, from + lasts). */
static void cut(struct config *config, int32_t first, int32_t last, sim_time from, sim_time lasts)
{
    rig_add_link(config, "wan", first, 0, rig_constant(0));
    struct config_source *source = &config->source[config->source_count - 1];
    for (int32_t i = first + 1; i <= last; i++)
        source->learner[source->learner_count++] = i;
    source->together = last > first ? CONFIG_TOGETHER_YES : CONFIG_TOGETHER_NO;
    source->calendar_every_ns = 1000000;
    source->calendar_from_ns = from;
    source->calendar_lasts_ns = lasts;
}

static void play(const struct config *config)
{
    rig_open(&world, config);
    rig_finish(&world);
}

static int64_t bucket(int64_t learner, enum run_bucket bucket)
{
    return (int64_t)world.learner[learner].count.account.bucket[bucket];
}

/* Cut at 35 when step 3 has been reported and its update has landed: it is owed that of step 4 at the earliest, and
 * goes on to step 6, at 60. Back at 87: it reports step 6 and steps from 87: 97, 107, ... 197. */
START_TEST(it_runs_tau_steps_ahead_and_waits)
{
    struct config config = learners(2, 200);
    cut(&config, 1, 1, 35, 52);
    play(&config);
    ck_assert_int_eq(world.learner[1].total.steps, 6 + 11);
    ck_assert_int_eq(bucket(1, RUN_BUCKET_blocked), 87 - 60);
    ck_assert_int_eq(world.learner[0].total.steps, 20);
    ck_assert_int_eq(bucket(0, RUN_BUCKET_blocked), 0);
    ck_assert_int_eq(world.learner[1].count.cuts, 1);
    ck_assert_int_eq(world.learner[1].count.cut_ns, 52);
    ck_assert_int_eq(world.learner[0].count.cuts, 0);
    world_fini(&world);
}
END_TEST

/* Back before that, at 55, it has not waited, and its step 6 is merged with the two before it. */
START_TEST(a_short_cut_costs_nothing)
{
    struct config config = learners(2, 100);
    cut(&config, 1, 1, 35, 20);
    config.quorum = 1;
    play(&config);
    ck_assert_int_eq(world.learner[1].total.steps, 10);
    ck_assert_int_eq(bucket(1, RUN_BUCKET_useful), 100);
    ck_assert_int_eq(world.syncer.count.rounds, 10);
    ck_assert_int_eq((int64_t)world.syncer.count.participants, 10 + 8); /* not in those of 40 and 50 */
    world_fini(&world);
}
END_TEST

/* K = M: no round closes from 35 to 87. Learner 0 has reported steps 4 to 6 and waits from 60 for the update of 4; at
 * 87 learner 1 reports step 6: a round closes, learner 0 goes on until it is two steps ahead of step 5, which it owes
 * already: from 87 to 97. */
START_TEST(a_full_quorum_waits_for_the_link)
{
    struct config config = learners(2, 92);
    config.quorum = 2;
    cut(&config, 1, 1, 35, 52);
    rig_open(&world, &config);
    (void)sim_run(&world.sim, 86);
    ck_assert_int_eq(world.syncer.count.rounds, 3);
    ck_assert_int_eq(world.learner[0].state, LEARNER_BLOCKED);
    ck_assert_int_eq(world.learner[1].state, LEARNER_BLOCKED);
    rig_finish(&world);
    ck_assert_int_eq(world.syncer.count.rounds, 4);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(world.learner[i].total.steps, 6);
        ck_assert_int_eq(bucket(i, RUN_BUCKET_blocked), 87 - 60);
    }
    world_fini(&world);
}
END_TEST

/* A partition of four: the side with the syncer has a quorum of two and goes on, the other does not, though it has as
 * many learners; from 135 on it reports 5 ns before the others and fills quorums of its own. With K = 3 nobody has one
 * from 30 to 135. */
START_TEST(a_partition_has_one_side_with_the_syncer)
{
    struct config config = learners(4, 205);
    config.quorum = 2 + _i;
    cut(&config, 0, 1, 35, 100);
    play(&config);
    ck_assert_int_eq(world.learner[0].count.cut_ns + world.learner[1].count.cut_ns, 200);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(bucket(i, RUN_BUCKET_blocked), i < 2 || _i == 1 ? 135 - 60 : 0);
    ck_assert_int_eq(world.syncer.count.rounds, _i == 0 ? 20 + 8 : 3 + 8);
    world_fini(&world);
}
END_TEST

/* recover_after 5: a cut of 50 is repaired as it is, one of 51 is not: the step that began at 60 (tau = 9) is stopped
 * at 86, and the state copied with the broadcast of 90. */
START_TEST(a_long_cut_needs_a_copy)
{
    struct config config = learners(2, 100);
    config.recover_after = 5;
    config.sync_every = config.fragments = 10;
    config.sync_overlap = 9;
    cut(&config, 1, 1, 35, 50 + _i);
    play(&config);
    ck_assert_int_eq(world.learner[1].count.recoveries, _i);
    ck_assert_int_eq(world.learner[1].total.steps, _i == 0 ? 10 : 8 + 1);
    ck_assert_int_eq(bucket(1, RUN_BUCKET_lost), _i == 0 ? 0 : 6);
    ck_assert_int_eq(bucket(1, RUN_BUCKET_recovering), _i == 0 ? 0 : 4);
    world_fini(&world);
}
END_TEST

/* Two sources that overlap are one cut: from 35 to 75. */
START_TEST(cuts_overlap)
{
    struct config config = learners(2, 100);
    cut(&config, 1, 1, 35, 20);
    cut(&config, 0, 1, 45, 30);
    play(&config);
    ck_assert_int_eq(world.learner[1].count.cuts, 1);
    ck_assert_int_eq(world.learner[1].count.cut_ns, 40);
    ck_assert_int_eq(world.learner[0].count.cuts, 1);
    ck_assert_int_eq(world.learner[0].count.cut_ns, 30);
    world_fini(&world);
}
END_TEST

/* An update that is on its way when the link is cut is lost; a cut that is over before it lands costs nothing. */
START_TEST(what_lands_during_a_cut_is_missed)
{
    struct config config = learners(2, 60);
    config.parameters = 1e9;
    config.bits = 1;
    config.datacentres = 2;
    config.link_bits_per_s = 1e18 / 16; /* 5 ns for a third of the model */
    cut(&config, 1, 1, 31, _i == 0 ? 25 : 1);
    rig_open(&world, &config);
    (void)sim_run(&world.sim, 50);
    const struct ledger_entry entry = ledger_entry(&world.syncer.ledger, 1, 2); /* fragment 2, sent at 30 */
    ck_assert_int_eq(entry.round, _i == 0 ? -1 : 2);
    rig_finish(&world);
    world_fini(&world);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("link");
    TCase *tcase = tcase_create("link");
    tcase_add_test(tcase, it_runs_tau_steps_ahead_and_waits);
    tcase_add_test(tcase, a_short_cut_costs_nothing);
    tcase_add_test(tcase, a_full_quorum_waits_for_the_link);
    tcase_add_loop_test(tcase, a_partition_has_one_side_with_the_syncer, 0, 2);
    tcase_add_loop_test(tcase, a_long_cut_needs_a_copy, 0, 2);
    tcase_add_test(tcase, cuts_overlap);
    tcase_add_loop_test(tcase, what_lands_during_a_cut_is_missed, 0, 2);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
