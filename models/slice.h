/* models/slice.h -- slices: the chips that come and go together.
 *
 * A failing chip takes its whole slice away. The slice keeps only its state and its place in one of its learner's
 * lists; its learner is arithmetic (models/fleet.h). What a learner does about it is in models/learner.h.
 *
 * Units: counts.
 * Ownership: the slices of a world are one array, owned by the world.
 * Errors: an event without an edge in models/slice_fsm.def is a bug and stops the run.
 */
#ifndef MODELS_SLICE_H
#define MODELS_SLICE_H

#include "models/fleet.h"
#include "sim/fsm.h"

#define FSM_DEF "models/slice_fsm.def"
#define FSM_NAME slice
#define FSM_PREFIX SLICE
#include "sim/fsm_enum.inc"

extern const struct sim_fsm slice_fsm;

#define SLICE_NONE UINT32_MAX

struct slice {
    uint32_t next; /* in the list it is in; SLICE_NONE at the end */
    uint8_t state;
    uint8_t holds; /* works of maintenance that hold it */
    uint8_t size;  /* enum fleet_size */
};

struct world;

/* Changes the state of a slice; nothing else does. */
void slice_step(struct world *world, uint32_t slice, enum slice_event event);

/* It, with a name for the event in the log of transitions that says more; NULL: as slice_step. */
void slice_step_as(struct world *world, uint32_t slice, enum slice_event event, const char *name);

/* All slices of a fleet, in service; the caller frees them. */
struct slice *slices_create(const struct fleet *fleet);

enum slice_state slice_state(const struct world *world, uint32_t slice);

/* fleet_slice_chips of it. */
int64_t slice_chips(const struct world *world, uint32_t slice);

/* A list of slices, linked through the slices themselves: a slice is in at most one. */
struct slice_list {
    uint32_t head;
    int64_t chips; /* in all its slices */
};

void slice_list_init(struct slice_list *list);

static inline bool slice_list_is_empty(const struct slice_list *list)
{
    return list->head == SLICE_NONE;
}

void slice_list_push(struct world *world, struct slice_list *list, uint32_t slice);

/* Takes one slice out; SLICE_NONE when there is none. */
uint32_t slice_list_pop(struct world *world, struct slice_list *list);

#endif
