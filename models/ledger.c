#include "models/ledger.h"

#include <stdlib.h>

#include "sim/assert.h"

void ledger_init(struct ledger *ledger, const struct config *config)
{
    *ledger = (struct ledger){.learners = config->learners, .fragments = config->fragments};
    size_t entries = (size_t)config->learners * (size_t)config->fragments;
    ledger->entry = sim_allocate(entries, sizeof *ledger->entry);
    for (size_t i = 0; i < entries; i++)
        ledger->entry[i].round = -1;
}

void ledger_fini(struct ledger *ledger)
{
    free(ledger->entry);
    ledger->entry = NULL;
}

struct ledger_entry *ledger_entry(const struct ledger *ledger, int64_t learner, int64_t fragment)
{
    return &ledger->entry[fragment * ledger->learners + learner];
}

static int64_t chip_steps_since(const struct ledger_entry *entry, const struct ledger_total *total)
{
    return (int64_t)((uint64_t)total->chip_steps - entry->received.chip_steps);
}

struct ledger_claim ledger_count(struct ledger *ledger, int64_t learner, int64_t fragment, int64_t round, int64_t cycle,
                                 const struct ledger_total *total)
{
    struct ledger_entry *entry = ledger_entry(ledger, learner, fragment);
    struct ledger_claim claim = {
        .steps = total->steps - entry->received.steps,
        .chip_steps = chip_steps_since(entry, total),
        .staleness = entry->round < 0 && round < cycle ? round : round - entry->round,
    };
    claim.is_void = claim.staleness > cycle || claim.steps == 0;
    if (!claim.is_void)
        entry->counted = claim.chip_steps;
    return claim;
}

static int64_t open_in(const struct ledger_entry *entry, const struct ledger_total *total)
{
    return chip_steps_since(entry, total) - entry->counted;
}

int64_t ledger_receive(struct ledger *ledger, int64_t learner, int64_t fragment, int64_t round,
                       const struct ledger_total *total)
{
    struct ledger_entry *entry = ledger_entry(ledger, learner, fragment);
    int64_t discarded = open_in(entry, total);
    *entry = (struct ledger_entry){.received = {total->steps, (uint64_t)total->chip_steps}, .round = round};
    return discarded;
}

int64_t ledger_open(const struct ledger *ledger, int64_t learner, int64_t fragment, const struct ledger_total *total)
{
    return open_in(ledger_entry(ledger, learner, fragment), total);
}
