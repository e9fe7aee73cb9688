/* What is allowed but probably not meant: each note comes when it should, and a sound scenario has none. */
#include "tests/rig.h"
#include "tools/faultline/notes.h"

static char said[4096];

static void hear(void *context, const char *note)
{
    (void)context;
    (void)strncat(said, note, sizeof said - strlen(said) - 1);
    (void)strncat(said, "\n", sizeof said - strlen(said) - 1);
}

/* 2.4M chips for 30 days, one failure a chip and year, back after ten minutes. */
static struct config sound(void)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.chips = 2400000;
    config.chips_per_slice = 256;
    config.learners = 16;
    config.duration_ns = 30 * 86400 * SIM_SECOND;
    rig_add_source(&config, "chip", 365.25 * 86400, rig_exponential(600));
    return config;
}

static void expect(const struct config *config, const char *part)
{
    said[0] = '\0';
    notes_each(config, hear, NULL);
    if (part)
        ck_assert_msg(strstr(said, part), "'%s' is not in: %s", part, said);
    else
        ck_assert_str_eq(said, "");
}

START_TEST(a_sound_scenario_has_no_notes)
{
    struct config config = sound();
    expect(&config, NULL);
}
END_TEST

/* 2.4M chips / 60 s x 2,592,000 s = 1.04e11 failures; 256 chips / 60 s x 600 s away: 2,560 / 2,561 of the slices. */
START_TEST(a_unit_too_small)
{
    struct config config = sound();
    config.source[0].mtbi_s = 60;
    expect(&config, "each replica draws about 1e+11 failures, which takes some 1.44h; is mtbi meant so short?");
    expect(&config, "on average 100 % of the slices are away");
}
END_TEST

/* Each for an hour, which is 3.6e9 us: every 2 us a link, a learner or the syncer; every 3 us 9,376 slices. */
START_TEST(what_happens_every_microsecond)
{
    struct config config = sound();
    const struct sim_law us = rig_constant(1e-6);
    config.duration_ns = 3600 * SIM_SECOND;
    rig_add_link(&config, "wan", 3, 1e-6, us);
    expect(&config, "failures.wan changes links about 1.8e+09 times in each replica, which takes some 15min; is mtbi "
                    "meant so short?");
    config.source[1].learner[config.source[1].learner_count++] = 4;
    expect(&config, "about 3.6e+09 times");
    config.source[1].kind = CONFIG_SOURCE_PREEMPTION;
    expect(&config, "failures.wan takes learners away about 3.6e+09 times");
    config.source[1].calendar_every_ns = 3000;
    expect(&config, "about 2.4e+09 times in each replica, which takes some 20min; is calendar.every meant so short?");
    config.source[1] = (struct config_source){
        .name = "patch", .kind = CONFIG_SOURCE_MAINTENANCE, .calendar_every_ns = 3000, .calendar_lasts_ns = 1};
    expect(&config, "failures.patch takes slices out about 1.1e+13 times");
    config.source_count = 1;
    rig_add_outage(&config, "syncer", 1e-6, us);
    expect(&config, "failures.syncer takes learners back about 2.9e+10 times");
    config.source_count = 1;
    rig_add_silent(&config, "silent", 1e-6, us, us);
    expect(&config, "each replica draws about 8.6e+15 failures");
    config.source_count = 1;
    rig_add_preemption(&config, "spot", 3, 3600, rig_constant(60));
    expect(&config, NULL);
}
END_TEST

/* With a syncer nobody has a state to lose. */
START_TEST(a_notice_too_short)
{
    struct config config = sound();
    config.method = CONFIG_ELASTIC_DP;
    config.learners = 1;
    config.checkpoint_every_ns = 1800 * SIM_SECOND;
    config.checkpoint_cost_ns = 45 * SIM_SECOND;
    rig_add_preemption(&config, "spot", 0, 3600, rig_constant(60));
    expect(&config, NULL);
    config.source[1].notice_ns = 45 * SIM_SECOND;
    expect(&config, "failures.spot.notice is too short to save the state in, which takes 45s (checkpoint.cost)");
    config.source[1].notice_ns++;
    expect(&config, NULL);
    config.source[1].notice_ns = 1;
    config.method = CONFIG_DECOUPLED_DILOCO;
    config.checkpoint_every_rounds = 100;
    expect(&config, NULL);
}
END_TEST

START_TEST(spares_for_nothing)
{
    struct config config = sound();
    config.spares = 2;
    expect(&config, "spares take the place of failed slices in no time: fleet.swap_time is 0s");
    config.swap_ns = 60 * SIM_SECOND;
    expect(&config, NULL);
    config.standby = 1;
    expect(&config, NULL);
    config.spares = 0;
    expect(&config, "in no time");
}
END_TEST

/* 2,592,000 s / 1 ms x 16 learners = 4.15e10 steps, at 8e6 a second. Without a syncer they are counted, not simulated.
 */
START_TEST(steps_too_short)
{
    struct config config = sound();
    config.step_time_ns = SIM_SECOND / 1000;
    expect(&config, "each replica simulates about 4.1e+10 steps one by one, which takes some 1.44h");
    config.method = CONFIG_ELASTIC_DP;
    config.learners = 1;
    expect(&config, NULL);
}
END_TEST

/* 256 chips, each failing once in 30 d, away for 6 h: 256 / 120 in service, so 68 % away. */
START_TEST(shares_no_fleet_reaches)
{
    struct config config = sound();
    config.source[0].mtbi_s = 30 * 86400;
    config.source[0].return_after = rig_constant(6 * 3600);
    config.min_share = 0.9;
    expect(&config, "on average 68 % of the slices are away");
    expect(&config, "elastic.min_share wants 90 % of the chips, but on average only 31.9149 % are there");
}
END_TEST

START_TEST(what_plays_no_part)
{
    struct config config = sound();
    config.chips_per_slice = 150000;
    expect(&config, "a learner is one slice");
    config = sound();
    config.source_count = 0;
    expect(&config, "nothing fails");
    config = sound();
    config.step_time_ns = config.duration_ns + 1;
    expect(&config, "no step ends within the run");
    config = sound();
    config.method = CONFIG_DP;
    expect(&config, "return_after plays no part");
    expect(&config, "with fleet.spares or repair.crews it waits for them");
    config.spares = 1;
    config.swap_ns = SIM_SECOND;
    expect(&config, NULL);
}
END_TEST

/* A failure every 13.1 s that takes a crew 600 s: 45.6 crews. */
START_TEST(crews_that_cannot_keep_up)
{
    struct config config = sound();
    config.crews = 46;
    expect(&config, NULL);
    config.crews = 40;
    expect(&config, "the crews of repair have 1.1 times the work they can do");
    config.crews = 0;
    config.stage_count = 2;
    config.stage[0] =
        (struct config_stage){.name = "first", .takes = rig_exponential(600), .escalates = 0.5, .success = 1};
    config.stage[1] =
        (struct config_stage){.name = "second", .takes = rig_exponential(1200), .crews = 46, .success = 1};
    expect(&config, NULL);
    config.stage[1].crews = 20;
    expect(&config, "the crews of repair.stages.second have 2.3 times the work");
}
END_TEST

START_TEST(repairs_that_fail_without_a_sign)
{
    struct config config = sound();
    config.misdiagnosis = 0.05;
    expect(&config, "a slice that comes back unmended fails like any other");
    config.relapse = rig_exponential(60);
    expect(&config, NULL);
}
END_TEST

START_TEST(restarts_that_lead_far_back)
{
    struct config config = sound();
    rig_add_outage(&config, "boss", 30 * 86400, rig_exponential(600));
    expect(&config, "every failure of the syncer takes training back to its beginning: there is no checkpoint section");
    config.checkpoint_every_ns = 3600 * SIM_SECOND;
    config.checkpoint_every_rounds = 3600;
    config.checkpoint_keep = 5;
    expect(&config, NULL);
    rig_add_silent(&config, "wrong", 1e12, rig_constant(5 * 3600), rig_constant(0));
    expect(&config, NULL);
    config.source[2].found_after = rig_constant(6 * 3600);
    expect(&config, "corruption is found after 6h on average, but checkpoints reach back 5h at most: much of it leads");
    config.source_count = 2;
    config.method = CONFIG_ELASTIC_DP;
    config.learners = 1;
    expect(&config, "failures.boss plays no part: elastic-dp has no syncer");
}
END_TEST

START_TEST(domains_that_are_no_racks)
{
    struct config config = sound();
    rig_add_domain(&config, "rack", 256, 1e9, rig_exponential(600));
    expect(&config, NULL);
    config.source[1].domain_chips = 64;
    expect(&config,
           "a shock of failures.rack takes out no more than the failure of a chip does: its domains have 64 chips, "
           "slices 256 (fleet.chips_per_slice)");
    config.source[1].domain_chips = 3000000;
    expect(&config, "every shock of failures.rack takes the whole fleet: its domain has 3000000 chips");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("notes");
    TCase *tcase = tcase_create("notes");
    tcase_add_test(tcase, a_sound_scenario_has_no_notes);
    tcase_add_test(tcase, a_unit_too_small);
    tcase_add_test(tcase, what_happens_every_microsecond);
    tcase_add_test(tcase, a_notice_too_short);
    tcase_add_test(tcase, spares_for_nothing);
    tcase_add_test(tcase, steps_too_short);
    tcase_add_test(tcase, shares_no_fleet_reaches);
    tcase_add_test(tcase, what_plays_no_part);
    tcase_add_test(tcase, restarts_that_lead_far_back);
    tcase_add_test(tcase, domains_that_are_no_racks);
    tcase_add_test(tcase, crews_that_cannot_keep_up);
    tcase_add_test(tcase, repairs_that_fail_without_a_sign);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
