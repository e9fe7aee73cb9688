#include "tools/faultline/shard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/options.h"

/* A thousandth is kept of a prediction that is good to a factor. The border between two weights is where no round
 * number lies, so that no last bit of a usual prediction decides. */
#define WEIGHT_DIGITS 1024
#define WEIGHT_BORDER 0.3717
#define WEIGHT_MAX 0x1p40 /* 13 days of a core; 100,000 of them can be added */

struct item {
    uint64_t weight;
    size_t cell;
};

bool shard_read(const char *text, struct shard *ret)
{
    int64_t index = 0, count = 0;
    const char *slash = strchr(text, '/');
    if (slash == NULL || !options_integer(slash + 1, 1, SHARD_COUNT_MAX, &count))
        return false;
    char *first = alloc_text(text);
    first[slash - text] = '\0';
    bool is_read = options_integer(first, 1, count, &index);
    free(first);
    if (is_read)
        *ret = (struct shard){(uint32_t)index - 1, (uint32_t)count};
    return is_read;
}

uint64_t shard_weight(double cost_s)
{
    int exponent = 0;
    double cost_us = fmin(cost_s * 1e6, WEIGHT_MAX);
    double digits = floor(frexp(cost_us, &exponent) * WEIGHT_DIGITS + WEIGHT_BORDER);
    double weight = floor(ldexp(digits / WEIGHT_DIGITS, exponent));
    return weight > 1 ? (uint64_t)weight : 1;
}

static int heaviest_first(const void *a, const void *b)
{
    const struct item *left = a, *right = b;
    if (left->weight != right->weight)
        return left->weight > right->weight ? -1 : 1;
    return left->cell < right->cell ? -1 : left->cell > right->cell;
}

static uint32_t least(const uint64_t load[], uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++)
        if (load[i] < load[best])
            best = i;
    return best;
}

void shard_deal(uint32_t count, const uint64_t weight[], size_t cells, uint32_t ret[])
{
    struct item *item = sim_allocate(cells, sizeof *item);
    uint64_t *load = sim_allocate(count, sizeof *load);
    for (size_t i = 0; i < cells; i++)
        item[i] = (struct item){weight[i], i};
    qsort(item, cells, sizeof *item, heaviest_first);
    for (size_t i = 0; i < cells; i++) {
        uint32_t to = ret[item[i].cell] = least(load, count);
        load[to] += item[i].weight;
    }
    free(load);
    free(item);
}

size_t shard_cells(const struct shard *shard, const uint64_t weight[], size_t cells, size_t ret[], double *ret_share)
{
    double sum = 0, kept_sum = 0;
    size_t kept = 0;
    uint32_t *owner = sim_allocate(cells, sizeof *owner);
    shard_deal(shard->count, weight, cells, owner);
    for (size_t i = 0; i < cells; i++) {
        sum += (double)weight[i];
        if (owner[i] != shard->index)
            continue;
        kept_sum += (double)weight[i];
        ret[kept++] = i;
    }
    *ret_share = kept_sum / sum;
    free(owner);
    return kept;
}
