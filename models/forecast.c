#include "models/forecast.h"

#include "models/learner_internal.h"
#include "models/world.h"

bool forecast_applies(const struct world *world)
{
    const struct config *config = world->config;
    bool is_one_pace = config->grace == CONFIG_GRACE_OFF || pace_is_uniform(config);
    return world->has_rounds && !world_wants_every_step(world) && pace_is_constant(config) && is_one_pace &&
           !config_can_go_back(config) && !until_needs_every_step(config) &&
           !config_has_kind(config, CONFIG_SOURCE_SLOWDOWN) && !config_has_kind(config, CONFIG_SOURCE_LINK);
}

void forecast_catch_up(struct world *world)
{
    for (int64_t i = 0; world->has_forecast && i < world->config->learners; i++)
        learner_catch_up(&world->learner[i]);
    rounds_commit(world);
}

static sim_time step_end(const struct learner *learner)
{
    return sim_time_add(learner->step_start, learner->step_ns);
}

/* The boundary at which the learner must wait unless an update lands or a round closes before. */
static sim_time leash_end(const struct learner *learner)
{
    const struct world *world = learner->world;
    sim_time steps = learner_oldest_owed(learner) + world->config->sync_overlap - learner->total.steps, span, end;
    if (__builtin_mul_overflow(steps > 1 ? steps : 1, learner->step_ns, &span) ||
        __builtin_add_overflow(learner->step_start, span, &end))
        return SIM_TIME_NEVER;
    return end;
}

/* The next decision of the syncer comes at the latest then, if at all. */
static sim_time horizon_of(const struct world *world)
{
    return world_timer(world, world->syncer.state == SYNCER_GRACE ? WORLD_TIMER_GRACE : WORLD_TIMER_LOOK);
}

sim_time forecast_leash(const struct learner *learner)
{
    if (learner->world->rounds.is_planned)
        return SIM_TIME_NEVER;
    sim_time end = leash_end(learner);
    return end <= horizon_of(learner->world) ? end : SIM_TIME_NEVER;
}

/* --- when the syncer has to look --- */

/* What has been played lies ahead of the clock. */
static sim_time opening_of(const struct world *world)
{
    sim_time now = world->sim.origin.now, opened = world->syncer.opened_ns;
    return now > opened ? now : opened;
}

/* The report that makes the quorum is not before the first of those that are missing; the last of them when none can be
 * spared. */
static sim_time next_quorum(const struct world *world)
{
    int64_t missing = config_quorum(world->config) - world->syncer.reporters, steppers = 0;
    sim_time first = SIM_TIME_NEVER, last = 0;
    if (missing <= 0)
        return opening_of(world);
    for (int64_t i = 0; i < world->config->learners; i++) {
        const struct learner *learner = &world->learner[i];
        if (learner->state != LEARNER_STEPPING || learner_uncounted(learner) > 0)
            continue;
        sim_time end = step_end(learner);
        first = end < first ? end : first;
        last = end > last ? end : last;
        steppers++;
    }
    if (steppers < missing)
        return SIM_TIME_NEVER;
    return steppers == missing ? last : first;
}

/* When the last of those that take part has reported; SIM_TIME_NEVER when one of them does not step. */
static sim_time next_everyone(const struct world *world)
{
    sim_time last = world->sim.origin.now;
    for (int64_t i = 0; i < world->config->learners; i++) {
        const struct learner *learner = &world->learner[i];
        if (!learner_is_connected(learner) || learner_uncounted(learner) > 0)
            continue;
        if (learner->state != LEARNER_STEPPING)
            return SIM_TIME_NEVER;
        sim_time end = step_end(learner);
        last = end > last ? end : last;
    }
    return last;
}

static sim_time next_look(const struct world *world)
{
    switch (world->syncer.state) {
    case SYNCER_COLLECTING:
        return next_quorum(world);
    case SYNCER_GRACE:
        return next_everyone(world);
    case SYNCER_MERGING:
    case SYNCER_DOWN:
    case SYNCER_STATE_COUNT:
        break;
    }
    return SIM_TIME_NEVER;
}

/* At a glance: with at most the report of its last step, it may go on for tau steps from
 * that, here at least two. */
static bool is_leash_long(const struct learner *learner, sim_time horizon)
{
    sim_time span = horizon - learner->step_start;
    return learner->in_flight == 0 && learner_uncounted(learner) <= 1 &&
           (span < learner->step_ns || span - learner->step_ns < learner->step_ns) &&
           learner->world->config->sync_overlap >= 2;
}

/* Leaves a wake-up call that comes sooner alone. */
static void wake_at_leash_end(struct learner *learner, sim_time horizon)
{
    sim_time end = leash_end(learner);
    if (end <= horizon && end < sim_lane_time(&learner->world->sim.lane, (uint32_t)learner->index))
        learner_set_wake(learner, end);
}

void forecast_all(struct world *world)
{
    if (!world->has_forecast || rounds_plan(world))
        return;
    syncer_look_at(&world->syncer, next_look(world));
    sim_time horizon = horizon_of(world);
    for (int64_t i = 0; i < world->config->learners; i++)
        if (world->learner[i].state == LEARNER_STEPPING && !is_leash_long(&world->learner[i], horizon))
            wake_at_leash_end(&world->learner[i], horizon);
}

void forecast_learner(const struct learner *learner, bool is_fresh, bool follows)
{
    struct world *world = learner->world;
    if (!world->has_forecast)
        return;
    if (world->rounds.is_planned)
        rounds_on_step(world, learner, is_fresh, follows);
    else if (is_fresh && world->syncer.state == SYNCER_GRACE)
        syncer_look_at(&world->syncer, next_everyone(world));
    else if (world->syncer.state == SYNCER_COLLECTING && learner_uncounted(learner) == 0 &&
             step_end(learner) < world_timer(world, WORLD_TIMER_LOOK))
        syncer_look_at(&world->syncer, step_end(learner));
}
