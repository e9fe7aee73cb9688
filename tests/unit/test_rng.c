#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "sim/rng.h"
#include "tests/rig.h"

static uint64_t word_of(struct sim_stream *stream)
{
    return (uint64_t)(sim_stream_uniform(stream) * 0x1p53);
}

/* Known answers of Philox 4x64-10: kat_vectors of Random123 (all zeros, all ones, digits of pi). */
START_TEST(philox_known_answers)
{
    static const struct {
        uint64_t counter[4], key[2], block[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
        {{~0ULL, ~0ULL, ~0ULL, ~0ULL},
         {~0ULL, ~0ULL},
         {0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}},
        {{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
         {0x452821e638d01377, 0xbe5466cf34e90c6c},
         {0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}},
    };
    for (size_t i = 0; i < 3; i++) {
        struct sim_stream stream = {.used = 4};
        memcpy(stream.counter, known[i].counter, sizeof stream.counter);
        memcpy(stream.key, known[i].key, sizeof stream.key);
        for (int j = 0; j < 4; j++)
            ck_assert_uint_eq(word_of(&stream), known[i].block[j] >> 11);
    }
}
END_TEST

START_TEST(the_address_fills_key_and_counter)
{
    const struct sim_origin origin = {.seed = 0x1234567890abcdef, .replica = 17};
    struct sim_stream stream;
    sim_stream_init(&stream, &origin, 3, 0xfedcba0987654321);
    struct sim_stream raw = {.key = {0x1234567890abcdef, 17}, .counter = {0, 0xfedcba0987654321, 3, 0}, .used = 4};
    for (int i = 0; i < 10; i++)
        ck_assert_double_eq(sim_stream_uniform(&stream), sim_stream_uniform(&raw));
}
END_TEST

START_TEST(addressed_is_sequential)
{
    const struct sim_origin origin = {.seed = 42, .replica = 3};
    struct sim_stream stream;
    sim_stream_init(&stream, &origin, 2, 99);
    for (uint64_t i = 0; i < 1000; i++)
        ck_assert_double_eq(sim_stream_uniform(&stream), sim_uniform_at(&origin, 2, 99, i));
    ck_assert(sim_uniform_at(&origin, 2, 99, 1ULL << 40) != sim_uniform_at(&origin, 2, 99, 0));
}
END_TEST

/* However many are at hand when they are asked for. */
START_TEST(many_at_a_time_is_sequential)
{
    const struct sim_origin origin = {.seed = 42, .replica = 3};
    struct sim_stream stream;
    double u[13];
    uint64_t number = 0;
    sim_stream_init(&stream, &origin, 2, 99);
    for (unsigned count = 0; number < 1000; count = (count + 5) % 14) {
        sim_stream_uniforms(&stream, count, u);
        for (unsigned i = 0; i < count; i++)
            ck_assert_double_eq(u[i], sim_uniform_at(&origin, 2, 99, number++));
    }
}
END_TEST

/* In any order, so that the block that is kept is now the right one, now another. */
START_TEST(read_by_number_is_addressed)
{
    const struct sim_origin origin = {.seed = 42, .replica = 3};
    struct sim_stream stream;
    sim_stream_init(&stream, &origin, 2, 99);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t number = i % 3 ? i : i * 7919 % 1000;
        ck_assert_double_eq(sim_stream_uniform_at(&stream, number), sim_uniform_at(&origin, 2, 99, number));
    }
}
END_TEST

/* One stream for all: now of the same entity, now of another, of another purpose or branch. */
START_TEST(read_nearby_is_addressed)
{
    struct sim_stream stream = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        const struct sim_origin origin = {.seed = 42, .replica = 3, .branch = i / 500};
        uint32_t purpose = 1 + (uint32_t)(i / 100 % 2);
        uint64_t entity = i / 7 % 3;
        ck_assert_double_eq(sim_uniform_near(&stream, &origin, purpose, entity, i % 5),
                            sim_uniform_at(&origin, purpose, entity, i % 5));
    }
}
END_TEST

/* Every single bit of the address: another stream. All first numbers differ. */
START_TEST(each_bit_of_the_address_matters)
{
    double first[64 + 32 + 32 + 64 + 1];
    size_t n = 0;
    first[n++] = sim_uniform_at(&(struct sim_origin){0}, 0, 0, 0);
    for (int bit = 0; bit < 64; bit++)
        first[n++] = sim_uniform_at(&(struct sim_origin){.seed = 1ULL << bit}, 0, 0, 0);
    for (int bit = 0; bit < 32; bit++)
        first[n++] = sim_uniform_at(&(struct sim_origin){.replica = 1U << bit}, 0, 0, 0);
    for (int bit = 0; bit < 32; bit++)
        first[n++] = sim_uniform_at(&(struct sim_origin){0}, 1U << bit, 0, 0);
    for (int bit = 0; bit < 64; bit++)
        first[n++] = sim_uniform_at(&(struct sim_origin){0}, 0, 1ULL << bit, 0);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert(first[i] != first[j]);
}
END_TEST

START_TEST(the_clock_and_the_command_do_not_matter)
{
    const struct sim_origin a = {.seed = 5, .now = 0}, b = {.seed = 5, .now = 99, .repeat = "x"};
    ck_assert_double_eq(sim_uniform_at(&a, 1, 1, 7), sim_uniform_at(&b, 1, 1, 7));
}
END_TEST

/* Seeds 1 and 2 with 100 replicas each: 200 different first gaps; no correlation between the seeds, nor from one
 * replica to the next. Under independence r sqrt(n) is about standard normal: 3.3 is one in a thousand. */
START_TEST(seeds_and_replicas_are_independent)
{
    double gap[200];
    for (unsigned i = 0; i < 200; i++) {
        const struct sim_origin origin = {.seed = 1 + i / 100, .replica = i % 100};
        gap[i] = -log1p(-sim_uniform_at(&origin, 1, 12345, 0));
        for (unsigned j = 0; j < i; j++)
            ck_assert(gap[i] != gap[j]);
    }
    ck_assert_double_lt(fabs(gsl_stats_correlation(gap, 1, gap + 100, 1, 100)), 3.3 / sqrt(100));
    ck_assert_double_lt(fabs(gsl_stats_lag1_autocorrelation(gap, 1, 200)), 3.3 / sqrt(200));
}
END_TEST

/* Mean 1/2 +- 5 sigma, variance 1/12, chi-square over 64 cells, lag-1 correlation; and never 0 or 1. */
START_TEST(uniform_looks_uniform)
{
    enum { N = 200000, CELLS = 64 };
    static double u[N];
    static double cell[CELLS];
    struct sim_stream stream;
    sim_stream_init(&stream, &(struct sim_origin){.seed = 11}, 1, 1);
    for (int i = 0; i < N; i++) {
        u[i] = sim_stream_uniform(&stream);
        ck_assert(u[i] > 0 && u[i] < 1);
        cell[(int)(u[i] * CELLS)]++;
    }
    double chi = 0, expected = (double)N / CELLS;
    for (int i = 0; i < CELLS; i++)
        chi += (cell[i] - expected) * (cell[i] - expected) / expected;
    ck_assert_double_eq_tol(gsl_stats_mean(u, 1, N), 0.5, 5 * sqrt(1.0 / 12 / N));
    ck_assert_double_eq_tol(gsl_stats_variance(u, 1, N), 1.0 / 12, 5 * sqrt(1.0 / 180 / N));
    ck_assert_double_lt(fabs(gsl_stats_lag1_autocorrelation(u, 1, N)), 5 / sqrt((double)N));
    ck_assert(chi > 30 && chi < 110); /* 63 degrees of freedom: 63 +- 4 SD of 11.2 */
}
END_TEST

/* The grid is 2^-53, not the 2^-32 of GSL's own doubles. */
START_TEST(uniform_has_53_bits)
{
    struct sim_stream stream;
    sim_stream_init(&stream, &(struct sim_origin){.seed = 3}, 1, 1);
    uint64_t ones = 0, zeros = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t k = word_of(&stream);
        ones |= k;
        zeros |= ~k;
    }
    ck_assert_uint_eq(ones, (1ULL << 53) - 1);
    ck_assert_uint_eq(zeros & ((1ULL << 53) - 1), (1ULL << 53) - 1);
}
END_TEST

START_TEST(gsl_has_the_same_numbers)
{
    gsl_rng *rng = gsl_rng_alloc(sim_rng_philox);
    gsl_rng_set(rng, 77);
    struct sim_stream stream;
    sim_stream_init(&stream, &(struct sim_origin){.seed = 77}, 0, 0);
    for (int i = 0; i < 100; i++)
        ck_assert_double_eq(gsl_rng_uniform(rng), sim_stream_uniform(&stream));
    ck_assert_uint_eq(gsl_rng_get(rng), word_of(&stream));
    ck_assert_uint_eq(gsl_rng_max(rng), (1UL << 53) - 1);
    gsl_rng *copy = gsl_rng_clone(rng);
    ck_assert_uint_eq(gsl_rng_get(rng), gsl_rng_get(copy));
    int seen[6] = {0};
    for (int i = 0; i < 600; i++)
        seen[gsl_rng_uniform_int(rng, 6)]++;
    for (int i = 0; i < 6; i++)
        ck_assert_int_gt(seen[i], 60);
    gsl_rng_free(copy);
    gsl_rng_free(rng);
}
END_TEST

/* Draws that are noted, and then recalled by somebody who has nothing else. */
enum { NOTED_MAX = 40 };

static struct {
    struct sim_address address;
    uint64_t word;
} noted[NOTED_MAX];
static int notes, recalls;

static void on_note(void *context, const struct sim_address *address, uint64_t word)
{
    (void)context;
    ck_assert_int_lt(notes, NOTED_MAX);
    noted[notes].address = *address;
    noted[notes++].word = word;
}

static uint64_t on_recall(void *context, const struct sim_address *address)
{
    (void)context;
    recalls++;
    for (int i = 0; i < notes; i++)
        if (noted[i].address.purpose == address->purpose && noted[i].address.entity == address->entity &&
            noted[i].address.index == address->index)
            return noted[i].word;
    ck_abort_msg("never noted");
    return 0;
}

static void draw_some(const struct sim_origin *origin, double ret[12])
{
    struct sim_stream stream;
    sim_stream_init(&stream, origin, 3, 9);
    for (int i = 0; i < 6; i++) {
        ret[2 * i] = sim_stream_uniform(&stream);
        ret[2 * i + 1] = sim_uniform_at(origin, 4, UINT64_MAX, (uint64_t)(37 * i));
    }
}

START_TEST(draws_are_noted_and_recalled)
{
    const struct sim_draws note = {.note = on_note}, recall = {.recall = on_recall};
    double plain[12], watched[12], recalled[12];
    draw_some(&(struct sim_origin){.seed = 5, .replica = 2}, plain);
    draw_some(&(struct sim_origin){.seed = 5, .replica = 2, .draws = &note}, watched);
    ck_assert_mem_eq(plain, watched, sizeof plain);
    ck_assert_int_eq(notes, 12);
    ck_assert_uint_eq(noted[2].address.index, 1);
    ck_assert_uint_eq(noted[3].address.purpose, 4);
    ck_assert_uint_eq(noted[3].address.entity, UINT64_MAX);
    ck_assert_uint_eq(noted[3].address.index, 37);
    draw_some(&(struct sim_origin){.seed = 6, .draws = &recall}, recalled); /* another seed: nothing is drawn */
    ck_assert_mem_eq(plain, recalled, sizeof plain);
    ck_assert_int_eq(recalls, 12);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rng");
    TCase *tcase = tcase_create("rng");
    tcase_add_test(tcase, philox_known_answers);
    tcase_add_test(tcase, the_address_fills_key_and_counter);
    tcase_add_test(tcase, addressed_is_sequential);
    tcase_add_test(tcase, many_at_a_time_is_sequential);
    tcase_add_test(tcase, read_by_number_is_addressed);
    tcase_add_test(tcase, read_nearby_is_addressed);
    tcase_add_test(tcase, each_bit_of_the_address_matters);
    tcase_add_test(tcase, the_clock_and_the_command_do_not_matter);
    tcase_add_test(tcase, seeds_and_replicas_are_independent);
    tcase_add_test(tcase, uniform_looks_uniform);
    tcase_add_test(tcase, uniform_has_53_bits);
    tcase_add_test(tcase, gsl_has_the_same_numbers);
    tcase_add_test(tcase, draws_are_noted_and_recalled);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
