/* tests/invariants.h -- what must hold of a whole world between two instants: its parts agree with each other.
 *
 * Slower than what the models assert by themselves. For random worlds, see tests/chance.h.
 *
 * Units: as in models/world.h.
 * Ownership: nothing is kept.
 * Errors: what does not hold ends the test with the clock and the condition.
 */
#ifndef TESTS_INVARIANTS_H
#define TESTS_INVARIANTS_H

#include "models/learner_internal.h"
#include "tests/rig.h"

#define HOLDS(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ck_abort_msg("at t = %lld: %s", (long long)world->sim.origin.now, #condition);                             \
    } while (0)

/* The lists of a learner and the states of its slices say the same. */
static inline void invariants_slices(struct world *world, const struct learner *learner)
{
    int64_t chips[SLICE_STATE_COUNT] = {0};
    int64_t first = fleet_first_slice(&world->fleet, learner->index);
    for (int64_t i = 0; i < fleet_learner_slices(&world->fleet, learner->index); i++)
        chips[slice_state(world, (uint32_t)(first + i))] += fleet_slice_chips(&world->fleet, first + i);
    HOLDS(chips[SLICE_ACTIVE] + chips[SLICE_FAILED] + chips[SLICE_MENDED] + chips[SLICE_LEAVING] ==
          learner->chips_present);
    HOLDS(chips[SLICE_FAILED] + chips[SLICE_MENDED] + chips[SLICE_LEAVING] ==
          learner->failing.chips + learner->leaving.chips);
    maintenance_check(world);
    HOLDS(chips[SLICE_READY] == learner->ready.chips + learner->joining.chips);
}

/* What each state promises. */
static inline void invariants_state(struct world *world, const struct learner *learner)
{
    bool is_reconfiguring = learner->state == LEARNER_DOWNSCALING || learner->state == LEARNER_UPSCALING;
    HOLDS(is_reconfiguring || (slice_list_is_empty(&learner->joining) && !learner->is_gaining));
    HOLDS(is_reconfiguring || learner->state == LEARNER_RESTORING || !learner->is_losing_again);
    HOLDS(learner->state == LEARNER_STEPPING || learner_unread(learner) == 0);
    HOLDS(learner->state == LEARNER_RECOVERING || learner->copy_round < 0);
    HOLDS((learner->state == LEARNER_PREEMPTED) == (learner->preemptions > 0));
    if (learner->state == LEARNER_STEPPING)
        HOLDS(learner->chips_present >= learner->chips_min);
    if (learner->state != LEARNER_AWAY)
        return;
    bool is_replaced = world->config->method == CONFIG_DP && !world->units.unit; /* by the restart to come */
    HOLDS(slice_list_is_empty(&learner->failing) || is_replaced);
    HOLDS(slice_list_is_empty(&learner->leaving));
    HOLDS(learner->chips_present + learner->ready.chips < learner->chips_min);
    HOLDS(sim_lane_time(&world->sim.lane, (uint32_t)learner->index) == SIM_TIME_NEVER);
}

/* A job that has lost its state does not step; what is kept is from before. With a syncer, writing may be in vain. */
static inline void invariants_checkpoint(struct world *world, const struct learner *learner)
{
    const struct checkpoint *checkpoint = &learner->checkpoint;
    HOLDS(learner->state != LEARNER_STEPPING || !checkpoint->must_restore);
    HOLDS(learner->state != LEARNER_CHECKPOINTING || checkpoint->is_writing || config_has_syncer(world->config));
    for (int64_t i = 0; i < checkpoint->kept_count; i++)
        HOLDS(learner->count.steps >= checkpoint->kept[i].steps);
}

/* Steps that it has done beyond the oldest whose update it is owed; -1: it is owed none. */
static inline int64_t invariants_ahead(const struct world *world, const struct learner *learner)
{
    int64_t until = learner->in_flight > 0 ? 0 : world->syncer.until_due;
    int64_t oldest = until < learner->owed_count ? learner->owed[until].step : 0;
    if (until < learner->reports)
        oldest = learner->total.steps - learner->reports + 1 + until;
    if (learner->cut.sources > 0)
        oldest = learner->cut.due <= learner->total.steps ? learner->cut.due : 0;
    return oldest > 0 ? learner->total.steps - oldest : -1;
}

/* Steps of each learner when the syncer was last down. */
static int64_t invariants_steps_down[CONFIG_LIST_MAX];

/* Nobody is further ahead of the oldest update owed than tau; who steps is less, who is blocked is as far. But reports
 * that a restart replays are for earlier rounds than those that counted them the first time, and where some of those
 * had no fragment a learner is further ahead then: it takes no step before it is not. */
static inline void invariants_owed(struct world *world, const struct learner *learner)
{
    int64_t *since = &invariants_steps_down[learner->index], overlap = world->config->sync_overlap;
    int64_t ahead = invariants_ahead(world, learner);
    if (world->syncer.state == SYNCER_DOWN)
        *since = learner->total.steps;
    bool is_restored = world->syncer.restarts > 0 && learner->total.steps == *since;
    HOLDS(ahead <= overlap || is_restored);
    if (world->syncer.state == SYNCER_DOWN)
        return; /* everybody is to wait at the end of the step */
    if (learner->state == LEARNER_STEPPING)
        HOLDS(ahead < overlap);
    if (learner->state == LEARNER_BLOCKED)
        HOLDS(ahead == overlap || (is_restored && ahead > overlap));
}

static inline void invariants_syncer(struct world *world)
{
    const struct syncer *syncer = &world->syncer;
    int64_t reporters = 0, copying = 0;
    for (int64_t i = 0; i < world->config->learners; i++) {
        const struct syncer_member *member = &syncer->member[i];
        HOLDS(member->is_connected == learner_is_connected(&world->learner[i]));
        HOLDS(member->is_connected || world->learner[i].owed_count + world->learner[i].reports == 0);
        HOLDS((member->copies_at >= 0) == (world->learner[i].copy_round >= 0));
        HOLDS(member->copies_at < 0 || syncer->round - member->copies_at <= world->config->sync_every + 1);
        copying += world->learner[i].copy_round >= 0;
        reporters += learner_uncounted(&world->learner[i]) > 0;
    }
    HOLDS(reporters == syncer->reporters);
    HOLDS(syncer->copying == copying);
    HOLDS(syncer->state != SYNCER_MERGING || !flights_have_room(&syncer->flights) || syncer->copying > 0);
    if (world->rounds.is_planned) { /* the syncer follows when the round closes */
        HOLDS(world->rounds.quorum_ns <= world->rounds.closed_ns);
        HOLDS(world_timer(world, WORLD_TIMER_LOOK) == world->rounds.closed_ns);
        HOLDS(world_timer(world, WORLD_TIMER_GRACE) == SIM_TIME_NEVER);
        return;
    }
    HOLDS(syncer->state != SYNCER_COLLECTING || reporters < world->config->quorum);
    HOLDS(syncer->state != SYNCER_GRACE || (reporters < syncer->connected && reporters >= world->config->quorum));
    HOLDS((world_timer(world, WORLD_TIMER_GRACE) < SIM_TIME_NEVER) == (syncer->state == SYNCER_GRACE));
}

static inline void invariants_world(struct world *world)
{
    int64_t stepping = 0;
    for (int64_t i = 0; i < world->config->learners; i++) {
        invariants_slices(world, &world->learner[i]);
        invariants_state(world, &world->learner[i]);
        invariants_checkpoint(world, &world->learner[i]);
        invariants_owed(world, &world->learner[i]);
        stepping += world->learner[i].state == LEARNER_STEPPING;
    }
    HOLDS(stepping == world->stepping);
    HOLDS(world->any_stepping.value == (stepping > 0));
    units_check(world);
    if (config_has_syncer(world->config))
        invariants_syncer(world);
}

#undef HOLDS

#endif
