#include "models/learner.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "models/world.h"

#define FSM_DEF "models/learner_fsm.def"
#define FSM_NAME learner
#define FSM_LABEL "learner"
#define FSM_PREFIX LEARNER
#include "sim/fsm_table.inc"

/* Speeds and jitters are normal around 1, cut here. */
#define FACTOR_MIN 0.1

/* 0.55 of 100 chips is 55 of them, though the product of the doubles is a little more. */
#define ROUNDING_CHIPS 1e-6

static const enum run_bucket bucket_of_state[LEARNER_STATE_COUNT] = {
    [LEARNER_STEPPING] = RUN_BUCKET_useful,   [LEARNER_DOWNSCALING] = RUN_BUCKET_downscale,
    [LEARNER_UPSCALING] = RUN_BUCKET_upscale, [LEARNER_RESTARTING] = RUN_BUCKET_restart,
    [LEARNER_BLOCKED] = RUN_BUCKET_blocked,   [LEARNER_AWAY] = RUN_BUCKET_away,
};

static const struct config *config_of(const struct learner *learner)
{
    return learner->world->config;
}

static const struct sim_origin *origin_of(const struct learner *learner)
{
    return &learner->world->sim.origin;
}

static sim_time now_of(const struct learner *learner)
{
    return learner->world->sim.origin.now;
}

static bool is_reconfiguring(const struct learner *learner)
{
    return learner->state == LEARNER_DOWNSCALING || learner->state == LEARNER_UPSCALING;
}

/* --- the time account --- */

/* Books the time up to `until`: the chips present under `bucket`, the others as away. */
static void book_as(struct learner *learner, sim_time until, enum run_bucket bucket)
{
    sim_time span = until - learner->booked_until;
    struct account *account = &learner->count.account;
    account_book(account, origin_of(learner), bucket, learner->chips_present, span);
    account_book(account, origin_of(learner), RUN_BUCKET_away, learner->chips - learner->chips_present, span);
    if (learner->state == LEARNER_STEPPING)
        learner->count.stepping_ns += span;
    learner->booked_until = until;
}

static void book(struct learner *learner)
{
    book_as(learner, now_of(learner), bucket_of_state[learner->state]);
}

/* --- slices leave and join --- */

/* Lets go of the failed slices: those that are back already wait to rejoin. */
static void drop_failing(struct learner *learner)
{
    struct world *world = learner->world;
    uint32_t slice;
    book(learner);
    while ((slice = slice_list_pop(world, &learner->failing)) != SLICE_NONE) {
        learner->chips_present -= fleet_slice_chips(&world->fleet, slice);
        slice_step(world, slice, SLICE_DROP);
        if (slice_state(world, slice) == SLICE_READY)
            slice_list_push(world, &learner->ready, slice);
    }
}

static void take_in_joining(struct learner *learner)
{
    struct world *world = learner->world;
    uint32_t slice;
    book(learner);
    while ((slice = slice_list_pop(world, &learner->joining)) != SLICE_NONE) {
        learner->chips_present += fleet_slice_chips(&world->fleet, slice);
        slice_step(world, slice, SLICE_JOIN);
    }
}

/* After a restart the failed slices have been replaced. */
static void replace_failing(struct learner *learner)
{
    struct world *world = learner->world;
    uint32_t slice;
    while ((slice = slice_list_pop(world, &learner->failing)) != SLICE_NONE) {
        slice_step(world, slice, SLICE_JOIN);
        world->count.repairs++;
    }
}

/* --- steps --- */

static double draw_factor(struct sim_stream *stream, double deviation)
{
    double factor = 1 + deviation * gsl_cdf_ugaussian_Pinv(sim_stream_uniform(stream));
    return factor > FACTOR_MIN ? factor : FACTOR_MIN;
}

static sim_time draw_step_ns(struct learner *learner)
{
    const struct config *config = config_of(learner);
    double factor = config->step_jitter > 0 ? draw_factor(&learner->jitter, config->step_jitter) : 1;
    double ns = (double)config->step_time_ns / learner->speed * factor;
    if (!(ns < (double)SIM_TIME_NEVER))
        return SIM_TIME_NEVER;
    return ns < 1 ? 1 : (sim_time)llround(ns);
}

static bool must_simulate_every_step(const struct learner *learner)
{
    const struct config *config = config_of(learner);
    return config->every_step || config_has_rounds(config) || config->step_jitter > 0;
}

static void set_wake(struct learner *learner, sim_time at);

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

/* Sleeps until the end of the step in which something is to be done. */
static void plan_step_end(struct learner *learner)
{
    sim_time now = now_of(learner), at = SIM_TIME_NEVER;
    bool has_failing = !slice_list_is_empty(&learner->failing);
    if (has_failing && config_of(learner)->noticed == CONFIG_AT_ONCE)
        at = now;
    else if (has_failing || must_simulate_every_step(learner))
        at = step_end_at(learner, now);
    else if (!slice_list_is_empty(&learner->ready))
        at = step_end_at(learner, learner->upscale_from > now ? learner->upscale_from : now);
    set_wake(learner, at);
}

static void begin_step(struct learner *learner)
{
    learner->step_start = now_of(learner);
    learner->step_ns = draw_step_ns(learner);
    plan_step_end(learner);
}

/* Counts the steps that ended since the last count; one that ends just now only when `with_edge`. */
static void count_steps(struct learner *learner, bool with_edge)
{
    sim_time passed = now_of(learner) - learner->step_start, steps = passed / learner->step_ns;
    if (!with_edge && steps > 0 && steps * learner->step_ns == passed)
        steps--;
    learner->step_start += steps * learner->step_ns;
    learner->steps_total += steps;
    learner->count.steps += steps;
    learner->count.chip_steps += (sim_chip_time)learner->chips_present * steps;
}

/* --- the machine --- */

static sim_time duration_of(const struct learner *learner)
{
    const struct config *config = config_of(learner);
    switch (learner->state) {
    case LEARNER_DOWNSCALING:
        return config->downscale_ns;
    case LEARNER_UPSCALING:
        return config->upscale_ns;
    case LEARNER_RESTARTING:
        return config->restart_ns;
    case LEARNER_STEPPING:
    case LEARNER_BLOCKED:
    case LEARNER_AWAY:
    case LEARNER_STATE_COUNT:
        break;
    }
    return SIM_TIME_NEVER;
}

static void enter_upscaling(struct learner *learner)
{
    learner->upscale_from = sim_time_add(now_of(learner), config_of(learner)->upscale_every_ns);
    take_in_joining(learner);
}

/* Beside the wake-up call at the end of the state. */
static void enter(struct learner *learner)
{
    if (is_reconfiguring(learner))
        learner->world->count.reconfigurations++;
    if (learner->state == LEARNER_UPSCALING)
        enter_upscaling(learner);
    set_wake(learner, sim_time_add(now_of(learner), duration_of(learner)));
    if (learner->state == LEARNER_STEPPING) {
        world_change_stepping(learner->world, +1);
        begin_step(learner);
    }
}

static void check(const struct learner *learner)
{
    const struct sim_origin *origin = origin_of(learner);
    SIM_ASSERT(origin, learner->chips_present >= 0 && learner->chips_present <= learner->chips);
    SIM_ASSERT(origin, learner->state != LEARNER_STEPPING || learner->chips_present >= learner->chips_min);
    SIM_ASSERT(origin, learner->chips_present + learner->ready.chips + learner->joining.chips <= learner->chips);
}

/* The only function that changes the state of a learner. */
static void step(struct learner *learner, enum learner_event event)
{
    struct world *world = learner->world;
    unsigned next = sim_fsm_next(&learner_fsm, &world->sim.origin, learner->state, event);
    bool was_connected = learner->state != LEARNER_AWAY, is_connected = next != LEARNER_AWAY;
    book(learner);
    world_note_transition(world, &learner_fsm, learner->index, learner->state, next, event);
    if (learner->state == LEARNER_STEPPING)
        world_change_stepping(world, -1);
    learner->state = (enum learner_state)next;
    enter(learner);
    if (was_connected != is_connected && config_has_rounds(world->config))
        syncer_on_connection(&world->syncer, learner->index, is_connected);
    check(learner);
}

/* --- decisions --- */

static void note_interruption(struct learner *learner)
{
    learner->count.interruptions++;
    learner->world->count.interruptions++;
}

/* Starts a reconfiguration, or starts it over: a downscale when slices were lost, an upscale when some were gained, for both
 * one after the other or, under `max`, the longer one alone. */
static void begin_reconfiguration(struct learner *learner, bool has_lost, bool has_gained)
{
    const struct config *config = config_of(learner);
    bool is_one = has_lost && has_gained && config->both == CONFIG_MAX;
    bool is_downscale = is_one ? config->downscale_ns >= config->upscale_ns : has_lost;
    learner->is_gaining = is_downscale && has_gained && !is_one;
    if (is_one)
        learner->upscale_from = sim_time_add(now_of(learner), config->upscale_every_ns);
    step(learner, is_downscale ? LEARNER_LOSE : LEARNER_GAIN);
}

static void reconfigure(struct learner *learner, bool has_lost, bool has_gained)
{
    uint32_t slice;
    while (has_gained && (slice = slice_list_pop(learner->world, &learner->ready)) != SLICE_NONE)
        slice_list_push(learner->world, &learner->joining, slice);
    begin_reconfiguration(learner, has_lost, has_gained);
}

/* Chips it would have with the slices that are back are enough to step. */
static bool can_gather(const struct learner *learner)
{
    return learner->chips_present + learner->ready.chips >= learner->chips_min;
}

static void leave_away(struct learner *learner)
{
    if (can_gather(learner))
        reconfigure(learner, false, true);
}

static bool is_blocked(const struct learner *learner)
{
    return learner->owed_step > 0 && learner->steps_total - learner->owed_step >= config_of(learner)->sync_overlap;
}

/* Nothing to reconfigure: steps on unless it has too few chips or is too far ahead of the syncer. */
static void go_on(struct learner *learner)
{
    if (learner->chips_present < learner->chips_min) {
        step(learner, LEARNER_STARVE);
        leave_away(learner);
    } else if (is_blocked(learner)) {
        if (learner->state != LEARNER_BLOCKED)
            step(learner, LEARNER_OWE);
    } else if (learner->state != LEARNER_STEPPING) {
        step(learner, LEARNER_RESUME);
    } else {
        begin_step(learner);
    }
}

/* Between two steps: what has happened since the last one? */
static void decide(struct learner *learner)
{
    bool has_lost = !slice_list_is_empty(&learner->failing);
    if (has_lost)
        note_interruption(learner);
    if (has_lost && config_of(learner)->method == CONFIG_DP) {
        step(learner, LEARNER_FAIL);
        return;
    }
    if (has_lost)
        drop_failing(learner);
    bool is_short = learner->chips_present < learner->chips_min;
    bool has_gained = !slice_list_is_empty(&learner->ready) && can_gather(learner) &&
                      (is_short || now_of(learner) >= learner->upscale_from);
    if ((has_lost && !is_short) || has_gained)
        reconfigure(learner, has_lost, has_gained);
    else
        go_on(learner);
}

/* --- what happens to it --- */

static void on_step_end(struct learner *learner)
{
    count_steps(learner, true);
    struct world *world = learner->world;
    if (config_has_rounds(world->config)) {
        const struct syncer_report report = {learner->index, learner->steps_total, learner->step_ns};
        if (syncer_on_report(&world->syncer, &report) && learner->owed_step == 0)
            learner->owed_step = learner->steps_total;
    }
    decide(learner);
}

/* Noticed at once: the step in progress is lost. */
static void abort_step(struct learner *learner)
{
    count_steps(learner, false);
    sim_time lost_from = learner->step_start;
    if (lost_from > learner->booked_until)
        book_as(learner, lost_from, RUN_BUCKET_useful);
    book_as(learner, now_of(learner), RUN_BUCKET_lost);
    decide(learner);
}

static void on_reconfigured(struct learner *learner)
{
    if (learner->is_gaining) {
        learner->is_gaining = false;
        step(learner, LEARNER_GAIN);
        return;
    }
    take_in_joining(learner);
    bool is_losing_again = learner->is_losing_again && learner->chips_present >= learner->chips_min;
    learner->is_losing_again = false;
    if (is_losing_again)
        begin_reconfiguration(learner, true, false);
    else
        go_on(learner);
}

static void on_restarted(struct learner *learner)
{
    replace_failing(learner);
    go_on(learner);
}

static void on_wake(void *context, uint32_t entity)
{
    (void)entity;
    struct learner *learner = context;
    bool has_failing = !slice_list_is_empty(&learner->failing);
    if (is_reconfiguring(learner))
        on_reconfigured(learner);
    else if (learner->state == LEARNER_RESTARTING)
        on_restarted(learner);
    else if (has_failing && config_of(learner)->noticed == CONFIG_AT_ONCE)
        abort_step(learner);
    else
        on_step_end(learner);
}

static void set_wake(struct learner *learner, sim_time at)
{
    struct sim_queue *queue = &learner->world->sim.queue;
    if (at > config_of(learner)->duration_ns)
        (void)sim_queue_cancel(queue, learner->wake);
    else if (!sim_queue_reschedule(queue, learner->wake, at))
        learner->wake = sim_queue_schedule(queue, at, WORLD_RANK_LEARNER, (uint32_t)learner->index, on_wake, learner);
}

/* A slice failed while the learner rebuilds itself. */
static void on_failure_while_reconfiguring(struct learner *learner)
{
    switch (config_of(learner)->overlap) {
    case CONFIG_FOLD:
        drop_failing(learner);
        break;
    case CONFIG_NEXT_STEP:
        break;
    case CONFIG_QUEUE:
        drop_failing(learner);
        learner->is_losing_again = true;
        break;
    case CONFIG_RESTART:
        drop_failing(learner);
        begin_reconfiguration(learner, true,
                              learner->state == LEARNER_UPSCALING || !slice_list_is_empty(&learner->joining));
        break;
    case CONFIG_OVERLAP_COUNT:
        break;
    }
}

void learner_on_failure(struct learner *learner, uint32_t slice)
{
    slice_list_push(learner->world, &learner->failing, slice);
    switch (learner->state) {
    case LEARNER_STEPPING:
        plan_step_end(learner);
        break;
    case LEARNER_DOWNSCALING:
    case LEARNER_UPSCALING:
        on_failure_while_reconfiguring(learner);
        break;
    case LEARNER_RESTARTING:
        if (config_of(learner)->overlap == CONFIG_RESTART)
            step(learner, LEARNER_FAIL);
        break;
    case LEARNER_BLOCKED:
        decide(learner);
        break;
    case LEARNER_AWAY:
        drop_failing(learner);
        break;
    case LEARNER_STATE_COUNT:
        break;
    }
}

void learner_on_return(struct learner *learner, uint32_t slice)
{
    if (slice_state(learner->world, slice) != SLICE_READY)
        return;
    bool is_folded = is_reconfiguring(learner) && config_of(learner)->overlap == CONFIG_FOLD;
    slice_list_push(learner->world, is_folded ? &learner->joining : &learner->ready, slice);
    if (learner->state == LEARNER_STEPPING)
        plan_step_end(learner);
    else if (learner->state == LEARNER_BLOCKED)
        decide(learner);
    else if (learner->state == LEARNER_AWAY)
        leave_away(learner);
}

void learner_on_broadcast(struct learner *learner, const struct syncer_broadcast *message)
{
    if (message->fragment < 0)
        return;
    learner->owed_step = 0;
    if (learner->state == LEARNER_BLOCKED)
        decide(learner);
}

void learner_settle(struct learner *learner)
{
    if (learner->state == LEARNER_STEPPING)
        count_steps(learner, true);
    book(learner);
}

void learner_reset_counts(struct learner *learner)
{
    learner->count = (struct learner_count){0};
}

void learner_init(struct learner *learner, struct world *world, int64_t index)
{
    const struct config *config = world->config;
    int64_t chips = fleet_learner_chips(&world->fleet, index);
    *learner = (struct learner){.world = world, .index = index, .chips = chips, .chips_present = chips, .speed = 1};
    learner->chips_min = (int64_t)ceil(config->min_share * (double)chips - ROUNDING_CHIPS);
    if (learner->chips_min < 1)
        learner->chips_min = 1;
    slice_list_init(&learner->failing);
    slice_list_init(&learner->ready);
    slice_list_init(&learner->joining);
    sim_stream_init(&learner->jitter, &world->sim.origin, WORLD_STREAM_JITTER, (uint64_t)index);
    if (config->speed_spread > 0) {
        struct sim_stream spread;
        sim_stream_init(&spread, &world->sim.origin, WORLD_STREAM_SPREAD, (uint64_t)index);
        learner->speed = draw_factor(&spread, config->speed_spread);
    }
}

void learner_start(struct learner *learner)
{
    enter(learner);
}
