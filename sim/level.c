#include "sim/level.h"

void sim_level_init(struct sim_level *level, const struct sim_origin *origin, int64_t value)
{
    *level = (struct sim_level){.origin = origin, .opened = origin->now, .since = origin->now, .value = value};
}

void sim_level_set_at(struct sim_level *level, sim_time at, int64_t value)
{
    SIM_ASSERT(level->origin, at >= level->since && at <= level->origin->now);
    level->integral += (sim_chip_time)level->value * (at - level->since);
    level->since = at;
    level->value = value;
}

void sim_level_reset(struct sim_level *level)
{
    sim_level_init(level, level->origin, level->value);
}

sim_chip_time sim_level_integral(struct sim_level *level)
{
    sim_level_set_at(level, level->origin->now, level->value);
    return level->integral;
}

double sim_level_mean(struct sim_level *level)
{
    sim_chip_time integral = sim_level_integral(level);
    SIM_ASSERT(level->origin, level->since > level->opened);
    return (double)integral / (double)(level->since - level->opened);
}
