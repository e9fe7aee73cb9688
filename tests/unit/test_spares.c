/* Spares, standby and loans in traces worked out by hand: 64 chips in slices of 8, steps of 1 s, D = 2 s, U = 3 s, a
 * restart of 10 s, a swap of 4 s, 1000 s. Chip-time is in chip-seconds. */
#include "models/spares.h"

#include "tests/rig.h"

static struct world world;
static struct config config;

static void setup(enum config_method method)
{
    config = rig_config(method);
    config.spares = 1;
    config.swap_ns = 4 * SIM_SECOND;
    config.standby_swap_ns = SIM_SECOND;
}

static void setup_elastic(void)
{
    setup(CONFIG_ELASTIC_DP);
}

static void setup_dp(void)
{
    setup(CONFIG_DP);
}

static void teardown(void)
{
    world_fini(&world);
}

enum { FAILURES_MAX = 4 };
static struct rig_failure failure[FAILURES_MAX];

/* Failures at `at_s` of slice `slice`, `work_s` in the hands of a crew. */
static void fail_slice(int i, double at_s, int64_t slice, double work_s)
{
    failure[i] =
        (struct rig_failure){.time = (sim_time)(at_s * 1e9), .chip = slice * 8, .delay = (sim_time)(work_s * 1e9)};
    rig_schedule(&world, &failure[i]);
}

static double fleet_s(enum run_bucket bucket)
{
    return sim_chip_time_seconds(rig_bucket(&world, bucket));
}

static double spare_s(enum run_bucket bucket)
{
    return sim_chip_time_seconds(world.spares.count.account.bucket[bucket]);
}

/* To the end, where the accounts close. */
static void finish(void)
{
    rig_finish(&world);
    units_check(&world);
    double spares = (double)spares_chips(&world) * 1000;
    ck_assert_double_eq(spare_s(RUN_BUCKET_standby) + spare_s(RUN_BUCKET_away), spares);
    ck_assert_double_eq(sim_chip_time_seconds(account_total(&world.learner[0].count.account)), 64 * 1000);
}

/* Steps to 1, a swap to 5, steps to 21. The spare is gone: D to 23, without slice 1, until that is back at 50.5. U from
 * 51 to 54. At 100.5 slice 0 comes back, its place taken: it is the spare. */
START_TEST(a_spare_takes_a_place)
{
    rig_open(&world, &config);
    fail_slice(0, 0.5, 0, 100);
    fail_slice(1, 20.5, 1, 30);
    finish();
    ck_assert_double_eq(fleet_s(RUN_BUCKET_upscale), 64 * 4 + 64 * 3);
    ck_assert_double_eq(fleet_s(RUN_BUCKET_downscale), 56 * 2);
    ck_assert_double_eq(fleet_s(RUN_BUCKET_away), 8 * 30);
    ck_assert_double_eq(spare_s(RUN_BUCKET_away), 8 * 99.5);
    ck_assert_int_eq(world.spares.count.used, 1);
    ck_assert_int_eq(world.count.reconfigurations, 2);
    ck_assert_int_eq(world.count.interruptions, 2);
    ck_assert_int_eq(world.count.repairs, 2);
    ck_assert_uint_eq(unit_of_place(&world, 0), 8);
    ck_assert_uint_eq(unit_of_place(&world, 1), 1);
    ck_assert_int_eq(world.units.in_state[UNIT_SPARE], 1);
}
END_TEST

/* The spare is taken at 1; slice 1 is away from 11 on. Slice 0, whose place is taken, is mended first, at 40.5, and
 * takes the place of slice 1, which becomes the spare at 210.5. */
START_TEST(a_repaired_slice_takes_the_place_that_is_vacant)
{
    rig_open(&world, &config);
    fail_slice(0, 0.5, 0, 40);
    fail_slice(1, 10.5, 1, 200);
    finish();
    ck_assert_double_eq(fleet_s(RUN_BUCKET_away), 8 * 30);
    ck_assert_double_eq(spare_s(RUN_BUCKET_away), 8 * (210.5 - 1));
    ck_assert_uint_eq(unit_of_place(&world, 0), 8);
    ck_assert_uint_eq(unit_of_place(&world, 1), 0);
    ck_assert_int_eq(world.spares.count.used, 1);
}
END_TEST

/* Both fail in one step; the one on standby goes first, the other swap is longer: one pause of 4 s. */
START_TEST(standby_first_then_cold_in_one_pause)
{
    config.standby = 1;
    rig_open(&world, &config);
    fail_slice(0, 0.25, 0, 1e6);
    fail_slice(1, 0.5, 1, 1e6);
    fail_slice(2, 500.5, 2, 1e6);
    finish();
    ck_assert_double_eq(fleet_s(RUN_BUCKET_upscale), 64 * 4);
    ck_assert_double_eq(fleet_s(RUN_BUCKET_away), 8 * 499);
    ck_assert_double_eq(spare_s(RUN_BUCKET_standby), 16 * 1);
}
END_TEST

START_TEST(a_swap_from_standby_alone_is_shorter)
{
    config.standby = 1;
    rig_open(&world, &config);
    fail_slice(0, 0.5, 0, 100);
    finish();
    ck_assert_double_eq(fleet_s(RUN_BUCKET_upscale), 64 * 1);
    ck_assert_int_eq(world.spares.warm_count, 1); /* the repaired one */
    ck_assert_int_eq(world.spares.cold.count, 1);
}
END_TEST

/* Mended before the step ends: it is swapped with itself, as from standby; neither D nor U. */
START_TEST(a_slice_that_is_back_within_its_step_is_swapped_in)
{
    rig_open(&world, &config);
    fail_slice(0, 0.25, 0, 0.5);
    finish();
    ck_assert_double_eq(fleet_s(RUN_BUCKET_upscale), 64 * 1);
    ck_assert_double_eq(fleet_s(RUN_BUCKET_downscale), 0);
    ck_assert_int_eq(world.spares.count.used, 0);
}
END_TEST

/* Failures while a swap is under way, from 1 to 5. What the rule makes of the second, for which no spare is left: */
static const struct {
    enum config_overlap overlap;
    double downscale, upscale, away_from;
} meanwhile[] = {
    {CONFIG_FOLD, 0, 64 * 1.5 + 56 * 2.5, 2.5},       /* in the same pause */
    {CONFIG_NEXT_STEP, 56 * 2, 64 * 4, 6},            /* handled after the step from 5 to 6 */
    {CONFIG_QUEUE, 56 * 2, 64 * 1.5 + 56 * 2.5, 2.5}, /* in a downscale of its own, 5 to 7 */
    {CONFIG_RESTART, 56 * 6, 64 * 1.5, 2.5},          /* over again as a downscale with the swap, 2.5 to 8.5 */
};

START_TEST(a_failure_during_a_swap)
{
    config.overlap = meanwhile[_i].overlap;
    rig_open(&world, &config);
    fail_slice(0, 0.5, 0, 1e6);
    fail_slice(1, 2.5, 1, 1e6);
    finish();
    ck_assert_double_eq(fleet_s(RUN_BUCKET_downscale), meanwhile[_i].downscale);
    ck_assert_double_eq(fleet_s(RUN_BUCKET_upscale), meanwhile[_i].upscale);
    ck_assert_double_eq(fleet_s(RUN_BUCKET_away), 8 * (1000 - meanwhile[_i].away_from));
}
END_TEST

/* The same, with a spare for the second, too: folded in for nothing, in a pause of its own, or over again. */
static const struct {
    enum config_overlap overlap;
    double upscale;
} spared[] = {{CONFIG_FOLD, 4}, {CONFIG_NEXT_STEP, 8}, {CONFIG_QUEUE, 8}, {CONFIG_RESTART, 5.5}};

START_TEST(a_spare_during_a_swap)
{
    config.overlap = spared[_i].overlap;
    config.spares = 2;
    rig_open(&world, &config);
    fail_slice(0, 0.5, 0, 1e6);
    fail_slice(1, 2.5, 1, 1e6);
    finish();
    ck_assert_double_eq(fleet_s(RUN_BUCKET_upscale), 64 * spared[_i].upscale);
    ck_assert_double_eq(fleet_s(RUN_BUCKET_away) + fleet_s(RUN_BUCKET_downscale), 0);
    ck_assert_int_eq(world.spares.count.used, 2);
}
END_TEST

/* --- loans --- */

/* One slice may be borrowed, and there are no spares. */
static void open_lent(sim_time preempt_ns)
{
    config.spares = 0;
    config.loan_slices = 1;
    config.loan_preempt_ns = preempt_ns;
    rig_open(&world, &config);
}

/* Slice 0 is away from 1 on; D to 3; the loan is there at 21: U to 24. */
START_TEST(a_loan_comes_after_its_preemption)
{
    open_lent(20 * SIM_SECOND);
    fail_slice(0, 0.5, 0, 1e6);
    fail_slice(1, 500.5, 1, 1e6); /* the lender has no more */
    finish();
    ck_assert_double_eq(fleet_s(RUN_BUCKET_away), 8 * 20 + 8 * 499);
    ck_assert_double_eq(fleet_s(RUN_BUCKET_upscale), 64 * 3);
    ck_assert_int_eq(world.spares.count.loans, 1);
    ck_assert_uint_eq(unit_of_place(&world, 0), 8);
}
END_TEST

/* Slice 0 is mended at 100.5 and spare from then on; it takes its place back when slice 1 fails, mended within its
 * step. */
START_TEST(a_loan_goes_back_at_the_next_stop)
{
    open_lent(20 * SIM_SECOND);
    fail_slice(0, 0.5, 0, 100);
    fail_slice(1, 500.25, 1, 0.5);
    finish();
    ck_assert_int_eq(world.spares.count.loans, 1);
    ck_assert_int_eq(world.units.in_state[UNIT_ELSEWHERE], 1);
    ck_assert_uint_eq(unit_of_place(&world, 0), 0);
    ck_assert_double_eq(fleet_s(RUN_BUCKET_upscale), 64 * (3 + 4)); /* the loan, then the swap back */
    ck_assert_double_eq(spare_s(RUN_BUCKET_standby), 0);            /* nobody paid for a spare */
}
END_TEST

/* The slice is mended before the loan is there, which is then not taken; the other place that waits asks for it. */
START_TEST(a_loan_that_is_not_needed_goes_to_the_next)
{
    open_lent(50 * SIM_SECOND);
    fail_slice(0, 0.5, 0, 40);
    fail_slice(1, 10.5, 1, 1e6);
    finish();
    ck_assert_int_eq(world.spares.count.loans, 1);
    ck_assert_uint_eq(unit_of_place(&world, 0), 0);
    ck_assert_uint_eq(unit_of_place(&world, 1), 8);
    /* slice 0 from 1 to 41, slice 1 from 11 to 91, when the next step ends */
    ck_assert_double_eq(fleet_s(RUN_BUCKET_away), 8 * 40 + 8 * 80);
}
END_TEST

/* A loan that fails is repaired and, its place taken, goes home. */
START_TEST(a_loan_that_fails_goes_home_mended)
{
    open_lent(0);
    fail_slice(0, 0.5, 0, 100);
    fail_slice(1, 500.5, 0, 30);
    finish();
    ck_assert_uint_eq(unit_of_place(&world, 0), 0);
    ck_assert_int_eq(world.units.in_state[UNIT_ELSEWHERE], 1);
    ck_assert_int_eq(world.count.repairs, 2);
}
END_TEST

/* --- dp --- */

/* Steps to 1, restart and swap to 15, steps to 21; no spare: away until slice 1 is mended at 50.5, a restart to 60.5.
 */
START_TEST(a_job_waits_until_it_is_whole)
{
    rig_open(&world, &config);
    fail_slice(0, 0.5, 0, 100);
    fail_slice(1, 20.5, 1, 30);
    finish();
    ck_assert_double_eq(fleet_s(RUN_BUCKET_restart), 64 * (14 + 10));
    ck_assert_double_eq(fleet_s(RUN_BUCKET_away), 64 * 29.5);
    ck_assert_double_eq(fleet_s(RUN_BUCKET_useful), 64 * (1 + 6 + 939.5));
    ck_assert_double_eq(spare_s(RUN_BUCKET_away), 8 * 99.5);
    ck_assert_int_eq(world.count.repairs, 2);
}
END_TEST

/* A second slice fails while the job waits: it has no spare either, and the job waits for both. */
START_TEST(a_job_waits_for_the_last_slice)
{
    config.spares = 0;
    config.crews = 1;
    rig_open(&world, &config);
    fail_slice(0, 0.5, 0, 30);
    fail_slice(1, 10.5, 1, 30); /* after the other: mended at 60.5 */
    finish();
    ck_assert_double_eq(fleet_s(RUN_BUCKET_away), 64 * 59.5);
    ck_assert_double_eq(fleet_s(RUN_BUCKET_restart), 64 * 10);
    ck_assert_double_eq(repair_wait_s(&world), 10);
}
END_TEST

/* The second fails in the restart, from 1 to 15: folded in, when there is a spare; else the job waits from its end on.
 */
START_TEST(a_failure_during_a_restart)
{
    config.spares = 1 + _i;
    rig_open(&world, &config);
    fail_slice(0, 0.5, 0, 1e6);
    fail_slice(1, 7.5, 1, 100);
    finish();
    ck_assert_double_eq(fleet_s(RUN_BUCKET_restart), _i == 0 ? 64 * (14 + 10) : 64 * 14);
    ck_assert_double_eq(fleet_s(RUN_BUCKET_away), _i == 0 ? 64 * 92.5 : 0);
}
END_TEST

/* Under overlap: restart it starts over, at 7.5, with the longer of the swaps. */
START_TEST(a_restart_that_starts_over)
{
    config.overlap = CONFIG_RESTART;
    config.spares = 2;
    rig_open(&world, &config);
    fail_slice(0, 0.5, 0, 1e6);
    fail_slice(1, 7.5, 1, 1e6);
    finish();
    ck_assert_double_eq(fleet_s(RUN_BUCKET_restart), 64 * (6.5 + 14));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spares");
    TCase *elastic = tcase_create("elastic"), *dp = tcase_create("dp");
    tcase_add_checked_fixture(elastic, setup_elastic, teardown);
    tcase_add_checked_fixture(dp, setup_dp, teardown);
    tcase_add_test(elastic, a_spare_takes_a_place);
    tcase_add_test(elastic, a_repaired_slice_takes_the_place_that_is_vacant);
    tcase_add_test(elastic, standby_first_then_cold_in_one_pause);
    tcase_add_test(elastic, a_swap_from_standby_alone_is_shorter);
    tcase_add_test(elastic, a_slice_that_is_back_within_its_step_is_swapped_in);
    tcase_add_loop_test(elastic, a_failure_during_a_swap, 0, 4);
    tcase_add_loop_test(elastic, a_spare_during_a_swap, 0, 4);
    tcase_add_test(elastic, a_loan_comes_after_its_preemption);
    tcase_add_test(elastic, a_loan_goes_back_at_the_next_stop);
    tcase_add_test(elastic, a_loan_that_is_not_needed_goes_to_the_next);
    tcase_add_test(elastic, a_loan_that_fails_goes_home_mended);
    tcase_add_test(dp, a_job_waits_until_it_is_whole);
    tcase_add_test(dp, a_job_waits_for_the_last_slice);
    tcase_add_loop_test(dp, a_failure_during_a_restart, 0, 2);
    tcase_add_test(dp, a_restart_that_starts_over);
    suite_add_tcase(suite, elastic);
    suite_add_tcase(suite, dp);
    return rig_main(suite);
}
