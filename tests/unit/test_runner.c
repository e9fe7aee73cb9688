/* Replicas on threads: order, window, refusal, signals. The jobs are replicas of the small fleet of tests/rig.h. */
#include <signal.h>

#include "tests/rig.h"
#include "tools/faultline/runner.h"

#define JOBS 40

struct watch {
    struct config config;
    size_t delivered;
    size_t last_job;
    bool is_ordered;
    double goodput[JOBS];
    atomic_size_t started;
    atomic_size_t moved;     /* delivered, for workers to see */
    atomic_size_t ahead_max; /* jobs started beyond the delivered ones */
    size_t refuse_at;
    size_t signal_at;
    size_t stop_at;
};

static struct watch watch_of(void)
{
    struct watch watch = {.config = rig_config(CONFIG_ELASTIC_DP), .is_ordered = true};
    watch.refuse_at = watch.signal_at = watch.stop_at = JOBS;
    rig_add_source(&watch.config, "chip", 64 * 100, rig_exponential(50));
    return watch;
}

static void prepare(void *context, size_t job, struct run_request *ret)
{
    struct watch *watch = context;
    size_t ahead = job - atomic_load(&watch->moved) + 1;
    size_t most = atomic_load(&watch->ahead_max);
    while (ahead > most && !atomic_compare_exchange_weak(&watch->ahead_max, &most, ahead))
        continue;
    atomic_fetch_add(&watch->started, 1);
    *ret = (struct run_request){.config = &watch->config, .seed = 7, .replica = (uint32_t)job};
    if (job == watch->stop_at)
        runner_stop();
}

static int deliver(void *context, size_t job, const struct run_result *result, double wall_s)
{
    struct watch *watch = context;
    ck_assert_int_ne(result->status, RUN_STOPPED);
    ck_assert(wall_s >= 0);
    if (job == watch->refuse_at)
        return 3;
    watch->is_ordered = watch->is_ordered && (watch->delivered == 0 || job > watch->last_job);
    watch->last_job = job;
    watch->delivered++;
    watch->goodput[job] = result->metric[RUN_METRIC_goodput];
    atomic_store(&watch->moved, job + 1);
    if (job == watch->signal_at)
        (void)raise(SIGTERM);
    return 0;
}

static struct runner_end go(struct watch *watch, int threads, size_t window)
{
    struct runner_end end;
    struct sim_error error;
    const struct runner_plan plan = {
        .jobs = JOBS, .threads = threads, .window = window, .context = watch, .prepare = prepare, .deliver = deliver};
    ck_assert_int_eq(runner_run(&plan, &end, &error), 0);
    ck_assert_uint_eq(end.delivered, watch->delivered);
    return end;
}

START_TEST(delivers_everything_in_order)
{
    struct watch watch = watch_of();
    struct runner_end end = go(&watch, _i, 0);
    ck_assert_uint_eq(end.delivered, JOBS);
    ck_assert_int_eq(end.signal, 0);
    ck_assert_int_eq(end.refused, 0);
    ck_assert(watch.is_ordered);
}
END_TEST

START_TEST(threads_do_not_change_a_result)
{
    struct watch one = watch_of();
    struct watch many = watch_of();
    (void)go(&one, 1, 0);
    (void)go(&many, 8, 3);
    ck_assert_mem_eq(one.goodput, many.goodput, sizeof one.goodput);
    ck_assert(one.goodput[0] != one.goodput[1]);
}
END_TEST

START_TEST(a_window_bounds_what_is_ahead)
{
    struct watch watch = watch_of();
    struct runner_end end = go(&watch, 8, 2);
    ck_assert_uint_eq(end.delivered, JOBS);
    ck_assert_uint_le(atomic_load(&watch.ahead_max), 3); /* the job just delivered may not be counted yet */
}
END_TEST

START_TEST(a_refusal_stops_and_is_returned)
{
    struct watch watch = watch_of();
    watch.refuse_at = 5;
    struct runner_end end = go(&watch, 2, 4);
    ck_assert_int_eq(end.refused, 3);
    ck_assert_uint_eq(end.delivered, 5);
    ck_assert_uint_lt(atomic_load(&watch.started), JOBS);
}
END_TEST

START_TEST(stop_from_a_worker_ends_without_a_signal)
{
    struct watch watch = watch_of();
    watch.stop_at = 3;
    struct runner_end end = go(&watch, 1, 0);
    ck_assert_int_eq(end.signal, 0);
    ck_assert_uint_ge(end.delivered, 3);
    ck_assert_uint_le(end.delivered, 4);
}
END_TEST

START_TEST(a_signal_keeps_what_is_finished)
{
    struct watch watch = watch_of();
    watch.signal_at = 5;
    struct runner_end end = go(&watch, 2, 4);
    ck_assert_int_eq(end.signal, SIGTERM);
    ck_assert_uint_ge(end.delivered, 6);
    ck_assert_uint_lt(end.delivered, JOBS);
    ck_assert(watch.is_ordered);
}
END_TEST

START_TEST(the_next_plan_starts_fresh)
{
    struct watch stopped = watch_of();
    struct watch whole = watch_of();
    stopped.signal_at = 2;
    (void)go(&stopped, 2, 4);
    struct runner_end end = go(&whole, 2, 0);
    ck_assert_int_eq(end.signal, 0);
    ck_assert_uint_eq(end.delivered, JOBS);
}
END_TEST

START_TEST(an_ignored_signal_stays_ignored)
{
    struct watch watch = watch_of();
    watch.signal_at = 5;
    (void)signal(SIGTERM, SIG_IGN);
    struct runner_end end = go(&watch, 2, 0);
    ck_assert_int_eq(end.signal, 0);
    ck_assert_uint_eq(end.delivered, JOBS);
}
END_TEST

struct slow_watch {
    struct config quick, endless;
    enum run_status status[JOBS];
    sim_time stopped_at[JOBS];
};

static bool is_endless(size_t job)
{
    return job % 7 == 2;
}

static void prepare_slow(void *context, size_t job, struct run_request *ret)
{
    struct slow_watch *watch = context;
    *ret = (struct run_request){.config = is_endless(job) ? &watch->endless : &watch->quick, .replica = (uint32_t)job};
}

static int deliver_slow(void *context, size_t job, const struct run_result *result, double wall_s)
{
    struct slow_watch *watch = context;
    watch->status[job] = result->status;
    watch->stopped_at[job] = result->no_progress_at_ns;
    ck_assert(!is_endless(job) || wall_s > 0.5);
    return 0;
}

/* One thread takes all jobs, so that a job after one that was stopped would show what is left of that. */
START_TEST(a_job_that_takes_too_long_is_stopped_and_no_other)
{
    struct runner_end end;
    struct sim_error error;
    struct watch normal = watch_of();
    struct slow_watch watch = {.quick = normal.config, .endless = normal.config};
    watch.endless.every_step = true;
    watch.endless.duration_ns = INT64_C(200) * 365 * 86400 * SIM_SECOND;
    const struct runner_plan plan = {.jobs = 12,
                                     .threads = _i,
                                     .timeout_s = 0.5,
                                     .context = &watch,
                                     .prepare = prepare_slow,
                                     .deliver = deliver_slow};
    ck_assert_int_eq(runner_run(&plan, &end, &error), 0);
    ck_assert_uint_eq(end.delivered, plan.jobs);
    ck_assert_int_eq(end.signal, 0);
    for (size_t job = 0; job < plan.jobs; job++) {
        ck_assert_int_eq(watch.status[job], is_endless(job) ? RUN_TIMEOUT : RUN_DONE);
        ck_assert(!is_endless(job) || (watch.stopped_at[job] > 0 && watch.stopped_at[job] < watch.endless.duration_ns));
    }
}
END_TEST

START_TEST(no_jobs_is_no_work)
{
    struct runner_end end;
    struct sim_error error;
    const struct runner_plan plan = {.threads = 4, .prepare = prepare, .deliver = deliver};
    ck_assert_int_eq(runner_run(&plan, &end, &error), 0);
    ck_assert_uint_eq(end.delivered, 0);
}
END_TEST

START_TEST(there_is_a_cpu)
{
    ck_assert_int_ge(runner_cpus(), 1);
    ck_assert_int_le(runner_cpus(), RUNNER_THREADS_MAX);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("runner");
    TCase *tests = tcase_create("runner");
    tcase_add_loop_test(tests, delivers_everything_in_order, 1, 5);
    tcase_add_test(tests, threads_do_not_change_a_result);
    tcase_add_test(tests, a_window_bounds_what_is_ahead);
    tcase_add_test(tests, a_refusal_stops_and_is_returned);
    tcase_add_test(tests, stop_from_a_worker_ends_without_a_signal);
    tcase_add_test(tests, a_signal_keeps_what_is_finished);
    tcase_add_test(tests, the_next_plan_starts_fresh);
    tcase_add_test(tests, an_ignored_signal_stays_ignored);
    tcase_add_loop_test(tests, a_job_that_takes_too_long_is_stopped_and_no_other, 1, 3);
    tcase_add_test(tests, no_jobs_is_no_work);
    tcase_add_test(tests, there_is_a_cpu);
    suite_add_tcase(suite, tests);
    return rig_main(suite);
}
