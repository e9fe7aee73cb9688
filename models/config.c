#include "models/config.h"

#include <stdio.h>

const char *const config_method_name[CONFIG_METHOD_COUNT] = {"dp", "elastic-dp", "diloco", "streaming-diloco",
                                                             "decoupled-diloco"};
const char *const config_source_kind_name[CONFIG_SOURCE_COUNT] = {"chip", "preemption"};
const char *const config_noticed_name[CONFIG_NOTICED_COUNT] = {"step_end", "at_once"};
const char *const config_overlap_name[CONFIG_OVERLAP_COUNT] = {"fold", "next_step", "queue", "restart"};
const char *const config_both_name[CONFIG_BOTH_COUNT] = {"sum", "max"};
const char *const config_jitter_name[CONFIG_JITTER_COUNT] = {"normal", "lognormal", "gamma", "exponential"};
const char *const config_grace_name[CONFIG_GRACE_COUNT] = {"off", "adaptive"};

bool config_has_syncer(const struct config *config)
{
    return config->method >= CONFIG_DILOCO;
}

int64_t config_quorum(const struct config *config)
{
    return config_has_syncer(config) ? config->quorum : 1;
}

/* Who comes back after a long absence waits for a broadcast before it copies its state. */
static bool has_preemption(const struct config *config)
{
    for (int i = 0; i < config->source_count; i++)
        if (config->source[i].kind == CONFIG_SOURCE_PREEMPTION)
            return true;
    return false;
}

/* With a quorum of one, equal steps and no transfer times a round closes within the grace window, at most one step
 * after the report that opened it: a learner that may run two steps ahead (one without grace) never waits. Who lost all
 * its slices for long might, for less than a step: not enough to simulate rounds for. */
static bool can_rounds_block(const struct config *config)
{
    bool has_equal_steps =
        config->step_jitter == 0 && config->speed_spread == 0 && config->class_count == 0 && config->parameters == 0;
    int64_t enough = config->grace == CONFIG_GRACE_OFF ? 1 : 2;
    return config->quorum > 1 || !has_equal_steps || config->sync_overlap < enough || has_preemption(config);
}

bool config_has_rounds(const struct config *config)
{
    return config_has_syncer(config) && (!config->without_rounds || can_rounds_block(config));
}

#define FAULT(key_name, ...)                                                                                           \
    do {                                                                                                               \
        ret->key = (key_name);                                                                                         \
        (void)snprintf(ret->why, sizeof ret->why, __VA_ARGS__);                                                        \
        return false;                                                                                                  \
    } while (0)

static bool check_fleet(const struct config *config, struct config_fault *ret)
{
    if (config->learners > config->chips)
        FAULT("learners.count", "%lld learners cannot share %lld chips; each needs at least one",
              (long long)config->learners, (long long)config->chips);
    if (!config_has_syncer(config) && config->learners != 1)
        FAULT("learners.count", "the method %s has one learner, not %lld", config_method_name[config->method],
              (long long)config->learners);
    if (config->warmup_ns >= config->duration_ns)
        FAULT("warmup", "it must end before the run does");
    return true;
}

static bool check_syncer(const struct config *config, struct config_fault *ret)
{
    if (!config_has_syncer(config))
        return true;
    if (config->quorum > config->learners)
        FAULT("syncer.quorum", "a quorum of %lld can never be reached with %lld learner%s", (long long)config->quorum,
              (long long)config->learners, config->learners == 1 ? "" : "s");
    if (config->fragments > config->sync_every)
        FAULT("syncer.fragments",
              "%lld fragments do not fit into a cycle of %lld rounds (syncer.sync_every): one round "
              "sends at most one",
              (long long)config->fragments, (long long)config->sync_every);
    if (config->sync_overlap >= config->sync_every)
        FAULT("syncer.overlap",
              "%lld steps reach the next turn of the same fragment, which comes after %lld rounds "
              "(syncer.sync_every)",
              (long long)config->sync_overlap, (long long)config->sync_every);
    return true;
}

bool config_check(const struct config *config, struct config_fault *ret)
{
    return check_fleet(config, ret) && check_syncer(config, ret);
}
