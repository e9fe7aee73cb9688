/* learner_planned.c -- what a learner is told before it happens. */
#include "models/learner_internal.h"
#include "models/world.h"

void learner_leave(struct learner *learner, uint32_t slice)
{
    learner_catch_up(learner);
    learner->world->count.maintenances++;
    slice_step(learner->world, slice, SLICE_HOLD);
    slice_list_push(learner->world, &learner->leaving, slice);
}

bool learner_saves_before_leaving(const struct learner *learner)
{
    bool is_enough = learner->chips_present - learner->leaving.chips >= learner->chips_min;
    return !slice_list_is_empty(&learner->leaving) && slice_list_is_empty(&learner->failing) && !is_enough &&
           checkpoint_is_behind(learner);
}

void learner_on_leaving(struct learner *learner)
{
    if (slice_list_is_empty(&learner->leaving))
        return;
    switch (learner->state) {
    case LEARNER_STEPPING:
        learner_plan_step_end(learner);
        break;
    case LEARNER_BLOCKED:
    case LEARNER_PARKED:
        learner_decide(learner);
        break;
    case LEARNER_AWAY:
    case LEARNER_PREEMPTED:
        (void)learner_drop_leaving(learner);
        break;
    case LEARNER_DOWNSCALING: /* when that is over */
    case LEARNER_UPSCALING:
    case LEARNER_RESTARTING:
    case LEARNER_RESTORING:
    case LEARNER_CHECKPOINTING:
    case LEARNER_RECOVERING:
    case LEARNER_STATE_COUNT:
        break;
    }
}

/* --- notice of a preemption --- */

/* What is to be complete before it is taken must be by the nanosecond before: at that one, it is too late. A job with
 * checkpoints has to begin to save by then. Requires that it was told. */
static sim_time last_moment(const struct learner *learner)
{
    const struct config *config = learner->world->config;
    return learner->taken_at - 1 - (config_has_checkpoints(config) ? config->checkpoint_cost_ns : 0);
}

static bool is_told(const struct learner *learner)
{
    return learner->taken_at < SIM_TIME_NEVER;
}

/* A step is expected to take as long as the one before. */
bool learner_has_time_for(const struct learner *learner, sim_time pause_ns)
{
    sim_time now = learner->world->sim.origin.now;
    return !is_told(learner) || sim_time_add(sim_time_add(now, pause_ns), learner->step_ns) <= last_moment(learner);
}

bool learner_saves_before_preemption(const struct learner *learner)
{
    return !learner_has_time_for(learner, 0) && checkpoint_is_behind(learner) &&
           learner->world->sim.origin.now <= last_moment(learner);
}

bool learner_parks(const struct learner *learner)
{
    return !learner_has_time_for(learner, 0) && !checkpoint_is_behind(learner);
}

sim_time learner_notice_due(const struct learner *learner)
{
    sim_time now = learner->world->sim.origin.now;
    if (!is_told(learner) || last_moment(learner) < now)
        return SIM_TIME_NEVER;
    sim_time last = last_moment(learner), steps = (last - learner->step_start) / learner->step_ns;
    sim_time end = learner->step_start + steps * learner->step_ns;
    if (steps > 0 && end >= now)
        return end;
    bool has_work = config_has_checkpoints(learner->world->config) && (steps > 0 || checkpoint_is_behind(learner));
    return has_work ? last : SIM_TIME_NEVER;
}

void learner_on_notice(struct learner *learner, sim_time at)
{
    if (learner->state == LEARNER_PREEMPTED || at >= learner->taken_at)
        return; /* it knows more, or will when it is back */
    learner_catch_up(learner);
    learner->taken_at = at;
    if (learner->state == LEARNER_STEPPING)
        learner_plan_step_end(learner);
}
