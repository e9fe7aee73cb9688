#include "models/roster.h"

#include <stdlib.h>

#include "models/fragments.h"
#include "models/world.h"

#define COLUMNS 15

extern const struct roster_passes roster_passes_any;
#ifdef HAS_AVX2
extern const struct roster_passes roster_passes_avx2;
#endif

const struct roster_passes *roster_passes(void)
{
#ifdef HAS_AVX2
    if (__builtin_cpu_supports("avx2"))
        return &roster_passes_avx2;
#endif
    return &roster_passes_any;
}

/* --- beginning and end --- */

void roster_init(struct world *world)
{
    struct roster *roster = &world->rounds.roster;
    if (!world->is_plain)
        return;
    roster->rows = world->config->learners;
    roster->passes = roster_passes();
    size_t rows = (size_t)roster->rows;
    roster->cells = sim_allocate(rows * COLUMNS, sizeof *roster->cells);
    int64_t **const column[COLUMNS] = {
        &roster->takes,   &roster->steps_on,    &roster->cruises, &roster->large,         &roster->end,
        &roster->step_ns, &roster->report,      &roster->steps,   &roster->chip_steps,    &roster->chips,
        &roster->heard,   &roster->overwritten, &roster->ended,   &roster->claimed_steps, &roster->claimed_chip_steps,
    };
    for (int i = 0; i < COLUMNS; i++)
        *column[i] = roster->cells + i * roster->rows;
    roster->whole_chips = sim_allocate(rows, sizeof *roster->whole_chips);
    roster->steps_of_claim = sim_allocate(rows, sizeof *roster->steps_of_claim);
    roster->claimed = sim_allocate(rows, sizeof *roster->claimed);
    roster->out = sim_allocate(rows, sizeof *roster->out);
    for (int64_t i = 0; i < roster->rows; i++) {
        roster->whole_chips[i] = 1;
        roster->out[roster->outs++] = i;
    }
}

void roster_fini(struct world *world)
{
    struct roster *roster = &world->rounds.roster;
    free(roster->cells);
    free(roster->whole_chips);
    free(roster->steps_of_claim);
    free(roster->claimed);
    free(roster->out);
    *roster = (struct roster){0};
}

/* --- in and out --- */

static void enter(struct roster *roster, const struct learner *learner)
{
    int64_t i = learner->index;
    roster->takes[i] = -1;
    roster->steps_on[i] = -(int64_t)(learner->state == LEARNER_STEPPING);
    roster->end[i] = learner->step_start + learner->step_ns;
    roster->step_ns[i] = learner->step_ns;
    roster->report[i] = roster->end[i] - learner->reports * learner->step_ns;
    roster->steps[i] = learner->total.steps;
    roster->chip_steps[i] = (int64_t)learner->total.chip_steps;
    roster->chips[i] = learner->chips_present;
    roster->whole_chips[i] = (double)learner->chips;
    roster->large[i] = -(int64_t)fleet_is_large(&learner->world->fleet, learner->chips);
    roster->heard[i] = learner->heard;
    roster->overwritten[i] = 0;
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
    int64_t i = learner->index;
    if (!roster_has(roster, i))
        return;
    int64_t steps = roster->steps[i] - learner->total.steps;
    learner->step_start += steps * learner->step_ns;
    learner->total.steps += steps;
    learner->total.chip_steps = (uint64_t)roster->chip_steps[i];
    learner->made_up += steps;
    learner->reports = (roster->end[i] - roster->report[i]) / roster->step_ns[i];
    learner->heard = roster->heard[i];
    learner->count.overwritten += roster->overwritten[i];
    roster->takes[i] = roster->steps_on[i] = 0;
    roster->out[roster->outs++] = i;
}

void roster_release_all(struct world *world)
{
    for (int64_t i = 0; i < world->config->learners; i++)
        roster_release(world, &world->learner[i]);
}

void roster_note_cruise(struct world *world, int64_t learner, bool does_cruise)
{
    struct roster *roster = &world->rounds.roster;
    roster->cruises[learner] = -(int64_t)does_cruise;
    if (!does_cruise) {
        roster->out[roster->outs++] = learner;
        return;
    }
    int64_t k = roster->outs - 1;
    while (roster->out[k] != learner)
        k--;
    roster->out[k] = roster->out[--roster->outs];
}

/* --- a round --- */

static struct roster_sheet sheet_of(const struct world *world, int64_t round)
{
    const struct ledger *ledger = &world->syncer.ledger;
    int64_t fragment = round >= 0 ? fragments_due(world->config, round) : -1;
    int64_t at = fragment >= 0 ? fragment * ledger->learners : 0; /* where nothing is written if none is due */
    return (struct roster_sheet){fragment >= 0 ? -1 : 0, ledger->steps + at, ledger->chip_steps + at,
                                 ledger->counted + at, ledger->round + at};
}

static void take_in(struct world *world, int64_t i)
{
    struct roster *roster = &world->rounds.roster;
    const struct ledger_total total = {roster->steps[i], (uint64_t)roster->chip_steps[i]};
    int64_t round = roster->heard[i]++, fragment = fragments_due(world->config, round);
    if (fragment >= 0)
        roster->overwritten[i] += ledger_receive(&world->syncer.ledger, i, fragment, round, &total);
}

/* Updates of rounds before the last one, and steps after the first. */
static void end_more_steps(struct world *world, int64_t i, sim_time closed_ns)
{
    struct roster *roster = &world->rounds.roster;
    while (roster->ended[i] != 0 && roster->heard[i] < world->syncer.round)
        take_in(world, i);
    while (roster->steps_on[i] != 0 && roster->end[i] <= closed_ns) {
        roster->end[i] += roster->step_ns[i];
        roster->steps[i]++;
        roster->chip_steps[i] += roster->chips[i];
    }
}

struct roster_sum roster_close(struct world *world, sim_time closed_ns)
{
    struct roster *roster = &world->rounds.roster;
    int64_t round = world->syncer.round;
    struct roster_sheet due = sheet_of(world, round);
    struct roster_sum sum;
    enter_all(world);
    if (roster->passes->end_steps(roster, sheet_of(world, round - 1), round - 1, closed_ns))
        for (int64_t i = 0; i < roster->rows; i++)
            end_more_steps(world, i, closed_ns);
    roster->passes->count_reports(roster, due, round, world->config->sync_every, closed_ns, &sum);
    roster->passes->weigh(roster, sum.claims, world->config->tokens_per_step, merge_weights(&world->syncer.merge));
    roster->passes->hand_out(roster, due, round, closed_ns, &sum);
    return sum;
}
