/* models/lemons.h -- which chips of a source are lemons: a share of them that fail several times sooner.
 *
 * Exactly that share, to the nearest chip, scattered at random: they are the first so many places of a permutation of
 * the chips in scope, which is computed and never stored (a Feistel network over the next power of four, whose values
 * beyond the scope are permuted on until they are inside). One draw a run is its key. A lemon that fails is repaired
 * and stays one. Where units move (models/unit.h) this is where they start.
 *
 * Units: counts.
 * Ownership: a value.
 * Errors: none.
 */
#ifndef MODELS_LEMONS_H
#define MODELS_LEMONS_H

#include "models/config.h"
#include "sim/assert.h"

struct lemons {
    int64_t chips; /* in scope */
    int64_t count; /* of them lemons */
    double factor;
    uint64_t key;
    unsigned half_bits; /* of the network */
};

/* The lemons of `source`, with the identity of its streams, among `chips`. */
void lemons_init(struct lemons *lemons, const struct sim_origin *origin, const struct config_source *source,
                 uint64_t identity, int64_t chips);

/* The chip at a place of the permutation, as numbers of the scope from 0; places below `count` are lemons. */
int64_t lemons_at(const struct lemons *lemons, int64_t place);

/* The place that a failure hits, for 0 < u < 1: each lemon `factor` times as likely as each other chip. */
int64_t lemons_draw(const struct lemons *lemons, double u);

/* All chips, each lemon counted `factor` times. */
double lemons_weight(const struct lemons *lemons);

#endif
