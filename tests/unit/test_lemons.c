#include <gsl/gsl_cdf.h>
#include <math.h>

#include "models/lemons.h"
#include "tests/rig.h"

static const struct sim_origin origin = {.seed = 3};

static struct lemons make(int64_t chips, double share, double factor, uint64_t identity)
{
    const struct config_source source = {.lemon_share = share, .lemon_factor = factor};
    struct lemons lemons;
    lemons_init(&lemons, &origin, &source, identity, chips);
    return lemons;
}

/* Every chip has one place, in fleets of all small sizes and around powers of two and four. */
START_TEST(places_are_a_permutation)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000, 65535, 65537};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct lemons lemons = make(sizes[i], 1, 6, 1);
        char *seen = calloc((size_t)sizes[i], 1);
        for (int64_t place = 0; place < sizes[i]; place++) {
            int64_t chip = lemons_at(&lemons, place);
            ck_assert(chip >= 0 && chip < sizes[i] && !seen[chip]);
            seen[chip] = 1;
        }
        free(seen);
    }
}
END_TEST

/* 150,000 lemons of a million chips in 1,000 blocks: sampled without replacement, so the blocks' counts have a variance
 * of 1,000 x 0.15 x 0.85 x (1 - 1/1,000), and their squares, divided by it, are chi-square with 999 degrees of freedom.
 * Neighbours of a lemon are lemons as often as others. */
START_TEST(lemons_are_scattered)
{
    enum { CHIPS = 1000000, BLOCKS = 1000 };
    static char is_lemon[CHIPS + 1];
    static int of_block[BLOCKS];
    struct lemons lemons = make(CHIPS, 0.15, 6, 1);
    ck_assert_int_eq(lemons.count, 150000);
    for (int64_t place = 0; place < lemons.count; place++) {
        is_lemon[lemons_at(&lemons, place)] = 1;
        of_block[lemons_at(&lemons, place) / BLOCKS]++;
    }
    double chi = 0, pairs = 0;
    for (int i = 0; i < BLOCKS; i++)
        chi += (of_block[i] - 150.0) * (of_block[i] - 150.0) / (150 * 0.85);
    for (int i = 0; i < CHIPS; i++)
        pairs += is_lemon[i] && is_lemon[i + 1];
    ck_assert_double_lt(chi, gsl_cdf_chisq_Qinv(0.001, BLOCKS - 1));
    ck_assert_double_gt(chi, gsl_cdf_chisq_Pinv(0.001, BLOCKS - 1));
    ck_assert_double_eq_tol(pairs, 0.15 * 0.15 * CHIPS, 4 * 0.15 * sqrt(CHIPS));
}
END_TEST

/* Of two sources, and of two runs, 15 % of 15 % are common. */
START_TEST(other_sources_have_other_lemons)
{
    enum { CHIPS = 100000 };
    static char is_lemon[CHIPS];
    struct lemons one = make(CHIPS, 0.15, 6, 1), other = make(CHIPS, 0.15, 6, 2);
    int common = 0;
    for (int64_t place = 0; place < one.count; place++)
        is_lemon[lemons_at(&one, place)] = 1;
    for (int64_t place = 0; place < other.count; place++)
        common += is_lemon[lemons_at(&other, place)];
    ck_assert_double_eq_tol(common, 2250, 5 * sqrt(2250 * 0.85 * 0.85));
}
END_TEST

/* A failure hits one of 3 lemons of 20 chips with 6 x 3 / (17 + 6 x 3); within each kind all are alike. */
START_TEST(lemons_are_hit_as_often_as_they_weigh)
{
    struct lemons lemons = make(20, 0.15, 6, 1);
    int hit[20] = {0};
    ck_assert_int_eq(lemons.count, 3);
    ck_assert_double_eq(lemons_weight(&lemons), 35);
    for (int i = 0; i < 35000; i++)
        hit[lemons_draw(&lemons, (i + 0.5) / 35000)]++;
    for (int place = 0; place < 20; place++)
        ck_assert_int_eq(hit[place], place < 3 ? 6000 : 1000);
    ck_assert_int_eq(lemons_draw(&lemons, 1 - 0x1p-53), 19);
}
END_TEST

/* Without lemons a place is a chip, and a uniform finds it as it always has. */
START_TEST(none_are_no_permutation)
{
    struct lemons lemons = make(2400000, 0, 0, 1);
    ck_assert_double_eq(lemons_weight(&lemons), 2400000);
    for (int64_t i = 0; i < 2400000; i += 997)
        ck_assert_int_eq(lemons_at(&lemons, i), i);
    for (double u = 0x1p-54; u < 1; u += 0.000123)
        ck_assert_int_eq(lemons_draw(&lemons, u), (int64_t)(u * 2400000));
    ck_assert_int_eq(lemons_draw(&lemons, 1 - 0x1p-53), 2399999);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lemons");
    TCase *tcase = tcase_create("lemons");
    tcase_add_test(tcase, places_are_a_permutation);
    tcase_add_test(tcase, lemons_are_scattered);
    tcase_add_test(tcase, other_sources_have_other_lemons);
    tcase_add_test(tcase, lemons_are_hit_as_often_as_they_weigh);
    tcase_add_test(tcase, none_are_no_permutation);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
