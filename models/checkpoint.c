#include "models/checkpoint.h"

#include <stdlib.h>
#include <string.h>

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

/* --- beginning and end --- */

void checkpoint_init(struct learner *learner)
{
    if (config_has_checkpoints(config_of(learner)))
        learner->checkpoint.kept =
            sim_allocate((size_t)config_kept(config_of(learner)), sizeof *learner->checkpoint.kept);
}

void checkpoint_fini(struct learner *learner)
{
    free(learner->checkpoint.kept);
}

/* --- when --- */

static bool is_due(const struct learner *learner)
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

/* --- writing --- */

static sim_time step_in_progress_ns(const struct learner *learner)
{
    return learner->state == LEARNER_STEPPING ? now_of(learner) - learner->step_start : 0;
}

struct checkpoint_mark checkpoint_mark(struct learner *learner)
{
    const struct learner_count *count = &learner->count;
    learner_book(learner);
    sim_chip_time useful = count->account.bucket[RUN_BUCKET_useful],
                  begun = (sim_chip_time)learner->chips_present * step_in_progress_ns(learner);
    return (struct checkpoint_mark){
        .useful = useful > begun ? useful - begun : 0, /* it may have begun in the warm-up */
        .chip_steps = count->chip_steps,
        .overwritten = count->overwritten,
        .steps = count->steps,
        .total = learner->total,
        .taken_ns = now_of(learner),
    };
}

/* The oldest gives way. */
static void keep(struct checkpoint *checkpoint, int64_t kept_max)
{
    if (checkpoint->kept_count == kept_max)
        memmove(checkpoint->kept, checkpoint->kept + 1, (size_t)--checkpoint->kept_count * sizeof *checkpoint->kept);
    checkpoint->kept[checkpoint->kept_count++] = checkpoint->writing;
}

void checkpoint_end(struct learner *learner)
{
    struct checkpoint *checkpoint = &learner->checkpoint;
    if (!checkpoint->is_writing)
        return; /* void since */
    checkpoint->is_writing = false;
    checkpoint->work_ns = 0;
    if (config_has_syncer(config_of(learner))) {
        snapshots_on_written(&learner->world->syncer.snapshots, learner->index);
        return;
    }
    keep(checkpoint, config_kept(config_of(learner)));
    learner->world->count.checkpoints++;
}

/* A step may be under way. What it has done by now is no work since. */
static void on_written(void *context, uint32_t entity)
{
    (void)entity;
    struct learner *learner = context;
    bool is_stepping = learner->state == LEARNER_STEPPING && config_has_checkpoints(config_of(learner));
    if (is_stepping)
        learner_count_steps(learner, false);
    checkpoint_end(learner);
    if (!is_stepping)
        return;
    learner->checkpoint.work_ns = -step_in_progress_ns(learner);
    learner_plan_step_end(learner);
}

/* In the background the rest follows by itself. */
static void begin(struct learner *learner)
{
    const struct config *config = config_of(learner);
    sim_time at = sim_time_add(now_of(learner), config->checkpoint_cost_ns);
    bool is_blocking = config->checkpoint_mode == CONFIG_BLOCKING;
    learner->checkpoint.is_writing = true;
    learner->checkpoint.must_pause = is_blocking;
    if (!is_blocking && at <= config->duration_ns)
        learner->checkpoint.done = sim_queue_schedule(&learner->world->sim.queue, at, WORLD_RANK_CHECKPOINT,
                                                      (uint32_t)learner->index, on_written, learner);
}

bool checkpoint_begins(struct learner *learner)
{
    if (is_due(learner)) {
        learner->checkpoint.writing = checkpoint_mark(learner);
        begin(learner);
    }
    bool must_pause = learner->checkpoint.must_pause;
    learner->checkpoint.must_pause = false;
    return must_pause;
}

bool checkpoint_is_behind(const struct learner *learner)
{
    const struct checkpoint *checkpoint = &learner->checkpoint;
    int64_t saved = checkpoint->kept_count > 0 ? checkpoint->kept[checkpoint->kept_count - 1].total.steps : 0;
    return config_has_checkpoints(config_of(learner)) && learner->total.steps > saved;
}

void checkpoint_save(struct learner *learner)
{
    checkpoint_void(learner);
    learner->checkpoint.writing = checkpoint_mark(learner);
    learner->checkpoint.is_writing = true;
}

void checkpoint_record(struct learner *learner)
{
    snapshots_record(&learner->world->syncer.snapshots, learner->index);
    begin(learner);
}

void checkpoint_forget_step(struct learner *learner)
{
    if (learner->checkpoint.work_ns < 0)
        learner->checkpoint.work_ns = 0;
}

static void stop_writing(struct learner *learner)
{
    learner->checkpoint.is_writing = learner->checkpoint.must_pause = false;
    (void)sim_queue_cancel(&learner->world->sim.queue, learner->checkpoint.done);
}

void checkpoint_void(struct learner *learner)
{
    if (!learner->checkpoint.is_writing)
        return;
    stop_writing(learner);
    if (config_has_syncer(config_of(learner)))
        snapshots_leave_out(&learner->world->syncer.snapshots, learner->index);
}

/* --- going back --- */

/* What is done in the very instant that completes the work of the run stands. */
static void roll_back(struct learner *learner, const struct checkpoint_mark *mark)
{
    struct learner_count *count = &learner->count;
    sim_chip_time *bucket = count->account.bucket;
    if (learner->world->until.is_done)
        return;
    learner_book(learner);
    until_count(learner->world, learner, mark->useful - count->work, mark->chip_steps - count->chip_steps);
    count->work = mark->useful;
    bucket[RUN_BUCKET_lost] += bucket[RUN_BUCKET_useful] - mark->useful;
    bucket[RUN_BUCKET_useful] = mark->useful;
    count->steps_lost += count->steps - mark->steps;
    count->steps = mark->steps;
    count->chip_steps = mark->chip_steps;
    count->overwritten = mark->overwritten;
    learner->steps_taken_back += learner->total.steps - mark->total.steps;
    learner->total = mark->total;
}

/* To the last complete checkpoint, or to the beginning. */
static void lose_state(struct learner *learner)
{
    struct checkpoint *checkpoint = &learner->checkpoint;
    static const struct checkpoint_mark beginning = {.taken_ns = -1};
    const struct checkpoint_mark *mark =
        checkpoint->kept_count > 0 ? &checkpoint->kept[checkpoint->kept_count - 1] : &beginning;
    checkpoint_void(learner);
    roll_back(learner, mark);
    silent_on_rollback(learner->world, learner->index, mark->taken_ns);
    learner->world->count.rollbacks += !checkpoint->must_restore && !learner->world->until.is_done;
    checkpoint->work_ns = 0;
    checkpoint->must_restore = true;
}

void checkpoint_lose_state(struct learner *learner)
{
    if (config_has_checkpoints(config_of(learner)) && !learner->checkpoint.must_restore)
        lose_state(learner);
}

void checkpoint_distrust(struct learner *learner, sim_time corrupted_ns)
{
    struct checkpoint *checkpoint = &learner->checkpoint;
    while (checkpoint->kept_count > 0 && checkpoint->kept[checkpoint->kept_count - 1].taken_ns >= corrupted_ns)
        checkpoint->kept_count--;
    learner_stop_step(learner);
    lose_state(learner);
}

void checkpoint_go_back(struct learner *learner, const struct snapshot_learner *saved)
{
    stop_writing(learner);
    roll_back(learner, &saved->mark);
    learner_forget_everything(learner);
}

void checkpoint_restore(struct learner *learner, const struct snapshot_learner *saved, sim_time resumes_ns)
{
    learner_stop_step(learner);
    checkpoint_go_back(learner, saved);
    learner->checkpoint.must_restore = true;
    learner->checkpoint.is_stale = !saved->is_in;
    if (learner_is_connected(learner))
        for (int64_t i = 0; i < saved->reports; i++)
            learner_replay_report(learner, saved->report[i], resumes_ns);
}

void checkpoint_reset_mark(struct checkpoint_mark *mark)
{
    *mark = (struct checkpoint_mark){.total = mark->total, .taken_ns = mark->taken_ns};
}

void checkpoint_reset_counts(struct learner *learner)
{
    checkpoint_reset_mark(&learner->checkpoint.writing);
    for (int64_t i = 0; i < learner->checkpoint.kept_count; i++)
        checkpoint_reset_mark(&learner->checkpoint.kept[i]);
}
