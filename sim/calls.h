/* sim/calls.h -- what events call, handler and context, by numbers.
 *
 * Millions of events call a few things. Each of these is kept once, as long as some event has it, and an event has its
 * number. The calls of late are looked up by a hash; two may fall on one place and push each other out, so that a call
 * is sometimes kept twice: nobody minds.
 *
 * Units: none.
 * Ownership: sim_calls_init allocates, sim_calls_fini releases; contexts stay the caller's.
 * Errors: none.
 */
#ifndef SIM_CALLS_H
#define SIM_CALLS_H

#include <stdint.h>

/* What happens: called with the context and the entity that were scheduled. */
typedef void sim_handler(void *context, uint32_t entity);

struct sim_call {
    sim_handler *handler;
    void *context;
    uint32_t owners;    /* events that have it and places in `recent` */
    uint32_t next_free; /* when nobody has it */
};

#define SIM_CALLS_RECENT_BITS 6

struct sim_calls {
    struct sim_call *call;
    uint32_t count, capacity, free;
    uint32_t recent[1 << SIM_CALLS_RECENT_BITS]; /* by hash */
};

void sim_calls_init(struct sim_calls *calls);
void sim_calls_fini(struct sim_calls *calls);

/* The number of a call, which one event more has. */
uint32_t sim_calls_take(struct sim_calls *calls, sim_handler *handler, void *context);

/* One event less has it. */
void sim_calls_release(struct sim_calls *calls, uint32_t number);

#endif
