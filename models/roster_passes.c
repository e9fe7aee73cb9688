/* roster_passes.c -- compiled with ROSTER_PASSES as the name of what it defines. */
#include "models/roster_passes.h"

#include "models/roster.h"

/* Written out each time: a function of a condition would keep the compiler from taking several rows at a time. */
#define YES(condition) ((condition) ? INT64_C(-1) : INT64_C(0))

/* One claim in so many rows is few: then it costs less to ask each row. */
#define FEW 4

extern const struct roster_passes ROSTER_PASSES;

/* `a` if yes, else `b`. */
static inline int64_t pick(int64_t which, int64_t a, int64_t b)
{
    return (a & which) | (b & ~which);
}

/* Chip-steps are modulo 2^64. */
static inline int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* If it takes the update of that round in, the ledger has what the learner has now. Returns what that discards. */
static inline int64_t take_in(int64_t does, int64_t steps, int64_t chip_steps, int64_t round, int64_t *ledger_steps,
                              int64_t *ledger_chip_steps, int64_t *ledger_counted, int64_t *ledger_round)
{
    int64_t discarded = minus(chip_steps, plus(*ledger_chip_steps, *ledger_counted)) & does;
    *ledger_steps = pick(does, steps, *ledger_steps);
    *ledger_chip_steps = pick(does, chip_steps, *ledger_chip_steps);
    *ledger_counted &= ~does;
    *ledger_round = pick(does, round, *ledger_round);
    return discarded;
}

static int64_t end_rows(int64_t rows, int64_t is_due, int64_t last, sim_time closed_ns, int64_t *restrict ledger_steps,
                        int64_t *restrict ledger_chip_steps, int64_t *restrict ledger_counted,
                        int64_t *restrict ledger_round, const int64_t *restrict steps_on,
                        const int64_t *restrict step_ns, const int64_t *restrict chips, int64_t *restrict end,
                        int64_t *restrict steps, int64_t *restrict chip_steps, int64_t *restrict heard,
                        int64_t *restrict overwritten, int64_t *restrict ended)
{
    int64_t more = 0;
    for (int64_t i = 0; i < rows; i++) {
        int64_t ends = steps_on[i] & YES(end[i] <= closed_ns), hears = ends & YES(heard[i] == last);
        end[i] += step_ns[i] & ends;
        steps[i] -= ends;
        chip_steps[i] = plus(chip_steps[i], chips[i] & ends);
        heard[i] -= hears;
        ended[i] = ends;
        more |= (ends & YES(heard[i] <= last)) | (steps_on[i] & YES(end[i] <= closed_ns));
        overwritten[i] += take_in(hears & is_due, steps[i], chip_steps[i], last, &ledger_steps[i],
                                  &ledger_chip_steps[i], &ledger_counted[i], &ledger_round[i]);
    }
    return more;
}

static bool end_steps(const struct roster *roster, struct roster_sheet before, int64_t last, sim_time closed_ns)
{
    return end_rows(roster->rows, before.is_due, last, closed_ns, before.steps, before.chip_steps, before.counted,
                    before.round, roster->steps_on, roster->step_ns, roster->chips, roster->end, roster->steps,
                    roster->chip_steps, roster->heard, roster->overwritten, roster->ended) != 0;
}

/* What began with a fragment has a round of -1: it is as stale as the run is old, in the first cycle. */
static void count_rows(int64_t rows, int64_t is_due, int64_t round, int64_t cycle, sim_time closed_ns,
                       const int64_t *restrict ledger_steps, const int64_t *restrict ledger_chip_steps,
                       int64_t *restrict ledger_counted, const int64_t *restrict ledger_round,
                       const int64_t *restrict takes, const int64_t *restrict large, const int64_t *restrict end,
                       const int64_t *restrict step_ns, const int64_t *restrict steps,
                       const int64_t *restrict chip_steps, int64_t *restrict report, int64_t *restrict claimed_steps,
                       int64_t *restrict claimed_chip_steps, struct roster_sum *restrict ret)
{
    int64_t first = round < cycle ? 0 : -1;
    int64_t participants = 0, reporters = 0, claims = 0, staleness = 0, staleness_max = 0, sum = 0, large_sum = 0;
    for (int64_t i = 0; i < rows; i++) {
        int64_t counts = takes[i] & YES(report[i] <= closed_ns) & YES(report[i] < end[i]);
        int64_t since = ledger_round[i] > first ? ledger_round[i] : first, stale = round - since;
        int64_t of_steps = steps[i] - ledger_steps[i];
        int64_t of_chip_steps = minus(chip_steps[i], ledger_chip_steps[i]);
        int64_t claim = counts & is_due & YES(stale <= cycle) & YES(of_steps != 0);
        report[i] += step_ns[i] & counts;
        participants -= counts;
        reporters -= takes[i] & YES(report[i] <= closed_ns) & YES(report[i] < end[i]);
        ledger_counted[i] = pick(claim, of_chip_steps, ledger_counted[i]);
        claimed_steps[i] = pick(claim, of_steps, 1);
        claimed_chip_steps[i] = of_chip_steps & claim;
        claims -= claim;
        staleness += stale & claim;
        staleness_max = (stale & claim) > staleness_max ? (stale & claim) : staleness_max;
        sum += of_chip_steps & claim & ~large[i];
        large_sum += of_chip_steps & claim & large[i];
    }
    *ret = (struct roster_sum){participants, reporters, claims, staleness, staleness_max, {sum, large_sum}, 0, 0, 0};
}

static void count_reports(const struct roster *roster, struct roster_sheet due, int64_t round, int64_t cycle,
                          sim_time closed_ns, struct roster_sum *ret)
{
    count_rows(roster->rows, due.is_due, round, cycle, closed_ns, due.steps, due.chip_steps, due.counted, due.round,
               roster->takes, roster->large, roster->end, roster->step_ns, roster->steps, roster->chip_steps,
               roster->report, roster->claimed_steps, roster->claimed_chip_steps, ret);
}

/* There is no instruction to convert several integers at a time; divisions are what costs. */
static void weigh_rows(int64_t rows, const int64_t *restrict cruises, const int64_t *restrict claimed_steps,
                       const int64_t *restrict claimed_chip_steps, const double *restrict chips, double tokens_per_step,
                       double *restrict steps, double *restrict claimed, double *restrict weight)
{
    for (int64_t i = 0; i < rows; i++) {
        steps[i] = (double)claimed_steps[i];
        claimed[i] = (double)claimed_chip_steps[i];
    }
    for (int64_t i = 0; i < rows; i++)
        claimed[i] = merge_weight(steps[i], claimed[i] * tokens_per_step / chips[i]);
    for (int64_t i = 0; i < rows; i++)
        if (!cruises[i])
            weight[i] = claimed[i];
}

static void weigh_few(const struct roster *roster, double tokens_per_step, double weight[])
{
    for (int64_t i = 0; i < roster->rows; i++) {
        if (roster->cruises[i])
            continue;
        double chip_steps = (double)roster->claimed_chip_steps[i], steps = (double)roster->claimed_steps[i];
        weight[i] = chip_steps > 0 ? merge_weight(steps, chip_steps * tokens_per_step / roster->whole_chips[i]) : 0;
    }
}

static void weigh(const struct roster *roster, int64_t claims, double tokens_per_step, double weight[])
{
    if (claims * FEW < roster->rows) {
        weigh_few(roster, tokens_per_step, weight);
        return;
    }
    weigh_rows(roster->rows, roster->cruises, roster->claimed_steps, roster->claimed_chip_steps, roster->whole_chips,
               tokens_per_step, roster->steps_of_claim, roster->claimed, weight);
}

static void hand_rows(int64_t rows, int64_t is_due, int64_t round, sim_time closed_ns, int64_t *restrict ledger_steps,
                      int64_t *restrict ledger_chip_steps, int64_t *restrict ledger_counted,
                      int64_t *restrict ledger_round, const int64_t *restrict takes, const int64_t *restrict steps_on,
                      const int64_t *restrict end, const int64_t *restrict step_ns, const int64_t *restrict steps,
                      const int64_t *restrict chip_steps, const int64_t *restrict report, int64_t *restrict heard,
                      int64_t *restrict overwritten, struct roster_sum *restrict ret)
{
    int64_t silent = 0, first = SIM_TIME_NEVER, last = 0;
    for (int64_t i = 0; i < rows; i++) {
        int64_t at_once = takes[i] & ~(steps_on[i] & YES(end[i] - step_ns[i] < closed_ns));
        int64_t is_silent = takes[i] & ~steps_on[i] & YES(report[i] == end[i]), reports = takes[i] & ~is_silent;
        int64_t from = pick(reports, report[i], SIM_TIME_NEVER), until = report[i] & reports;
        overwritten[i] += take_in(at_once & is_due, steps[i], chip_steps[i], round, &ledger_steps[i],
                                  &ledger_chip_steps[i], &ledger_counted[i], &ledger_round[i]);
        heard[i] = pick(at_once, round + 1, heard[i]);
        silent -= is_silent;
        first = from < first ? from : first;
        last = until > last ? until : last;
    }
    ret->silent = silent;
    ret->first = first;
    ret->last = last;
}

static void hand_out(const struct roster *roster, struct roster_sheet due, int64_t round, sim_time closed_ns,
                     struct roster_sum *ret)
{
    hand_rows(roster->rows, due.is_due, round, closed_ns, due.steps, due.chip_steps, due.counted, due.round,
              roster->takes, roster->steps_on, roster->end, roster->step_ns, roster->steps, roster->chip_steps,
              roster->report, roster->heard, roster->overwritten, ret);
}

const struct roster_passes ROSTER_PASSES = {end_steps, count_reports, weigh, hand_out};
