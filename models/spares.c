#include "models/spares.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "models/world.h"

static sim_time longer(sim_time a, sim_time b)
{
    return a > b ? a : b;
}

static struct unit *unit_at(struct world *world, uint32_t unit)
{
    return &world->units.unit[unit];
}

/* --- the account --- */

int64_t spares_chips(const struct world *world)
{
    return config_pool(world->config) * world->spares.chips;
}

void spares_book(struct world *world)
{
    struct spares *spares = &world->spares;
    const struct sim_origin *origin = &world->sim.origin;
    int64_t slices = config_pool(world->config), there = spares->cold.count + spares->warm_count;
    sim_time span = origin->now - spares->booked_until;
    if (there > slices)
        there = slices; /* the others are those that loans stand for */
    account_book(&spares->count.account, origin, RUN_BUCKET_standby, there * spares->chips, span);
    account_book(&spares->count.account, origin, RUN_BUCKET_away, (slices - there) * spares->chips, span);
    spares->booked_until = origin->now;
}

void spares_reset_counts(struct world *world)
{
    sim_level_reset(&world->spares.borrowed);
    world->spares.count = (struct spares_count){0};
}

/* --- spares that wait --- */

static void store(struct world *world, uint32_t unit)
{
    struct spares *spares = &world->spares;
    bool is_warm = spares->warm_count < world->config->standby;
    spares_book(world);
    unit_set_state(world, unit, is_warm ? UNIT_STANDBY : UNIT_SPARE);
    if (is_warm) {
        spares->warm[spares->warm_count++] = unit;
        unit_on_service(world, unit, true);
    } else {
        unit_list_push(world, &spares->cold, unit);
    }
}

/* The next spare, no longer in the pool; UNIT_NONE when there is none. */
static uint32_t take(struct world *world, sim_time *swap_ns)
{
    struct spares *spares = &world->spares;
    spares_book(world);
    if (spares->warm_count > 0) {
        *swap_ns = longer(*swap_ns, world->config->standby_swap_ns);
        unit_on_service(world, spares->warm[--spares->warm_count], false);
        return spares->warm[spares->warm_count];
    }
    uint32_t unit = unit_list_pop(world, &spares->cold);
    if (unit != UNIT_NONE)
        *swap_ns = longer(*swap_ns, world->config->swap_ns);
    return unit;
}

bool spares_replace(struct world *world, uint32_t place, sim_time *swap_ns)
{
    const struct config *config = world->config;
    bool is_mended = slice_state(world, place) == SLICE_MENDED;
    if (is_mended && config->method == CONFIG_DP)
        return true; /* the restart takes it in */
    if (!world->spares.vacancy)
        return false;
    if (is_mended) {
        *swap_ns = longer(*swap_ns, config->standby_swap_ns);
        return true;
    }
    uint32_t unit = take(world, swap_ns);
    if (unit == UNIT_NONE)
        return false;
    unit_bind(world, unit, place);
    world->spares.count.used++;
    return true;
}

/* --- vacant places and loans --- */

static void on_loan(void *context, uint32_t place);

/* Asks for a loan for a place, when the lender has one that is not promised yet. */
static void ask_for_loan(struct world *world, uint32_t place)
{
    struct spares *spares = &world->spares;
    sim_time at = sim_time_add(world->sim.origin.now, world->config->loan_preempt_ns);
    if (spares->lender.count <= spares->loans_coming || at > world->config->duration_ns)
        return;
    spares->loans_coming++;
    spares->vacancy[place].loan = sim_queue_schedule(&world->sim.queue, at, WORLD_RANK_RETURN, place, on_loan, world);
}

/* The lender has one more to give. */
static void offer_loan(struct world *world)
{
    struct spares *spares = &world->spares;
    uint32_t place = spares->first;
    while (place != SLICE_NONE && sim_queue_is_pending(&world->sim.queue, spares->vacancy[place].loan))
        place = spares->vacancy[place].next;
    if (place != SLICE_NONE)
        ask_for_loan(world, place);
}

static void count_borrowed(struct world *world)
{
    struct spares *spares = &world->spares;
    sim_level_set(&spares->borrowed, world->config->loan_slices - spares->lender.count);
}

static void give_back(struct world *world, uint32_t unit)
{
    unit_set_state(world, unit, UNIT_ELSEWHERE);
    unit_list_push(world, &world->spares.lender, unit);
    count_borrowed(world);
    offer_loan(world);
}

void spares_vacate(struct world *world, uint32_t place)
{
    struct spares *spares = &world->spares;
    if (!spares->vacancy || slice_state(world, place) != SLICE_AWAY)
        return;
    struct spares_vacancy *vacancy = &spares->vacancy[place];
    *vacancy = (struct spares_vacancy){.previous = spares->last, .next = SLICE_NONE, .is_vacant = true};
    if (spares->last == SLICE_NONE)
        spares->first = place;
    else
        spares->vacancy[spares->last].next = place;
    spares->last = place;
    ask_for_loan(world, place);
}

/* The place is filled. */
static void end_vacancy(struct world *world, uint32_t place)
{
    struct spares *spares = &world->spares;
    struct spares_vacancy *vacancy = &spares->vacancy[place];
    if (vacancy->previous == SLICE_NONE)
        spares->first = vacancy->next;
    else
        spares->vacancy[vacancy->previous].next = vacancy->next;
    if (vacancy->next == SLICE_NONE)
        spares->last = vacancy->previous;
    else
        spares->vacancy[vacancy->next].previous = vacancy->previous;
    vacancy->is_vacant = false;
    if (sim_queue_cancel(&world->sim.queue, vacancy->loan)) {
        spares->loans_coming--;
        offer_loan(world);
    }
}

static void on_loan(void *context, uint32_t place)
{
    struct world *world = context;
    struct spares *spares = &world->spares;
    spares->loans_coming--;
    spares->count.loans++;
    end_vacancy(world, place);
    unit_bind(world, unit_list_pop(world, &spares->lender), place);
    count_borrowed(world);
    world_return_slice(world, place);
}

void spares_return_loans(struct world *world, int64_t learner, sim_time *swap_ns)
{
    const struct spares *spares = &world->spares;
    for (uint32_t i = 0; spares->cold.count + spares->warm_count > 0; i++) {
        i = unit_next_loan(world, i);
        if (i == UNIT_NONE)
            return;
        uint32_t place = unit_at(world, i)->place;
        if (fleet_slice_learner(&world->fleet, place) != learner || slice_state(world, place) != SLICE_ACTIVE)
            continue;
        uint32_t own = take(world, swap_ns);
        unit_on_service(world, i, false);
        unit_bind(world, own, place);
        unit_on_service(world, own, true);
        slowdowns_end(world, place);
        world->spares.count.used++;
        give_back(world, i);
    }
}

void spares_on_repaired(struct world *world, uint32_t unit)
{
    struct spares *spares = &world->spares;
    uint32_t place = unit_at(world, unit)->place;
    if (place != UNIT_NONE) {
        unit_set_state(world, unit, UNIT_PLACED);
        if (spares->vacancy && spares->vacancy[place].is_vacant)
            end_vacancy(world, place);
    } else if (unit_at(world, unit)->is_borrowed) {
        give_back(world, unit);
    } else if (spares->first != SLICE_NONE) {
        place = spares->first;
        unit_bind(world, unit, place);
        end_vacancy(world, place);
    } else {
        store(world, unit);
    }
    if (place != UNIT_NONE)
        world_return_slice(world, place);
}

/* --- failures on standby --- */

void spares_fail(struct world *world, const struct unit_fault *fault, uint32_t unit)
{
    struct spares *spares = &world->spares;
    int64_t slot = 0;
    while (spares->warm[slot] != unit)
        slot++;
    spares_book(world);
    spares->warm[slot] = spares->warm[--spares->warm_count];
    spares->count.failures++;
    unit_on_service(world, unit, false);
    unit_at(world, unit)->is_bad = true;
    repair_receive(world, fault, unit);
}

/* As models/failures.c does for places, over the slices on standby: a failure that hits an empty slot is dropped. */
static void on_standby_failure(void *context, uint32_t entity)
{
    (void)entity;
    struct spares_source *source = context;
    struct world *world = source->world;
    const struct sim_arrival failure = sim_poisson_take(&source->process);
    double hit = failure.mark * (double)world->config->standby;
    int64_t slot = (int64_t)hit, chip = (int64_t)((hit - floor(hit)) * (double)world->spares.chips);
    if (slot >= world->spares.warm_count)
        return;
    uint32_t unit = world->spares.warm[slot];
    const struct unit_fault fault = {source->identity, failure.number, &source->of->config->return_after,
                                     failures_is_lemon(source->of, unit, chip) ? source->of->lemon_chips : NULL};
    spares_fail(world, &fault, unit);
}

void spares_start(struct world *world)
{
    const struct config *config = world->config;
    for (int i = 0; i < config->source_count && config->standby > 0; i++) {
        struct spares_source *source = &world->spares.source[i];
        struct failure_source *of = &world->source[i];
        if (config->source[i].kind != CONFIG_SOURCE_CHIP || of->ageing || of->scope.chips < config->chips)
            continue;
        *source = (struct spares_source){.world = world, .of = of, .identity = ~of->identity};
        sim_stream_init(&source->process.stream, &world->sim.origin, WORLD_STREAM_STANDBY, source->identity);
        failures_start_process(of, &source->process, (double)config->standby * (double)world->spares.chips,
                               on_standby_failure, source);
    }
}

/* --- */

void spares_init(struct world *world)
{
    struct spares *spares = &world->spares;
    const struct config *config = world->config;
    int64_t places = world->fleet.slices, own = places + config_pool(config);
    spares->first = spares->last = SLICE_NONE;
    unit_list_init(&spares->cold);
    unit_list_init(&spares->lender);
    sim_level_init(&spares->borrowed, &world->sim.origin, 0);
    if (!config_has_pool(config))
        return;
    spares->chips = fleet_slice_chips(&world->fleet, 0);
    spares->vacancy = sim_allocate((size_t)places, sizeof *spares->vacancy);
    spares->warm = sim_allocate((size_t)config->standby, sizeof *spares->warm);
    for (int64_t i = places; i < places + config->spares; i++)
        unit_list_push(world, &spares->cold, (uint32_t)i);
    for (int64_t i = places + config->spares; i < own; i++)
        spares->warm[spares->warm_count++] = (uint32_t)i;
    for (int64_t i = own; i < world->units.count; i++)
        unit_list_push(world, &spares->lender, (uint32_t)i);
}

void spares_fini(struct world *world)
{
    free(world->spares.vacancy);
    free(world->spares.warm);
}

void spares_check(const struct world *world)
{
    const struct spares *spares = &world->spares;
    const struct units *units = &world->units;
    int64_t vacant = 0, coming = 0;
    for (uint32_t place = spares->first; place != SLICE_NONE; place = spares->vacancy[place].next) {
        SIM_ASSERT(&world->sim.origin, slice_state(world, place) == SLICE_AWAY);
        coming += sim_queue_is_pending(&world->sim.queue, spares->vacancy[place].loan);
        vacant++;
    }
    SIM_ASSERT(&world->sim.origin, vacant == 0 || spares->cold.count + spares->warm_count == 0);
    SIM_ASSERT(&world->sim.origin, coming == spares->loans_coming && coming <= spares->lender.count);
    SIM_ASSERT(&world->sim.origin, spares->lender.count == units->in_state[UNIT_ELSEWHERE]);
    SIM_ASSERT(&world->sim.origin, spares->cold.count == units->in_state[UNIT_SPARE]);
    SIM_ASSERT(&world->sim.origin, spares->warm_count == units->in_state[UNIT_STANDBY]);
}
