#include "tools/faultline/splitting.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/assert.h"
#include "tools/faultline/progress.h"

#define PILOT_REPLICA UINT32_C(0x80000000) /* pilot trees are of replicas that nobody can ask for */
#define PILOT_TREES 2
#define PILOT_SEEN 8       /* arrivals that tell how many there are */
#define PILOT_GROWTH 8     /* times the copies, when there were fewer */
#define ARRIVALS_WANTED 10 /* at each threshold of a tree */
#define COPIES_MAX 5000    /* made at one threshold of a tree, on average */
#define TICK_NS 50000000L

/* What the processes of a tree write, in memory that all of them share; one at a time does. */
struct tally {
    struct splitting_tree tree;
    uint64_t branches;
    atomic_bool is_grown;
    int failed_errno;   /* 0: none */
    int64_t arrivals[]; /* [k]: paths that came to threshold k */
};

/* One process on its way. */
struct path {
    const struct splitting *splitting;
    struct tally *tally;
    const double *weight; /* [k]: while k thresholds are passed */
    int passed;
    int born; /* the threshold where it was copied; 0: the original */
    bool is_down;
    sim_time counted_ns;
};

/* ------------------------------------------------------------------ a path */

/* A process that ends with the one that made it, whatever ends that. */
static pid_t fork_bound(void)
{
    pid_t parent = getpid(), child = fork();
    if (child == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent))
        _exit(EXIT_FAILURE);
    return child;
}

static int status_of(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_FAILURE;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

/* Time of an outage that is in the path since it was last looked at. */
static void count_time(struct path *path, sim_time down_ns)
{
    if (down_ns > path->counted_ns)
        path->tally->tree.down_s += path->weight[path->passed] * sim_time_seconds(down_ns - path->counted_ns);
    path->counted_ns = down_ns;
}

static void descend(struct path *path, int64_t stopping)
{
    while (path->passed > stopping) {
        if (path->passed == path->born)
            _exit(EXIT_SUCCESS);
        path->passed--;
    }
}

/* Makes the copies of threshold `passed`. Returns twice for each, as fork does: in the copy with its branch. */
static uint64_t split(struct path *path)
{
    for (int i = 1; i < path->splitting->copies[path->passed]; i++) {
        uint64_t branch = ++path->tally->branches;
        pid_t child = fork_bound();
        if (child == 0) {
            path->born = path->passed;
            return branch;
        }
        if (child < 0)
            path->tally->failed_errno = errno;
        int status = child < 0 ? EXIT_FAILURE : status_of(child);
        if (status != EXIT_SUCCESS)
            _exit(status);
        path->tally->tree.copies++;
    }
    return 0;
}

static uint64_t ascend(struct path *path, int64_t stopping)
{
    uint64_t branch = 0;
    while (path->passed < path->splitting->thresholds && path->passed < stopping) {
        path->tally->arrivals[++path->passed]++;
        uint64_t made = split(path);
        branch = made != 0 ? made : branch;
    }
    return branch;
}

static bool is_of_quorum(const struct splitting *splitting)
{
    return splitting->thresholds < splitting->config->learners;
}

static void count_outage(struct path *path, const struct run_moment *moment)
{
    const struct config *config = path->splitting->config;
    bool is_down = config->learners - moment->stepping >= path->splitting->thresholds;
    if (is_down && !path->is_down && moment->time_ns >= config->warmup_ns)
        path->tally->tree.outages += path->weight[path->passed];
    path->is_down = is_down;
}

static uint64_t on_moment(void *context, const struct run_moment *moment)
{
    struct path *path = context;
    int64_t stopping = path->splitting->config->learners - moment->sound;
    count_time(path, is_of_quorum(path->splitting) ? moment->below_quorum_ns : moment->stopped_ns);
    descend(path, stopping);
    uint64_t branch = ascend(path, stopping);
    count_outage(path, moment);
    return branch;
}

/* ------------------------------------------------------------------ a tree */

static size_t tally_bytes(const struct splitting *splitting)
{
    return sizeof(struct tally) + ((size_t)splitting->thresholds + 1) * sizeof(int64_t);
}

static struct tally *tally_at(const struct splitting *splitting, void *shared, size_t tree)
{
    return (struct tally *)(void *)((char *)shared + tree * tally_bytes(splitting));
}

/* In a process of its own; copies of it end here, too. */
static void grow(const struct splitting *splitting, uint32_t replica, const double weight[], struct tally *tally)
{
    struct path path = {.splitting = splitting, .tally = tally, .weight = weight};
    const struct run_branches branches = {.context = &path, .on_moment = on_moment};
    const struct run_request request = {
        .config = splitting->config,
        .seed = splitting->seed,
        .replica = replica,
        .repeat = splitting->repeat,
        .branches = &branches,
    };
    struct run_result result;
    run_replica(&request, &result);
    enum run_metric metric = is_of_quorum(splitting) ? RUN_METRIC_quorum_uptime : RUN_METRIC_uptime;
    if (path.is_down)
        count_time(&path, (sim_time)llround((1 - result.metric[metric]) * (double)result.duration_ns));
    if (path.born > 0)
        _exit(EXIT_SUCCESS);
    tally->tree.duration_s = sim_time_seconds(result.duration_ns);
    atomic_store(&tally->is_grown, true);
    run_result_fini(&result);
}

/* ------------------------------------------------------------------ many trees */

static void work(const struct splitting *splitting, uint32_t first, size_t count, size_t worker, void *shared)
{
    double *weight = sim_allocate((size_t)splitting->thresholds + 1, sizeof *weight);
    weight[0] = 1;
    for (int k = 1; k <= splitting->thresholds; k++)
        weight[k] = weight[k - 1] / splitting->copies[k];
    for (size_t i = worker; i < count; i += (size_t)splitting->jobs)
        grow(splitting, first + (uint32_t)i, weight, tally_at(splitting, shared, i));
    free(weight);
    _exit(EXIT_SUCCESS);
}

static int complain(const struct splitting *splitting, void *shared, size_t count, struct sim_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (tally_at(splitting, shared, i)->failed_errno != 0)
            return sim_error_set(error, "a replica cannot be split: %s",
                                 strerror(tally_at(splitting, shared, i)->failed_errno));
    return sim_error_set(error, "a replica that was split did not come to its end");
}

static size_t count_grown(const struct splitting *splitting, void *shared, size_t count)
{
    size_t grown = 0;
    for (size_t i = 0; i < count; i++)
        grown += tally_at(splitting, shared, i)->is_grown;
    return grown;
}

/* The exit status of a worker; meanwhile the progress is shown. */
static int wait_for(pid_t worker, const struct splitting *splitting, size_t count, void *shared,
                    struct progress *progress)
{
    const struct timespec tick = {.tv_nsec = TICK_NS};
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)worker, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0) {
        progress_update(progress, 0, count_grown(splitting, shared, count));
        (void)nanosleep(&tick, NULL);
    }
    return status_of(worker);
}

/* All trees, on so many processes. */
static int grow_all(const struct splitting *splitting, uint32_t first, size_t count, void *shared,
                    struct sim_error *error)
{
    size_t workers = (size_t)splitting->jobs < count ? (size_t)splitting->jobs : count;
    pid_t *worker = sim_allocate(workers, sizeof *worker);
    int status = EXIT_SUCCESS;
    (void)fflush(NULL);
    for (size_t i = 0; i < workers; i++) {
        worker[i] = fork_bound();
        if (worker[i] == 0)
            work(splitting, first, count, i, shared);
    }
    struct progress progress = progress_start(1, count, splitting->is_quiet);
    for (size_t i = 0; i < workers; i++)
        if (worker[i] < 0 || wait_for(worker[i], splitting, count, shared, &progress) != EXIT_SUCCESS)
            status = EXIT_FAILURE;
    progress_stop(&progress);
    free(worker);
    return status == EXIT_SUCCESS ? 0 : complain(splitting, shared, count, error);
}

static int run_trees(struct splitting *splitting, uint32_t first, size_t count, struct splitting_tree ret[],
                     struct sim_error *error)
{
    size_t bytes = count * tally_bytes(splitting);
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return sim_error_set(error, "no memory for %zu trees: %s", count, strerror(errno));
    int failure = grow_all(splitting, first, count, shared, error);
    for (int k = 0; k <= splitting->thresholds; k++)
        splitting->arrivals[k] = 0;
    for (size_t i = 0; i < count && failure == 0; i++) {
        const struct tally *tally = tally_at(splitting, shared, i);
        ret[i] = tally->tree;
        for (int k = 1; k <= splitting->thresholds; k++)
            splitting->arrivals[k] += (double)tally->arrivals[k] / (double)count;
    }
    (void)munmap(shared, bytes);
    return failure;
}

int splitting_run(struct splitting *splitting, size_t count, struct splitting_tree ret[], struct sim_error *error)
{
    return run_trees(splitting, 0, count, ret, error);
}

/* ------------------------------------------------------------------ how many copies */

/* As many copies at threshold k as bring the paths wanted to the next one; they are 0 when none comes there. */
static int plan_threshold(struct splitting *splitting, int k, struct sim_error *error)
{
    struct splitting_tree ignored[PILOT_TREES];
    for (int copies = 1;;) {
        splitting->copies[k] = copies;
        if (run_trees(splitting, PILOT_REPLICA, PILOT_TREES, ignored, error) != 0)
            return -1;
        double here = splitting->arrivals[k], next = splitting->arrivals[k + 1], most = COPIES_MAX / fmax(here, 1);
        bool is_known = next * PILOT_TREES >= PILOT_SEEN || copies + 1 > most || here == 0;
        double wanted = is_known ? (next > 0 ? copies * ARRIVALS_WANTED / next : 0) : copies * PILOT_GROWTH;
        copies = (int)lround(fmin(fmax(wanted, wanted > 0), fmax(most, 1)));
        if (is_known) {
            splitting->copies[k] = copies;
            return 0;
        }
    }
}

int splitting_plan(struct splitting *splitting, struct sim_error *error)
{
    for (int k = 1; k < splitting->thresholds; k++) {
        if (plan_threshold(splitting, k, error) != 0)
            return -1;
        if (splitting->copies[k] == 0) {
            splitting->copies[k] = 1;
            return 0;
        }
        splitting->reached = k + 1;
    }
    return 0;
}

void splitting_init(struct splitting *splitting, const struct config *config, uint64_t seed, int64_t quorum)
{
    int thresholds = (int)(config->learners - quorum + 1);
    *splitting = (struct splitting){.config = config, .seed = seed, .jobs = 1, .thresholds = thresholds, .reached = 1};
    splitting->copies = sim_allocate((size_t)thresholds + 1, sizeof *splitting->copies);
    splitting->arrivals = sim_allocate((size_t)thresholds + 1, sizeof *splitting->arrivals);
    for (int k = 0; k <= thresholds; k++)
        splitting->copies[k] = 1;
}

void splitting_fini(struct splitting *splitting)
{
    free(splitting->copies);
    free(splitting->arrivals);
}
