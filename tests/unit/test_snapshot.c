/* Snapshots and restarts of everything at chosen times: every number below is worked out by hand. Learners of two chips
 * in slices of one; a step is 10 ns, all learners report at once and each step closes a round. A snapshot begins with
 * every second round and costs 5, reading it takes 7, D = 4, U = 6, the run 100. */
#include "tests/rig.h"

static struct world world;

static struct config tiny(int64_t learners)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.duration_ns = 100;
    config.learners = learners;
    config.chips = 2 * learners;
    config.chips_per_slice = 1;
    config.step_time_ns = 10;
    config.downscale_ns = 4;
    config.upscale_ns = 6;
    config.quorum = learners;
    config.fragments = config.sync_every = 3;
    config.recover_after = 3;
    config.checkpoint_every_ns = 20;
    config.checkpoint_every_rounds = 2;
    config.checkpoint_cost_ns = 5;
    config.checkpoint_restore_ns = 7;
    return config;
}

static void break_syncer(sim_time from, sim_time until)
{
    static struct rig_outage outage;
    outage = (struct rig_outage){.from = from, .until = until};
    rig_break_syncer(&world, &outage);
}

/* A source that can take the syncer down is what gives it the beginning to go back to. */
static void open(struct config *config)
{
    rig_add_outage(config, "syncer", 1e9, rig_constant(0));
    rig_open(&world, config);
}

struct sums {
    int64_t useful, lost, checkpoint, restart, blocked; /* ns of each learner */
    int64_t rounds, checkpoints, rollbacks, steps, steps_lost;
};

static void expect(struct sums sums)
{
    rig_finish(&world);
    for (int64_t i = 0; i < world.config->learners; i++) {
        const struct learner_count *count = &world.learner[i].count;
        const sim_chip_time *bucket = count->account.bucket;
        ck_assert_int_eq((int64_t)bucket[RUN_BUCKET_useful], 2 * sums.useful);
        ck_assert_int_eq((int64_t)bucket[RUN_BUCKET_lost], 2 * sums.lost);
        ck_assert_int_eq((int64_t)bucket[RUN_BUCKET_checkpoint], 2 * sums.checkpoint);
        ck_assert_int_eq((int64_t)bucket[RUN_BUCKET_restart], 2 * sums.restart);
        ck_assert_int_eq((int64_t)bucket[RUN_BUCKET_blocked], 2 * sums.blocked);
        ck_assert_int_eq((int64_t)account_total(&count->account), 200);
        ck_assert_int_eq(count->steps, sums.steps);
        ck_assert_int_eq(count->steps_lost, sums.steps_lost);
        ck_assert_int_eq((int64_t)count->chip_steps, 2 * sums.steps);
        ck_assert_int_eq(world.learner[i].total.steps, sums.steps);
    }
    ck_assert_int_eq(world.syncer.count.rounds, sums.rounds);
    ck_assert_int_eq(world.count.checkpoints, sums.checkpoints);
    ck_assert_int_eq(world.count.rollbacks, sums.rollbacks);
    world_fini(&world);
}

/* Rounds at 10, 20, ...; snapshots begin at 20, 40, ..., in the background ready at 25, 45, 65, 85. Blocking, the pause
 * follows the step that has just begun: 30-35, 55-60 (begun at 45), 80-85 (begun at 70); 95 begins another. */
START_TEST(without_failures)
{
    struct config config = tiny(2);
    config.checkpoint_mode = CONFIG_BACKGROUND;
    open(&config);
    expect((struct sums){.useful = 100, .rounds = 10, .checkpoints = 4, .steps = 10});
    config = tiny(2);
    open(&config);
    expect((struct sums){.useful = 85, .checkpoint = 15, .rounds = 8, .checkpoints = 3, .steps = 8});
}
END_TEST

/* Down from 47 to 57. Back to what was recorded at 40: the step that began then runs to 50 and is lost; 50-57 blocked,
 * 57-64 restore, rounds at 74, 84 (snapshot, ready at 89), 94. */
START_TEST(back_to_the_last_snapshot)
{
    struct config config = tiny(2);
    config.checkpoint_mode = CONFIG_BACKGROUND;
    open(&config);
    break_syncer(47, 57);
    expect((struct sums){.useful = 76,
                         .lost = 10,
                         .restart = 7,
                         .blocked = 7,
                         .rounds = 7,
                         .checkpoints = 3,
                         .rollbacks = 1,
                         .steps = 7,
                         .steps_lost = 1});
}
END_TEST

/* Blocking: the snapshot begun at 20 is complete at 35, after the pause; the one begun at 45 is not at 47. Back to 20:
 * 20-30 and 35-55 are lost, 55-57 blocked, 57-64 restore, rounds at 74, 84 (snapshot), 94; 94-99 pause. */
START_TEST(an_unfinished_snapshot_is_void)
{
    struct config config = tiny(2);
    open(&config);
    break_syncer(47, 57);
    expect((struct sums){.useful = 51,
                         .lost = 30,
                         .checkpoint = 10,
                         .restart = 7,
                         .blocked = 2,
                         .rounds = 5,
                         .checkpoints = 2,
                         .rollbacks = 1,
                         .steps = 5,
                         .steps_lost = 3});
}
END_TEST

/* Without a checkpoint section everything begins anew, at once: 57-100, rounds at 67, 77, 87, 97. */
START_TEST(back_to_the_beginning)
{
    struct config config = tiny(2);
    config.checkpoint_every_ns = config.checkpoint_cost_ns = config.checkpoint_restore_ns = 0;
    open(&config);
    break_syncer(47, 57);
    expect((struct sums){
        .useful = 43, .lost = 50, .blocked = 7, .rounds = 4, .rollbacks = 1, .steps = 4, .steps_lost = 5});
}
END_TEST

/* The warm-up ends at 45: of what is taken back only 45-50 is in the window, and no round is. */
START_TEST(the_warm_up_keeps_what_was_done_in_it)
{
    struct config config = tiny(2);
    config.checkpoint_mode = CONFIG_BACKGROUND;
    config.warmup_ns = 45;
    open(&config);
    break_syncer(47, 57);
    rig_finish(&world);
    ck_assert_int_eq((int64_t)rig_bucket(&world, RUN_BUCKET_useful), 4 * 36);
    ck_assert_int_eq((int64_t)rig_bucket(&world, RUN_BUCKET_lost), 4 * 5);
    ck_assert_int_eq(world.syncer.count.rounds, 3);
    ck_assert_int_eq(world.learner[1].count.steps, 3);
    ck_assert_int_eq(world.learner[1].total.steps, 7);
    world_fini(&world);
}
END_TEST

/* Learner 2 is away from 5 to 41 and in no snapshot; the last was recorded at 40. At 47 it steps again, but cannot read
 * a state: it waits for a broadcast and copies the state from a peer. The others read from 47 to 54 and close the next
 * round at 64. */
START_TEST(who_was_left_out_recovers_from_a_peer)
{
    static struct rig_absence absence;
    struct config config = tiny(3);
    config.checkpoint_mode = CONFIG_BACKGROUND;
    config.upscale_ns = 2;
    config.quorum = 2;
    config.recover_after = 24;
    absence = (struct rig_absence){.from = 5, .until = 41, .learner = 2};
    open(&config);
    rig_preempt(&world, &absence);
    break_syncer(47, 47);
    (void)sim_run(&world.sim, 46);
    ck_assert_int_eq(world.count.checkpoints, 2);
    ck_assert_int_eq(world.learner[2].state, LEARNER_STEPPING);
    (void)sim_run(&world.sim, 47);
    ck_assert_int_eq(world.learner[0].state, LEARNER_RESTORING);
    ck_assert_int_eq(world.learner[2].state, LEARNER_RECOVERING);
    (void)sim_run(&world.sim, 63);
    ck_assert_int_eq(world.learner[2].state, LEARNER_RECOVERING);
    (void)sim_run(&world.sim, 64);
    ck_assert_int_eq(world.learner[2].state, LEARNER_STEPPING);
    ck_assert_int_eq(world.learner[2].count.recoveries, 1);
    world_fini(&world);
}
END_TEST

/* An update takes 14 ns to arrive, 7 of them the pull: that of the second round lands at 34 with the marker behind it,
 * and is taken in at 40. What was reported at 30 and 40 is across the cut: back in the snapshot, the learners have made
 * four steps, and the syncer closes two rounds with these reports before anybody makes another. */
START_TEST(reports_across_the_cut_are_replayed)
{
    struct config config = tiny(2);
    config.checkpoint_mode = CONFIG_BACKGROUND;
    config.fragments = config.sync_every = 4;
    config.sync_overlap = 3;
    config.parameters = 4;
    config.bits = 1;
    config.datacentres = 2;
    config.link_bits_per_s = 1e9 / 14;
    open(&config);
    break_syncer(46, 46);
    (void)sim_run(&world.sim, 45);
    ck_assert_int_eq(world.count.checkpoints, 1);
    const struct snapshot *snapshot = &world.syncer.snapshots.slot[1];
    ck_assert_int_eq(snapshot->rounds, 2);
    for (int i = 0; i < 2; i++) {
        const struct snapshot_learner *saved = &snapshot->learner[i];
        ck_assert_int_eq(saved->mark.steps, 4);
        ck_assert_int_eq(saved->reports, 2);
        ck_assert_int_eq(saved->report[0], 3);
        ck_assert_int_eq(saved->report[1], 4);
    }
    (void)sim_run(&world.sim, 52);
    ck_assert_int_eq(world.syncer.round, 2);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(world.learner[i].owed_count, 2);
        ck_assert_int_eq(world.learner[i].total.steps, 4);
    }
    (void)sim_run(&world.sim, 53);
    ck_assert_int_eq(world.syncer.round, 4);
    ck_assert_int_eq(world.learner[0].total.steps, 4);
    world_fini(&world);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("snapshot");
    TCase *tests = tcase_create("snapshot");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, without_failures);
    tcase_add_test(tests, back_to_the_last_snapshot);
    tcase_add_test(tests, an_unfinished_snapshot_is_void);
    tcase_add_test(tests, back_to_the_beginning);
    tcase_add_test(tests, the_warm_up_keeps_what_was_done_in_it);
    tcase_add_test(tests, who_was_left_out_recovers_from_a_peer);
    tcase_add_test(tests, reports_across_the_cut_are_replayed);
    return rig_main(suite);
}
