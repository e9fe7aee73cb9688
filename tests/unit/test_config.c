#include "tests/rig.h"

static struct config config;

static void setup(void)
{
    config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.learners = 4;
}

static void expect_fault(const char *key)
{
    struct config_fault fault = {.key = ""};
    ck_assert(!config_check(&config, &fault));
    ck_assert_str_eq(fault.key, key);
    ck_assert_uint_gt(strlen(fault.why), 10);
    ck_assert_uint_lt(strlen(fault.why), sizeof fault.why - 1);
}

static void expect_none(void)
{
    struct config_fault fault = {.key = ""};
    ck_assert_msg(config_check(&config, &fault), "%s: %s", fault.key, fault.why);
}

START_TEST(every_learner_needs_a_chip)
{
    config.learners = 64;
    expect_none();
    config.learners = 65;
    expect_fault("learners.count");
}
END_TEST

START_TEST(one_learner_without_a_syncer)
{
    config.method = CONFIG_DP;
    expect_fault("learners.count");
    config.method = CONFIG_ELASTIC_DP;
    expect_fault("learners.count");
    config.learners = 1;
    config.quorum = 9; /* the syncer's keys do not matter */
    config.fragments = 99;
    config.sync_overlap = 99;
    expect_none();
}
END_TEST

START_TEST(the_warm_up_ends_before_the_run)
{
    config.warmup_ns = config.duration_ns - 1;
    expect_none();
    config.warmup_ns = config.duration_ns;
    expect_fault("warmup");
}
END_TEST

START_TEST(a_quorum_of_learners_that_exist)
{
    config.quorum = 4;
    expect_none();
    config.quorum = 5;
    expect_fault("syncer.quorum");
    config.quorum = 0;
    expect_fault("syncer.quorum");
}
END_TEST

START_TEST(fragments_fit_into_the_cycle)
{
    config.sync_every = 24;
    config.fragments = 25;
    expect_fault("syncer.fragments");
    config.sync_every = 25;
    config.fragments = 24;
    expect_none();
}
END_TEST

START_TEST(the_overlap_is_shorter_than_the_cycle)
{
    config.sync_overlap = 23;
    expect_none();
    config.sync_overlap = 24;
    expect_fault("syncer.overlap");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("config");
    TCase *tcase = tcase_create("config");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, every_learner_needs_a_chip);
    tcase_add_test(tcase, one_learner_without_a_syncer);
    tcase_add_test(tcase, the_warm_up_ends_before_the_run);
    tcase_add_test(tcase, a_quorum_of_learners_that_exist);
    tcase_add_test(tcase, fragments_fit_into_the_cycle);
    tcase_add_test(tcase, the_overlap_is_shorter_than_the_cycle);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
