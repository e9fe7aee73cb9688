#include "models/crew.h"

#include "models/world.h"

void crew_init(struct crew *crew, const struct sim_origin *origin, int64_t crews)
{
    *crew = (struct crew){.crews = crews};
    unit_list_init(&crew->line);
    sim_level_init(&crew->busy, origin, 0);
}

static void take_up(struct world *world, struct crew *crew, uint32_t unit)
{
    crew->started++;
    crew->waited_ns += world->sim.origin.now - world->units.unit[unit].since;
    sim_level_set(&crew->busy, crew->busy.value + 1);
}

bool crew_join(struct world *world, struct crew *crew, uint32_t unit)
{
    world->units.unit[unit].since = world->sim.origin.now;
    if (crew->crews > 0 && crew->busy.value == crew->crews) {
        unit_list_push(world, &crew->line, unit);
        return false;
    }
    take_up(world, crew, unit);
    return true;
}

uint32_t crew_leave(struct world *world, struct crew *crew)
{
    SIM_ASSERT(&world->sim.origin, crew->busy.value > 0);
    sim_level_set(&crew->busy, crew->busy.value - 1);
    uint32_t unit = unit_list_pop(world, &crew->line);
    if (unit != UNIT_NONE)
        take_up(world, crew, unit);
    return unit;
}

void crew_reset_counts(struct crew *crew)
{
    crew->started = 0;
    crew->waited_ns = 0;
    sim_level_reset(&crew->busy);
}
