/* learner_machine.c -- the machine of a learner: the one function that changes its state, how long a state lasts, and
 * what it begins with. */
#include "models/learner_internal.h"
#include "models/world.h"

#define FSM_DEF "models/learner_fsm.def"
#define FSM_NAME learner
#define FSM_LABEL "learner"
#define FSM_PREFIX LEARNER
#include "sim/fsm_table.inc"

static const struct config *config_of(const struct learner *learner)
{
    return learner->world->config;
}

static const struct sim_origin *origin_of(const struct learner *learner)
{
    return &learner->world->sim.origin;
}

static sim_time now_of(const struct learner *learner)
{
    return learner->world->sim.origin.now;
}

static bool is_reconfiguring(const struct learner *learner)
{
    return learner->state == LEARNER_DOWNSCALING || learner->state == LEARNER_UPSCALING;
}

static sim_time duration_of(const struct learner *learner)
{
    const struct config *config = config_of(learner);
    switch (learner->state) {
    case LEARNER_DOWNSCALING:
        return sim_time_add(config->downscale_ns, learner->swap_ns);
    case LEARNER_UPSCALING:
        return sim_time_add(learner->is_swapping ? 0 : learner->upscale_ns, learner->swap_ns);
    case LEARNER_RESTARTING:
        return sim_time_add(config_restart_ns(config), learner->swap_ns);
    case LEARNER_CHECKPOINTING:
        return config->checkpoint_cost_ns;
    case LEARNER_RESTORING:
        return config->checkpoint_restore_ns;
    case LEARNER_STEPPING:
    case LEARNER_BLOCKED:
    case LEARNER_AWAY:
    case LEARNER_PREEMPTED:
    case LEARNER_PARKED:
    case LEARNER_RECOVERING:
    case LEARNER_STATE_COUNT:
        break;
    }
    return SIM_TIME_NEVER;
}

static void enter_upscaling(struct learner *learner)
{
    if (learner->is_swapping)
        return;
    learner->upscale_from = sim_time_add(now_of(learner), config_of(learner)->upscale_every_ns);
    learner_take_in_joining(learner);
}

/* An outage begins when it is taken out and ends with the next step, or a copy of the state. */
static void note_absence(struct learner *learner)
{
    bool is_absent = learner->state == LEARNER_AWAY || learner->state == LEARNER_PREEMPTED;
    if (is_absent && learner->absent_since < 0)
        learner->absent_since = now_of(learner);
    else if (learner->state == LEARNER_STEPPING || learner->state == LEARNER_BLOCKED)
        learner->absent_since = -1;
}

/* Nobody is left who holds the state of a job without a syncer. */
static bool is_state_lost(const struct learner *learner)
{
    return learner->state == LEARNER_RESTARTING || learner->state == LEARNER_AWAY ||
           learner->state == LEARNER_PREEMPTED;
}

/* Beside the wake-up call at the end of the state. */
static void enter(struct learner *learner)
{
    note_absence(learner);
    if (is_state_lost(learner))
        checkpoint_lose_state(learner);
    if (is_reconfiguring(learner) && !learner->is_swapping)
        learner->world->count.reconfigurations++;
    if (is_reconfiguring(learner) || learner->state == LEARNER_RESTARTING) {
        learner->swap_ns = learner->swap_owed_ns;
        learner->swap_owed_ns = 0;
    }
    if (learner->state == LEARNER_UPSCALING)
        enter_upscaling(learner);
    learner_set_wake(learner, sim_time_add(now_of(learner), duration_of(learner)));
    if (learner->state == LEARNER_STEPPING) {
        world_change_stepping(learner->world, +1);
        learner_begin_step(learner, true);
    }
}

static void check(const struct learner *learner)
{
    const struct sim_origin *origin = origin_of(learner);
    SIM_ASSERT(origin, learner->chips_present >= 0 && learner->chips_present <= learner->chips);
    SIM_ASSERT(origin, learner->state != LEARNER_STEPPING || learner->chips_present >= learner->chips_min);
    SIM_ASSERT(origin, learner->chips_present + learner->ready.chips + learner->joining.chips <= learner->chips);
}

void learner_tell_syncer(struct learner *learner, bool was_connected, bool did_listen)
{
    struct syncer *syncer = &learner->world->syncer;
    if (!learner->world->has_rounds)
        return;
    bool is_connected = learner_is_connected(learner);
    if (!is_connected)
        checkpoint_void(learner);
    if (is_connected && !was_connected)
        learner->heard = learner->there_since = syncer->round;
    if (is_connected != was_connected)
        syncer_on_connection(syncer, learner->index, is_connected);
    if (learner_listens(learner) != did_listen)
        syncer_on_listening(syncer);
}

static void change_state(struct learner *learner, enum learner_event event)
{
    struct world *world = learner->world;
    unsigned next = sim_fsm_next(&learner_fsm, &world->sim.origin, learner->state, event);
    learner_book(learner);
    world_note_transition(world, &learner_fsm, learner->index, learner->state, next, event);
    if (learner->state == LEARNER_STEPPING)
        world_change_stepping(world, -1);
    learner->state = (enum learner_state)next;
    enter(learner);
}

/* Where there are rounds, the syncer hears of it. */
static void change_state_before_syncer(struct learner *learner, enum learner_event event)
{
    bool was_connected = learner_is_connected(learner), did_listen = learner_listens(learner);
    bool was_stepping = learner->state == LEARNER_STEPPING;
    rounds_release(learner);
    change_state(learner, event);
    learner_tell_syncer(learner, was_connected, did_listen);
    if ((was_stepping && learner->reports == 0) || learner_is_waiting(learner))
        rounds_revise(learner->world);
}

void learner_step(struct learner *learner, enum learner_event event)
{
    if (learner->world->has_rounds)
        change_state_before_syncer(learner, event);
    else
        change_state(learner, event);
    check(learner);
}

void learner_start(struct learner *learner)
{
    enter(learner);
}
