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
