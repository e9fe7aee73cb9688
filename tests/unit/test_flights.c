/* Updates on links that differ, worked out by hand. Learners of one chip, steps of 10, tau = 2, H = P = 4; a fragment
 * takes 20 both ways over the common link, half of it up and half down, and a copy of the state 240. */
#include "tests/rig.h"

static struct world world;

/* The link of one learner; a fragment takes `both_ns` there and back. */
static void add_link(struct config *config, int32_t learner, double both_ns)
{
    struct config_link *link = &config->link[config->link_count++];
    *link = (struct config_link){.learner_count = 1, .learner = {learner}, .bits_per_s = 20e18 / both_ns};
    (void)snprintf(link->name, sizeof link->name, "of %d", (int)learner);
}

/* Away from `from` for `lasts`, once. */
static void add_absence(struct config *config, int32_t learner, sim_time from, sim_time lasts)
{
    rig_add_preemption(config, "absence", learner, 0, rig_constant(0));
    struct config_source *source = &config->source[config->source_count - 1];
    source->calendar_every_ns = 1000000;
    source->calendar_from_ns = from;
    source->calendar_lasts_ns = lasts;
}

static int64_t blocked(int64_t learner)
{
    return (int64_t)world.learner[learner].count.account.bucket[RUN_BUCKET_blocked];
}

static void go_to(sim_time until)
{
    (void)sim_run(&world.sim, until);
}

/* Both report at 10 and 20. Round 0: pulled until 30 because of learner 1, at learner 0 at 40 and at learner 1 at 50;
 * round 1 ten later. At 30 both are two steps ahead: learner 0 until 40, learner 1 until 50, when round 0 is over and
 * round 2 finds its reports. */
START_TEST(the_slow_link_is_waited_for)
{
    struct config config = rig_linked(2, 2, 55);
    add_link(&config, 1, 40);
    rig_open(&world, &config);
    go_to(39);
    ck_assert_int_eq(world.syncer.flights.landed[0], -1);
    go_to(49);
    ck_assert_int_eq(world.syncer.flights.landed[0], 0);
    ck_assert_int_eq(world.syncer.flights.landed[1], -1);
    ck_assert_int_eq(world.syncer.count.rounds, 2);
    rig_finish(&world);
    ck_assert_int_eq(world.syncer.flights.landed[0], 1);
    ck_assert_int_eq(world.syncer.flights.landed[1], 0);
    ck_assert_int_eq(world.syncer.count.rounds, 3);
    ck_assert_int_eq(blocked(0), 10);
    ck_assert_int_eq(blocked(1), 20);
    world_fini(&world);
}
END_TEST

/* K = 1: the same with a learner 1 that needs 2000. Learner 0 waits for its own first pull, too: blocked from 30 on. */
START_TEST(a_link_that_is_too_slow_shows)
{
    struct config config = rig_linked(2, 1, 500);
    add_link(&config, 1, 2000);
    rig_open(&world, &config);
    rig_finish(&world);
    ck_assert_int_eq(blocked(0), 470);
    ck_assert_int_eq(blocked(1), 470);
    ck_assert_int_eq(world.syncer.count.rounds, 2);
    world_fini(&world);
}
END_TEST

/* Away for ever, it holds up nobody: learner 0 is never blocked, a round closes at each of its steps. */
START_TEST(the_slow_link_of_the_absent_is_not)
{
    struct config config = rig_linked(2, 1, 500);
    add_link(&config, 1, 2000);
    add_absence(&config, 1, 0, 1000000);
    rig_open(&world, &config);
    rig_finish(&world);
    ck_assert_int_eq(blocked(0), 0);
    ck_assert_int_eq(world.syncer.count.rounds, 50);
    world_fini(&world);
}
END_TEST

/* Pulled at 110 and 120, two rounds reach learner 0 at 120 and 130: it reports at 30, 130 and 140. Learner 1 leaves at
 * 150 with both on the way to it, and with that they are over: rounds 2 and 3 take the reports of 30 and 130. */
START_TEST(who_leaves_is_not_waited_for)
{
    struct config config = rig_linked(2, 1, 200);
    add_link(&config, 1, 200);
    add_absence(&config, 1, 150, 1000000 - 150);
    rig_open(&world, &config);
    go_to(149);
    ck_assert_int_eq(world.syncer.count.rounds, 2);
    ck_assert(!flights_have_room(&world.syncer.flights));
    go_to(150);
    ck_assert_int_eq(world.syncer.count.rounds, 4);
    ck_assert_int_eq(world.syncer.flights.count, 2);
    rig_finish(&world);
    world_fini(&world);
}
END_TEST

/* Learner 2, whose link is ten times faster, is back at 75. Round 6 closed at 70 and reaches it at 81, the others at
 * 90: only then can one of them answer. The copy goes as fast as the slower link. */
START_TEST(a_peer_answers_when_it_has_seen_the_round)
{
    struct config config = rig_linked(3, 1, 400);
    add_link(&config, 2, 2);
    add_absence(&config, 2, 5, 70);
    rig_open(&world, &config);
    const struct learner *learner = &world.learner[2];
    go_to(80);
    ck_assert_int_eq(learner->state, LEARNER_RECOVERING);
    ck_assert_int_eq(learner->copy_round, -1);
    go_to(89);
    ck_assert_int_eq(learner->copy_round, 6);
    ck_assert(!learner->is_copying);
    go_to(90);
    ck_assert(learner->is_copying);
    go_to(329);
    ck_assert_int_eq(learner->count.recoveries, 0);
    rig_finish(&world);
    ck_assert_int_eq(learner->count.recoveries, 1);
    ck_assert_int_eq((int64_t)learner->count.account.bucket[RUN_BUCKET_recovering], 330 - 75);
    world_fini(&world);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("flights");
    TCase *tcase = tcase_create("flights");
    tcase_add_test(tcase, the_slow_link_is_waited_for);
    tcase_add_test(tcase, a_link_that_is_too_slow_shows);
    tcase_add_test(tcase, the_slow_link_of_the_absent_is_not);
    tcase_add_test(tcase, who_leaves_is_not_waited_for);
    tcase_add_test(tcase, a_peer_answers_when_it_has_seen_the_round);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
