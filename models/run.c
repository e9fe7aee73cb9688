#include "models/run.h"

#include <math.h>
#include <stdlib.h>

#include "models/prices.h"
#include "models/world.h"

const struct run_metric_info run_metric_info[RUN_METRIC_COUNT] = {
#define FRACTION RUN_METRIC_FRACTION
#define COUNT RUN_METRIC_COUNT_KIND
#define REAL RUN_METRIC_REAL
#define METRIC(name, kind, meaning) {#name, kind, meaning},
#include "models/metrics.def"
#undef METRIC
#undef FRACTION
#undef COUNT
#undef REAL
};

const char *const run_bucket_name[RUN_BUCKET_COUNT] = {
#define BUCKET(name, meaning) #name,
#include "models/bucket.def"
#undef BUCKET
};

const char *const run_status_name[RUN_STATUS_COUNT] = {"done",    "stopped",    "no_progress",
                                                       "stalled", "tape_ended", "timeout"};

static void fill_learner(struct run_learner *ret, const struct learner *learner)
{
    *ret = (struct run_learner){
        .chips = learner->chips,
        .steps = learner->count.steps,
        .tokens = learner_tokens(learner, learner->count.chip_steps),
        .stepping_ns = learner->count.stepping_ns,
        .interruptions = learner->count.interruptions,
        .restoring = learner->count.restoring,
    };
    for (int i = 0; i < RUN_BUCKET_COUNT; i++)
        ret->bucket[i] = learner->count.account.bucket[i];
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Goodput, tokens and steps: sums over learners. */
static void measure_learners(const struct world *world, struct run_result *ret)
{
    sim_chip_time useful = 0, allocated = (sim_chip_time)world->config->chips * ret->duration_ns;
    double steps = 0, tokens = 0;
    for (int64_t i = 0; i < ret->learners; i++) {
        const struct run_learner *learner = &ret->learner[i];
        useful += learner->bucket[RUN_BUCKET_useful];
        steps += (double)learner->steps;
        tokens += learner->tokens;
    }
    ret->metric[RUN_METRIC_goodput] = ratio((double)useful, (double)allocated);
    ret->metric[RUN_METRIC_steps] = steps;
    ret->metric[RUN_METRIC_tokens] = tokens;
}

/* Each token counts 1/P for every fragment it is merged for. */
static double tokens_merged(const struct world *world)
{
    const struct config *config = world->config;
    double tokens = fleet_tokens(&world->fleet, config->tokens_per_step, world->syncer.count.merged.chip_steps);
    return config->fragments > 0 ? tokens / (double)config->fragments : 0;
}

static void measure_syncer(const struct world *world, struct run_result *ret)
{
    const struct syncer_count *count = &world->syncer.count;
    double rounds = (double)count->rounds;
    ret->metric[RUN_METRIC_syncer_progress] = rounds * (double)world->config->step_time_ns / (double)ret->duration_ns;
    ret->metric[RUN_METRIC_rounds] = rounds;
    ret->metric[RUN_METRIC_participants] = ratio((double)count->participants, rounds);
    ret->metric[RUN_METRIC_quorum_wait_s] = ratio(sim_time_seconds(count->quorum_wait_ns), rounds);
    ret->metric[RUN_METRIC_effective_learners] = merge_mean_effective_learners(&count->merged);
    ret->metric[RUN_METRIC_staleness] = ratio((double)count->merged.staleness, (double)count->merged.claims);
    ret->metric[RUN_METRIC_staleness_max] = (double)count->merged.staleness_max;
    ret->metric[RUN_METRIC_tokens_merged] = tokens_merged(world);
    ret->metric[RUN_METRIC_grace_s] = ratio(sim_time_seconds(count->grace_ns), rounds);
}

/* Counts of learners that have no place among the results of each. */
static void measure_recovery(const struct world *world, struct run_result *ret)
{
    double math = 0, stepping = 0, recoveries = 0, steps_lost = 0;
    for (int64_t i = 0; i < ret->learners; i++) {
        const struct run_learner *learner = &ret->learner[i];
        const struct learner_count *count = &world->learner[i].count;
        math += (double)count->math;
        recoveries += (double)count->recoveries;
        steps_lost += (double)count->steps_lost;
        stepping += (double)(learner->bucket[RUN_BUCKET_useful] + learner->bucket[RUN_BUCKET_lost] +
                             learner->bucket[RUN_BUCKET_blocked]);
    }
    /* a step under way when the warm-up ends counts whole, as it does for tokens */
    ret->metric[RUN_METRIC_compute_utilisation] = fmin(ratio(math, stepping), 1);
    ret->metric[RUN_METRIC_recoveries] = recoveries;
    ret->metric[RUN_METRIC_steps_lost] = steps_lost;
}

static void measure_slowdowns(const struct world *world, struct run_result *ret)
{
    sim_chip_time slowed = 0, stepping = 0;
    for (int64_t i = 0; i < ret->learners; i++) {
        const struct run_learner *learner = &ret->learner[i];
        slowed += world->learner[i].count.slowed;
        stepping += learner->bucket[RUN_BUCKET_useful] + learner->bucket[RUN_BUCKET_lost];
    }
    ret->metric[RUN_METRIC_slowdowns] = (double)world->slowdowns.begun;
    ret->metric[RUN_METRIC_slowed] = ratio((double)slowed, (double)stepping);
}

static void measure_repair(struct world *world, struct run_result *ret)
{
    const struct spares_count *spares = &world->spares.count;
    ret->metric[RUN_METRIC_operating] = sim_level_mean(&world->in_service) / (double)world->config->chips;
    ret->metric[RUN_METRIC_crew_wait_s] = repair_wait_s(world);
    ret->metric[RUN_METRIC_crew_busy] = repair_busy(world);
    ret->metric[RUN_METRIC_unmended] = (double)world->repair.count.unmended;
    ret->metric[RUN_METRIC_retired] = (double)world->repair.count.retired;
    ret->metric[RUN_METRIC_spares_used] = (double)spares->used;
    ret->metric[RUN_METRIC_standby_failures] = (double)spares->failures;
    ret->metric[RUN_METRIC_loans] = (double)spares->loans;
}

static void measure_cost(struct world *world, struct run_result *ret)
{
    double cost = prices_cost(world, ret->duration_ns),
           allocated = (double)world->config->chips * (double)ret->duration_ns;
    double useful_h = ret->metric[RUN_METRIC_goodput] * allocated / 3600e9, tokens = ret->metric[RUN_METRIC_tokens];
    ret->metric[RUN_METRIC_cost] = cost;
    ret->metric[RUN_METRIC_cost_per_useful_chip_hour] = useful_h > 0 ? cost / useful_h : NAN;
    ret->metric[RUN_METRIC_cost_per_million_tokens] = tokens > 0 ? cost / (tokens / 1e6) : NAN;
}

/* One that is under way counts. */
static double outages(const struct world *world)
{
    bool is_under_way = world->stepping == 0 && world->outage_start < world->sim.origin.now;
    return (double)(world->count.outages + is_under_way);
}

static void measure_takings(const struct world *world, struct run_result *ret)
{
    const struct domain_count *count = &world->count.domain;
    ret->metric[RUN_METRIC_shocks] = (double)count->shocks;
    ret->metric[RUN_METRIC_blast_chips] = ratio((double)count->chips, (double)count->shocks);
    ret->metric[RUN_METRIC_blast_chips_max] = (double)count->chips_max;
    ret->metric[RUN_METRIC_maintenances] = (double)world->count.maintenances;
}

static void measure_links(const struct world *world, struct run_result *ret)
{
    double cuts = 0, cut_ns = 0, degradations = 0, degraded_ns = 0;
    for (int64_t i = 0; i < ret->learners; i++) {
        const struct learner_count *count = &world->learner[i].count;
        cuts += (double)count->cuts;
        cut_ns += (double)count->cut_ns;
        degradations += (double)count->degradations;
        degraded_ns += (double)count->degraded_ns;
    }
    ret->metric[RUN_METRIC_degradations] = degradations;
    ret->metric[RUN_METRIC_degraded_share] = degraded_ns / ((double)ret->learners * (double)ret->duration_ns);
    ret->metric[RUN_METRIC_cuts] = cuts;
    ret->metric[RUN_METRIC_cut_share] = cut_ns / ((double)ret->learners * (double)ret->duration_ns);
}

static void measure(struct world *world, struct run_result *ret)
{
    ret->metric[RUN_METRIC_uptime] = sim_level_mean(&world->any_stepping);
    ret->metric[RUN_METRIC_quorum_uptime] = sim_level_mean(&world->quorum_stepping);
    ret->metric[RUN_METRIC_failures] = (double)world->count.failures;
    ret->metric[RUN_METRIC_interruptions] = (double)world->count.interruptions;
    ret->metric[RUN_METRIC_reconfigurations] = (double)world->count.reconfigurations;
    ret->metric[RUN_METRIC_repairs] = (double)world->count.repairs;
    ret->metric[RUN_METRIC_checkpoints] = (double)world->count.checkpoints;
    ret->metric[RUN_METRIC_outages] = outages(world);
    ret->metric[RUN_METRIC_rollbacks] = (double)world->count.rollbacks;
    measure_learners(world, ret);
    measure_recovery(world, ret);
    measure_syncer(world, ret);
    measure_repair(world, ret);
    measure_cost(world, ret);
    measure_slowdowns(world, ret);
    measure_takings(world, ret);
    measure_links(world, ret);
}

/* Every chip-nanosecond is in exactly one bucket. */
static void check_accounts(const struct world *world, sim_time duration)
{
    sim_chip_time total = 0;
    for (int64_t i = 0; i < world->config->learners; i++)
        total += account_total(&world->learner[i].count.account);
    total += account_total(&world->spares.count.account);
    SIM_ASSERT(&world->sim.origin, total == (sim_chip_time)(world->config->chips + spares_chips(world)) * duration);
}

static void collect(struct world *world, struct run_result *ret)
{
    world_settle(world);
    ret->duration_ns = world->sim.origin.now - world->window_start;
    check_accounts(world, ret->duration_ns);
    ret->learners = world->config->learners;
    ret->learner = sim_allocate((size_t)ret->learners, sizeof *ret->learner);
    for (int64_t i = 0; i < ret->learners; i++)
        fill_learner(&ret->learner[i], &world->learner[i]);
    ret->spare_chips = spares_chips(world);
    for (int i = 0; i < RUN_BUCKET_COUNT; i++)
        ret->spare_bucket[i] = world->spares.count.account.bucket[i];
    if (ret->duration_ns > 0)
        measure(world, ret);
    ret->metric[RUN_METRIC_time_to_train_s] = world->until.is_done ? sim_time_seconds(ret->duration_ns) : NAN;
}

static enum run_status status_at_end(const struct world *world)
{
    if (world->is_tape_over)
        return RUN_TAPE_ENDED;
    return config_has_until(world->config) && !world->until.is_done ? RUN_STALLED : RUN_DONE;
}

void run_replica(const struct run_request *request, struct run_result *ret)
{
    *ret = (struct run_result){.status = RUN_STOPPED};
    struct world *world = sim_allocate(1, sizeof *world);
    world_init(world, request);
    switch (sim_run(&world->sim, world->is_tape_over ? 0 : request->config->duration_ns)) {
    case SIM_REACHED_END:
        ret->status = status_at_end(world);
        break;
    case SIM_NO_PROGRESS:
        ret->status = RUN_NO_PROGRESS;
        break;
    case SIM_STOPPED:
        break;
    }
    if (ret->status == RUN_NO_PROGRESS || ret->status == RUN_STOPPED)
        ret->no_progress_at_ns = world->sim.origin.now;
    if (ret->status != RUN_STOPPED)
        collect(world, ret);
    world_fini(world);
    free(world);
}

void run_result_fini(struct run_result *result)
{
    free(result->learner);
    *result = (struct run_result){.status = RUN_STOPPED};
}
