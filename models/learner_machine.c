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

/* A pause in which spares take their places, too. */
static sim_time with_swap(struct learner *learner, sim_time pause_ns)
{
    learner->swap_ns = learner->swap_owed_ns;
    learner->swap_owed_ns = 0;
    return sim_time_add(pause_ns, learner->swap_ns);
}

static sim_time begin_upscale(struct learner *learner)
{
    if (learner->is_swapping)
        return with_swap(learner, 0);
    learner->world->count.reconfigurations++;
    learner->upscale_from = sim_time_add(now_of(learner), config_of(learner)->upscale_every_ns);
    learner_take_in_joining(learner);
    return with_swap(learner, learner->upscale_ns);
}

/* An outage begins when it is taken out and ends with the next step, or a copy of the state. */
static void begin_absence(struct learner *learner)
{
    if (learner->absent_since < 0)
        learner->absent_since = now_of(learner);
    checkpoint_lose_state(learner); /* nobody is left who holds that of a job without a syncer */
}

/* What a state begins with, and how long it lasts by itself. */
static sim_time begin_state(struct learner *learner)
{
    const struct config *config = config_of(learner);
    switch (learner->state) {
    case LEARNER_DOWNSCALING:
        learner->world->count.reconfigurations++;
        return with_swap(learner, config->downscale_ns);
    case LEARNER_UPSCALING:
        return begin_upscale(learner);
    case LEARNER_RESTARTING:
        checkpoint_lose_state(learner);
        return with_swap(learner, config_restart_ns(config));
    case LEARNER_CHECKPOINTING:
        return config->checkpoint_cost_ns;
    case LEARNER_RESTORING:
        return config->checkpoint_restore_ns;
    case LEARNER_STEPPING:
    case LEARNER_BLOCKED:
        learner->absent_since = -1;
        break;
    case LEARNER_AWAY:
    case LEARNER_PREEMPTED:
        begin_absence(learner);
        break;
    case LEARNER_PARKED:
    case LEARNER_RECOVERING:
    case LEARNER_STATE_COUNT:
        break;
    }
    return SIM_TIME_NEVER;
}

static void begin_stepping(struct learner *learner)
{
    world_change_stepping(learner->world, +1);
    learner_begin_step(learner, true);
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
    learner_set_wake(learner, sim_time_add(now_of(learner), begin_state(learner)));
    if (next == LEARNER_STEPPING)
        begin_stepping(learner);
}

/* Where there are rounds, the syncer hears of it. */
void learner_step(struct learner *learner, enum learner_event event)
{
    bool has_rounds = learner->world->has_rounds, was_stepping = learner->state == LEARNER_STEPPING;
    bool was_connected = learner_is_connected(learner), did_listen = learner_listens(learner);
    if (has_rounds)
        rounds_release(learner);
    change_state(learner, event);
    if (has_rounds)
        learner_tell_syncer(learner, was_connected, did_listen);
    if (has_rounds && ((was_stepping && learner->reports == 0) || learner_is_waiting(learner)))
        rounds_revise(learner->world);
    check(learner);
}

void learner_start(struct learner *learner)
{
    begin_stepping(learner);
}
