#include "models/cruise.h"

#include <stdlib.h>

#include "models/world.h"

void cruise_init(struct world *world)
{
    struct cruise *cruise = &world->rounds.cruise;
    if (!world->is_plain || !world->rounds.is_even || world->config->sync_every < 2)
        return;
    cruise->is_stale = true;
    cruise->since = sim_allocate((size_t)world->config->learners, sizeof *cruise->since);
    for (int64_t i = 0; i < world->config->learners; i++)
        cruise->since[i] = -1;
}

void cruise_fini(struct world *world)
{
    free(world->rounds.cruise.since);
    world->rounds.cruise.since = NULL;
}

bool cruise_is_member(const struct world *world, int64_t learner)
{
    const struct cruise *cruise = &world->rounds.cruise;
    return cruise->since && cruise->since[learner] >= 0;
}

/* Rounds that closed while it did. */
static int64_t rounds_of(const struct world *world, int64_t learner)
{
    return world->syncer.round - world->rounds.cruise.since[learner];
}

sim_time cruise_step_start(const struct world *world, const struct learner *learner)
{
    int64_t rounds = cruise_is_member(world, learner->index) ? rounds_of(world, learner->index) : 0;
    return learner->step_start + rounds * learner->step_ns;
}

/* The last round in which its claim is not settled: it received that fragment last in the round before it cruised. */
static int64_t settles_after(const struct world *world, int64_t learner)
{
    return world->rounds.cruise.since[learner] - 1 + world->config->sync_every;
}

/* It takes an update in so many steps after the one that ended when the round closed: at once, or with the next. */
static int64_t lag_of(const struct cruise *cruise, const struct learner *learner)
{
    return cruise->since[learner->index] - learner->heard;
}

/* --- what they have in common --- */

static sim_time earlier(sim_time a, sim_time b)
{
    return a < b ? a : b;
}

static sim_time later(sim_time a, sim_time b)
{
    return a > b ? a : b;
}

/* Its step under way ends then. */
static void widen(struct cruise *cruise, const struct learner *learner, sim_time end)
{
    sim_time report = end - learner->reports * learner->step_ns;
    if (lag_of(cruise, learner) == 0) {
        cruise->edge_end = end;
    } else {
        cruise->first_end = earlier(cruise->first_end, end);
        cruise->last_end = later(cruise->last_end, end);
    }
    cruise->first_report = earlier(cruise->first_report, report);
    cruise->last_report = later(cruise->last_report, report);
    cruise->with_reports += learner->reports > 0;
}

/* What it claims when it is settled. */
static int64_t settled_steps(const struct world *world, const struct learner *learner)
{
    return world->config->sync_every - lag_of(&world->rounds.cruise, learner);
}

static void add_member(struct world *world, const struct learner *learner)
{
    struct cruise *cruise = &world->rounds.cruise;
    int64_t settled = settles_after(world, learner->index);
    widen(cruise, learner, cruise_step_start(world, learner) + learner->step_ns);
    cruise->unsettled_until = settled > cruise->unsettled_until ? settled : cruise->unsettled_until;
    if (settled >= world->syncer.round)
        return;
    cruise->settled++;
    cruise->chip_steps[fleet_is_large(&world->fleet, learner->chips)] +=
        (sim_chip_time)settled_steps(world, learner) * learner->chips_present;
}

static void clear(struct cruise *cruise)
{
    cruise->is_stale = false;
    cruise->with_reports = cruise->settled = 0;
    cruise->chip_steps[0] = cruise->chip_steps[1] = 0;
    cruise->first_end = cruise->first_report = SIM_TIME_NEVER;
    cruise->last_end = cruise->edge_end = cruise->last_report = -1;
    cruise->unsettled_until = -1;
}

static void work_out(struct world *world)
{
    clear(&world->rounds.cruise);
    for (int64_t i = 0; i < world->config->learners; i++)
        if (world->rounds.cruise.since[i] >= 0)
            add_member(world, &world->learner[i]);
}

/* --- who does --- */

/* A learner that was not there for all of the last cycle may have claims that are void: these are for others. */
static bool may_join(const struct world *world, const struct learner *learner, int64_t round)
{
    int64_t there = learner->there_since;
    return world->rounds.cruise.since && (there == 0 || there <= round + 1 - world->config->sync_every);
}

bool cruise_join(struct world *world, const struct learner *learner, int64_t round)
{
    struct cruise *cruise = &world->rounds.cruise;
    if (!may_join(world, learner, round))
        return false;
    cruise->since[learner->index] = round + 1;
    cruise->count++;
    cruise->unsettled_until = settles_after(world, learner->index);
    widen(cruise, learner, learner->step_start + learner->step_ns);
    return true;
}

/* Totals of it when it took in the update of a round that it cruised through, or of the one before. */
static struct ledger_total totals_at(const struct world *world, const struct learner *learner, int64_t round)
{
    const struct cruise *cruise = &world->rounds.cruise;
    int64_t steps = round - cruise->since[learner->index] + 1 + lag_of(cruise, learner);
    return (struct ledger_total){learner->total.steps + steps,
                                 learner->total.chip_steps + (uint64_t)steps * (uint64_t)learner->chips_present};
}

/* What the ledger has of it when it has cruised up to the last round. With a lag it took in the update of the round
 * before it did, which was as it was, and has yet to take in the last one. */
static void write_ledger(struct world *world, struct learner *learner)
{
    const struct ledger *ledger = &world->syncer.ledger;
    int64_t cycle = world->config->sync_every, since = world->rounds.cruise.since[learner->index];
    int64_t lag = lag_of(&world->rounds.cruise, learner), end = world->syncer.round - lag;
    if (lag > 0) {
        struct ledger_total total = totals_at(world, learner, since - 1);
        learner->count.overwritten +=
            ledger_receive(ledger_entry(ledger, learner->index, (since - 1) % cycle), since - 1, &total);
        learner->count.overwritten += (sim_chip_time)(end - since) * learner->chips_present;
    }
    for (int64_t round = end - cycle > since ? end - cycle : since; round < end; round++)
        *ledger_entry(ledger, learner->index, round % cycle) =
            (struct ledger_entry){.received = totals_at(world, learner, round), .round = round};
    if (lag > 0) {
        struct ledger_entry *entry = ledger_entry(ledger, learner->index, end % cycle);
        struct ledger_total total = totals_at(world, learner, end - 1);
        entry->counted = ledger_chip_steps_since(entry, &total);
    }
}

void cruise_release(struct world *world, struct learner *learner)
{
    if (!cruise_is_member(world, learner->index))
        return;
    int64_t rounds = rounds_of(world, learner->index);
    if (rounds > 0) {
        write_ledger(world, learner);
        learner->step_start += rounds * learner->step_ns;
        learner->total.steps += rounds;
        learner->total.chip_steps += (uint64_t)rounds * (uint64_t)learner->chips_present;
        learner->made_up += rounds;
        learner->heard += rounds;
    }
    world->rounds.cruise.since[learner->index] = -1;
    world->rounds.cruise.count--;
    world->rounds.cruise.is_stale = true;
}

void cruise_release_all(struct world *world)
{
    for (int64_t i = 0; i < world->config->learners && world->rounds.cruise.count > 0; i++)
        cruise_release(world, &world->learner[i]);
}

/* One step of it ends by then, and just then only if one did when the last round closed. */
static bool is_fit(const struct world *world, const struct learner *learner, sim_time closed_ns)
{
    sim_time over = closed_ns - cruise_step_start(world, learner) - learner->step_ns;
    return lag_of(&world->rounds.cruise, learner) == 0 ? over == 0 : over > 0 && over < learner->step_ns;
}

bool cruise_fits(struct world *world, sim_time closed_ns)
{
    struct cruise *cruise = &world->rounds.cruise;
    if (cruise->is_stale)
        work_out(world);
    return cruise->last_end < closed_ns && closed_ns - world->config->step_time_ns < cruise->first_end &&
           (cruise->edge_end < 0 || cruise->edge_end == closed_ns);
}

void cruise_release_unfit(struct world *world, sim_time closed_ns)
{
    if (cruise_fits(world, closed_ns))
        return;
    for (int64_t i = 0; i < world->config->learners; i++)
        if (cruise_is_member(world, i) && !is_fit(world, &world->learner[i], closed_ns))
            cruise_release(world, &world->learner[i]);
}

/* --- what they claim --- */

static struct ledger_claim claim_of(const struct world *world, const struct learner *learner)
{
    int64_t round = world->syncer.round, cycle = world->config->sync_every;
    int64_t steps = rounds_of(world, learner->index) + 1, claimed = settled_steps(world, learner);
    int64_t chips = learner->chips_present;
    const struct ledger_total total = {learner->total.steps + steps,
                                       learner->total.chip_steps + (uint64_t)steps * (uint64_t)chips};
    if (round < settles_after(world, learner->index))
        return ledger_claim(ledger_entry(&world->syncer.ledger, learner->index, round % cycle), round, cycle, &total);
    return (struct ledger_claim){claimed, claimed * chips, cycle, false};
}

static void count_unsettled(struct world *world)
{
    struct cruise *cruise = &world->rounds.cruise;
    struct merge *merge = &world->syncer.merge;
    for (int64_t i = 0; i < world->config->learners; i++) {
        const struct learner *learner = &world->learner[i];
        if (cruise->since[i] < 0 || world->syncer.round > settles_after(world, i))
            continue;
        struct ledger_claim claim = claim_of(world, learner);
        SIM_ASSERT(&world->sim.origin, !claim.is_void);
        merge->weight[i] = merge_weight(&claim, learner_tokens(learner, claim.chip_steps));
        merge_add(merge, &claim, fleet_is_large(&world->fleet, learner->chips));
        cruise->is_stale |= world->syncer.round == settles_after(world, i);
    }
}

void cruise_count(struct world *world, int64_t rounds)
{
    struct cruise *cruise = &world->rounds.cruise;
    struct merge *merge = &world->syncer.merge;
    sim_time span = rounds * world->config->step_time_ns;
    if (cruise->is_stale)
        work_out(world);
    if (cruise->count == 0)
        return;
    if (world->syncer.round <= cruise->unsettled_until)
        count_unsettled(world);
    merge->claims += cruise->settled;
    merge->staleness += cruise->settled * world->config->sync_every;
    if (cruise->settled > 0)
        merge->staleness_max = world->config->sync_every;
    for (int i = 0; i < 2; i++)
        merge->chip_steps[i] += cruise->chip_steps[i];
    cruise->first_end += span;
    cruise->last_end += span;
    cruise->edge_end += cruise->edge_end < 0 ? 0 : span;
    cruise->first_report += span;
    cruise->last_report += span;
}
