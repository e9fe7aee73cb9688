#include "models/ageing.h"

#include <math.h>
#include <stdlib.h>

#include "models/world.h"

/* --- when chips fail --- */

/* One exponential draw with mean 1. */
static double draw_hazard(struct ageing *ageing, const struct failure_source *source)
{
    double u = sim_uniform_at(&source->world->sim.origin, WORLD_STREAM_AGEING, ageing->address, ageing->draws++);
    return -log1p(-u);
}

/* When a chip fails that was new at `born` and meets its end at this cumulative hazard. */
static sim_time end_of_life(const struct failure_source *source, enum ageing_kind kind, sim_time born, double hazard)
{
    double life_s = sim_law_at_hazard(&source->config->life, hazard);
    return sim_time_after(born, kind == AGEING_LEMON ? life_s / source->config->lemon_factor : life_s);
}

/* The next failure among chips of one age. */
static void draw_next(struct ageing *ageing, const struct failure_source *source, enum ageing_kind kind)
{
    struct ageing_group *group = &ageing->group[kind];
    group->fails_at = SIM_TIME_NEVER;
    if (group->left == 0)
        return;
    group->hazard += draw_hazard(ageing, source) / group->left;
    group->fails_at = end_of_life(source, kind, ageing->born, group->hazard);
}

/* All chips are new. */
static void renew_all(struct ageing *ageing, const struct failure_source *source)
{
    ageing->born = ageing->clock;
    ageing->renewed_count = 0;
    for (int kind = 0; kind < AGEING_KINDS; kind++) {
        ageing->group[kind].left = ageing->group[kind].all;
        ageing->group[kind].hazard = 0;
        draw_next(ageing, source, (enum ageing_kind)kind);
    }
}

/* --- the heap of chips that came back new --- */

static void push(struct ageing *ageing, struct ageing_chip chip)
{
    if (ageing->renewed_count == ageing->renewed_capacity) {
        ageing->renewed_capacity = ageing->renewed_capacity ? 2 * ageing->renewed_capacity : 4;
        ageing->renewed = sim_reallocate(ageing->renewed, ageing->renewed_capacity, sizeof *ageing->renewed);
    }
    uint32_t at = ageing->renewed_count++;
    while (at > 0 && ageing->renewed[(at - 1) / 2].fails_at > chip.fails_at) {
        ageing->renewed[at] = ageing->renewed[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    ageing->renewed[at] = chip;
}

static struct ageing_chip pop(struct ageing *ageing)
{
    struct ageing_chip first = ageing->renewed[0], last = ageing->renewed[--ageing->renewed_count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < ageing->renewed_count && ageing->renewed[child + 1].fails_at < ageing->renewed[child].fails_at)
            child++;
        if (child >= ageing->renewed_count || ageing->renewed[child].fails_at >= last.fails_at)
            break;
        ageing->renewed[at] = ageing->renewed[child];
        at = child;
    }
    ageing->renewed[at] = last;
    return first;
}

/* --- the unit --- */

static sim_time next_failure(const struct ageing *ageing)
{
    sim_time next = ageing->renewed_count > 0 ? ageing->renewed[0].fails_at : SIM_TIME_NEVER;
    for (int kind = 0; kind < AGEING_KINDS; kind++)
        if (ageing->group[kind].fails_at < next)
            next = ageing->group[kind].fails_at;
    return next;
}

/* The chip whose time it is leaves its group or the heap. */
static enum ageing_kind take_failing(struct ageing *ageing, const struct failure_source *source, sim_time at)
{
    for (int kind = 0; kind < AGEING_KINDS; kind++)
        if (ageing->group[kind].fails_at == at) {
            ageing->group[kind].left--;
            draw_next(ageing, source, (enum ageing_kind)kind);
            return (enum ageing_kind)kind;
        }
    return pop(ageing).kind;
}

/* It comes back new. No service clock outruns that of the run, so what lies past its end need not be kept. */
static void renew(struct ageing *ageing, const struct failure_source *source, enum ageing_kind kind)
{
    sim_time fails_at = end_of_life(source, kind, ageing->clock, draw_hazard(ageing, source));
    if (fails_at <= source->world->config->duration_ns)
        push(ageing, (struct ageing_chip){fails_at, kind});
}

static void settle(struct ageing *ageing, sim_time now)
{
    ageing->clock += now - ageing->since;
    ageing->since = now;
}

static void on_failure(void *context, uint32_t unit)
{
    struct failure_source *source = context;
    struct ageing *ageing = &source->ageing[unit];
    settle(ageing, source->world->sim.origin.now);
    enum ageing_kind kind = take_failing(ageing, source, next_failure(ageing));
    if (source->config->ageing == CONFIG_AGES_RESET)
        renew_all(ageing, source);
    else
        renew(ageing, source, kind);
    world_fail_unit(source->world, source, unit, (uint64_t)unit << 32 | ageing->failures++);
}

void ageing_on_service(struct ageing *ageing, struct failure_source *source, uint32_t unit)
{
    struct world *world = source->world;
    if (ageing->since >= 0)
        return;
    ageing->since = world->sim.origin.now;
    sim_time next = next_failure(ageing);
    sim_time at = next == SIM_TIME_NEVER ? next : sim_time_add(ageing->since, next - ageing->clock);
    if (at <= world->config->duration_ns)
        ageing->event = sim_queue_schedule(&world->sim.queue, at, WORLD_RANK_FAILURE, unit, on_failure, source);
}

void ageing_on_away(struct ageing *ageing, struct failure_source *source)
{
    if (ageing->since < 0)
        return;
    settle(ageing, source->world->sim.origin.now);
    ageing->since = -1;
    (void)sim_queue_cancel(&source->world->sim.queue, ageing->event);
}

void ageing_init(struct ageing *ageing, const struct failure_source *source, uint32_t unit, uint32_t normal_chips,
                 uint32_t lemons)
{
    *ageing = (struct ageing){.address = source->identity + unit, .since = -1};
    ageing->group[AGEING_NORMAL].all = normal_chips;
    ageing->group[AGEING_LEMON].all = lemons;
    renew_all(ageing, source);
}

void ageing_fini(struct ageing *ageing)
{
    free(ageing->renewed);
    *ageing = (struct ageing){.since = -1};
}
