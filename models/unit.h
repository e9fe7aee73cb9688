/* models/unit.h -- units: the hardware of a slice, told apart from the place it stands in.
 *
 * A slice of models/slice.h is a place in a learner. A unit is what stands there: it fails, is repaired, comes back or
 * becomes a spare, while another takes its place. Units are followed only when the scenario asks for it
 * (config_has_units): without crews, stages and spares a failed slice comes back as itself, and nothing is kept here.
 * Unit i starts in place i; behind the places come the spares, the standby and the slices that may be borrowed.
 *
 * Units: counts; ns.
 * Ownership: part of the world; units_init allocates, units_fini releases.
 * Errors: a change of state that cannot be is a bug and stops the run.
 */
#ifndef MODELS_UNIT_H
#define MODELS_UNIT_H

#include "models/config.h"
#include "sim/queue.h"

#define UNIT_NONE UINT32_MAX

enum unit_state {
    UNIT_PLACED,    /* in its place, sound as far as anybody knows */
    UNIT_SPARE,     /* cold, waiting to take a place */
    UNIT_STANDBY,   /* the same, warm */
    UNIT_WAITING,   /* failed, waiting for a crew */
    UNIT_REPAIRING, /* in the hands of a crew */
    UNIT_RETIRED,   /* failed too often; for good */
    UNIT_ELSEWHERE, /* with the job that lends it */
    UNIT_STATE_COUNT
};

/* What took a unit out, and what names the draws of its repair. */
struct unit_fault {
    uint64_t identity; /* of the source */
    uint64_t number;   /* of the failure in its stream */
    const struct sim_law *return_after;
    uint32_t *lemons;                /* of each unit under the source, when a lemon failed; else NULL */
    const struct config_source *log; /* whose log says how long it is out; NULL: none does */
};

struct unit {
    uint32_t next;     /* in the list it is in */
    uint32_t place;    /* that it stands in or comes back to; UNIT_NONE: another has it */
    uint8_t state;     /* enum unit_state */
    uint8_t stage;     /* of its repair */
    bool is_borrowed;  /* belongs to another job */
    bool is_bad;       /* has a fault; in service nobody has noticed it */
    sim_time since;    /* when it began to wait for a crew */
    sim_time *history; /* of its last failures, a ring; NULL while nobody is retired for them */
    int64_t failures;
    struct unit_fault fault;
    struct sim_handle relapse;
    sim_time relapse_left_ns;  /* service until then; -1: not drawn yet */
    sim_time in_service_since; /* of a unit that will relapse */
};

/* First in, first out. */
struct unit_list {
    uint32_t head, tail;
    int64_t count;
};

struct units {
    struct unit *unit; /* NULL when they are not followed */
    uint32_t *of_place;
    int64_t count;
    int64_t in_state[UNIT_STATE_COUNT];
    uint64_t *loan_bits; /* a bit for each slice of the lender: it is in a place */
};

struct world;

void units_init(struct world *world);
void units_fini(struct world *world);

/* The unit in a place; the place itself where units are not followed. */
uint32_t unit_of_place(const struct world *world, uint32_t place);

/* The only function that changes the state of a unit. */
void unit_set_state(struct world *world, uint32_t unit, enum unit_state state);

/* The first borrowed unit from number `unit` on that is in a place; UNIT_NONE when there is none. */
uint32_t unit_next_loan(const struct world *world, uint32_t unit);

/* `unit` takes `place`; whoever had it loses it. */
void unit_bind(struct world *world, uint32_t unit, uint32_t place);

/* A unit enters or leaves service, in its place or on standby; without units, a slice. Whatever runs with the service
 * of hardware hangs on this: ages, relapses. */
void unit_on_service(struct world *world, uint32_t unit, bool is_entering);

void unit_list_init(struct unit_list *list);
void unit_list_push(struct world *world, struct unit_list *list, uint32_t unit);

/* The unit that is longest in the list; UNIT_NONE when there is none. */
uint32_t unit_list_pop(struct world *world, struct unit_list *list);

/* Conservation: every unit is in one state, every place has one unit, and what learners, crews and lists say fits.
 * Visits every unit; called after each event of a debug build. */
void units_check(const struct world *world);

#endif
