/* sim/ladder.h -- the far future of a queue: items that are put into order only when their time comes near.
 *
 * A rung cuts a span into buckets of equal width; an item is appended to the bucket of its key, in no order. The
 * earliest bucket is taken out as a batch when it is small, and otherwise cut into a finer rung of its own. So each
 * item is copied a few times, to the end of some bucket, however many wait and however their times are spread; only a
 * batch is ever sorted, by who takes it. The last bucket of the first rung has no end: it holds what lies beyond all
 * that is cut yet. After Tang, Goh and Thng, "Ladder queue" (ACM TOMACS 15, 2005), but keyed by time and order
 * together, so that a million items of one nanosecond are cut like any others.
 *
 * What is at or before `near_last` was taken out and is no business of the ladder. An empty one has no rung, and
 * everything is near.
 *
 * Units: time in ns, not negative.
 * Ownership: sim_ladder_init allocates nothing yet, sim_ladder_fini releases.
 * Errors: no two items have the same time and order; that is a bug and stops the program.
 */
#ifndef SIM_LADDER_H
#define SIM_LADDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/time.h"

/* 20 bytes, without a gap: millions of them are moved about. */
struct sim_ladder_item {
    sim_time time;
    uint64_t order; /* among those of one time; not 0 */
    uint32_t slot;  /* the caller's */
} __attribute__((packed, aligned(4)));

/* Time and order in one number, which is compared without a branch. */
__extension__ typedef unsigned __int128 sim_ladder_key;
#define SIM_LADDER_KEY_MAX (~(sim_ladder_key)0)

static inline sim_ladder_key sim_ladder_key_from(sim_time time, uint64_t order)
{
    return (sim_ladder_key)time << 64 | order;
}

static inline sim_ladder_key sim_ladder_key_of(const struct sim_ladder_item *item)
{
    return sim_ladder_key_from(item->time, item->order);
}

/* A key that was just made goes to where it is kept by itself: to copy it in a whole item would wait for its parts. */
static inline void sim_ladder_write(struct sim_ladder_item *item, sim_ladder_key key, uint32_t slot)
{
    item->time = (sim_time)(key >> 64);
    item->order = (uint64_t)key;
    item->slot = slot;
}

struct sim_ladder_bucket {
    struct sim_ladder_chunk *chunk; /* the one that is filled; its link leads to the full ones */
    uint32_t count;                 /* items in all */
    uint32_t used;                  /* of `chunk` */
};

struct sim_ladder_rung {
    sim_ladder_key first, last; /* what its buckets cover: the first one also what is before, the last all up to `last`
                                 */
    unsigned shift;             /* a bucket is 2^shift wide */
    uint32_t next;              /* bucket; those before were taken */
    uint32_t buckets, capacity;
    struct sim_ladder_bucket *bucket;
};

struct sim_ladder {
    sim_ladder_key near_last; /* larger keys are the ladder's */
    uint32_t count;           /* items */
    uint32_t depth, rungs;    /* in use, the finest last; allocated */
    struct sim_ladder_rung *rung;
    struct sim_ladder_chunk *free_chunk, *unused; /* given back; the rest of the last block */
    size_t unused_chunks, chunks;
    struct sim_ladder_block *block;
};

void sim_ladder_init(struct sim_ladder *ladder);
void sim_ladder_fini(struct sim_ladder *ladder);

/* Adds an item whose key is larger than near_last. */
void sim_ladder_put(struct sim_ladder *ladder, sim_ladder_key key, uint32_t slot);

/* Gives everything back that is near, at least two items; from then on nothing is, until a batch is taken. */
void sim_ladder_give_back(struct sim_ladder *ladder, const struct sim_ladder_item *items, uint32_t count);

/* Moves the earliest items, in no order, to `batch`; near_last becomes the end of their span. Their number; 0 when
 * there are none. */
#define SIM_LADDER_BATCH_MAX 64U
uint32_t sim_ladder_take(struct sim_ladder *ladder, struct sim_ladder_item batch[static SIM_LADDER_BATCH_MAX]);

/* Some of the items that are likely to be taken next, for a look ahead; their number, perhaps 0. They stay where they
 * are until the next batch is taken or the ladder is swept. */
uint32_t sim_ladder_peek(const struct sim_ladder *ladder, const struct sim_ladder_item **ret_items);

/* Drops the items that `is_kept` does not want any more. */
void sim_ladder_sweep(struct sim_ladder *ladder,
                      bool (*is_kept)(const void *context, const struct sim_ladder_item *item), const void *context);

#endif
