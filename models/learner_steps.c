/* learner_steps.c -- the steps of a learner: when they end, and counting those that nothing happened in. */
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

void learner_set_wake(struct learner *learner, sim_time at)
{
    struct sim_queue *queue = &learner->world->sim.queue;
    if (at > config_of(learner)->duration_ns)
        (void)sim_queue_cancel(queue, learner->wake);
    else
        sim_queue_set(queue, &learner->wake, at, WORLD_RANK_LEARNER, (uint32_t)learner->index, learner_on_wake,
                      learner);
}

/* A step whose pace changed is as long as no other. */
static bool must_simulate_step(const struct learner *learner)
{
    return world_wants_every_step(learner->world) || learner->world->has_rounds ||
           !pace_is_steady(&learner->pace, learner->step_ns, learner->math_ns) ||
           until_needs_every_step(config_of(learner));
}

static sim_time later(sim_time a, sim_time b)
{
    return a > b ? a : b;
}

static sim_time earlier(sim_time a, sim_time b)
{
    return a < b ? a : b;
}

/* The end of the step in progress at `at`; a moment on the edge belongs to the step that ends. */
static sim_time step_end_at(const struct learner *learner, sim_time at)
{
    sim_time passed = at - learner->step_start, steps = passed / learner->step_ns;
    if (steps * learner->step_ns < passed || steps == 0)
        steps++;
    if (steps > (SIM_TIME_NEVER - learner->step_start) / learner->step_ns)
        return SIM_TIME_NEVER;
    return learner->step_start + steps * learner->step_ns;
}

/* The end of the first step, from the one in progress, that may complete the work of the run. */
static sim_time work_end(const struct learner *learner)
{
    if (!learner->world->until.is_counting)
        return SIM_TIME_NEVER;
    int64_t steps = until_quiet_steps(learner->world, learner);
    if (steps > (SIM_TIME_NEVER - learner->step_start) / learner->step_ns)
        return SIM_TIME_NEVER;
    return learner->step_start + steps * learner->step_ns;
}

/* Sleeps until the end of the step in which something is to be done. */
void learner_plan_step_end(struct learner *learner)
{
    sim_time now = now_of(learner), at = SIM_TIME_NEVER;
    bool has_failing = !slice_list_is_empty(&learner->failing);
    if (has_failing && config_of(learner)->noticed == CONFIG_AT_ONCE)
        at = now;
    else if (has_failing || must_simulate_step(learner))
        at = step_end_at(learner, now);
    else if (!slice_list_is_empty(&learner->ready))
        at = step_end_at(learner, later(learner->upscale_from, now));
    sim_time due = checkpoint_due_ns(learner);
    if (due < at)
        at = earlier(at, step_end_at(learner, later(due, now)));
    learner_set_wake(learner, earlier(at, work_end(learner)));
}

void learner_begin_step(struct learner *learner)
{
    (void)world_has_step(learner->world, learner->index, learner->total.steps + learner->steps_taken_back + 1);
    learner->step_start = now_of(learner);
    learner->step_ns = pace_draw_step_ns(&learner->pace, &learner->math_ns);
    learner_plan_step_end(learner);
}

void learner_on_pace(struct learner *learner, double speed)
{
    learner_book(learner);
    double factor = pace_slow(&learner->pace, speed);
    if (factor == 1 || learner->state != LEARNER_STEPPING)
        return;
    learner_count_steps(learner, false);
    sim_time passed = now_of(learner) - learner->step_start;
    learner->step_ns = pace_stretch_ns(&learner->pace, passed, factor, &learner->math_ns);
    learner_plan_step_end(learner);
}

/* Of steps that ended up to `end`; what a step did before the warm-up ended does not count. */
static void count_work(struct learner *learner, sim_time end, sim_chip_time chip_steps)
{
    struct world *world = learner->world;
    sim_time start = learner->step_start > world->window_start ? learner->step_start : world->window_start;
    sim_chip_time work = (sim_chip_time)learner->chips_present * (end - start);
    learner->count.work += work;
    until_count(world, learner, work, chip_steps);
}

/* Counts the steps that ended since the last count; one that ends just now only when `with_edge`. */
void learner_count_steps(struct learner *learner, bool with_edge)
{
    sim_time passed = now_of(learner) - learner->step_start, steps = passed / learner->step_ns;
    if (!with_edge && steps > 0 && steps * learner->step_ns == passed)
        steps--;
    if (steps == 0)
        return;
    sim_chip_time chip_steps = (sim_chip_time)learner->chips_present * steps;
    count_work(learner, learner->step_start + steps * learner->step_ns, chip_steps);
    learner->step_start += steps * learner->step_ns;
    learner->checkpoint.work_ns += steps * learner->step_ns;
    learner->total.steps += steps;
    learner->total.chip_steps += chip_steps;
    learner->count.steps += steps;
    learner->count.chip_steps += chip_steps;
    learner->count.math += chip_steps * learner->math_ns;
    clocks_tick(&learner->world->clocks, learner->index);
    world_note_step(learner->world, learner);
}
