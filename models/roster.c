#include "models/roster.h"

#include <stdlib.h>

#include "models/fragments.h"
#include "models/world.h"

const struct passes *passes_best(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        return &passes_avx512;
    if (__builtin_cpu_supports("avx2"))
        return &passes_avx2;
#endif
    return &passes_any;
}

/* --- beginning and end --- */

void roster_init(struct world *world)
{
    struct roster *roster = &world->rounds.roster;
    if (!world->is_plain)
        return;
    int64_t learners = world->config->learners;
    roster->blocks = (learners + LEDGER_LANES - 1) / LEDGER_LANES;
    roster->passes = passes_best();
    roster->block = sim_allocate_lines((size_t)roster->blocks, sizeof *roster->block);
    roster->out = sim_allocate((size_t)learners, sizeof *roster->out);
    for (int64_t i = 0; i < roster->blocks * LEDGER_LANES; i++) {
        roster_block(roster, i)->whole_chips[ledger_lane(i)] = 1;
        roster_block(roster, i)->asks = 1;
    }
    for (int64_t i = 0; i < learners; i++)
        roster->out[roster->outs++] = i;
}

void roster_fini(struct world *world)
{
    struct roster *roster = &world->rounds.roster;
    free(roster->block);
    free(roster->out);
    *roster = (struct roster){0};
}

/* --- in and out --- */

static void enter(struct roster *roster, struct learner *learner)
{
    struct roster_block *block = roster_block(roster, learner->index);
    int i = ledger_lane(learner->index);
    block->takes[i] = -1;
    block->steps_on[i] = -(int64_t)(learner->state == LEARNER_STEPPING);
    block->end[i] = learner->step_start + learner->step_ns;
    block->step_ns[i] = learner->step_ns;
    block->report[i] = block->end[i] - learner->reports * learner->step_ns;
    block->steps[i] = learner->total.steps;
    block->chip_steps[i] = (int64_t)learner->total.chip_steps;
    block->chips[i] = learner->chips_present;
    block->whole_chips[i] = (double)learner->chips;
    block->large[i] = -(int64_t)fleet_is_large(&learner->world->fleet, learner->chips);
    block->heard[i] = learner->heard;
    block->overwritten[i] = 0;
    block->asks = ++block->entered;
    learner->keeper = LEARNER_IN_ROSTER;
}

/* Who takes part is entered. */
static void enter_all(struct world *world)
{
    struct roster *roster = &world->rounds.roster;
    int64_t outs = 0;
    for (int64_t k = 0; k < roster->outs; k++) {
        int64_t i = roster->out[k];
        if (learner_takes_part(world->learner[i].state))
            enter(roster, &world->learner[i]);
        else
            roster->out[outs++] = i;
    }
    roster->outs = outs;
}

void roster_release(struct world *world, struct learner *learner)
{
    struct roster *roster = &world->rounds.roster;
    struct roster_block *block = roster_block(roster, learner->index);
    int i = ledger_lane(learner->index);
    int64_t steps = block->steps[i] - learner->total.steps;
    learner->step_start += steps * learner->step_ns;
    learner->total.steps += steps;
    learner->total.chip_steps = (uint64_t)block->chip_steps[i];
    learner->made_up += steps;
    learner->reports = sim_time_periods(block->end[i] - block->report[i], block->step_ns[i]);
    learner->heard = block->heard[i];
    learner->count.overwritten += block->overwritten[i];
    block->takes[i] = block->steps_on[i] = 0;
    block->entered--;
    learner->keeper = LEARNER_ITSELF;
    roster->out[roster->outs++] = learner->index;
}

void roster_release_all(struct world *world)
{
    struct roster *roster = &world->rounds.roster;
    for (int64_t i = 0; i < world->config->learners; i++)
        if (world->learner[i].keeper == LEARNER_IN_ROSTER)
            roster_release(world, &world->learner[i]);
    for (int64_t k = 0; k < roster->blocks; k++)
        roster->block[k].asks = 1; /* whatever they weigh in rounds that are not planned */
}

void roster_note_cruise(struct world *world, int64_t learner, bool does_cruise)
{
    struct roster *roster = &world->rounds.roster;
    struct roster_block *block = roster_block(roster, learner);
    block->cruises[ledger_lane(learner)] = -(int64_t)does_cruise;
    if (!does_cruise) {
        block->asks = 1; /* it weighs nothing until it is entered */
        roster->out[roster->outs++] = learner;
        return;
    }
    int64_t k = roster->outs - 1;
    while (roster->out[k] != learner)
        k--;
    roster->out[k] = roster->out[--roster->outs];
}

/* --- a round --- */

static void take_in(struct world *world, int64_t learner)
{
    struct roster_block *block = roster_block(&world->rounds.roster, learner);
    int i = ledger_lane(learner);
    const struct ledger_total total = {block->steps[i], (uint64_t)block->chip_steps[i]};
    int64_t round = block->heard[i]++, fragment = fragments_due(world->config, round);
    if (fragment >= 0)
        block->overwritten[i] += ledger_receive(&world->syncer.ledger, learner, fragment, round, &total);
}

/* All steps that end by then; all updates there are, with the first of them. */
static void end_all_steps(struct world *world, int64_t learner, sim_time closed_ns)
{
    struct roster_block *block = roster_block(&world->rounds.roster, learner);
    int i = ledger_lane(learner);
    while (block->steps_on[i] != 0 && block->end[i] <= closed_ns) {
        block->end[i] += block->step_ns[i];
        block->steps[i]++;
        block->chip_steps[i] = (int64_t)((uint64_t)block->chip_steps[i] + (uint64_t)block->chips[i]);
        while (block->heard[i] < world->syncer.round)
            take_in(world, learner);
    }
}

/* What the ledger has on the fragment of a round, if one is due. */
static struct ledger_block *sheet(const struct world *world, int64_t round, int64_t *ret_is_due)
{
    const struct ledger *ledger = &world->syncer.ledger;
    int64_t fragment = round >= 0 ? fragments_due(world->config, round) : -1;
    *ret_is_due = fragment >= 0 ? -1 : 0;
    return ledger->block + (fragment >= 0 ? fragment * ledger->blocks : 0);
}

struct roster_sum roster_close(struct world *world, sim_time closed_ns)
{
    struct roster *roster = &world->rounds.roster;
    struct roster_sum sum;
    enter_all(world); /* first, so that what is written is there when it is read with what lies beside it */
    struct roster_round round = {
        .round = world->syncer.round,
        .cycle = world->config->sync_every,
        .closed_ns = closed_ns,
        .tokens_per_step = world->config->tokens_per_step,
        .weight = merge_weights(&world->syncer.merge),
    };
    round.before = sheet(world, round.round - 1, &round.was_due);
    round.due = sheet(world, round.round, &round.is_due);
    while (!roster->passes->close(roster->block, roster->blocks, &round, &sum))
        for (int64_t i = 0; i < world->config->learners; i++)
            end_all_steps(world, i, closed_ns);
    return sum;
}
