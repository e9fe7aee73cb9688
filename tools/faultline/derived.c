#include "tools/faultline/derived.h"

#include <math.h>

struct tour {
    const struct config *config;
    void (*visit)(void *context, const struct derived_value *value);
    void *context;
};

static void show(const struct tour *tour, const char *source, const char *name, enum derived_unit unit, double number,
                 const char *meaning)
{
    tour->visit(tour->context, &(struct derived_value){source, name, unit, number, meaning});
}

static int64_t slices_of(const struct config *config, int64_t chips)
{
    return (chips + config->chips_per_slice - 1) / config->chips_per_slice;
}

/* The first learners have one chip more when the chips do not divide. */
static int64_t slices_of_fleet(const struct config *config)
{
    int64_t share = config->chips / config->learners, larger = config->chips % config->learners;
    return larger * slices_of(config, share + 1) + (config->learners - larger) * slices_of(config, share);
}

static int64_t largest_learner(const struct config *config)
{
    return (config->chips + config->learners - 1) / config->learners;
}

/* A slice may have fewer chips than chips_per_slice when its learner does. */
static int64_t largest_slice(const struct config *config)
{
    int64_t learner = largest_learner(config);
    return config->chips_per_slice < learner ? config->chips_per_slice : learner;
}

/* Long-run share of the time that a slice is away: it alternates between service, ended at the summed rate of its chips,
 * and the mean return time of whatever ended it. With dp the failed slice is replaced within the restart. */
static double share_away(const struct config *config)
{
    double away_per_service = 0;
    if (config->method == CONFIG_DP)
        return 0;
    for (int i = 0; i < config->source_count; i++) {
        double rate = (double)largest_slice(config) / config->source[i].mtbi_s;
        away_per_service += rate * sim_law_mean(&config->source[i].return_after);
    }
    return isfinite(away_per_service) ? away_per_service / (1 + away_per_service) : 1;
}

static void show_fleet(const struct tour *tour)
{
    const struct config *config = tour->config;
    int64_t learner = largest_learner(config);
    show(tour, NULL, "chips_per_learner", DERIVED_COUNT, (double)learner,
         config->chips % config->learners == 0 ? "chips of each learner"
                                               : "chips of the first learners; others: 1 less");
    show(tour, NULL, "slices_per_learner", DERIVED_COUNT, (double)slices_of(config, learner),
         "slices of the largest learner");
    show(tour, NULL, "slices", DERIVED_COUNT, (double)slices_of_fleet(config), "slices of the fleet");
}

static void show_source(const struct tour *tour, const struct config_source *source)
{
    const struct config *config = tour->config;
    show(tour, source->name, "mtbf_cluster", DERIVED_SECONDS, source->mtbi_s / (double)config->chips,
         "mean time between failures of the fleet: mtbi / chips");
    show(tour, source->name, "mtbf_learner", DERIVED_SECONDS, source->mtbi_s / (double)largest_learner(config),
         "of a learner");
    show(tour, source->name, "mtbf_slice", DERIVED_SECONDS, source->mtbi_s / (double)largest_slice(config),
         "of a slice");
    if (config->method != CONFIG_DP)
        show(tour, source->name, "return_mean", DERIVED_SECONDS, sim_law_mean(&source->return_after),
             "mean of return_after");
}

/* Over all sources: nothing to say when nothing fails. */
static void show_sum(const struct tour *tour)
{
    const struct config *config = tour->config;
    double rate = 0, away = share_away(config);
    for (int i = 0; i < config->source_count; i++)
        rate += (double)config->chips / config->source[i].mtbi_s;
    if (config->source_count == 0)
        return;
    show(tour, NULL, "mtbf_cluster", DERIVED_SECONDS, 1 / rate, "mean time between failures of the whole fleet");
    show(tour, NULL, "share_away", DERIVED_FRACTION, away, "share of the slices that is away on average");
    show(tour, NULL, "slices_away", DERIVED_REAL, away * (double)slices_of_fleet(config), "slices away on average");
    show(tour, NULL, "failures_expected", DERIVED_REAL, rate * (1 - away) * sim_time_seconds(config->duration_ns),
         "failures in the run, of chips in service");
}

void derived_each(const struct config *config, void (*visit)(void *context, const struct derived_value *value),
                  void *context)
{
    struct tour tour = {config, visit, context};
    show_fleet(&tour);
    for (int i = 0; i < config->source_count; i++)
        show_source(&tour, &config->source[i]);
    show_sum(&tour);
}
