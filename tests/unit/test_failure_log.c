#include "tests/rig.h"

/* Machines 0 to 3; a tie at 10 s, an outage of no length, two that overlap on machine 1 from 40 s. */
static struct config_log_row rows[] = {
    {0, 5 * SIM_SECOND, 0},
    {10 * SIM_SECOND, 12 * SIM_SECOND, 1},
    {10 * SIM_SECOND, 17 * SIM_SECOND, 2},
    {30 * SIM_SECOND, 30 * SIM_SECOND, 3},
    {40 * SIM_SECOND, 60 * SIM_SECOND, 1},
    {48 * SIM_SECOND, 70 * SIM_SECOND, 1},
};
enum { ROWS = sizeof rows / sizeof rows[0] };
static struct config_log whole = {ROWS, 4, rows};

/* Eight slices of 8 chips, a step of 1 s; a reconfiguration takes no time, so that chips are away exactly as long as
 * their machine is out: outages begin and end with steps. */
static struct config replay(const struct config_log *log)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    config.downscale_ns = config.upscale_ns = 0;
    config.source_count = 1;
    config.source[0] = (struct config_source){
        .name = "real", .kind = CONFIG_SOURCE_LOG, .log = log, .machines = log->machines, .chips_per_machine = 8};
    return config;
}

static void expect_run(const struct config *config, double failures, sim_chip_time away)
{
    struct run_result result = rig_run(config, 1, 0);
    ck_assert_double_eq(result.metric[RUN_METRIC_failures], failures);
    ck_assert(result.learner[0].bucket[RUN_BUCKET_away] == away);
    run_result_fini(&result);
}

/* The first slice that fails does so at 0, and is let go with the first step, at 1 s: 4 s. 2 + 7 + 0 + 20 s; the sixth
 * outage hits a machine that is out. */
START_TEST(outages_are_as_long_as_in_the_log)
{
    struct config config = replay(&whole);
    expect_run(&config, 5, (sim_chip_time)8 * (4 + 2 + 7 + 0 + 20) * SIM_SECOND);
    config.every_step = true;
    expect_run(&config, 5, (sim_chip_time)8 * (4 + 2 + 7 + 0 + 20) * SIM_SECOND);
}
END_TEST

/* Period 48 s x 6/5 = 57.6 s. */
START_TEST(an_offset_skips_what_was_before)
{
    struct config config = replay(&whole);
    ck_assert_int_eq(failure_log_period(&whole), 576 * (SIM_SECOND / 10));
    config.source[0].log_offset_ns = 10 * SIM_SECOND; /* the two at 10 s are due at 0, and let go at 1 s */
    expect_run(&config, 4, (sim_chip_time)8 * (1 + 6 + 0 + 20) * SIM_SECOND);
    config.source[0].log_offset_ns = 48 * SIM_SECOND + 1;
    expect_run(&config, 0, 0);
}
END_TEST

/* In 1,000 s are 17 periods of 57.6 s and 20.8 s of the 18th, in which three more fail; what overlaps is dropped. The
 * run is closed: with 979.2 s, 17 periods exactly, the next first failure still happens. */
START_TEST(a_repeated_log_keeps_its_rate)
{
    struct config config = replay(&whole);
    config.source[0].repeat = CONFIG_REPEAT_YES;
    struct run_result result = rig_run(&config, 1, 0);
    ck_assert_double_eq(result.metric[RUN_METRIC_failures], 17 * 5 + 3);
    run_result_fini(&result);
    config.duration_ns = 9792 * (SIM_SECOND / 10);
    result = rig_run(&config, 1, 0);
    ck_assert_double_eq(result.metric[RUN_METRIC_failures], 17 * 5 + 1);
    run_result_fini(&result);
    config.duration_ns--;
    result = rig_run(&config, 1, 0);
    ck_assert_double_eq(result.metric[RUN_METRIC_failures], 17 * 5);
    run_result_fini(&result);
}
END_TEST

struct seen {
    int failures[64];
    sim_time first[64];
};

static void on_transition(void *context, const struct run_transition *transition)
{
    struct seen *seen = context;
    if (strcmp(transition->machine, "slice") != 0 || strcmp(transition->from, "active") != 0)
        return;
    if (seen->failures[transition->id]++ == 0)
        seen->first[transition->id] = transition->time_ns;
}

static void observe(const struct config *config, const struct run_observer *observer)
{
    const struct run_request request = {.config = config, .seed = 3, .observer = observer};
    struct run_result result;
    run_replica(&request, &result);
    run_result_fini(&result);
}

static struct seen watch(const struct config *config)
{
    struct seen seen = {{0}, {0}};
    observe(config, &(const struct run_observer){.context = &seen, .on_transition = on_transition});
    return seen;
}

/* 11 machines fit: two copies of four and three machines of a third. Machine 1 fails twice, and once more when the log
 * is turned so that its outages do not overlap. The first copy is the log as it is, the others begin elsewhere. */
START_TEST(a_larger_fleet_has_copies)
{
    struct config config = replay(&whole);
    config.chips = 88;
    config.source[0].scale = CONFIG_SCALE_COPIES;
    ck_assert_int_eq(failure_log_copies(&config, &config.source[0]), 3);
    struct seen seen = watch(&config);
    for (int slice = 0; slice < 11; slice++)
        if (slice % 4 == 1)
            ck_assert_msg(seen.failures[slice] == 2 || seen.failures[slice] == 3, "%d", slice);
        else
            ck_assert_msg(seen.failures[slice] == 1, "%d", slice);
    ck_assert_int_eq(seen.first[2], 10 * SIM_SECOND);
    ck_assert_int_ne(seen.first[6], 10 * SIM_SECOND);
    ck_assert_int_ne(seen.first[6], seen.first[10]);
    for (int copy = 1; copy < 3;
         copy++) { /* turned as a whole: 10 s from machine 0 to 2, or all but that of a period */
        sim_time apart = seen.first[4 * copy + 2] - seen.first[4 * copy];
        ck_assert(apart == 10 * SIM_SECOND || apart == 10 * SIM_SECOND - failure_log_period(&whole));
    }
    config.source[0].scale = CONFIG_SCALE_NO;
    ck_assert_int_eq(watch(&config).failures[4], 0);
}
END_TEST

/* Each failure hits any chip; which one does not depend on the method. */
START_TEST(without_machines_chips_are_drawn)
{
    static struct config_log_row row[1000];
    struct config_log log = {1000, 0, row};
    for (int i = 0; i < 1000; i++)
        row[i] = (struct config_log_row){i * (SIM_SECOND / 2), i * (SIM_SECOND / 2), -1};
    struct config config = replay(&log);
    struct seen elastic = watch(&config);
    int sum = 0;
    for (int slice = 0; slice < 8; slice++) {
        ck_assert_int_gt(elastic.failures[slice], 80);
        sum += elastic.failures[slice];
    }
    ck_assert_int_le(sum, 1000);
    config.method = CONFIG_DECOUPLED_DILOCO;
    struct seen decoupled = watch(&config);
    for (int slice = 0; slice < 8; slice++)
        ck_assert_int_eq(decoupled.first[slice], elastic.first[slice]);
}
END_TEST

static void count_causes(void *context, const struct run_transition *transition)
{
    int *count = context;
    if (strcmp(transition->machine, "slice") != 0)
        return;
    count[0] += strcmp(transition->cause, "chip failed") == 0;
    count[1] += strcmp(transition->cause, "chip failed: fan") == 0;
    ck_assert(strncmp(transition->cause, "chip failed", 11) != 0 || strcmp(transition->to, "failed") == 0);
}

/* Of the five that count the first two are by a known cause; in each period anew. */
START_TEST(the_log_of_transitions_has_the_cause)
{
    static const struct config_cause fan = {.name = "fan", .event = "chip failed: fan", .failures = 2};
    struct config_log_row known[ROWS];
    struct config_log log = whole;
    memcpy(known, rows, sizeof rows);
    known[0].cause = known[1].cause = &fan;
    log.row = known;
    struct config config = replay(&log);
    int count[2] = {0};
    const struct run_observer observer = {.context = count, .on_transition = count_causes};
    observe(&config, &observer);
    ck_assert_int_eq(count[0], 3);
    ck_assert_int_eq(count[1], 2);
    config.source[0].repeat = CONFIG_REPEAT_YES;
    config.duration_ns = 2 * failure_log_period(&log) - 1;
    observe(&config, &observer);
    ck_assert_int_eq(count[1], 2 + 4);
}
END_TEST

static void expect_fault(const struct config *config, const char *key)
{
    struct config_fault fault;
    ck_assert(!config_check(config, &fault));
    ck_assert_str_eq(fault.key, key);
}

START_TEST(what_does_not_fit_is_refused)
{
    static struct config_log_row at_once[2] = {{0, 0, -1}, {0, 0, -1}};
    struct config_log tie = {2, 0, at_once};
    struct config config = replay(&whole);
    config.source[0].chips_per_machine = 17; /* room for three */
    expect_fault(&config, "failures.real.chips_per_machine");
    config.source[0].chips_per_machine = 65;
    expect_fault(&config, "failures.real.chips_per_machine");
    config = replay(&whole);
    config.source[0].machines = 3;
    expect_fault(&config, "failures.real.machines");
    config = replay(&whole);
    config.source[0].log_offset_ns = failure_log_period(&whole) + 1;
    expect_fault(&config, "failures.real.offset");
    config = replay(&tie);
    config.source[0].repeat = CONFIG_REPEAT_YES;
    expect_fault(&config, "failures.real.repeat");
    config.source[0].repeat = CONFIG_REPEAT_NO;
    config.source[0].scale = CONFIG_SCALE_COPIES;
    expect_fault(&config, "failures.real.machines");
    config.source[0].machines = 2;
    expect_fault(&config, "failures.real.scale");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("failure log");
    TCase *tcase = tcase_create("failure log");
    tcase_add_test(tcase, outages_are_as_long_as_in_the_log);
    tcase_add_test(tcase, an_offset_skips_what_was_before);
    tcase_add_test(tcase, a_repeated_log_keeps_its_rate);
    tcase_add_test(tcase, a_larger_fleet_has_copies);
    tcase_add_test(tcase, without_machines_chips_are_drawn);
    tcase_add_test(tcase, the_log_of_transitions_has_the_cause);
    tcase_add_test(tcase, what_does_not_fit_is_refused);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
