#include "models/syncer.h"

#include <stdlib.h>

#include "models/fragments.h"
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

static sim_time now_of(const struct syncer *syncer)
{
    return syncer->world->sim.origin.now;
}

static void on_look(void *context, uint32_t entity);
static void on_grace_over(void *context, uint32_t entity);

/* --- beginning and end --- */

void syncer_init(struct syncer *syncer, struct world *world)
{
    const struct config *config = world->config;
    *syncer = (struct syncer){.world = world, .step_average_ns = config->step_time_ns};
    if (!config_has_rounds(config))
        return;
    world_register_timer(world, WORLD_TIMER_LOOK, on_look, syncer);
    world_register_timer(world, WORLD_TIMER_GRACE, on_grace_over, syncer);
    syncer->member = sim_allocate((size_t)config->learners, sizeof *syncer->member);
    for (int64_t i = 0; i < config->learners; i++)
        syncer->member[i] = (struct syncer_member){.is_connected = true, .copies_at = -1};
    syncer->connected = config->learners;
    ledger_init(&syncer->ledger, config);
    merge_init(&syncer->merge, config->learners);
    flights_init(&syncer->flights, world);
    snapshots_init(&syncer->snapshots, world);
}

void syncer_fini(struct syncer *syncer)
{
    free(syncer->member);
    free(syncer->claim);
    snapshots_fini(&syncer->snapshots);
    flights_fini(&syncer->flights);
    ledger_fini(&syncer->ledger);
    merge_fini(&syncer->merge);
    syncer->member = NULL;
}

void syncer_reset_counts(struct syncer *syncer)
{
    syncer->count = (struct syncer_count){0};
    snapshots_reset_counts(&syncer->snapshots);
}

/* --- merging --- */

static void note_round(struct syncer *syncer, int64_t fragment)
{
    const struct world *world = syncer->world;
    sim_time now = now_of(syncer);
    syncer->count.rounds++;
    syncer->count.participants += syncer->reporters;
    syncer->count.quorum_wait_ns += syncer->quorum_ns - syncer->opened_ns;
    syncer->count.grace_ns += now - syncer->quorum_ns;
    if (!syncer_is_watched(syncer))
        return;
    const struct run_round record = {
        .round = syncer->round,
        .opened_ns = syncer->opened_ns,
        .quorum_ns = syncer->quorum_ns,
        .closed_ns = now,
        .fragment = fragment,
        .participants = syncer->reporters,
        .weight = merge_weight_sum(&syncer->merge),
        .effective_learners = syncer->merge.effective_learners,
        .tokens = syncer->tokens / (double)world->config->fragments,
        .staleness_max = syncer->merge.staleness_max,
        .claim = syncer->claim,
        .clock = clocks_of(&world->clocks, clocks_syncer(&world->clocks)),
        .restarts = syncer->restarts,
    };
    world->observer->on_round(world->observer->context, &record);
}

/* --- room for a round --- */

static void look_soon(struct syncer *syncer);

/* The oldest round that a state on its way is stamped with. */
static int64_t oldest_copy(const struct syncer *syncer)
{
    int64_t oldest = INT64_MAX;
    for (int64_t i = 0; i < syncer->world->config->learners; i++)
        if (syncer->member[i].copies_at >= 0 && syncer->member[i].copies_at < oldest)
            oldest = syncer->member[i].copies_at;
    return oldest;
}

/* No more rounds in flight than the overlap, none that a copying learner would miss. */
static bool has_room(const struct syncer *syncer)
{
    if (!flights_have_room(&syncer->flights))
        return false;
    return syncer->copying == 0 || syncer->round - oldest_copy(syncer) <= syncer->world->config->sync_every;
}

static void open_round(struct syncer *syncer)
{
    if (syncer->state != SYNCER_MERGING || !has_room(syncer))
        return;
    syncer->opened_ns = now_of(syncer);
    step(syncer, SYNCER_OPEN);
    look_soon(syncer);
}

/* Somebody has seen a round: there may be room for another, and whoever waits for a peer that has seen it may copy. */
void syncer_on_landing(struct syncer *syncer)
{
    for (int64_t i = 0; i < syncer->world->config->learners && syncer->copying > 0; i++)
        learner_ask_peers(&syncer->world->learner[i]);
    open_round(syncer);
}

/* --- rounds --- */

/* Nobody who takes part is missing. */
static bool has_everyone(const struct syncer *syncer)
{
    return syncer->reporters == syncer->connected;
}

void syncer_follow(sim_time *average, sim_time value)
{
    *average += (value - *average) / AVERAGE_LENGTH;
}

sim_time syncer_grace_window(const struct syncer *syncer, sim_time quorum_average_ns)
{
    const struct config *config = syncer->world->config;
    if (config->grace == CONFIG_GRACE_OFF)
        return 0;
    double slack = (double)config->sync_overlap * (double)syncer->step_average_ns -
                   ((double)quorum_average_ns + (double)syncer->transfer_average_ns);
    double window = config->grace_safety * slack;
    if (window <= 0)
        return 0;
    return window < (double)syncer->step_average_ns ? (sim_time)window : syncer->step_average_ns;
}

/* The round takes the oldest report of everyone. */
static void count_reports(struct syncer *syncer, int64_t fragment)
{
    for (int64_t i = 0; i < syncer->world->config->learners; i++) {
        struct learner *learner = &syncer->world->learner[i];
        if (learner_uncounted(learner) == 0)
            continue;
        learner_on_counted(learner, syncer->round, fragment);
        syncer->reporters -= learner_uncounted(learner) == 0;
    }
}

/* How long the oldest of these reports has waited. */
static sim_time oldest_report_ns(const struct syncer *syncer)
{
    sim_time oldest = now_of(syncer);
    for (int64_t i = 0; i < syncer->world->config->learners; i++) {
        const struct learner *learner = &syncer->world->learner[i];
        if (learner_uncounted(learner) > 0 && learner_oldest_report(learner).reported_ns < oldest)
            oldest = learner_oldest_report(learner).reported_ns;
    }
    return now_of(syncer) - oldest;
}

static void close_round(struct syncer *syncer)
{
    int64_t fragment = fragments_due(syncer->world->config, syncer->round), round = syncer->round;
    world_set_timer(syncer->world, WORLD_TIMER_GRACE, SIM_TIME_NEVER);
    step(syncer, SYNCER_CLOSE);
    clocks_tick(&syncer->world->clocks, clocks_syncer(&syncer->world->clocks));
    syncer_merge(syncer, fragment);
    note_round(syncer, fragment);
    sim_time pull = flights_pull_ns(&syncer->flights, fragment);
    count_reports(syncer, fragment);
    if (fragment >= 0)
        syncer_follow(&syncer->transfer_average_ns, sim_time_add(pull, flights_push_ns(&syncer->flights, fragment)));
    syncer->round++;
    syncer->until_due = fragments_rounds_until_due(syncer->world->config, syncer->round);
    snapshots_on_closed(&syncer->snapshots);
    flights_launch(&syncer->flights, round, fragment, pull);
    open_round(syncer);
}

static void on_grace_over(void *context, uint32_t entity)
{
    (void)entity;
    struct syncer *syncer = context;
    forecast_catch_up(syncer->world);
    close_round(syncer);
    forecast_all(syncer->world);
}

static void reach_quorum(struct syncer *syncer)
{
    sim_time now = now_of(syncer);
    syncer->quorum_ns = now;
    syncer_follow(&syncer->quorum_average_ns, oldest_report_ns(syncer));
    sim_time window = syncer->until_due == 0 ? syncer_grace_window(syncer, syncer->quorum_average_ns) : 0;
    if (window == 0 || has_everyone(syncer)) {
        close_round(syncer);
        return;
    }
    step(syncer, SYNCER_QUORUM);
    world_set_timer(syncer->world, WORLD_TIMER_GRACE, sim_time_add(now, window));
}

/* Looks at the reports of this instant, all of them. */
static void on_look(void *context, uint32_t entity)
{
    (void)entity;
    struct syncer *syncer = context;
    if (rounds_play(syncer->world))
        return;
    forecast_catch_up(syncer->world);
    if (syncer->state == SYNCER_COLLECTING && syncer->reporters >= config_quorum(syncer->world->config))
        reach_quorum(syncer);
    else if (syncer->state == SYNCER_GRACE && has_everyone(syncer))
        close_round(syncer);
    forecast_all(syncer->world);
}

/* --- rounds as planned --- */

void syncer_take_quorum(struct syncer *syncer, sim_time quorum_ns, sim_time quorum_average_ns)
{
    syncer->quorum_ns = quorum_ns;
    syncer->quorum_average_ns = quorum_average_ns;
    step(syncer, SYNCER_QUORUM);
}

void syncer_merge_as_planned(struct syncer *syncer)
{
    if (syncer->until_due == 0)
        syncer_count_merge(syncer);
    syncer->round++;
}

void syncer_close_as_planned(struct syncer *syncer, int64_t participants, int64_t rounds)
{
    struct rounds *plan = &syncer->world->rounds;
    sim_time length = plan->closed_ns - syncer->opened_ns;
    step(syncer, SYNCER_CLOSE);
    syncer->count.rounds += rounds;
    syncer->count.participants += (sim_chip_time)rounds * participants;
    syncer->count.quorum_wait_ns += rounds * (plan->quorum_ns - syncer->opened_ns);
    syncer->count.grace_ns += rounds * (plan->closed_ns - plan->quorum_ns);
    syncer->until_due = fragments_rounds_until_due(syncer->world->config, syncer->round);
    syncer->opened_ns += rounds * length;
    step(syncer, SYNCER_OPEN);
}

/* What the syncer waits for is there. */
static bool wants_look(const struct syncer *syncer)
{
    if (syncer->state == SYNCER_COLLECTING)
        return syncer->reporters >= config_quorum(syncer->world->config);
    return syncer->state == SYNCER_GRACE && has_everyone(syncer);
}

void syncer_look_at(struct syncer *syncer, sim_time at)
{
    syncer->look_ns = at;
    world_set_timer(syncer->world, WORLD_TIMER_LOOK, at);
}

/* Something may have changed that: look once this instant is over, unless all of it is in a plan. */
static void look_soon(struct syncer *syncer)
{
    if (!syncer->world->rounds.is_planned && wants_look(syncer))
        syncer_look_at(syncer, now_of(syncer));
}

void syncer_on_report(struct syncer *syncer, const struct syncer_report *report)
{
    const struct learner *learner = &syncer->world->learner[report->learner];
    SIM_ASSERT(&syncer->world->sim.origin, syncer->member[report->learner].is_connected);
    syncer_follow(&syncer->step_average_ns, report->step_ns);
    snapshots_on_report(&syncer->snapshots, report->learner, report->step);
    if (learner_uncounted(learner) > 1)
        return;
    syncer->reporters++;
    look_soon(syncer);
}

void syncer_on_report_slept(struct syncer *syncer, const struct learner *learner)
{
    const struct world *world = syncer->world;
    syncer->reporters++;
    SIM_ASSERT(&world->sim.origin,
               world->rounds.is_planned || !wants_look(syncer) || syncer->look_ns == now_of(syncer));
    SIM_ASSERT(&world->sim.origin,
               world->config->grace == CONFIG_GRACE_OFF || learner->step_ns == syncer->step_average_ns);
}

/* --- who takes part --- */

/* Somebody left whose report the quorum needs: there is nothing to pull from a learner that is gone. */
static void check_quorum(struct syncer *syncer)
{
    if (syncer->state != SYNCER_GRACE || syncer->reporters >= config_quorum(syncer->world->config))
        return;
    world_set_timer(syncer->world, WORLD_TIMER_GRACE, SIM_TIME_NEVER);
    step(syncer, SYNCER_LOSE);
}

/* Who waits for a broadcast that cannot come goes on as it is, unless everything is to be restarted anyway. */
static void give_up_waiting(struct syncer *syncer)
{
    for (int64_t i = 0; i < syncer->world->config->learners; i++)
        if (syncer->state != SYNCER_DOWN && !syncer_has_quorum(syncer))
            learner_on_no_quorum(&syncer->world->learner[i]);
}

void syncer_on_connection(struct syncer *syncer, int64_t index, bool is_connected)
{
    struct learner *learner = &syncer->world->learner[index];
    SIM_ASSERT(&syncer->world->sim.origin, syncer->member[index].is_connected != is_connected);
    forecast_catch_up(syncer->world);
    syncer->member[index].is_connected = is_connected;
    syncer->connected += is_connected ? 1 : -1;
    if (!is_connected)
        snapshots_on_gone(&syncer->snapshots, index);
    syncer->reporters -= learner_uncounted(learner) > 0;
    learner_forget_reports(learner);
    check_quorum(syncer);
    look_soon(syncer);
    give_up_waiting(syncer);
    forecast_all(syncer->world);
}

void syncer_on_listening(struct syncer *syncer)
{
    forecast_catch_up(syncer->world);
    flights_plan(&syncer->flights);
    open_round(syncer);
    forecast_all(syncer->world);
}

bool syncer_has_quorum(const struct syncer *syncer)
{
    return syncer->connected >= config_quorum(syncer->world->config);
}

bool syncer_can_spare(const struct syncer *syncer, int64_t learner)
{
    return syncer->connected - syncer->member[learner].is_connected >= config_quorum(syncer->world->config);
}

void syncer_on_copy(struct syncer *syncer, int64_t learner, int64_t round)
{
    syncer->copying++;
    syncer->member[learner].copies_at = round;
}

void syncer_on_copy_lost(struct syncer *syncer, int64_t learner)
{
    syncer->copying--;
    syncer->member[learner].copies_at = -1;
    forecast_catch_up(syncer->world);
    open_round(syncer);
    forecast_all(syncer->world);
}

/* The buffered updates have been replayed: every fragment is as of its last turn that has landed. */
void syncer_on_copied(struct syncer *syncer, int64_t learner)
{
    const struct config *config = syncer->world->config;
    struct learner *copier = &syncer->world->learner[learner];
    int64_t landed = syncer->flights.landed[learner];
    for (int64_t p = 0; p < config->fragments; p++) {
        int64_t since = (landed - p * config->sync_every / config->fragments) % config->sync_every;
        int64_t last = landed - (since < 0 ? since + config->sync_every : since);
        copier->count.overwritten += ledger_receive(&syncer->ledger, learner, p, last < 0 ? -1 : last, &copier->total);
    }
    syncer_on_copy_lost(syncer, learner);
}

/* --- restart of everything --- */

static void go_back(struct syncer *syncer)
{
    const struct snapshot *snapshot = syncer->going_back;
    syncer->until_due = fragments_rounds_until_due(syncer->world->config, snapshot->rounds);
    snapshots_restore(snapshot, syncer);
    flights_clear(&syncer->flights, snapshot->rounds - 1);
    for (int64_t i = 0; i < syncer->world->config->learners; i++) {
        checkpoint_go_back(&syncer->world->learner[i], &snapshot->learner[i]);
        silent_on_rollback(syncer->world, i, snapshot->taken_ns);
    }
    syncer->reporters = 0;
}

void syncer_fail(struct syncer *syncer, sim_time before)
{
    if (syncer->state != SYNCER_DOWN) {
        world_set_timer(syncer->world, WORLD_TIMER_LOOK, SIM_TIME_NEVER);
        world_set_timer(syncer->world, WORLD_TIMER_GRACE, SIM_TIME_NEVER);
        step(syncer, SYNCER_FAIL);
        syncer->world->count.rollbacks++;
    }
    syncer->restarts++;
    syncer->going_back = snapshots_go_back(&syncer->snapshots, before);
    go_back(syncer);
}

bool syncer_is_gone(const struct syncer *syncer)
{
    return syncer->state == SYNCER_DOWN && !syncer->is_reading;
}

static void on_resume(void *context, uint32_t entity)
{
    (void)entity;
    struct syncer *syncer = context;
    syncer->opened_ns = now_of(syncer);
    syncer->is_reading = false;
    syncer->going_back = NULL;
    step(syncer, SYNCER_RESUME);
    for (int64_t i = 0; i < syncer->world->config->learners; i++)
        learner_on_resume(&syncer->world->learner[i]);
    give_up_waiting(syncer);
    look_soon(syncer);
}

/* The syncer has read its state when the learners have that begin to read now. */
void syncer_return(struct syncer *syncer)
{
    const struct config *config = syncer->world->config;
    const struct snapshot *snapshot = syncer->going_back;
    SIM_ASSERT(&syncer->world->sim.origin, syncer->state == SYNCER_DOWN);
    sim_time resumes = sim_time_add(now_of(syncer), config->checkpoint_restore_ns);
    syncer->is_reading = true;
    (void)sim_queue_cancel(&syncer->world->sim.queue, syncer->resume);
    if (resumes <= config->duration_ns)
        syncer->resume =
            sim_queue_schedule(&syncer->world->sim.queue, resumes, WORLD_RANK_CHECKPOINT, 0, on_resume, syncer);
    go_back(syncer);
    for (int64_t i = 0; i < config->learners; i++) {
        checkpoint_restore(&syncer->world->learner[i], &snapshot->learner[i], resumes);
        syncer->reporters += learner_uncounted(&syncer->world->learner[i]) > 0;
    }
    for (int64_t i = 0; i < config->learners; i++)
        learner_on_restart(&syncer->world->learner[i]);
}
