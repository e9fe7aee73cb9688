#include "models/config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/config_internal.h"
#include "models/failure_log.h"
#include "models/scope.h"

#define STEP_MAX_NS (10 * 31557600e9) /* as learners.step_time */

const char *const config_method_name[CONFIG_METHOD_COUNT] = {"dp", "elastic-dp", "diloco", "streaming-diloco",
                                                             "decoupled-diloco"};
const char *const config_source_kind_name[CONFIG_SOURCE_COUNT] = {
    "chip", "preemption", "log", "syncer", "silent", "slowdown", "domain", "maintenance", "link"};
const char *const config_ageing_name[CONFIG_AGES_COUNT] = {"kept", "reset"};
const char *const config_delay_name[CONFIG_DELAY_COUNT] = {"shared", "own"};
const char *const config_together_name[CONFIG_TOGETHER_COUNT] = {"no", "yes"};
const char *const config_repeat_name[CONFIG_REPEAT_COUNT] = {"no", "yes"};
const char *const config_scale_name[CONFIG_SCALE_COUNT] = {"no", "copies"};
const char *const config_unit_name[CONFIG_UNIT_COUNT] = {"s", "min", "h", "d"};
const char *const config_noticed_name[CONFIG_NOTICED_COUNT] = {"step_end", "at_once"};
const char *const config_overlap_name[CONFIG_OVERLAP_COUNT] = {"fold", "next_step", "queue", "restart"};
const char *const config_both_name[CONFIG_BOTH_COUNT] = {"sum", "max"};
const char *const config_jitter_name[CONFIG_JITTER_COUNT] = {"normal", "lognormal", "gamma", "exponential"};
const char *const config_grace_name[CONFIG_GRACE_COUNT] = {"off", "adaptive"};
const char *const config_checkpoint_mode_name[CONFIG_CHECKPOINT_MODE_COUNT] = {"blocking", "background"};

bool config_has_syncer(const struct config *config)
{
    return config->method >= CONFIG_DILOCO;
}

bool config_has_until(const struct config *config)
{
    return config->until_work_ns > 0 || config->until_tokens > 0;
}

int64_t config_quorum(const struct config *config)
{
    return config_has_syncer(config) ? config->quorum : 1;
}

bool config_has_kind(const struct config *config, enum config_source_kind kind)
{
    for (int i = 0; i < config->source_count; i++)
        if (config->source[i].kind == kind)
            return true;
    return false;
}

bool config_is_slow_link(const struct config_source *source)
{
    return source->kind == CONFIG_SOURCE_LINK && source->factor.parameter[0] > 0;
}

bool config_has_slow_links(const struct config *config)
{
    for (int i = 0; i < config->source_count; i++)
        if (config_is_slow_link(&config->source[i]))
            return true;
    return false;
}

/* Who comes back after a long absence waits for a broadcast before it copies its state; everyone waits for a syncer
 * that has failed, or for a snapshot. */
static bool has_waits(const struct config *config)
{
    return config_has_kind(config, CONFIG_SOURCE_PREEMPTION) || config_has_kind(config, CONFIG_SOURCE_DOMAIN) ||
           config_has_kind(config, CONFIG_SOURCE_MAINTENANCE) || config_has_kind(config, CONFIG_SOURCE_LINK) ||
           config_can_go_back(config);
}

/* With a quorum of one, equal steps and no transfer times a round closes within the grace window, at most one step
 * after the report that opened it: a learner that may run two steps ahead (one without grace) never waits. Who lost all
 * its slices for long might, for less than a step: not enough to simulate rounds for. */
static bool can_rounds_block(const struct config *config)
{
    bool has_equal_steps = config->step_jitter == 0 && config->speed_spread == 0 && config->class_count == 0 &&
                           config->parameters == 0 && !config_has_kind(config, CONFIG_SOURCE_SLOWDOWN);
    int64_t enough = config->grace == CONFIG_GRACE_OFF ? 1 : 2;
    return config->quorum > 1 || !has_equal_steps || config->sync_overlap < enough || has_waits(config);
}

bool config_has_rounds(const struct config *config)
{
    return config_has_syncer(config) && (!config->without_rounds || can_rounds_block(config));
}

int64_t config_pool(const struct config *config)
{
    return config->spares + config->standby;
}

bool config_has_pool(const struct config *config)
{
    return config_pool(config) > 0 || config->loan_slices > 0;
}

bool config_has_units(const struct config *config)
{
    return config_has_pool(config) || config->crews > 0 || config->stage_count > 0 || config->misdiagnosis > 0 ||
           config->retire_failures > 0;
}

double config_tensor_sum(const struct config *config)
{
    double sum = 0;
    for (int i = 0; i < config->tensor_count; i++)
        sum += config->tensor[i];
    return sum;
}

double config_mtbi_s(const struct config_source *source)
{
    return source->timing == CONFIG_BY_LIFE ? sim_law_mean(&source->life) : source->mtbi_s;
}

double config_lemon_weight(const struct config_source *source)
{
    return source->lemon_share > 0 ? 1 + source->lemon_share * (source->lemon_factor - 1) : 1;
}

bool config_has_checkpoints(const struct config *config)
{
    return config->checkpoint_every_ns > 0 && !config_has_syncer(config);
}

bool config_has_snapshots(const struct config *config)
{
    return config->checkpoint_every_ns > 0 && config_has_syncer(config);
}

bool config_can_go_back(const struct config *config)
{
    return config_has_syncer(config) &&
           (config_has_snapshots(config) || config_has_kind(config, CONFIG_SOURCE_SYNCER) ||
            config_has_kind(config, CONFIG_SOURCE_SILENT));
}

int64_t config_kept(const struct config *config)
{
    bool may_be_corrupt = config_has_kind(config, CONFIG_SOURCE_SILENT) && config->checkpoint_keep > 1;
    return may_be_corrupt ? config->checkpoint_keep : 1;
}

sim_time config_restart_ns(const struct config *config)
{
    return config->restart_ns + config->chips * config->restart_per_chip_ns;
}

static bool check_fleet(const struct config *config, struct config_fault *ret)
{
    if (config->learners > config->chips)
        FAULT("learners.count", "%lld learners cannot share %lld chips; each needs at least one",
              (long long)config->learners, (long long)config->chips);
    if (!config_has_syncer(config) && config->learners != 1)
        FAULT("learners.count", "the method %s has one learner, not %lld; set learners.count to 1",
              config_method_name[config->method], (long long)config->learners);
    return true;
}

static bool check_end(const struct config *config, struct config_fault *ret)
{
    if (config->warmup_ns >= config->duration_ns)
        FAULT("warmup", "it must end before the run does");
    if (config->until_work_ns > config->duration_ns - config->warmup_ns)
        FAULT("until.within", "too short: even when all chips always work, until.work takes longer");
    return true;
}

static bool check_class(const struct config *config, const struct config_class *class, struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    double step_ns = (double)config->step_time_ns / class->speed;
    (void)snprintf(key, sizeof key, "fleet.classes.%s.speed", class->name);
    if (step_ns > STEP_MAX_NS)
        FAULT(key, "%g makes a step take %.3g s (learners.step_time / speed); the limit is 10y", class->speed,
              step_ns / 1e9);
    if (step_ns < 0.5)
        FAULT(key, "%g makes a step take less than a nanosecond (learners.step_time / speed)", class->speed);
    return true;
}

static bool check_classes(const struct config *config, struct config_fault *ret)
{
    double sum = 0;
    for (int i = 0; i < config->class_count; i++) {
        sum += config->class[i].share;
        if (!check_class(config, &config->class[i], ret))
            return false;
    }
    if (config->class_count > config->chips)
        FAULT("fleet.classes", "%d classes cannot share %lld chip%s", config->class_count, (long long)config->chips,
              config->chips == 1 ? "" : "s");
    if (config->class_count > 0 && fabs(sum - 1) > 1e-9)
        FAULT("fleet.classes", "the shares sum to %.10g%%; they must sum to 100%%", 100 * sum);
    return true;
}

static bool check_learners(const struct config *config, const struct config_source *source, const char *below,
                           struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    (void)snprintf(key, sizeof key, "failures.%s.%s", source->name, below);
    for (int i = 0; i < source->learner_count; i++)
        if (source->learner[i] >= config->learners)
            FAULT(key, "there is no learner %d; learners.count is %lld, and the first is 0", (int)source->learner[i],
                  (long long)config->learners);
    return true;
}

bool config_check_calendar(const struct config_source *source, struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    (void)snprintf(key, sizeof key, "failures.%s.calendar.lasts", source->name);
    if (source->calendar_lasts_ns > source->calendar_every_ns)
        FAULT(key, "longer than the period of the calendar (every)");
    (void)snprintf(key, sizeof key, "failures.%s.calendar.from", source->name);
    if (source->calendar_from_ns > source->calendar_every_ns)
        FAULT(key, "later than the end of the period of the calendar (every)");
    return true;
}

/* At random it may come late: who is taken again soon after it came back is told when it does. */
static bool check_notice(const struct config_source *source, struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    sim_time there = source->calendar_every_ns - source->calendar_lasts_ns;
    (void)snprintf(key, sizeof key, "failures.%s.notice", source->name);
    if (source->calendar_every_ns > 0 && source->notice_ns > there)
        FAULT(key, "longer than the learners are there from one absence of the calendar to the next, %.6g s",
              sim_time_seconds(there));
    return true;
}

static bool check_preemption(const struct config *config, const struct config_source *source, struct config_fault *ret)
{
    return check_learners(config, source, "learners", ret) && config_check_calendar(source, ret) &&
           check_notice(source, ret);
}

static bool check_cut(const struct config *config, const struct config_source *source, struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    (void)snprintf(key, sizeof key, "failures.%s.kind", source->name);
    if (!config_has_syncer(config))
        FAULT(key, "%s has no syncer to be cut from; allowed with diloco, streaming-diloco, decoupled-diloco",
              config_method_name[config->method]);
    (void)snprintf(key, sizeof key, "failures.%s.factor", source->name);
    if (config_is_slow_link(source) && !(config->parameters > 0))
        FAULT(key, "a slower link changes nothing where nothing takes time to send; give a network section, or leave "
                   "factor out: then the link is cut");
    return check_preemption(config, source, ret);
}

bool config_check_scope(const struct config *config, const struct config_source *source, struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    struct fleet fleet;
    struct scope scope;
    (void)snprintf(key, sizeof key, "failures.%s.only.class", source->name);
    if (source->only_class[0] != '\0' && scope_class_find(config, source->only_class) < 0)
        FAULT(key, "there is no class '%s' in fleet.classes", source->only_class);
    if (!check_learners(config, source, "only.learners", ret))
        return false;
    fleet_init(&fleet, config);
    scope_init(&scope, config, &fleet, source);
    (void)snprintf(key, sizeof key, "failures.%s.only", source->name);
    if (scope.chips == 0)
        FAULT(key, "no chip of the fleet is in it");
    return true;
}

static bool check_chip(const struct config *config, const struct config_source *source, struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    (void)snprintf(key, sizeof key, "failures.%s.life", source->name);
    if (source->timing == CONFIG_BY_LIFE && !(sim_law_mean(&source->life) > 0))
        FAULT(key, "a chip lives longer than 0s");
    return config_check_scope(config, source, ret);
}

static bool check_log_room(const struct config *config, const struct config_source *source, struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    (void)snprintf(key, sizeof key, "failures.%s.machines", source->name);
    if (source->machines < source->log->machines)
        FAULT(key, "the log names %lld machines", (long long)source->log->machines);
    if (source->scale == CONFIG_SCALE_COPIES && source->machines == 0)
        FAULT(key, "to scale a log that names no machines, say how many there were");
    (void)snprintf(key, sizeof key, "failures.%s.chips_per_machine", source->name);
    if (source->chips_per_machine > config->chips)
        FAULT(key, "the fleet has only %lld chips", (long long)config->chips);
    if (source->log->machines > failure_log_places(config, source))
        FAULT(key, "the fleet has room for %lld machines (fleet.chips / chips_per_machine), but the log names %lld",
              (long long)failure_log_places(config, source), (long long)source->log->machines);
    return true;
}

static bool check_log(const struct config *config, const struct config_source *source, struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    sim_time period = failure_log_period(source->log);
    if (!check_log_room(config, source, ret))
        return false;
    (void)snprintf(key, sizeof key, "failures.%s.offset", source->name);
    if (source->log_offset_ns > period)
        FAULT(key, "the log is over after %.6g s", sim_time_seconds(period));
    (void)snprintf(key, sizeof key, "failures.%s.%s", source->name,
                   source->repeat == CONFIG_REPEAT_YES ? "repeat" : "scale");
    if (period == 0 && (source->repeat == CONFIG_REPEAT_YES || source->scale == CONFIG_SCALE_COPIES))
        FAULT(key, "all failures of the log are at the same time: it has no period");
    return true;
}

typedef bool source_check(const struct config *config, const struct config_source *source, struct config_fault *ret);

static source_check *const check_source[CONFIG_SOURCE_COUNT] = {
    [CONFIG_SOURCE_CHIP] = check_chip,
    [CONFIG_SOURCE_PREEMPTION] = check_preemption,
    [CONFIG_SOURCE_LOG] = check_log,
    [CONFIG_SOURCE_SILENT] = config_check_scope,
    [CONFIG_SOURCE_SLOWDOWN] = config_check_scope,
    [CONFIG_SOURCE_DOMAIN] = config_check_domain,
    [CONFIG_SOURCE_MAINTENANCE] = config_check_maintenance,
    [CONFIG_SOURCE_LINK] = check_cut,
};

static bool check_sources(const struct config *config, struct config_fault *ret)
{
    for (int i = 0; i < config->source_count; i++) {
        source_check *check = check_source[config->source[i].kind];
        if (check && !check(config, &config->source[i], ret))
            return false;
    }
    return true;
}

/* The entry before `entry` that names the learner, or NULL. */
static const struct config_link *find_link(const struct config *config, const struct config_link *entry,
                                           int32_t learner)
{
    for (const struct config_link *other = config->link; other < entry; other++)
        for (int k = 0; k < other->learner_count; k++)
            if (other->learner[k] == learner)
                return other;
    return NULL;
}

static bool check_link(const struct config *config, const struct config_link *link, struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    (void)snprintf(key, sizeof key, "network.links.%s.learners", link->name);
    for (int k = 0; k < link->learner_count; k++) {
        const struct config_link *other = find_link(config, link, link->learner[k]);
        if (link->learner[k] >= config->learners)
            FAULT(key, "there is no learner %d; learners.count is %lld, and the first is 0", (int)link->learner[k],
                  (long long)config->learners);
        if (other)
            FAULT(key, "learner %d has its link from network.links.%s already", (int)link->learner[k], other->name);
    }
    return true;
}

static bool check_prices(const struct config *config, struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    for (int i = 0; i < config->price_count; i++) {
        (void)snprintf(key, sizeof key, "prices.class.%s", config->price[i].name);
        if (scope_class_find(config, config->price[i].name) < 0)
            FAULT(key, "there is no class '%s' in fleet.classes", config->price[i].name);
    }
    return true;
}

static bool check_pool(const struct config *config, struct config_fault *ret)
{
    int64_t beside = config_pool(config) + config->loan_slices;
    if (beside > CONFIG_CHIPS_MAX - config->chips)
        FAULT("fleet.spares", "%lld slices beside %lld chips (spares, standby, loans) are too many; at most %d in all",
              (long long)beside, (long long)config->chips, CONFIG_CHIPS_MAX);
    return true;
}

static bool check_repair(const struct config *config, struct config_fault *ret)
{
    char key[CONFIG_KEY_MAX];
    if (config->stage_count == 0)
        return true;
    const struct config_stage *last = &config->stage[config->stage_count - 1];
    if (config->crews > 0)
        FAULT("repair.crews", "with stages each has crews of its own (repair.stages.%s.crews)", config->stage[0].name);
    (void)snprintf(key, sizeof key, "repair.stages.%s.escalates", last->name);
    if (last->escalates > 0)
        FAULT(key, "it is the last stage: there is none to escalate to");
    return true;
}

static bool check_network(const struct config *config, struct config_fault *ret)
{
    if (config->link_count > 0 && !config_has_syncer(config))
        FAULT("network.links", "%s has one learner, and its link is network.link", config_method_name[config->method]);
    for (int i = 0; i < config->link_count; i++)
        if (!check_link(config, &config->link[i], ret))
            return false;
    if (config->parameters > 0 && config_has_syncer(config) &&
        config->learners * config->sync_overlap > CONFIG_LEDGER_MAX)
        FAULT("syncer.overlap", "%lld rounds in flight to %lld learners are more than fit in memory; at most %d in all",
              (long long)config->sync_overlap, (long long)config->learners, CONFIG_LEDGER_MAX);
    double sum = config_tensor_sum(config);
    if (config->tensor_count > 0 && config->parameters != sum)
        FAULT("network.parameters", "the tensors have %.0f parameters, not %.0f; leave one of the two out", sum,
              config->parameters);
    return true;
}

/* DiLoCo and Streaming DiLoCo wait for every learner; DiLoCo also for every result. */
static bool check_lock_step(const struct config *config, struct config_fault *ret)
{
    const char *method = config_method_name[config->method];
    if (config->method != CONFIG_DILOCO && config->method != CONFIG_STREAMING_DILOCO)
        return true;
    if (config->quorum != config->learners)
        FAULT("syncer.quorum", "%s waits for all %lld learners; a quorum of %lld is decoupled-diloco", method,
              (long long)config->learners, (long long)config->quorum);
    if (config->grace != CONFIG_GRACE_OFF)
        FAULT("syncer.grace", "%s waits for all learners and then for nobody; a grace is decoupled-diloco", method);
    if (config->method != CONFIG_DILOCO)
        return true;
    if (config->fragments != 1)
        FAULT("syncer.fragments", "diloco sends the whole model at once; %lld fragments are streaming-diloco",
              (long long)config->fragments);
    if (config->sync_overlap != 0)
        FAULT("syncer.overlap",
              "diloco waits for the result of every round; running %lld steps ahead is streaming-diloco",
              (long long)config->sync_overlap);
    return true;
}

static bool check_syncer(const struct config *config, struct config_fault *ret)
{
    if (!config_has_syncer(config))
        return true;
    if (config->quorum < 1)
        FAULT("syncer.quorum", "a round waits for at least one learner, not for %lld", (long long)config->quorum);
    if (config->quorum > config->learners)
        FAULT("syncer.quorum", "a quorum of %lld can never be reached with %lld learner%s", (long long)config->quorum,
              (long long)config->learners, config->learners == 1 ? "" : "s");
    if (config->fragments > config->sync_every)
        FAULT("syncer.fragments",
              "%lld fragments do not fit into a cycle of %lld rounds (syncer.sync_every): one round "
              "sends at most one",
              (long long)config->fragments, (long long)config->sync_every);
    if (config->learners * config->fragments > CONFIG_LEDGER_MAX)
        FAULT("syncer.fragments",
              "%lld fragments of %lld learners are more counters than fit in memory; at most %d in all",
              (long long)config->fragments, (long long)config->learners, CONFIG_LEDGER_MAX);
    if (config->sync_overlap >= config->sync_every)
        FAULT("syncer.overlap",
              "%lld steps reach the next turn of the same fragment, which comes after %lld rounds "
              "(syncer.sync_every)",
              (long long)config->sync_overlap, (long long)config->sync_every);
    return true;
}

/* A snapshot has a copy of the counters that check_syncer limits. */
static bool check_snapshots(const struct config *config, struct config_fault *ret)
{
    int64_t counters = config->learners * config->fragments, copies = config_kept(config) + 3;
    if (config_has_snapshots(config) && counters > CONFIG_LEDGER_MAX / copies)
        FAULT(
            "checkpoint.keep",
            "%lld snapshots of %lld fragments of %lld learners are more counters than fit in memory; at most %d in all",
            (long long)copies, (long long)config->fragments, (long long)config->learners, CONFIG_LEDGER_MAX);
    return true;
}

bool config_check(const struct config *config, struct config_fault *ret)
{
    return check_fleet(config, ret) && check_end(config, ret) && check_classes(config, ret) &&
           config_check_levels(config, ret) && check_sources(config, ret) && check_pool(config, ret) &&
           check_prices(config, ret) && check_repair(config, ret) && check_syncer(config, ret) &&
           check_snapshots(config, ret) && check_lock_step(config, ret) && check_network(config, ret);
}
