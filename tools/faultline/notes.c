#include "tools/faultline/notes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "tools/faultline/cost.h"
#include "tools/faultline/derived.h"
#include "tools/faultline/value.h"

/* What takes some seconds, and what a core does in one. */
#define DRAWS_MANY 1e8
#define DRAWS_PER_SECOND 2e7
#define TAKINGS_MANY 1e7
#define TAKINGS_PER_SECOND 2e6
#define STEPS_MANY 1e8
#define STEPS_PER_SECOND 8e6

struct desk {
    const struct config *config;
    void (*visit)(void *context, const char *note);
    void *context;
};

__attribute__((format(printf, 2, 3))) static void note(const struct desk *desk, const char *format, ...)
{
    char text[320];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    desk->visit(desk->context, text);
}

static void note_cost(const struct desk *desk)
{
    double count = cost_draws(desk->config);
    char time[VALUE_TEXT_MAX];
    if (count < DRAWS_MANY)
        return;
    value_about_seconds(count / DRAWS_PER_SECOND, time);
    note(desk, "each replica draws about %.2g failures, which takes some %s; is mtbi meant so short?", count, time);
}

static void note_takings(const struct desk *desk)
{
    static const char *const what[CONFIG_SOURCE_COUNT] = {[CONFIG_SOURCE_PREEMPTION] = "takes learners away",
                                                          [CONFIG_SOURCE_LINK] = "changes links",
                                                          [CONFIG_SOURCE_MAINTENANCE] = "takes slices out",
                                                          [CONFIG_SOURCE_SYNCER] = "takes learners back"};
    for (int i = 0; i < desk->config->source_count; i++) {
        const struct config_source *source = &desk->config->source[i];
        double count = cost_takings(desk->config, source);
        char time[VALUE_TEXT_MAX];
        if (count < TAKINGS_MANY)
            continue;
        value_about_seconds(count / TAKINGS_PER_SECOND, time);
        note(desk, "failures.%s %s about %.2g times in each replica, which takes some %s; is %s meant so short?",
             source->name, what[source->kind], count, time, source->calendar_every_ns > 0 ? "calendar.every" : "mtbi");
    }
}

static void note_steps(const struct desk *desk)
{
    double count = cost_steps(desk->config);
    char time[VALUE_TEXT_MAX];
    if (count < STEPS_MANY)
        return;
    value_about_seconds(count / STEPS_PER_SECOND, time);
    note(desk, "each replica simulates about %.2g steps one by one, which takes some %s; is step_time meant so short?",
         count, time);
}

static void note_failures(const struct desk *desk)
{
    const struct config *config = desk->config;
    double away = derived_share_away(config);
    if (config->source_count == 0)
        note(desk, "nothing fails: the scenario has no failures section");
    if (away > 0.5)
        note(desk, "on average %.0f %% of the slices are away: failures come faster than slices return", 100 * away);
    if (away > 0 && config->min_share > 1 - away && !config_has_pool(config))
        note(desk,
             "elastic.min_share wants %.6g %% of the chips, but on average only %.6g %% are there: learners will "
             "hardly step",
             100 * config->min_share, 100 * (1 - away));
}

static bool has_slow_return(const struct config *config)
{
    for (int i = 0; i < config->source_count; i++) {
        const struct config_source *source = &config->source[i];
        bool is_repaired = source->kind == CONFIG_SOURCE_CHIP || source->kind == CONFIG_SOURCE_DOMAIN;
        if (is_repaired && sim_law_mean(&source->return_after) > 0)
            return true;
    }
    return false;
}

static void note_shape(const struct desk *desk)
{
    const struct config *config = desk->config;
    if (config->chips_per_slice >= config->chips / config->learners && config->source_count > 0 &&
        config->method != CONFIG_DP)
        note(desk, "a learner is one slice: every failure takes a whole learner away (fleet.chips_per_slice)");
    if (derived_span_s(config) > sim_time_seconds(config->duration_ns))
        note(desk, "the work takes longer than until.within, even when nothing stops or slows it: the run will stall");
    if (config->step_time_ns > config->duration_ns)
        note(desk, "no step ends within the run: learners.step_time is longer than duration");
    if (config->method == CONFIG_DP && !config_has_units(config) && has_slow_return(config))
        note(desk, "return_after plays no part: a dp job replaces its failed slices within elastic.restart, but with "
                   "fleet.spares or repair.crews it waits for them");
}

static void note_domains(const struct desk *desk)
{
    const struct config *config = desk->config;
    for (int i = 0; i < config->source_count; i++) {
        const struct config_source *source = &config->source[i];
        if (source->kind != CONFIG_SOURCE_DOMAIN)
            continue;
        long long chips = config_domain_chips(config, source), slice = config->chips_per_slice;
        if (chips >= config->chips)
            note(desk, "every shock of failures.%s takes the whole fleet: its domain has %lld chips", source->name,
                 chips);
        else if (chips < slice)
            note(desk,
                 "a shock of failures.%s takes out no more than the failure of a chip does: its domains have %lld "
                 "chips, "
                 "slices %lld (fleet.chips_per_slice)",
                 source->name, chips, slice);
    }
}

static void note_pool(const struct desk *desk)
{
    const struct config *config = desk->config;
    bool is_free =
        (config->spares == 0 || config->swap_ns == 0) && (config->standby == 0 || config->standby_swap_ns == 0);
    if (config_pool(config) > 0 && is_free)
        note(desk, "spares take the place of failed slices in no time: fleet.swap_time is 0s");
}

/* What kept checkpoints reach back; with a syncer about as many steps as rounds. */
static double reach_s(const struct config *config)
{
    double every_s = config_has_syncer(config)
                         ? (double)config->checkpoint_every_rounds * sim_time_seconds(config->step_time_ns)
                         : sim_time_seconds(config->checkpoint_every_ns);
    return config->checkpoint_every_ns > 0 ? (double)config->checkpoint_keep * every_s : 0;
}

static void note_silent(const struct desk *desk, const struct config_source *source)
{
    double found_s = sim_law_mean(&source->found_after), kept_s = reach_s(desk->config);
    char found[VALUE_TEXT_MAX], kept[VALUE_TEXT_MAX];
    if (found_s <= kept_s)
        return;
    value_about_seconds(found_s, found);
    value_about_seconds(kept_s, kept);
    note(desk,
         "corruption is found after %s on average, but checkpoints reach back %s at most: much of it leads back to "
         "the beginning (checkpoint.keep)",
         found, kept);
}

static void note_restarts(const struct desk *desk)
{
    const struct config *config = desk->config;
    for (int i = 0; i < config->source_count; i++) {
        const struct config_source *source = &config->source[i];
        if (source->kind == CONFIG_SOURCE_SILENT)
            note_silent(desk, source);
        if (source->kind == CONFIG_SOURCE_SYNCER && !config_has_syncer(config))
            note(desk, "failures.%s plays no part: %s has no syncer", source->name, config_method_name[config->method]);
        else if (source->kind == CONFIG_SOURCE_SYNCER && config->checkpoint_every_ns == 0)
            note(desk,
                 "every failure of the syncer takes training back to its beginning: there is no checkpoint section");
    }
}

static void note_notices(const struct desk *desk)
{
    const struct config *config = desk->config;
    char cost[VALUE_TEXT_MAX];
    value_about_seconds(sim_time_seconds(config->checkpoint_cost_ns), cost);
    for (int i = 0; i < config->source_count; i++) {
        const struct config_source *source = &config->source[i];
        if (source->notice_ns > 0 && source->notice_ns <= config->checkpoint_cost_ns && config_has_checkpoints(config))
            note(desk, "failures.%s.notice is too short to save the state in, which takes %s (checkpoint.cost)",
                 source->name, cost);
    }
}

static bool has_silent_failures(const struct config *config)
{
    for (int i = 0; i < config->stage_count; i++)
        if (config->stage[i].success < 1)
            return true;
    return config->misdiagnosis > 0;
}

static bool has_lemons(const struct config *config)
{
    for (int i = 0; i < config->source_count; i++)
        if (config->source[i].lemon_share > 0)
            return true;
    return false;
}

static void note_repair(const struct desk *desk)
{
    const struct config *config = desk->config;
    bool has_relapse = config->relapse.kind != SIM_LAW_CONSTANT || config->relapse.parameter[0] > 0;
    int stages = config->stage_count > 0 ? config->stage_count : 1;
    for (int i = 0; i < stages; i++) {
        double load = derived_crew_load(config, i);
        if (load > 1)
            note(desk, "the crews of repair%s%s have %.2g times the work they can do: slices pile up in front of them",
                 config->stage_count > 0 ? ".stages." : "", config->stage_count > 0 ? config->stage[i].name : "", load);
    }
    if (has_silent_failures(config) && !has_relapse && !has_lemons(config))
        note(desk, "a slice that comes back unmended fails like any other: repair.relapse says how soon it does again");
}

void notes_each(const struct config *config, void (*visit)(void *context, const char *note), void *context)
{
    const struct desk desk = {config, visit, context};
    note_failures(&desk);
    note_shape(&desk);
    note_pool(&desk);
    note_domains(&desk);
    note_restarts(&desk);
    note_notices(&desk);
    note_repair(&desk);
    note_cost(&desk);
    note_takings(&desk);
    note_steps(&desk);
}

static void print_note(void *context, const char *text)
{
    (void)fprintf(context, "faultline: note: %s\n", text);
}

void notes_print(const struct config *config)
{
    notes_each(config, print_note, stderr);
}
