#include "sim/rng.h"

#include <Random123/philox.h>

static void fill(struct sim_stream *stream)
{
    philox4x64_ctr_t counter = {{stream->counter[0], stream->counter[1], stream->counter[2], stream->counter[3]}};
    philox4x64_key_t key = {{stream->key[0], stream->key[1]}};
    philox4x64_ctr_t block = philox4x64(counter, key);
    for (int i = 0; i < 4; i++)
        stream->block[i] = block.v[i];
    stream->counter[0]++;
    stream->used = 0;
}

static uint64_t next_word(struct sim_stream *stream)
{
    if (stream->used == 4)
        fill(stream);
    return stream->block[stream->used++];
}

void sim_stream_init(struct sim_stream *stream, const struct sim_origin *origin, uint32_t purpose, uint64_t entity)
{
    *stream = (struct sim_stream){
        .key = {origin->seed, origin->replica},
        .counter = {0, entity, purpose, origin->branch},
        .used = 4,
        .draws = origin->draws,
    };
}

void sim_stream_branch(struct sim_stream *stream, uint64_t branch)
{
    stream->counter[3] = branch;
    stream->used = 4;
}

/* Number `index`, whose block is kept until one of another block is asked for. */
static uint64_t word_at(struct sim_stream *stream, uint64_t index)
{
    if (stream->counter[0] != index / 4 + 1) {
        stream->counter[0] = index / 4;
        fill(stream);
    }
    return stream->block[index % 4];
}

/* A word that is noted, or not drawn at all. */
static uint64_t watched_word_at(struct sim_stream *stream, uint64_t index)
{
    const struct sim_draws *draws = stream->draws;
    const struct sim_address address = {(uint32_t)stream->counter[2], stream->counter[1], index};
    if (draws->recall)
        return draws->recall(draws->context, &address);
    uint64_t word = word_at(stream, index);
    draws->note(draws->context, &address, word);
    return word;
}

uint64_t sim_stream_fetch(struct sim_stream *stream)
{
    return stream->draws ? watched_word_at(stream, stream->index++) : next_word(stream);
}

void sim_stream_uniforms(struct sim_stream *stream, unsigned count, double ret[])
{
    unsigned i = 0;
    while (i < count && (stream->used < 4 || stream->draws))
        ret[i++] = sim_stream_uniform(stream);
    for (; i + 4 <= count; i += 4) {
        fill(stream);
        for (unsigned k = 0; k < 4; k++)
            ret[i + k] = sim_open_uniform(stream->block[k]);
        stream->used = 4;
    }
    while (i < count)
        ret[i++] = sim_stream_uniform(stream);
}

uint64_t sim_stream_fetch_at(struct sim_stream *stream, uint64_t index)
{
    return stream->draws ? watched_word_at(stream, index) : word_at(stream, index);
}

double sim_uniform_at(const struct sim_origin *origin, uint32_t purpose, uint64_t entity, uint64_t index)
{
    struct sim_stream stream;
    sim_stream_init(&stream, origin, purpose, entity);
    return sim_stream_uniform_at(&stream, index);
}

double sim_uniform_near(struct sim_stream *stream, const struct sim_origin *origin, uint32_t purpose, uint64_t entity,
                        uint64_t index)
{
    if (stream->counter[2] != purpose || stream->counter[3] != origin->branch)
        sim_stream_init(stream, origin, purpose, entity);
    if (stream->counter[1] != entity) {
        stream->counter[1] = entity;
        stream->counter[0] = 0; /* the block is of another */
    }
    return sim_stream_uniform_at(stream, index);
}

static void rng_set(void *state, unsigned long seed)
{
    const struct sim_origin origin = {.seed = seed};
    sim_stream_init(state, &origin, 0, 0);
}

static unsigned long rng_get(void *state)
{
    return (unsigned long)(next_word(state) >> 11);
}

static double rng_get_double(void *state)
{
    return (double)(next_word(state) >> 11) * 0x1p-53;
}

static const gsl_rng_type philox_type = {
    .name = "philox4x64",
    .max = (1UL << 53) - 1,
    .min = 0,
    .size = sizeof(struct sim_stream),
    .set = rng_set,
    .get = rng_get,
    .get_double = rng_get_double,
};

const gsl_rng_type *const sim_rng_philox = &philox_type;
