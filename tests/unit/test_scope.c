/* Scopes against their definition, chip by chip, on fleets that divide and that do not. */
#include "models/scope.h"
#include "tests/rig.h"

static struct config config;
static struct fleet fleet;
static struct scope scope;

static void setup(void)
{
    config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.chips = 101;
    config.learners = 7;
    config.chips_per_slice = 4;
    config.class_count = 3;
    config.class[0] = (struct config_class){"slow", 0.3, 0.5};
    config.class[1] = (struct config_class){"fast", 0.5, 1.25};
    config.class[2] = (struct config_class){"plain", 0.2, 1};
    rig_add_source(&config, "chip", 1e6, rig_constant(0));
}

static void limit(const char *class, int learners, const int32_t learner[])
{
    struct config_source *source = &config.source[0];
    (void)strncpy(source->only_class, class, sizeof source->only_class - 1);
    source->learner_count = learners;
    for (int i = 0; i < learners; i++)
        source->learner[i] = learner[i];
    fleet_init(&fleet, &config);
    scope_init(&scope, &config, &fleet, source);
}

/* Classes of 101 chips: 30, 51 (to round(80.8) = 81) and 20. */
static bool is_in_class(int64_t chip)
{
    static const int64_t end[] = {30, 81, 101};
    int class = scope_class_find(&config, config.source[0].only_class);
    return class < 0 || (chip < end[class] && (class == 0 || chip >= end[class - 1]));
}

static bool is_in_learners(int64_t chip)
{
    const struct config_source *source = &config.source[0];
    for (int i = 0; i < source->learner_count; i++)
        if (fleet_locate(&fleet, chip).learner == source->learner[i])
            return true;
    return source->learner_count == 0;
}

/* Every chip, and every slice, the way the definition says. */
static void expect_definition(void)
{
    int64_t chips = 0, within = 0;
    for (int64_t chip = 0; chip < config.chips; chip++)
        if (is_in_class(chip) && is_in_learners(chip))
            ck_assert_int_eq(scope_chip(&scope, chips++), chip);
    ck_assert_int_eq(scope.chips, chips);
    for (int64_t slice = 0; slice < fleet.slices; slice++) {
        int64_t first = fleet_first_chip(&fleet, slice), size = fleet_slice_chips(&fleet, slice), expected = 0;
        for (int64_t chip = first; chip < first + size; chip++)
            expected += is_in_class(chip) && is_in_learners(chip);
        ck_assert_int_eq(scope_within(&scope, first, size), expected);
        within += expected;
    }
    ck_assert_int_eq(within, chips);
}

START_TEST(scopes_are_what_they_say)
{
    static const char *const classes[] = {"", "slow", "fast", "plain"};
    static const int32_t some[] = {0, 2, 3, 6};
    for (size_t class = 0; class < sizeof classes / sizeof classes[0]; class ++)
        for (int learners = 0; learners <= 4; learners++) {
            limit(classes[class], learners, some);
            expect_definition();
        }
}
END_TEST

/* The whole fleet is one range, in which a number is a chip. */
START_TEST(the_whole_fleet_is_itself)
{
    limit("", 0, NULL);
    ck_assert_int_eq(scope.count, 1);
    ck_assert_int_eq(scope.chips, 101);
    for (int64_t chip = 0; chip < 101; chip++)
        ck_assert_int_eq(scope_chip(&scope, chip), chip);
}
END_TEST

/* Learner 6 has the last chips, none of them slow. */
START_TEST(an_empty_scope_is_empty_and_refused)
{
    struct config_fault fault;
    limit("slow", 1, (int32_t[]){6});
    ck_assert_int_eq(scope.chips, 0);
    expect_definition();
    ck_assert(!config_check(&config, &fault));
    ck_assert_str_eq(fault.key, "failures.chip.only");
}
END_TEST

START_TEST(classes_have_names)
{
    ck_assert_int_eq(scope_class_find(&config, "slow"), 0);
    ck_assert_int_eq(scope_class_find(&config, "plain"), 2);
    ck_assert_int_eq(scope_class_find(&config, "plai"), -1);
    ck_assert_int_eq(scope_class_find(&config, ""), -1);
    ck_assert_int_eq(scope_class_first(&config, 3), 101);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scope");
    TCase *tcase = tcase_create("scope");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, scopes_are_what_they_say);
    tcase_add_test(tcase, the_whole_fleet_is_itself);
    tcase_add_test(tcase, an_empty_scope_is_empty_and_refused);
    tcase_add_test(tcase, classes_have_names);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
