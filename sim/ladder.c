#include "sim/ladder.h"

#include <stdlib.h>

#include "sim/assert.h"

#define CHUNK_ITEMS 50U /* about a kilobyte */
#define BLOCK_CHUNKS_MIN 64U
#define BLOCK_CHUNKS_MAX 65536U
#define BUCKETS_MIN 64U
#define BUCKETS_MAX 512U /* the ends of so many, which are written to, stay in the first cache */
#define BUCKET_ITEMS 6U  /* that a rung is cut for, on average; twice as many if its width is rounded up */

struct sim_ladder_chunk {
    struct sim_ladder_chunk *next;
    struct sim_ladder_item item[CHUNK_ITEMS];
};

struct sim_ladder_block {
    struct sim_ladder_block *next;
    struct sim_ladder_chunk chunk[];
};

static const struct sim_ladder_bucket empty_bucket = {.used = CHUNK_ITEMS};

/* --- chunks --- */

void sim_ladder_init(struct sim_ladder *ladder)
{
    *ladder = (struct sim_ladder){.near_last = SIM_LADDER_KEY_MAX};
}

void sim_ladder_fini(struct sim_ladder *ladder)
{
    while (ladder->block) {
        struct sim_ladder_block *next = ladder->block->next;
        free(ladder->block);
        ladder->block = next;
    }
    for (uint32_t i = 0; i < ladder->rungs; i++)
        free(ladder->rung[i].bucket);
    free(ladder->rung);
    sim_ladder_init(ladder);
}

/* A block as large as all before it. */
static void add_block(struct sim_ladder *ladder)
{
    size_t chunks = ladder->chunks < BLOCK_CHUNKS_MIN ? BLOCK_CHUNKS_MIN : ladder->chunks;
    if (chunks > BLOCK_CHUNKS_MAX)
        chunks = BLOCK_CHUNKS_MAX;
    size_t bytes = sizeof(struct sim_ladder_block) + chunks * sizeof(struct sim_ladder_chunk);
    struct sim_ladder_block *block = sim_reallocate_table(NULL, 0, bytes);
    block->next = ladder->block;
    ladder->block = block;
    ladder->unused = block->chunk;
    ladder->unused_chunks = chunks;
    ladder->chunks += chunks;
}

static struct sim_ladder_chunk *take_chunk(struct sim_ladder *ladder)
{
    struct sim_ladder_chunk *chunk = ladder->free_chunk;
    if (chunk) {
        ladder->free_chunk = chunk->next;
        return chunk;
    }
    if (ladder->unused_chunks == 0)
        add_block(ladder);
    ladder->unused_chunks--;
    return ladder->unused++;
}

/* Room for one more in a bucket. */
static struct sim_ladder_item *extend(struct sim_ladder *ladder, struct sim_ladder_bucket *bucket)
{
    if (bucket->used == CHUNK_ITEMS) {
        struct sim_ladder_chunk *chunk = take_chunk(ladder);
        chunk->next = bucket->chunk;
        bucket->chunk = chunk;
        bucket->used = 0;
    }
    bucket->count++;
    return &bucket->chunk->item[bucket->used++];
}

static void append(struct sim_ladder *ladder, struct sim_ladder_bucket *bucket, const struct sim_ladder_item *item)
{
    *extend(ladder, bucket) = *item;
}

/* Chunks lie anywhere: the next one is on its way while one is worked through. */
static void prefetch(const struct sim_ladder_chunk *chunk)
{
    for (size_t at = 0; chunk && at < sizeof *chunk; at += 64)
        __builtin_prefetch((const char *)chunk + at);
}

/* Takes the chunk that was filled last out of the bucket, *ret_items of it used; NULL when it is empty. It stays as it
 * is until it is released. */
static struct sim_ladder_chunk *detach_chunk(struct sim_ladder_bucket *bucket, uint32_t *ret_items)
{
    struct sim_ladder_chunk *chunk = bucket->chunk;
    if (!chunk)
        return NULL;
    *ret_items = bucket->used;
    prefetch(chunk->next);
    bucket->chunk = chunk->next;
    bucket->count -= bucket->used;
    bucket->used = CHUNK_ITEMS;
    return chunk;
}

static void release_chunk(struct sim_ladder *ladder, struct sim_ladder_chunk *chunk)
{
    chunk->next = ladder->free_chunk;
    ladder->free_chunk = chunk;
}

/* --- rungs --- */

static uint32_t bucket_of(const struct sim_ladder_rung *rung, sim_ladder_key key)
{
    sim_ladder_key at = key > rung->first ? (key - rung->first) >> rung->shift : 0;
    return at < rung->buckets ? (uint32_t)at : rung->buckets - 1;
}

/* The last key of a bucket. */
static sim_ladder_key end_of_bucket(const struct sim_ladder_rung *rung, uint32_t bucket)
{
    sim_ladder_key width = ((sim_ladder_key)bucket + 1) << rung->shift;
    return bucket + 1 < rung->buckets && width - 1 < rung->last - rung->first ? rung->first + width - 1 : rung->last;
}

void sim_ladder_put(struct sim_ladder *ladder, sim_ladder_key key, uint32_t slot)
{
    struct sim_ladder_rung *rung = &ladder->rung[ladder->depth - 1];
    while (key > rung->last)
        rung--;
    sim_ladder_write(extend(ladder, &rung->bucket[bucket_of(rung, key)]), key, slot);
    ladder->count++;
}

static void find_span(const struct sim_ladder_bucket *items, sim_ladder_key *ret_first, sim_ladder_key *ret_last)
{
    sim_ladder_key first = SIM_LADDER_KEY_MAX, last = 0;
    uint32_t used = items->used;
    for (const struct sim_ladder_chunk *chunk = items->chunk; chunk; chunk = chunk->next, used = CHUNK_ITEMS) {
        prefetch(chunk->next);
        for (uint32_t i = 0; i < used; i++) {
            sim_ladder_key key = sim_ladder_key_of(&chunk->item[i]);
            first = key < first ? key : first;
            last = key > last ? key : last;
        }
    }
    *ret_first = first;
    *ret_last = last;
}

/* As many buckets as the items are worth, a power of two. */
static uint32_t buckets_for(uint32_t items)
{
    uint32_t buckets = BUCKETS_MIN;
    while (buckets < BUCKETS_MAX && buckets * BUCKET_ITEMS < items)
        buckets *= 2;
    return buckets;
}

/* The narrowest buckets that reach over `span` without the last of them. */
static unsigned shift_for(sim_ladder_key span, uint32_t buckets)
{
    uint64_t high = (uint64_t)(span >> 64);
    unsigned shift = high > 0 ? 128 - (unsigned)__builtin_clzll(high) : 64;
    while (shift > 0 && span >> (shift - 1) < buckets - 1)
        shift--;
    return shift;
}

static struct sim_ladder_rung *push_rung(struct sim_ladder *ladder, uint32_t buckets)
{
    if (ladder->depth == ladder->rungs) {
        ladder->rung = sim_reallocate(ladder->rung, ladder->rungs + 8U, sizeof *ladder->rung);
        for (int i = 0; i < 8; i++)
            ladder->rung[ladder->rungs++] = (struct sim_ladder_rung){0};
    }
    struct sim_ladder_rung *rung = &ladder->rung[ladder->depth++];
    if (rung->capacity < buckets) {
        rung->bucket = sim_reallocate(rung->bucket, buckets, sizeof *rung->bucket);
        rung->capacity = buckets;
    }
    rung->buckets = buckets;
    rung->next = 0;
    for (uint32_t i = 0; i < buckets; i++)
        rung->bucket[i] = empty_bucket;
    return rung;
}

/* Cuts items, of which none is beyond `last`, into a rung of their own that goes on to there. Their latest falls before
 * the last bucket, so that this holds only what comes later. */
static void cut(struct sim_ladder *ladder, struct sim_ladder_bucket *items, sim_ladder_key last)
{
    sim_ladder_key first, latest;
    find_span(items, &first, &latest);
    SIM_ASSERT(NULL, first < latest);
    struct sim_ladder_rung *rung = push_rung(ladder, buckets_for(items->count));
    rung->first = first;
    rung->last = last;
    rung->shift = shift_for(latest - first, rung->buckets);
    struct sim_ladder_chunk *chunk;
    uint32_t used = 0;
    while ((chunk = detach_chunk(items, &used))) {
        for (uint32_t i = 0; i < used; i++)
            append(ladder, &rung->bucket[bucket_of(rung, sim_ladder_key_of(&chunk->item[i]))], &chunk->item[i]);
        release_chunk(ladder, chunk);
    }
}

void sim_ladder_give_back(struct sim_ladder *ladder, const struct sim_ladder_item *items, uint32_t count)
{
    struct sim_ladder_bucket all = empty_bucket;
    for (uint32_t i = 0; i < count; i++)
        append(ladder, &all, &items[i]);
    cut(ladder, &all, ladder->near_last);
    ladder->count += count;
    ladder->near_last = 0;
}

/* --- batches --- */

/* Moves all items of a bucket to the array; where it ends. */
static struct sim_ladder_item *move_batch(struct sim_ladder *ladder, struct sim_ladder_bucket *from,
                                          struct sim_ladder_item *batch)
{
    struct sim_ladder_chunk *chunk;
    uint32_t used = 0;
    while ((chunk = detach_chunk(from, &used))) {
        for (uint32_t i = 0; i < used; i++)
            *batch++ = chunk->item[i];
        release_chunk(ladder, chunk);
    }
    return batch;
}

static void take_all(struct sim_ladder *ladder, struct sim_ladder_item *batch)
{
    for (; ladder->depth > 0; ladder->depth--) {
        struct sim_ladder_rung *rung = &ladder->rung[ladder->depth - 1];
        for (uint32_t i = rung->next; i < rung->buckets; i++)
            batch = move_batch(ladder, &rung->bucket[i], batch);
    }
    ladder->near_last = SIM_LADDER_KEY_MAX;
}

/* Takes out the next bucket that holds something. near_last becomes its end; rungs of which nothing is left are taken
 * down on the way. */
static struct sim_ladder_bucket next_bucket(struct sim_ladder *ladder)
{
    for (;;) {
        struct sim_ladder_rung *rung = &ladder->rung[ladder->depth - 1];
        while (rung->next < rung->buckets && rung->bucket[rung->next].count == 0)
            rung->next++;
        ladder->depth -= rung->next + 1 >= rung->buckets;
        if (rung->next < rung->buckets) {
            ladder->near_last = end_of_bucket(rung, rung->next);
            return rung->bucket[rung->next++];
        }
    }
}

uint32_t sim_ladder_take(struct sim_ladder *ladder, struct sim_ladder_item batch[static SIM_LADDER_BATCH_MAX])
{
    uint32_t count = ladder->count;
    if (count <= SIM_LADDER_BATCH_MAX) {
        take_all(ladder, batch);
    } else {
        struct sim_ladder_bucket bucket = next_bucket(ladder);
        while (bucket.count > SIM_LADDER_BATCH_MAX) {
            cut(ladder, &bucket, ladder->near_last);
            bucket = next_bucket(ladder);
        }
        count = bucket.count;
        (void)move_batch(ladder, &bucket, batch);
    }
    ladder->count -= count;
    return count;
}

uint32_t sim_ladder_peek(const struct sim_ladder *ladder, const struct sim_ladder_item **ret_items)
{
    if (ladder->depth == 0)
        return 0;
    const struct sim_ladder_rung *rung = &ladder->rung[ladder->depth - 1];
    uint32_t at = rung->next;
    while (at + 1 < rung->buckets && at < rung->next + 4 && rung->bucket[at].count == 0)
        at++;
    if (rung->bucket[at].count == 0 || rung->bucket[at].count > SIM_LADDER_BATCH_MAX)
        return 0;
    *ret_items = rung->bucket[at].chunk->item;
    return rung->bucket[at].used;
}

/* --- */

static void sweep_bucket(struct sim_ladder *ladder, struct sim_ladder_bucket *bucket,
                         bool (*is_kept)(const void *context, const struct sim_ladder_item *item), const void *context)
{
    struct sim_ladder_bucket all = *bucket;
    struct sim_ladder_chunk *chunk;
    uint32_t used = 0;
    *bucket = empty_bucket;
    ladder->count -= all.count;
    while ((chunk = detach_chunk(&all, &used))) {
        for (uint32_t i = 0; i < used; i++)
            if (is_kept(context, &chunk->item[i]))
                append(ladder, bucket, &chunk->item[i]);
        release_chunk(ladder, chunk);
    }
    ladder->count += bucket->count;
}

void sim_ladder_sweep(struct sim_ladder *ladder,
                      bool (*is_kept)(const void *context, const struct sim_ladder_item *item), const void *context)
{
    for (uint32_t i = 0; i < ladder->depth; i++)
        for (uint32_t k = ladder->rung[i].next; k < ladder->rung[i].buckets; k++)
            sweep_bucket(ladder, &ladder->rung[i].bucket[k], is_kept, context);
}
