#include "models/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"

#define COLUMNS 4

void ledger_init(struct ledger *ledger, const struct config *config)
{
    size_t entries = (size_t)config->learners * (size_t)config->fragments;
    *ledger = (struct ledger){.learners = config->learners, .fragments = config->fragments};
    ledger->cells = sim_allocate(entries * COLUMNS, sizeof *ledger->cells);
    ledger->steps = ledger->cells;
    ledger->chip_steps = ledger->steps + entries;
    ledger->counted = ledger->chip_steps + entries;
    ledger->round = ledger->counted + entries;
    for (size_t i = 0; i < entries; i++)
        ledger->round[i] = -1;
}

void ledger_fini(struct ledger *ledger)
{
    free(ledger->cells);
    *ledger = (struct ledger){0};
}

void ledger_copy(struct ledger *ledger, const struct ledger *from)
{
    size_t entries = (size_t)from->learners * (size_t)from->fragments;
    memcpy(ledger->cells, from->cells, entries * COLUMNS * sizeof *ledger->cells);
}
