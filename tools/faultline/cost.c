#include "tools/faultline/cost.h"

#include <math.h>

#include "models/failures.h"
#include "tools/faultline/derived.h"
#include "tools/faultline/renewal.h"

/* Measured on one core of a server with dp, elastic-dp and decoupled-diloco, 150k to 2.4M chips and 1 to 16 learners,
 * by tests/bench/shards, which fits them anew: a failure with all that it leads to, the same where a dp job only
 * restarts, and the rest of a replica. Then a step that waits for others, and one that is a draw of its own. Where
 * steps do neither, a round: as long as nothing happens it is part of a quiet stretch, and some steps after each
 * failure are not. Many learners take little longer than a few, as they are looked at side by side. */
#define FAILURE_S 2.9e-7
#define FAILURE_DP_S 8.3e-8
#define STEP_S 9.6e-8
#define STEP_JITTER_S 4.5e-8
#define ROUND_S 2.6e-8
#define ROUND_DISTURBED_S 1.3e-7
#define DISTURBED_STEPS 6.9
#define FEW_LEARNERS 0.28      /* less than so many take less */
#define STEP_IN_ROUND_S 4.5e-9 /* for each learner; from 16 and 256 of them */
#define TAKING_S 5e-7 /* an absence of a learner, a cut, a restart of everything for each; a slice in maintenance */
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

/* Of a step on average, where cost_steps are simulated. */
static double step_seconds(const struct config *config, double draws, double steps)
{
    if (!config_has_rounds(config))
        return STEP_JITTER_S;
    if (config->every_step || config->step_jitter > 0 || config_quorum(config) > 1)
        return STEP_S;
    double learners = (double)config->learners, draws_per_round = draws / steps * learners;
    double round_s = ROUND_S + ROUND_DISTURBED_S * -expm1(-draws_per_round * DISTURBED_STEPS);
    return STEP_IN_ROUND_S + round_s / (learners + FEW_LEARNERS);
}

double cost_seconds(const struct config *config)
{
    bool restarts = config->method == CONFIG_DP && !config_has_units(config);
    double draws = cost_draws(config), steps = cost_steps(config), takings = 0;
    for (int i = 0; i < config->source_count; i++)
        takings += cost_takings(config, &config->source[i]);
    double cost_s = REPLICA_S + TAKING_S * takings + draws * (restarts ? FAILURE_DP_S : FAILURE_S);
    return steps > 0 ? cost_s + steps * step_seconds(config, draws, steps) : cost_s;
}
