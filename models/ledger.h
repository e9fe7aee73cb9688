/* models/ledger.h -- what each learner has trained on each fragment since it last received it.
 *
 * A learner's report carries, for every fragment, the steps and tokens since the learner last received that fragment.
 * The ledger keeps, for each pair of learner and fragment, the totals at that moment, so a claim is a difference and a
 * report costs nothing. Every token ends up in exactly one place for each fragment: merged (a round counted it),
 * overwritten (it was trained between the count and the arrival of the update, or by a learner the round did not
 * count), or still open.
 *
 * A claim is void, and weighs nothing, when the learner missed the last broadcast of the fragment: what it trained is
 * based on a state that is older than one cycle. So no merge is staler than sync_every rounds.
 *
 * Units: steps; chip-steps (steps times the chips that took part), of which tokens are a constant multiple.
 * Ownership: ledger_init allocates, ledger_fini releases.
 * Errors: none.
 */
#ifndef MODELS_LEDGER_H
#define MODELS_LEDGER_H

#include "models/config.h"

/* The totals of a learner since the start of the run. */
struct ledger_total {
    int64_t steps;
    uint64_t chip_steps; /* modulo 2^64: what is asked of it is differences, of some rounds */
};

struct ledger_entry {
    struct ledger_total received; /* totals when the fragment was last received */
    int64_t counted;              /* chip-steps since then that a round has counted */
    int64_t round;                /* of the last receipt; -1: it started with it */
};

/* What the ledger has of so many learners and a fragment lies side by side, so that a round can take several at a time
 * (models/roster.h). */
#define LEDGER_LANES 8

struct ledger_block {
    _Alignas(64) int64_t steps[LEDGER_LANES];
    int64_t chip_steps[LEDGER_LANES], counted[LEDGER_LANES], round[LEDGER_LANES];
};

struct ledger {
    int64_t fragments;
    int64_t blocks;             /* for a fragment */
    struct ledger_block *block; /* [fragment * blocks + learner / LEDGER_LANES] */
};

struct ledger_claim {
    int64_t steps;
    int64_t chip_steps;
    int64_t staleness; /* rounds since the fragment was last received */
    bool is_void;
};

void ledger_init(struct ledger *ledger, const struct config *config);
void ledger_fini(struct ledger *ledger);

/* Requires that both are of one config. */
void ledger_copy(struct ledger *ledger, const struct ledger *from);

/* The lane of a learner in its block. */
static inline int ledger_lane(int64_t learner)
{
    return (int)((uint64_t)learner % LEDGER_LANES);
}

static inline struct ledger_block *ledger_block(const struct ledger *ledger, int64_t learner, int64_t fragment)
{
    return &ledger->block[(uint64_t)(fragment * ledger->blocks) + (uint64_t)learner / LEDGER_LANES];
}

/* The same learners and the next fragment; after the last comes the first. */
static inline struct ledger_block *ledger_next(const struct ledger *ledger, struct ledger_block *block)
{
    struct ledger_block *next = block + ledger->blocks, *end = ledger->block + ledger->fragments * ledger->blocks;
    return next < end ? next : next - (end - ledger->block);
}

/* What it knows of a learner and a fragment. */
static inline struct ledger_entry ledger_entry(const struct ledger *ledger, int64_t learner, int64_t fragment)
{
    const struct ledger_block *block = ledger_block(ledger, learner, fragment);
    int lane = ledger_lane(learner);
    return (struct ledger_entry){
        .received = {block->steps[lane], (uint64_t)block->chip_steps[lane]},
        .counted = block->counted[lane],
        .round = block->round[lane],
    };
}

/* Of a learner, in its block of a fragment. */
static inline void ledger_put(struct ledger_block *block, int64_t learner, const struct ledger_entry *entry)
{
    int lane = ledger_lane(learner);
    block->steps[lane] = entry->received.steps;
    block->chip_steps[lane] = (int64_t)entry->received.chip_steps;
    block->counted[lane] = entry->counted;
    block->round[lane] = entry->round;
}

static inline void ledger_set(struct ledger *ledger, int64_t learner, int64_t fragment,
                              const struct ledger_entry *entry)
{
    ledger_put(ledger_block(ledger, learner, fragment), learner, entry);
}

/* Chip-steps of the learner that no round has counted yet, and none has discarded. */
static inline int64_t ledger_open(const struct ledger *ledger, int64_t learner, int64_t fragment,
                                  const struct ledger_total *total)
{
    struct ledger_entry entry = ledger_entry(ledger, learner, fragment);
    return (int64_t)(total->chip_steps - entry.received.chip_steps) - entry.counted;
}

/* What round `round` may count of a learner with these totals for a fragment whose turn comes every `cycle` rounds.
 * Counts it unless it is void. */
static inline struct ledger_claim ledger_count(struct ledger *ledger, int64_t learner, int64_t fragment, int64_t round,
                                               int64_t cycle, const struct ledger_total *total)
{
    struct ledger_entry entry = ledger_entry(ledger, learner, fragment);
    struct ledger_claim claim = {
        .steps = total->steps - entry.received.steps,
        .chip_steps = (int64_t)(total->chip_steps - entry.received.chip_steps),
        .staleness = entry.round < 0 && round < cycle ? round : round - entry.round,
    };
    claim.is_void = claim.staleness > cycle || claim.steps == 0;
    if (!claim.is_void)
        ledger_block(ledger, learner, fragment)->counted[ledger_lane(learner)] = claim.chip_steps;
    return claim;
}

/* The learner overwrites the fragment with the update of `round`. Returns the chip-steps that this discards. */
static inline int64_t ledger_receive(struct ledger *ledger, int64_t learner, int64_t fragment, int64_t round,
                                     const struct ledger_total *total)
{
    int64_t discarded = ledger_open(ledger, learner, fragment, total);
    ledger_set(ledger, learner, fragment, &(struct ledger_entry){.received = *total, .round = round});
    return discarded;
}

#endif
