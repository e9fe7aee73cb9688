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
    sim_lane_set(&learner->world->sim.lane, (uint32_t)learner->index,
                 at > config_of(learner)->duration_ns ? SIM_TIME_NEVER : at);
}

/* A step whose pace changed is as long as no other. */
static bool must_simulate_step(const struct learner *learner)
{
    const struct world *world = learner->world;
    if (!pace_is_steady(&learner->pace, learner->step_ns, learner->math_ns))
        return true;
    if (world->has_rounds)
        return !world->has_forecast;
    return world_wants_every_step(world) || until_needs_every_step(config_of(learner));
}

static sim_time later(sim_time a, sim_time b)
{
    return a > b ? a : b;
}

static sim_time earlier(sim_time a, sim_time b)
{
    return a < b ? a : b;
}

/* The end of so many steps from the one in progress. */
static sim_time after_steps(const struct learner *learner, int64_t steps)
{
    sim_time span;
    return __builtin_mul_overflow(steps, learner->step_ns, &span) ? SIM_TIME_NEVER
                                                                  : sim_time_add(learner->step_start, span);
}

/* The end of the step in progress at `at`; a moment on the edge belongs to the step that ends. The learner need not
 * have caught up. */
static sim_time step_end_at(const struct learner *learner, sim_time at)
{
    sim_time passed = at - learner->step_start, steps = sim_time_periods(passed, learner->step_ns);
    if (steps * learner->step_ns < passed || steps == 0)
        steps++;
    return after_steps(learner, steps);
}

/* The end of the first step, from the one in progress, that may complete the work of the run. */
static sim_time work_end(const struct learner *learner)
{
    if (!learner->world->until.is_counting)
        return SIM_TIME_NEVER;
    int64_t steps = until_quiet_steps(learner->world, learner);
    return after_steps(learner, steps);
}

/* When what happened to its slices is to be dealt with. */
static sim_time slices_due(const struct learner *learner, sim_time now)
{
    bool has_failing = !slice_list_is_empty(&learner->failing);
    if (has_failing && config_of(learner)->noticed == CONFIG_AT_ONCE)
        return now;
    if (has_failing || !slice_list_is_empty(&learner->leaving))
        return step_end_at(learner, now);
    if (!slice_list_is_empty(&learner->ready))
        return step_end_at(learner, later(learner->upscale_from, now));
    return SIM_TIME_NEVER;
}

/* When it has anything else to do that comes before `at`. */
static sim_time pause_due(const struct learner *learner, sim_time now, sim_time at)
{
    if (must_simulate_step(learner))
        at = earlier(at, step_end_at(learner, now));
    sim_time due = checkpoint_due_ns(learner);
    if (due < at)
        at = earlier(at, step_end_at(learner, later(due, now)));
    at = earlier(at, learner_notice_due(learner));
    return earlier(at, work_end(learner));
}

/* Sleeps until the end of the step in which something is to be done. */
void learner_plan_step_end(struct learner *learner)
{
    const struct world *world = learner->world;
    sim_time now = now_of(learner), at = slices_due(learner, now);
    if (world->has_pauses)
        at = pause_due(learner, now, at);
    if (world->has_forecast)
        at = earlier(at, forecast_leash(learner));
    learner_set_wake(learner, at);
}

void learner_begin_step(struct learner *learner, bool is_fresh)
{
    if (learner->world->draws)
        (void)world_has_step(learner->world, learner->index, learner->total.steps + learner->steps_taken_back + 1);
    sim_time step_ns = pace_draw_step_ns(&learner->pace, &learner->math_ns);
    bool follows = learner->step_start == now_of(learner) && learner->step_ns == step_ns; /* upon one like it */
    if (!follows)
        learner_spell_out_reports(learner);
    learner->step_start = now_of(learner);
    learner->step_ns = step_ns;
    forecast_learner(learner, is_fresh, follows);
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
static void count_work(struct learner *learner, sim_time start, sim_time end, sim_chip_time chip_steps)
{
    struct world *world = learner->world;
    start = later(start, world->window_start);
    sim_chip_time work = (sim_chip_time)learner->chips_present * (end - start);
    learner->count.work += work;
    until_count(world, learner, work, chip_steps);
}

/* So many steps of one length and with the same chips have ended, the last of them at `end`. */
static void count(struct learner *learner, sim_time end, int64_t steps)
{
    sim_chip_time chip_steps = (sim_chip_time)learner->chips_present * steps;
    count_work(learner, end - steps * learner->step_ns, end, chip_steps);
    learner->checkpoint.work_ns += steps * learner->step_ns;
    learner->count.steps += steps;
    learner->count.chip_steps += chip_steps;
    learner->count.math += chip_steps * learner->math_ns;
}

/* The totals are always up to date. */
static void advance(struct learner *learner, int64_t steps)
{
    learner->step_start += steps * learner->step_ns;
    learner->total.steps += steps;
    learner->total.chip_steps += (uint64_t)learner->chips_present * (uint64_t)steps;
}

/* Counts those that were made up. */
static void count_made_up(struct learner *learner)
{
    if (learner->made_up == 0)
        return;
    count(learner, learner->step_start, learner->made_up);
    learner->made_up = 0;
}

void learner_end_steps(struct learner *learner, int64_t steps)
{
    count_made_up(learner);
    if (steps == 0)
        return;
    advance(learner, steps);
    count(learner, learner->step_start, steps);
    clocks_tick(&learner->world->clocks, learner->index);
    world_note_step(learner->world, learner);
}

void learner_count_steps(struct learner *learner, bool with_edge)
{
    sim_time passed = now_of(learner) - learner->step_start, steps = sim_time_periods(passed, learner->step_ns);
    if (!with_edge && steps > 0 && steps * learner->step_ns == passed)
        steps--;
    learner_end_steps(learner, steps);
}

/* A step of a sleeper ended at `at`, and another began: what learner.c does at the end of a step when there is nothing
 * to decide. */
static void make_up_step(struct learner *learner)
{
    advance(learner, 1);
    learner->made_up++;
    if (learner->world->until.is_counting)
        count_made_up(learner);
    learner_report_slept(learner);
    learner_apply_updates(learner);
    SIM_ASSERT(&learner->world->sim.origin, !learner_is_blocked(learner));
}

/* Makes up what ended before `before`, but for a step at whose end it is to be woken: that is not slept through. */
static void make_up(struct learner *learner, sim_time before)
{
    sim_time wake = sim_lane_time(&learner->world->sim.lane, (uint32_t)learner->index);
    before = earlier(before, wake);
    while (learner->step_ns < before - learner->step_start)
        make_up_step(learner);
}

void learner_catch_up(struct learner *learner)
{
    const struct sim *sim = &learner->world->sim;
    sim_time now = sim->origin.now;
    if (!learner->world->has_forecast)
        return;
    rounds_release(learner);
    if (now - learner->step_start < learner->step_ns || learner->state != LEARNER_STEPPING)
        return;
    bool is_turn_over = sim_is_past(sim, now, WORLD_RANK_LEARNER, (uint32_t)learner->index);
    make_up(learner, now + is_turn_over);
}

void learner_hear(struct learner *learner)
{
    const struct world *world = learner->world;
    bool is_kept = learner->keeper != LEARNER_ITSELF && learner->state == LEARNER_STEPPING && !world->has_pauses;
    if (!is_kept || sim_is_past(&world->sim, world->sim.origin.now, WORLD_RANK_LEARNER, (uint32_t)learner->index))
        learner_catch_up(learner);
}

void learner_wake_up(struct learner *learner)
{
    if (!learner->world->has_forecast)
        return;
    rounds_release(learner);
    if (learner->state == LEARNER_STEPPING)
        make_up(learner, now_of(learner));
}
