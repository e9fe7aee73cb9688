/* Links that are slower for a while, by hand. Learners of one chip, steps of 10, tau = 2, H = P = 4; a fragment takes
 * 20 both ways over the common link, half of it up and half down, and a copy of the state 240. */
#include "tests/rig.h"

static struct world world;

/* The link of a learner is `factor` times slower in [from, from + lasts), once; factor 0: cut. */
static struct config_source *slow(struct config *config, int32_t learner, sim_time from, sim_time lasts, double factor)
{
    char name[8] = {(char)('a' + config->source_count)};
    rig_add_link(config, name, learner, 0, rig_constant(0));
    struct config_source *source = &config->source[config->source_count - 1];
    source->calendar_every_ns = 1000000;
    source->calendar_from_ns = from;
    source->calendar_lasts_ns = lasts;
    source->factor = rig_constant(factor);
    return source;
}

static void add_absence(struct config *config, int32_t learner, sim_time from, sim_time lasts)
{
    rig_add_preemption(config, "absence", learner, 0, rig_constant(0));
    struct config_source *source = &config->source[config->source_count - 1];
    source->calendar_every_ns = 1000000;
    source->calendar_from_ns = from;
    source->calendar_lasts_ns = lasts;
}

static int64_t landed(int64_t learner)
{
    return world.syncer.flights.landed[learner];
}

static void go_to(sim_time until)
{
    (void)sim_run(&world.sim, until);
}

/* Round 0 closes at 10, is pulled by 20 and lands at 30 if nothing happens. */
static void expect_landing(const struct config *config, int64_t learner, sim_time at)
{
    rig_open(&world, config);
    go_to(at - 1);
    ck_assert_int_eq(landed(learner), -1);
    go_to(at);
    ck_assert_int_eq(landed(learner), 0);
    rig_finish(&world);
    world_fini(&world);
}

START_TEST(at_full_rate)
{
    struct config config = rig_linked(1, 1, 100);
    expect_landing(&config, 0, 30);
}
END_TEST

/* All the time: 10 to 30, to 50. From 22 on: 2 by 22, 8 in 16. Up to 25: 10 in 20 from 10, of which 7.5 by 25; 2.5 by
 * 27.5, the next nanosecond is 28; down 10. From 14 to 24: 4 by 14, 5 by 24, 1 by 25; down 10. */
START_TEST(what_is_under_way_takes_longer)
{
    static const struct {
        sim_time from, lasts, lands;
    } cases[] = {{0, 100, 50}, {22, 100, 38}, {0, 25, 38}, {14, 10, 35}, {30, 10, 30}, {29, 10, 31}, {0, 10, 30}};
    struct config config = rig_linked(1, 1, 100);
    (void)slow(&config, 0, cases[_i].from, cases[_i].lasts, 2);
    expect_landing(&config, 0, cases[_i].lands);
}
END_TEST

/* The pull of a round lasts until the slowest is through, at everybody. Learner 1 at half the rate: up 10 to 30, down
 * to 50; learner 0 from 30 to 40. */
START_TEST(a_slow_pull_holds_up_all)
{
    struct config config = rig_linked(2, 2, 100);
    (void)slow(&config, 1, 5, 1000, 2);
    expect_landing(&config, 0, 40);
    expect_landing(&config, 1, 50);
}
END_TEST

/* The pull of learner 1 slows down at 15 and is as fast as ever from 21: 5 by 15, 3 by 21, 2 by 23. What was planned
 * for learner 0 at 30 is then at 33. */
START_TEST(a_pull_that_changes_moves_all_landings)
{
    struct config config = rig_linked(2, 2, 100);
    (void)slow(&config, 1, 15, 6, 2);
    expect_landing(&config, 0, 33);
    expect_landing(&config, 1, 33);
}
END_TEST

/* Latency stays: 3 each way, of 26 in all. From 18, half: 8 by 18 of the 10 to send, 2 in 4, arrives at 25; 20 from 25
 * to 45, there at 48. The sending is over at 20 of a pull that arrives at 23: a change at 21 is too late for it. */
START_TEST(latency_stays)
{
    struct config config = rig_linked(1, 1, 100);
    config.latency_ns = 3;
    (void)slow(&config, 0, _i == 0 ? 18 : 21, 1000, 2);
    expect_landing(&config, 0, _i == 0 ? 48 : 23 + 20 + 3);
}
END_TEST

/* Round 0 is on its way down, at a tenth of the rate from 21 on: 1 by 21, at 111 it would be there. The link is back at
 * 31: 1 more by then, 8 by 39. Round 1 closed at 20 and was pulled by 30 (1 by 21, 1 by 31, 8 by 39), and follows. */
START_TEST(no_update_overtakes)
{
    struct config config = rig_linked(1, 1, 100);
    (void)slow(&config, 0, 21, 10, 10);
    rig_open(&world, &config);
    go_to(38);
    ck_assert_int_eq(landed(0), -1);
    go_to(39);
    ck_assert_int_eq(landed(0), 0);
    go_to(48);
    ck_assert_int_eq(landed(0), 0);
    go_to(49);
    ck_assert_int_eq(landed(0), 1);
    rig_finish(&world);
    world_fini(&world);
}
END_TEST

/* A round without a fragment is not sent, and waits behind the one before. P = 2: round 1 has none. */
START_TEST(what_is_not_sent_does_not_overtake_either)
{
    struct config config = rig_linked(1, 1, 100);
    config.fragments = 2; /* 40 to send, 20 each way: round 0 from 10 to 30, to 50 */
    (void)slow(&config, 0, 40, 1000, 10);
    rig_open(&world, &config);
    go_to(99);
    ck_assert_int_eq(world.syncer.count.rounds, 2);
    ck_assert_int_eq(landed(0), -1);
    world_fini(&world);
}
END_TEST

/* Of two that overlap the slowest rules, in whatever order they are given: half in [0, 20), a quarter in [10, 14). 1 of
 * 10 by 14, 3 more by 20, 6 by 26.
 */
START_TEST(the_slowest_rules)
{
    struct config config = rig_linked(1, 1, 100);
    if (_i == 1)
        (void)slow(&config, 0, 10, 4, 4);
    (void)slow(&config, 0, 0, 20, 2);
    if (_i == 0)
        (void)slow(&config, 0, 10, 4, 4);
    rig_open(&world, &config);
    go_to(12);
    ck_assert_int_eq(world.syncer.flights.rate[0], TRANSFER_FULL / 4);
    go_to(35);
    ck_assert_int_eq(landed(0), -1);
    go_to(36);
    ck_assert_int_eq(landed(0), 0);
    rig_finish(&world);
    ck_assert_int_eq(world.learner[0].count.degradations, 1);
    ck_assert_int_eq(world.learner[0].count.degraded_ns, 20);
    world_fini(&world);
}
END_TEST

/* A cut is the limit: what lands while it lasts is missed; what is sent over a slow link only comes late. */
START_TEST(a_cut_loses_what_a_slow_link_delays)
{
    struct config config = rig_linked(2, 1, 60);
    (void)slow(&config, 1, 25, 10, _i == 0 ? 0 : 1000);
    rig_open(&world, &config);
    go_to(35);
    ck_assert_int_eq(landed(1), _i == 0 ? 0 : -1); /* it came to nobody */
    const struct ledger *ledger = &world.syncer.ledger;
    ck_assert_int_eq(ledger_entry(ledger, 1, 0).round, -1);
    go_to(40);
    ck_assert_int_eq(ledger_entry(ledger, 1, 0).round, _i == 0 ? -1 : 0);
    rig_finish(&world);
    world_fini(&world);
}
END_TEST

/* Back at 75, learner 2 asks for a copy when round 5 has landed, at 80: 240 to 320. At half the rate of its own link,
 * or of that of its peer, from 130 on: 50 by 130, 190 in 380. Of another it does not matter; of both it is no slower.
 */
START_TEST(a_copy_takes_longer)
{
    struct config config = rig_linked(3, 1, 700);
    add_absence(&config, 2, 5, 70);
    if (_i > 0)
        (void)slow(&config, _i == 2 ? 0 : 2, 130, 1000, 2);
    if (_i == 3)
        (void)slow(&config, 0, 130, 1000, 2);
    rig_open(&world, &config);
    const struct learner *learner = &world.learner[2];
    sim_time there = _i == 0 ? 320 : 510;
    go_to(80);
    ck_assert(learner->is_copying);
    ck_assert_int_eq(learner->copy.peer, 0);
    go_to(there - 1);
    ck_assert_int_eq(learner->count.recoveries, 0);
    go_to(there);
    ck_assert_int_eq(learner->count.recoveries, 1);
    rig_finish(&world);
    world_fini(&world);
}
END_TEST

/* It chooses the peer that can send soonest now: not 0, whose link has become slow at that moment, but 1. */
START_TEST(a_slow_peer_is_not_asked)
{
    struct config config = rig_linked(3, 1, 700);
    add_absence(&config, 2, 5, 70);
    (void)slow(&config, 0, 80, 1000, 1.5);
    rig_open(&world, &config);
    go_to(80);
    ck_assert(world.learner[2].is_copying);
    ck_assert_int_eq(world.learner[2].copy.peer, 1);
    rig_finish(&world);
    world_fini(&world);
}
END_TEST

static char heard[400];

static void on_transition(void *context, const struct run_transition *transition)
{
    (void)context;
    size_t used = strlen(heard);
    if (strcmp(transition->machine, "link") == 0)
        (void)snprintf(heard + used, sizeof heard - used, "%lld:%lld %s>%s ", (long long)transition->time_ns,
                       (long long)transition->id, transition->from, transition->to);
}

/* What the log says: a link that is cut and slow is cut. */
START_TEST(the_log_has_it)
{
    const struct run_observer observer = {.on_transition = on_transition};
    struct config config = rig_linked(2, 1, 100);
    (void)slow(&config, 1, 20, 40, 2);
    (void)slow(&config, 1, 30, 10, 0);
    (void)slow(&config, 0, 50, 1, 0);
    rig_open(&world, &config);
    world.observer = &observer;
    heard[0] = '\0';
    rig_finish(&world);
    ck_assert_str_eq(heard, "20:1 up>degraded 30:1 degraded>cut 40:1 cut>degraded 50:0 up>cut 51:0 cut>up "
                            "60:1 degraded>up ");
    world_fini(&world);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("degraded");
    TCase *tcase = tcase_create("degraded");
    tcase_add_test(tcase, at_full_rate);
    tcase_add_loop_test(tcase, what_is_under_way_takes_longer, 0, 7);
    tcase_add_test(tcase, a_slow_pull_holds_up_all);
    tcase_add_test(tcase, a_pull_that_changes_moves_all_landings);
    tcase_add_loop_test(tcase, latency_stays, 0, 2);
    tcase_add_test(tcase, no_update_overtakes);
    tcase_add_test(tcase, what_is_not_sent_does_not_overtake_either);
    tcase_add_loop_test(tcase, the_slowest_rules, 0, 2);
    tcase_add_loop_test(tcase, a_cut_loses_what_a_slow_link_delays, 0, 2);
    tcase_add_loop_test(tcase, a_copy_takes_longer, 0, 4);
    tcase_add_test(tcase, a_slow_peer_is_not_asked);
    tcase_add_test(tcase, the_log_has_it);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
