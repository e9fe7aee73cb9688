/* models/run.h -- one replica of a scenario, from the first event to its metrics.
 *
 * The front door of the models: give a config, a seed and a replica number, get numbers. Replicas share nothing, so any
 * number of them may run in parallel. The same (config, seed, replica) always gives the same result.
 *
 * Units: as in models/metrics.def; chip-time in chip-ns; times in ns.
 * Ownership: run_replica fills a result that the caller releases with run_result_fini.
 * Errors: a status; a bug in the engine stops the program with its seed and replica (sim/assert.h).
 */
#ifndef MODELS_RUN_H
#define MODELS_RUN_H

#include <stdatomic.h>

#include "models/config.h"
#include "sim/rng.h"

enum run_metric {
#define METRIC(name, kind, meaning) RUN_METRIC_##name,
#include "models/metrics.def"
#undef METRIC
    RUN_METRIC_COUNT
};

enum run_metric_kind { RUN_METRIC_FRACTION, RUN_METRIC_COUNT_KIND, RUN_METRIC_REAL };

struct run_metric_info {
    const char *name;
    enum run_metric_kind kind;
    const char *meaning;
};

/* One entry per metric, in the order of enum run_metric. */
extern const struct run_metric_info run_metric_info[RUN_METRIC_COUNT];

enum run_bucket {
#define BUCKET(name, meaning) RUN_BUCKET_##name,
#include "models/bucket.def"
#undef BUCKET
    RUN_BUCKET_COUNT
};

/* One name per bucket, in the order of enum run_bucket. */
extern const char *const run_bucket_name[RUN_BUCKET_COUNT];

enum run_status {
    RUN_DONE,        /* simulated to the end */
    RUN_STOPPED,     /* *stop became true, at no_progress_at_ns; the result is not valid */
    RUN_NO_PROGRESS, /* too many events in too little simulated time; no_progress_at_ns says where */
    RUN_STALLED,     /* simulated to the limit, until.within, and the work was not done */
    RUN_TAPE_ENDED,  /* a number or a step is not on the tape: the metrics cover the time until then */
    RUN_TIMEOUT,     /* stopped for the time it took, which is known to who stopped it; the result is not valid */
    RUN_STATUS_COUNT
};

/* "done", "stopped", "no_progress", "stalled", "tape_ended", "timeout". */
extern const char *const run_status_name[RUN_STATUS_COUNT];

struct run_learner {
    int64_t chips;
    int64_t steps;
    double tokens;
    sim_time stepping_ns;
    int64_t interruptions;
    sim_chip_time restoring; /* of the bucket restart: reading a checkpoint */
    sim_chip_time bucket[RUN_BUCKET_COUNT];
};

struct run_result {
    enum run_status status;
    sim_time no_progress_at_ns;
    sim_time duration_ns;            /* simulated time the metrics cover: without the warm-up */
    double metric[RUN_METRIC_COUNT]; /* NAN where there is none */
    int64_t learners;
    struct run_learner *learner;                  /* `learners` entries */
    int64_t spare_chips;                          /* of spares and standby, beside the fleet */
    sim_chip_time spare_bucket[RUN_BUCKET_COUNT]; /* where their time went */
};

/* A change of state of a machine ("slice", "learner", "syncer"); the strings live as long as the program. */
struct run_transition {
    sim_time time_ns;
    const char *machine;
    int64_t id;
    const char *from;
    const char *to;
    const char *cause;
};

/* What a round counts of one learner. Weighed nothing: `weight` is 0 (the learner's claim is void, or no fragment was
 * due). Steps and chip-steps are those since the learner last received the fragment. */
struct run_claim {
    int64_t learner;
    int64_t step; /* of the report that it counts */
    int64_t steps;
    int64_t chip_steps;
    int64_t staleness; /* rounds */
    double weight;
};

/* A round the syncer closed. */
struct run_round {
    int64_t round;
    sim_time opened_ns;
    sim_time quorum_ns;
    sim_time closed_ns;
    int64_t fragment; /* -1 when none was due */
    int64_t participants;
    double weight;                 /* sum over the learners it merged */
    double effective_learners;     /* (sum w)^2 / sum w^2; 0 when nothing weighed in */
    double tokens;                 /* merged, 1/P of each per fragment */
    int64_t staleness_max;         /* rounds */
    int64_t restarts;              /* of everything before it: the rounds after the snapshot come again */
    const struct run_claim *claim; /* `participants` entries, by learner; valid during the call */
    const int64_t *clock;          /* of the syncer (models/clocks.h); NULL without on_step; valid during the call */
};

/* A step that a learner completed. */
struct run_step {
    sim_time time_ns;
    int64_t learner;
    int64_t step; /* from 1, since the start of the run; those that were taken back have had theirs */
    sim_time step_ns;
    int64_t chips;        /* that took part */
    int64_t chip_steps;   /* since the start of the run, those taken back left out; tokens are a multiple */
    const int64_t *clock; /* of the learner (models/clocks.h); valid during the call */
    int64_t workers;      /* entries of the clock */
};

/* A learner overwrote a fragment with the update of a round. */
struct run_update {
    sim_time time_ns;
    int64_t learner;
    int64_t round;
    int64_t fragment;
};

/* Who wants to know; unset functions are not called. They must not change the run. With on_step each step is simulated,
 * as with config.every_step, and vector clocks are kept: (learners + 1)^2 numbers. */
struct run_observer {
    void *context;
    void (*on_transition)(void *context, const struct run_transition *transition);
    void (*on_round)(void *context, const struct run_round *round);
    void (*on_step)(void *context, const struct run_step *step);
    void (*on_update)(void *context, const struct run_update *update);
};

/* The random numbers of a run, noted down or given back. In a run that is given back, nothing is drawn. */
struct run_draws {
    void *context;
    void (*note)(void *context, const struct sim_address *address, uint64_t word);

    /* False when it has no such number: then the run ends at the clock, with RUN_TAPE_ENDED. */
    bool (*recall)(void *context, const struct sim_address *address, uint64_t *ret_word);

    /* True when the learner may begin this step; otherwise the run ends likewise. Unset: all. */
    bool (*has_step)(void *context, int64_t learner, int64_t step);
};

/* The end of an instant in which learners began or ceased to step, or slices were lost or came back. */
struct run_moment {
    sim_time time_ns;
    int64_t stepping;         /* learners that step */
    int64_t sound;            /* of these: nothing has happened that stops them at the end of their step */
    sim_time stopped_ns;      /* so far, after the warm-up: time in which no learner stepped */
    sim_time below_quorum_ns; /* and in which fewer than the quorum did */
};

/* Who may send a run into another branch: from then on it meets other chaos, with the same past. Whoever has copied the
 * process before gets runs that share a past (tools/faultline/splitting.h). */
struct run_branches {
    void *context;

    /* Returns 0: the run goes on as it would; or the number of the branch from whose random numbers it draws. */
    uint64_t (*on_moment)(void *context, const struct run_moment *moment);
};

struct run_request {
    const struct config *config;
    uint64_t seed;
    uint32_t replica;
    const char *repeat;      /* the command that repeats this run, for the last words of a bug; may be NULL */
    const atomic_bool *stop; /* looked at now and then; may be NULL */
    const struct run_observer *observer; /* may be NULL */
    const struct run_draws *draws;       /* may be NULL */
    const struct run_branches *branches; /* may be NULL */
};

/* Simulates one replica. Requires config_check to have passed. */
void run_replica(const struct run_request *request, struct run_result *ret);

/* Releases what run_replica allocated; the result may be filled again. */
void run_result_fini(struct run_result *result);

#endif
