/* Fragments: what greedy dealing promises, and whose turn it is. */
#include "models/fragments.h"

#include <math.h>

#include "tests/rig.h"

static struct config with_tensors(int count, int64_t fragments)
{
    struct config config = {.fragments = fragments, .sync_every = fragments, .tensor_count = count};
    for (int i = 0; i < count; i++)
        config.parameters += config.tensor[i] = 1 + (double)((i * 7919 + 13) % 1009);
    return config;
}

/* The sizes sum to the parameters; none is larger than the mean plus (1 - 1/P) of the largest tensor, nor larger than
 * another by more than one tensor: the last one dealt went to the smallest. */
static void expect_balance(const struct config *config, double largest)
{
    double *size = fragments_create(config), sum = 0, most = 0, least = INFINITY;
    double count = (double)config->fragments, mean = config->parameters / count;
    for (int64_t p = 0; p < config->fragments; p++) {
        sum += size[p];
        most = fmax(most, size[p]);
        least = fmin(least, size[p]);
    }
    free(size);
    ck_assert_double_eq_tol(sum, config->parameters, 1e-9 * config->parameters);
    ck_assert_double_le(most, (mean + (1 - 1 / count) * largest) * (1 + 1e-9));
    ck_assert_double_le(most - least, largest * (1 + 1e-9));
}

START_TEST(sizes_sum_and_are_even)
{
    for (int count = 1; count <= 400; count += 19)
        for (int64_t fragments = 1; fragments <= 24; fragments++) {
            struct config config = with_tensors(count, fragments);
            double largest = 0;
            for (int i = 0; i < count; i++)
                largest = fmax(largest, config.tensor[i]);
            expect_balance(&config, largest);
        }
}
END_TEST

/* 7 6 5 4 3 in two: 7 + 4 + 3 and 6 + 5; the best would be 12 and 13, greedy is not. In six: one is empty. Scaled to
 * twice the parameters. */
START_TEST(dealt_by_hand)
{
    struct config config = {.fragments = 2, .tensor_count = 5, .tensor = {3, 7, 5, 4, 6}, .parameters = 25};
    double *size = fragments_create(&config);
    ck_assert_double_eq_tol(size[0], 14, 1e-12);
    ck_assert_double_eq_tol(size[1], 11, 1e-12);
    free(size);
    config.fragments = 6;
    config.parameters = 50;
    size = fragments_create(&config);
    for (int p = 0; p < 5; p++)
        ck_assert_double_eq_tol(size[p], 2 * (7 - p), 1e-12);
    ck_assert_double_eq(size[5], 0);
    free(size);
}
END_TEST

/* The built-in shape: the embedding alone, 151,936 x 3,072, is 9.34 % of 4.997e9; more than a 24th, it fills one
 * fragment. */
START_TEST(the_built_in_shape)
{
    struct config config = {.parameters = 5e9};
    for (config.fragments = 1; config.fragments <= 24; config.fragments++)
        expect_balance(&config, 0.0935 * 5e9);
    config.fragments = 24;
    double *size = fragments_create(&config);
    double whole = 151936.0 * 3072 + 40 * (12 * 3072.0 * 3072 + 2 * 3072.0);
    ck_assert_double_eq_tol(size[0], 151936.0 * 3072 / whole * 5e9, 1);
    ck_assert_double_lt(fabs(whole / 5e9 - 1), 0.001);
    for (int p = 1; p < 24; p++)
        ck_assert_double_eq_tol(size[p], (5e9 - size[0]) / 23, 0.05 * 5e9 / 24);
    free(size);
    config.parameters = 0;
    size = fragments_create(&config);
    for (int p = 0; p < 24; p++)
        ck_assert_double_eq(size[p], 0);
    free(size);
}
END_TEST

/* Each fragment once a cycle, p in round floor(p H / P) of it, in order, gaps of floor or ceil of H / P; the count of
 * rounds until the next by looking ahead. */
static void check_cycle(const struct config *config)
{
    int64_t cycle = config->sync_every, fragments = config->fragments, next = 0, last = -1;
    for (int64_t round = 0; round < 2 * cycle; round++) {
        int64_t ahead = 0, fragment = fragments_due(config, round);
        while (fragments_due(config, round + ahead) < 0)
            ahead++;
        ck_assert_int_eq(fragments_rounds_until_due(config, round), ahead);
        if (fragment < 0)
            continue;
        ck_assert_int_eq(fragment, next);
        ck_assert(last < 0 || round - last == cycle / fragments || round - last == (cycle - 1) / fragments + 1);
        next = (next + 1) % fragments;
        last = round;
    }
    ck_assert_int_eq(next, 0);
}

START_TEST(each_fragment_once_a_cycle)
{
    for (int64_t cycle = 1; cycle <= 24; cycle++)
        for (int64_t fragments = 1; fragments <= cycle; fragments++) {
            struct config config = {.sync_every = cycle, .fragments = fragments};
            for (int64_t p = 0; p < fragments; p++)
                ck_assert_int_eq(fragments_due(&config, 5 * cycle + p * cycle / fragments), p);
            check_cycle(&config);
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fragments");
    TCase *tcase = tcase_create("fragments");
    tcase_add_test(tcase, sizes_sum_and_are_even);
    tcase_add_test(tcase, dealt_by_hand);
    tcase_add_test(tcase, the_built_in_shape);
    tcase_add_test(tcase, each_fragment_once_a_cycle);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
