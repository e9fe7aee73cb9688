/* syncer_merge.c -- what a round that closes counts of each learner. */
#include "models/world.h"

bool syncer_is_watched(const struct syncer *syncer)
{
    return syncer->world->observer && syncer->world->observer->on_round;
}

/* What the round counts of a learner with a report, `counted` learners before it. */
static void add_claim(struct syncer *syncer, const struct learner *learner, int64_t fragment, int64_t counted)
{
    const struct world *world = syncer->world;
    struct ledger_claim claim = {.is_void = true};
    double tokens = 0, weight = 0;
    if (fragment >= 0)
        claim = ledger_count(&syncer->ledger, learner->index, fragment, syncer->round, world->config->sync_every,
                             &learner->total);
    if (!claim.is_void) {
        tokens = learner_tokens(learner, claim.chip_steps);
        weight = merge_weight((double)claim.steps, tokens);
        merge_add(&syncer->merge, &claim, fleet_is_large(&world->fleet, learner->chips));
    }
    merge_set(&syncer->merge, learner->index, weight);
    syncer->tokens += tokens;
    if (syncer_is_watched(syncer))
        syncer->claim[counted] = (struct run_claim){learner->index,  learner_oldest_report(learner).step,
                                                    claim.steps,     claim.chip_steps,
                                                    claim.staleness, weight};
}

void syncer_count_merge(struct syncer *syncer)
{
    merge_sum(&syncer->merge);
    merge_count_sums(&syncer->count.merged, &syncer->merge, 1);
    merge_count_effective(&syncer->count.merged, &syncer->merge, 1);
}

void syncer_merge(struct syncer *syncer, int64_t fragment)
{
    int64_t counted = 0;
    if (syncer_is_watched(syncer) && !syncer->claim)
        syncer->claim = sim_allocate((size_t)syncer->world->config->learners, sizeof *syncer->claim);
    merge_begin(&syncer->merge);
    syncer->tokens = 0;
    for (int64_t i = 0; i < syncer->world->config->learners; i++)
        if (learner_uncounted(&syncer->world->learner[i]) > 0)
            add_claim(syncer, &syncer->world->learner[i], fragment, counted++);
        else
            merge_set(&syncer->merge, i, 0);
    merge_sum(&syncer->merge);
    if (fragment >= 0)
        syncer_count_merge(syncer);
}
