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
