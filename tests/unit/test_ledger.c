/* The ledger by hand: claims as differences, where each chip-step ends up, and who weighs nothing. */
#include "models/ledger.h"
#include "tests/rig.h"

enum { CYCLE = 4 };

static struct ledger ledger;

static void open_ledger(int64_t learners, int64_t fragments)
{
    const struct config config = {.learners = learners, .fragments = fragments};
    ledger_init(&ledger, &config);
}

static struct ledger_total total_of(int64_t steps, int64_t chip_steps)
{
    return (struct ledger_total){.steps = steps, .chip_steps = (uint64_t)chip_steps};
}

static int64_t open_of(int64_t learner, int64_t fragment, struct ledger_total total)
{
    return (int64_t)ledger_open(&ledger, learner, fragment, &total);
}

static int64_t receive(int64_t learner, int64_t fragment, int64_t round, struct ledger_total total)
{
    return (int64_t)ledger_receive(&ledger, learner, fragment, round, &total);
}

static void expect_claim(int64_t learner, int64_t fragment, int64_t round, struct ledger_total total,
                         struct ledger_claim expected)
{
    struct ledger_claim claim = ledger_count(&ledger, learner, fragment, round, CYCLE, &total);
    ck_assert_int_eq(claim.is_void, expected.is_void);
    ck_assert_int_eq(claim.staleness, expected.staleness);
    if (claim.is_void)
        return;
    ck_assert_int_eq(claim.steps, expected.steps);
    ck_assert_int_eq((int64_t)claim.chip_steps, (int64_t)expected.chip_steps);
}

/* Fragment 1: 2 steps of 8 chips merged in round 1; 3 more of 7 before the update arrives are overwritten; then 2 of 7
 * are open, and merged in round 5. Fragment 0 is never received: everything is open. */
START_TEST(every_chip_step_is_in_one_place)
{
    open_ledger(2, 2);
    ck_assert_int_eq(open_of(1, 1, total_of(2, 16)), 16);
    expect_claim(1, 1, 1, total_of(2, 16), (struct ledger_claim){2, 16, 1, false});
    ck_assert_int_eq(open_of(1, 1, total_of(2, 16)), 0);
    ck_assert_int_eq(open_of(1, 1, total_of(5, 37)), 21);
    ck_assert_int_eq(receive(1, 1, 1, total_of(5, 37)), 21);
    ck_assert_int_eq(open_of(1, 1, total_of(5, 37)), 0);
    ck_assert_int_eq(open_of(1, 1, total_of(7, 51)), 14);
    expect_claim(1, 1, 5, total_of(7, 51), (struct ledger_claim){2, 14, 4, false});
    ck_assert_int_eq(receive(1, 1, 5, total_of(7, 51)), 0);
    ck_assert_int_eq(open_of(1, 0, total_of(7, 51)), 51);
    ck_assert_int_eq(open_of(0, 1, total_of(7, 51)), 51);
    ledger_fini(&ledger);
}
END_TEST

/* A round that did not count the learner overwrites all that it did. */
START_TEST(who_is_not_counted_is_overwritten)
{
    open_ledger(1, 1);
    ck_assert_int_eq(receive(0, 0, 0, total_of(3, 24)), 24);
    ck_assert_int_eq(receive(0, 0, 1, total_of(3, 24)), 0);
    ledger_fini(&ledger);
}
END_TEST

/* The first turn of fragment p is round p: as stale as the run is long. After it, who missed a turn is void: it is then
 * 2 cycles behind. */
START_TEST(a_claim_is_at_most_a_cycle_old)
{
    open_ledger(3, CYCLE);
    for (int64_t p = 0; p < CYCLE; p++)
        expect_claim(0, p, p, total_of(1, 1), (struct ledger_claim){1, 1, p, false});
    for (int64_t p = 0; p < CYCLE; p++) /* started with it, but has not received it since: p + CYCLE + 1 rounds */
        expect_claim(1, p, p + CYCLE, total_of(1, 1),
                     (struct ledger_claim){.staleness = p + CYCLE + 1, .is_void = true});
    (void)receive(2, 3, 3, total_of(1, 1));
    expect_claim(2, 3, 3 + CYCLE, total_of(2, 2), (struct ledger_claim){1, 1, CYCLE, false});
    expect_claim(2, 3, 3 + 2 * CYCLE, total_of(3, 3), (struct ledger_claim){.staleness = 2 * CYCLE, .is_void = true});
    ledger_fini(&ledger);
}
END_TEST

/* Nothing new since the receipt: no weight (and no division by zero). A void claim leaves what is open as it was. */
START_TEST(nothing_new_is_void)
{
    open_ledger(1, 1);
    (void)receive(0, 0, 3, total_of(5, 40));
    expect_claim(0, 0, 7, total_of(5, 40), (struct ledger_claim){.staleness = 4, .is_void = true});
    expect_claim(0, 0, 11, total_of(9, 72), (struct ledger_claim){.staleness = 8, .is_void = true});
    ck_assert_int_eq(open_of(0, 0, total_of(9, 72)), 32);
    ck_assert_int_eq(receive(0, 0, 11, total_of(9, 72)), 32);
    ledger_fini(&ledger);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ledger");
    TCase *tcase = tcase_create("ledger");
    tcase_add_test(tcase, every_chip_step_is_in_one_place);
    tcase_add_test(tcase, who_is_not_counted_is_overwritten);
    tcase_add_test(tcase, a_claim_is_at_most_a_cycle_old);
    tcase_add_test(tcase, nothing_new_is_void);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
