#include "models/maintenance.h"

#include "models/domain.h"
#include "models/world.h"

sim_time maintenance_rolling_ns(const struct config_source *source)
{
    return source->rolling_ns > 0 ? source->rolling_ns : source->calendar_lasts_ns;
}

/* --- slices --- */

bool maintenance_holds(const struct world *world, uint32_t slice)
{
    return world->slice[slice].holds > 0;
}

static struct learner *learner_of(const struct world *world, uint32_t slice)
{
    return &world->learner[fleet_slice_learner(&world->fleet, slice)];
}

/* Its learner is told when all are held. One that is not in service has nothing to let go of. */
static void hold(struct world *world, uint32_t slice)
{
    world->slice[slice].holds++;
    if (world_is_in_service(world, slice))
        learner_leave(learner_of(world, slice), slice);
}

static void release(struct world *world, uint32_t slice)
{
    enum slice_state state = slice_state(world, slice);
    world->slice[slice].holds--;
    if (maintenance_holds(world, slice) || (state != SLICE_LEAVING && state != SLICE_MAINTAINED))
        return;
    slice_step(world, slice, SLICE_RELEASE);
    learner_on_return(learner_of(world, slice), slice);
}

/* --- domains --- */

/* Calls `act` for each slice that the work in a domain is about. */
static struct domain_span for_each(const struct maintenance *maintenance, int64_t domain,
                                   void (*act)(struct world *world, uint32_t slice))
{
    struct world *world = maintenance->world;
    struct domain_span span = domain_span(&world->fleet, world->config, maintenance->source, domain);
    for (int64_t slice = span.from.slice; slice <= span.to.slice; slice++)
        if (domain_members(&span, &world->fleet, &maintenance->scope, slice) > 0)
            act(world, (uint32_t)slice);
    return span;
}

/* What one learner does may make another go on: before that, everybody knows what is held. */
static void begin(const struct maintenance *maintenance, int64_t domain)
{
    struct learner *learner = maintenance->world->learner;
    struct domain_span span = for_each(maintenance, domain, hold);
    for (int64_t i = span.from.learner; i <= span.to.learner; i++)
        learner_hold_back(&learner[i]);
    for (int64_t i = span.from.learner; i <= span.to.learner; i++)
        learner_on_leaving(&learner[i]);
}

static void on_end(void *context, uint32_t domain)
{
    (void)for_each(context, domain, release);
}

/* --- the calendar --- */

static void schedule(struct maintenance *maintenance, sim_time at, enum world_rank rank, int64_t domain,
                     sim_handler *handler)
{
    struct world *world = maintenance->world;
    if (at <= world->config->duration_ns)
        (void)sim_queue_schedule(&world->sim.queue, at, rank, (uint32_t)domain, handler, maintenance);
}

static int64_t next_from(const struct maintenance *maintenance, int64_t domain)
{
    return domain_next_in_scope(maintenance->world->config, maintenance->source, &maintenance->scope, domain);
}

/* The next domain of this turn, or the first of the next turn. */
static void on_begin(void *context, uint32_t domain)
{
    struct maintenance *maintenance = context;
    const struct config_source *source = maintenance->source;
    sim_time now = maintenance->world->sim.origin.now;
    int64_t next = next_from(maintenance, (int64_t)domain + 1);
    schedule(maintenance, sim_time_add(now, source->calendar_lasts_ns), WORLD_RANK_RETURN, domain, on_end);
    begin(maintenance, domain);
    if (next >= 0) {
        schedule(maintenance, sim_time_add(now, maintenance_rolling_ns(source)), WORLD_RANK_FAILURE, next, on_begin);
        return;
    }
    maintenance->turn = sim_time_add(maintenance->turn, source->calendar_every_ns);
    schedule(maintenance, maintenance->turn, WORLD_RANK_FAILURE, next_from(maintenance, 0), on_begin);
}

static void start(struct maintenance *maintenance, struct world *world, const struct config_source *source)
{
    *maintenance = (struct maintenance){.world = world, .source = source, .turn = source->calendar_from_ns};
    scope_init(&maintenance->scope, world->config, &world->fleet, source);
    schedule(maintenance, maintenance->turn, WORLD_RANK_FAILURE, next_from(maintenance, 0), on_begin);
}

void maintenance_start_all(struct world *world)
{
    const struct config *config = world->config;
    int64_t next = 0;
    world->maintenance = sim_allocate((size_t)config->source_count, sizeof *world->maintenance);
    for (int i = 0; i < config->source_count; i++)
        if (config->source[i].kind == CONFIG_SOURCE_MAINTENANCE)
            start(&world->maintenance[next++], world, &config->source[i]);
}

void maintenance_recall(struct world *world, int64_t learner)
{
    int64_t first = fleet_first_slice(&world->fleet, learner);
    for (int64_t i = 0; i < fleet_learner_slices(&world->fleet, learner); i++) {
        uint32_t slice = (uint32_t)(first + i);
        if (maintenance_holds(world, slice) && slice_state(world, slice) == SLICE_ACTIVE)
            learner_leave(&world->learner[learner], slice);
    }
}

void maintenance_check(const struct world *world)
{
    bool is_any = config_has_kind(world->config, CONFIG_SOURCE_MAINTENANCE);
    for (int64_t i = 0; is_any && i < world->fleet.slices; i++) {
        enum slice_state state = slice_state(world, (uint32_t)i);
        bool is_out = state == SLICE_LEAVING || state == SLICE_MAINTAINED;
        bool is_in = state == SLICE_READY || world_is_in_service(world, (uint32_t)i);
        SIM_ASSERT(&world->sim.origin, maintenance_holds(world, (uint32_t)i) ? !is_in : !is_out);
    }
}
