#include "models/preemption.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "models/world.h"

static void on_taken(void *context, uint32_t entity);

static void schedule(struct preemption *preemption, sim_time at, enum world_rank rank, sim_handler *handler)
{
    struct world *world = preemption->world;
    if (at <= world->config->duration_ns)
        (void)sim_queue_schedule(&world->sim.queue, at, rank, (uint32_t)preemption->learner[0], handler, preemption);
}

static sim_time now_of(const struct preemption *preemption)
{
    return preemption->world->sim.origin.now;
}

/* The learners hear of it ahead of time, or as soon as they are there. */
static void on_notice(void *context, uint32_t entity)
{
    (void)entity;
    struct preemption *preemption = context;
    preemption->is_told = true;
    for (int i = 0; i < preemption->learners; i++)
        learner_on_notice(&preemption->world->learner[preemption->learner[i]], preemption->takes_at);
}

static void plan_taking(struct preemption *preemption, sim_time at)
{
    sim_time notice = preemption->source->notice_ns, now = now_of(preemption);
    preemption->takes_at = at;
    if (notice > 0 && at < SIM_TIME_NEVER)
        schedule(preemption, at - notice > now ? at - notice : now, WORLD_RANK_FAILURE, on_notice);
    schedule(preemption, at, WORLD_RANK_FAILURE, on_taken);
}

static bool is_about(const struct preemption *preemption, int64_t learner)
{
    for (int i = 0; i < preemption->learners; i++)
        if (preemption->learner[i] == learner)
            return true;
    return false;
}

sim_time preemption_next(const struct world *world, int64_t learner)
{
    sim_time next = SIM_TIME_NEVER;
    for (int64_t i = 0; i < world->preemptions; i++) {
        const struct preemption *preemption = &world->preemption[i];
        if (preemption->is_told && preemption->takes_at < next && is_about(preemption, learner))
            next = preemption->takes_at;
    }
    return next;
}

/* After `from` at random, or at its next time on the calendar. */
static void schedule_taking(struct preemption *preemption, sim_time from)
{
    const struct config_source *source = preemption->source;
    sim_time at = from;
    if (source->calendar_every_ns > 0)
        at = sim_time_add(from, source->calendar_every_ns - source->calendar_lasts_ns);
    else
        at = sim_time_after(from, gsl_cdf_exponential_Pinv(sim_stream_uniform(&preemption->stream), source->mtbi_s));
    plan_taking(preemption, at);
}

/* Of several that slow a link down the slowest rules. */
static void set_rates(const struct preemption *preemption)
{
    struct world *world = preemption->world;
    for (int i = 0; i < preemption->learners; i++) {
        int64_t learner = preemption->learner[i], rate = TRANSFER_FULL;
        for (int64_t k = 0; k < world->preemptions; k++) {
            const struct preemption *other = &world->preemption[k];
            if (other->rate > 0 && other->rate < rate && is_about(other, learner))
                rate = other->rate;
        }
        learner_on_rate(&world->learner[learner], rate);
    }
}

static void slow_down(struct preemption *preemption)
{
    double factor = sim_law_quantile(&preemption->source->factor, sim_stream_uniform(&preemption->stream));
    preemption->rate = transfer_rate(fmin(fmax(factor, 1), CONFIG_FACTOR_MAX));
    set_rates(preemption);
}

static void take(struct preemption *preemption)
{
    bool is_cut = preemption->source->kind == CONFIG_SOURCE_LINK;
    if (config_is_slow_link(preemption->source)) {
        slow_down(preemption);
        return;
    }
    for (int i = 0; i < preemption->learners; i++)
        (is_cut ? world_cut : world_preempt)(preemption->world, preemption->learner[i]);
}

static void give(struct preemption *preemption)
{
    bool is_cut = preemption->source->kind == CONFIG_SOURCE_LINK;
    if (config_is_slow_link(preemption->source)) {
        preemption->rate = 0;
        set_rates(preemption);
        return;
    }
    for (int i = 0; i < preemption->learners; i++)
        (is_cut ? world_link : world_grant)(preemption->world, preemption->learner[i]);
}

static void on_given(void *context, uint32_t entity)
{
    (void)entity;
    struct preemption *preemption = context;
    give(preemption);
    schedule_taking(preemption, now_of(preemption));
}

static void on_taken(void *context, uint32_t entity)
{
    (void)entity;
    struct preemption *preemption = context;
    const struct config_source *source = preemption->source;
    bool has_calendar = source->calendar_every_ns > 0;
    preemption->is_told = false;
    take(preemption);
    if (has_calendar && source->calendar_lasts_ns == source->calendar_every_ns)
        return; /* one absence meets the next: it is never given back */
    sim_time back = has_calendar
                        ? sim_time_add(now_of(preemption), source->calendar_lasts_ns)
                        : sim_time_after(now_of(preemption),
                                         sim_law_quantile(&source->lasts, sim_stream_uniform(&preemption->stream)));
    schedule(preemption, back, WORLD_RANK_RETURN, on_given);
}

static void start(struct preemption *preemption)
{
    const struct config_source *source = preemption->source;
    uint64_t entity = failures_identity(source->name) + (uint64_t)preemption->learner[0];
    enum world_stream purpose = source->kind == CONFIG_SOURCE_LINK ? WORLD_STREAM_LINK : WORLD_STREAM_PREEMPT;
    sim_stream_init(&preemption->stream, &preemption->world->sim.origin, purpose, entity);
    if (source->calendar_every_ns > 0)
        plan_taking(preemption, source->calendar_from_ns);
    else
        schedule_taking(preemption, 0);
}

/* How many processes a source has: one for each of its learners unless they go together. */
static int processes_of(const struct config_source *source)
{
    if (source->kind != CONFIG_SOURCE_PREEMPTION && source->kind != CONFIG_SOURCE_LINK)
        return 0;
    return source->together == CONFIG_TOGETHER_YES ? 1 : source->learner_count;
}

void preemption_start_all(struct world *world)
{
    const struct config *config = world->config;
    size_t processes = 0;
    for (int i = 0; i < config->source_count; i++)
        processes += (size_t)processes_of(&config->source[i]);
    world->preemption = sim_allocate(processes, sizeof *world->preemption);
    for (int i = 0; i < config->source_count; i++) {
        const struct config_source *source = &config->source[i];
        int count = processes_of(source);
        for (int k = 0; k < count; k++) {
            struct preemption *preemption = &world->preemption[world->preemptions++];
            *preemption = (struct preemption){.world = world,
                                              .source = source,
                                              .learner = &source->learner[k],
                                              .learners = source->learner_count / count};
            start(preemption);
        }
    }
}
