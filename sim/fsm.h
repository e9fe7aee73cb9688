/* sim/fsm.h -- state machines as tables.
 *
 * A machine is written once, in a .def file of FSM_STATE(id, "name", "meaning"), FSM_EVENT(id, "name") and
 * FSM_EDGE(from, event, to). sim/fsm_enum.inc turns it into two enums, sim/fsm_table.inc into the struct sim_fsm below;
 * from that come the checks, the trace labels and the drawing. The first state is the initial one. A life cycle belongs
 * in such a table; a plain choice belongs in a switch.
 *
 * Units: none.
 * Ownership: tables are constants.
 * Errors: an event that has no edge in the current state is a bug and stops the run.
 */
#ifndef SIM_FSM_H
#define SIM_FSM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/assert.h"

#define SIM_FSM_STATES_MAX 32
#define SIM_FSM_EVENTS_MAX 32

struct sim_fsm_state {
    const char *name;
    const char *meaning;
};

struct sim_fsm_edge {
    uint8_t from, event, to;
};

struct sim_fsm {
    const char *name;
    const struct sim_fsm_state *state;
    size_t states;
    const char *const *event;
    size_t events;
    const struct sim_fsm_edge *edge;
    size_t edges;
    const uint8_t *next; /* [state * events + event] = target + 1; 0: no edge */
};

/* The state after `event` in `state`. */
unsigned sim_fsm_next(const struct sim_fsm *fsm, const struct sim_origin *origin, unsigned state, unsigned event);

/* True when `event` has an edge in `state`. */
bool sim_fsm_has_edge(const struct sim_fsm *fsm, unsigned state, unsigned event);

/* True when the table is sound: no edge twice, every state can be reached and left, every event is used. Otherwise a
 * text for a person in ret_why. */
bool sim_fsm_check(const struct sim_fsm *fsm, char *ret_why, size_t size);

/* A function that takes one line of text, without its newline. */
typedef void sim_fsm_writer(void *context, const char *line);

/* Writes the machine as Graphviz source, one line at a time. */
void sim_fsm_draw(const struct sim_fsm *fsm, sim_fsm_writer *write_line, void *context);

/* Writes it as Markdown: a table of the states and a Mermaid state diagram. */
void sim_fsm_document(const struct sim_fsm *fsm, sim_fsm_writer *write_line, void *context);

#endif
