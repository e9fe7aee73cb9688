#include "models/preemption.h"

#include <gsl/gsl_cdf.h>

#include "models/world.h"

static void on_taken(void *context, uint32_t entity);

static void schedule(struct preemption *preemption, sim_time at, enum world_rank rank, sim_handler *handler)
{
    struct world *world = preemption->world;
    if (at <= world->config->duration_ns)
        (void)sim_queue_schedule(&world->sim.queue, at, rank, (uint32_t)preemption->learner, handler, preemption);
}

static sim_time now_of(const struct preemption *preemption)
{
    return preemption->world->sim.origin.now;
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
    schedule(preemption, at, WORLD_RANK_FAILURE, on_taken);
}

static void on_given(void *context, uint32_t entity)
{
    (void)entity;
    struct preemption *preemption = context;
    world_grant(preemption->world, preemption->learner);
    schedule_taking(preemption, now_of(preemption));
}

static void on_taken(void *context, uint32_t entity)
{
    (void)entity;
    struct preemption *preemption = context;
    const struct config_source *source = preemption->source;
    bool has_calendar = source->calendar_every_ns > 0;
    world_preempt(preemption->world, preemption->learner);
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
    uint64_t entity = failures_identity(source->name) + (uint64_t)preemption->learner;
    sim_stream_init(&preemption->stream, &preemption->world->sim.origin, WORLD_STREAM_PREEMPT, entity);
    if (source->calendar_every_ns > 0)
        schedule(preemption, source->calendar_from_ns, WORLD_RANK_FAILURE, on_taken);
    else
        schedule_taking(preemption, 0);
}

void preemption_start_all(struct world *world)
{
    const struct config *config = world->config;
    int64_t pairs = 0;
    for (int i = 0; i < config->source_count; i++)
        pairs += config->source[i].kind == CONFIG_SOURCE_PREEMPTION ? config->source[i].learner_count : 0;
    world->preemption = sim_allocate((size_t)pairs, sizeof *world->preemption);
    for (int i = 0; i < config->source_count; i++)
        for (int k = 0; config->source[i].kind == CONFIG_SOURCE_PREEMPTION && k < config->source[i].learner_count;
             k++) {
            struct preemption *preemption = &world->preemption[world->preemptions++];
            *preemption = (struct preemption){
                .world = world, .source = &config->source[i], .learner = config->source[i].learner[k]};
            start(preemption);
        }
}
