#include "models/snapshot.h"

#include <stdlib.h>

#include "models/world.h"

static int64_t learners_of(const struct snapshots *snapshots)
{
    return snapshots->world->config->learners;
}

/* The one that is being recorded. */
static struct snapshot *current(const struct snapshots *snapshots)
{
    return &snapshots->slot[snapshots->complete];
}

/* --- beginning and end --- */

static void init_slot(struct snapshot *snapshot, const struct world *world)
{
    size_t learners = (size_t)world->config->learners;
    snapshot->count = sim_allocate(1, sizeof *snapshot->count);
    ledger_init(&snapshot->ledger, world->config);
    snapshot->learner = sim_allocate(learners, sizeof *snapshot->learner);
}

/* Everybody is in: it is how the run began. */
void snapshots_init(struct snapshots *snapshots, struct world *world)
{
    const struct config *config = world->config;
    *snapshots = (struct snapshots){.world = world};
    if (!config_can_go_back(config))
        return;
    snapshots->complete = 1;
    snapshots->slots = config_has_snapshots(config) ? 2 + config_kept(config) : 1;
    snapshots->slot = sim_allocate((size_t)snapshots->slots, sizeof *snapshots->slot);
    for (int64_t i = 0; i < snapshots->slots; i++)
        init_slot(&snapshots->slot[i], world);
    struct snapshot *first = &snapshots->slot[0];
    first->taken_ns = -1;
    first->step_average_ns = config->step_time_ns;
    ledger_copy(&first->ledger, &world->syncer.ledger);
    for (int64_t i = 0; i < config->learners; i++)
        first->learner[i].is_in = true;
}

void snapshots_fini(struct snapshots *snapshots)
{
    for (int64_t i = 0; i < snapshots->slots; i++) {
        struct snapshot *snapshot = &snapshots->slot[i];
        for (int64_t k = 0; k < learners_of(snapshots); k++)
            free(snapshot->learner[k].report);
        free(snapshot->learner);
        ledger_fini(&snapshot->ledger);
        free(snapshot->count);
    }
    free(snapshots->slot);
    *snapshots = (struct snapshots){0};
}

/* --- recording --- */

static void add_report(struct snapshot_learner *member, int64_t step)
{
    if (member->reports == member->reports_max) {
        member->reports_max = member->reports_max > 0 ? 2 * member->reports_max : 4;
        member->report = sim_reallocate(member->report, (size_t)member->reports_max, sizeof *member->report);
    }
    member->report[member->reports++] = step;
}

/* What no round has counted of a learner that takes part. One that does not, or has yet to read its own state, is left
 * out. */
static void begin_learner(struct snapshots *snapshots, int64_t index)
{
    struct learner *learner = &snapshots->world->learner[index];
    struct snapshot_learner *member = &current(snapshots)->learner[index];
    member->is_in = false;
    member->is_left = !learner_is_connected(learner) || learner->checkpoint.must_restore;
    member->mark = checkpoint_mark(learner);
    member->reports = 0;
    for (int64_t i = learner->in_flight; i < learner->owed_count; i++)
        add_report(member, learner->owed[i].step);
    snapshots->missing += !member->is_left;
}

static void record_syncer(struct snapshot *snapshot, const struct syncer *syncer)
{
    snapshot->taken_ns = syncer->world->sim.origin.now;
    snapshot->rounds = syncer->round;
    snapshot->step_average_ns = syncer->step_average_ns;
    snapshot->quorum_average_ns = syncer->quorum_average_ns;
    snapshot->transfer_average_ns = syncer->transfer_average_ns;
    *snapshot->count = syncer->count;
    ledger_copy(&snapshot->ledger, &syncer->ledger);
}

void snapshots_on_closed(struct snapshots *snapshots)
{
    const struct config *config = snapshots->world->config;
    const struct syncer *syncer = &snapshots->world->syncer;
    if (!config_has_snapshots(config) || snapshots->is_recording || syncer->round % config->checkpoint_every_rounds)
        return;
    snapshots->is_recording = true;
    snapshots->missing = 0;
    record_syncer(current(snapshots), syncer);
    for (int64_t i = 0; i < config->learners; i++)
        begin_learner(snapshots, i);
}

/* It is still to record. */
static bool is_awaited(const struct snapshots *snapshots, int64_t learner)
{
    if (!snapshots->is_recording)
        return false;
    const struct snapshot_learner *member = &current(snapshots)->learner[learner];
    return !member->is_in && !member->is_left;
}

void snapshots_on_report(struct snapshots *snapshots, int64_t learner, int64_t step)
{
    if (is_awaited(snapshots, learner))
        add_report(&current(snapshots)->learner[learner], step);
}

bool snapshots_has_marker(const struct snapshots *snapshots, int64_t learner, int64_t round)
{
    return is_awaited(snapshots, learner) && round == current(snapshots)->rounds - 1;
}

/* A fragment that it received since the syncer recorded has been counted only by later rounds; of one that it did not,
 * the ledger was right then. */
static void record_ledger(struct snapshot *snapshot, const struct ledger *ledger, int64_t learner)
{
    for (int64_t p = 0; p < ledger->fragments; p++) {
        struct ledger_entry now = ledger_entry(ledger, learner, p);
        now.counted = 0;
        if (ledger_entry(&snapshot->ledger, learner, p).round != now.round)
            ledger_set(&snapshot->ledger, learner, p, &now);
    }
}

void snapshots_record(struct snapshots *snapshots, int64_t learner)
{
    struct snapshot *snapshot = current(snapshots);
    snapshot->taken_ns = snapshots->world->sim.origin.now;
    snapshot->learner[learner].is_in = true;
    snapshot->learner[learner].mark = checkpoint_mark(&snapshots->world->learner[learner]);
    record_ledger(snapshot, &snapshots->world->syncer.ledger, learner);
}

/* --- completion --- */

static void swap(struct snapshot *a, struct snapshot *b)
{
    struct snapshot other = *a;
    *a = *b;
    *b = other;
}

/* The oldest gives way, but not the beginning. */
static void forget_oldest(struct snapshots *snapshots)
{
    for (int64_t i = 1; i + 1 < snapshots->complete; i++)
        swap(&snapshots->slot[i], &snapshots->slot[i + 1]);
    snapshots->complete--;
}

static void note_ready(struct snapshots *snapshots)
{
    if (--snapshots->missing > 0)
        return;
    snapshots->is_recording = false;
    snapshots->complete++;
    snapshots->world->count.checkpoints++;
    if (snapshots->complete == snapshots->slots)
        forget_oldest(snapshots);
}

void snapshots_on_written(struct snapshots *snapshots, int64_t learner)
{
    SIM_ASSERT(&snapshots->world->sim.origin, snapshots->is_recording && current(snapshots)->learner[learner].is_in);
    note_ready(snapshots);
}

void snapshots_on_gone(struct snapshots *snapshots, int64_t learner)
{
    if (is_awaited(snapshots, learner))
        snapshots_leave_out(snapshots, learner);
}

void snapshots_leave_out(struct snapshots *snapshots, int64_t learner)
{
    struct snapshot_learner *member = &current(snapshots)->learner[learner];
    member->is_in = false;
    member->is_left = true;
    member->reports = 0;
    note_ready(snapshots);
}

/* --- going back --- */

const struct snapshot *snapshots_go_back(struct snapshots *snapshots, sim_time before)
{
    snapshots->is_recording = false;
    while (snapshots->complete > 1 && snapshots->slot[snapshots->complete - 1].taken_ns >= before)
        snapshots->complete--;
    return &snapshots->slot[snapshots->complete - 1];
}

void snapshots_restore(const struct snapshot *snapshot, struct syncer *syncer)
{
    syncer->round = snapshot->rounds;
    syncer->step_average_ns = snapshot->step_average_ns;
    syncer->quorum_average_ns = snapshot->quorum_average_ns;
    syncer->transfer_average_ns = snapshot->transfer_average_ns;
    syncer->count = *snapshot->count;
    ledger_copy(&syncer->ledger, &snapshot->ledger);
}

void snapshots_reset_counts(struct snapshots *snapshots)
{
    for (int64_t i = 0; i < snapshots->slots; i++) {
        *snapshots->slot[i].count = (struct syncer_count){0};
        for (int64_t k = 0; k < learners_of(snapshots); k++)
            checkpoint_reset_mark(&snapshots->slot[i].learner[k].mark);
    }
}
