#include "models/account.h"
#include "tests/rig.h"

static const struct sim_origin origin = {.now = 5};

START_TEST(every_bucket_keeps_its_own)
{
    struct account account = {0};
    sim_chip_time sum = 0;
    for (int i = 0; i < RUN_BUCKET_COUNT; i++) {
        account_book(&account, &origin, (enum run_bucket)i, i + 1, 100);
        account_book(&account, &origin, (enum run_bucket)i, 0, 1000000);
        account_book(&account, &origin, (enum run_bucket)i, 1000000, 0);
        sum += (i + 1) * 100;
    }
    for (int i = 0; i < RUN_BUCKET_COUNT; i++)
        ck_assert_int_eq((int64_t)account.bucket[i], (i + 1) * 100);
    ck_assert(account_total(&account) == sum);
}
END_TEST

/* 16.7M chips for 292 years in every bucket: 91 bits. */
START_TEST(sums_are_exact_beyond_64_bits)
{
    struct account account = {0};
    for (int i = 0; i < RUN_BUCKET_COUNT; i++)
        account_book(&account, &origin, (enum run_bucket)i, CONFIG_CHIPS_MAX, SIM_TIME_NEVER);
    account_book(&account, &origin, RUN_BUCKET_away, 1, 1);
    sim_chip_time one = (sim_chip_time)CONFIG_CHIPS_MAX * SIM_TIME_NEVER;
    ck_assert(account_total(&account) == RUN_BUCKET_COUNT * one + 1);
}
END_TEST

START_TEST(a_negative_span_stops)
{
    struct account account = {0};
    account_book(&account, &origin, RUN_BUCKET_useful, 1, -1);
}
END_TEST

START_TEST(negative_chips_stop)
{
    struct account account = {0};
    account_book(&account, &origin, RUN_BUCKET_useful, -1, 1);
}
END_TEST

START_TEST(buckets_have_the_names_of_the_specification)
{
    static const char *const name[] = {"useful",  "lost",    "checkpoint", "downscale", "upscale",
                                       "restart", "blocked", "recovering", "away",      "standby"};
    ck_assert_int_eq(RUN_BUCKET_COUNT, sizeof name / sizeof name[0]);
    for (int i = 0; i < RUN_BUCKET_COUNT; i++)
        ck_assert_str_eq(run_bucket_name[i], name[i]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("account");
    TCase *tcase = tcase_create("account");
    tcase_add_test(tcase, every_bucket_keeps_its_own);
    tcase_add_test(tcase, sums_are_exact_beyond_64_bits);
    tcase_add_exit_test(tcase, a_negative_span_stops, 1);
    tcase_add_exit_test(tcase, negative_chips_stop, 1);
    tcase_add_test(tcase, buckets_have_the_names_of_the_specification);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
