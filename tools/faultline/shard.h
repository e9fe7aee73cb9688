/* tools/faultline/shard.h -- a part of a sweep: cells dealt out by what they are expected to cost.
 *
 * Every machine that deals the same cells to the same number of shards comes to the same split, so that shards need
 * not talk to each other: the largest cell first, each to the shard that has the least so far; of equals the first.
 * That keeps the largest load below 4/3 of the best possible one (Graham 1969).
 *
 * Weights are whole numbers of few digits, because mathematical libraries differ in the last bits of a prediction.
 *
 * Units: weights are microseconds of one core, rounded; shards are numbered from 0 here, from 1 for people.
 * Ownership: nothing is kept.
 * Errors: false.
 */
#ifndef TOOLS_FAULTLINE_SHARD_H
#define TOOLS_FAULTLINE_SHARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHARD_COUNT_MAX 10000

struct shard {
    uint32_t index; /* below count */
    uint32_t count; /* 0: the sweep is not split */
};

/* Reads I/N with 1 <= I <= N <= SHARD_COUNT_MAX, and nothing else. */
bool shard_read(const char *text, struct shard *ret);

/* At least 1, so that no shard gets a second cell before each has one. */
uint64_t shard_weight(double cost_s);

/* Fills `ret`, of `cells` entries, with the shard that each cell belongs to: the heaviest first, each to the one that
 * has least. */
void shard_deal(uint32_t count, const uint64_t weight[], size_t cells, uint32_t ret[]);

/* Fills `ret`, of `cells` entries, with the numbers of the cells of a shard, in their order, and *ret_share with its
 * share of the weight of all. Returns how many they are. */
size_t shard_cells(const struct shard *shard, const uint64_t weight[], size_t cells, size_t ret[], double *ret_share);

#endif
