/* tests/fuzz/small_run.h -- a run of whatever config a fuzz target has made, when that can be done in milliseconds.
 *
 * Units: as in models/config.h.
 * Ownership: small_run fills a result that the caller releases with run_result_fini.
 * Errors: none.
 */
#ifndef TESTS_FUZZ_SMALL_RUN_H
#define TESTS_FUZZ_SMALL_RUN_H

#include "models/run.h"
#include "tests/fuzz/fuzz.h"

#define SMALL_RUN_STEPS 60
#define SMALL_RUN_FAILURES 500.0

/* Failures that are expected in the span, of all chips as if they never left. */
static inline double small_run_failures(const struct config *config, double span_s)
{
    double sum = 0;
    for (int i = 0; i < config->source_count; i++) {
        const struct config_source *source = &config->source[i];
        double gap_s = source->calendar_every_ns > 0       ? sim_time_seconds(source->calendar_every_ns)
                       : source->kind == CONFIG_SOURCE_LOG ? span_s / 100
                                                           : config_mtbi_s(source) / config_lemon_weight(source);
        double shape = source->timing == CONFIG_BY_LIFE ? 20 : 1; /* many lives are shorter than their mean */
        sum += shape * span_s / gap_s * (double)(source->kind == CONFIG_SOURCE_LOG ? 1 : config->chips);
    }
    return sum;
}

/* Shortens the config to some steps. False when even that is too much work. */
static inline bool small_run_fit(struct config *config)
{
    sim_time span_ns = config->step_time_ns < config->duration_ns / SMALL_RUN_STEPS
                           ? config->step_time_ns * SMALL_RUN_STEPS
                           : config->duration_ns;
    config->duration_ns = span_ns;
    config->warmup_ns = config->warmup_ns < span_ns / 2 ? config->warmup_ns : span_ns / 2;
    struct config_fault fault;
    return config->chips + config->spares + config->standby + config->loan_slices <= 20000 && config->learners <= 16 &&
           config->checkpoint_keep <= 64 && config->fragments <= 256 && config->sync_every <= 256 &&
           (config->checkpoint_every_ns == 0 || span_ns / config->checkpoint_every_ns < 1000) &&
           small_run_failures(config, sim_time_seconds(span_ns)) <= SMALL_RUN_FAILURES && config_check(config, &fault);
}

static inline void small_run(const struct config *config, const struct run_draws *draws, struct run_result *ret)
{
    const struct run_request request = {.config = config, .seed = 3, .replica = 1, .draws = draws};
    run_replica(&request, ret);
}

/* The same to the last bit, also where a metric is no number. */
static inline void small_run_expect_same(const struct run_result *a, const struct run_result *b)
{
    FUZZ_ASSERT(a->status == b->status && a->duration_ns == b->duration_ns && a->learners == b->learners);
    FUZZ_ASSERT(memcmp(a->metric, b->metric, sizeof a->metric) == 0);
    for (int64_t i = 0; i < a->learners; i++)
        FUZZ_ASSERT(memcmp(a->learner[i].bucket, b->learner[i].bucket, sizeof a->learner[i].bucket) == 0);
}

#endif
