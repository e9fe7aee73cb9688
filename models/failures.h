/* models/failures.h -- failure sources: who fails, and when.
 *
 * A source of a constant rate is one stream of (time, chip) over all chips in its scope, whatever the method, the
 * number of learners or the state of the fleet: every design meets the same chaos. Gaps are exponential with mean mtbi
 * / chips, and the chip is uniform, which is what N independent Poisson chips look like, at O(1) a failure; lemons
 * weigh as much more as they fail more often. A failure that hits an absent slice is dropped (thinning), so that
 * failures happen at the rate of the chips in service without the stream depending on them.
 *
 * A source with a law of life follows the chips of each unit instead: models/ageing.h.
 *
 * Where units are followed (models/unit.h) lemons and ages go with the hardware. A stream with lemons then runs as if
 * every chip were one, and a failure that hits a normal chip is dropped but once in lemons.factor times. Spares have
 * their share of lemons. A source with `only` and a pool is about a unit as a whole, while it stands in the scope.
 *
 * A stream is drawn many failures at a time, which costs less than one by one. One that would hit a normal chip and be
 * dropped is passed over, without an event, unless a lemon takes the place before its time has come.
 *
 * Units: times in ns; the fraction of a nanosecond that rounding leaves is carried over, so that rates do not drift.
 * Ownership: part of the world; failures_start allocates, failures_fini releases.
 * Errors: none.
 */
#ifndef MODELS_FAILURES_H
#define MODELS_FAILURES_H

#include "models/ageing.h"
#include "models/config.h"
#include "models/lemons.h"
#include "models/scope.h"
#include "sim/queue.h"
#include "sim/rng.h"

struct world;

#define FAILURES_AHEAD_MAX 32U

/* A failure of a stream that has been drawn. */
struct failure_ahead {
    sim_time at;
    int64_t chip;           /* or domain */
    uint32_t slice, within; /* of the chip, and its number there; set where lemons move */
};

struct failure_source {
    struct world *world;
    const struct config_source *config;
    uint64_t identity; /* of its name: names its random streams */
    struct scope scope;
    struct lemons lemons;

    /* a constant rate */
    struct sim_stream stream;
    double mean_gap_ns;
    double carry_ns; /* in [0, 1): the part of the last failure's time below a nanosecond */
    uint64_t count;  /* failures of the stream before those ahead, dropped ones included */
    struct failure_ahead *ahead;
    unsigned ahead_count, ahead_max;
    unsigned first;        /* of those ahead, the first that is not over */
    unsigned next;         /* the one that has an event; those in between are passed over */
    uint32_t kept;         /* a bit for each of those ahead: a normal chip would be hit */
    uint32_t hits;         /* the same: somebody is hit, or was when last looked; or the last */
    uint32_t *lemon_chips; /* of each unit, where units are followed; else NULL, and the permutation says which are */
    struct sim_stream thinning; /* what decides whether a normal chip is hit */
    bool hits_lemon;            /* the failure under way */

    struct ageing *ageing; /* a law of life: of each unit, or each slice of the fleet; else NULL */
};

/* What names the random streams of a source: 64-bit FNV-1a of its name, so it keeps its chaos when others are added
 * before it. */
uint64_t failures_identity(const char *name);

/* True when a source of this kind is such a stream: chip, silent, slowdown, and domain, whose units are domains. */
bool failures_is_kind(enum config_source_kind kind);

/* Starts the source `config`: draws its first failure, or that of each slice, and schedules it. */
void failures_start(struct failure_source *source, struct world *world, const struct config_source *config);
void failures_fini(struct failure_source *source);

/* The run goes on in another branch: the next failure of a source of a constant rate is drawn anew, because the time
 * until then is exponential again. The next failures of chips that age stay. */
void failures_branch(struct failure_source *source);

/* A unit comes into service or goes out of it. Called for every source of the world, started or not. */
void failures_on_service(struct failure_source *source, uint32_t unit, bool is_entering);

/* A unit has taken a place. Called for every source of the world, started or not. */
void failures_on_placed(struct failure_source *source, uint32_t unit);

/* True when failure `number`, of the stream that `thinning` belongs to, hits chip `chip` of `unit`: always for a lemon,
 * for another chip once in lemons.factor times. Without lemons that move it is always true. */
bool failures_hits(struct failure_source *source, uint32_t unit, int64_t chip, struct sim_stream *thinning,
                   uint64_t number);

#endif
