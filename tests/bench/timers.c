/* tests/bench/timers.c -- a hundred million timers set and cancelled, a thousand pending at a time: nanoseconds each,
 * and the memory of the program before and after. */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "sim/queue.h"

enum { TIMERS = 100000000, PENDING = 1000 };

static void on_nothing(void *context, uint32_t entity)
{
    (void)context;
    (void)entity;
}

static long peak_kb(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* A time in no order, so that the heap has to work. */
static sim_time later(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (sim_time)(*state >> 24);
}

int main(void)
{
    static struct sim_handle timer[PENDING];
    const struct sim_origin origin = {0};
    struct sim_queue queue;
    uint64_t state = 1;
    sim_queue_init(&queue, &origin);
    for (uint32_t i = 0; i < PENDING; i++)
        timer[i] = sim_queue_schedule(&queue, later(&state), 0, i, on_nothing, NULL);
    long before_kb = peak_kb();
    clock_t start = clock();
    for (uint32_t i = 0; i < TIMERS; i++) {
        SIM_ASSERT(&origin, sim_queue_cancel(&queue, timer[i % PENDING]));
        timer[i % PENDING] = sim_queue_schedule(&queue, later(&state), 0, i % PENDING, on_nothing, NULL);
    }
    double each_ns = 1e9 * (double)(clock() - start) / CLOCKS_PER_SEC / TIMERS;
    printf("%d timers set and cancelled: %.0f ns each, %ld kB before, %ld kB after\n", TIMERS, each_ns, before_kb,
           peak_kb());
    sim_queue_fini(&queue);
    return 0;
}
