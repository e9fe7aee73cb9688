#include "models/syncer.h"

#include <stdlib.h>

#include "models/world.h"

#define FSM_DEF "models/syncer_fsm.def"
#define FSM_NAME syncer
#define FSM_LABEL "syncer"
#define FSM_PREFIX SYNCER
#include "sim/fsm_table.inc"

/* The weight of the newest value in a moving average is 1 / AVERAGE_LENGTH. */
#define AVERAGE_LENGTH 8

static void step(struct syncer *syncer, enum syncer_event event)
{
    struct world *world = syncer->world;
    unsigned next = sim_fsm_next(&syncer_fsm, &world->sim.origin, syncer->state, event);
    world_note_transition(world, &syncer_fsm, 0, syncer->state, next, event);
    syncer->state = (enum syncer_state)next;
}

void syncer_init(struct syncer *syncer, struct world *world)
{
    const struct config *config = world->config;
    *syncer = (struct syncer){.world = world, .step_average_ns = config->step_time_ns};
    if (!config_has_rounds(config))
        return;
    syncer->member = sim_allocate((size_t)config->learners, sizeof *syncer->member);
    syncer->reporter = sim_allocate((size_t)config->learners, sizeof *syncer->reporter);
    for (int64_t i = 0; i < config->learners; i++)
        syncer->member[i].is_connected = true;
    syncer->missing = config->learners;
}

void syncer_fini(struct syncer *syncer)
{
    free(syncer->member);
    free(syncer->reporter);
    syncer->member = NULL;
    syncer->reporter = NULL;
}

void syncer_reset_counts(struct syncer *syncer)
{
    syncer->count = (struct syncer_count){0};
}

/* The fragment whose turn it is: fragment p has the round with t mod H = p H / P. */
static int64_t due_fragment(const struct syncer *syncer)
{
    int64_t cycle = syncer->world->config->sync_every, fragments = syncer->world->config->fragments;
    int64_t turn = syncer->round % cycle;
    int64_t fragment = (turn * fragments + cycle - 1) / cycle;
    return fragment < fragments && fragment * cycle / fragments == turn ? fragment : -1;
}

static void follow(sim_time *average, sim_time value)
{
    *average += (value - *average) / AVERAGE_LENGTH;
}

static sim_time grace_window(const struct syncer *syncer)
{
    const struct config *config = syncer->world->config;
    if (config->grace == CONFIG_GRACE_OFF)
        return 0;
    double slack = (double)config->sync_overlap * (double)syncer->step_average_ns - (double)syncer->quorum_average_ns;
    double window = config->grace_safety * slack;
    if (window <= 0)
        return 0;
    return window < (double)syncer->step_average_ns ? (sim_time)window : syncer->step_average_ns;
}

static void note_round(struct syncer *syncer, int64_t fragment)
{
    const struct world *world = syncer->world;
    sim_time now = world->sim.origin.now;
    syncer->count.rounds++;
    syncer->count.participants += syncer->reporters;
    syncer->count.quorum_wait_ns += syncer->quorum_ns - syncer->opened_ns;
    syncer->count.grace_ns += now - syncer->quorum_ns;
    if (!world->observer || !world->observer->on_round)
        return;
    const struct run_round record = {syncer->round, syncer->opened_ns, syncer->quorum_ns,
                                     now,           fragment,          syncer->reporters};
    world->observer->on_round(world->observer->context, &record);
}

/* Opens the next round and sends the update of the last one to those it counted. */
static void broadcast(struct syncer *syncer, struct syncer_broadcast message)
{
    int64_t counted = syncer->reporters;
    for (int64_t i = 0; i < counted; i++) {
        struct syncer_member *member = &syncer->member[syncer->reporter[i]];
        member->has_reported = false;
        syncer->missing += member->is_connected;
    }
    syncer->reporters = 0;
    syncer->round++;
    syncer->opened_ns = syncer->world->sim.origin.now;
    step(syncer, SYNCER_BROADCAST);
    for (int64_t i = 0; i < counted; i++)
        learner_on_broadcast(&syncer->world->learner[syncer->reporter[i]], &message);
}

static void close_round(struct syncer *syncer)
{
    int64_t fragment = due_fragment(syncer);
    (void)sim_queue_cancel(&syncer->world->sim.queue, syncer->grace_over);
    step(syncer, SYNCER_CLOSE);
    note_round(syncer, fragment);
    broadcast(syncer, (struct syncer_broadcast){.round = syncer->round, .fragment = fragment});
}

static void on_grace_over(void *context, uint32_t entity)
{
    (void)entity;
    close_round(context);
}

static void reach_quorum(struct syncer *syncer)
{
    struct world *world = syncer->world;
    sim_time now = world->sim.origin.now;
    syncer->quorum_ns = now;
    follow(&syncer->quorum_average_ns, now - syncer->opened_ns);
    sim_time window = due_fragment(syncer) < 0 ? 0 : grace_window(syncer);
    if (window == 0 || syncer->missing == 0) {
        close_round(syncer);
        return;
    }
    step(syncer, SYNCER_QUORUM);
    syncer->grace_over =
        sim_queue_schedule(&world->sim.queue, sim_time_add(now, window), WORLD_RANK_SYNCER, 0, on_grace_over, syncer);
}

/* Looks at the reports of this instant, all of them. */
static void on_look(void *context, uint32_t entity)
{
    (void)entity;
    struct syncer *syncer = context;
    if (syncer->state == SYNCER_COLLECTING && syncer->reporters >= syncer->world->config->quorum)
        reach_quorum(syncer);
    else if (syncer->state == SYNCER_GRACE && syncer->missing == 0)
        close_round(syncer);
}

/* Something may have changed what the syncer waits for: look once this instant is over. */
static void look_soon(struct syncer *syncer)
{
    struct sim *sim = &syncer->world->sim;
    bool is_waiting_for_quorum =
        syncer->state == SYNCER_COLLECTING && syncer->reporters < syncer->world->config->quorum;
    bool is_waiting_for_rest = syncer->state == SYNCER_GRACE && syncer->missing > 0;
    if (is_waiting_for_quorum || is_waiting_for_rest || sim_queue_is_pending(&sim->queue, syncer->look))
        return;
    syncer->look = sim_queue_schedule(&sim->queue, sim->origin.now, WORLD_RANK_SYNCER, 0, on_look, syncer);
}

bool syncer_on_report(struct syncer *syncer, const struct syncer_report *report)
{
    struct syncer_member *member = &syncer->member[report->learner];
    SIM_ASSERT(&syncer->world->sim.origin, member->is_connected);
    follow(&syncer->step_average_ns, report->step_ns);
    if (!member->has_reported) {
        member->has_reported = true;
        syncer->reporter[syncer->reporters++] = report->learner;
        syncer->missing--;
        look_soon(syncer);
    }
    return due_fragment(syncer) >= 0;
}

void syncer_on_connection(struct syncer *syncer, int64_t learner, bool is_connected)
{
    struct syncer_member *member = &syncer->member[learner];
    SIM_ASSERT(&syncer->world->sim.origin, member->is_connected != is_connected);
    member->is_connected = is_connected;
    if (!member->has_reported)
        syncer->missing += is_connected ? 1 : -1;
    look_soon(syncer);
}
