/* tools/faultline/runner.h -- many replicas on a few threads, delivered in order.
 *
 * A plan is a row of jobs; what a job is (a replica of one config, or of one cell of a sweep) is the business of
 * whoever made the plan. Threads take jobs in order, the calling thread gets the results strictly in order, so what it
 * writes does not depend on the number of threads. SIGINT, SIGTERM and SIGHUP stop the running replicas; those already
 * finished are delivered, also beyond the first gap. A second signal ends the program at once. A job that takes longer
 * than it may is stopped, and delivered as RUN_TIMEOUT. The only file that includes <pthread.h> is runner.c.
 *
 * Units: wall time in seconds.
 * Ownership: the plan is the caller's; a result belongs to the runner and lives during `deliver`.
 * Errors: -1 with a text when no thread can be started; nothing has run then.
 */
#ifndef TOOLS_FAULTLINE_RUNNER_H
#define TOOLS_FAULTLINE_RUNNER_H

#include <stddef.h>

#include "models/run.h"
#include "sim/error.h"

#define RUNNER_THREADS_MAX 1024

struct runner_plan {
    size_t jobs;
    int threads;      /* 1 to RUNNER_THREADS_MAX */
    double timeout_s; /* wall time a job may take, looked at several times a second; 0 is no limit */
    size_t window;    /* jobs started beyond the first one that is not delivered; bounds the memory. 0 is no bound */
    void *context;

    /* Fills the request of a job. Called on a worker, several at once: touches only what belongs to the job. The runner
     * sets `stop`. */
    void (*prepare)(void *context, size_t job, struct run_request *ret);

    /* Takes a finished job on the calling thread, in order; of one with RUN_TIMEOUT only no_progress_at_ns is known.
     * Anything but 0 stops the plan: nothing more is delivered.
     */
    int (*deliver)(void *context, size_t job, const struct run_result *result, double wall_s);

    /* Called on the calling thread several times a second with the number of jobs delivered; may be NULL. */
    void (*tick)(void *context, size_t delivered);
};

struct runner_end {
    int signal;       /* that stopped the plan, or 0 */
    int refused;      /* what `deliver` returned when it was not 0 */
    size_t delivered; /* jobs */
};

/* Runs the plan to its end or until it is stopped. One plan at a time. */
int runner_run(const struct runner_plan *plan, struct runner_end *ret, struct sim_error *error);

/* Stops the plan that is running, as a signal does, but without one. Any thread may call it. */
void runner_stop(void);

/* The number of CPUs this process may use. */
int runner_cpus(void);

#endif
