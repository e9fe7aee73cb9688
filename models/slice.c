#include "models/slice.h"

#include "models/world.h"

#define FSM_DEF "models/slice_fsm.def"
#define FSM_NAME slice
#define FSM_LABEL "slice"
#define FSM_PREFIX SLICE
#include "sim/fsm_table.inc"

void slice_step_as(struct world *world, uint32_t slice, enum slice_event event, const char *name)
{
    struct slice *s = &world->slice[slice];
    unsigned next = sim_fsm_next(&slice_fsm, &world->sim.origin, s->state, event);
    world_note_change(world, slice_fsm.name, slice, slice_fsm.state[s->state].name, slice_fsm.state[next].name,
                      name != NULL ? name : slice_fsm.event[event]);
    bool was_active = s->state == SLICE_ACTIVE, is_active = next == SLICE_ACTIVE;
    s->state = (uint8_t)next;
    if (world->slowdowns.of_slice && (event == SLICE_DROP || event == SLICE_JOIN))
        slowdowns_end(world, slice);
    if (is_active != was_active)
        world_change_service(world, slice, is_active);
}

void slice_step(struct world *world, uint32_t slice, enum slice_event event)
{
    slice_step_as(world, slice, event, NULL);
}

struct slice *slices_create(const struct fleet *fleet)
{
    struct slice *slice = sim_allocate((size_t)fleet->slices, sizeof *slice);
    for (int64_t learner = 0, first = 0; learner < fleet->learners; learner++) {
        first += fleet_learner_slices(fleet, learner);
        slice[first - 1].size = (uint8_t)fleet_last_size(fleet, learner);
    }
    return slice;
}

enum slice_state slice_state(const struct world *world, uint32_t slice)
{
    return (enum slice_state)world->slice[slice].state;
}

int64_t slice_chips(const struct world *world, uint32_t slice)
{
    return world->fleet.chips_of_size[world->slice[slice].size];
}

void slice_list_init(struct slice_list *list)
{
    *list = (struct slice_list){.head = SLICE_NONE};
}

void slice_list_push(struct world *world, struct slice_list *list, uint32_t slice)
{
    world->slice[slice].next = list->head;
    list->head = slice;
    list->chips += slice_chips(world, slice);
}

uint32_t slice_list_pop(struct world *world, struct slice_list *list)
{
    uint32_t slice = list->head;
    if (slice == SLICE_NONE)
        return SLICE_NONE;
    list->head = world->slice[slice].next;
    list->chips -= slice_chips(world, slice);
    return slice;
}
