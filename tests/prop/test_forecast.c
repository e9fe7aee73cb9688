/* Learners that sleep although there are rounds (models/forecast.h), and rounds played as planned (models/rounds.h) or
 * skipped (models/steady.h),
 * against the same worlds step by step: every metric, every bucket, every round with what it counted of whom, every
 * change of state, to the last bit. Tiny worlds, in which ties of a nanosecond are the rule. A failing case prints the
 * number that makes it again. */
#include "tests/chance.h"

enum { WORLDS = 6000 };

/* All that an observer hears, folded into one number. */
struct heard {
    uint64_t hash;
    int64_t rounds;
};

static void fold(struct heard *heard, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++)
        heard->hash = (heard->hash ^ byte[i]) * 0x100000001b3U;
}

static void fold_number(struct heard *heard, int64_t number)
{
    fold(heard, &number, sizeof number);
}

static void on_round(void *context, const struct run_round *round)
{
    struct heard *heard = context;
    const int64_t numbers[] = {round->round,    round->opened_ns,    round->quorum_ns,     round->closed_ns,
                               round->fragment, round->participants, round->staleness_max, round->restarts};
    heard->rounds++;
    fold(heard, numbers, sizeof numbers);
    fold(heard, &round->weight, sizeof round->weight);
    fold(heard, &round->effective_learners, sizeof round->effective_learners);
    fold(heard, &round->tokens, sizeof round->tokens);
    for (int64_t i = 0; i < round->participants; i++) {
        const struct run_claim *claim = &round->claim[i];
        const int64_t claimed[] = {claim->learner, claim->step, claim->steps, claim->chip_steps, claim->staleness};
        fold(heard, claimed, sizeof claimed);
        fold(heard, &claim->weight, sizeof claim->weight);
    }
}

static void on_transition(void *context, const struct run_transition *transition)
{
    struct heard *heard = context;
    fold_number(heard, transition->time_ns);
    fold_number(heard, transition->id);
    fold(heard, transition->machine, strlen(transition->machine));
    fold(heard, transition->to, strlen(transition->to));
    fold(heard, transition->cause, strlen(transition->cause));
}

/* What it knows at the end, beside the metrics. */
static void fold_world(struct heard *heard, const struct world *world)
{
    const struct syncer *syncer = &world->syncer;
    fold_number(heard, syncer->state);
    fold_number(heard, syncer->reporters);
    fold_number(heard, syncer->quorum_average_ns);
    fold_number(heard, syncer->transfer_average_ns);
    for (int64_t i = 0; i < world->config->learners; i++) {
        const struct learner *learner = &world->learner[i];
        fold_number(heard, learner->state);
        fold_number(heard, (int64_t)learner->total.chip_steps);
        fold_number(heard, (int64_t)learner->count.overwritten);
        fold_number(heard, (int64_t)learner->count.work);
        fold_number(heard, (int64_t)learner->count.math);
        fold_number(heard, learner_uncounted(learner));
        fold_number(heard, learner->in_flight);
        fold_number(heard, learner_unread(learner));
        fold_number(heard, learner->step_start);
        fold(heard, learner->count.account.bucket, sizeof learner->count.account.bucket);
        for (int64_t p = 0; p < world->config->fragments; p++)
            fold_number(heard, ledger_open(&syncer->ledger, i, p, &learner->total));
    }
}

static int slept, planned, skipped; /* worlds whose learners may sleep; with rounds as planned; with some skipped */

static void hear(const struct config *config, bool is_heard, struct heard *ret)
{
    static struct world world;
    struct config_fault fault;
    *ret = (struct heard){0};
    if (!config_check(config, &fault))
        ck_abort_msg("%s: %s", fault.key, fault.why);
    const struct run_observer observer = {.context = ret, .on_round = on_round, .on_transition = on_transition};
    const struct run_request request = {.config = config, .seed = 3, .observer = is_heard ? &observer : NULL};
    world_init(&world, &request);
    rig_finish(&world);
    slept += world.has_forecast;
    planned += world.rounds.played > 0;
    skipped += world.rounds.counted > 0;
    fold_world(ret, &world);
    fold(ret, &world.syncer.count, sizeof world.syncer.count);
    world_fini(&world);
}

static void quieten(struct config *config)
{
    config->learners = 1 + chance(6);
    config->chips = config->learners * (1 + chance(5));
    config->quorum = chance(2) ? 1 : 1 + chance(config->learners);
    chance_preset(config);
    config->step_jitter = 0;
    config->sync_overlap = chance(config->sync_every < 4 ? config->sync_every : 4);
    if (config->method == CONFIG_DILOCO)
        config->sync_overlap = 0;
    if (config->grace == CONFIG_GRACE_ADAPTIVE)
        config->speed_spread = 0;
    if (config->grace == CONFIG_GRACE_ADAPTIVE || config->chips < config->class_count)
        config->class_count = 0;
    if (config->link_count > 0 && config->link[0].learner[0] >= config->learners)
        config->link_count = 0;
    config->warmup_ns = chance(3) ? 0 : chance(config->duration_ns);
}

/* Rounds that are soon all alike. */
static void steady(struct config *config)
{
    config->sync_every = 1 + chance(5);
    config->fragments = config->sync_every;
    config->sync_overlap = chance(config->sync_every);
    config->speed_spread = 0;
    config->class_count = 0;
    config->source[0].mtbi_s *= 20;
    config->duration_ns *= 4;
}

/* More than lie in one block of the roster, so that some blocks are left alone for long. */
static void add_learners(struct config *config)
{
    config->learners += 16;
    config->chips += 16 * (1 + chance(5));
}

/* Nothing that ties learners together in other ways. */
static struct config draw_config(uint64_t number)
{
    chance_state = number * 2 + 1;
    struct config config = chance_tiny_world();
    while (!config_has_syncer(&config) || config_can_go_back(&config))
        config = chance_tiny_world();
    for (int i = 0; i < config.source_count; i++)
        config.source[i].only_class[0] = '\0', config.source[i].learner_count = 0;
    config.source_count = 1;
    config.source[0].mtbi_s *= (double)(1 + chance(8) * chance(8));
    quieten(&config);
    if (number % 4 == 1 && config.method == CONFIG_DECOUPLED_DILOCO)
        steady(&config);
    if (number % 8 == 5 && config.method == CONFIG_DECOUPLED_DILOCO)
        add_learners(&config);
    if (chance(3) == 0)
        chance_preemptions(&config, sim_time_seconds(config.step_time_ns));
    if (chance(3) == 0)
        chance_domain(&config);
    if (chance(3) == 0)
        chance_maintenance(&config);
    if (chance(20) == 0) { /* nobody sleeps then */
        chance_cuts(&config, sim_time_seconds(config.step_time_ns));
        chance_slow_links(&config, sim_time_seconds(config.step_time_ns));
    }
    return config;
}

/* Worlds beyond the usual ones that showed a fault. 6940: a learner that waits to be preempted finds, when an update
 * arrives, that its state has become too old. 107237: when an update reaches one learner, another takes part again, and
 * gets it as well. */
static const uint64_t found_later[] = {6940, 107237};
enum { found_later_count = sizeof found_later / sizeof *found_later };

START_TEST(sleeping_between_rounds_changes_nothing)
{
    int64_t rounds = 0;
    for (uint64_t i = 0; i < WORLDS + found_later_count; i++) {
        uint64_t number = i < WORLDS ? i : found_later[i - WORLDS];
        struct config config = draw_config(number);
        struct heard asleep, awake;
        bool is_heard = number % 3 == 0;
        hear(&config, is_heard, &asleep);
        config.every_step = true;
        hear(&config, is_heard, &awake);
        if (asleep.hash != awake.hash)
            ck_abort_msg("%llu: asleep and awake differ (%lld and %lld rounds)", (unsigned long long)number,
                         (long long)asleep.rounds, (long long)awake.rounds);
        rounds += awake.rounds;
    }
    ck_assert_int_gt(slept, WORLDS * 9 / 10);
    ck_assert_int_le(slept, WORLDS + found_later_count);
    ck_assert_int_gt(planned, WORLDS / 10);
    ck_assert_int_gt(skipped, WORLDS / 80);
    ck_assert_int_gt(rounds / WORLDS, 10);
}
END_TEST

static void check_same(struct config config)
{
    struct heard asleep, awake;
    hear(&config, false, &asleep);
    config.every_step = true;
    hear(&config, false, &awake);
    ck_assert_uint_eq(asleep.hash, awake.hash);
}

/* Sixteen learners out of step close sixteen rounds in each step: in 200 years more than there are steps of 30 days in
 * the range of a time. */
START_TEST(centuries_of_short_rounds)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.learners = 16;
    config.chips = 32;
    config.quorum = 1;
    config.grace = CONFIG_GRACE_OFF;
    config.fragments = config.sync_every = 4;
    config.sync_overlap = 2;
    config.step_time_ns = SIM_SECOND * 30 * 86400;
    config.duration_ns = SIM_SECOND * 200 * 365 * 86400;
    rig_add_source(&config, "chip", 20 * 365.25 * 86400, rig_exponential(100 * 86400));
    check_same(config);
}
END_TEST

/* More rounds like each other, at once, than the square root of the range of a time. */
START_TEST(centuries_of_nanoseconds)
{
    static struct world world;
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.learners = config.chips = config.quorum = 8;
    config.fragments = config.sync_every = 4;
    config.sync_overlap = 2;
    config.step_time_ns = 1;
    config.duration_ns = SIM_SECOND * 200 * 365 * 86400;
    rig_open(&world, &config);
    const struct merge_count *merged = &world.syncer.count.merged;
    rig_finish(&world);
    ck_assert_int_eq(world.syncer.round, config.duration_ns);
    ck_assert(merged->claims == (sim_chip_time)8 * config.duration_ns);
    ck_assert(merged->chip_steps[0] + merged->chip_steps[1] == 4 * merged->claims - (sim_chip_time)8 * (3 + 2 + 1));
    world_fini(&world);
}
END_TEST

/* Two blocks of the roster; a learner of the second is taken while all of that block have cruised for long. */
START_TEST(a_learner_that_cruises_is_taken)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.learners = config.chips = 12;
    config.quorum = 1;
    config.fragments = config.sync_every = 4;
    config.sync_overlap = 2;
    config.duration_ns = SIM_SECOND * 200000;
    rig_add_source(&config, "chip", 12000, rig_constant(200));
    rig_add_preemption(&config, "taken", 10, 1000, rig_constant(200));
    check_same(config);
}
END_TEST

/* The look of the syncer is set to where it was said to be: a report that is hidden from it is found out. */
START_TEST(a_wrong_forecast_stops_the_run)
{
    static struct world world;
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.learners = 2;
    rig_open(&world, &config);
    ck_assert(world.has_forecast);
    world_set_timer(&world, WORLD_TIMER_LOOK, 2 * SIM_SECOND); /* the first reports come after 1 s */
    rig_finish(&world);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("forecast");
    TCase *tcase = tcase_create("forecast");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, sleeping_between_rounds_changes_nothing);
    tcase_add_test(tcase, centuries_of_short_rounds);
    tcase_add_test(tcase, centuries_of_nanoseconds);
    tcase_add_test(tcase, a_learner_that_cruises_is_taken);
    tcase_add_exit_test(tcase, a_wrong_forecast_stops_the_run, 1);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
