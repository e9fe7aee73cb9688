#include "tools/faultline/derived.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/failure_log.h"
#include "models/fragments.h"
#include "models/network.h"
#include "tools/faultline/derived_internal.h"
#include "tools/faultline/renewal.h"

static void show_in(const struct derived_tour *tour, const char *section, const char *entry, struct derived_value value)
{
    value.section = section;
    value.entry = entry;
    tour->visit(tour->context, &value);
}

static void show(const struct derived_tour *tour, const char *name, enum derived_unit unit, double number,
                 const char *meaning)
{
    tour->visit(tour->context, &(struct derived_value){NULL, NULL, name, unit, number, meaning});
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

double derived_span_s(const struct config *config)
{
    if (!config_has_until(config))
        return sim_time_seconds(config->duration_ns);
    double work_s = sim_time_seconds(config->until_work_ns);
    if (config->until_tokens > 0)
        work_s = config->until_tokens / (config->tokens_per_step * (double)config->learners) *
                 sim_time_seconds(config->step_time_ns);
    return sim_time_seconds(config->warmup_ns) + work_s;
}

/* Mean time in repair of a slice that the source takes out, without waits: once through the stages, each of which sees
 * what those before it escalate. */
static double repair_mean_s(const struct config *config, const struct config_source *source)
{
    double mean_s = 0, share = 1;
    if (config->stage_count == 0)
        return sim_law_mean(&source->return_after);
    for (int i = 0; i < config->stage_count; i++) {
        mean_s += share * sim_law_mean(&config->stage[i].takes);
        share *= config->stage[i].escalates;
    }
    return mean_s;
}

/* Slices that the source takes out in a second when all are in service. */
static double slices_lost(const struct config *config, const struct config_source *source)
{
    if (source->kind == CONFIG_SOURCE_DOMAIN)
        return derived_domain_slices(config, source);
    if (source->kind != CONFIG_SOURCE_CHIP)
        return 0;
    return (double)renewal_chips(config, source) * renewal_rate(config, source);
}

/* The same of one slice, for failures of chips one of the largest. */
static double slice_rate(const struct config *config, const struct config_source *source)
{
    double slices = source->kind == CONFIG_SOURCE_CHIP ? (double)config->chips / (double)largest_slice(config)
                                                       : (double)slices_of_fleet(config);
    return slices_lost(config, source) / slices;
}

/* Long-run share of the time that a slice is in repair: it alternates between service and the mean repair time of
 * whatever ended it. A dp job whose slices nobody follows replaces them. */
double derived_share_away(const struct config *config)
{
    double away_per_service = 0;
    if (config->method == CONFIG_DP && !config_has_units(config))
        return 0;
    for (int i = 0; i < config->source_count; i++) {
        double rate = slice_rate(config, &config->source[i]);
        away_per_service += rate > 0 ? rate * repair_mean_s(config, &config->source[i]) : 0;
    }
    return isfinite(away_per_service) ? away_per_service / (1 + away_per_service) : 1;
}

static void show_fleet(const struct derived_tour *tour)
{
    const struct config *config = tour->config;
    int64_t learner = largest_learner(config);
    show(tour, "chips_per_learner", DERIVED_COUNT, (double)learner,
         config->chips % config->learners == 0 ? "chips of each learner"
                                               : "chips of the first learners; others: 1 less");
    show(tour, "slices_per_learner", DERIVED_COUNT, (double)slices_of(config, learner),
         "slices of the largest learner");
    show(tour, "slices", DERIVED_COUNT, (double)slices_of_fleet(config), "slices of the fleet");
    if (config_has_until(config))
        show(tour, "time_to_train_least", DERIVED_SECONDS, derived_span_s(config),
             "until the work is done when nothing stops or slows it");
}

/* As the models cut the fleet: at the rounded sum of the shares. */
static void show_classes(const struct derived_tour *tour)
{
    const struct config *config = tour->config;
    double sum = 0, begin = 0;
    for (int i = 0; i < config->class_count; i++) {
        sum += config->class[i].share;
        double end = i == config->class_count - 1 ? (double)config->chips : round(sum * (double)config->chips);
        show_in(tour, "fleet.classes", config->class[i].name,
                (struct derived_value){
                    .name = "chips", .unit = DERIVED_COUNT, .number = end - begin, .meaning = "chips of the class"});
        show_in(tour, "fleet.classes", config->class[i].name,
                (struct derived_value){.name = "step_time",
                                       .unit = DERIVED_SECONDS,
                                       .number = sim_time_seconds(config->step_time_ns) / config->class[i].speed,
                                       .meaning = "step of a learner that has them"});
        begin = end;
    }
}

static void show_chip(const struct derived_tour *tour, const struct config_source *source)
{
    const struct config *config = tour->config;
    int64_t chips = renewal_chips(config, source);
    double mtbf = 1 / renewal_rate(config, source);
    bool has_ages = source->timing == CONFIG_BY_LIFE, is_limited = chips < config->chips;
    const struct derived_value values[] = {
        {NULL, NULL, "chips", DERIVED_COUNT, (double)chips, "chips it is about"},
        {NULL, NULL, "lemons", DERIVED_COUNT, round(source->lemon_share * (double)chips), "of them lemons"},
        {NULL, NULL, "life_mean", DERIVED_SECONDS, config_mtbi_s(source), "mean of life"},
        {NULL, NULL, "mtbf_cluster", DERIVED_SECONDS, mtbf / (double)chips,
         has_ages ? "mean time between failures of the fleet over the run, new at its start"
                  : "mean time between failures of the fleet: mtbi / chips"},
        {NULL, NULL, "mtbf_learner", DERIVED_SECONDS, mtbf / (double)largest_learner(config), "of a learner"},
        {NULL, NULL, "mtbf_slice", DERIVED_SECONDS, mtbf / (double)largest_slice(config), "of a slice"},
        {NULL, NULL, "return_mean", DERIVED_SECONDS, repair_mean_s(config, source),
         config->stage_count > 0 ? "mean of the stages of repair, once through" : "mean of return_after"},
    };
    bool is_repaired = config->method != CONFIG_DP || config_has_units(config);
    const bool means[] = {is_limited, source->lemon_share > 0, has_ages, true, true, true, is_repaired};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (means[i])
            show_in(tour, "failures", source->name, values[i]);
}

/* The share of the time that a learner is away: by the calendar, or because it alternates between mtbi and absence. */
static double share_preempted(const struct config_source *source)
{
    if (source->calendar_every_ns > 0)
        return (double)source->calendar_lasts_ns / (double)source->calendar_every_ns;
    double away = sim_law_mean(&source->lasts);
    return isfinite(away) ? away / (config_mtbi_s(source) + away) : 1;
}

static void show_preemption(const struct derived_tour *tour, const struct config_source *source)
{
    static const struct {
        const char *share, *meaning, *learners, *about;
    } what[] = {{"share_away", "share of the time that each of its learners is away", "learners_away",
                 "learners it holds away on average"},
                {"share_cut", "share of the time that each of its links is cut", "learners_cut",
                 "learners it cuts off on average"},
                {"share_degraded", "share of the time that each of its links is slower", "learners_degraded",
                 "learners whose links it slows down on average"}};
    double share = share_preempted(source);
    int which = config_is_slow_link(source) ? 2 : source->kind == CONFIG_SOURCE_LINK;
    show_in(tour, "failures", source->name,
            (struct derived_value){
                .name = what[which].share, .unit = DERIVED_FRACTION, .number = share, .meaning = what[which].meaning});
    show_in(tour, "failures", source->name,
            (struct derived_value){.name = what[which].learners,
                                   .unit = DERIVED_REAL,
                                   .number = share * source->learner_count,
                                   .meaning = what[which].about});
}

static void show_causes(const struct derived_tour *tour, const struct config_source *source)
{
    char name[CONFIG_KEY_MAX];
    for (int i = 0; i < source->log->causes; i++) {
        const struct config_cause *cause = &source->log->cause[i];
        (void)snprintf(name, sizeof name, "causes.%s", cause->name);
        if (cause->failures > 0)
            show_in(tour, "failures", source->name,
                    (struct derived_value){.name = name,
                                           .number = (double)cause->failures,
                                           .meaning = "failures of the log by this cause"});
    }
}

static void show_log(const struct derived_tour *tour, const struct config_source *source)
{
    const struct config_log *log = source->log;
    double period_s = sim_time_seconds(failure_log_period(log)), outage_s = 0;
    for (int64_t i = 0; i < log->rows; i++)
        outage_s += sim_time_seconds(log->row[i].end_ns - log->row[i].start_ns) / (double)log->rows;
    const struct derived_value values[] = {
        {NULL, NULL, "failures", DERIVED_COUNT, (double)log->rows, "in the log"},
        {NULL, NULL, "period", DERIVED_SECONDS, period_s, "of the log: from its first failure to a gap after the last"},
        {NULL, NULL, "mean_gap", DERIVED_SECONDS, period_s / (double)log->rows, "between failures of the log"},
        {NULL, NULL, "outage_mean", DERIVED_SECONDS, outage_s, "mean length of an outage"},
        {NULL, NULL, "copies", DERIVED_COUNT, (double)failure_log_copies(tour->config, source),
         "of the log in the fleet; of the last there may be a part"},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        show_in(tour, "failures", source->name, values[i]);
    show_causes(tour, source);
}

double derived_crew_load(const struct config *config, int stage)
{
    double work = 0, share = 1, crews = (double)config->crews;
    for (int i = 0; i < stage; i++)
        share *= config->stage[i].escalates;
    if (config->stage_count > 0)
        crews = (double)config->stage[stage].crews;
    for (int i = 0; i < config->source_count && crews > 0; i++)
        work += slices_lost(config, &config->source[i]) *
                sim_law_mean(config->stage_count > 0 ? &config->stage[stage].takes : &config->source[i].return_after);
    return crews > 0 ? share * work / crews : 0;
}

static void show_repair(const struct derived_tour *tour)
{
    const struct config *config = tour->config;
    static const char *const meaning = "work that arrives for its crews over what they can do, all chips in service";
    if (config_pool(config) > 0)
        show(tour, "spare_chips", DERIVED_COUNT, (double)(config_pool(config) * largest_slice(config)),
             "chips of spares and standby, beside the fleet");
    if (config->crews > 0)
        show_in(tour, "repair", NULL,
                (struct derived_value){.name = "crew_load",
                                       .unit = DERIVED_FRACTION,
                                       .number = derived_crew_load(config, 0),
                                       .meaning = meaning});
    for (int i = 0; i < config->stage_count; i++)
        if (config->stage[i].crews > 0)
            show_in(tour, "repair.stages", config->stage[i].name,
                    (struct derived_value){.name = "crew_load",
                                           .unit = DERIVED_FRACTION,
                                           .number = derived_crew_load(config, i),
                                           .meaning = meaning});
}

/* It alternates between mtbi and the time in which nobody trains: until it is back and everybody has read the snapshot.
 */
static void show_syncer(const struct derived_tour *tour, const struct config_source *source)
{
    double down_s = sim_law_mean(&source->return_after) + sim_time_seconds(tour->config->checkpoint_restore_ns);
    show_in(tour, "failures", source->name,
            (struct derived_value){.name = "share_down",
                                   .unit = DERIVED_FRACTION,
                                   .number = isfinite(down_s) ? down_s / (source->mtbi_s + down_s) : 1,
                                   .meaning = "share of the time in which everybody waits for the syncer"});
}

static void show_silent(const struct derived_tour *tour, const struct config_source *source)
{
    const struct derived_value values[] = {
        {NULL, NULL, "mtbf_cluster", DERIVED_SECONDS, source->mtbi_s / (double)tour->config->chips,
         "mean time between corruptions in the fleet: mtbi / chips"},
        {NULL, NULL, "found_mean", DERIVED_SECONDS, sim_law_mean(&source->found_after), "mean of found_after"},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        show_in(tour, "failures", source->name, values[i]);
}

/* Slowdowns under way are Poisson with the mean rate x length, whatever the law of their lengths (M/G/infinity). */
static void show_slowdown(const struct derived_tour *tour, const struct config_source *source)
{
    const struct config *config = tour->config;
    double chips = (double)renewal_chips(config, source), rate = renewal_rate(config, source);
    double learners = source->learner_count > 0 ? source->learner_count : (double)config->learners;
    double lasts_s = sim_law_mean(&source->lasts), load = rate * chips / learners * lasts_s;
    const struct derived_value values[] = {
        {NULL, NULL, "mtbf_cluster", DERIVED_SECONDS, 1 / (rate * chips),
         "mean time between slowdowns in the fleet: mtbi / chips"},
        {NULL, NULL, "lasts_mean", DERIVED_SECONDS, lasts_s, "mean of lasts"},
        {NULL, NULL, "share_slowed", DERIVED_FRACTION, isfinite(load) ? -expm1(-load) : 1,
         "share of the time in which some slice of a learner is slower, all chips in service"},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        show_in(tour, "failures", source->name, values[i]);
}

static void show_source(const struct derived_tour *tour, const struct config_source *source)
{
    switch (source->kind) {
    case CONFIG_SOURCE_CHIP:
        show_chip(tour, source);
        break;
    case CONFIG_SOURCE_PREEMPTION:
    case CONFIG_SOURCE_LINK:
        show_preemption(tour, source);
        break;
    case CONFIG_SOURCE_LOG:
        show_log(tour, source);
        break;
    case CONFIG_SOURCE_SYNCER:
        show_syncer(tour, source);
        break;
    case CONFIG_SOURCE_SILENT:
        show_silent(tour, source);
        break;
    case CONFIG_SOURCE_SLOWDOWN:
        show_slowdown(tour, source);
        break;
    case CONFIG_SOURCE_DOMAIN:
        derived_show_domain(tour, source);
        break;
    case CONFIG_SOURCE_MAINTENANCE:
        derived_show_maintenance(tour, source);
        break;
    case CONFIG_SOURCE_COUNT:
        break;
    }
}

/* Failures a second in the fleet, a shock being one. */
static double failure_rate(const struct config *config)
{
    double rate = 0;
    for (int i = 0; i < config->source_count; i++) {
        const struct config_source *source = &config->source[i];
        if (source->kind == CONFIG_SOURCE_CHIP)
            rate += (double)renewal_chips(config, source) * renewal_rate(config, source);
        else if (source->kind == CONFIG_SOURCE_DOMAIN)
            rate += derived_domain_shocks(config, source);
    }
    return rate;
}

/* Chips that fail in a second: a shock hits each one of its domain. */
static double chip_rate(const struct config *config)
{
    double rate = 0;
    for (int i = 0; i < config->source_count; i++) {
        const struct config_source *source = &config->source[i];
        if (source->kind == CONFIG_SOURCE_CHIP || source->kind == CONFIG_SOURCE_DOMAIN)
            rate += (double)renewal_chips(config, source) * renewal_rate(config, source);
    }
    return rate;
}

/* Over all sources of kinds chip and domain, when there is one. */
static void show_sum(const struct derived_tour *tour)
{
    const struct config *config = tour->config;
    double rate = failure_rate(config), away = derived_share_away(config);
    if (!(rate > 0))
        return;
    show(tour, "mtbf_cluster", DERIVED_SECONDS, 1 / rate, "mean time between failures of the whole fleet");
    show(tour, "share_away", DERIVED_FRACTION, away, "share of the slices that is away after failures on average");
    show(tour, "slices_away", DERIVED_REAL, away * (double)slices_of_fleet(config), "slices away on average");
    show(tour, "failures_expected", DERIVED_REAL, chip_rate(config) * (1 - away) * derived_span_s(config),
         config_has_until(config) ? "failures in time_to_train_least, of chips in service"
                                  : "failures in the run, of chips in service");
}

static void show_network(const struct derived_tour *tour, const char *name, enum derived_unit unit, double number,
                         const char *meaning)
{
    show_in(tour, "network", NULL,
            (struct derived_value){.name = name, .unit = unit, .number = number, .meaning = meaning});
}

static double largest_fragment(const struct config *config)
{
    double *fragment = fragments_create(config), largest = 0;
    for (int64_t i = 0; i < config->fragments; i++)
        largest = fmax(largest, fragment[i]);
    free(fragment);
    return largest;
}

/* A learner may run `overlap` steps ahead of an update: nobody waits while a fragment arrives within them. Only what is
 * sent shrinks with a faster link, latency does not. */
static void show_fragment(const struct derived_tour *tour)
{
    const struct config *config = tour->config;
    const struct network_link link = {config->link_bits_per_s, config->latency_ns};
    double size = largest_fragment(config);
    double transfer_s = sim_time_seconds(network_fragment_ns(config, &link, size));
    double latency_s = sim_time_seconds(network_fragment_ns(config, &link, 0));
    double room_s = (double)config->sync_overlap * sim_time_seconds(config->step_time_ns) - latency_s;
    double bits = (transfer_s - latency_s) * config->link_bits_per_s;
    show_network(tour, "fragment", DERIVED_COUNT, size, "parameters of the largest fragment");
    show_network(tour, "fragment_time", DERIVED_SECONDS, transfer_s, "until its update has arrived");
    show_network(tour, "link_needed", DERIVED_RATE, room_s > 0 ? bits / room_s : INFINITY,
                 "smallest link that holds nobody up: it arrives within overlap x step_time");
}

/* Where the link of a learner is not that of all. */
static void show_links(const struct derived_tour *tour)
{
    const struct config *config = tour->config;
    double size = largest_fragment(config);
    for (int i = 0; i < config->link_count; i++) {
        const struct network_link link = {config->link[i].bits_per_s, config->link[i].latency_ns};
        show_in(tour, "network.links", config->link[i].name,
                (struct derived_value){.name = "fragment_time",
                                       .unit = DERIVED_SECONDS,
                                       .number = sim_time_seconds(network_fragment_ns(config, &link, size)),
                                       .meaning = "until the largest fragment has been there and back"});
    }
}

/* Nothing to say without a network. */
static void show_transfers(const struct derived_tour *tour)
{
    const struct config *config = tour->config;
    const struct network_link link = {config->link_bits_per_s, config->latency_ns};
    if (!(config->parameters > 0))
        return;
    if (config_has_syncer(config)) {
        show_fragment(tour);
        show_links(tour);
    } else {
        show_network(tour, "exposed_time", DERIVED_SECONDS,
                     sim_time_seconds(network_exposed_ns(config, config->step_time_ns)),
                     "of a step, for gradients that its arithmetic does not hide");
    }
    show_network(tour, "state_time", DERIVED_SECONDS, sim_time_seconds(network_state_ns(config, &link, &link)),
                 "copy of the training state from a peer: 3 x parameters");
}

void derived_each(const struct config *config, void (*visit)(void *context, const struct derived_value *value),
                  void *context)
{
    struct derived_tour tour = {config, visit, context};
    show_fleet(&tour);
    show_classes(&tour);
    for (int i = 0; i < config->source_count; i++)
        show_source(&tour, &config->source[i]);
    show_repair(&tour);
    show_sum(&tour);
    derived_show_checkpoint(&tour, failure_rate(config));
    show_transfers(&tour);
}
