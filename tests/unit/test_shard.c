/* Cells dealt out to shards: each to exactly one, evenly, and by a prediction that puts scenarios in their order. */
#include <math.h>

#include "tests/rig.h"
#include "tools/faultline/cost.h"
#include "tools/faultline/shard.h"

#define CELLS 1000

static const char *const refused[] = {"",
                                      "/",
                                      "3",
                                      "3/",
                                      "/4",
                                      "0/4",
                                      "5/4",
                                      "1/0",
                                      "a/b",
                                      "1/b",
                                      "-1/4",
                                      "+1/4",
                                      " 1/4",
                                      "1/4 ",
                                      "1/4/4",
                                      "1.0/4",
                                      "0x1/4",
                                      "1//4",
                                      "1/10001",
                                      "4294967297/4",
                                      "1/4294967297",
                                      "99999999999999999999/4"};

START_TEST(what_is_no_shard)
{
    struct shard shard = {7, 9};
    ck_assert_msg(!shard_read(refused[_i], &shard), "'%s' was read", refused[_i]);
    ck_assert_uint_eq(shard.index, 7);
    ck_assert_uint_eq(shard.count, 9);
}
END_TEST

START_TEST(what_is_one)
{
    struct shard shard;
    ck_assert(shard_read("1/1", &shard));
    ck_assert_uint_eq(shard.index, 0);
    ck_assert_uint_eq(shard.count, 1);
    ck_assert(shard_read("10000/10000", &shard));
    ck_assert_uint_eq(shard.index, 9999);
    ck_assert_uint_eq(shard.count, 10000);
}
END_TEST

/* 9 | 7, 1, 1 | 5, 4: by hand. Of equals the first cell goes first, and to the first shard. */
START_TEST(by_hand)
{
    const uint64_t weight[] = {1, 4, 9, 7, 5, 1};
    const size_t expected[3][3] = {{2}, {0, 3, 5}, {1, 4}}, kept[] = {1, 3, 2};
    for (uint32_t i = 0; i < 3; i++) {
        size_t cell[6];
        double share;
        const struct shard shard = {i, 3};
        ck_assert_uint_eq(shard_cells(&shard, weight, 6, cell, &share), kept[i]);
        for (size_t k = 0; k < kept[i]; k++)
            ck_assert_uint_eq(cell[k], expected[i][k]);
        ck_assert_double_eq_tol(share, 9. / 27, 1e-12);
    }
}
END_TEST

/* Weights over six orders of magnitude, from a generator that is the same everywhere. */
static void fill_weights(uint64_t weight[])
{
    uint32_t state = 12345;
    for (size_t i = 0; i < CELLS; i++) {
        state = state * 1664525 + 1013904223;
        weight[i] = 1 + ((state >> 8) & 1023) * (i % 5 == 0 ? 1000 : 1);
    }
}

static const uint32_t counts[] = {1, 2, 3, 7, 8, 64, 999, 1000, 1001};

/* Each cell is in one shard. Graham's bound, with the mean and the heaviest cell below the best possible load: no
 * shard has more than the mean plus the heaviest; and none is empty while another has two. */
START_TEST(a_partition_and_even)
{
    uint64_t weight[CELLS], sum = 0, heaviest = 0;
    size_t cell[CELLS], seen[CELLS] = {0}, fewest = CELLS, most = 0;
    uint32_t count = counts[_i];
    fill_weights(weight);
    for (size_t i = 0; i < CELLS; i++) {
        sum += weight[i];
        heaviest = weight[i] > heaviest ? weight[i] : heaviest;
    }
    for (uint32_t i = 0; i < count; i++) {
        double share;
        const struct shard shard = {i, count};
        size_t kept = shard_cells(&shard, weight, CELLS, cell, &share);
        for (size_t k = 0; k < kept; k++)
            seen[cell[k]]++;
        for (size_t k = 1; k < kept; k++)
            ck_assert_uint_lt(cell[k - 1], cell[k]);
        ck_assert_double_le(share * (double)sum, (double)sum / count + (double)heaviest);
        fewest = kept < fewest ? kept : fewest;
        most = kept > most ? kept : most;
    }
    for (size_t i = 0; i < CELLS; i++)
        ck_assert_uint_eq(seen[i], 1);
    ck_assert(fewest > 0 || most == 1);
}
END_TEST

/* Last bits do not matter, and every replica weighs something. */
START_TEST(weights)
{
    ck_assert_uint_eq(shard_weight(0), 1);
    ck_assert_uint_eq(shard_weight(1e-9), 1);
    ck_assert_uint_le(shard_weight(1e300), UINT64_C(1) << 40);
    ck_assert_uint_eq(shard_weight(HUGE_VAL), UINT64_C(1) << 40);
    for (double cost_s = 1e-6; cost_s < 1e5; cost_s *= 1.7) {
        ck_assert_uint_eq(shard_weight(cost_s), shard_weight(cost_s * (1 + 1e-15)));
        ck_assert_uint_eq(shard_weight(cost_s), shard_weight(cost_s * (1 - 1e-15)));
        ck_assert_double_eq_tol((double)shard_weight(cost_s), cost_s * 1e6, 1 + cost_s * 1e6 / 512);
    }
}
END_TEST

/* 30 days of 2.4M chips at a failure a year: 2.4e6 x 30 / 365.25 = 197,125 of 0.29 us. Without a syncer steps are
 * counted; with jitter they are 345,600 of 0.045 us. Of 16 learners there are 5.5e6, in 345,600 rounds. With a quorum
 * of 1 and 0.570 failures a round a share of 1 - exp(-0.570 x 6.9) = 0.9805 is disturbed: 26 + 0.9805 x 130 = 153.46
 * ns, of which a learner of 16 has 1 / 16.28, and 4.5 ns of its own: 13.926 ns. With a quorum of 2 a step is 0.096 us.
 */
START_TEST(predictions)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    config.chips = 2400000;
    config.learners = 1;
    config.duration_ns = 30 * 86400 * SIM_SECOND;
    config.step_time_ns = 7500 * (SIM_SECOND / 1000);
    rig_add_source(&config, "chip", 365.25 * 86400, rig_exponential(600));
    ck_assert_double_eq_tol(cost_draws(&config), 197125.26, 1);
    ck_assert_double_eq(cost_steps(&config), 0);
    ck_assert_double_eq_tol(cost_seconds(&config), 0.05719, 1e-4);
    config.step_jitter = 0.1;
    ck_assert_double_eq_tol(cost_seconds(&config), 0.05719 + 0.01555, 1e-4);
    config.step_jitter = 0;
    config.every_step = true;
    ck_assert_double_eq_tol(cost_steps(&config), 345600, 1e-6);
    config.every_step = false;
    config.method = CONFIG_DECOUPLED_DILOCO;
    config.learners = 16;
    config.quorum = 1;
    ck_assert_double_eq_tol(cost_steps(&config), 5529600, 1e-6);
    ck_assert_double_eq_tol(cost_seconds(&config), 0.05719 + 0.07701, 1e-4);
    config.quorum = 2;
    ck_assert_double_eq_tol(cost_seconds(&config), 0.05719 + 0.53084, 1e-4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shard");
    TCase *tests = tcase_create("shard");
    tcase_add_loop_test(tests, what_is_no_shard, 0, (int)(sizeof refused / sizeof refused[0]));
    tcase_add_test(tests, what_is_one);
    tcase_add_test(tests, by_hand);
    tcase_add_loop_test(tests, a_partition_and_even, 0, (int)(sizeof counts / sizeof counts[0]));
    tcase_add_test(tests, weights);
    tcase_add_test(tests, predictions);
    suite_add_tcase(suite, tests);
    return rig_main(suite);
}
