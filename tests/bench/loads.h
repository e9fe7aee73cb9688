/* tests/bench/loads.h -- what the benchmark of queues (tests/bench/queue.c) lets each queue do, and the state of the
 * models in it, which is the same for all queues. For C and C++.
 *
 * Units: ns.
 * Ownership: load_fill gives a queue that is never released: each measurement is a process of its own.
 * Errors: none.
 */
#ifndef TESTS_BENCH_LOADS_H
#define TESTS_BENCH_LOADS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BENCH_EXPONENTIAL, BENCH_SKEWED };
enum { BENCH_DRAWS = 1 << 12, BENCH_LINE_MAX = 1 << 12 };

/* Delays drawn beforehand, so that they cost nothing: exponential with a mean of 1e9 ns; skewed, half of them ten
 * thousand times as long. */
struct bench_draws {
    int64_t delay[BENCH_DRAWS];
    uint64_t state;
};

static inline uint64_t bench_random(struct bench_draws *draws)
{
    uint64_t x = draws->state += 0x9e3779b97f4a7c15U; /* splitmix64 */
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

static inline int64_t bench_delay(struct bench_draws *draws)
{
    return draws->delay[bench_random(draws) % BENCH_DRAWS];
}

static inline void bench_draws_init(struct bench_draws *draws, int law)
{
    draws->state = 1;
    for (int i = 0; i < BENCH_DRAWS; i++) {
        double u = ((double)(bench_random(draws) >> 11) + 0.5) * 0x1p-53;
        int is_long = law == BENCH_SKEWED && bench_random(draws) % 2;
        draws->delay[i] = (int64_t)(-log(u) * 1e9 * (is_long ? 1e4 : 1));
    }
}

/* A record of one cache line, as of a chip with its state and its account. */
struct bench_machine {
    int64_t since, worked_ns, failures;
    int is_working;
    char rest[36];
};

/* All of them, in pages of 2 MiB where the system has some: for every queue the same. */
static inline struct bench_machine *bench_machines(uint32_t count)
{
    const size_t page = (size_t)2 << 20;
    size_t bytes = (count * sizeof(struct bench_machine) / page + 1) * page;
    void *block = aligned_alloc(page, bytes);
    if (block == NULL)
        abort();
    (void)madvise(block, bytes, MADV_HUGEPAGE);
    memset(block, 0, bytes);
    return (struct bench_machine *)block;
}

/* It fails, or is repaired; when it will be the other way round. */
static inline int64_t bench_machine_turn(struct bench_machine *machine, struct bench_draws *draws, int64_t now)
{
    if (machine->is_working)
        machine->worked_ns += now - machine->since, machine->failures++;
    machine->since = now;
    machine->is_working = !machine->is_working;
    int64_t delay = bench_delay(draws);
    return now + (machine->is_working ? delay : delay / 10);
}

struct bench_line {
    int64_t arrived[BENCH_LINE_MAX];
    uint64_t arrivals, served;
    double stay_ns;
};

/* A customer arrives (id 0) or leaves (1); true when the server then begins with one. */
static inline int bench_line_step(struct bench_line *line, int64_t now, uint32_t id)
{
    if (id == 0) {
        line->arrived[line->arrivals++ % BENCH_LINE_MAX] = now;
        return line->arrivals - line->served == 1;
    }
    line->stay_ns += (double)(now - line->arrived[line->served++ % BENCH_LINE_MAX]);
    return line->arrivals > line->served;
}

struct bench_loads {
    void *(*fill)(struct bench_draws *draws, uint32_t events, int can_move);
    void (*hold)(void *queue, struct bench_draws *draws, uint32_t events, uint64_t operations, unsigned moved_percent);
    void (*repair)(struct bench_draws *draws, uint32_t machines, uint64_t operations);
    double (*customers)(struct bench_draws *draws, uint64_t customers);
};

#ifdef __cplusplus
extern "C" {
#endif
extern const struct bench_loads bench_ours, bench_heap, bench_std;
#ifdef __cplusplus
}
#endif

#endif
