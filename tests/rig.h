/* tests/rig.h -- what the tests of sim and models share: a main for check, and small scenarios.
 *
 * Units: as in models/config.h.
 * Ownership: rig_run fills a result that the caller releases with run_result_fini.
 * Errors: a scenario that does not pass config_check fails the test.
 */
#ifndef TESTS_RIG_H
#define TESTS_RIG_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "models/run.h"

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

static inline struct sim_law rig_exponential(double mean_s)
{
    return (struct sim_law){.kind = SIM_LAW_EXPONENTIAL, .parameter = {mean_s}};
}

static inline struct sim_law rig_constant(double value_s)
{
    return (struct sim_law){.kind = SIM_LAW_CONSTANT, .parameter = {value_s}};
}

/* A fleet of one learner with 64 chips in slices of 8, step 1 s, D = 2 s, U = 3 s, restart 10 s, 1000 s, no failures. */
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
    };
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

#endif
