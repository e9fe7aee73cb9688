/* passes.c -- compiled with PASSES as the name of what it defines. */
#include "models/passes.h"

#include <string.h>

#include "models/roster.h"

#if defined __AVX512F__
#define VECTOR 8
#elif defined __AVX2__
#define VECTOR 4
#else
#define VECTOR 2
#endif

typedef int64_t ints __attribute__((vector_size(8 * VECTOR)));
typedef uint64_t words __attribute__((vector_size(8 * VECTOR))); /* integers modulo 2^64 */
typedef double reals __attribute__((vector_size(8 * VECTOR)));

static inline ints load(const int64_t *from)
{
    ints value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline void store(int64_t *to, ints value)
{
    memcpy(to, &value, sizeof value);
}

static inline reals load_reals(const double *from)
{
    reals value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* `a` if yes, else `b`. */
static inline ints pick(ints which, ints a, ints b)
{
    return (a & which) | (b & ~which);
}

static inline ints lesser(ints a, ints b)
{
    return pick(a < b, a, b);
}

static inline ints greater(ints a, ints b)
{
    return pick(a > b, a, b);
}

/* Chip-steps are modulo 2^64. */
static inline ints minus(ints a, ints b)
{
    return (ints)((words)a - (words)b);
}

static inline ints plus(ints a, ints b)
{
    return (ints)((words)a + (words)b);
}

static inline ints either(ints a, ints b)
{
    return a | b;
}

/* Sums over rows, a lane each. */
struct lanes {
    ints participants, reporters, claims, staleness, staleness_max, chip_steps[2], silent, first, last;
};

/* Learners while they are looked at. */
struct rows {
    ints takes, steps_on, end, step_ns, report, steps, chip_steps, heard, overwritten;
};

/* Who takes the update of that round in has in the ledger what it has now. */
static inline void take_in(struct rows *rows, ints does, int64_t round, struct ledger_block *ledger, int at)
{
    ints chip_steps = load(ledger->chip_steps + at), counted = load(ledger->counted + at);
    rows->overwritten += minus(rows->chip_steps, plus(chip_steps, counted)) & does;
    store(ledger->steps + at, pick(does, rows->steps, load(ledger->steps + at)));
    store(ledger->chip_steps + at, pick(does, rows->chip_steps, chip_steps));
    store(ledger->counted + at, counted & ~does);
    store(ledger->round + at, pick(does, (ints){0} + round, load(ledger->round + at)));
}

static inline void end_steps(struct rows *rows, ints chips, const struct roster_round *round,
                             struct ledger_block *before, int at)
{
    ints ends = rows->steps_on & (rows->end <= round->closed_ns);
    ints hears = ends & (rows->heard == round->round - 1);
    rows->end += rows->step_ns & ends;
    rows->steps -= ends;
    rows->chip_steps = plus(rows->chip_steps, chips & ends);
    rows->heard -= hears;
    take_in(rows, hears & round->was_due, round->round - 1, before, at);
}

/* Weights as merge_weight has them. */
static inline void weigh(ints steps, ints chip_steps, reals whole_chips, ints cruises, double tokens_per_step,
                         double *weight)
{
    reals tokens = __builtin_convertvector(chip_steps, reals) * tokens_per_step / whole_chips;
    ints weighs = (ints)(tokens * (tokens / __builtin_convertvector(steps, reals))), before;
    memcpy(&before, weight, sizeof before);
    weighs = pick(cruises, before, weighs);
    memcpy(weight, &weighs, sizeof weighs);
}

/* What began with a fragment has a round of -1: it is as stale as the run is old, in the first cycle. */
static inline void count_reports(struct rows *rows, const struct roster_block *block, const struct roster_round *round,
                                 struct ledger_block *due, double *weight, int at, struct lanes *sum)
{
    ints counts = rows->takes & (rows->report <= round->closed_ns) & (rows->report < rows->end);
    ints since = greater(load(due->round + at), (ints){0} + (round->round < round->cycle ? 0 : -1));
    ints stale = round->round - since, steps = rows->steps - load(due->steps + at);
    ints chip_steps = minus(rows->chip_steps, load(due->chip_steps + at));
    ints claims = counts & round->is_due & (stale <= round->cycle) & (steps != 0);
    ints claimed = chip_steps & claims, large = load(block->large + at);
    store(due->counted + at, pick(claims, chip_steps, load(due->counted + at)));
    weigh(pick(claims, steps, (ints){0} + 1), claimed, load_reals(block->whole_chips + at), load(block->cruises + at),
          round->tokens_per_step, weight);
    rows->report += rows->step_ns & counts;
    sum->participants -= counts;
    sum->reporters -= rows->takes & (rows->report <= round->closed_ns) & (rows->report < rows->end);
    sum->claims -= claims;
    sum->staleness += stale & claims;
    sum->staleness_max = greater(sum->staleness_max, stale & claims);
    sum->chip_steps[0] += claimed & ~large;
    sum->chip_steps[1] += claimed & large;
}

static inline void hand_out(struct rows *rows, const struct roster_round *round, struct ledger_block *due, int at,
                            struct lanes *sum)
{
    ints is_amid = rows->steps_on & (rows->end - rows->step_ns < round->closed_ns);
    ints at_once = rows->takes & ~is_amid, is_silent = rows->takes & ~rows->steps_on & (rows->report == rows->end);
    ints reports = rows->takes & ~is_silent;
    take_in(rows, at_once & round->is_due, round->round, due, at);
    rows->heard = pick(at_once, (ints){0} + (round->round + 1), rows->heard);
    sum->silent -= is_silent;
    sum->first = lesser(sum->first, pick(reports, rows->report, (ints){0} + SIM_TIME_NEVER));
    sum->last = greater(sum->last, rows->report & reports);
}

static inline void close_rows(struct roster_block *block, const struct roster_round *round, struct ledger_block *before,
                              struct ledger_block *due, double *weight, int at, struct lanes *sum)
{
    struct rows rows = {
        .takes = load(block->takes + at),
        .steps_on = load(block->steps_on + at),
        .end = load(block->end + at),
        .step_ns = load(block->step_ns + at),
        .report = load(block->report + at),
        .steps = load(block->steps + at),
        .chip_steps = load(block->chip_steps + at),
        .heard = load(block->heard + at),
        .overwritten = load(block->overwritten + at),
    };
    end_steps(&rows, load(block->chips + at), round, before, at);
    count_reports(&rows, block, round, due, weight, at, sum);
    hand_out(&rows, round, due, at, sum);
    store(block->end + at, rows.end);
    store(block->report + at, rows.report);
    store(block->steps + at, rows.steps);
    store(block->chip_steps + at, rows.chip_steps);
    store(block->heard + at, rows.heard);
    store(block->overwritten + at, rows.overwritten);
}

static inline ints has_more(const struct roster_block *block, const struct roster_round *round, int at)
{
    ints end = load(block->end + at), heard = load(block->heard + at);
    ints ends = load(block->steps_on + at) & (end <= round->closed_ns);
    return ends & ((heard < round->round - 1) | (end + load(block->step_ns + at) <= round->closed_ns));
}

/* The lanes further on by `half` of them, and so on round. */
#if VECTOR == 8
#define TURNED(v, half)                                                                                                \
    __builtin_shufflevector(v, v, (half), (half) + 1, (half) + 2, (half) + 3, ((half) + 4) % 8, ((half) + 5) % 8,      \
                            ((half) + 6) % 8, ((half) + 7) % 8)
#elif VECTOR == 4
#define TURNED(v, half) __builtin_shufflevector(v, v, (half) % 4, ((half) + 1) % 4, ((half) + 2) % 4, ((half) + 3) % 4)
#else
#define TURNED(v, half) __builtin_shufflevector(v, v, (half) % 2, ((half) + 1) % 2)
#endif

/* All lanes by an operation on two vectors. */
#define FOLD(name, operation)                                                                                          \
    static inline int64_t name(ints v)                                                                                 \
    {                                                                                                                  \
        if (VECTOR >= 8)                                                                                               \
            v = operation(v, TURNED(v, 4));                                                                            \
        if (VECTOR >= 4)                                                                                               \
            v = operation(v, TURNED(v, 2));                                                                            \
        return operation(v, TURNED(v, 1))[0];                                                                          \
    }

FOLD(any_of, either)
FOLD(sum_of, plus)
FOLD(least_of, lesser)
FOLD(greatest_of, greater)

static bool any_has_more(const struct roster_block *block, int64_t blocks, const struct roster_round *round)
{
    ints more = {0};
    for (int64_t k = 0; k < blocks; k++)
        for (int at = 0; at < LEDGER_LANES && block[k].entered; at += VECTOR)
            more |= has_more(&block[k], round, at);
    return any_of(more) != 0;
}

static bool close_round(struct roster_block *block, int64_t blocks, const struct roster_round *round,
                        struct roster_sum *ret)
{
    if (any_has_more(block, blocks, round))
        return false;
    struct lanes sum = {.first = (ints){0} + SIM_TIME_NEVER};
    for (int64_t k = 0; k < blocks; k++) {
        if (!block[k].asks)
            continue;
        block[k].asks = block[k].entered;
        for (int at = 0; at < LEDGER_LANES; at += VECTOR)
            close_rows(&block[k], round, &round->before[k], &round->due[k], round->weight + k * LEDGER_LANES + at, at,
                       &sum);
    }
    *ret = (struct roster_sum){
        .participants = sum_of(sum.participants),
        .reporters = sum_of(sum.reporters),
        .claims = sum_of(sum.claims),
        .staleness = sum_of(sum.staleness),
        .staleness_max = greatest_of(sum.staleness_max),
        .chip_steps = {sum_of(sum.chip_steps[0]), sum_of(sum.chip_steps[1])},
        .silent = sum_of(sum.silent),
        .first = least_of(sum.first),
        .last = greatest_of(sum.last),
    };
    return true;
}

/* A lane is a round here. */
static int64_t grow(const struct merge_growth *growth, int64_t rounds)
{
    ints chip_steps = {0}, left = {0}, sum = {0};
    for (int i = 0; i < VECTOR; i++) {
        chip_steps[i] = growth->chip_steps + i * growth->slope;
        left[i] = rounds - i;
    }
    for (int64_t done = 0; done < rounds; done += VECTOR) {
        reals tokens = __builtin_convertvector(chip_steps, reals) * growth->tokens_per_step / growth->chips;
        reals weight = tokens * (tokens / growth->steps), squared = weight * weight;
        for (int level = 0; level < growth->levels; level++) {
            weight += growth->other[level].weight;
            squared += growth->other[level].squared;
        }
        reals effective = weight * weight / squared;
        effective = (reals)((ints)effective & (squared > 0.0) & (left > 0));
        sum += __builtin_convertvector(effective * MERGE_UNITS + 0.5, ints);
        chip_steps += VECTOR * growth->slope;
        left -= VECTOR;
    }
    return sum_of(sum);
}

const struct passes PASSES = {close_round, grow};
