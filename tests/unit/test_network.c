/* Transfer times by hand, and the published bandwidths of data-parallel training. */
#include "models/network.h"

#include <math.h>

#include "tests/rig.h"

/* 5 billion parameters of 16 bits. */
static struct config connected(int64_t datacentres, double gbit_per_s)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    config.parameters = 5e9;
    config.bits = 16;
    config.datacentres = datacentres;
    config.link_bits_per_s = gbit_per_s * 1e9;
    return config;
}

static double fragment_s(const struct config *config, double parameters)
{
    struct network_link link = network_link_of(config, 0);
    return sim_time_seconds(network_fragment_ns(config, &link, parameters));
}

static double exposed_s(const struct config *config, double step_s)
{
    return sim_time_seconds(network_exposed_ns(config, (sim_time)(step_s * 1e9)));
}

/* 5e9 / 24 x 16 bits are 10/3 Gbit; the ring factor is 1 for two datacentres, 1.75 for eight, 0 for one. */
START_TEST(a_fragment_there_and_back)
{
    struct config config = connected(2, 10);
    ck_assert_double_eq_tol(fragment_s(&config, 5e9 / 24), 1 / 3.0, 1e-9);
    config.latency_ns = SIM_SECOND / 20;
    ck_assert_double_eq_tol(fragment_s(&config, 5e9 / 24), 0.1 + 1 / 3.0, 1e-9);
    config.datacentres = 8;
    ck_assert_double_eq_tol(fragment_s(&config, 5e9 / 24), 0.1 + 1.75 / 3, 1e-9);
    config.bits = 4;
    ck_assert_double_eq_tol(fragment_s(&config, 5e9 / 24), 0.1 + 1.75 / 12, 1e-9);
    config.datacentres = 1;
    ck_assert_double_eq_tol(fragment_s(&config, 5e9 / 24), 0.1, 1e-9);
    ck_assert_double_eq_tol(fragment_s(&config, 0), 0.1, 1e-9);
}
END_TEST

/* 3 x 5e9 x 16 bits are 240 Gbit, whatever the ring. */
START_TEST(a_copy_of_the_state)
{
    struct config config = connected(2, 10);
    const struct network_link plain = {10e9, 0}, far = {10e9, 7}, thin = {1e-9, 0};
    ck_assert_int_eq(network_state_ns(&config, &plain, &plain), 24 * SIM_SECOND);
    config.datacentres = 8;
    ck_assert_int_eq(network_state_ns(&config, &far, &plain), 24 * SIM_SECOND + 7);
    ck_assert_int_eq(network_state_ns(&config, &plain, &far), 24 * SIM_SECOND + 7);
    ck_assert_int_eq(network_state_ns(&config, &plain, &thin), SIM_TIME_NEVER);
    ck_assert_int_eq(network_state_ns(&config, &thin, &plain), SIM_TIME_NEVER);
}
END_TEST

/* A step of 60 s: backward 40 s, 1 s a layer; 80 Gbit in 40 layers are 2 Gbit each. 10 Gbit/s: 0.2 s behind the last
 * layer. 1 Gbit/s: the first layer is done at 1, 40 all-reduces of 2 s end at 81: 41 s behind the backward pass. 2
 * Gbit/s: both forms give 1 s. */
START_TEST(what_a_backward_pass_does_not_hide)
{
    struct config config = connected(2, 10);
    ck_assert_double_eq_tol(exposed_s(&config, 60), 0.2, 1e-9);
    config.link_bits_per_s = 1e9;
    ck_assert_double_eq_tol(exposed_s(&config, 60), 41, 1e-9);
    config.link_bits_per_s = 2e9;
    ck_assert_double_eq_tol(exposed_s(&config, 60), 1, 1e-9);
    config.latency_ns = SIM_SECOND;
    ck_assert_double_eq_tol(exposed_s(&config, 60), 2, 1e-9);
    config.datacentres = 8; /* 3.5 Gbit a layer, 1.75 s: 1 + 70 - 40 */
    ck_assert_double_eq_tol(exposed_s(&config, 60), 32, 1e-9);
    config.datacentres = 1;
    ck_assert_double_eq(exposed_s(&config, 60), 0);
}
END_TEST

START_TEST(a_link_of_its_own)
{
    struct config config = connected(2, 10);
    config.link_count = 1;
    config.link[0] = (struct config_link){"slow", 2, {1, 3}, 1e9, 50};
    const double expected[] = {10e9, 1e9, 10e9, 1e9};
    for (int64_t i = 0; i < 4; i++) {
        struct network_link link = network_link_of(&config, i);
        ck_assert_double_eq(link.bits_per_s, expected[i]);
        ck_assert_int_eq(link.latency_ns, i % 2 == 1 ? 50 : 0);
    }
}
END_TEST

START_TEST(without_a_network_nothing_takes_time)
{
    struct config config = connected(2, 10);
    config.parameters = 0;
    config.latency_ns = 5;
    const struct network_link link = network_link_of(&config, 0);
    ck_assert_int_eq(network_fragment_ns(&config, &link, 1e9), 0);
    ck_assert_int_eq(network_exposed_ns(&config, SIM_SECOND), 0);
    ck_assert_int_eq(network_state_ns(&config, &link, &link), 0);
}
END_TEST

/* The published table of bandwidths, its data-parallel rows: Gbit/s for a share of the time spent on arithmetic, step /
 * (step + exposed). The cells lie on a logarithmic grid: neighbours differ by 8 to 9 % (104 and 113, 183 and 198, 37
 * and 40, 21 and 23). The cells for 99 % (195, 49, 391, 49) do not follow from one model and are left out. */
static const struct {
    double step_s;
    int64_t datacentres;
    double utilisation, gbit_per_s;
} published[] = {
    {1, 2, 0.50, 49}, {1, 2, 0.75, 81}, {1, 2, 0.90, 104}, {1, 2, 0.95, 113}, {5, 2, 0.50, 9.5}, {5, 2, 0.75, 16},
    {5, 2, 0.90, 21}, {5, 2, 0.95, 23}, {1, 8, 0.50, 85},  {1, 8, 0.75, 140}, {1, 8, 0.90, 183}, {1, 8, 0.95, 198},
    {5, 8, 0.50, 17}, {5, 8, 0.75, 28}, {5, 8, 0.90, 37},  {5, 8, 0.95, 40},
};
enum { PUBLISHED = sizeof published / sizeof published[0] };

static double utilisation_at(int row, double gbit_per_s)
{
    struct config config = connected(published[row].datacentres, gbit_per_s);
    double step_s = published[row].step_s;
    return step_s / (step_s + exposed_s(&config, step_s));
}

static double bandwidth_for(int row)
{
    double low = 0.1, high = 1000;
    for (int i = 0; i < 60; i++) {
        double middle = sqrt(low * high);
        *(utilisation_at(row, middle) < published[row].utilisation ? &low : &high) = middle;
    }
    return low;
}

START_TEST(bandwidths_of_data_parallel_training)
{
    ck_assert_double_lt(fabs(log(bandwidth_for(_i) / published[_i].gbit_per_s)), log(1.08));
}
END_TEST

/* In a run of elastic-dp: 1 s of arithmetic, 1 s exposed, half of the time is used. */
START_TEST(a_step_takes_its_exposed_time_too)
{
    struct config config = connected(2, 80 / (1 + 1 / 1.5 - 1 / 60.0));
    struct run_result result = rig_run(&config, 1, 0);
    ck_assert_double_eq(result.metric[RUN_METRIC_steps], 500);
    ck_assert_double_eq_tol(result.metric[RUN_METRIC_compute_utilisation], 0.5, 1e-8);
    ck_assert_double_eq(result.metric[RUN_METRIC_goodput], 1);
    run_result_fini(&result);
}
END_TEST

/* Four chips; a step from 0 to 10, in which slice 0 is away from 3 to 5. Checks the chip-time of both pauses. */
static void expect_pauses(enum config_method method, enum config_both both, sim_time downscale, int64_t chips_down,
                          int64_t chips_up)
{
    static struct world world;
    static struct rig_failure failure;
    struct config config = connected(1, 240e9 / 30);
    config.method = method;
    config.both = both;
    config.chips = 4;
    config.chips_per_slice = 1;
    config.duration_ns = 100;
    config.step_time_ns = 10;
    config.downscale_ns = downscale;
    config.upscale_ns = 6;
    failure = (struct rig_failure){.time = 3, .chip = 0, .delay = 2};
    rig_open(&world, &config);
    rig_schedule(&world, &failure);
    rig_finish(&world);
    ck_assert_int_eq((int64_t)rig_bucket(&world, RUN_BUCKET_downscale), chips_down);
    ck_assert_int_eq((int64_t)rig_bucket(&world, RUN_BUCKET_upscale), chips_up);
    world_fini(&world);
}

/* 10-14 down with 3 chips. Up with all 4: 6, and without a syncer everybody waits for the copy of 30, too. */
START_TEST(an_upscale_copies_the_state)
{
    expect_pauses(CONFIG_ELASTIC_DP, CONFIG_SUM, 4, 3 * 4, 4 * 36);
    expect_pauses(CONFIG_DECOUPLED_DILOCO, CONFIG_SUM, 4, 3 * 4, 4 * 6);
}
END_TEST

/* The longer of the two under `max`: 36 with the copy, not the downscale of 20; with a syncer the 20, not the 6. */
START_TEST(the_longer_of_two_pauses_counts_the_copy)
{
    expect_pauses(CONFIG_ELASTIC_DP, CONFIG_MAX, 20, 0, 4 * 36);
    expect_pauses(CONFIG_DECOUPLED_DILOCO, CONFIG_MAX, 20, 3 * 20, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("network");
    TCase *tcase = tcase_create("network");
    tcase_add_test(tcase, a_fragment_there_and_back);
    tcase_add_test(tcase, a_copy_of_the_state);
    tcase_add_test(tcase, a_link_of_its_own);
    tcase_add_test(tcase, what_a_backward_pass_does_not_hide);
    tcase_add_test(tcase, without_a_network_nothing_takes_time);
    tcase_add_loop_test(tcase, bandwidths_of_data_parallel_training, 0, PUBLISHED);
    tcase_add_test(tcase, a_step_takes_its_exposed_time_too);
    tcase_add_test(tcase, an_upscale_copies_the_state);
    tcase_add_test(tcase, the_longer_of_two_pauses_counts_the_copy);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
