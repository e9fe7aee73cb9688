/* Weights by hand; sums in pairs, whatever changed, against all of them anew, and against a plain sum. */
#include <math.h>

#include "models/passes.h"
#include "tests/rig.h"

static uint64_t state;

static int64_t chance(int64_t below)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (int64_t)((state >> 33) % (uint64_t)below);
}

/* 2 steps of 1000 tokens each weigh 2000 x 1000; (2e6 + 1e6 + 1e6)^2 / (4e12 + 1e12 + 1e12) = 16 / 6 learners. */
START_TEST(weights_by_hand)
{
    struct merge merge;
    merge_init(&merge, 5);
    merge_set(&merge, 0, merge_weight(2, 2000));
    merge_set(&merge, 3, merge_weight(1, 1000));
    merge_set(&merge, 4, 1e6);
    merge_sum(&merge);
    ck_assert_double_eq(merge_weight_sum(&merge), 4e6);
    ck_assert_double_eq_tol(merge.effective_learners, 16. / 6, 1e-12);
    for (int64_t i = 0; i < 5; i++)
        merge_set(&merge, i, 0);
    merge_sum(&merge);
    ck_assert_double_eq(merge.effective_learners, 0);
    merge_fini(&merge);
}
END_TEST

/* All weights, one after the other. */
static void check_plain_sum(const struct merge *merge, int64_t learners)
{
    double sum = 0, squared = 0;
    for (int64_t i = 0; i < learners; i++) {
        sum += merge->weight[i];
        squared += merge->weight[i] * merge->weight[i];
    }
    ck_assert_double_eq_tol(merge_weight_sum(merge), sum, 1e-12 * sum + 1e-12);
    ck_assert_double_eq_tol(merge->effective_learners * squared, sum * sum, 1e-12 * sum * sum + 1e-12);
}

START_TEST(a_sum_depends_on_nothing_but_the_weights)
{
    for (int64_t learners = 1; learners < 40; learners++) {
        struct merge merge, anew;
        merge_init(&merge, learners);
        merge_init(&anew, learners);
        for (int turn = 0; turn < 50; turn++) {
            for (int64_t changes = chance(2 * MERGE_CHANGED_MAX); changes > 0; changes--)
                merge_set(&merge, chance(learners), (double)chance(1 << 20) / 3);
            merge_sum(&merge);
            for (int64_t i = 0; i < learners; i++)
                merge_weights(&anew)[i] = merge.weight[i];
            merge_sum(&anew);
            ck_assert_double_eq(merge_weight_sum(&merge), merge_weight_sum(&anew));
            ck_assert_double_eq(merge.effective_learners, anew.effective_learners);
            check_plain_sum(&merge, learners);
        }
        merge_fini(&merge);
        merge_fini(&anew);
    }
}
END_TEST

/* A round that is counted a thousand times is as good as a thousand rounds. */
START_TEST(rounds_that_are_alike_are_a_product)
{
    struct merge merge;
    struct merge_count one = {0}, many = {0};
    const struct ledger_claim claim = {.steps = 3, .chip_steps = 21, .staleness = 4};
    merge_init(&merge, 3);
    merge_begin(&merge);
    merge_add(&merge, &claim, true);
    merge_add_sum(&merge, 2, (sim_chip_time[]){50, 7}, 9, 6);
    merge_set(&merge, 0, 5);
    merge_set(&merge, 2, 1. / 3);
    merge_sum(&merge);
    for (int i = 0; i < 1000; i++) {
        merge_count_sums(&one, &merge, 1);
        merge_count_effective(&one, &merge, 1);
    }
    merge_count_sums(&many, &merge, 1000);
    merge_count_effective(&many, &merge, 1000);
    ck_assert_mem_eq(&one, &many, sizeof one);
    ck_assert_int_eq((int64_t)many.claims, 3000);
    ck_assert_int_eq((int64_t)many.staleness, 13000);
    ck_assert_int_eq(many.staleness_max, 6);
    ck_assert_int_eq((int64_t)many.chip_steps[0], 50000);
    ck_assert_int_eq((int64_t)many.chip_steps[1], 28000);
    merge_fini(&merge);
}
END_TEST

START_TEST(units_are_the_nearest)
{
    for (int i = 0; i < 100000; i++) {
        double units = (double)chance(INT64_C(1) << (1 + chance(48))) + (double)chance(9) / 8;
        ck_assert_int_eq(merge_units(units / MERGE_UNITS), llround(units));
    }
    ck_assert_int_eq(merge_units(0), 0);
}
END_TEST

/* A claim of `steps` steps that grows, round by round: what so many rounds count, and the weight of the last. */
static sim_chip_time grow_one_by_one(struct merge *merge, int64_t learner, struct merge_growth growth, int64_t rounds)
{
    struct merge_count count = {0};
    for (int64_t i = 0; i < rounds; i++) {
        double tokens = (double)(growth.chip_steps + i * growth.slope) * growth.tokens_per_step / growth.chips;
        merge_set(merge, learner, merge_weight(growth.steps, tokens));
        merge_sum(merge);
        merge_count_effective(&count, merge, 1);
    }
    return count.effective_learners;
}

static void check_growth(const struct passes *passes)
{
    for (int64_t learners = 1; learners < 40; learners++) {
        struct merge merge;
        int64_t learner = chance(learners), rounds = 1 + chance(40), chips = 1 + chance(1000);
        struct merge_growth growth = {.chip_steps = chance(3) * chips,
                                      .slope = chance(1000),
                                      .steps = (double)(1 + chance(30)),
                                      .chips = (double)chips,
                                      .tokens_per_step = 1e6 / 3};
        merge_init(&merge, learners);
        for (int64_t i = 0; i < learners; i++)
            merge_set(&merge, i, chance(4) == 0 ? 0 : (double)chance(1 << 20) / 3);
        merge_sum(&merge);
        merge_add_others(&merge, learner, &growth);
        int64_t sum = passes->grow(&growth, rounds);
        ck_assert(sum == grow_one_by_one(&merge, learner, growth, rounds));
        merge_fini(&merge);
    }
}

START_TEST(rounds_in_which_one_claim_grows)
{
    check_growth(passes_best());
    check_growth(&passes_any);
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        check_growth(&passes_avx2);
#endif
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("merge");
    TCase *tcase = tcase_create("merge");
    tcase_add_test(tcase, weights_by_hand);
    tcase_add_test(tcase, a_sum_depends_on_nothing_but_the_weights);
    tcase_add_test(tcase, rounds_that_are_alike_are_a_product);
    tcase_add_test(tcase, units_are_the_nearest);
    tcase_add_test(tcase, rounds_in_which_one_claim_grows);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
