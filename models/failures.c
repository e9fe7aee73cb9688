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

/* The time a gap after `from`; SIM_TIME_NEVER past the end of time. */
static sim_time after_gap(sim_time from, double gap_ns, double *carry_ns)
{
    double gap = gap_ns + *carry_ns;
    if (!(gap < 9e18))
        return SIM_TIME_NEVER;
    sim_time whole = (sim_time)gap;
    *carry_ns = gap - (double)whole;
    return sim_time_add(from, whole);
}

static bool is_of_domains(const struct failure_source *source)
{
    return source->config->kind == CONFIG_SOURCE_DOMAIN;
}

/* The chip that uniform variate `u` hits, or the domain. */
static int64_t target_at(const struct failure_source *source, double u)
{
    if (is_of_domains(source))
        return (int64_t)(u * (double)domain_total(source->world->config, source->config));
    int64_t place = source->lemon_chips ? (int64_t)(u * (double)source->scope.chips)
                                        : lemons_at(&source->lemons, lemons_draw(&source->lemons, u));
    return scope_chip(&source->scope, place);
}

static void aim(const struct failure_source *source, struct failure_ahead *failure, double u)
{
    failure->chip = target_at(source, u);
    if (!source->lemon_chips)
        return;
    struct fleet_place place = fleet_locate(&source->world->fleet, failure->chip);
    failure->slice = (uint32_t)place.slice;
    failure->within = (uint32_t)place.chip;
}

/* A lemon is always hit, another chip once in lemons.factor times. */
static bool is_kept(const struct failure_source *source, struct sim_stream *thinning, uint64_t number)
{
    return source->lemons.factor * sim_stream_uniform_at(thinning, number) < 1;
}

static bool is_lemon(const struct failure_source *source, const struct failure_ahead *failure)
{
    return failure->within < source->lemon_chips[unit_of_place(source->world, failure->slice)];
}

/* Where somebody watches, a number that turns out not to be needed is not drawn. */
static bool is_watched(const struct failure_source *source)
{
    return source->ahead_max == 1;
}

/* Which of those ahead would hit a normal chip. */
static uint32_t thin_out(struct failure_source *source)
{
    double u[FAILURES_AHEAD_MAX];
    uint32_t kept = 0;
    if (is_watched(source))
        return 0;
    sim_stream_uniforms(&source->thinning, source->ahead_count, u);
    for (unsigned i = 0; i < source->ahead_count; i++)
        kept |= (uint32_t)(source->lemons.factor * u[i] < 1) << i;
    return kept;
}

/* Which of those ahead hit lemons, as things stand. */
static uint32_t find_lemons(const struct failure_source *source)
{
    uint32_t lemons = 0;
    for (unsigned i = source->first; i < source->ahead_count; i++)
        lemons |= (uint32_t)is_lemon(source, &source->ahead[i]) << i;
    return lemons;
}

/* The failures after one at `from`, up to the first past the end of the run. */
static void draw_ahead(struct failure_source *source, sim_time from)
{
    sim_time end = source->world->config->duration_ns;
    double u[2 * FAILURES_AHEAD_MAX]; /* gap, chip, gap, chip, ... */
    sim_stream_uniforms(&source->stream, 2 * source->ahead_max, u);
    for (size_t i = 0; i < source->ahead_max; i++)
        u[2 * i] = sim_law_exponential(source->mean_gap_ns, u[2 * i]);
    double carry_ns = source->carry_ns;
    size_t drawn = 0;
    do {
        from = source->ahead[drawn].at = after_gap(from, u[2 * drawn], &carry_ns);
        aim(source, &source->ahead[drawn], u[2 * drawn + 1]);
    } while (++drawn < source->ahead_max && from <= end);
    source->carry_ns = carry_ns;
    source->count += source->ahead_count;
    source->ahead_count = (unsigned)drawn;
    source->first = 0;
    source->kept = source->lemon_chips ? thin_out(source) : UINT32_MAX;
    source->hits = source->lemon_chips ? source->kept | find_lemons(source) : UINT32_MAX;
    source->hits |= 1U << (drawn - 1); /* after the last one more are drawn */
}

bool failures_hits(struct failure_source *source, uint32_t unit, int64_t chip, struct sim_stream *thinning,
                   uint64_t number)
{
    if (!source->lemon_chips)
        return true;
    source->hits_lemon = chip < source->lemon_chips[unit]; /* its first ones: they are alike */
    return source->hits_lemon || is_kept(source, thinning, number);
}

/* Whether it hits, as things stand. */
static bool hits(struct failure_source *source, const struct failure_ahead *failure, uint64_t number, bool was_kept)
{
    if (!source->lemon_chips)
        return true;
    source->hits_lemon = is_lemon(source, failure);
    return source->hits_lemon || (is_watched(source) ? is_kept(source, &source->thinning, number) : was_kept);
}

static uint32_t index_of(const struct failure_source *source)
{
    return (uint32_t)(source - source->world->source);
}

/* Its timer in the lane. */
static uint32_t slot_of(const struct failure_source *source)
{
    return (uint32_t)source->world->config->learners + WORLD_TIMER_COUNT + index_of(source);
}

/* The next of those ahead that hits somebody has an event. */
static void schedule(struct failure_source *source)
{
    struct world *world = source->world;
    source->next = source->first + (unsigned)__builtin_ctz(source->hits >> source->first);
    sim_time at = source->ahead[source->next].at;
    sim_lane_set(&world->sim.lane, slot_of(source), at <= world->config->duration_ns ? at : SIM_TIME_NEVER);
}

void failures_branch(struct failure_source *source)
{
    struct world *world = source->world;
    if (source->config->timing == CONFIG_BY_LIFE)
        return;
    sim_stream_branch(&source->stream, world->sim.origin.branch);
    sim_stream_branch(&source->thinning, world->sim.origin.branch);
    source->ahead_count = source->first;
    draw_ahead(source, world->sim.origin.now);
    schedule(source);
}

/* What was passed over, and is not over, may hit now. */
void failures_on_placed(struct failure_source *source, uint32_t unit)
{
    if (!source->lemon_chips || source->lemon_chips[unit] == 0)
        return;
    const struct sim *sim = &source->world->sim;
    while (source->first < source->next &&
           sim_is_past(sim, source->ahead[source->first].at, WORLD_RANK_FAILURE, index_of(source)))
        source->first++;
    source->hits |= find_lemons(source);
    schedule(source);
}

static void on_failure(void *context, uint32_t entity)
{
    (void)entity;
    struct failure_source *source = context;
    struct failure_ahead failure = source->ahead[source->next];
    uint64_t number = source->count + source->next;
    bool was_kept = source->kept >> source->next & 1;
    source->first = source->next + 1;
    if (source->first == source->ahead_count)
        draw_ahead(source, failure.at);
    schedule(source);
    if (is_of_domains(source))
        domain_strike(source, failure.chip, number);
    else if (hits(source, &failure, number, was_kept))
        world_fail_chip(source->world, source, failure.chip, number);
}

/* Units, or slices where these are not followed. */
static int64_t units_of(const struct world *world)
{
    return world->units.unit ? world->units.count : world->fleet.slices;
}

/* How many lemons each unit has; the caller frees it. Those beside the fleet have a permutation of their own. */
static uint32_t *count_lemons(const struct failure_source *source)
{
    const struct world *world = source->world;
    int64_t units = units_of(world), slices = world->fleet.slices, chips = world->spares.chips;
    uint32_t *count = sim_allocate((size_t)units, sizeof *count);
    struct lemons beside;
    for (int64_t place = 0; place < source->lemons.count; place++)
        count[fleet_locate(&world->fleet, scope_chip(&source->scope, lemons_at(&source->lemons, place))).slice]++;
    lemons_init(&beside, &world->sim.origin, source->config, ~source->identity, (units - slices) * chips);
    for (int64_t place = 0; place < beside.count; place++)
        count[slices + lemons_at(&beside, place) / chips]++;
    return count;
}

static void start_stream(struct failure_source *source)
{
    const struct config *config = source->world->config;
    double weight =
        is_of_domains(source) ? (double)domain_total(config, source->config) : lemons_weight(&source->lemons);
    if (source->world->units.unit && source->config->lemon_share > 0) {
        source->lemon_chips = count_lemons(source);
        weight = source->lemons.factor * (double)source->scope.chips;
    }
    source->mean_gap_ns = source->config->mtbi_s / weight * 1e9;
    sim_stream_init(&source->stream, &source->world->sim.origin,
                    is_of_domains(source) ? WORLD_STREAM_DOMAIN : WORLD_STREAM_FAILURES, source->identity);
    sim_stream_init(&source->thinning, &source->world->sim.origin, WORLD_STREAM_THINNING, source->identity);
    bool is_watched = source->world->draws || source->world->branches; /* or drawn anew from some moment on */
    source->ahead_max = is_watched ? 1 : FAILURES_AHEAD_MAX;
    source->ahead = sim_allocate(source->ahead_max, sizeof *source->ahead);
    sim_lane_register(&source->world->sim.lane, slot_of(source), WORLD_RANK_FAILURE, index_of(source), on_failure,
                      source);
    draw_ahead(source, 0);
    schedule(source);
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
    if (config->timing == CONFIG_BY_LIFE)
        start_ageing(source);
    else
        start_stream(source);
}

void failures_fini(struct failure_source *source)
{
    for (int64_t unit = 0; source->ageing && unit < units_of(source->world); unit++)
        ageing_fini(&source->ageing[unit]);
    free(source->ageing);
    free(source->ahead);
    free(source->lemon_chips);
}

/* A unit is in the scope of where it stands; on standby only when that is the whole fleet. */
static bool is_about(const struct failure_source *source, uint32_t unit)
{
    const struct world *world = source->world;
    if (!world->units.unit)
        return true;
    uint32_t place = world->units.unit[unit].place;
    if (place == UNIT_NONE)
        return source->scope.chips == world->config->chips;
    int64_t first = fleet_first_chip(&world->fleet, place);
    return scope_within(&source->scope, first, fleet_slice_chips(&world->fleet, place)) > 0;
}

void failures_on_service(struct failure_source *source, uint32_t unit, bool is_entering)
{
    if (source->ageing && is_entering && is_about(source, unit))
        ageing_on_service(&source->ageing[unit], source, unit);
    else if (source->ageing)
        ageing_on_away(&source->ageing[unit], source);
}
