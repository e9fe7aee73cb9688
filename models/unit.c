#include "models/unit.h"

#include <stdlib.h>

#include "models/world.h"

static const char *const state_name[UNIT_STATE_COUNT] = {
    [UNIT_PLACED] = "placed",       [UNIT_SPARE] = "spare",         [UNIT_STANDBY] = "standby",
    [UNIT_WAITING] = "waiting",     [UNIT_REPAIRING] = "repairing", [UNIT_RETIRED] = "retired",
    [UNIT_ELSEWHERE] = "elsewhere",
};

#define TO(state) (1U << UNIT_##state)

/* Where a unit may go from each state. A unit that is in repair may be sent back to any of the places for sound ones.
 */
static const unsigned next_states[UNIT_STATE_COUNT] = {
    [UNIT_PLACED] = TO(WAITING) | TO(RETIRED) | TO(ELSEWHERE),
    [UNIT_SPARE] = TO(PLACED),
    [UNIT_STANDBY] = TO(PLACED) | TO(WAITING) | TO(RETIRED),
    [UNIT_WAITING] = TO(REPAIRING),
    [UNIT_REPAIRING] = TO(WAITING) | TO(PLACED) | TO(SPARE) | TO(STANDBY) | TO(ELSEWHERE),
    [UNIT_ELSEWHERE] = TO(PLACED),
};

/* What each state is entered for. */
static const char *const cause_name[UNIT_STATE_COUNT] = {
    [UNIT_PLACED] = "takes its place", [UNIT_SPARE] = "becomes a spare",    [UNIT_STANDBY] = "becomes a spare",
    [UNIT_WAITING] = "needs a crew",   [UNIT_REPAIRING] = "a crew is free", [UNIT_RETIRED] = "failed too often",
    [UNIT_ELSEWHERE] = "given back",
};

static void place_all(struct world *world)
{
    struct units *units = &world->units;
    const struct config *config = world->config;
    int64_t places = world->fleet.slices, cold = places + config->spares, own = places + config_pool(config);
    for (int64_t i = 0; i < units->count; i++) {
        enum unit_state state = i < places ? UNIT_PLACED
                                : i < cold ? UNIT_SPARE
                                : i < own  ? UNIT_STANDBY
                                           : UNIT_ELSEWHERE;
        units->unit[i] = (struct unit){.next = UNIT_NONE,
                                       .place = i < places ? (uint32_t)i : UNIT_NONE,
                                       .state = (uint8_t)state,
                                       .is_borrowed = i >= own,
                                       .relapse_left_ns = -1};
        units->in_state[state]++;
        if (i < places)
            units->of_place[i] = (uint32_t)i;
    }
}

void units_init(struct world *world)
{
    struct units *units = &world->units;
    const struct config *config = world->config;
    if (!config_has_units(config))
        return;
    units->count = world->fleet.slices + config_pool(config) + config->loan_slices;
    units->unit = sim_allocate((size_t)units->count, sizeof *units->unit);
    units->of_place = sim_allocate((size_t)world->fleet.slices, sizeof *units->of_place);
    units->loan_bits = sim_allocate((size_t)config->loan_slices / 64 + 1, sizeof *units->loan_bits);
    place_all(world);
}

void units_fini(struct world *world)
{
    struct units *units = &world->units;
    for (int64_t i = 0; i < units->count; i++)
        free(units->unit[i].history);
    free(units->of_place);
    free(units->loan_bits);
    free(units->unit);
}

uint32_t unit_of_place(const struct world *world, uint32_t place)
{
    return world->units.unit ? world->units.of_place[place] : place;
}

/* Behind the fleet's own. */
static uint32_t first_loan(const struct world *world)
{
    return (uint32_t)(world->units.count - world->config->loan_slices);
}

static void note_loan(struct world *world, uint32_t unit, bool is_placed)
{
    uint32_t i = unit - first_loan(world);
    uint64_t bit = 1ULL << i % 64, *bits = &world->units.loan_bits[i / 64];
    *bits = is_placed ? *bits | bit : *bits & ~bit;
}

uint32_t unit_next_loan(const struct world *world, uint32_t unit)
{
    uint32_t first = first_loan(world), i = unit > first ? unit - first : 0;
    for (; first + i < world->units.count; i = (i / 64 + 1) * 64) {
        uint64_t bits = world->units.loan_bits[i / 64] >> i % 64;
        if (bits != 0)
            return first + i + (uint32_t)__builtin_ctzll(bits);
    }
    return UNIT_NONE;
}

void unit_set_state(struct world *world, uint32_t unit, enum unit_state state)
{
    struct unit *u = &world->units.unit[unit];
    enum unit_state from = (enum unit_state)u->state;
    SIM_ASSERT(&world->sim.origin, (next_states[from] >> state & 1) != 0);
    world_note_change(world, "unit", unit, state_name[from], state_name[state], cause_name[state]);
    world->units.in_state[from]--;
    world->units.in_state[state]++;
    if (u->is_borrowed && (state == UNIT_PLACED) != (from == UNIT_PLACED))
        note_loan(world, unit, state == UNIT_PLACED);
    u->state = (uint8_t)state;
}

void unit_bind(struct world *world, uint32_t unit, uint32_t place)
{
    struct units *units = &world->units;
    units->unit[units->of_place[place]].place = UNIT_NONE;
    units->of_place[place] = unit;
    units->unit[unit].place = place;
    unit_set_state(world, unit, UNIT_PLACED);
}

void unit_on_service(struct world *world, uint32_t unit, bool is_entering)
{
    if (world->repair.has_relapses)
        repair_on_service(world, unit, is_entering);
    for (int i = 0; world->has_ages && i < world->config->source_count; i++)
        failures_on_service(&world->source[i], unit, is_entering);
}

void unit_list_init(struct unit_list *list)
{
    *list = (struct unit_list){.head = UNIT_NONE, .tail = UNIT_NONE};
}

void unit_list_push(struct world *world, struct unit_list *list, uint32_t unit)
{
    world->units.unit[unit].next = UNIT_NONE;
    if (list->count++ > 0)
        world->units.unit[list->tail].next = unit;
    else
        list->head = unit;
    list->tail = unit;
}

uint32_t unit_list_pop(struct world *world, struct unit_list *list)
{
    uint32_t unit = list->head;
    if (unit == UNIT_NONE)
        return UNIT_NONE;
    list->head = world->units.unit[unit].next;
    list->count--;
    return unit;
}

/* --- conservation --- */

/* A sound slice has a sound unit, a failed one a unit in repair or none to be had. */
static void check_places(const struct world *world)
{
    const struct units *units = &world->units;
    for (int64_t i = 0; i < world->fleet.slices; i++) {
        const struct unit *unit = &units->unit[units->of_place[i]];
        enum slice_state slice = slice_state(world, (uint32_t)i);
        bool is_broken = slice == SLICE_FAILED || slice == SLICE_AWAY;
        SIM_ASSERT(&world->sim.origin, unit->place == i);
        SIM_ASSERT(&world->sim.origin, (unit->state == UNIT_PLACED) == !is_broken);
    }
}

static int64_t count_loans(const struct world *world)
{
    int64_t count = 0;
    for (uint32_t i = unit_next_loan(world, 0); i != UNIT_NONE; i = unit_next_loan(world, i + 1))
        count += world->units.unit[i].is_borrowed && world->units.unit[i].state == UNIT_PLACED;
    return count;
}

void units_check(const struct world *world)
{
    const struct units *units = &world->units;
    int64_t in_state[UNIT_STATE_COUNT] = {0}, total = 0, placed = 0, loans = 0;
    for (int64_t i = 0; i < units->count; i++) {
        const struct unit *unit = &units->unit[i];
        in_state[unit->state]++;
        placed += unit->place != UNIT_NONE;
        loans += unit->is_borrowed && unit->state == UNIT_PLACED;
        SIM_ASSERT(&world->sim.origin,
                   !unit->is_borrowed || !(unit->state == UNIT_SPARE || unit->state == UNIT_STANDBY));
    }
    for (int i = 0; i < UNIT_STATE_COUNT; i++) {
        SIM_ASSERT(&world->sim.origin, in_state[i] == units->in_state[i]);
        total += in_state[i];
    }
    if (!units->unit)
        return;
    SIM_ASSERT(&world->sim.origin, total == units->count);
    SIM_ASSERT(&world->sim.origin, placed == world->fleet.slices && loans == count_loans(world));
    check_places(world);
    repair_check(world);
    spares_check(world);
}
