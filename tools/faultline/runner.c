#include "tools/faultline/runner.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/assert.h"

#define TICK_NS 100000000L
#define ECHO_S 0.05

enum slot_state { SLOT_WAITING, SLOT_FINISHED, SLOT_DELIVERED };

struct slot {
    enum slot_state state;
    double wall_s;
    struct run_result result;
};

struct pool;

/* A thread and the job that it is at. Guarded by the lock of the pool but for `stop`, which the replica looks at. */
struct worker {
    struct pool *pool;
    pthread_t thread;
    bool is_at_work;
    bool is_late; /* its job was stopped because it took too long */
    struct timespec since;
    atomic_bool stop;
};

/* Everything but `plan` is guarded by `lock`; the result of a finished slot belongs to the calling thread. */
struct pool {
    const struct runner_plan *plan;
    pthread_mutex_t lock;
    pthread_cond_t finished; /* a slot was finished */
    pthread_cond_t moved;    /* `front` moved, or the plan is to stop */
    size_t next;             /* first job nobody has taken */
    size_t front;            /* first job that is not delivered */
    struct slot *slot;
    struct worker *worker;
    int workers; /* threads that were started */
};

/* What a signal handler can reach. It runs on the calling thread only: workers block all signals. */
static atomic_bool is_stopped;
static volatile sig_atomic_t caught_signal;
static struct timespec caught_at;
static const int handled_signals[] = {SIGINT, SIGTERM, SIGHUP};

#define HANDLED_SIGNALS (sizeof handled_signals / sizeof handled_signals[0])

static struct timespec now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t;
}

static double seconds_since(struct timespec start)
{
    struct timespec end = now();
    return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

/* The first signal asks for an orderly end, the next has its default action. One that comes at once is an echo:
 * timeout(1) sends each signal to the process and again to its group. */
static void on_signal(int number)
{
    if (caught_signal != 0 && seconds_since(caught_at) < ECHO_S)
        return;
    if (caught_signal != 0) {
        struct sigaction action = {.sa_handler = SIG_DFL};
        (void)sigaction(number, &action, NULL);
        (void)raise(number); /* delivered when the handler returns */
        return;
    }
    caught_at = now();
    caught_signal = number;
    atomic_store(&is_stopped, true);
}

/* Signals that were ignored stay ignored: a job in the background of a script must not end with its terminal. */
static void catch_signals(struct sigaction ret_old[])
{
    caught_signal = 0;
    atomic_store(&is_stopped, false);
    struct sigaction action = {.sa_handler = on_signal};
    for (size_t i = 0; i < HANDLED_SIGNALS; i++) {
        (void)sigaction(handled_signals[i], NULL, &ret_old[i]);
        if (ret_old[i].sa_handler != SIG_IGN)
            (void)sigaction(handled_signals[i], &action, NULL);
    }
}

static void restore_signals(const struct sigaction old[])
{
    for (size_t i = 0; i < HANDLED_SIGNALS; i++)
        (void)sigaction(handled_signals[i], &old[i], NULL);
}

static bool is_window_full(const struct pool *pool)
{
    size_t window = pool->plan->window;
    return window != 0 && pool->next - pool->front >= window;
}

/* Takes the next job; false when there is none left or the plan is to stop. */
static bool take_job(struct worker *worker, size_t *ret_job)
{
    struct pool *pool = worker->pool;
    (void)pthread_mutex_lock(&pool->lock);
    while (!atomic_load(&is_stopped) && pool->next < pool->plan->jobs && is_window_full(pool))
        (void)pthread_cond_wait(&pool->moved, &pool->lock);
    bool has_job = !atomic_load(&is_stopped) && pool->next < pool->plan->jobs;
    if (has_job) {
        *ret_job = pool->next++;
        worker->is_at_work = true;
        worker->is_late = false;
        worker->since = now();
        atomic_store(&worker->stop, false);
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return has_job;
}

static void finish_job(struct worker *worker, size_t job, const struct slot *slot)
{
    struct pool *pool = worker->pool;
    (void)pthread_mutex_lock(&pool->lock);
    pool->slot[job] = *slot;
    if (worker->is_late && slot->result.status == RUN_STOPPED)
        pool->slot[job].result.status = RUN_TIMEOUT;
    worker->is_at_work = false;
    (void)pthread_cond_signal(&pool->finished);
    (void)pthread_mutex_unlock(&pool->lock);
}

static void simulate(struct worker *worker, size_t job)
{
    const struct runner_plan *plan = worker->pool->plan;
    struct slot slot = {.state = SLOT_FINISHED};
    struct run_request request = {0};
    plan->prepare(plan->context, job, &request);
    request.stop = &worker->stop;
    run_replica(&request, &slot.result);
    slot.wall_s = seconds_since(worker->since);
    finish_job(worker, job, &slot);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    size_t job;
    while (take_job(worker, &job))
        simulate(worker, job);
    return NULL;
}

/* Starts as many of the threads as the system allows, with all signals left to the calling thread. */
static int start_workers(struct pool *pool)
{
    sigset_t all;
    sigset_t old;
    int failure = 0;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &old);
    while (pool->workers < pool->plan->threads && (size_t)pool->workers < pool->plan->jobs && failure == 0) {
        struct worker *worker = &pool->worker[pool->workers];
        worker->pool = pool;
        failure = pthread_create(&worker->thread, NULL, work, worker);
        pool->workers += failure == 0;
    }
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return failure;
}

/* Stops what the plan is to stop, and what has taken too long. Requires the lock. */
static void stop_workers(struct pool *pool)
{
    bool is_over = atomic_load(&is_stopped);
    double timeout_s = pool->plan->timeout_s;
    for (int i = 0; i < pool->workers; i++) {
        struct worker *worker = &pool->worker[i];
        bool is_late = worker->is_at_work && timeout_s > 0 && seconds_since(worker->since) > timeout_s;
        worker->is_late = worker->is_late || is_late;
        if (is_over || is_late)
            atomic_store(&worker->stop, true);
    }
}

/* Hands over a finished slot, with the lock released meanwhile. */
static void deliver(struct pool *pool, size_t job, struct runner_end *end)
{
    struct slot *slot = &pool->slot[job];
    slot->state = SLOT_DELIVERED;
    (void)pthread_mutex_unlock(&pool->lock);
    if (slot->result.status != RUN_STOPPED && end->refused == 0) {
        end->refused = pool->plan->deliver(pool->plan->context, job, &slot->result, slot->wall_s);
        end->delivered += end->refused == 0;
    }
    run_result_fini(&slot->result);
    if (end->refused != 0)
        atomic_store(&is_stopped, true);
    (void)pthread_mutex_lock(&pool->lock);
}

static void wait_a_tick(struct pool *pool)
{
    struct timespec until = now();
    until.tv_nsec += TICK_NS;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    (void)pthread_cond_timedwait(&pool->finished, &pool->lock, &until);
}

static void tick(struct pool *pool, const struct runner_end *end)
{
    if (pool->plan->tick == NULL)
        return;
    (void)pthread_mutex_unlock(&pool->lock);
    pool->plan->tick(pool->plan->context, end->delivered);
    (void)pthread_mutex_lock(&pool->lock);
}

/* Delivers in order until all is done or the plan is to stop. */
static void deliver_in_order(struct pool *pool, struct runner_end *end)
{
    (void)pthread_mutex_lock(&pool->lock);
    while (pool->front < pool->plan->jobs && !atomic_load(&is_stopped)) {
        if (pool->slot[pool->front].state == SLOT_FINISHED) {
            deliver(pool, pool->front, end);
            pool->front++;
            (void)pthread_cond_broadcast(&pool->moved);
        } else {
            wait_a_tick(pool);
        }
        tick(pool, end);
        stop_workers(pool);
    }
    stop_workers(pool);
    (void)pthread_cond_broadcast(&pool->moved);
    (void)pthread_mutex_unlock(&pool->lock);
}

/* After the workers are gone: what was finished beyond a gap. */
static void deliver_rest(struct pool *pool, struct runner_end *end)
{
    (void)pthread_mutex_lock(&pool->lock);
    for (size_t job = pool->front; job < pool->next; job++)
        if (pool->slot[job].state == SLOT_FINISHED)
            deliver(pool, job, end);
    (void)pthread_mutex_unlock(&pool->lock);
}

static void init_pool(struct pool *pool, const struct runner_plan *plan)
{
    pthread_condattr_t monotonic;
    *pool = (struct pool){.plan = plan,
                          .slot = sim_allocate(plan->jobs, sizeof *pool->slot),
                          .worker = sim_allocate((size_t)plan->threads, sizeof *pool->worker)};
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_mutex_init(&pool->lock, NULL);
    (void)pthread_cond_init(&pool->finished, &monotonic);
    (void)pthread_cond_init(&pool->moved, NULL);
    (void)pthread_condattr_destroy(&monotonic);
}

static void fini_pool(struct pool *pool)
{
    (void)pthread_cond_destroy(&pool->moved);
    (void)pthread_cond_destroy(&pool->finished);
    (void)pthread_mutex_destroy(&pool->lock);
    free(pool->slot);
    free(pool->worker);
}

int runner_run(const struct runner_plan *plan, struct runner_end *ret, struct sim_error *error)
{
    struct pool pool;
    struct sigaction old[HANDLED_SIGNALS];
    struct runner_end end = {0};
    init_pool(&pool, plan);
    catch_signals(old);
    int failure = start_workers(&pool);
    bool is_running = pool.workers > 0 || plan->jobs == 0;
    if (is_running)
        deliver_in_order(&pool, &end);
    for (int i = 0; i < pool.workers; i++)
        (void)pthread_join(pool.worker[i].thread, NULL);
    deliver_rest(&pool, &end);
    end.signal = caught_signal;
    restore_signals(old);
    fini_pool(&pool);
    if (!is_running)
        return sim_error_set(error, "no thread can be started: %s", strerror(failure));
    *ret = end;
    return 0;
}

void runner_stop(void)
{
    atomic_store(&is_stopped, true);
}

int runner_cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int cpus = CPU_COUNT(&set);
    return cpus < RUNNER_THREADS_MAX ? cpus : RUNNER_THREADS_MAX;
}
