/* The pass over the roster: those for this processor do what that for any does, on blocks in which ties are the rule;
 * and a step, a claim and an update by hand. */
#include "models/roster.h"
#include "tests/rig.h"

enum { BLOCKS_MAX = 3, TURNS = 3000 };

/* Blocks, what the ledger has on the fragments of two rounds, weights and sums. */
struct table {
    struct roster_block block[BLOCKS_MAX];
    struct ledger_block before[BLOCKS_MAX], due[BLOCKS_MAX];
    double weight[BLOCKS_MAX * LEDGER_LANES];
    struct roster_sum sum;
    bool is_done;
};

static uint64_t state;

static int64_t chance(int64_t below)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (int64_t)((state >> 33) % (uint64_t)below);
}

static int64_t maybe(void)
{
    return -chance(2);
}

/* Chip-steps are modulo 2^64. */
static int64_t around_the_turn(void)
{
    return (int64_t)((uint64_t)INT64_MAX - 4 + (uint64_t)chance(9));
}

static void fill_ledger(struct ledger_block *block, int i)
{
    block->steps[i] = chance(9);
    block->chip_steps[i] = around_the_turn();
    block->counted[i] = chance(9);
    block->round[i] = chance(6) - 1;
}

/* Two steps at once are rare, so that most turns are done. */
static void fill_row(struct roster_block *block, int i)
{
    block->takes[i] = maybe();
    block->steps_on[i] = block->takes[i] & maybe();
    block->cruises[i] = ~block->takes[i] & maybe();
    block->large[i] = maybe();
    block->step_ns[i] = 8 + chance(5);
    block->end[i] = chance(20);
    block->report[i] = block->end[i] - chance(3) * block->step_ns[i];
    block->steps[i] = chance(9);
    block->chip_steps[i] = around_the_turn();
    block->chips[i] = chance(9);
    block->heard[i] = chance(40) == 0 ? 3 : 4 + chance(2);
    block->overwritten[i] = chance(9);
    block->whole_chips[i] = (double)(1 + chance(4));
}

static void fill(struct table *table)
{
    for (int k = 0; k < BLOCKS_MAX; k++) {
        for (int i = 0; i < LEDGER_LANES; i++) {
            fill_row(&table->block[k], i);
            fill_ledger(&table->before[k], i);
            fill_ledger(&table->due[k], i);
            table->weight[k * LEDGER_LANES + i] = (double)chance(100);
        }
        table->block[k].entered = chance(3);
        table->block[k].asks = chance(3);
    }
}

static void pass(struct table *table, const struct passes *passes, int64_t blocks, struct roster_round round)
{
    round.before = table->before;
    round.due = round.round % 2 ? table->due : table->before; /* with one fragment they are one */
    round.weight = table->weight;
    table->is_done = passes->close(table->block, blocks, &round, &table->sum);
}

static int64_t check_same(const struct passes *passes)
{
    static struct table one, other;
    int64_t done = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        int64_t blocks = 1 + chance(BLOCKS_MAX);
        const struct roster_round round = {.round = 5 + chance(2),
                                           .cycle = 2 + chance(6),
                                           .closed_ns = chance(12),
                                           .was_due = maybe(),
                                           .is_due = maybe(),
                                           .tokens_per_step = 1000. / 3};
        fill(&one);
        other = one;
        pass(&one, &passes_any, blocks, round);
        pass(&other, passes, blocks, round);
        ck_assert_mem_eq(one.block, other.block, sizeof one.block);
        ck_assert_mem_eq(one.before, other.before, sizeof one.before);
        ck_assert_mem_eq(one.due, other.due, sizeof one.due);
        ck_assert_mem_eq(one.weight, other.weight, sizeof one.weight);
        ck_assert_mem_eq(&one.sum, &other.sum, sizeof one.sum);
        ck_assert_int_eq(one.is_done, other.is_done);
        done += one.is_done;
    }
    return done;
}

START_TEST(vectors_say_the_same)
{
    ck_assert_int_gt(check_same(passes_best()), TURNS / 4);
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        ck_assert_int_gt(check_same(&passes_avx2), TURNS / 4);
#endif
}
END_TEST

/* Steps of 10 with 7 chips; the ninth ends at 20 and takes in round 4. Of its fragment the learner had 5 steps and 30
 * chip-steps, and 26 more had been counted. Round 5 closes at 25: of its fragment the learner had 3 steps and 20
 * chip-steps. */
static void fill_by_hand(struct table *table, int lane)
{
    struct roster_block *block = &table->block[0];
    *table = (struct table){0};
    for (int i = 0; i < LEDGER_LANES; i++)
        block->whole_chips[i] = 7;
    block->takes[lane] = block->steps_on[lane] = -1;
    block->end[lane] = block->report[lane] = 20;
    block->step_ns[lane] = 10;
    block->chips[lane] = 7;
    block->steps[lane] = 8;
    block->chip_steps[lane] = 50;
    block->heard[lane] = 4;
    block->entered = block->asks = 1;
    table->before[0].steps[lane] = 5;
    table->before[0].chip_steps[lane] = 30;
    table->before[0].counted[lane] = 26;
    table->due[0].steps[lane] = 3;
    table->due[0].chip_steps[lane] = 20;
}

static const struct roster_round by_hand = {
    .round = 5, .cycle = 24, .closed_ns = 25, .was_due = -1, .is_due = -1, .tokens_per_step = 1000. / 3};

START_TEST(a_round_by_hand)
{
    static struct table table;
    const struct roster_block *block = &table.block[0];
    int lane = _i;
    fill_by_hand(&table, lane);
    pass(&table, passes_best(), 1, by_hand);
    ck_assert(table.is_done);
    ck_assert_int_eq(block->end[lane], 30);
    ck_assert_int_eq(block->report[lane], 30);
    ck_assert_int_eq(block->heard[lane], 5);
    ck_assert_int_eq(block->overwritten[lane], 57 - 30 - 26);
    ck_assert_int_eq(table.before[0].steps[lane], 9);
    ck_assert_int_eq(table.before[0].round[lane], 4);
    ck_assert_int_eq(table.due[0].counted[lane], 37);
    ck_assert_double_eq_tol(table.weight[lane], (37. / 7 * 1000 / 3) * (37. / 7 * 1000 / 3) / 6, 1e-6);
    ck_assert_int_eq(table.sum.participants, 1);
    ck_assert_int_eq(table.sum.reporters, 0);
    ck_assert_int_eq(table.sum.chip_steps[0], 37);
    ck_assert_int_eq(table.sum.staleness, 5);
    ck_assert_int_eq(table.sum.first, 30);
}
END_TEST

/* A second step, or an update before the last one, is not for a pass; nothing is touched. */
START_TEST(more_than_one_step)
{
    static struct table table, before;
    struct roster_round late = by_hand;
    late.closed_ns = 30;
    fill_by_hand(&table, 3);
    before = table;
    pass(&table, passes_best(), 1, late);
    ck_assert(!table.is_done);
    before.is_done = table.is_done;
    ck_assert_mem_eq(&table, &before, sizeof table);
    table.block[0].heard[3] = 3;
    pass(&table, passes_best(), 1, by_hand);
    ck_assert(!table.is_done);
}
END_TEST

/* What left the roster weighs nothing, and then its block is asked no more. */
START_TEST(an_empty_block_is_asked_once)
{
    static struct table table;
    fill_by_hand(&table, 2);
    table.block[0].takes[2] = table.block[0].steps_on[2] = 0;
    table.block[0].entered = 0;
    table.block[0].cruises[4] = -1;
    table.weight[2] = 8;
    table.weight[4] = 9;
    pass(&table, passes_best(), 1, by_hand);
    ck_assert_double_eq(table.weight[2], 0);
    ck_assert_double_eq(table.weight[4], 9);
    ck_assert_int_eq(table.sum.first, SIM_TIME_NEVER);
    table.weight[2] = 8;
    pass(&table, passes_best(), 1, by_hand);
    ck_assert_double_eq(table.weight[2], 8);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("roster");
    TCase *tcase = tcase_create("roster");
    tcase_add_test(tcase, vectors_say_the_same);
    tcase_add_loop_test(tcase, a_round_by_hand, 0, LEDGER_LANES);
    tcase_add_test(tcase, more_than_one_step);
    tcase_add_test(tcase, an_empty_block_is_asked_once);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
