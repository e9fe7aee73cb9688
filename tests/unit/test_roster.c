/* The passes over the roster: those for this processor do what those for any do, on columns of every length, in which
 * ties are the rule; and a step, a claim and an update by hand. */
#include "models/roster.h"
#include "tests/rig.h"

enum { ROWS_MAX = 21, COLUMNS = 19, TURNS = 3000 };

extern const struct roster_passes roster_passes_any;

/* A roster, what the ledger has on the fragments of two rounds, and weights. */
struct table {
    struct roster roster;
    struct roster_sheet before, due;
    struct roster_sum sum;
    int64_t cell[COLUMNS + 4][ROWS_MAX];
    double whole_chips[ROWS_MAX], steps_of_claim[ROWS_MAX], claimed[ROWS_MAX], weight[ROWS_MAX];
    bool has_more;
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

/* Points the columns of a table to its cells. */
static void lay_out(struct table *table, int64_t rows)
{
    struct roster *roster = &table->roster;
    int64_t **const column[COLUMNS + 4] = {
        &roster->takes,
        &roster->steps_on,
        &roster->cruises,
        &roster->large,
        &roster->end,
        &roster->step_ns,
        &roster->report,
        &roster->steps,
        &roster->chips,
        &roster->heard,
        &roster->overwritten,
        &roster->ended,
        &roster->chip_steps,
        &table->due.steps,
        &table->due.chip_steps,
        &table->due.counted,
        &table->due.round,
        &table->before.steps,
        &table->before.chip_steps,
        &table->before.counted,
        &table->before.round,
        &roster->claimed_steps,
        &roster->claimed_chip_steps,
    };
    for (int i = 0; i < COLUMNS + 4; i++)
        *column[i] = table->cell[i];
    roster->rows = rows;
    roster->whole_chips = table->whole_chips;
    roster->steps_of_claim = table->steps_of_claim;
    roster->claimed = table->claimed;
}

static void fill_row(struct table *table, int64_t i)
{
    const struct roster *roster = &table->roster;
    for (int c = 0; c < COLUMNS + 4; c++)
        table->cell[c][i] = chance(9);
    roster->takes[i] = maybe();
    roster->steps_on[i] = roster->takes[i] & maybe();
    roster->cruises[i] = ~roster->takes[i] & maybe();
    roster->large[i] = maybe();
    roster->step_ns[i] = 1 + chance(5);
    roster->report[i] = roster->end[i] - chance(3) * roster->step_ns[i];
    roster->heard[i] = 3 + chance(3);
    roster->chip_steps[i] = around_the_turn();
    table->due.chip_steps[i] = around_the_turn();
    table->before.chip_steps[i] = around_the_turn();
    table->due.round[i] = chance(6) - 1;
    table->whole_chips[i] = (double)(1 + chance(4));
    table->weight[i] = (double)chance(100);
}

static void pass(struct table *table, const struct roster_passes *passes, int64_t cycle, sim_time closed_ns)
{
    table->has_more = passes->end_steps(&table->roster, table->before, 4, closed_ns);
    passes->count_reports(&table->roster, table->due, 5, cycle, closed_ns, &table->sum);
    passes->weigh(&table->roster, table->sum.claims, 1000. / 3, table->weight);
    passes->hand_out(&table->roster, table->due, 5, closed_ns, &table->sum);
}

START_TEST(vectors_say_the_same)
{
    static struct table one, other;
    for (int turn = 0; turn < TURNS; turn++) {
        int64_t rows = 1 + chance(ROWS_MAX), cycle = 2 + chance(6);
        sim_time closed_ns = chance(12);
        lay_out(&one, rows);
        one.before.is_due = maybe();
        one.due.is_due = maybe();
        for (int64_t i = 0; i < ROWS_MAX; i++)
            fill_row(&one, i);
        other = one;
        lay_out(&other, rows);
        pass(&one, &roster_passes_any, cycle, closed_ns);
        pass(&other, roster_passes(), cycle, closed_ns);
        ck_assert_mem_eq(one.cell, other.cell, sizeof one.cell);
        ck_assert_mem_eq(one.weight, other.weight, sizeof one.weight);
        ck_assert_mem_eq(&one.sum, &other.sum, sizeof one.sum);
        ck_assert_int_eq(one.has_more, other.has_more);
    }
}
END_TEST

/* Steps of 10 with 7 chips; the ninth ends at 20 and takes in round 4. Of its fragment the learner had 5 steps and 30
 * chip-steps, and 26 more had been counted. Round 5 closes at 25: of its fragment the learner had 3 steps and 20
 * chip-steps. */
START_TEST(a_round_by_hand)
{
    static struct table table;
    const struct roster *roster = &table.roster;
    lay_out(&table, 1);
    table.before.is_due = table.due.is_due = -1;
    roster->takes[0] = roster->steps_on[0] = -1;
    roster->end[0] = roster->report[0] = 20;
    roster->step_ns[0] = 10;
    roster->chips[0] = 7;
    roster->steps[0] = 8;
    roster->chip_steps[0] = 50;
    roster->heard[0] = 4;
    table.whole_chips[0] = 7;
    table.before.steps[0] = 5;
    table.before.chip_steps[0] = 30;
    table.before.counted[0] = 26;
    table.due.steps[0] = 3;
    table.due.chip_steps[0] = 20;
    pass(&table, roster_passes(), 24, 25);
    ck_assert_int_eq(roster->end[0], 30);
    ck_assert_int_eq(roster->report[0], 30);
    ck_assert_int_eq(roster->heard[0], 5);
    ck_assert_int_eq(roster->overwritten[0], 57 - 30 - 26);
    ck_assert_int_eq(table.before.steps[0], 9);
    ck_assert_int_eq(table.before.round[0], 4);
    ck_assert_int_eq(table.due.counted[0], 37);
    ck_assert_double_eq_tol(table.weight[0], (37. / 7 * 1000 / 3) * (37. / 7 * 1000 / 3) / 6, 1e-6);
    ck_assert_int_eq(table.sum.participants, 1);
    ck_assert_int_eq(table.sum.reporters, 0);
    ck_assert_int_eq(table.sum.chip_steps[0], 37);
    ck_assert_int_eq(table.sum.staleness, 5);
    ck_assert_int_eq(table.sum.first, 30);
    ck_assert(!table.has_more);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("roster");
    TCase *tcase = tcase_create("roster");
    tcase_add_test(tcase, vectors_say_the_same);
    tcase_add_test(tcase, a_round_by_hand);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
