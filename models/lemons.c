#include "models/lemons.h"

#include <math.h>

#include "models/world.h"

#define ROUNDS 6

void lemons_init(struct lemons *lemons, const struct sim_origin *origin, const struct config_source *source,
                 uint64_t identity, int64_t chips)
{
    *lemons = (struct lemons){.chips = chips, .factor = 1, .half_bits = 1};
    if (!(source->lemon_share > 0))
        return;
    lemons->count = llround(source->lemon_share * (double)chips);
    lemons->factor = source->lemon_factor;
    lemons->key = (uint64_t)ldexp(sim_uniform_at(origin, WORLD_STREAM_LEMONS, identity, 0), 53);
    while (1LL << (2 * lemons->half_bits) < chips)
        lemons->half_bits++;
}

/* The finaliser of splitmix64 (Steele, Lea and Flood 2014). */
static uint64_t scramble(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

static uint64_t permute(const struct lemons *lemons, uint64_t x)
{
    uint64_t mask = (1ULL << lemons->half_bits) - 1, left = x >> lemons->half_bits, right = x & mask;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        uint64_t next = left ^ (scramble(lemons->key * ROUNDS + round + (right << 32)) & mask);
        left = right;
        right = next;
    }
    return left << lemons->half_bits | right;
}

int64_t lemons_at(const struct lemons *lemons, int64_t place)
{
    SIM_ASSERT(NULL, place >= 0 && place < lemons->chips);
    if (lemons->count == 0)
        return place;
    uint64_t x = (uint64_t)place;
    do
        x = permute(lemons, x);
    while (x >= (uint64_t)lemons->chips);
    return (int64_t)x;
}

double lemons_weight(const struct lemons *lemons)
{
    return (double)(lemons->chips - lemons->count) + lemons->factor * (double)lemons->count;
}

int64_t lemons_draw(const struct lemons *lemons, double u)
{
    double at = u * lemons_weight(lemons), lemon = lemons->factor * (double)lemons->count;
    int64_t place = at < lemon ? (int64_t)(at / lemons->factor) : lemons->count + (int64_t)(at - lemon);
    return place < lemons->chips ? place : lemons->chips - 1; /* rounding */
}
