/* tests/bench/bare.c -- what the rules of the largest cell cost by themselves: 16 learners, 2.4M chips, 30 days, in one
 * loop without engine, accounts, options or log. Without a syncer a learner wakes only when there is something to do;
 * with one (K = 1, adaptive grace, 24 fragments) each step is looked at, and each report counted. CPU seconds, median
 * of so many runs, and the goodput, which should be that of `faultline run scenarios/table-1.yaml`, to see that the
 * rules are the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/law.h"
#include "sim/rng.h"

enum { LEARNERS = 16, SLICES = 586, FRAGMENTS = 24, RUNS = 5, AWAY_MAX = 4096 };

#define SECOND INT64_C(1000000000)
static const int64_t step_ns = 13 * SECOND / 2, duration_ns = 30 * 86400 * SECOND, gather_ns = 170 * SECOND;
static const int64_t downscale_ns = 12 * SECOND, upscale_ns = 16 * SECOND;
static const int64_t chips_per_learner = 150000, chips_per_slice = 256;

enum {
    ACTIVE,
    FAILING,
    AWAY,
    READY
}; /* states of a slice; one that is back before its learner let go of it is FAILING + 4 */

struct learner {
    int64_t chips, start, upscale_from, steps, chip_steps;
    int64_t received_steps[FRAGMENTS], received_chip_steps[FRAGMENTS], heard;
    int failing[SLICES], failings, ready[SLICES], readies;
    int64_t wake; /* when it is looked at: the end of a step or of a pause */
    int64_t reports;
    bool pauses, gains;
};

static struct learner learner[LEARNERS];
static unsigned char slice[LEARNERS * SLICES];
static struct {
    int64_t at;
    int slice;
} away[AWAY_MAX]; /* a heap */
static int aways;

static struct {
    bool is_on;
    int64_t round, deadline, reporters;
    double effective;
} syncer;

/* Learners by when they wake. Nearly always the first goes behind the last, so there is room for many turns. */
enum { TURNS = 4096 };
static struct learner *turn[TURNS + LEARNERS];
static int first_turn;

static void set_wake(struct learner *l, int64_t at)
{
    int i = first_turn;
    while (turn[i] != l)
        i++;
    if (i == first_turn) {
        if (++first_turn == TURNS) {
            memcpy(turn, turn + first_turn, (LEARNERS - 1) * sizeof *turn);
            first_turn = 0;
        }
        i = first_turn + LEARNERS - 1;
    } else {
        for (; i < first_turn + LEARNERS - 1; i++)
            turn[i] = turn[i + 1];
    }
    for (; i > first_turn && turn[i - 1]->wake > at; i--)
        turn[i] = turn[i - 1];
    turn[i] = l;
    l->wake = at;
}

static void push_away(int64_t at, int which)
{
    int i = aways++;
    for (; i > 0 && away[(i - 1) / 2].at > at; i = (i - 1) / 2)
        away[i] = away[(i - 1) / 2];
    away[i].at = at;
    away[i].slice = which;
}

static int pop_away(void)
{
    int first = away[0].slice, i = 0, last = --aways;
    for (int child = 1; child < last; child = 2 * i + 1) {
        child += child + 1 < last && away[child + 1].at < away[child].at;
        if (away[child].at >= away[last].at)
            break;
        away[i] = away[child];
        i = child;
    }
    away[i] = away[last];
    return first;
}

static int64_t chips_of(int which)
{
    int64_t before = which % SLICES * chips_per_slice;
    return before + chips_per_slice <= chips_per_learner ? chips_per_slice : chips_per_learner - before;
}

/* The first boundary from `at` on; every step is looked at with a syncer. */
static void plan_wake(struct learner *l, int64_t at)
{
    int64_t steps = syncer.is_on || at <= l->start + step_ns ? 1 : (at - l->start + step_ns - 1) / step_ns;
    set_wake(l, l->start + steps * step_ns);
}

static void plan_step(struct learner *l, int64_t now)
{
    if (syncer.is_on || l->failings > 0)
        plan_wake(l, now);
    else if (l->readies > 0)
        plan_wake(l, l->upscale_from > now ? l->upscale_from : now);
    else
        set_wake(l, INT64_MAX);
}

/* --- the syncer --- */

static void take_in(struct learner *l)
{
    for (; l->heard < syncer.round; l->heard++) {
        l->received_steps[l->heard % FRAGMENTS] = l->steps;
        l->received_chip_steps[l->heard % FRAGMENTS] = l->chip_steps;
    }
}

/* The quorum is one, so the first report opens the window of grace: 0.9 of two steps, but at most one. Who reports last
 * ends it. */
static void wait_for_more(int64_t now)
{
    if (syncer.reporters == LEARNERS)
        syncer.deadline = now;
    else if (syncer.deadline == INT64_MAX)
        syncer.deadline = now + step_ns;
}

static void close_round(int64_t now)
{
    double sum = 0, squares = 0;
    int fragment = (int)(syncer.round % FRAGMENTS);
    for (int i = 0; i < LEARNERS; i++) {
        struct learner *l = &learner[i];
        double steps = (double)(l->steps - l->received_steps[fragment]), weight = 0;
        double tokens = (double)(l->chip_steps - l->received_chip_steps[fragment]) / (double)chips_per_learner;
        if (l->reports > 0 && steps > 0)
            weight = tokens * (tokens / steps);
        sum += weight;
        squares += weight * weight;
        syncer.reporters -= l->reports == 1;
        l->reports -= l->reports > 0;
    }
    syncer.round++;
    syncer.effective += squares > 0 ? sum * sum / squares : 0;
    syncer.deadline = INT64_MAX;
    for (int i = 0; i < LEARNERS; i++)
        if (learner[i].pauses || learner[i].start == now)
            take_in(&learner[i]);
    if (syncer.reporters > 0)
        wait_for_more(now);
}

static void report(struct learner *l, int64_t now)
{
    take_in(l);
    syncer.reporters += l->reports++ == 0;
    wait_for_more(now);
}

/* --- learners --- */

static void gain(struct learner *l, int64_t now)
{
    l->gains = false;
    l->upscale_from = now + gather_ns;
    for (; l->readies > 0; l->readies--) {
        l->chips += chips_of(l->ready[l->readies - 1]);
        slice[l->ready[l->readies - 1]] = ACTIVE;
    }
    set_wake(l, now + upscale_ns);
}

/* Between two steps. */
static void decide(struct learner *l, int64_t now)
{
    bool loses = l->failings > 0;
    for (; l->failings > 0; l->failings--) {
        int which = l->failing[l->failings - 1];
        bool is_back = slice[which] > READY;
        l->chips -= chips_of(which);
        slice[which] = is_back ? READY : AWAY;
        if (is_back)
            l->ready[l->readies++] = which;
    }
    l->gains = l->readies > 0 && now >= l->upscale_from;
    l->pauses = loses || l->gains;
    if (loses)
        set_wake(l, now + downscale_ns);
    else if (l->gains)
        gain(l, now);
    else
        plan_step(l, now);
}

static void on_wake(struct learner *l, int64_t now)
{
    if (!l->pauses) {
        int64_t steps = syncer.is_on ? 1 : (now - l->start) / step_ns;
        l->steps += steps;
        l->chip_steps += steps * l->chips;
        l->start += steps * step_ns;
        if (syncer.is_on)
            report(l, now);
        decide(l, now);
    } else if (l->gains) {
        gain(l, now);
    } else {
        l->pauses = false;
        l->start = now;
        plan_step(l, now);
    }
}

static void on_failure(int which, int64_t now, int64_t back)
{
    struct learner *l = &learner[which / SLICES];
    if (slice[which] != ACTIVE)
        return;
    slice[which] = FAILING;
    l->failing[l->failings++] = which;
    push_away(back, which);
    if (!l->pauses && !syncer.is_on)
        plan_step(l, now);
}

static void on_return(int which, int64_t now)
{
    struct learner *l = &learner[which / SLICES];
    if (slice[which] == FAILING) {
        slice[which] = FAILING + 4;
        return;
    }
    slice[which] = READY;
    l->ready[l->readies++] = which;
    if (!l->pauses && !syncer.is_on && l->failings == 0)
        plan_step(l, now);
}

static double run(bool has_syncer, uint64_t seed)
{
    const struct sim_origin origin = {.seed = seed};
    struct sim_stream gaps, backs;
    double mean_ns = 365.25 * 86400e9 / (double)(LEARNERS * chips_per_learner), u[2];
    sim_stream_init(&gaps, &origin, 1, 1);
    sim_stream_init(&backs, &origin, 2, 1);
    memset(learner, 0, sizeof learner);
    memset(slice, 0, sizeof slice);
    memset(&syncer, 0, sizeof syncer);
    syncer.is_on = has_syncer;
    syncer.deadline = INT64_MAX;
    aways = 0;
    for (int i = 0; i < LEARNERS; i++) {
        learner[i].chips = chips_per_learner;
        turn[i] = &learner[i];
    }
    first_turn = 0;
    for (int i = 0; i < LEARNERS; i++)
        plan_step(&learner[i], 0);
    sim_stream_uniforms(&gaps, 2, u);
    int64_t failure = (int64_t)sim_law_exponential(mean_ns, u[0]), now = 0;
    while (now <= duration_ns) {
        int64_t next = turn[first_turn]->wake, back = aways > 0 ? away[0].at : INT64_MAX;
        now = next < failure ? next : failure;
        now = back < now ? back : now;
        now = syncer.deadline < now ? syncer.deadline : now;
        if (now == back) {
            on_return(pop_away(), now);
        } else if (now == failure) {
            int64_t chip = (int64_t)(u[1] * LEARNERS * (double)chips_per_learner);
            int64_t which = chip / chips_per_learner * SLICES + chip % chips_per_learner / chips_per_slice;
            on_failure((int)which, now, now + (int64_t)sim_law_exponential(600e9, sim_stream_uniform(&backs)));
            sim_stream_uniforms(&gaps, 2, u);
            failure += (int64_t)sim_law_exponential(mean_ns, u[0]);
        } else if (now == next) {
            on_wake(turn[first_turn], now);
        } else {
            close_round(now);
        }
    }
    double useful = 0;
    for (int i = 0; i < LEARNERS; i++)
        useful += (double)learner[i].chip_steps * (double)step_ns;
    return useful / ((double)LEARNERS * (double)chips_per_learner * (double)duration_ns);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    puts("| a bare loop of the rules of the largest cell | s | goodput | rounds | effective learners |");
    puts("|---|---|---|---|---|");
    for (int has_syncer = 0; has_syncer < 2; has_syncer++) {
        double seconds[RUNS], goodput = 0, effective = 0;
        int64_t rounds = 0;
        for (int i = 0; i < RUNS; i++) {
            clock_t start = clock();
            goodput += run(has_syncer != 0, (uint64_t)i) / RUNS;
            seconds[i] = (double)(clock() - start) / CLOCKS_PER_SEC;
            rounds = syncer.round;
            effective = rounds > 0 ? syncer.effective / (double)rounds : 0;
        }
        qsort(seconds, RUNS, sizeof *seconds, ascending);
        printf("| %s | %.3f | %.4f | %lld | %.3f |\n", has_syncer ? "with a syncer" : "without", seconds[RUNS / 2],
               goodput, (long long)rounds, effective);
    }
    return 0;
}
