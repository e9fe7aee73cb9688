/* models/ageing.h -- chips that age: when the next one of a slice fails.
 *
 * Chips age in service only, so failures lie on the service clock of their slice, which stands still while the slice is
 * away or its learner is preempted. All chips are new at the start of the run. One that fails comes back new; under
 * `ageing: reset` so does its whole slice. The sources of a scenario age apart: a failure of one leaves the ages of the
 * others alone.
 *
 * A slice has one event pending, its next failure, and nothing is kept or drawn for a chip that has not failed: chips
 * of one age are exchangeable, so k of them are one number. The first of k to fail does so when their cumulative hazard
 * has grown by an exponential draw divided by k (Renyi 1953), which gives one failure after the other from one draw
 * each. Lemons and normal chips are a group each, since lemons age `factor` times as fast. A chip that came back new is
 * followed by itself, in a heap of the slice, if it fails again before the run is over.
 *
 * The state of a slice under a source is one struct that knows neither its place nor the time of day while out of
 * service, so it can go with the hardware to another place.
 *
 * Units: ns of the service clock, of the run where it says so; counts.
 * Ownership: ageing_init allocates nothing; ageing_fini releases the heap that failures fill.
 * Errors: misuse is a bug and stops the run.
 */
#ifndef MODELS_AGEING_H
#define MODELS_AGEING_H

#include "models/config.h"
#include "sim/queue.h"

struct failure_source;

enum ageing_kind { AGEING_NORMAL, AGEING_LEMON, AGEING_KINDS };

/* The chips of one kind that are of one age: that of the clock since `born`. */
struct ageing_group {
    double hazard;     /* cumulative, at their next failure */
    sim_time fails_at; /* on the service clock; SIM_TIME_NEVER when there are none */
    uint32_t left;
    uint32_t all; /* chips of the kind, whatever their age */
};

/* A chip that failed and came back new. */
struct ageing_chip {
    sim_time fails_at; /* on the service clock */
    enum ageing_kind kind;
};

/* The chips of one unit (models/unit.h; of one slice where units are not followed), as one source sees them. */
struct ageing {
    uint64_t address; /* of its draws, with the purpose: identity of the source plus number of the unit */
    sim_time clock;   /* time in service, up to `since` while in service */
    sim_time since;   /* of the run: in service since then; -1: out of service */
    sim_time born;    /* on the service clock: of the chips of the groups */
    struct sim_handle event;
    uint32_t draws;
    uint32_t failures;
    struct ageing_group group[AGEING_KINDS];
    struct ageing_chip *renewed; /* a heap, the next to fail first */
    uint32_t renewed_count, renewed_capacity;
};

/* New chips, out of service. */
void ageing_init(struct ageing *ageing, const struct failure_source *source, uint32_t unit, uint32_t normal_chips,
                 uint32_t lemons);
void ageing_fini(struct ageing *ageing);

/* The unit comes into service, or goes out of it; nothing happens when it is so already. */
void ageing_on_service(struct ageing *ageing, struct failure_source *source, uint32_t unit);
void ageing_on_away(struct ageing *ageing, struct failure_source *source);

#endif
