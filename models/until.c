#include "models/until.h"

#include "models/world.h"

void until_start(struct world *world)
{
    world->until = (struct until){.is_counting = config_has_until(world->config)};
}

/* From the two sums, so that the order in which learners report does not matter. */
static double tokens_done(const struct world *world)
{
    return fleet_tokens(&world->fleet, world->config->tokens_per_step, world->until.chip_steps);
}

static sim_chip_time work_left(const struct world *world)
{
    return (sim_chip_time)world->config->until_work_ns * world->config->chips - world->until.work;
}

static bool is_complete(const struct world *world)
{
    if (world->config->until_work_ns > 0)
        return work_left(world) <= 0;
    return tokens_done(world) >= world->config->until_tokens;
}

void until_count(struct world *world, const struct learner *learner, sim_chip_time work, sim_chip_time chip_steps)
{
    struct until *until = &world->until;
    if (!until->is_counting || until->is_done)
        return;
    until->work += work;
    until->chip_steps[fleet_is_large(&world->fleet, learner->chips)] += chip_steps;
    until->is_done = is_complete(world);
    if (until->is_done)
        sim_end_now(&world->sim);
}

/* Rounding may make the quotient of tokens a step too large. */
static int64_t token_steps(const struct world *world, const struct learner *learner)
{
    double left = world->config->until_tokens - tokens_done(world),
           step = learner_tokens(learner, learner->chips_present);
    double steps = left / step - 1;
    return steps < 1e15 ? (int64_t)steps : INT64_MAX;
}

static int64_t work_steps(const struct world *world, const struct learner *learner)
{
    sim_chip_time steps = work_left(world) / ((sim_chip_time)learner->chips_present * learner->step_ns);
    return steps < INT64_MAX ? (int64_t)steps : INT64_MAX;
}

int64_t until_quiet_steps(const struct world *world, const struct learner *learner)
{
    int64_t steps = world->config->until_work_ns > 0 ? work_steps(world, learner) : token_steps(world, learner);
    return steps > 1 ? steps : 1;
}

bool until_needs_every_step(const struct config *config)
{
    return config_has_until(config) && config->learners > 1;
}
