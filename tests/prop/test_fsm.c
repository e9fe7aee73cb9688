/* The machines of the models under random events: the tables alone, and in whole worlds, where after every instant the
 * parts must agree with each other, and where every edge of every table must have been taken by somebody. */
#include "models/learner_internal.h"
#include "tests/chance.h"

static const struct sim_fsm *const machine[] = {&slice_fsm, &learner_fsm, &syncer_fsm};
enum { MACHINES = 3 };

/* A random walk stays in the table, comes everywhere and back to the start. */
START_TEST(a_random_walk_never_leaves_the_table)
{
    const struct sim_fsm *fsm = machine[_i];
    int visits[SIM_FSM_STATES_MAX] = {0};
    unsigned at = 0;
    chance_state = 5;
    for (int i = 0; i < 100000; i++) {
        unsigned event = (unsigned)chance((int64_t)fsm->events);
        if (!sim_fsm_has_edge(fsm, at, event))
            continue;
        at = sim_fsm_next(fsm, NULL, at, event);
        ck_assert_uint_lt(at, fsm->states);
        visits[at]++;
    }
    for (size_t i = 0; i < fsm->states; i++)
        ck_assert_int_gt(visits[i], 100);
}
END_TEST

static struct world world;
static bool taken[MACHINES][SIM_FSM_STATES_MAX][SIM_FSM_EVENTS_MAX];

static unsigned state_by_name(const struct sim_fsm *fsm, const char *name)
{
    for (unsigned i = 0; i < fsm->states; i++)
        if (strcmp(fsm->state[i].name, name) == 0)
            return i;
    ck_abort_msg("no state '%s'", name);
}

static unsigned event_by_name(const struct sim_fsm *fsm, const char *name)
{
    for (unsigned i = 0; i < fsm->events; i++)
        if (strcmp(fsm->event[i], name) == 0)
            return i;
    ck_abort_msg("no event '%s'", name);
}

static void on_transition(void *context, const struct run_transition *transition)
{
    (void)context;
    for (int i = 0; i < MACHINES; i++) {
        const struct sim_fsm *fsm = machine[i];
        if (strcmp(fsm->name, transition->machine) != 0)
            continue;
        unsigned from = state_by_name(fsm, transition->from), event = event_by_name(fsm, transition->cause);
        ck_assert_uint_eq(sim_fsm_next(fsm, NULL, from, event), state_by_name(fsm, transition->to));
        taken[i][from][event] = true;
        /* whose report every round needs does not wait for one */
        ck_assert(strcmp(transition->to, "recovering") != 0 || world.config->quorum < world.config->learners);
    }
}

static const struct run_observer observer = {.on_transition = on_transition};

#define HOLDS(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ck_abort_msg("at t = %lld: %s", (long long)world.sim.origin.now, #condition);                              \
    } while (0)

/* The lists of a learner and the states of its slices say the same. */
static void check_slices(const struct learner *learner)
{
    int64_t chips[SLICE_STATE_COUNT] = {0};
    int64_t first = fleet_first_slice(&world.fleet, learner->index);
    for (int64_t i = 0; i < fleet_learner_slices(&world.fleet, learner->index); i++)
        chips[slice_state(&world, (uint32_t)(first + i))] += fleet_slice_chips(&world.fleet, first + i);
    HOLDS(chips[SLICE_ACTIVE] + chips[SLICE_FAILED] + chips[SLICE_MENDED] + chips[SLICE_LEAVING] ==
          learner->chips_present);
    HOLDS(chips[SLICE_FAILED] + chips[SLICE_MENDED] + chips[SLICE_LEAVING] ==
          learner->failing.chips + learner->leaving.chips);
    maintenance_check(&world);
    HOLDS(chips[SLICE_READY] == learner->ready.chips + learner->joining.chips);
}

/* What each state promises. */
static void check_state(const struct learner *learner)
{
    bool is_reconfiguring = learner->state == LEARNER_DOWNSCALING || learner->state == LEARNER_UPSCALING;
    HOLDS(is_reconfiguring || (slice_list_is_empty(&learner->joining) && !learner->is_gaining));
    HOLDS(is_reconfiguring || learner->state == LEARNER_RESTORING || !learner->is_losing_again);
    HOLDS(learner->state == LEARNER_STEPPING || learner->inbox_count == 0);
    HOLDS(learner->state == LEARNER_RECOVERING || learner->copy_round < 0);
    HOLDS((learner->state == LEARNER_PREEMPTED) == (learner->preemptions > 0));
    if (learner->state == LEARNER_STEPPING)
        HOLDS(learner->chips_present >= learner->chips_min);
    if (learner->state != LEARNER_AWAY)
        return;
    bool is_replaced = world.config->method == CONFIG_DP && !world.units.unit; /* by the restart to come */
    HOLDS(slice_list_is_empty(&learner->failing) || is_replaced);
    HOLDS(slice_list_is_empty(&learner->leaving));
    HOLDS(learner->chips_present + learner->ready.chips < learner->chips_min);
    HOLDS(sim_lane_time(&world.sim.lane, (uint32_t)learner->index) == SIM_TIME_NEVER);
}

/* A job that has lost its state does not step; what is kept is from before. With a syncer, writing may be in vain. */
static void check_checkpoint(const struct learner *learner)
{
    const struct checkpoint *checkpoint = &learner->checkpoint;
    HOLDS(learner->state != LEARNER_STEPPING || !checkpoint->must_restore);
    HOLDS(learner->state != LEARNER_CHECKPOINTING || checkpoint->is_writing || config_has_syncer(world.config));
    for (int64_t i = 0; i < checkpoint->kept_count; i++)
        HOLDS(learner->count.steps >= checkpoint->kept[i].steps);
}

/* Steps that it has done beyond the oldest whose update it is owed; -1: it is owed none. */
static int64_t steps_ahead(const struct learner *learner)
{
    int64_t until = learner->in_flight > 0 ? 0 : world.syncer.until_due;
    int64_t oldest = until < learner->owed_count ? learner->owed[until].step : 0;
    if (learner->cut.sources > 0)
        oldest = learner->cut.due <= learner->total.steps ? learner->cut.due : 0;
    return oldest > 0 ? learner->total.steps - oldest : -1;
}

/* Steps of each learner when the syncer was last down. */
static int64_t steps_down[CONFIG_LIST_MAX];

/* Nobody is further ahead of the oldest update owed than tau; who steps is less, who is blocked is as far. But reports
 * that a restart replays are for earlier rounds than those that counted them the first time, and where some of those
 * had no fragment a learner is further ahead then: it takes no step before it is not. */
static void check_owed(const struct learner *learner)
{
    int64_t *since = &steps_down[learner->index], overlap = world.config->sync_overlap, ahead = steps_ahead(learner);
    if (world.syncer.state == SYNCER_DOWN)
        *since = learner->total.steps;
    bool is_restored = world.syncer.restarts > 0 && learner->total.steps == *since;
    HOLDS(ahead <= overlap || is_restored);
    if (world.syncer.state == SYNCER_DOWN)
        return; /* everybody is to wait at the end of the step */
    if (learner->state == LEARNER_STEPPING)
        HOLDS(ahead < overlap);
    if (learner->state == LEARNER_BLOCKED)
        HOLDS(ahead == overlap || (is_restored && ahead > overlap));
}

static void check_syncer(void)
{
    const struct syncer *syncer = &world.syncer;
    int64_t reporters = 0, copying = 0;
    for (int64_t i = 0; i < world.config->learners; i++) {
        const struct syncer_member *member = &syncer->member[i];
        HOLDS(member->is_connected == learner_is_connected(&world.learner[i]));
        HOLDS(member->is_connected || world.learner[i].owed_count == 0);
        HOLDS((member->copies_at >= 0) == (world.learner[i].copy_round >= 0));
        HOLDS(member->copies_at < 0 || syncer->round - member->copies_at <= world.config->sync_every + 1);
        copying += world.learner[i].copy_round >= 0;
        reporters += learner_uncounted(&world.learner[i]) != NULL;
    }
    HOLDS(reporters == syncer->reporters);
    HOLDS(syncer->copying == copying);
    HOLDS(syncer->state != SYNCER_MERGING || !flights_have_room(&syncer->flights) || syncer->copying > 0);
    HOLDS(syncer->state != SYNCER_COLLECTING || reporters < world.config->quorum);
    HOLDS(syncer->state != SYNCER_GRACE || (reporters < syncer->connected && reporters >= world.config->quorum));
    HOLDS((world_timer(&world, WORLD_TIMER_GRACE) < SIM_TIME_NEVER) == (syncer->state == SYNCER_GRACE));
}

static void check_world(void)
{
    int64_t stepping = 0;
    for (int64_t i = 0; i < world.config->learners; i++) {
        check_slices(&world.learner[i]);
        check_state(&world.learner[i]);
        check_checkpoint(&world.learner[i]);
        check_owed(&world.learner[i]);
        stepping += world.learner[i].state == LEARNER_STEPPING;
    }
    HOLDS(stepping == world.stepping);
    HOLDS(world.any_stepping.value == (stepping > 0));
    units_check(&world);
    if (config_has_syncer(world.config))
        check_syncer();
}

/* Instant by instant to the end. */
static void walk(const struct config *config, uint64_t shuffle)
{
    rig_open(&world, config);
    world.observer = &observer;
    rig_shuffle(&world, shuffle);
    for (;;) {
        sim_time next = sim_next_time(&world.sim);
        if (next > config->duration_ns)
            break;
        ck_assert(sim_run(&world.sim, next) == SIM_REACHED_END);
        check_world();
    }
    rig_finish(&world);
    world_fini(&world);
}

static void expect_all_taken(void)
{
    for (int i = 0; i < MACHINES; i++)
        for (size_t e = 0; e < machine[i]->edges; e++) {
            const struct sim_fsm_edge *edge = &machine[i]->edge[e];
            ck_assert_msg(taken[i][edge->from][edge->event], "%s: nobody took '%s' in '%s'", machine[i]->name,
                          machine[i]->event[edge->event], machine[i]->state[edge->from].name);
        }
}

START_TEST(the_parts_agree_after_every_instant_and_no_edge_is_idle)
{
    chance_state = 11 + (uint64_t)_i;
    for (int i = 0; i < 9000; i++) {
        struct config config = chance_tiny_world();
        walk(&config, (uint64_t)(i % 3));
    }
    expect_all_taken();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fsm");
    TCase *tcase = tcase_create("fsm");
    tcase_set_timeout(tcase, 290);
    tcase_add_loop_test(tcase, a_random_walk_never_leaves_the_table, 0, MACHINES);
    tcase_add_loop_test(tcase, the_parts_agree_after_every_instant_and_no_edge_is_idle, 0, 2);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
