/* learner_sync.c -- a learner and the syncer: reports out, updates in, how far it may run ahead, when its state is too
 * old. */
#include <stdlib.h>
#include <string.h>

#include "models/fragments.h"
#include "models/learner_internal.h"
#include "models/network.h"
#include "models/world.h"

static struct syncer *syncer_of(const struct learner *learner)
{
    return &learner->world->syncer;
}

static const struct config *config_of(const struct learner *learner)
{
    return learner->world->config;
}

/* Makes room for one more entry in a growing array. */
static void *with_room(void *array, int64_t count, int64_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity > 0 ? *capacity * 2 : 4;
    return sim_reallocate(array, (size_t)*capacity, size);
}

static void overwrite(struct learner *learner, int64_t round, int64_t fragment)
{
    world_note_update(learner->world, learner->index, round, fragment);
    learner->count.overwritten +=
        ledger_receive(&syncer_of(learner)->ledger, learner->index, fragment, round, &learner->total);
}

/* The update of a round, and the marker behind it. */
static void take_in(struct learner *learner, int64_t round, int64_t fragment)
{
    if (fragment >= 0)
        overwrite(learner, round, fragment);
    if (snapshots_has_marker(&syncer_of(learner)->snapshots, learner->index, round))
        checkpoint_record(learner);
}

/* In a plain world updates arrive at once: those of all rounds that closed since the step began. */
static void take_in_since(struct learner *learner)
{
    for (; learner->heard < syncer_of(learner)->round; learner->heard++) {
        int64_t fragment = fragments_due(config_of(learner), learner->heard);
        if (fragment >= 0)
            overwrite(learner, learner->heard, fragment);
    }
}

int64_t learner_unread(const struct learner *learner)
{
    int64_t unread = learner->inbox_count;
    if (learner->world->is_plain && learner_is_connected(learner))
        for (int64_t round = learner->heard; round < syncer_of(learner)->round; round++)
            unread += fragments_due(config_of(learner), round) >= 0;
    return unread;
}

void learner_apply_updates(struct learner *learner)
{
    if (learner->world->is_plain) {
        take_in_since(learner);
        return;
    }
    for (int64_t i = 0; i < learner->inbox_count; i++)
        take_in(learner, learner->inbox[i].round, learner->inbox[i].fragment);
    learner->inbox_count = 0;
}

static void owe(struct learner *learner, int64_t step, sim_time reported_ns)
{
    learner->owed = with_room(learner->owed, learner->owed_count, &learner->owed_capacity, sizeof *learner->owed);
    learner->owed[learner->owed_count++] = (struct learner_owed){step, reported_ns, -1};
}

/* In a plain world they are one after the other: a number says it all. */
static void add_report(struct learner *learner, sim_time at)
{
    if (learner->world->is_plain && learner->owed_count == 0)
        learner->reports++;
    else
        owe(learner, learner->total.steps, at);
}

void learner_spell_out_reports(struct learner *learner)
{
    for (; learner->reports > 0; learner->reports--) {
        int64_t ago = learner->reports - 1;
        owe(learner, learner->total.steps - ago, learner->step_start - ago * learner->step_ns);
    }
}

void learner_report(struct learner *learner)
{
    if (!learner_is_connected(learner))
        return; /* its link is cut */
    add_report(learner, learner->world->sim.origin.now);
    clocks_receive(&learner->world->clocks, clocks_syncer(&learner->world->clocks),
                   clocks_of(&learner->world->clocks, learner->index));
    const struct syncer_report report = {learner->index, learner->total.steps, learner->step_ns};
    syncer_on_report(syncer_of(learner), &report);
}

void learner_report_slept(struct learner *learner)
{
    add_report(learner, learner->step_start);
    if (learner_uncounted(learner) == 1)
        syncer_on_report_slept(syncer_of(learner), learner);
}

int64_t learner_uncounted(const struct learner *learner)
{
    return learner->owed_count - learner->in_flight + learner->reports;
}

struct learner_owed learner_oldest_report(const struct learner *learner)
{
    int64_t ago = learner->reports - 1;
    if (learner->in_flight < learner->owed_count)
        return learner->owed[learner->in_flight];
    return (struct learner_owed){learner->total.steps - ago, learner->step_start - ago * learner->step_ns, -1};
}

static void remove_owed(struct learner *learner, int64_t first, int64_t count)
{
    learner->owed_count -= count;
    if (count > 0 && first < learner->owed_count)
        memmove(learner->owed + first, learner->owed + first + count,
                (size_t)(learner->owed_count - first) * sizeof *learner->owed);
}

/* A round without a fragment owes nothing. */
void learner_on_counted(struct learner *learner, int64_t round, int64_t fragment)
{
    if (learner->reports > 0)
        learner->reports--; /* the update is there at once */
    else if (fragment < 0)
        remove_owed(learner, learner->in_flight, 1);
    else
        learner->owed[learner->in_flight++].round = round;
}

void learner_forget_reports(struct learner *learner)
{
    learner->owed_count = learner->in_flight = learner->reports = 0;
}

/* What no round has counted is for the rounds to come, one by one; only that of the first that sends a fragment is
 * waited for. */
static int64_t oldest_due(const struct learner *learner)
{
    int64_t ahead = syncer_of(learner)->until_due;
    if (learner->in_flight > 0)
        return learner->owed[0].step;
    if (ahead < learner->owed_count)
        return learner->owed[ahead].step;
    return learner->total.steps + 1 + ahead - learner->owed_count - learner->reports; /* or yet to be made */
}

int64_t learner_oldest_owed(const struct learner *learner)
{
    return learner->cut.sources > 0 ? learner->cut.due : oldest_due(learner);
}

/* Nobody trains on while the syncer is down: it would be lost. */
bool learner_is_blocked(const struct learner *learner)
{
    if (!learner->world->has_rounds)
        return false;
    if (syncer_of(learner)->state == SYNCER_DOWN)
        return true;
    return learner->total.steps - learner_oldest_owed(learner) >= config_of(learner)->sync_overlap;
}

static void settle_owed(struct learner *learner, int64_t round)
{
    int64_t settled = 0;
    if (learner->in_flight == 0)
        return;
    while (settled < learner->in_flight && learner->owed[settled].round <= round)
        settled++;
    remove_owed(learner, 0, settled);
    learner->in_flight -= settled;
}

static void await(struct learner *learner, struct learner_update update)
{
    learner->inbox = with_room(learner->inbox, learner->inbox_count, &learner->inbox_capacity, sizeof *learner->inbox);
    learner->inbox[learner->inbox_count++] = update;
}

/* An update takes effect at the next step boundary; a step that begins at this very instant has not begun to work. */
static void receive(struct learner *learner, const struct syncer_broadcast *message)
{
    bool is_mid_step = learner->state == LEARNER_STEPPING && learner->step_start < learner->world->sim.origin.now;
    bool is_marker = snapshots_has_marker(&syncer_of(learner)->snapshots, learner->index, message->round);
    bool says_anything = message->fragment >= 0 || is_marker;
    if (learner->world->is_plain && !is_mid_step) {
        if (learner->heard > message->round) /* it takes part since the round closed, this very instant */
            learner->heard = message->round;
        take_in_since(learner);
    } else if (!learner->world->is_plain && says_anything && is_mid_step) {
        await(learner, (struct learner_update){message->round, message->fragment});
    } else if (!learner->world->is_plain && says_anything) {
        take_in(learner, message->round, message->fragment);
    }
}

/* The copy from the peer that can send its state soonest among those that have seen the round asked for. False when
 * none has. */
static bool find_copy(const struct learner *learner, struct flights_copy *ret)
{
    const struct flights *flights = &learner->world->syncer.flights;
    bool has_any = false;
    for (int64_t i = 0; i < config_of(learner)->learners; i++) {
        const struct learner *peer = &learner->world->learner[i];
        if (!learner_is_connected(peer) || flights->landed[i] < learner->copy_round)
            continue;
        struct flights_copy copy;
        flights_begin_copy(flights, i, learner->index, &copy);
        if (has_any && flights_copy_arrives(&copy) >= flights_copy_arrives(ret))
            continue;
        has_any = true;
        *ret = copy;
    }
    return has_any;
}

void learner_ask_peers(struct learner *learner)
{
    if (learner->copy_round < 0 || learner->is_copying || !find_copy(learner, &learner->copy))
        return;
    learner->is_copying = true;
    learner->copy_clock = clocks_copy(&learner->world->clocks, learner->copy.peer);
    learner_set_wake(learner, flights_copy_arrives(&learner->copy));
}

/* The first broadcast names the round that its copy must have seen. */
static void ask_for_copy(struct learner *learner, int64_t round)
{
    learner->copy_round = round;
    syncer_on_copy(syncer_of(learner), learner->index, round);
}

static void forget_copy(struct learner *learner)
{
    learner->copy_round = -1;
    learner->is_copying = false;
    free(learner->copy_clock);
    learner->copy_clock = NULL;
}

void learner_drop_copy(struct learner *learner)
{
    if (learner->copy_round < 0)
        return;
    forget_copy(learner);
    syncer_on_copy_lost(syncer_of(learner), learner->index);
}

void learner_on_broadcast(struct learner *learner, const struct syncer_broadcast *message)
{
    if (learner->cut.sources > 0)
        return;
    settle_owed(learner, message->round);
    if (learner->state == LEARNER_STEPPING && !message->clock) {
        receive(learner, message);
        return;
    }
    if (message->clock && learner_listens(learner))
        clocks_receive(&learner->world->clocks, learner->index, message->clock);
    if (learner->state == LEARNER_RECOVERING && learner->copy_round < 0)
        ask_for_copy(learner, message->round);
    else if (learner_is_connected(learner))
        receive(learner, message);
    if (learner_is_waiting(learner))
        learner_decide(learner);
}

bool learner_is_waiting(const struct learner *learner)
{
    return learner->state == LEARNER_BLOCKED || learner->state == LEARNER_PARKED;
}

bool learner_takes_part(enum learner_state state)
{
    return state != LEARNER_AWAY && state != LEARNER_PREEMPTED && state != LEARNER_RECOVERING;
}

bool learner_is_connected(const struct learner *learner)
{
    return learner->cut.sources == 0 && learner_takes_part(learner->state);
}

bool learner_listens(const struct learner *learner)
{
    return learner->cut.sources == 0 && (learner_takes_part(learner->state) || learner->state == LEARNER_RECOVERING);
}

/* Longer than recover_after steps, which are counted at the nominal pace. */
static bool is_long_since(const struct learner *learner, sim_time since)
{
    const struct config *config = config_of(learner);
    sim_time outage = learner->world->sim.origin.now - since;
    return outage > 0 && (outage - 1) / config->step_time_ns >= config->recover_after;
}

/* Without the others' quorum no broadcast would come to wait for. */
bool learner_must_recover(struct learner *learner)
{
    if (!learner->world->has_rounds)
        return false;
    bool is_long = learner->absent_since >= 0 && is_long_since(learner, learner->absent_since);
    return (is_long || learner->checkpoint.is_stale) && syncer_can_spare(syncer_of(learner), learner->index);
}

/* --- its link is cut --- */

static void note_debts(struct learner *learner)
{
    learner->cut.counted = learner->total.steps - learner_uncounted(learner);
    learner->cut.due = oldest_due(learner);
}

void learner_book_cut(struct learner *learner)
{
    sim_time now = learner->world->sim.origin.now;
    if (learner->cut.sources > 0)
        learner->count.cut_ns += now - learner->cut.booked_until;
    learner->cut.booked_until = now;
}

static const char *link_state(const struct learner *learner)
{
    if (learner->cut.sources > 0)
        return "cut";
    return syncer_of(learner)->flights.rate[learner->index] < TRANSFER_FULL ? "degraded" : "up";
}

static void note_link(const struct learner *learner, const char *was)
{
    const char *is = link_state(learner);
    if (strcmp(was, is) != 0)
        world_note_change(learner->world, "link", learner->index, was, is, "link");
}

/* A copy under way to it is lost, and what it stands still for is void. */
void learner_on_cut(struct learner *learner)
{
    const char *was = link_state(learner);
    bool was_connected = learner_is_connected(learner), did_listen = learner_listens(learner);
    if (learner->cut.sources++ > 0)
        return;
    learner->cut.since = learner->cut.booked_until = learner->world->sim.origin.now;
    learner->count.cuts++;
    note_link(learner, was);
    note_debts(learner);
    learner_tell_syncer(learner, was_connected, did_listen);
    if (learner->state == LEARNER_RECOVERING)
        learner_forget_everything(learner);
    if (learner->state == LEARNER_CHECKPOINTING)
        learner_decide(learner);
}

/* When its state is too old it stops at once. Else it reports what it has done, at the end of the step under way or,
 * when it waits, now. One that rebuilds itself or stands still sees to it when it is done. */
static void reconnect(struct learner *learner)
{
    bool is_training = learner->state == LEARNER_STEPPING || learner_is_waiting(learner);
    if (is_long_since(learner, learner->cut.since))
        learner->absent_since = learner->cut.since;
    bool must_recover = learner_must_recover(learner), is_waiting = learner_is_waiting(learner);
    if (!is_training)
        return;
    if (must_recover)
        learner_stop_step(learner);
    else
        learner->absent_since = -1;
    if (is_waiting && !must_recover && learner->total.steps > learner->cut.counted)
        learner_report(learner);
    if (is_waiting || must_recover)
        learner_decide(learner);
}

void learner_on_link(struct learner *learner)
{
    if (learner->cut.sources > 1) {
        learner->cut.sources--;
        return;
    }
    learner_book_cut(learner);
    learner->cut.sources = 0;
    note_link(learner, "cut");
    learner_tell_syncer(learner, false, false);
    if (learner_is_connected(learner))
        reconnect(learner);
}

/* --- its link is slower --- */

void learner_book_rate(struct learner *learner)
{
    sim_time now = learner->world->sim.origin.now;
    if (syncer_of(learner)->flights.rate && syncer_of(learner)->flights.rate[learner->index] < TRANSFER_FULL)
        learner->count.degraded_ns += now - learner->degraded_until;
    learner->degraded_until = now;
}

/* A copy that is under way over that link arrives at another time. */
static void follow_copies(const struct world *world, int64_t index)
{
    for (int64_t i = 0; i < world->config->learners; i++) {
        struct learner *learner = &world->learner[i];
        bool is_over_it = learner->is_copying && (i == index || learner->copy.peer == index);
        if (is_over_it && flights_change_copy(&world->syncer.flights, &learner->copy))
            learner_set_wake(learner, flights_copy_arrives(&learner->copy));
    }
}

void learner_on_rate(struct learner *learner, int64_t rate)
{
    struct flights *flights = &syncer_of(learner)->flights;
    const char *was = link_state(learner);
    if (rate == flights->rate[learner->index])
        return;
    learner_book_rate(learner);
    learner->count.degradations += flights->rate[learner->index] == TRANSFER_FULL;
    flights_change_rate(flights, learner->index, rate);
    follow_copies(learner->world, learner->index);
    note_link(learner, was);
}

void learner_forget_everything(struct learner *learner)
{
    learner_forget_reports(learner);
    learner->inbox_count = 0;
    if (learner->is_copying)
        learner_set_wake(learner, SIM_TIME_NEVER);
    learner_drop_copy(learner);
    note_debts(learner);
}

void learner_replay_report(struct learner *learner, int64_t step, sim_time at)
{
    owe(learner, step, at);
}

void learner_on_resume(struct learner *learner)
{
    if (learner->state == LEARNER_BLOCKED)
        learner_decide(learner);
}

void learner_on_no_quorum(struct learner *learner)
{
    if (learner->state != LEARNER_RECOVERING || learner->is_copying)
        return;
    learner_drop_copy(learner);
    learner->absent_since = -1;
    learner_decide(learner);
}

void learner_end_copy(struct learner *learner)
{
    clocks_receive(&learner->world->clocks, learner->index, learner->copy_clock);
    forget_copy(learner);
    learner->absent_since = -1;
    learner->checkpoint.must_restore = learner->checkpoint.is_stale = false;
    learner->count.recoveries++;
    syncer_on_copied(syncer_of(learner), learner->index);
}
