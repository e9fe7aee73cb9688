/* tests/bench/queue.c -- pending events: ours beside std::priority_queue and a binary heap, in turns, each measurement
 * in a process of its own. A median of five; nanoseconds an operation, ratios to std::priority_queue, bytes an event.
 *
 * `bench_queue` prints the table; `bench_queue QUEUE LOAD EVENTS OPERATIONS` does one load once, for callgrind.
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/loads.h"

enum { ROUNDS = 5, QUEUES = 3 };

static const struct bench_loads *const loads[QUEUES] = {&bench_ours, &bench_std, &bench_heap};
static const char *const queue_name[QUEUES] = {"ours", "std", "heap"};

struct result {
    double ns, bytes; /* of an operation; of an event */
};

static double now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Bytes in memory. */
static double resident(void)
{
    long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &size, &pages) != 2)
        pages = 0;
    if (file)
        (void)fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static struct result measure(const struct bench_loads *of, const char *load, uint32_t events, uint64_t operations)
{
    static struct bench_draws draws;
    bench_draws_init(&draws, strcmp(load, "skewed") == 0 ? BENCH_SKEWED : BENCH_EXPONENTIAL);
    unsigned moved = strcmp(load, "moved") == 0 ? 30 : 0;
    struct result result = {0};
    double before = resident(), start = now_ns();
    if (strcmp(load, "repair") == 0) {
        of->repair(&draws, events, operations);
    } else if (strcmp(load, "customers") == 0) {
        (void)of->customers(&draws, operations / 2);
    } else {
        void *queue = of->fill(&draws, events, moved > 0);
        result.bytes = (resident() - before) / events;
        start = now_ns();
        of->hold(queue, &draws, events, operations, moved);
    }
    result.ns = (now_ns() - start) / (double)operations;
    return result;
}

static struct result measure_apart(const struct bench_loads *of, const char *load, uint32_t events, uint64_t operations)
{
    int ends[2];
    struct result result = {0};
    if (pipe(ends) != 0)
        return result;
    pid_t child = fork();
    if (child == 0) {
        result = measure(of, load, events, operations);
        _exit(write(ends[1], &result, sizeof result) != sizeof result);
    }
    if (child < 0 || read(ends[0], &result, sizeof result) != sizeof result)
        result = (struct result){0};
    (void)close(ends[0]);
    (void)close(ends[1]);
    (void)waitpid(child, NULL, 0);
    return result;
}

static int by_ns(const void *a, const void *b)
{
    double left = ((const struct result *)a)->ns, right = ((const struct result *)b)->ns;
    return (left > right) - (left < right);
}

static void row(const char *load, uint32_t events, uint64_t operations)
{
    struct result result[QUEUES][ROUNDS];
    for (int i = 0; i < ROUNDS; i++)
        for (int q = 0; q < QUEUES; q++)
            result[q][i] = measure_apart(loads[q], load, events, operations);
    for (int q = 0; q < QUEUES; q++)
        qsort(result[q], ROUNDS, sizeof result[q][0], by_ns);
    const struct result ours = result[0][ROUNDS / 2], std = result[1][ROUNDS / 2], heap = result[2][ROUNDS / 2];
    printf("| %s | %u | %.0f | %.0f | %.0f | %.2f | %.2f | ", load, events, ours.ns, std.ns, heap.ns, ours.ns / std.ns,
           ours.ns / heap.ns);
    printf(ours.bytes > 0 && events >= 1000000 ? "%.0f |\n" : "|\n", ours.bytes);
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    static const uint32_t sizes[] = {30, 1000, 100000, 1000000, 2400000};
    static const char *const holds[] = {"plain", "skewed", "moved"};
    for (int q = 0; argc == 5 && q < QUEUES; q++)
        if (strcmp(argv[1], queue_name[q]) == 0)
            printf("%.1f ns\n",
                   measure(loads[q], argv[2], (uint32_t)strtoul(argv[3], NULL, 10), strtoull(argv[4], NULL, 10)).ns);
    if (argc > 1)
        return argc != 5;
    printf("| load | events | ours, ns | std::priority_queue | binary heap | ours / std | ours / heap | bytes an event "
           "|\n");
    printf("|---|---|---|---|---|---|---|---|\n");
    for (size_t load = 0; load < sizeof holds / sizeof *holds; load++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            row(holds[load], sizes[i], sizes[i] < 100000 ? 2000000 : 5000000);
    for (size_t i = 2; i < sizeof sizes / sizeof *sizes; i++)
        row("repair", sizes[i], 10000000);
    row("customers", 1, 2000000);
    return 0;
}
