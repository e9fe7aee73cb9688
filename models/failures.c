#include "models/failures.h"

#include <stdlib.h>

#include "models/domain.h"
#include "models/world.h"

uint64_t failures_identity(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325U;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3U;
    return hash;
}

bool failures_is_kind(enum config_source_kind kind)
{
    return kind == CONFIG_SOURCE_CHIP || kind == CONFIG_SOURCE_SILENT || kind == CONFIG_SOURCE_SLOWDOWN ||
           kind == CONFIG_SOURCE_DOMAIN;
}

static bool is_of_domains(const struct failure_source *source)
{
    return source->config->kind == CONFIG_SOURCE_DOMAIN;
}

/* --- who is hit --- */

/* The chip of the fleet that an arrival hits. */
static int64_t chip_at(const struct failure_source *source, double mark)
{
    int64_t place = source->lemon_chips ? (int64_t)(mark * (double)source->scope.chips)
                                        : lemons_at(&source->lemons, lemons_draw(&source->lemons, mark));
    return scope_chip(&source->scope, place);
}

bool failures_is_lemon(const struct failure_source *source, uint32_t unit, int64_t within)
{
    return source->lemon_chips && within < source->lemon_chips[unit]; /* its first ones: they are alike */
}

/* The same for the unit in the place of a chip, where lemons are followed. */
static bool hits_lemon(const struct failure_source *source, int64_t chip)
{
    const struct fleet *fleet = &source->world->fleet;
    uint32_t slice = (uint32_t)fleet_locate(fleet, chip).slice, unit = unit_of_place(source->world, slice);
    if (source->lemon_chips[unit] == 0)
        return false;
    int64_t first = fleet_first_chip(fleet, slice);
    return failures_is_lemon(source, unit, scope_within(&source->scope, first, chip - first + 1) - 1);
}

static void on_failure(void *context, uint32_t entity)
{
    (void)entity;
    struct failure_source *source = context;
    const struct sim_arrival failure = sim_poisson_take(&source->process[FAILURES_OF_PLACES]);
    int64_t chip = chip_at(source, failure.mark);
    source->hits_lemon = source->lemon_chips && hits_lemon(source, chip);
    world_fail_chip(source->world, source, chip, failure.number);
}

static void on_shock(void *context, uint32_t entity)
{
    (void)entity;
    struct failure_source *source = context;
    const struct sim_arrival shock = sim_poisson_take(&source->process[FAILURES_OF_PLACES]);
    int64_t domains = domain_total(source->world->config, source->config);
    domain_strike(source, (int64_t)(shock.mark * (double)domains), shock.number);
}

/* Chips of a unit that the source is about where it stands; on standby only when that is the whole fleet. */
static int64_t chips_about(const struct failure_source *source, uint32_t unit)
{
    const struct world *world = source->world;
    uint32_t place = world->units.unit[unit].place;
    if (place == UNIT_NONE)
        return source->scope.chips == world->config->chips ? world->spares.chips : 0;
    int64_t first = fleet_first_chip(&world->fleet, place);
    return scope_within(&source->scope, first, fleet_slice_chips(&world->fleet, place));
}

/* A unit is in the scope of where it stands. */
static bool is_about(const struct failure_source *source, uint32_t unit)
{
    return !source->world->units.unit || chips_about(source, unit) > 0;
}

/* A lemon fails as such, wherever it is; one that has been mended does not, nor one for which a smaller place has no
 * room. */
static void strike(struct failure_source *source, const struct failure_lemon *lemon, uint64_t number)
{
    source->hits_lemon = true;
    if (failures_is_lemon(source, lemon->unit, lemon->within) && lemon->within < chips_about(source, lemon->unit))
        world_fail_unit(source->world, source, lemon->unit, number);
    else
        world_miss(source->world, source, number);
}

static void on_lemon(void *context, uint32_t entity)
{
    (void)entity;
    struct failure_source *source = context;
    const struct sim_arrival failure = sim_poisson_take(&source->process[FAILURES_OF_LEMONS]);
    strike(source, &source->lemon[(int64_t)(failure.mark * (double)source->lemons.count)], failure.number);
}

static void on_lemon_beside(void *context, uint32_t entity)
{
    (void)entity;
    struct failure_source *source = context;
    const struct sim_arrival failure = sim_poisson_take(&source->process[FAILURES_OF_LEMONS_BESIDE]);
    int64_t i = source->lemons.count + (int64_t)(failure.mark * (double)source->beside.count);
    strike(source, &source->lemon[i], failure.number);
}

/* --- start and end --- */

/* Units, or slices where these are not followed. */
static int64_t units_of(const struct world *world)
{
    return world->units.unit ? world->units.count : world->fleet.slices;
}

/* The unit where a lemon starts. Those beside the fleet have a permutation of their own. */
static uint32_t unit_of_lemon(const struct failure_source *source, int64_t i)
{
    const struct world *world = source->world;
    if (i >= source->lemons.count)
        return (uint32_t)(world->fleet.slices +
                          lemons_at(&source->beside, i - source->lemons.count) / world->spares.chips);
    int64_t chip = scope_chip(&source->scope, lemons_at(&source->lemons, i));
    return (uint32_t)fleet_locate(&world->fleet, chip).slice;
}

/* How many lemons each unit has; the caller frees it. */
static uint32_t *count_lemons(const struct failure_source *source)
{
    uint32_t *count = sim_allocate((size_t)units_of(source->world), sizeof *count);
    for (int64_t i = 0; i < source->lemons.count + source->beside.count; i++)
        count[unit_of_lemon(source, i)]++;
    return count;
}

/* Lemons that move, or are mended. */
static bool does_follow_lemons(const struct config *config, const struct config_source *source)
{
    return config_has_units(config) && source->lemon_share > 0 && source->timing != CONFIG_BY_LIFE;
}

/* The lemons as units have them at first. */
static void follow_lemons(struct failure_source *source)
{
    int64_t lemons = source->lemons.count + source->beside.count;
    source->lemon = sim_allocate((size_t)lemons, sizeof *source->lemon);
    source->lemon_chips = sim_allocate((size_t)units_of(source->world), sizeof *source->lemon_chips);
    for (int64_t i = 0; i < lemons; i++) {
        uint32_t unit = unit_of_lemon(source, i);
        source->lemon[i] = (struct failure_lemon){unit, source->lemon_chips[unit]++};
    }
}

uint32_t failures_processes(const struct config *config)
{
    uint32_t count = 0;
    for (int i = 0; i < config->source_count; i++)
        count += (does_follow_lemons(config, &config->source[i]) ? FAILURES_PROCESSES : 1U) + (config->standby > 0);
    return count;
}

void failures_start_process(const struct failure_source *source, struct sim_poisson *process, double weight,
                            sim_handler *handler, void *context)
{
    struct world *world = source->world;
    bool is_watched = world->draws || world->branches; /* or drawn anew from some moment on */
    process->lane = &world->sim.lane;
    process->slot = (uint32_t)world->config->learners + WORLD_TIMER_COUNT + world->processes++;
    process->mean_gap_ns = source->config->mtbi_s / weight * 1e9;
    process->end = world->config->duration_ns;
    process->ahead_max = is_watched ? 1 : SIM_POISSON_AHEAD_MAX;
    sim_lane_register(process->lane, process->slot, WORLD_RANK_FAILURE, process->slot, handler, context);
    sim_poisson_start(process, 0);
}

static void start(struct failure_source *source, enum failure_process kind, enum world_stream purpose, double weight,
                  sim_handler *handler)
{
    struct sim_poisson *process = &source->process[kind];
    process->number = (uint64_t)kind << 60;
    sim_stream_init(&process->stream, &source->world->sim.origin, purpose, source->identity);
    failures_start_process(source, process, weight, handler, source);
}

static void start_processes(struct failure_source *source)
{
    const struct config *config = source->world->config;
    double more = source->lemons.factor - 1;
    source->process = sim_allocate(FAILURES_PROCESSES, sizeof *source->process);
    if (is_of_domains(source)) {
        start(source, FAILURES_OF_PLACES, WORLD_STREAM_DOMAIN, (double)domain_total(config, source->config), on_shock);
    } else if (!does_follow_lemons(config, source->config)) {
        start(source, FAILURES_OF_PLACES, WORLD_STREAM_FAILURES, lemons_weight(&source->lemons), on_failure);
    } else {
        follow_lemons(source);
        start(source, FAILURES_OF_PLACES, WORLD_STREAM_FAILURES, (double)source->scope.chips, on_failure);
        start(source, FAILURES_OF_LEMONS, WORLD_STREAM_LEMON, more * (double)source->lemons.count, on_lemon);
        start(source, FAILURES_OF_LEMONS_BESIDE, WORLD_STREAM_LEMON_BESIDE, more * (double)source->beside.count,
              on_lemon_beside);
    }
}

/* Chips of a unit that the source is about: those in scope, or all when units move, and with them the scope. */
static uint32_t chips_of(const struct failure_source *source, int64_t unit)
{
    const struct fleet *fleet = &source->world->fleet;
    if (unit >= fleet->slices)
        return (uint32_t)source->world->spares.chips;
    int64_t chips = fleet_slice_chips(fleet, unit);
    if (config_has_pool(source->world->config))
        return (uint32_t)chips;
    return (uint32_t)scope_within(&source->scope, fleet_first_chip(fleet, unit), chips);
}

static void start_ageing(struct failure_source *source)
{
    const struct world *world = source->world;
    uint32_t *lemons = count_lemons(source);
    source->ageing = sim_allocate((size_t)units_of(world), sizeof *source->ageing);
    for (int64_t unit = 0; unit < units_of(world); unit++) {
        ageing_init(&source->ageing[unit], source, (uint32_t)unit, chips_of(source, unit) - lemons[unit], lemons[unit]);
        if (unit < world->fleet.slices || world->units.unit[unit].state == UNIT_STANDBY)
            failures_on_service(source, (uint32_t)unit, true);
    }
    free(lemons);
}

void failures_start(struct failure_source *source, struct world *world, const struct config_source *config)
{
    *source = (struct failure_source){.world = world, .config = config, .identity = failures_identity(config->name)};
    scope_init(&source->scope, world->config, &world->fleet, config);
    lemons_init(&source->lemons, &world->sim.origin, config, source->identity, source->scope.chips);
    lemons_init(&source->beside, &world->sim.origin, config, ~source->identity,
                (units_of(world) - world->fleet.slices) * world->spares.chips);
    if (config->timing == CONFIG_BY_LIFE)
        start_ageing(source);
    else
        start_processes(source);
}

void failures_fini(struct failure_source *source)
{
    for (int64_t unit = 0; source->ageing && unit < units_of(source->world); unit++)
        ageing_fini(&source->ageing[unit]);
    free(source->ageing);
    free(source->process);
    free(source->lemon_chips);
    free(source->lemon);
}

void failures_branch(struct failure_source *source)
{
    const struct sim_origin *origin = &source->world->sim.origin;
    for (int kind = 0; source->process && kind < FAILURES_PROCESSES; kind++)
        if (source->process[kind].lane)
            sim_poisson_branch(&source->process[kind], origin->now, origin->branch);
}

void failures_on_service(struct failure_source *source, uint32_t unit, bool is_entering)
{
    if (source->ageing && is_entering && is_about(source, unit))
        ageing_on_service(&source->ageing[unit], source, unit);
    else if (source->ageing)
        ageing_on_away(&source->ageing[unit], source);
}
