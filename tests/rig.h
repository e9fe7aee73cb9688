/* tests/rig.h -- what the tests of sim and models share: a main for check, small scenarios, and worlds whose failures
 * are written down instead of drawn.
 *
 * Units: as in models/config.h.
 * Ownership: rig_run fills a result that the caller releases with run_result_fini; a world that rig_open started is
 * released with world_fini.
 * Errors: a scenario that does not pass config_check fails the test.
 */
#ifndef TESTS_RIG_H
#define TESTS_RIG_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "models/learner_internal.h"
#include "models/run.h"
#include "models/world.h"

/* Runs one suite, prints TAP, returns the exit status of the test program. */
static inline int rig_main(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_set_tap(runner, "-");
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* A source of independent chip failures whose slices come back after `return_after`. */
static inline void rig_add_source(struct config *config, const char *name, double mtbi_s, struct sim_law return_after)
{
    struct config_source *source = &config->source[config->source_count++];
    *source = (struct config_source){.kind = CONFIG_SOURCE_CHIP, .mtbi_s = mtbi_s, .return_after = return_after};
    (void)strncpy(source->name, name, sizeof source->name - 1);
}

/* A source of shocks to domains of so many chips. */
static inline void rig_add_domain(struct config *config, const char *name, int64_t chips, double mtbi_s,
                                  struct sim_law return_after)
{
    rig_add_source(config, name, mtbi_s, return_after);
    config->source[config->source_count - 1].kind = CONFIG_SOURCE_DOMAIN;
    config->source[config->source_count - 1].domain_chips = chips;
}

/* A source that takes learner `learner` away at random, and gives it back after `lasts`. */
static inline void rig_add_preemption(struct config *config, const char *name, int32_t learner, double mtbi_s,
                                      struct sim_law lasts)
{
    struct config_source *source = &config->source[config->source_count++];
    *source = (struct config_source){.kind = CONFIG_SOURCE_PREEMPTION, .mtbi_s = mtbi_s, .lasts = lasts};
    source->learner[source->learner_count++] = learner;
    (void)strncpy(source->name, name, sizeof source->name - 1);
}

/* A source that cuts the link of learner `learner` at random, for `lasts`. */
static inline void rig_add_link(struct config *config, const char *name, int32_t learner, double mtbi_s,
                                struct sim_law lasts)
{
    rig_add_preemption(config, name, learner, mtbi_s, lasts);
    config->source[config->source_count - 1].kind = CONFIG_SOURCE_LINK;
}

/* A source that takes the syncer down, and lets it return after `return_after`. */
static inline void rig_add_outage(struct config *config, const char *name, double mtbi_s, struct sim_law return_after)
{
    rig_add_source(config, name, mtbi_s, return_after);
    config->source[config->source_count - 1].kind = CONFIG_SOURCE_SYNCER;
}

/* A source of chips that make their slices `factor` times slower for `lasts`. */
static inline void rig_add_slowdown(struct config *config, const char *name, double mtbi_s, struct sim_law factor,
                                    struct sim_law lasts)
{
    rig_add_source(config, name, mtbi_s, (struct sim_law){0});
    struct config_source *source = &config->source[config->source_count - 1];
    source->kind = CONFIG_SOURCE_SLOWDOWN;
    source->factor = factor;
    source->lasts = lasts;
}

/* A source of chips that corrupt the state, which is noticed `found_after` later; then the slice is away for
 * `return_after`. */
static inline void rig_add_silent(struct config *config, const char *name, double mtbi_s, struct sim_law found_after,
                                  struct sim_law return_after)
{
    rig_add_source(config, name, mtbi_s, return_after);
    config->source[config->source_count - 1].kind = CONFIG_SOURCE_SILENT;
    config->source[config->source_count - 1].found_after = found_after;
}

static inline struct sim_law rig_exponential(double mean_s)
{
    return (struct sim_law){.kind = SIM_LAW_EXPONENTIAL, .parameter = {mean_s}};
}

static inline struct sim_law rig_constant(double value_s)
{
    return (struct sim_law){.kind = SIM_LAW_CONSTANT, .parameter = {value_s}};
}

/* A fleet of one learner with 64 chips in slices of 8, step 1 s, D = 2 s, U = 3 s, restart 10 s, 1000 s, no failures.
 */
static inline struct config rig_config(enum config_method method)
{
    return (struct config){
        .method = method,
        .duration_ns = 1000 * SIM_SECOND,
        .chips = 64,
        .chips_per_slice = 8,
        .downscale_ns = 2 * SIM_SECOND,
        .upscale_ns = 3 * SIM_SECOND,
        .restart_ns = 10 * SIM_SECOND,
        .learners = 1,
        .step_time_ns = SIM_SECOND,
        .tokens_per_step = 1000,
        .quorum = 1,
        .grace = CONFIG_GRACE_OFF,
        .grace_safety = 0.9,
        .fragments = 24,
        .sync_every = 24,
        .sync_overlap = 2,
        .recover_after = 24,
    };
}

/* Learners of one chip, steps of 10, tau = 2, H = P = 4; a fragment takes 20 both ways over the common link, half of it
 * up and half down, and a copy of the state 240. */
static inline struct config rig_linked(int64_t learners, int64_t quorum, sim_time duration)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.duration_ns = duration;
    config.chips = config.learners = learners;
    config.chips_per_slice = 1;
    config.step_time_ns = 10;
    config.downscale_ns = config.upscale_ns = 0;
    config.quorum = quorum;
    config.fragments = config.sync_every = config.recover_after = 4;
    config.bits = 1;
    config.datacentres = 2;
    config.link_bits_per_s = 1e18; /* 1e9 parameters in a nanosecond */
    config.tensor_count = 4;
    for (int p = 0; p < config.tensor_count; p++)
        config.parameters += config.tensor[p] = 20e9;
    return config;
}

static inline struct run_result rig_run(const struct config *config, uint64_t seed, uint32_t replica)
{
    struct config_fault fault;
    if (!config_check(config, &fault))
        ck_abort_msg("%s: %s", fault.key, fault.why);
    const struct run_request request = {.config = config, .seed = seed, .replica = replica};
    struct run_result result;
    run_replica(&request, &result);
    return result;
}

/* A failure that is written down: `chip` at `time`, its slice back after `delay` (SIM_TIME_NEVER: not in this run). */
struct rig_failure {
    sim_time time;
    int64_t chip;
    sim_time delay;
    struct world *world;
    struct config_source config;
    struct failure_source source;
};

static inline void rig_on_failure(void *context, uint32_t entity)
{
    (void)entity;
    struct rig_failure *failure = context;
    world_fail_chip(failure->world, &failure->source, failure->chip, 0);
}

/* Lets `failure` happen in `world`; both must stay where they are. */
static inline void rig_schedule(struct world *world, struct rig_failure *failure)
{
    failure->world = world;
    failure->config.return_after =
        rig_constant(failure->delay == SIM_TIME_NEVER ? 1e15 : sim_time_seconds(failure->delay));
    failure->source.config = &failure->config;
    (void)sim_queue_schedule(&world->sim.queue, failure->time, WORLD_RANK_FAILURE, 0, rig_on_failure, failure);
}

/* An absence that is written down: learner `learner` is preempted from `from` to before `until` (SIM_TIME_NEVER: to the
 * end). */
struct rig_absence {
    sim_time from, until;
    int64_t learner;
    struct world *world;
};

static inline void rig_on_given(void *context, uint32_t entity)
{
    (void)entity;
    struct rig_absence *absence = context;
    world_grant(absence->world, absence->learner);
}

static inline void rig_on_taken(void *context, uint32_t entity)
{
    (void)entity;
    struct rig_absence *absence = context;
    world_preempt(absence->world, absence->learner);
    if (absence->until < SIM_TIME_NEVER)
        (void)sim_queue_schedule(&absence->world->sim.queue, absence->until, WORLD_RANK_RETURN, 0, rig_on_given,
                                 absence);
}

/* Lets `absence` happen in `world`, ranked as models/preemption.c does; both must stay where they are. */
static inline void rig_preempt(struct world *world, struct rig_absence *absence)
{
    absence->world = world;
    (void)sim_queue_schedule(&world->sim.queue, absence->from, WORLD_RANK_FAILURE, 0, rig_on_taken, absence);
}

/* An outage that is written down: the syncer is down from `from` until `until`. */
struct rig_outage {
    sim_time from, until;
    struct world *world;
};

static inline void rig_on_syncer_back(void *context, uint32_t entity)
{
    (void)entity;
    struct rig_outage *outage = context;
    syncer_return(&outage->world->syncer);
}

static inline void rig_on_syncer_down(void *context, uint32_t entity)
{
    (void)entity;
    struct rig_outage *outage = context;
    if (outage->world->syncer.state == SYNCER_DOWN)
        return;
    syncer_fail(&outage->world->syncer, SIM_TIME_NEVER);
    (void)sim_queue_schedule(&outage->world->sim.queue, outage->until, WORLD_RANK_RETURN, 0, rig_on_syncer_back,
                             outage);
}

/* Lets `outage` happen in `world`, ranked as models/outage.c does; both must stay where they are. A scenario without
 * checkpoints needs a source of kind syncer, or it has nothing to go back to. */
static inline void rig_break_syncer(struct world *world, struct rig_outage *outage)
{
    outage->world = world;
    (void)sim_queue_schedule(&world->sim.queue, outage->from, WORLD_RANK_FAILURE, 0, rig_on_syncer_down, outage);
}

/* A world at time 0, of a seed and a replica. */
static inline void rig_open_seeded(struct world *world, const struct config *config, uint64_t seed, uint32_t replica)
{
    struct config_fault fault;
    if (!config_check(config, &fault))
        ck_abort_msg("%s: %s", fault.key, fault.why);
    const struct run_request request = {.config = config, .seed = seed, .replica = replica};
    world_init(world, &request);
}

/* A world at time 0, for events of one's own. */
static inline void rig_open(struct world *world, const struct config *config)
{
    rig_open_seeded(world, config, 1, 0);
}

/* The observer hears of all that happens from here on, which is time 0. */
static inline void rig_watch(struct world *world, const struct run_observer *observer)
{
    world->observer = observer;
    world->is_plain = false;
    world->has_pauses |= world_wants_every_step(world);
}

/* Every step is simulated from here on, which is time 0. */
static inline void rig_step_by_step(struct world *world)
{
    world->has_forecast = world->is_plain = false;
    world->has_pauses = true;
    for (int64_t i = 0; i < world->config->learners; i++)
        learner_plan_step_end(&world->learner[i]);
}

/* Ties of (time, rank) leave in an order scrambled by `key`, from time 0 on; 0: as usual. Who sleeps knows but one
 * order. */
static inline void rig_shuffle(struct world *world, uint64_t key)
{
    world->sim.queue.shuffle = key;
    if (key != 0 && world->has_forecast)
        rig_step_by_step(world);
}

/* Runs to the end of the scenario and closes the accounts. */
static inline void rig_finish(struct world *world)
{
    if (sim_run(&world->sim, world->config->duration_ns) != SIM_REACHED_END)
        ck_abort_msg("no progress at t = %lld ns", (long long)world->sim.origin.now);
    world_settle(world);
}

static inline sim_chip_time rig_bucket(const struct world *world, enum run_bucket bucket)
{
    sim_chip_time sum = 0;
    for (int64_t i = 0; i < world->config->learners; i++)
        sum += world->learner[i].count.account.bucket[bucket];
    return sum;
}

#endif
