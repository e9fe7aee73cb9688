#include "models/cruise.h"

#include <stdlib.h>

#include "models/world.h"

void cruise_init(struct world *world)
{
    struct cruise *cruise = &world->rounds.cruise;
    size_t learners = (size_t)world->config->learners;
    if (!world->is_plain || !world->rounds.is_even || world->config->sync_every < 2)
        return;
    cruise->is_stale = true;
    cruise->due = INT64_MAX;
    cruise->learner = sim_allocate(learners, sizeof *cruise->learner);
    cruise->unsettled = sim_allocate(learners, sizeof *cruise->unsettled);
    for (size_t i = 0; i < learners; i++)
        cruise->learner[i].since = -1;
}

void cruise_fini(struct world *world)
{
    free(world->rounds.cruise.learner);
    free(world->rounds.cruise.unsettled);
    world->rounds.cruise = (struct cruise){0};
}

/* From a phase to a time, for the step under way. */
static sim_time time_of(const struct world *world, sim_time phase)
{
    return phase + (world->syncer.round - world->rounds.cruise.base) * world->config->step_time_ns;
}

sim_time cruise_step_start(const struct world *world, const struct learner *learner)
{
    const struct cruise *cruise = &world->rounds.cruise;
    if (learner->keeper != LEARNER_CRUISING)
        return learner->step_start;
    return time_of(world, cruise->learner[learner->index].end) - learner->step_ns;
}

static bool is_large(const struct world *world, int64_t learner)
{
    return learner < world->fleet.large_learners;
}

/* The first round in which its claim is settled: it took in that fragment last in the round before it cruised. */
static int64_t settles_in(const struct world *world, const struct cruiser *cruiser)
{
    return cruiser->since - 1 + world->config->sync_every;
}

/* When a round closes that has this number, it has these totals. */
static struct ledger_total total_at(const struct cruiser *cruiser, int64_t round)
{
    return (struct ledger_total){cruiser->total.steps + round + 1,
                                 cruiser->total.chip_steps + (uint64_t)(round + 1) * (uint64_t)cruiser->chips};
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

static void widen(struct cruise *cruise, const struct cruiser *cruiser)
{
    if (cruiser->lag == 0) {
        cruise->edge_end = cruiser->end;
    } else {
        cruise->first_end = earlier(cruise->first_end, cruiser->end);
        cruise->last_end = later(cruise->last_end, cruiser->end);
    }
    cruise->first_report = earlier(cruise->first_report, cruiser->report);
    cruise->last_report = later(cruise->last_report, cruiser->report);
}

/* True when what they have in common may be another without it. */
static bool is_extreme(const struct cruise *cruise, const struct cruiser *cruiser)
{
    return cruiser->lag == 0 || cruiser->end == cruise->first_end || cruiser->end == cruise->last_end ||
           cruiser->report == cruise->first_report || cruiser->report == cruise->last_report;
}

static void work_out(struct world *world)
{
    struct cruise *cruise = &world->rounds.cruise;
    if (!cruise->is_stale)
        return;
    cruise->is_stale = false;
    cruise->first_end = cruise->first_report = SIM_TIME_NEVER;
    cruise->last_end = cruise->last_report = -SIM_TIME_NEVER;
    cruise->edge_end = -SIM_TIME_NEVER;
    for (int64_t i = 0; i < world->config->learners; i++)
        if (cruise->learner[i].since >= 0)
            widen(cruise, &cruise->learner[i]);
}

sim_time cruise_first_report(struct world *world)
{
    work_out(world);
    return time_of(world, world->rounds.cruise.first_report);
}

sim_time cruise_last_report(struct world *world)
{
    work_out(world);
    return time_of(world, world->rounds.cruise.last_report);
}

/* --- who does --- */

/* A learner that was not there for all of the last cycle may have claims that are void: these are for others. */
static bool may_join(const struct world *world, const struct learner *learner)
{
    int64_t there = learner->there_since;
    return world->rounds.cruise.learner && (there == 0 || there <= world->syncer.round - world->config->sync_every);
}

void cruise_join(struct world *world, struct learner *learner)
{
    struct cruise *cruise = &world->rounds.cruise;
    int64_t since = world->syncer.round, chips = learner->chips_present;
    if (learner->state != LEARNER_STEPPING || learner->heard < since - 1 || !may_join(world, learner))
        return;
    if (cruise->count == 0)
        cruise->base = since;
    sim_time end = learner->step_start + learner->step_ns - (since - cruise->base) * learner->step_ns;
    struct cruiser *cruiser = &cruise->learner[learner->index];
    *cruiser = (struct cruiser){
        .since = since,
        .lag = since - learner->heard,
        .end = end,
        .report = end - learner->reports * learner->step_ns,
        .chips = chips,
        .total = {learner->total.steps - since, learner->total.chip_steps - (uint64_t)since * (uint64_t)chips},
        .due = since,
    };
    cruise->count++;
    learner->keeper = LEARNER_CRUISING;
    cruise->with_reports += learner->reports > 0;
    cruise->unsettled[cruise->unsettled_count++] = learner->index;
    roster_note_cruise(world, learner->index, true);
    cruise->due = since;
    widen(cruise, cruiser);
}

/* The updates of the last cycle that it took in while it cruised, the last of them that of round `end` - 1. */
static void write_receipts(struct world *world, int64_t learner, const struct cruiser *cruiser, int64_t end)
{
    struct ledger *ledger = &world->syncer.ledger;
    int64_t cycle = world->config->sync_every, since = cruiser->since, from = end - cycle > since ? end - cycle : since;
    struct ledger_total total = total_at(cruiser, from + cruiser->lag);
    struct ledger_block *block = ledger_block(ledger, learner, from % cycle);
    for (int64_t round = from; round < end; round++, block = ledger_next(ledger, block)) {
        ledger_put(block, learner, &(struct ledger_entry){.received = total, .round = round});
        total.steps++;
        total.chip_steps += (uint64_t)cruiser->chips;
    }
}

/* What the ledger has of it now. With a lag it took in the update of the round before it cruised, which was as it was,
 * and has yet to take in the last one. */
static void write_ledger(struct world *world, struct learner *learner, const struct cruiser *cruiser)
{
    struct ledger *ledger = &world->syncer.ledger;
    int64_t cycle = world->config->sync_every, since = cruiser->since, end = world->syncer.round - cruiser->lag;
    int64_t index = learner->index;
    if (cruiser->lag == 0) {
        write_receipts(world, index, cruiser, end);
        return;
    }
    struct ledger_total total = total_at(cruiser, since);
    learner->count.overwritten += ledger_receive(ledger, index, (since - 1) % cycle, since - 1, &total);
    learner->count.overwritten += (sim_chip_time)(end - since) * cruiser->chips;
    write_receipts(world, index, cruiser, end);
    total = total_at(cruiser, end);
    struct ledger_entry entry = ledger_entry(ledger, index, end % cycle);
    entry.counted = (int64_t)(total.chip_steps - entry.received.chip_steps);
    ledger_set(ledger, index, end % cycle, &entry);
}

static void forget_unsettled(struct cruise *cruise, int64_t learner)
{
    for (int64_t i = 0; i < cruise->unsettled_count; i++)
        if (cruise->unsettled[i] == learner) {
            cruise->unsettled[i] = cruise->unsettled[--cruise->unsettled_count];
            return;
        }
}

void cruise_release(struct world *world, struct learner *learner)
{
    struct cruise *cruise = &world->rounds.cruise;
    struct cruiser *cruiser = &cruise->learner[learner->index];
    int64_t rounds = world->syncer.round - cruiser->since;
    if (rounds > 0)
        write_ledger(world, learner, cruiser);
    learner->step_start += rounds * learner->step_ns;
    learner->total.steps += rounds;
    learner->total.chip_steps += (uint64_t)rounds * (uint64_t)cruiser->chips;
    learner->made_up += rounds;
    learner->heard += rounds;
    forget_unsettled(cruise, learner->index);
    cruise->chip_steps[is_large(world, learner->index)] -= cruiser->claimed_chip_steps;
    cruise->with_reports -= learner->reports > 0;
    cruise->is_stale |= is_extreme(cruise, cruiser);
    cruise->count--;
    cruiser->since = -1;
    learner->keeper = LEARNER_ITSELF;
    roster_note_cruise(world, learner->index, false);
}

void cruise_release_all(struct world *world)
{
    for (int64_t i = 0; i < world->config->learners && world->rounds.cruise.count > 0; i++)
        if (world->learner[i].keeper == LEARNER_CRUISING)
            cruise_release(world, &world->learner[i]);
}

/* Takes the phase of the moment at which the round closes. */
static bool is_fit(const struct cruiser *cruiser, sim_time closed, sim_time step_ns)
{
    return cruiser->lag == 0 ? closed == cruiser->end : cruiser->end < closed && closed < cruiser->end + step_ns;
}

bool cruise_fits(struct world *world, sim_time closed_ns)
{
    const struct cruise *cruise = &world->rounds.cruise;
    sim_time closed = closed_ns - time_of(world, 0), step_ns = world->config->step_time_ns;
    work_out(world);
    return cruise->last_end < closed && closed - step_ns < cruise->first_end &&
           (cruise->edge_end == -SIM_TIME_NEVER || cruise->edge_end == closed);
}

void cruise_release_unfit(struct world *world, sim_time closed_ns)
{
    const struct cruise *cruise = &world->rounds.cruise;
    if (cruise->count == 0 || cruise_fits(world, closed_ns))
        return;
    sim_time closed = closed_ns - time_of(world, 0);
    for (int64_t i = 0; i < world->config->learners; i++)
        if (world->learner[i].keeper == LEARNER_CRUISING &&
            !is_fit(&cruise->learner[i], closed, world->config->step_time_ns))
            cruise_release(world, &world->learner[i]);
}

/* --- what they claim --- */

static void claim(struct world *world, int64_t learner, int64_t steps, int64_t chip_steps)
{
    struct cruise *cruise = &world->rounds.cruise;
    struct cruiser *cruiser = &cruise->learner[learner];
    cruise->chip_steps[is_large(world, learner)] += chip_steps - cruiser->claimed_chip_steps;
    cruiser->claimed_steps = steps;
    cruiser->claimed_chip_steps = chip_steps;
    merge_set(&world->syncer.merge, learner,
              merge_weight((double)steps, learner_tokens(&world->learner[learner], chip_steps)));
}

/* So long the ledger has one step more of a learner from round to round, and as many chip-steps more each time as in
 * *ret. At most up to round `end`, exclusive. */
static int64_t even_until(const struct world *world, int64_t learner, int64_t round, int64_t end, int64_t *ret)
{
    const struct ledger *ledger = &world->syncer.ledger;
    struct ledger_block *block = ledger_block(ledger, learner, round % ledger->fragments);
    int lane = ledger_lane(learner);
    int64_t steps = block->steps[lane];
    uint64_t chip_steps = (uint64_t)block->chip_steps[lane], more = 0;
    for (int64_t at = round + 1; at < end; at++) {
        block = ledger_next(ledger, block);
        if (at == round + 1)
            more = (uint64_t)block->chip_steps[lane] - chip_steps;
        chip_steps += more;
        if (block->steps[lane] != ++steps || (uint64_t)block->chip_steps[lane] != chip_steps)
            end = at;
    }
    *ret = (int64_t)more;
    return end;
}

/* From the claim of the round under way on it grows evenly while what the ledger has from a cycle ago does, and until
 * it settles. Claims of the first cycle of all are differently stale. */
static void look_ahead(struct world *world, struct cruiser *cruiser, int64_t learner)
{
    int64_t round = world->syncer.round, settles = settles_in(world, cruiser), more = cruiser->chips;
    bool is_first_cycle = round < world->config->sync_every;
    cruiser->due = is_first_cycle ? round + 1 : even_until(world, learner, round, settles, &more);
    cruiser->slope = cruiser->chips - more;
}

static void claim_anew(struct world *world, int64_t learner)
{
    struct cruiser *cruiser = &world->rounds.cruise.learner[learner];
    int64_t round = world->syncer.round, cycle = world->config->sync_every, settled = cycle - cruiser->lag;
    if (round >= settles_in(world, cruiser)) {
        claim(world, learner, settled, settled * cruiser->chips);
        cruiser->slope = 0;
        cruiser->due = INT64_MAX;
        return;
    }
    struct ledger_total then = ledger_entry(&world->syncer.ledger, learner, round % cycle).received;
    struct ledger_total total = total_at(cruiser, round);
    claim(world, learner, total.steps - then.steps, (int64_t)(total.chip_steps - then.chip_steps));
    look_ahead(world, cruiser, learner);
}

/* The claims of the round under way, from those of the one before. */
static void claim_unsettled(struct world *world)
{
    struct cruise *cruise = &world->rounds.cruise;
    int64_t unsettled = 0;
    cruise->due = INT64_MAX;
    for (int64_t i = 0; i < cruise->unsettled_count; i++) {
        int64_t learner = cruise->unsettled[i];
        struct cruiser *cruiser = &cruise->learner[learner];
        if (world->syncer.round >= cruiser->due)
            claim_anew(world, learner);
        else if (cruiser->slope != 0)
            claim(world, learner, cruiser->claimed_steps, cruiser->claimed_chip_steps + cruiser->slope);
        if (cruiser->due < cruise->due)
            cruise->due = cruiser->due;
        if (cruiser->due < INT64_MAX)
            cruise->unsettled[unsettled++] = learner;
    }
    cruise->unsettled_count = unsettled;
}

void cruise_count(struct world *world)
{
    const struct cruise *cruise = &world->rounds.cruise;
    int64_t cycle = world->config->sync_every, round = world->syncer.round, stale = round < cycle ? round : cycle;
    if (cruise->unsettled_count > 0)
        claim_unsettled(world);
    if (cruise->count > 0)
        merge_add_sum(&world->syncer.merge, cruise->count, cruise->chip_steps, cruise->count * stale, stale);
}

/* Chip-steps by which all claims together grow from round to round; of small and of large learners. Returns how many
 * do, *ret_one is one of them. */
static int64_t slopes(const struct world *world, sim_chip_time ret[static 2], int64_t *ret_one)
{
    const struct cruise *cruise = &world->rounds.cruise;
    int64_t growing = 0;
    ret[0] = ret[1] = 0;
    for (int64_t i = 0; i < cruise->unsettled_count; i++) {
        int64_t learner = cruise->unsettled[i];
        if (cruise->learner[learner].slope == 0)
            continue;
        ret[is_large(world, learner)] += cruise->learner[learner].slope;
        *ret_one = learner;
        growing++;
    }
    return growing;
}

/* The claims of the next round, in which none is due. */
static void grow(struct world *world)
{
    struct cruise *cruise = &world->rounds.cruise;
    for (int64_t i = 0; i < cruise->unsettled_count; i++) {
        int64_t learner = cruise->unsettled[i];
        const struct cruiser *cruiser = &cruise->learner[learner];
        if (cruiser->slope != 0)
            claim(world, learner, cruiser->claimed_steps, cruiser->claimed_chip_steps + cruiser->slope);
    }
}

/* So many rounds more in which nothing changes but one claim. */
static void grow_one(struct world *world, int64_t learner, int64_t rounds)
{
    struct merge *merge = &world->syncer.merge;
    struct merge_count *count = &world->syncer.count.merged;
    const struct cruiser *cruiser = &world->rounds.cruise.learner[learner];
    struct merge_growth growth;
    growth.slope = cruiser->slope;
    growth.steps = (double)cruiser->claimed_steps;
    growth.chips = (double)world->learner[learner].chips;
    growth.tokens_per_step = world->config->tokens_per_step;
    merge_add_others(merge, learner, &growth);
    for (int64_t done = 0, now; done < rounds; done += now) {
        now = rounds - done < PASSES_ROUNDS_MAX ? rounds - done : PASSES_ROUNDS_MAX;
        growth.chip_steps = cruiser->claimed_chip_steps + cruiser->slope;
        count->effective_learners += world->rounds.roster.passes->grow(&growth, now);
        claim(world, learner, cruiser->claimed_steps, cruiser->claimed_chip_steps + now * cruiser->slope);
    }
}

/* So many rounds, the first of which has been counted, of claims that grow evenly. */
static void merge_evenly(struct world *world, int64_t rounds)
{
    struct merge *merge = &world->syncer.merge;
    struct merge_count *count = &world->syncer.count.merged;
    sim_chip_time slope[2];
    int64_t one, growing = slopes(world, slope, &one);
    merge_sum(merge);
    merge_count_sums(count, merge, rounds);
    merge_count_effective(count, merge, growing == 0 ? rounds : 1);
    for (int i = 0; i < 2; i++)
        count->chip_steps[i] += slope[i] * ((sim_chip_time)rounds * (rounds - 1) / 2);
    if (growing == 1)
        grow_one(world, one, rounds - 1);
    for (int64_t i = 1; growing > 1 && i < rounds; i++) {
        grow(world);
        merge_sum(merge);
        merge_count_effective(count, merge, 1);
    }
}

void cruise_merge(struct world *world, int64_t rounds)
{
    int64_t *round = &world->syncer.round;
    for (int64_t end = *round + rounds; *round < end;) {
        merge_begin(&world->syncer.merge);
        cruise_count(world);
        int64_t until = world->rounds.cruise.due < end ? world->rounds.cruise.due : end;
        merge_evenly(world, until - *round);
        *round = until;
    }
}
