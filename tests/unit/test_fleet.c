#include "models/fleet.h"
#include "tests/rig.h"

static struct fleet make(int64_t chips, int64_t learners, int64_t chips_per_slice)
{
    const struct config config = {.chips = chips, .learners = learners, .chips_per_slice = chips_per_slice};
    struct fleet fleet;
    fleet_init(&fleet, &config);
    return fleet;
}

/* The plain way: deal out the chips one by one and count where the arithmetic says otherwise. */
static int64_t deal_learner(const struct fleet *fleet, int64_t learner, int64_t *chip, int64_t *slice)
{
    int64_t chips = fleet_learner_chips(fleet, learner), wrong = fleet_first_slice(fleet, learner) != *slice;
    for (int64_t i = 0; i < chips; i++) {
        struct fleet_place place = fleet_locate(fleet, (*chip)++);
        wrong += place.learner != learner || place.slice != *slice + i / fleet->chips_per_slice;
    }
    int64_t slices = fleet_learner_slices(fleet, learner), left = chips;
    for (int64_t i = 0; i < slices; i++, (*slice)++) {
        int64_t expected = left < fleet->chips_per_slice ? left : fleet->chips_per_slice;
        wrong += expected <= 0 || fleet_slice_chips(fleet, *slice) != expected;
        wrong += fleet_slice_learner(fleet, *slice) != learner;
        left -= expected;
    }
    return wrong + (left != 0);
}

static void deal(int64_t chips, int64_t learners, int64_t chips_per_slice)
{
    struct fleet fleet = make(chips, learners, chips_per_slice);
    int64_t chip = 0, slice = 0, wrong = 0;
    for (int64_t learner = 0; learner < learners; learner++) {
        wrong += deal_learner(&fleet, learner, &chip, &slice);
        /* As even as can be, the first ones larger. */
        wrong += fleet_learner_chips(&fleet, learner) != chips / learners + (learner < chips % learners);
    }
    if (wrong > 0 || chip != chips || slice != fleet.slices)
        ck_abort_msg("%lld chips, %lld learners, slices of %lld: %lld wrong", (long long)chips, (long long)learners,
                     (long long)chips_per_slice, (long long)wrong);
}

START_TEST(every_small_partition_is_exact)
{
    for (int64_t chips = 1; chips <= 40; chips++)
        for (int64_t learners = 1; learners <= chips; learners++)
            for (int64_t size = 1; size <= 42; size++)
                deal(chips, learners, size);
}
END_TEST

START_TEST(partitions_of_the_tables_are_exact)
{
    const int64_t sizes[] = {150000, 300000, 150001, 262143};
    for (size_t i = 0; i < 4; i++)
        for (int64_t learners = 1; learners <= 16; learners++)
            deal(sizes[i], learners, 256);
}
END_TEST

START_TEST(the_largest_fleet_fits)
{
    struct fleet fleet = make(CONFIG_CHIPS_MAX, CONFIG_CHIPS_MAX, 1);
    ck_assert_int_eq(fleet.slices, CONFIG_CHIPS_MAX);
    struct fleet_place place = fleet_locate(&fleet, CONFIG_CHIPS_MAX - 1);
    ck_assert_int_eq(place.learner, CONFIG_CHIPS_MAX - 1);
    ck_assert_int_eq(place.slice, CONFIG_CHIPS_MAX - 1);
    fleet = make(CONFIG_CHIPS_MAX, 1, 1000000000);
    ck_assert_int_eq(fleet.slices, 1);
    ck_assert_int_eq(fleet_slice_chips(&fleet, 0), CONFIG_CHIPS_MAX);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fleet");
    TCase *tcase = tcase_create("fleet");
    tcase_add_test(tcase, every_small_partition_is_exact);
    tcase_add_test(tcase, partitions_of_the_tables_are_exact);
    tcase_add_test(tcase, the_largest_fleet_fits);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
