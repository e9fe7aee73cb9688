/* Whole replicas of random scenarios. A failing case prints the number that makes it again. */
#include <math.h>

#include "tests/chance.h"

static int64_t draw(int64_t below)
{
    return chance(below);
}

static sim_time draw_ns(int64_t below_s)
{
    return draw(4) ? draw(below_s * 1000) * (SIM_SECOND / 1000) : 0;
}

static struct sim_law draw_law(void)
{
    double scale = (double)(1 + draw(400));
    switch (draw(4)) {
    case 0:
        return rig_constant((double)draw(3) * scale);
    case 1:
        return (struct sim_law){SIM_LAW_WEIBULL, {scale, 0.7}};
    case 2:
        return (struct sim_law){SIM_LAW_EXP_WEIBULL, {scale, 1.2, 2.5}};
    default:
        return rig_exponential(scale);
    }
}

static void draw_elastic(struct config *config)
{
    static const double shares[] = {0, 0, 0.25, 0.5, 0.9, 1};
    config->downscale_ns = draw_ns(20);
    config->upscale_ns = draw_ns(20);
    config->restart_ns = draw_ns(90);
    config->noticed = (enum config_noticed)draw(CONFIG_NOTICED_COUNT);
    config->overlap = (enum config_overlap)draw(CONFIG_OVERLAP_COUNT);
    config->both = (enum config_both)draw(CONFIG_BOTH_COUNT);
    config->upscale_every_ns = draw(2) ? 0 : draw_ns(200);
    config->min_share = shares[draw(6)];
}

static void draw_syncer(struct config *config)
{
    config->learners = 1 + draw(config->chips < 9 ? config->chips : 9);
    config->quorum = 1 + draw(config->learners);
    config->grace = (enum config_grace)draw(CONFIG_GRACE_COUNT);
    config->grace_safety = (double)draw(100) / 100;
    config->sync_every = 1 + draw(24);
    config->fragments = 1 + draw(config->sync_every);
    config->sync_overlap = draw(config->sync_every < 4 ? config->sync_every : 4);
    config->recover_after = draw(3) ? draw(6) : 24;
    chance_preset(config);
}

static void draw_protocol(struct config *config)
{
    config->jitter_law = (enum config_jitter)draw(CONFIG_JITTER_COUNT);
    if (draw(3) == 0)
        chance_preemptions(config, sim_time_seconds(config->step_time_ns));
    if (draw(3) == 0)
        chance_classes(config);
    if (draw(3) == 0)
        chance_network(config, 30);
    if (draw(3) == 0) {
        chance_cuts(config, sim_time_seconds(config->step_time_ns));
        chance_slow_links(config, sim_time_seconds(config->step_time_ns));
    }
}

static void draw_checkpoint(struct config *config)
{
    config->checkpoint_every_ns = 1 + draw_ns(300);
    config->checkpoint_every_rounds = 1 + draw(60);
    config->checkpoint_keep = 1 + draw(4);
    config->checkpoint_cost_ns = draw_ns(60);
    config->checkpoint_restore_ns = draw_ns(60);
    config->checkpoint_mode = (enum config_checkpoint_mode)draw(CONFIG_CHECKPOINT_MODE_COUNT);
}

/* What takes a state away, and what saves it. */
static void draw_losses(struct config *config)
{
    if (draw(2))
        draw_checkpoint(config);
    if (config_has_syncer(config) && draw(3) == 0)
        rig_add_outage(config, "syncer", (double)(100 + draw(2000)), rig_exponential((double)draw(100)));
    if (draw(3) == 0) {
        int64_t chips = 1 + draw(config->chips);
        struct sim_law law = draw_law();
        rig_add_domain(config, "rack", chips, (double)(500 + draw(20000)), law);
    }
    if (draw(4) == 0)
        rig_add_silent(config, "silent", (double)(5000 + draw(100000)), rig_exponential(300), rig_constant(60));
}

static struct config draw_config(uint64_t number)
{
    chance_state = number * 2 + 1;
    struct config config = rig_config((enum config_method)draw(CONFIG_METHOD_COUNT));
    config.duration_ns = (400 + draw(4000)) * SIM_SECOND + draw(1000);
    config.chips = 1 + draw(200);
    config.chips_per_slice = 1 + draw(20);
    config.step_time_ns = 1 + draw(12 * SIM_SECOND);
    if (config.step_time_ns < SIM_SECOND / 2)
        config.step_time_ns += SIM_SECOND;
    draw_elastic(&config);
    if (config_has_syncer(&config))
        draw_syncer(&config);
    config.speed_spread = draw(2) ? 0 : 0.1;
    config.step_jitter = draw(3) ? 0 : 0.1;
    for (int64_t i = draw(3); i >= 0; i--) {
        struct sim_law law = draw_law();
        rig_add_source(&config, i == 0 ? "a" : i == 1 ? "b" : "c", (double)(500 + draw(100000)), law);
    }
    draw_protocol(&config);
    if (draw(2))
        chance_chips(&config);
    draw_losses(&config);
    return config;
}

static void expect_same(uint64_t number, const struct run_result *a, const struct run_result *b)
{
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        if (memcmp(&a->metric[i], &b->metric[i], sizeof a->metric[i]) != 0)
            ck_abort_msg("%llu: %s is %.17g and %.17g", (unsigned long long)number, run_metric_info[i].name,
                         a->metric[i], b->metric[i]);
    for (int64_t i = 0; i < a->learners; i++) {
        const struct run_learner *l = &a->learner[i], *m = &b->learner[i];
        bool is_same = l->chips == m->chips && l->steps == m->steps && l->stepping_ns == m->stepping_ns &&
                       l->interruptions == m->interruptions && memcmp(l->bucket, m->bucket, sizeof l->bucket) == 0;
        if (!is_same)
            ck_abort_msg("%llu: learner %lld differs", (unsigned long long)number, (long long)i);
    }
}

static bool has_preemption(const struct config *config)
{
    for (int i = 0; i < config->source_count; i++)
        if (config->source[i].kind == CONFIG_SOURCE_PREEMPTION)
            return true;
    return false;
}

enum { CASES = 300 };

START_TEST(the_same_run_twice_is_the_same)
{
    for (uint64_t number = 0; number < CASES; number++) {
        struct config config = draw_config(number);
        struct run_result a = rig_run(&config, number, 3), b = rig_run(&config, number, 3);
        expect_same(number, &a, &b);
        run_result_fini(&a);
        run_result_fini(&b);
    }
}
END_TEST

/* Two runs may cost the same by chance (a restart is a restart), but not often. */
START_TEST(another_seed_or_replica_is_another_run)
{
    int same = 0, busy = 0;
    for (uint64_t number = 0; number < CASES; number++) {
        struct config config = draw_config(number);
        struct run_result a = rig_run(&config, 1, 0), b = rig_run(&config, 2, 0), c = rig_run(&config, 1, 1);
        double x = a.metric[RUN_METRIC_goodput], y = b.metric[RUN_METRIC_goodput], z = c.metric[RUN_METRIC_goodput];
        bool is_busy = a.metric[RUN_METRIC_failures] >= 3 && b.metric[RUN_METRIC_failures] >= 3 && x > 0 && x < 1;
        busy += is_busy;
        same += is_busy && (x == y || x == z);
        run_result_fini(&a);
        run_result_fini(&b);
        run_result_fini(&c);
    }
    ck_assert_int_gt(busy, CASES / 3);
    ck_assert_int_le(same, busy / 50);
}
END_TEST

/* Asleep or step by step: the same to the last bit, also with a warm-up that ends anywhere. */
START_TEST(sleeping_changes_nothing)
{
    for (uint64_t number = 0; number < 2 * CASES; number++) {
        struct config config = draw_config(number);
        config.warmup_ns = draw(2) ? 0 : config.step_time_ns * draw(20) + draw(2) * draw(SIM_SECOND);
        struct run_result a = rig_run(&config, 5, 0);
        config.every_step = true;
        struct run_result b = rig_run(&config, 5, 0);
        expect_same(number, &a, &b);
        run_result_fini(&a);
        run_result_fini(&b);
    }
}
END_TEST

static bool is_in_range(enum run_metric_kind kind, bool is_bounded, double value)
{
    if (kind == RUN_METRIC_COUNT_KIND)
        return value >= 0 && value == (double)(int64_t)value;
    return value >= 0 && (value <= 1 || kind != RUN_METRIC_FRACTION || !is_bounded);
}

static void expect(uint64_t number, const char *what, bool holds)
{
    if (!holds)
        ck_abort_msg("%llu: %s", (unsigned long long)number, what);
}

/* Without until there is no time to train, without prices no cost. */
static bool may_be_none(int metric)
{
    return metric == RUN_METRIC_time_to_train_s || metric == RUN_METRIC_cost ||
           metric == RUN_METRIC_cost_per_useful_chip_hour || metric == RUN_METRIC_cost_per_million_tokens;
}

static void check_ranges(uint64_t number, const struct config *config, const struct run_result *r)
{
    const double *m = r->metric;
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        expect(number, run_metric_info[i].name,
               (may_be_none(i) && isnan(m[i])) ||
                   is_in_range(run_metric_info[i].kind, i != RUN_METRIC_syncer_progress, m[i]));
    expect(number, "the run is done", r->status == RUN_DONE);
    expect(number, "a quorum steps while somebody steps", m[RUN_METRIC_quorum_uptime] <= m[RUN_METRIC_uptime]);
    expect(number, "one learner", config->learners > 1 || m[RUN_METRIC_goodput] <= m[RUN_METRIC_uptime]);
    expect(number, "participants reach the quorum",
           m[RUN_METRIC_rounds] == 0 || m[RUN_METRIC_participants] >= (double)config->quorum);
    expect(number, "participants are learners", m[RUN_METRIC_participants] <= (double)config->learners);
    expect(number, "who weighs in is a learner", m[RUN_METRIC_effective_learners] <= (double)config->learners + 1e-9);
    expect(number, "no merge is staler than a cycle", m[RUN_METRIC_staleness_max] <= (double)config->sync_every);
    expect(number, "only who has peers copies", config->quorum < config->learners || m[RUN_METRIC_recoveries] == 0);
    if (config->warmup_ns > 0)
        return; /* what follows may have begun before the window */
    expect(number, "who came back had failed", m[RUN_METRIC_repairs] <= m[RUN_METRIC_failures]);
    expect(number, "an interruption has a failure",
           m[RUN_METRIC_interruptions] <= m[RUN_METRIC_failures] || has_preemption(config));
    expect(number, "what is merged was processed", m[RUN_METRIC_tokens_merged] <= m[RUN_METRIC_tokens] * (1 + 1e-9));
}

START_TEST(metrics_are_in_range)
{
    for (uint64_t number = 0; number < 2 * CASES; number++) {
        struct config config = draw_config(number);
        config.warmup_ns = draw(2) ? 0 : config.duration_ns - draw(20 * SIM_SECOND);
        struct run_result result = rig_run(&config, 9, 0);
        check_ranges(number, &config, &result);
        run_result_fini(&result);
    }
}
END_TEST

/* A share of the run as a time. */
static double seconds_of(const struct run_result *result, enum run_metric metric)
{
    return result->metric[metric] * sim_time_seconds(result->duration_ns);
}

/* Also those that were rolled back. */
static double steps_done(const struct run_result *result)
{
    return result->metric[RUN_METRIC_steps] + result->metric[RUN_METRIC_steps_lost];
}

static bool learners_add_up(const struct run_result *whole, const struct run_result *rest,
                            const struct run_result *first)
{
    bool adds_up = true;
    for (int64_t i = 0; i < whole->learners; i++) {
        sim_chip_time *w = whole->learner[i].bucket, *r = rest->learner[i].bucket, *f = first->learner[i].bucket;
        for (int b = RUN_BUCKET_checkpoint; b < RUN_BUCKET_COUNT; b++)
            adds_up = adds_up && w[b] == r[b] + f[b];
        adds_up = adds_up && w[0] + w[1] == r[0] + r[1] + f[0] + f[1];
    }
    return adds_up;
}

/* A run from 0 to the end is its first part plus the run that leaves this part out. A step under way when the warm-up
 * ends counts as useful in the first part, so only useful and lost together add up. */
START_TEST(a_warm_up_takes_exactly_its_part)
{
    for (uint64_t number = 0; number < CASES; number++) {
        struct config config = draw_config(number);
        sim_time warmup = config.duration_ns / 3, end = config.duration_ns;
        struct run_result whole = rig_run(&config, 5, 0);
        config.warmup_ns = warmup;
        struct run_result rest = rig_run(&config, 5, 0);
        config.warmup_ns = 0;
        config.duration_ns = warmup;
        struct run_result first = rig_run(&config, 5, 0);
        ck_assert_int_eq(rest.duration_ns, end - warmup);
        bool adds_up = learners_add_up(&whole, &rest, &first);
        static const enum run_metric counts[] = {RUN_METRIC_failures,         RUN_METRIC_interruptions,
                                                 RUN_METRIC_reconfigurations, RUN_METRIC_repairs,
                                                 RUN_METRIC_checkpoints,      RUN_METRIC_rollbacks};
        for (int i = 0; i < 6; i++)
            adds_up = adds_up && whole.metric[counts[i]] == rest.metric[counts[i]] + first.metric[counts[i]];
        adds_up = adds_up && steps_done(&whole) == steps_done(&rest) + steps_done(&first);
        static const enum run_metric shares[] = {RUN_METRIC_uptime, RUN_METRIC_quorum_uptime,
                                                 RUN_METRIC_syncer_progress};
        int same = config_can_go_back(&config) ? 2 : 3; /* rounds of the warm-up stay when others go */
        for (int i = 0; i < same; i++) {
            double parts = seconds_of(&rest, shares[i]) + seconds_of(&first, shares[i]);
            adds_up = adds_up && fabs(seconds_of(&whole, shares[i]) - parts) < 1e-6;
        }
        if (!adds_up)
            ck_abort_msg("%llu: the parts are not the whole", (unsigned long long)number);
        run_result_fini(&whole);
        run_result_fini(&rest);
        run_result_fini(&first);
    }
}
END_TEST

/* Where rounds cannot hold up a learner they may be left out, and where they can they are not: the same to the last
 * bit, but for what is counted of rounds. Learners that lose all their slices do not copy here. */
START_TEST(rounds_that_hold_up_nobody_can_be_left_out)
{
    int left_out = 0;
    for (uint64_t number = 0; number < 3 * CASES; number++) {
        struct config config = draw_config(number);
        if (!config_has_syncer(&config))
            continue;
        config.quorum = config.method == CONFIG_DECOUPLED_DILOCO ? 1 : config.quorum;
        config.step_jitter = draw(4) ? 0 : config.step_jitter;
        config.speed_spread = draw(4) ? 0 : config.speed_spread;
        config.recover_after = has_preemption(&config) ? config.recover_after : INT64_MAX;
        struct run_result with = rig_run(&config, 6, 0);
        config.without_rounds = true;
        struct run_result without = rig_run(&config, 6, 0);
        left_out += !config_has_rounds(&config);
        for (int i = 0; i < RUN_METRIC_COUNT; i++)
            if (!config_has_rounds(&config) && (i == RUN_METRIC_syncer_progress || i >= RUN_METRIC_rounds))
                with.metric[i] = without.metric[i];
        expect_same(number, &with, &without);
        run_result_fini(&with);
        run_result_fini(&without);
    }
    ck_assert_int_gt(left_out, 5);
}
END_TEST

/* Ties of (time, rank) in scrambled order: learners that report in the same instant, failures of the same nanosecond.
 */
static double goodput_shuffled(const struct config *config, uint64_t shuffle, int64_t *ret_rounds)
{
    static struct world world;
    rig_open(&world, config);
    rig_shuffle(&world, shuffle);
    rig_finish(&world);
    double useful = (double)rig_bucket(&world, RUN_BUCKET_useful);
    *ret_rounds = world.syncer.count.rounds;
    world_fini(&world);
    return useful / (double)config->chips / (double)config->duration_ns;
}

START_TEST(shuffled_ties_leave_the_statistics_alone)
{
    double difference = 0;
    for (uint64_t number = 0; number < CASES; number++) {
        struct config config = draw_config(number);
        int64_t rounds, shuffled;
        double plain = goodput_shuffled(&config, 0, &rounds);
        double other = goodput_shuffled(&config, 77 + number, &shuffled);
        difference += other - plain;
        if (other > plain + 0.02 || other < plain - 0.02 || llabs(rounds - shuffled) > 2 + rounds / 50)
            ck_abort_msg("%llu: goodput %g, shuffled %g", (unsigned long long)number, plain, other);
    }
    ck_assert_double_eq_tol(difference / CASES, 0, 1e-4);
}
END_TEST

struct stream {
    int count;
    struct {
        sim_time time;
        int64_t slice;
    } failure[500];
};

static void on_transition(void *context, const struct run_transition *transition)
{
    struct stream *stream = context;
    if (strcmp(transition->machine, "slice") != 0 || strcmp(transition->to, "failed") != 0)
        return;
    ck_assert_int_lt(stream->count, 500);
    stream->failure[stream->count].time = transition->time_ns;
    stream->failure[stream->count++].slice = transition->id;
}

/* Slices of one chip: the number of a slice is that of its chip, whatever the number of learners. */
static void hear(struct stream *stream, enum config_method method, int64_t learners, sim_time step_ns)
{
    struct config config = rig_config(method);
    config.chips = 100000;
    config.chips_per_slice = 1;
    config.learners = learners;
    config.step_time_ns = step_ns;
    rig_add_source(&config, "chip", 1e6, rig_constant(0));
    const struct run_observer observer = {.context = stream, .on_transition = on_transition};
    const struct run_request request = {.config = &config, .seed = 8, .replica = 2, .observer = &observer};
    struct run_result result;
    stream->count = 0;
    run_replica(&request, &result);
    ck_assert_double_eq(result.metric[RUN_METRIC_failures], stream->count);
    run_result_fini(&result);
}

START_TEST(every_design_meets_the_same_chaos)
{
    static struct stream first, other;
    hear(&first, CONFIG_DP, 1, SIM_SECOND);
    ck_assert_int_gt(first.count, 60);
    for (int64_t learners = 1; learners <= 17; learners++) {
        hear(&other, learners % 2 ? CONFIG_DECOUPLED_DILOCO : CONFIG_ELASTIC_DP, learners % 2 ? learners : 1,
             SIM_SECOND / learners);
        ck_assert_int_eq(other.count, first.count);
        ck_assert_mem_eq(other.failure, first.failure, sizeof first.failure[0] * (size_t)first.count);
    }
}
END_TEST

/* Adding a source moves no failure of the other: with both, each failure of the first alone is still there. */
START_TEST(sources_do_not_disturb_each_other)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    config.chips = 100000;
    config.chips_per_slice = 1;
    rig_add_source(&config, "z", 2e6, rig_constant(0));
    struct run_result alone = rig_run(&config, 4, 0);
    rig_add_source(&config, "a", 2e6, rig_constant(0));
    struct run_result both = rig_run(&config, 4, 0);
    config.source[0] = config.source[1];
    config.source_count = 1;
    struct run_result other = rig_run(&config, 4, 0);
    ck_assert_double_eq(both.metric[RUN_METRIC_failures],
                        alone.metric[RUN_METRIC_failures] + other.metric[RUN_METRIC_failures]);
    ck_assert(alone.metric[RUN_METRIC_goodput] != other.metric[RUN_METRIC_goodput]);
    run_result_fini(&alone);
    run_result_fini(&both);
    run_result_fini(&other);
}
END_TEST

START_TEST(an_endless_instant_is_no_progress)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    rig_add_source(&config, "chip", 3.6e-6, rig_constant(0)); /* 1e9 failures per chip and hour */
    config.step_time_ns = (sim_time)3600 * SIM_SECOND;
    config.duration_ns = 100 * config.step_time_ns;
    struct run_result result = rig_run(&config, 1, 0);
    ck_assert(result.status == RUN_NO_PROGRESS);
    ck_assert_int_lt(result.no_progress_at_ns, config.step_time_ns);
    run_result_fini(&result);
}
END_TEST

START_TEST(a_stopped_run_has_no_result)
{
    atomic_bool stop = true;
    struct config config = draw_config(3);
    config.every_step = true;
    config.duration_ns = 100000 * config.step_time_ns;
    const struct run_request request = {.config = &config, .seed = 1, .stop = &stop};
    struct run_result result;
    run_replica(&request, &result);
    ck_assert(result.status == RUN_STOPPED);
    ck_assert_ptr_null(result.learner);
    run_result_fini(&result);
}
END_TEST

static void add_streams(TCase *tcase)
{
    tcase_add_test(tcase, every_design_meets_the_same_chaos);
    tcase_add_test(tcase, sources_do_not_disturb_each_other);
    tcase_add_test(tcase, an_endless_instant_is_no_progress);
    tcase_add_test(tcase, a_stopped_run_has_no_result);
}

int main(void)
{
    Suite *suite = suite_create("world");
    TCase *tcase = tcase_create("world");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, the_same_run_twice_is_the_same);
    tcase_add_test(tcase, another_seed_or_replica_is_another_run);
    tcase_add_test(tcase, sleeping_changes_nothing);
    tcase_add_test(tcase, metrics_are_in_range);
    tcase_add_test(tcase, a_warm_up_takes_exactly_its_part);
    tcase_add_test(tcase, rounds_that_hold_up_nobody_can_be_left_out);
    tcase_add_test(tcase, shuffled_ties_leave_the_statistics_alone);
    add_streams(tcase);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
