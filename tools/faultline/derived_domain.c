/* derived_domain.c -- what shocks to racks, pods and datacentres come to on paper.
 *
 * Each domain fails once in mtbi, so D of them give D / mtbi shocks a second, and each chip is hit once in mtbi. A
 * shock takes out every slice that its domain touches: over all domains these are the slices and, once more, each slice
 * that a border between two domains cuts. */
#include "models/domain.h"
#include "models/maintenance.h"
#include "models/scope.h"
#include "tools/faultline/derived_internal.h"
#include "tools/faultline/renewal.h"

static int64_t domains(const struct config *config, const struct config_source *source)
{
    struct fleet fleet;
    struct scope scope;
    fleet_init(&fleet, config);
    scope_init(&scope, config, &fleet, source);
    return domain_total_in_scope(config, source, &scope);
}

/* Slices that domains touch, summed over the domains of the fleet. */
static int64_t slices_touched(const struct config *config, const struct config_source *source)
{
    struct fleet fleet;
    fleet_init(&fleet, config);
    int64_t count = fleet.slices;
    for (int64_t domain = domain_total(config, source) - 1; domain > 0; domain--) {
        int64_t border = domain_first_chip(config, source, domain);
        count += fleet_first_chip(&fleet, fleet_locate(&fleet, border).slice) < border;
    }
    return count;
}

double derived_domain_shocks(const struct config *config, const struct config_source *source)
{
    return (double)domains(config, source) / source->mtbi_s;
}

double derived_domain_slices(const struct config *config, const struct config_source *source)
{
    double in_scope = (double)renewal_chips(config, source) / (double)config->chips;
    return (double)slices_touched(config, source) * in_scope / source->mtbi_s;
}

void derived_show_domain(const struct derived_tour *tour, const struct config_source *source)
{
    const struct config *config = tour->config;
    double shocks = derived_domain_shocks(config, source);
    double count = (double)domains(config, source), chips = (double)renewal_chips(config, source);
    const struct derived_value values[] = {
        {"failures", source->name, "domains", DERIVED_COUNT, count, "domains with chips that it is about"},
        {"failures", source->name, "chips_per_domain", DERIVED_REAL, chips / count, "of these chips, on average"},
        {"failures", source->name, "slices_per_domain", DERIVED_REAL, derived_domain_slices(config, source) / shocks,
         "slices that a shock takes out, on average, all of them in service"},
        {"failures", source->name, "mtbf_cluster", DERIVED_SECONDS, 1 / shocks,
         "mean time between shocks: mtbi / domains"},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        tour->visit(tour->context, &values[i]);
}

void derived_show_maintenance(const struct derived_tour *tour, const struct config_source *source)
{
    const struct config *config = tour->config;
    int64_t count = domains(config, source);
    double in_scope = (double)renewal_chips(config, source) / (double)config->chips;
    double every_s = sim_time_seconds(source->calendar_every_ns), lasts_s = sim_time_seconds(source->calendar_lasts_ns);
    double turn_s = (double)(count - 1) * sim_time_seconds(maintenance_rolling_ns(source)) + lasts_s;
    const struct derived_value values[] = {
        {"failures", source->name, "domains", DERIVED_COUNT, (double)count, "that it takes out, one after the other"},
        {"failures", source->name, "turn", DERIVED_SECONDS, turn_s,
         "from the start of the first to the end of the last"},
        {"failures", source->name, "share_away", DERIVED_FRACTION, in_scope * lasts_s / every_s,
         "share of the chips that it holds away on average"},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        tour->visit(tour->context, &values[i]);
}
