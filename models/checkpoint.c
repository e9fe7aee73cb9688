#include "models/checkpoint.h"

#include "models/learner_internal.h"
#include "models/world.h"

static const struct config *config_of(const struct learner *learner)
{
    return learner->world->config;
}

static sim_time now_of(const struct learner *learner)
{
    return learner->world->sim.origin.now;
}

bool checkpoint_is_due(const struct learner *learner)
{
    const struct checkpoint *checkpoint = &learner->checkpoint;
    return config_has_checkpoints(config_of(learner)) && !checkpoint->is_writing &&
           checkpoint->work_ns >= config_of(learner)->checkpoint_every_ns;
}

sim_time checkpoint_due_ns(const struct learner *learner)
{
    const struct checkpoint *checkpoint = &learner->checkpoint;
    if (!config_has_checkpoints(config_of(learner)) || checkpoint->is_writing)
        return SIM_TIME_NEVER;
    sim_time rest = config_of(learner)->checkpoint_every_ns - checkpoint->work_ns;
    return rest > 0 ? sim_time_add(learner->step_start, rest) : learner->step_start;
}

/* A step may be under way. What it has done by now is no work since. */
static void on_written(void *context, uint32_t entity)
{
    (void)entity;
    struct learner *learner = context;
    bool is_stepping = learner->state == LEARNER_STEPPING;
    if (is_stepping)
        learner_count_steps(learner, false);
    checkpoint_end(learner);
    if (!is_stepping)
        return;
    learner->checkpoint.work_ns = learner->step_start - now_of(learner);
    learner_plan_step_end(learner);
}

void checkpoint_begin(struct learner *learner)
{
    const struct config *config = config_of(learner);
    struct learner_count *count = &learner->count;
    sim_time at = sim_time_add(now_of(learner), config->checkpoint_cost_ns);
    learner_book(learner);
    learner->checkpoint.is_writing = true;
    learner->checkpoint.writing = (struct checkpoint_mark){
        .useful = count->account.bucket[RUN_BUCKET_useful],
        .chip_steps = count->chip_steps,
        .steps = count->steps,
        .total = learner->total,
    };
    if (config->checkpoint_mode == CONFIG_BACKGROUND && at <= config->duration_ns)
        learner->checkpoint.done = sim_queue_schedule(&learner->world->sim.queue, at, WORLD_RANK_CHECKPOINT,
                                                      (uint32_t)learner->index, on_written, learner);
}

void checkpoint_end(struct learner *learner)
{
    learner->checkpoint.is_writing = false;
    learner->checkpoint.last = learner->checkpoint.writing;
    learner->checkpoint.work_ns = 0;
    learner->count.checkpoints++;
}

void checkpoint_forget_step(struct learner *learner)
{
    if (learner->checkpoint.work_ns < 0)
        learner->checkpoint.work_ns = 0;
}

void checkpoint_void(struct learner *learner)
{
    if (!learner->checkpoint.is_writing)
        return;
    learner->checkpoint.is_writing = false;
    (void)sim_queue_cancel(&learner->world->sim.queue, learner->checkpoint.done);
}

static void roll_back(struct learner *learner, const struct checkpoint_mark *mark)
{
    struct learner_count *count = &learner->count;
    sim_chip_time *bucket = count->account.bucket;
    learner_book(learner);
    bucket[RUN_BUCKET_lost] += bucket[RUN_BUCKET_useful] - mark->useful;
    bucket[RUN_BUCKET_useful] = mark->useful;
    count->steps_lost += count->steps - mark->steps;
    count->steps = mark->steps;
    count->chip_steps = mark->chip_steps;
    count->rollbacks++;
    learner->total = mark->total;
}

void checkpoint_lose_state(struct learner *learner)
{
    struct checkpoint *checkpoint = &learner->checkpoint;
    if (!config_has_checkpoints(config_of(learner)) || checkpoint->must_restore)
        return;
    checkpoint_void(learner);
    roll_back(learner, &checkpoint->last);
    checkpoint->work_ns = 0;
    checkpoint->must_restore = true;
}

static void reset(struct checkpoint_mark *mark)
{
    *mark = (struct checkpoint_mark){.total = mark->total};
}

void checkpoint_reset_counts(struct learner *learner)
{
    reset(&learner->checkpoint.writing);
    reset(&learner->checkpoint.last);
}
