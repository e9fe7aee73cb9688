#include "tools/faultline/independent.h"

#include <math.h>
#include <stdlib.h>

#include "sim/assert.h"
#include "tools/faultline/summary.h"

/* ------------------------------------------------------------------ what ties learners together */

static bool can_wait_for_each_other(const struct config *config)
{
    struct config without = *config;
    without.without_rounds = true;
    return config_has_rounds(&without);
}

static double recoveries(const struct record records[], size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += record_counts(&records[i]) ? records[i].metric[RUN_METRIC_recoveries] : 0;
    return sum;
}

static const char *objection_to(const struct config_source *source)
{
    if (source->kind == CONFIG_SOURCE_DOMAIN || source->kind == CONFIG_SOURCE_LOG ||
        source->kind == CONFIG_SOURCE_SYNCER || source->kind == CONFIG_SOURCE_SILENT)
        return "one failure may stop several learners";
    if (source->kind == CONFIG_SOURCE_MAINTENANCE || source->calendar_every_ns > 0)
        return "learners stand still by a calendar";
    return source->timing == CONFIG_BY_LIFE ? "chips age, so learners fail more often at some times" : NULL;
}

const char *independent_objection(const struct config *config, const struct record records[], size_t count)
{
    for (int i = 0; i < config->source_count; i++)
        if (objection_to(&config->source[i]) != NULL)
            return objection_to(&config->source[i]);
    if (config_has_units(config))
        return "learners share crews, spares or stages of repair";
    if (can_wait_for_each_other(config))
        return "learners may wait for each other or for the syncer";
    return recoveries(records, count) > 0 ? "learners copy their state from each other" : NULL;
}

/* ------------------------------------------------------------------ the product */

/* True when nothing tells learners apart but chance. */
static bool are_alike(const struct config *config)
{
    bool are = config->class_count == 0 && config->speed_spread == 0 && config->chips % config->learners == 0;
    for (int i = 0; i < config->source_count; i++)
        are = are && config->source[i].learner_count == 0 && config->source[i].only_class[0] == '\0' &&
              config->source[i].lemon_share == 0;
    return are;
}

/* The share of the time that each learner stands still, without replica `left_out`. */
static void standing_of(const struct config *config, const struct record records[], size_t count, size_t left_out,
                        double ret[])
{
    double watched_s = 0, mean = 0;
    for (int64_t m = 0; m < config->learners; m++)
        ret[m] = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == left_out || !record_counts(&records[i]))
            continue;
        watched_s += records[i].duration_s;
        for (int64_t m = 0; m < config->learners; m++)
            ret[m] += records[i].duration_s - records[i].learner[m].stepping_s;
    }
    for (int64_t m = 0; m < config->learners; m++) {
        ret[m] = fmax(ret[m] / watched_s, 0);
        mean += ret[m] / (double)config->learners;
    }
    for (int64_t m = 0; m < config->learners && are_alike(config); m++)
        ret[m] = mean;
}

/* The chance that at least `many` of n stand still: after each learner, chance[k] is that of k so far, and of `many`
 * and more in the last. */
static double tail(const double standing[], int64_t n, int64_t many)
{
    double *chance = sim_allocate((size_t)many + 1, sizeof *chance);
    chance[0] = 1;
    for (int64_t m = 0; m < n; m++) {
        chance[many] += chance[many - 1] * standing[m];
        for (int64_t k = many - 1; k >= 0; k--)
            chance[k] = chance[k] * (1 - standing[m]) + (k > 0 ? chance[k - 1] * standing[m] : 0);
    }
    double result = chance[many];
    free(chance);
    return result;
}

struct independent independent_interval(double mean, double relative_error, double degrees)
{
    double factor = degrees > 0 ? exp(summary_t95(degrees) * relative_error) : NAN;
    return (struct independent){.share = mean, .low = mean / factor, .high = mean * factor};
}

struct independent independent_of(const struct config *config, int64_t quorum, const struct record records[],
                                  size_t count)
{
    int64_t n = config->learners, many = n - quorum + 1;
    double *standing = sim_allocate((size_t)n, sizeof *standing), sum = 0, squares = 0, replicas = 0;
    standing_of(config, records, count, count, standing);
    double whole = tail(standing, n, many);
    for (size_t i = 0; i < count; i++)
        replicas += record_counts(&records[i]);
    for (size_t i = 0; i < count && replicas > 1; i++) {
        if (!record_counts(&records[i]))
            continue;
        standing_of(config, records, count, i, standing);
        double without = log(tail(standing, n, many));
        sum += without;
        squares += without * without;
    }
    free(standing);
    if (!(whole > 0))
        return (struct independent){NAN, NAN, NAN};
    double variance = (replicas - 1) / replicas * (squares - sum * sum / replicas);
    return independent_interval(whole, sqrt(fmax(variance, 0)), replicas - 1);
}
