#include "tools/faultline/cost.h"

#include "models/failures.h"
#include "tools/faultline/derived.h"
#include "tools/faultline/renewal.h"

/* Measured on one core of a server with dp, elastic-dp and decoupled-diloco, 40k to 16M chips: a failure with all that
 * it leads to, the same where a dp job only restarts, a step that waits for others or is a draw of its own, one that
 * does neither; an absence of a learner, a cut or a restart of everything for each, a slice in maintenance; and the
 * rest of a replica. */
#define FAILURE_S 4e-7
#define FAILURE_DP_S 1.6e-7
#define STEP_S 1e-7
#define STEP_ALONE_S 3e-8
#define TAKING_S 5e-7
#define REPLICA_S 2e-5

double cost_draws(const struct config *config)
{
    double rate = 0;
    for (int i = 0; i < config->source_count; i++)
        if (failures_is_kind(config->source[i].kind))
            rate += (double)renewal_chips(config, &config->source[i]) * renewal_rate(config, &config->source[i]);
    return rate * derived_span_s(config);
}

/* From one to the next: by the calendar, or mtbi and what follows until it can strike again. */
static double cycle_s(const struct config *config, const struct config_source *source)
{
    if (source->calendar_every_ns > 0)
        return sim_time_seconds(source->calendar_every_ns);
    if (source->kind == CONFIG_SOURCE_SYNCER)
        return source->mtbi_s + sim_law_mean(&source->return_after) + sim_time_seconds(config->checkpoint_restore_ns);
    return source->mtbi_s + sim_law_mean(&source->lasts);
}

static double taken_at_once(const struct config *config, const struct config_source *source)
{
    if (source->kind == CONFIG_SOURCE_MAINTENANCE)
        return (double)renewal_chips(config, source) / (double)config->chips_per_slice + 1;
    return source->kind == CONFIG_SOURCE_SYNCER ? (double)config->learners : source->learner_count;
}

double cost_takings(const struct config *config, const struct config_source *source)
{
    bool is_syncer = source->kind == CONFIG_SOURCE_SYNCER;
    if (failures_is_kind(source->kind) || source->kind == CONFIG_SOURCE_LOG ||
        (is_syncer && !config_has_syncer(config)))
        return 0;
    double times = derived_span_s(config) / cycle_s(config, source);
    return taken_at_once(config, source) * times;
}

double cost_steps(const struct config *config)
{
    if (!config_has_rounds(config) && config->step_jitter == 0 && !config->every_step)
        return 0;
    return derived_span_s(config) / sim_time_seconds(config->step_time_ns) * (double)config->learners;
}

double cost_seconds(const struct config *config)
{
    bool is_alone = config->step_jitter == 0 && config_quorum(config) == 1;
    bool restarts = config->method == CONFIG_DP && !config_has_units(config);
    double step_s = is_alone ? STEP_ALONE_S : STEP_S, failure_s = restarts ? FAILURE_DP_S : FAILURE_S;
    double takings = 0;
    for (int i = 0; i < config->source_count; i++)
        takings += cost_takings(config, &config->source[i]);
    return REPLICA_S + TAKING_S * takings + failure_s * cost_draws(config) + step_s * cost_steps(config);
}
