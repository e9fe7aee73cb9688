#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/rig.h"
#include "tools/faultline/derived.h"

/* 2.4M chips, one failure a year each: the largest cell of the tables. */
static struct config table_1(void)
{
    struct config config = {.method = CONFIG_DECOUPLED_DILOCO,
                            .duration_ns = (sim_time)30 * 86400 * SIM_SECOND,
                            .chips = 2400000,
                            .chips_per_slice = 256,
                            .learners = 16,
                            .source_count = 1};
    strcpy(config.source[0].name, "chip");
    config.source[0].mtbi_s = 31557600;
    config.source[0].return_after = (struct sim_law){SIM_LAW_EXPONENTIAL, {1980}};
    return config;
}

struct wanted {
    const char *source;
    const char *name;
    double number;
    int found;
};

static void on_value(void *context, const struct derived_value *value)
{
    struct wanted *wanted = context;
    bool same_source = value->entry == NULL ? wanted->source == NULL
                                            : wanted->source != NULL && strcmp(value->entry, wanted->source) == 0;
    if (!same_source || strcmp(value->name, wanted->name) != 0)
        return;
    wanted->number = value->number;
    wanted->found++;
}

/* The value, or NAN when there is none. */
static double derived(const struct config *config, const char *source, const char *name)
{
    struct wanted wanted = {source, name, NAN, 0};
    derived_each(config, on_value, &wanted);
    ck_assert_int_le(wanted.found, 1);
    return wanted.number;
}

static void near(double value, double expected)
{
    ck_assert_msg(fabs(value - expected) <= 1e-9 * fabs(expected), "%.17g, not %.17g", value, expected);
}

START_TEST(the_largest_cell)
{
    struct config config = table_1();
    near(derived(&config, NULL, "chips_per_learner"), 150000);
    near(derived(&config, NULL, "slices_per_learner"), 586); /* 585.9 */
    near(derived(&config, NULL, "slices"), 16 * 586);
    near(derived(&config, NULL, "mtbf_cluster"), 13.149); /* 31,557,600 s / 2.4M */
    near(derived(&config, "chip", "mtbf_learner"), 13.149 * 16);
    near(derived(&config, "chip", "mtbf_slice"), 31557600.0 / 256);
    near(derived(&config, "chip", "return_mean"), 1980);
    double away = 256 * 1980 / 31557600.0; /* per time in service */
    near(derived(&config, NULL, "share_away"), away / (1 + away));
    near(derived(&config, NULL, "slices_away"), 16 * 586 * away / (1 + away));
    near(derived(&config, NULL, "failures_expected"), 30 * 86400 / 13.149 / (1 + away));
}
END_TEST

START_TEST(chips_that_do_not_divide)
{
    struct config config = table_1();
    config.chips = 1027; /* 15 learners: 7 with 69 chips, 8 with 68 */
    config.learners = 15;
    config.chips_per_slice = 68;
    near(derived(&config, NULL, "chips_per_learner"), 69);
    near(derived(&config, NULL, "slices_per_learner"), 2);
    near(derived(&config, NULL, "slices"), 7 * 2 + 8);
    config.chips_per_slice = 1000; /* larger than a learner: one slice each */
    near(derived(&config, NULL, "slices"), 15);
    near(derived(&config, "chip", "mtbf_slice"), 31557600.0 / 69);
}
END_TEST

/* The failed slice is replaced within the restart: return_after plays no part. */
START_TEST(dp_has_nobody_away)
{
    struct config config = table_1();
    config.method = CONFIG_DP;
    config.learners = 1;
    near(derived(&config, NULL, "failures_expected"), 30 * 86400 / 13.149);
    ck_assert(derived(&config, NULL, "share_away") == 0);
    ck_assert(isnan(derived(&config, "chip", "return_mean")));
}
END_TEST

START_TEST(rates_of_sources_add)
{
    struct config config = table_1();
    config.source_count = 2;
    config.source[1] = config.source[0];
    strcpy(config.source[1].name, "again");
    near(derived(&config, NULL, "mtbf_cluster"), 13.149 / 2);
    near(derived(&config, "again", "mtbf_cluster"), 13.149);
    config.source_count = 0;
    ck_assert(isnan(derived(&config, NULL, "mtbf_cluster")));
    near(derived(&config, NULL, "slices"), 16 * 586);
}
END_TEST

START_TEST(classes_are_cut_at_the_rounded_sum_of_their_shares)
{
    struct config config = table_1();
    config.chips = 10;
    config.learners = 1;
    config.step_time_ns = 6 * SIM_SECOND;
    config.class_count = 3;
    strcpy(config.class[0].name, "a");
    strcpy(config.class[1].name, "b");
    strcpy(config.class[2].name, "c");
    for (int i = 0; i < 3; i++) {
        config.class[i].share = 1.0 / 3;
        config.class[i].speed = 1 + i;
    }
    near(derived(&config, "a", "chips"), 3); /* 3.33 and 6.67: 3, then 4, then the rest */
    near(derived(&config, "b", "chips"), 4);
    near(derived(&config, "c", "chips"), 3);
    near(derived(&config, "c", "step_time"), 2);
}
END_TEST

static struct config_source preemption(void)
{
    struct config_source source = {.name = "site", .kind = CONFIG_SOURCE_PREEMPTION, .learner_count = 2};
    source.learner[1] = 1;
    return source;
}

START_TEST(a_preemption_holds_learners_away)
{
    struct config config = table_1();
    config.source[config.source_count++] = preemption();
    struct config_source *site = &config.source[1];
    site->calendar_every_ns = 24 * SIM_SECOND;
    site->calendar_lasts_ns = 12 * SIM_SECOND;
    near(derived(&config, "site", "share_away"), 0.5);
    near(derived(&config, "site", "learners_away"), 1);
    near(derived(&config, NULL, "mtbf_cluster"), 13.149); /* as without */
    ck_assert(isnan(derived(&config, "site", "mtbf_cluster")));
    site->calendar_every_ns = 0;
    site->mtbi_s = 300;
    site->lasts = (struct sim_law){SIM_LAW_EXPONENTIAL, {100}};
    near(derived(&config, "site", "share_away"), 0.25);
    config.source[0] = *site;
    config.source_count = 1;
    ck_assert(isnan(derived(&config, NULL, "mtbf_cluster"))); /* no chip fails */
}
END_TEST

/* Two datacentres: the ring factor is 1. 24 tensors of 1M parameters in 24 fragments: 16 Mbit each. */
START_TEST(a_network_takes_time)
{
    struct config config = table_1();
    config.step_time_ns = SIM_SECOND;
    config.sync_overlap = 2;
    config.fragments = config.sync_every = 24;
    ck_assert(isnan(derived(&config, NULL, "state_time")));
    config.tensor_count = 24;
    for (int i = 0; i < 24; i++)
        config.tensor[i] = 1e6;
    config.parameters = 24e6;
    config.bits = 16;
    config.datacentres = 2;
    config.link_bits_per_s = 32e6;
    config.latency_ns = SIM_SECOND / 5;
    near(derived(&config, NULL, "fragment"), 1e6);
    near(derived(&config, NULL, "fragment_time"), 0.4 + 0.5);
    near(derived(&config, NULL, "link_needed"), 16e6 / (2 - 0.4));
    near(derived(&config, NULL, "state_time"), 0.2 + 3 * 24 * 16 / 32.0);
    config.sync_overlap = 0; /* nothing is fast enough to be there at once */
    ck_assert(isinf(derived(&config, NULL, "link_needed")));
    config.method = CONFIG_ELASTIC_DP;
    config.learners = 1;
    ck_assert(derived(&config, NULL, "exposed_time") > 0);
    ck_assert(isnan(derived(&config, NULL, "fragment_time")));
}
END_TEST

/* C = R = 600 s, D = 60 s, mu = 30,075 s: the best T is 6,214 s and its efficiency 0.79567. */
static struct config saving(void)
{
    struct config config = rig_config(CONFIG_DP);
    config.chips = 1000;
    config.restart_ns = 60 * SIM_SECOND;
    config.overlap = CONFIG_RESTART;
    config.checkpoint_every_ns = 5614 * SIM_SECOND;
    config.checkpoint_cost_ns = config.checkpoint_restore_ns = 600 * SIM_SECOND;
    rig_add_source(&config, "chip", 30075000, rig_constant(0));
    return config;
}

START_TEST(the_best_period_of_checkpoints)
{
    struct config config = saving();
    near(derived(&config, NULL, "period"), 6214);
    ck_assert_double_eq_tol(derived(&config, NULL, "best_every"), 5614, 0.5);
    ck_assert_double_eq_tol(derived(&config, NULL, "best_efficiency"), 0.79567, 5e-6);
    ck_assert_double_eq_tol(derived(&config, NULL, "efficiency"), 0.79567, 5e-6);
    double young = sqrt(2 * 600 * 30075.0), x = 600 / (2 * 30075.0);
    near(derived(&config, NULL, "young_every"), young);
    near(derived(&config, NULL, "daly_every"), young * (1 + sqrt(x) / 3 + x / 9) - 600);
    double every[] = {young, derived(&config, NULL, "daly_every"), derived(&config, NULL, "best_every")};
    double share[] = {derived(&config, NULL, "young_efficiency"), derived(&config, NULL, "daly_efficiency"),
                      derived(&config, NULL, "best_efficiency")};
    for (int i = 0; i < 3; i++)
        near(share[i], every[i] / ((30075 + 60) * exp(600 / 30075.0) * expm1((every[i] + 600) / 30075.0)));
    ck_assert(share[0] < share[1] && share[1] <= share[2] && share[2] - share[1] < 1e-6);
}
END_TEST

/* In the neighbourhood of the best nothing is better, for cheap checkpoints and for such that cost more than mu. */
START_TEST(nothing_is_better_than_the_best)
{
    for (int64_t cost = 1; cost <= 100000; cost *= 10) {
        struct config config = saving();
        config.checkpoint_cost_ns = cost * SIM_SECOND;
        config.step_time_ns = 1000000;
        config.overlap = cost % 3 ? CONFIG_RESTART : CONFIG_FOLD;
        double best = derived(&config, NULL, "best_every"), share = derived(&config, NULL, "best_efficiency");
        for (int i = -1; i <= 1; i += 2) {
            config.checkpoint_every_ns = (sim_time)(best * (1 + 0.01 * i) * 1e9);
            ck_assert_double_lt(derived(&config, NULL, "efficiency"), share);
        }
    }
}
END_TEST

/* 1,024 chips in slices of 64, racks of 96: the 11th has 64 chips. Borders are at 96, 192, ..., 960; every second one
 * is inside a slice, so racks touch 16 + 5 slices. Chips and racks add up. */
START_TEST(shocks_come_from_every_rack)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    config.duration_ns = 10000 * SIM_SECOND;
    config.chips = 1024;
    config.chips_per_slice = 64;
    rig_add_domain(&config, "rack", 96, 1e5, rig_exponential(100));
    near(derived(&config, "rack", "domains"), 11);
    near(derived(&config, "rack", "chips_per_domain"), 1024 / 11.0);
    near(derived(&config, "rack", "slices_per_domain"), 21 / 11.0);
    near(derived(&config, "rack", "mtbf_cluster"), 1e5 / 11);
    double away = 21 / 16.0 * 100 / 1e5;
    near(derived(&config, NULL, "share_away"), away / (1 + away));
    near(derived(&config, NULL, "failures_expected"), 1024 * 1e4 / 1e5 / (1 + away));
    config.crews = 2;
    near(derived(&config, "rack", "mtbf_cluster"), 1e5 / 11);
    near(derived_crew_load(&config, 0), 21 * 100 / 1e5 / 2);
    rig_add_source(&config, "chip", 1e6, rig_exponential(300));
    near(derived(&config, NULL, "mtbf_cluster"), 1 / (11 / 1e5 + 1024 / 1e6));
    away += 64 * 300 / 1e6;
    near(derived(&config, NULL, "share_away"), away / (1 + away));
}
END_TEST

/* Chips of learners 0 and 2 of four with 256 each: 0 to 255 and 512 to 767, in racks 0 to 2 and 5 to 7. */
START_TEST(shocks_of_a_scope)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.chips = 1024;
    config.learners = 4;
    rig_add_domain(&config, "rack", 96, 1e5, rig_exponential(100));
    config.source[0].learner_count = 2;
    config.source[0].learner[1] = 2;
    near(derived(&config, "rack", "domains"), 6);
    near(derived(&config, "rack", "chips_per_domain"), 512 / 6.0);
    config.source[0].domain_chips = 2000;
    near(derived(&config, "rack", "domains"), 1);
}
END_TEST

/* 1,024 chips in domains of 300: four, one every 5 h, each out for 4 h in 1,000 h. */
START_TEST(a_turn_of_maintenance)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    config.chips = 1024;
    config.source_count = 1;
    config.source[0] = (struct config_source){.name = "patch",
                                              .kind = CONFIG_SOURCE_MAINTENANCE,
                                              .domain_chips = 300,
                                              .rolling_ns = 5 * 3600 * SIM_SECOND,
                                              .calendar_every_ns = 1000 * 3600 * SIM_SECOND,
                                              .calendar_lasts_ns = 4 * 3600 * SIM_SECOND};
    near(derived(&config, "patch", "domains"), 4);
    near(derived(&config, "patch", "turn"), 19 * 3600);
    near(derived(&config, "patch", "share_away"), 0.004);
    ck_assert(isnan(derived(&config, NULL, "mtbf_cluster")));
    config.source[0].domain_chips = config.source[0].rolling_ns = 0;
    near(derived(&config, "patch", "domains"), 1);
    near(derived(&config, "patch", "turn"), 4 * 3600);
}
END_TEST

START_TEST(no_period_without_what_it_follows_from)
{
    struct config config = saving();
    config.overlap = CONFIG_FOLD; /* whole steps: 5,614 s of 1,000 s are 6,000 */
    config.step_time_ns = 1000 * SIM_SECOND;
    near(derived(&config, NULL, "period"), 6600);
    near(derived(&config, NULL, "efficiency"), 6000 / ((30075 + 60 + 600) * expm1(6600 / 30075.0)));
    config.checkpoint_cost_ns = 0;
    ck_assert(isnan(derived(&config, NULL, "best_every")));
    config.checkpoint_mode = CONFIG_BACKGROUND;
    ck_assert(isnan(derived(&config, NULL, "period")));
    config = saving();
    config.source_count = 0;
    ck_assert(isnan(derived(&config, NULL, "period")));
    config = saving();
    config.method = CONFIG_ELASTIC_DP;
    ck_assert(isnan(derived(&config, NULL, "period")));
    config = saving();
    config.checkpoint_every_ns = 0;
    ck_assert(isnan(derived(&config, NULL, "period")));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("derived");
    TCase *tests = tcase_create("derived");
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, the_largest_cell);
    tcase_add_test(tests, chips_that_do_not_divide);
    tcase_add_test(tests, dp_has_nobody_away);
    tcase_add_test(tests, rates_of_sources_add);
    tcase_add_test(tests, classes_are_cut_at_the_rounded_sum_of_their_shares);
    tcase_add_test(tests, a_preemption_holds_learners_away);
    tcase_add_test(tests, shocks_come_from_every_rack);
    tcase_add_test(tests, shocks_of_a_scope);
    tcase_add_test(tests, a_turn_of_maintenance);
    tcase_add_test(tests, a_network_takes_time);
    tcase_add_test(tests, the_best_period_of_checkpoints);
    tcase_add_test(tests, nothing_is_better_than_the_best);
    tcase_add_test(tests, no_period_without_what_it_follows_from);
    return rig_main(suite);
}
