#include "models/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"

static size_t blocks_of(const struct ledger *ledger)
{
    return (size_t)(ledger->fragments * ledger->blocks);
}

void ledger_init(struct ledger *ledger, const struct config *config)
{
    *ledger = (struct ledger){
        .fragments = config->fragments,
        .blocks = (config->learners + LEDGER_LANES - 1) / LEDGER_LANES,
    };
    ledger->block = sim_allocate_lines(blocks_of(ledger), sizeof *ledger->block);
    for (size_t i = 0; i < blocks_of(ledger); i++)
        for (int lane = 0; lane < LEDGER_LANES; lane++)
            ledger->block[i].round[lane] = -1;
}

void ledger_fini(struct ledger *ledger)
{
    free(ledger->block);
    *ledger = (struct ledger){0};
}

void ledger_copy(struct ledger *ledger, const struct ledger *from)
{
    memcpy(ledger->block, from->block, blocks_of(from) * sizeof *from->block);
}
