/* models/world.h -- one replica while it runs: the fleet, its learners, its syncer and what happens to them.
 *
 * The hub: sources report failures here, repairs report returns, and the world tells the learner that owns the slice.
 * It also keeps what belongs to no single machine: how many learners step at once, and the counters.
 *
 * Units: ns, chips.
 * Ownership: world_init allocates, world_fini releases; must not move in between.
 * Errors: misuse is a bug and stops the run.
 */
#ifndef MODELS_WORLD_H
#define MODELS_WORLD_H

#include "models/clocks.h"
#include "models/config.h"
#include "models/domain.h"
#include "models/failure_log.h"
#include "models/failures.h"
#include "models/fleet.h"
#include "models/forecast.h"
#include "models/learner.h"
#include "models/maintenance.h"
#include "models/outage.h"
#include "models/preemption.h"
#include "models/repair.h"
#include "models/rounds.h"
#include "models/run.h"
#include "models/silent.h"
#include "models/slice.h"
#include "models/slowdown.h"
#include "models/spares.h"
#include "models/syncer.h"
#include "models/unit.h"
#include "models/until.h"
#include "sim/level.h"
#include "sim/loop.h"

/* What goes first within one nanosecond. */
enum world_rank {
    WORLD_RANK_RETURN,     /* slices come back ... */
    WORLD_RANK_FAILURE,    /* ... before chips fail ... */
    WORLD_RANK_CHECKPOINT, /* ... before checkpoints in the background are complete ... */
    WORLD_RANK_LEARNER,    /* ... before steps and reconfigurations end ... */
    WORLD_RANK_LANDING,    /* ... before updates reach learners ... */
    WORLD_RANK_SYNCER,     /* ... before the syncer looks at the reports of this instant ... */
    WORLD_RANK_WINDOW,     /* ... before the warm-up ends ... */
    WORLD_RANK_BRANCH      /* ... before the run is split. */
};

/* The standing timers of a run: those of the learners, by their numbers, behind them these, and those of the streams of
 * failures, by the numbers of their sources. */
enum world_timer { WORLD_TIMER_GRACE, WORLD_TIMER_LOOK, WORLD_TIMER_COUNT };

/* Purposes of random streams. A number is never used again for something else. */
enum world_stream {
    WORLD_STREAM_FAILURES = 1,      /* entity: source; gap, chip, gap, chip, ... */
    WORLD_STREAM_RETURN = 2,        /* entity: source; one per failure of the stream */
    WORLD_STREAM_SPREAD = 3,        /* entity: learner; one */
    WORLD_STREAM_JITTER = 4,        /* entity: learner; one per step started */
    WORLD_STREAM_PREEMPT = 5,       /* entity: source and learner; gap, length, gap, length, ... */
    WORLD_STREAM_AGEING = 10,       /* entity: source and slice; one per failure of the slice and per chip renewed */
    WORLD_STREAM_LEMONS = 11,       /* entity: source; one */
    WORLD_STREAM_SYNCER = 20,       /* entity: source; gap, length, gap, length, ... */
    WORLD_STREAM_FOUND = 21,        /* entity: source; one per failure of the stream */
    WORLD_STREAM_STANDBY = 30,      /* entity: source; gap, slot, gap, slot, ... */
    WORLD_STREAM_STAGE = 31,        /* entity: failure; four per stage (models/repair.c) */
    WORLD_STREAM_MISDIAGNOSIS = 34, /* entity: failure; whether, which */
    WORLD_STREAM_RELAPSE = 35,      /* entity: failure; one */
    WORLD_STREAM_LEMON = 37,        /* entity: source; gap, lemon, gap, lemon, ... */
    WORLD_STREAM_LEMON_BESIDE = 38, /* the same, of lemons beside the fleet */
    WORLD_STREAM_LOG_TURN = 40,     /* entity: source; one per copy of its log */
    WORLD_STREAM_LOG_CHIP = 41,     /* entity: source and copy; one per failure of a log without machines */
    WORLD_STREAM_DOMAIN = 50,       /* entity: source; gap, domain, gap, domain, ... */
    WORLD_STREAM_SLOWDOWN = 52,     /* entity: source; length, factor, length, factor, ... */
    WORLD_STREAM_LINK = 53,         /* entity: source and first learner of those cut at once; as PREEMPT */
};

struct world_count {
    int64_t failures;
    int64_t interruptions;
    int64_t reconfigurations;
    int64_t repairs;
    int64_t checkpoints; /* complete */
    int64_t rollbacks;
    int64_t outages;      /* that are over */
    int64_t maintenances; /* slices that they took out */
    struct domain_count domain;
};

struct world {
    struct sim sim;
    const struct config *config;
    const struct run_observer *observer;
    const struct run_draws *draws;
    const struct run_branches *branches;
    struct sim_handle branch_look; /* models/branch.h */
    struct sim_draws watched;      /* what the streams see of them */
    bool is_tape_over;             /* what was to be recalled is not there */
    bool has_rounds;               /* config_has_rounds */
    bool has_forecast;             /* forecast_applies */
    bool is_plain;                 /* rounds_init */
    bool has_pauses;               /* learners have more to do than slices that fail or are back ask of them */
    bool has_ages;                 /* some source has a law of life */
    int64_t quorum;                /* config_quorum */
    struct clocks clocks;
    struct fleet fleet;
    struct slice *slice;
    struct learner *learner;
    struct syncer syncer;
    struct rounds rounds;
    struct units units;
    struct repair repair;
    struct spares spares;
    struct failure_source source[CONFIG_SOURCES_MAX];
    uint32_t processes;                       /* timers of sources that are in use */
    struct failure_log *log;                  /* copies of all logs */
    struct outage outage[CONFIG_SOURCES_MAX]; /* those of kind syncer, as in the config */
    struct silent *silent;                    /* not found yet, the newest first */
    struct slowdowns slowdowns;
    struct maintenance *maintenance;
    struct preemption *preemption;
    int64_t preemptions;              /* entries of it */
    int64_t stepping;                 /* learners executing a step */
    sim_time outage_start;            /* while there are none */
    struct sim_level any_stepping;    /* 1 while stepping >= 1 */
    struct sim_level quorum_stepping; /* 1 while stepping >= quorum */
    struct sim_level in_service;      /* chips that can fail */
    struct world_count count;
    struct until until;
    sim_time window_start; /* metrics count from here */
};

/* Builds the fleet at time 0 and starts its learners and failure sources. */
void world_init(struct world *world, const struct run_request *request);
void world_fini(struct world *world);

/* Failure `number` of `source` hits a chip, or a slowdown or corruption does. Dropped when its slice is absent. */
void world_fail_chip(struct world *world, const struct failure_source *source, int64_t chip, uint64_t number);

/* Failure `number` of `source` hits a slice. Dropped when it is absent. */
void world_fail_slice(struct world *world, const struct failure_source *source, uint32_t slice, uint64_t number);

/* Failure `number` of `source` hits a chip of a unit, in its place or on standby; of a slice where units are not
 * followed. Dropped when that is absent. */
void world_fail_unit(struct world *world, const struct failure_source *source, uint32_t unit, uint64_t number);

/* Failure `number` of `source` hits nobody. */
void world_miss(struct world *world, const struct failure_source *source, uint64_t number);

/* True when the chips of a slice are in service: they can fail. */
bool world_is_in_service(const struct world *world, uint32_t slice);

/* Shock `number` of `source` hits a slice, whose learner has yet to hear of it. False when it is absent. */
bool world_shock_slice(struct world *world, const struct failure_source *source, uint32_t slice, uint64_t number);

/* The slice, which is in service, fails: it is taken out, or by a misdiagnosis another one. */
void world_fail_place(struct world *world, const struct unit_fault *fault, uint32_t slice);

/* The place of a failed slice has hardware again: the same, repaired, or other. */
void world_return_slice(struct world *world, uint32_t slice);

/* A learner is taken away as a whole, or given back. */
void world_preempt(struct world *world, int64_t learner);
void world_grant(struct world *world, int64_t learner);

/* The link between a learner and the syncer is cut, or there again. */
void world_cut(struct world *world, int64_t learner);
void world_link(struct world *world, int64_t learner);

/* Says what a timer of the syncer is for. */
void world_register_timer(struct world *world, enum world_timer timer, sim_handler *handler, void *context);

/* Sets a timer of the syncer; SIM_TIME_NEVER stops it. */
void world_set_timer(struct world *world, enum world_timer timer, sim_time at);

/* When it is due; SIM_TIME_NEVER when it is not set. */
sim_time world_timer(const struct world *world, enum world_timer timer);

/* A learner began (+1) or ceased (-1) to execute steps. */
void world_change_stepping(struct world *world, int change);

/* The chips of a slice enter or leave service. */
void world_change_service(struct world *world, uint32_t slice, bool is_entering);

/* Closes all accounts at the clock: numbers are complete up to now. */
void world_settle(struct world *world);

/* True when every step must be simulated, because the config or an observer wants it. */
bool world_wants_every_step(const struct world *world);

/* True when the learner may begin this step; otherwise the run ends now. */
bool world_has_step(struct world *world, int64_t learner, int64_t step);

/* True when the observer wants to hear of changes of state. */
static inline bool world_hears_changes(const struct world *world)
{
    return world->observer && world->observer->on_transition;
}

/* Tells him, if he does, of one: of a machine, or of what has only two states. */
__attribute__((cold)) void world_tell_change(const struct world *world, const struct run_transition *change);

static inline void world_note_change(const struct world *world, const char *what, int64_t id, const char *from,
                                     const char *to, const char *cause)
{
    if (world_hears_changes(world))
        world_tell_change(world, &(struct run_transition){world->sim.origin.now, what, id, from, to, cause});
}

static inline void world_note_transition(const struct world *world, const struct sim_fsm *fsm, int64_t id,
                                         unsigned from, unsigned to, unsigned event)
{
    world_note_change(world, fsm->name, id, fsm->state[from].name, fsm->state[to].name, fsm->event[event]);
}

/* Tells the observer of a step, an update. */
void world_note_step(const struct world *world, const struct learner *learner);
void world_note_update(const struct world *world, int64_t learner, int64_t round, int64_t fragment);

#endif
