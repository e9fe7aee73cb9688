/* sim/rng.h -- addressed random streams.
 *
 * A stream is named by (seed, replica, purpose, entity), and its n-th number is a function of that name and n alone: it
 * does not matter who else draws, in which order or on which thread. Adding a learner, a source or a log line moves no
 * other draw, so two scenarios meet the same chaos (common random numbers). The generator is Philox 4x64 with 10 rounds
 * (Salmon, Moraes, Dror and Shaw, SC 2011) from Random123; key = (seed, replica), counter = (block, entity, purpose,
 * branch), where the branch is 0 unless the run was split in two that meet different chaos from then on.
 *
 * Every number of a run passes through the functions below. There, sim_draws can note them down or, in
 * a run that is replayed, give them back, so that nothing is drawn.
 *
 * Units: uniforms on the grid k / 2^53, 0 < u < 1 (0 itself is replaced by 2^-54).
 * Ownership: a stream is a value; nothing allocates.
 * Errors: none.
 */
#ifndef SIM_RNG_H
#define SIM_RNG_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/assert.h"

/* The name of a random number within its run. */
struct sim_address {
    uint32_t purpose;
    uint64_t entity;
    uint64_t index;
};

/* One of the two is set. `word` is what the generator gives: 64 bits, of which the first 53 are used. */
struct sim_draws {
    void *context;
    void (*note)(void *context, const struct sim_address *address, uint64_t word);
    uint64_t (*recall)(void *context, const struct sim_address *address);
};

struct sim_stream {
    uint64_t key[2];
    uint64_t counter[4];
    uint64_t block[4];
    unsigned used; /* numbers of `block` already given out */
    const struct sim_draws *draws;
    uint64_t index; /* of the next number; counted only for `draws` */
};

/* The stream of `purpose` (an enum of the models) and `entity` in the run of `origin`. */
void sim_stream_init(struct sim_stream *stream, const struct sim_origin *origin, uint32_t purpose, uint64_t entity);

/* The numbers of a stream that is read one by one come from this branch from now on; those of one that is read by
 * number do when it comes to another block of four. */
void sim_stream_branch(struct sim_stream *stream, uint64_t branch);

/* What is read next, or by number, when the block at hand does not have it or somebody watches. */
uint64_t sim_stream_fetch(struct sim_stream *stream);
uint64_t sim_stream_fetch_at(struct sim_stream *stream, uint64_t index);

static inline double sim_open_uniform(uint64_t word)
{
    uint64_t k = word >> 11;
    return k > 0 ? (double)(int64_t)k * 0x1p-53 : 0x1p-54;
}

/* The next uniform of the stream. */
static inline double sim_stream_uniform(struct sim_stream *stream)
{
    bool is_at_hand = stream->used < 4 && !stream->draws;
    return sim_open_uniform(is_at_hand ? stream->block[stream->used++] : sim_stream_fetch(stream));
}

/* The next `count` uniforms of the stream, which cost less together. */
void sim_stream_uniforms(struct sim_stream *stream, unsigned count, double ret[]);

/* The uniform number `index` of a stream that is read by number only. Four in a row cost as much as one. */
static inline double sim_stream_uniform_at(struct sim_stream *stream, uint64_t index)
{
    bool is_at_hand = stream->counter[0] == index / 4 + 1 && !stream->draws;
    return sim_open_uniform(is_at_hand ? stream->block[index % 4] : sim_stream_fetch_at(stream, index));
}

/* The uniform number `index` of a stream, without the stream: what an event draws by its own number. */
double sim_uniform_at(const struct sim_origin *origin, uint32_t purpose, uint64_t entity, uint64_t index);

/* The same, and `stream`, zeroed at first, keeps the block for the next time: numbers of one entity that lie together,
 * asked for one after the other, cost little more than one. The purpose is not 0. */
double sim_uniform_near(struct sim_stream *stream, const struct sim_origin *origin, uint32_t purpose, uint64_t entity,
                        uint64_t index);

/* The same generator for functions of GSL that want one; 53-bit doubles. gsl_rng_set seeds (seed, replica 0). */
extern const gsl_rng_type *const sim_rng_philox;

#endif
