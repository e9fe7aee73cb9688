#include "sim/ladder.h"
#include "tests/rig.h"

enum { ITEMS = 20000 };

static struct sim_ladder ladder;
static struct sim_ladder_item first[2];
static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 24) % below;
}

/* Two items that are near, given back: all that follows is the ladder's. */
static void setup(void)
{
    sim_ladder_init(&ladder);
    first[0] = (struct sim_ladder_item){.time = 500, .order = 1};
    first[1] = (struct sim_ladder_item){.time = 1000, .order = 2};
    sim_ladder_give_back(&ladder, first, 2);
    state = 9;
}

static void teardown(void)
{
    sim_ladder_fini(&ladder);
}

static void put(sim_time time, uint32_t number)
{
    sim_ladder_put(&ladder, sim_ladder_key_from(time, number + 3), number);
}

/* Takes all out: batch after batch no key lies before the end of the last one. The number of items. */
static uint32_t take_all(void)
{
    struct sim_ladder_item batch[SIM_LADDER_BATCH_MAX];
    sim_ladder_key before = 0;
    uint32_t all = 0, count;
    while ((count = sim_ladder_take(&ladder, batch)) > 0) {
        ck_assert_uint_le(count, SIM_LADDER_BATCH_MAX);
        for (uint32_t i = 0; i < count; i++)
            ck_assert(sim_ladder_key_of(&batch[i]) > before && sim_ladder_key_of(&batch[i]) <= ladder.near_last);
        before = ladder.near_last;
        all += count;
    }
    ck_assert(ladder.near_last == SIM_LADDER_KEY_MAX);
    ck_assert_uint_eq(ladder.depth, 0);
    return all;
}

START_TEST(an_empty_ladder_leaves_everything_near)
{
    struct sim_ladder empty;
    struct sim_ladder_item batch[SIM_LADDER_BATCH_MAX];
    const struct sim_ladder_item *ahead;
    sim_ladder_init(&empty);
    ck_assert(empty.near_last == SIM_LADDER_KEY_MAX);
    ck_assert_uint_eq(sim_ladder_take(&empty, batch), 0);
    ck_assert_uint_eq(sim_ladder_peek(&empty, &ahead), 0);
    sim_ladder_fini(&empty);
}
END_TEST

START_TEST(batches_come_in_order)
{
    for (uint32_t i = 0; i < ITEMS; i++)
        put((sim_time)draw(1000000), i);
    ck_assert_uint_eq(take_all(), ITEMS + 2);
}
END_TEST

START_TEST(one_nanosecond_is_cut_by_order)
{
    for (uint32_t i = 0; i < ITEMS; i++)
        put(700, i);
    ck_assert_uint_eq(take_all(), ITEMS + 2);
}
END_TEST

START_TEST(both_ends_of_time)
{
    for (uint32_t i = 0; i < ITEMS; i++)
        put(i % 2 ? SIM_TIME_NEVER - (sim_time)draw(3) : (sim_time)draw(3), i);
    ck_assert_uint_eq(take_all(), ITEMS + 2);
}
END_TEST

START_TEST(what_is_added_on_the_way_comes_in_its_place)
{
    struct sim_ladder_item batch[SIM_LADDER_BATCH_MAX];
    uint32_t number = 0, left = 2, count;
    for (; number < 1000; number++, left++)
        put((sim_time)draw(1000000), number);
    while ((count = sim_ladder_take(&ladder, batch)) > 0) {
        left -= count;
        for (uint32_t i = 0; i < count && number < ITEMS && ladder.depth > 0; i++, number++, left++)
            put((sim_time)(ladder.near_last >> 64) + 1 + (sim_time)draw(1 << (number % 30)), number);
    }
    ck_assert_uint_eq(left, 0);
    ck_assert_uint_gt(number, 1500);
}
END_TEST

static bool is_even(const void *context, const struct sim_ladder_item *item)
{
    (void)context;
    return item->slot % 2 == 0;
}

START_TEST(a_sweep_drops_what_is_not_kept)
{
    for (uint32_t i = 0; i < ITEMS; i++)
        put((sim_time)draw(1000000), i);
    sim_ladder_sweep(&ladder, is_even, NULL);
    ck_assert_uint_eq(ladder.count, ITEMS / 2 + 2);
    ck_assert_uint_eq(take_all(), ITEMS / 2 + 2);
}
END_TEST

START_TEST(two_of_the_same_key_stop)
{
    struct sim_ladder_item twice[100];
    struct sim_ladder again;
    for (int i = 0; i < 100; i++)
        twice[i] = (struct sim_ladder_item){.time = 5, .order = 6};
    sim_ladder_init(&again);
    sim_ladder_give_back(&again, twice, 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ladder");
    TCase *tcase = tcase_create("ladder");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, an_empty_ladder_leaves_everything_near);
    tcase_add_test(tcase, batches_come_in_order);
    tcase_add_test(tcase, one_nanosecond_is_cut_by_order);
    tcase_add_test(tcase, both_ends_of_time);
    tcase_add_test(tcase, what_is_added_on_the_way_comes_in_its_place);
    tcase_add_test(tcase, a_sweep_drops_what_is_not_kept);
    tcase_add_exit_test(tcase, two_of_the_same_key_stop, 1);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
