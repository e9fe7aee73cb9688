#include "models/rounds.h"

#include "models/learner_internal.h"
#include "models/steady.h"
#include "models/world.h"

/* Learners begin to cruise when nothing is to happen for so many steps: it has to pay for their beginning and end. */
#define QUIET_STEPS 8

/* What a learner does, to a round. */
enum part { PART_UNUSUAL, PART_NONE, PART_SILENT, PART_STEPS };

static const enum part part_of_state[LEARNER_STATE_COUNT] = {
    [LEARNER_STEPPING] = PART_STEPS,    [LEARNER_DOWNSCALING] = PART_SILENT, [LEARNER_UPSCALING] = PART_SILENT,
    [LEARNER_RESTARTING] = PART_SILENT, [LEARNER_PARKED] = PART_SILENT,      [LEARNER_AWAY] = PART_NONE,
    [LEARNER_PREEMPTED] = PART_NONE,
};

void rounds_init(struct world *world)
{
    const struct config *config = world->config;
    world->rounds.step_ns_max = SIM_TIME_NEVER / 8 / (config->sync_overlap + config->sync_every + 2);
    world->rounds.is_even = pace_is_uniform(config) && config->fragments == config->sync_every;
    world->is_plain = world->has_forecast && !world->observer && !world->draws && !config_has_until(config) &&
                      !(config->parameters > 0);
    roster_init(world);
    cruise_init(world);
}

void rounds_fini(struct world *world)
{
    roster_fini(world);
    cruise_fini(world);
}

static sim_time earlier(sim_time a, sim_time b)
{
    return a < b ? a : b;
}

static sim_time later(sim_time a, sim_time b)
{
    return a > b ? a : b;
}

/* --- what is in sight --- */

/* When it makes its oldest report that no round has counted, if ever. */
static inline sim_time report_ns(const struct world *world, const struct learner *learner)
{
    if (learner->keeper == LEARNER_IN_ROSTER)
        return roster_report_ns(&world->rounds.roster, learner->index);
    if (learner->reports == 0 && learner->state != LEARNER_STEPPING)
        return SIM_TIME_NEVER;
    return cruise_step_start(world, learner) + (1 - learner->reports) * learner->step_ns;
}

/* Of the step under way when the last round closed. Requires that it steps. */
static sim_time step_end_ns(const struct world *world, const struct learner *learner)
{
    if (learner->keeper == LEARNER_IN_ROSTER)
        return roster_end_ns(&world->rounds.roster, learner->index);
    return cruise_step_start(world, learner) + learner->step_ns;
}

/* What no plan knows. Steps so long that a sum of a few may be too large for a time are unusual; so is a learner that
 * waits to be taken, as with any update it may find that its state has become too old, or let go of what failed while
 * it rebuilt itself. */
static bool is_unusual(const struct world *world, const struct learner *learner)
{
    bool may_act =
        learner->state == LEARNER_PARKED && (learner->absent_since >= 0 || !slice_list_is_empty(&learner->failing));
    return part_of_state[learner->state] == PART_UNUSUAL || learner->owed_count > 0 || may_act ||
           learner->step_ns > world->rounds.step_ns_max;
}

static inline void add_outlook(struct rounds_outlook *outlook, const struct world *world, const struct learner *learner)
{
    sim_time report = report_ns(world, learner);
    outlook->first = earlier(outlook->first, report);
    if (report == SIM_TIME_NEVER)
        outlook->silent++;
    else
        outlook->last = later(outlook->last, report);
}

static void look_over(struct world *world)
{
    struct rounds_outlook *outlook = &world->rounds.outlook;
    const struct learner *end = world->learner + world->config->learners;
    *outlook = (struct rounds_outlook){.first = SIM_TIME_NEVER};
    for (const struct learner *learner = world->learner; learner < end; learner++) {
        if (part_of_state[learner->state] == PART_NONE)
            continue;
        outlook->is_unusual |= is_unusual(world, learner);
        add_outlook(outlook, world, learner);
    }
}

/* The first boundary at which somebody would have to wait for an update. A learner that reports each step has to wait
 * at the end of so many, unless a round counts one before. */
static sim_time leash_end(const struct world *world)
{
    int64_t leash = world->config->sync_overlap + world->syncer.until_due + 1;
    sim_time end = SIM_TIME_NEVER;
    for (int64_t i = 0; i < world->config->learners; i++) {
        const struct learner *learner = &world->learner[i];
        if (learner->state != LEARNER_STEPPING)
            continue;
        sim_time waits = report_ns(world, learner) + (leash - 1) * learner->step_ns;
        end = earlier(end, later(step_end_ns(world, learner), waits));
    }
    return end;
}

/* Nobody has to wait before the planned round closes. Where all step at one pace, who reports first is first. */
static bool is_leash_long(const struct world *world)
{
    const struct rounds *rounds = &world->rounds;
    sim_time first = rounds->outlook.first, leash = world->config->sync_overlap * world->config->step_time_ns;
    if (rounds->is_even && first < SIM_TIME_NEVER && rounds->closed_ns - first < leash)
        return true;
    return rounds->closed_ns < leash_end(world);
}

/* --- the plan --- */

/* When so many learners have a report. */
static sim_time nth_report(const struct world *world, int64_t missing)
{
    sim_time at = -1, next = 0;
    while (missing > 0 && next < SIM_TIME_NEVER) {
        int64_t same = 0;
        next = SIM_TIME_NEVER;
        for (int64_t i = 0; i < world->config->learners; i++) {
            const struct learner *learner = &world->learner[i];
            sim_time report = part_of_state[learner->state] != PART_NONE ? report_ns(world, learner) : SIM_TIME_NEVER;
            if (report <= at || report > next)
                continue;
            same = report < next ? 1 : same + 1;
            next = report;
        }
        at = next;
        missing -= same;
    }
    return at;
}

/* The quorum, from which the window of grace follows. */
static void plan_quorum(struct world *world, sim_time first)
{
    struct rounds *rounds = &world->rounds;
    const struct syncer *syncer = &world->syncer;
    int64_t quorum = config_quorum(world->config);
    sim_time reached = quorum == 1 ? first : nth_report(world, quorum);
    rounds->quorum_ns = later(reached, later(syncer->opened_ns, world->sim.origin.now));
    syncer_follow(&rounds->quorum_average_ns, rounds->quorum_ns - earlier(first, rounds->quorum_ns));
    sim_time window = syncer->until_due == 0 ? syncer_grace_window(syncer, rounds->quorum_average_ns) : 0;
    rounds->deadline_ns = sim_time_add(rounds->quorum_ns, window);
}

/* The plan with what is in sight; false when it cannot be made, or somebody would have to wait. */
static bool plan(struct world *world)
{
    struct rounds *rounds = &world->rounds;
    const struct rounds_outlook *outlook = &rounds->outlook;
    const struct syncer *syncer = &world->syncer;
    bool is_open = syncer->state == SYNCER_COLLECTING || syncer->state == SYNCER_GRACE;
    if (outlook->is_unusual || !is_open || syncer->copying > 0)
        return false;
    rounds->quorum_ns = syncer->quorum_ns;
    rounds->quorum_average_ns = syncer->quorum_average_ns;
    if (syncer->state == SYNCER_COLLECTING)
        plan_quorum(world, outlook->first);
    sim_time everyone = outlook->silent > 0 ? SIM_TIME_NEVER : later(outlook->last, rounds->quorum_ns);
    rounds->closed_ns = later(earlier(rounds->deadline_ns, everyone), world->sim.origin.now);
    return is_leash_long(world);
}

static void set_look(struct world *world)
{
    world->rounds.is_planned = true;
    syncer_look_at(&world->syncer, world->rounds.closed_ns);
}

bool rounds_plan(struct world *world)
{
    struct rounds *rounds = &world->rounds;
    if (!world->is_plain)
        return false;
    if (!rounds->is_planned && world->syncer.state == SYNCER_GRACE)
        rounds->deadline_ns = world_timer(world, WORLD_TIMER_GRACE);
    look_over(world);
    if (!plan(world))
        return false;
    world_set_timer(world, WORLD_TIMER_GRACE, SIM_TIME_NEVER);
    set_look(world);
    return true;
}

/* The planned quorum, if it is past. */
static void take_quorum(struct world *world)
{
    const struct rounds *rounds = &world->rounds;
    if (world->syncer.state == SYNCER_COLLECTING && sim_is_past(&world->sim, rounds->quorum_ns, WORLD_RANK_SYNCER, 0))
        syncer_take_quorum(&world->syncer, rounds->quorum_ns, rounds->quorum_average_ns);
}

void rounds_release(struct learner *learner)
{
    if (learner->keeper == LEARNER_IN_ROSTER)
        roster_release(learner->world, learner);
    else if (learner->keeper == LEARNER_CRUISING)
        cruise_release(learner->world, learner);
}

/* Rounds go the general way from here on. */
static void leave(struct world *world)
{
    roster_release_all(world);
    cruise_release_all(world);
    world->rounds.is_planned = false;
    for (int64_t i = 0; i < world->config->learners; i++)
        world->syncer.flights.landed[i] = world->syncer.round - 1;
    if (world->syncer.state == SYNCER_GRACE)
        world_set_timer(world, WORLD_TIMER_GRACE, world->rounds.deadline_ns);
}

void rounds_commit(struct world *world)
{
    if (!world->rounds.is_planned)
        return;
    take_quorum(world);
    leave(world);
}

static void replan(struct world *world)
{
    if (plan(world)) {
        set_look(world);
        return;
    }
    forecast_catch_up(world);
    forecast_all(world);
}

void rounds_revise(struct world *world)
{
    if (!world->rounds.is_planned)
        return;
    take_quorum(world);
    look_over(world);
    replan(world);
}

/* It took part, but was not to report; nothing else in sight has changed since the plan was made. */
static void join(struct world *world, const struct learner *learner)
{
    struct rounds_outlook *outlook = &world->rounds.outlook;
    take_quorum(world);
    outlook->silent--;
    outlook->is_unusual |= is_unusual(world, learner);
    add_outlook(outlook, world, learner);
    replan(world);
}

void rounds_on_step(struct world *world, const struct learner *learner, bool is_fresh, bool follows)
{
    if (is_fresh && learner->reports == 0)
        join(world, learner);
    else if (is_fresh || !follows)
        rounds_revise(world);
}

/* --- a round --- */

/* The planned round takes as long as a step, and nothing else is to happen for a while. */
static bool is_quiet(const struct world *world, sim_time next)
{
    const struct rounds *rounds = &world->rounds;
    sim_time step_ns = world->config->step_time_ns;
    return rounds->cruise.learner && rounds->closed_ns - world->syncer.opened_ns == step_ns &&
           next - rounds->closed_ns > QUIET_STEPS * step_ns;
}

/* Learners cruise from here on if they may. */
static void begin_to_cruise(struct world *world)
{
    const struct cruise *cruise = &world->rounds.cruise;
    for (int64_t i = 0; i < world->config->learners && cruise->count < world->syncer.connected; i++)
        if (world->learner[i].keeper != LEARNER_CRUISING) {
            rounds_release(&world->learner[i]);
            cruise_join(world, &world->learner[i]);
        }
}

/* What is in sight, with those that cruise. */
static void set_outlook(struct world *world, sim_time first, sim_time last, int64_t silent)
{
    struct rounds *rounds = &world->rounds;
    if (rounds->cruise.count > 0) {
        first = earlier(first, cruise_first_report(world));
        last = later(last, cruise_last_report(world));
    }
    rounds->outlook.first = first;
    rounds->outlook.last = last;
    rounds->outlook.silent = silent;
    rounds->outlook.is_unusual = false;
}

/* Closes the round as planned. The outlook is that of the next one. */
static void play(struct world *world)
{
    struct syncer *syncer = &world->syncer;
    struct rounds *rounds = &world->rounds;
    cruise_release_unfit(world, rounds->closed_ns);
    merge_begin(&syncer->merge);
    cruise_count(world);
    struct roster_sum sum = roster_close(world, rounds->closed_ns);
    merge_add_sum(&syncer->merge, sum.claims, (sim_chip_time[]){sum.chip_steps[0], sum.chip_steps[1]}, sum.staleness,
                  sum.staleness_max);
    int64_t participants = rounds->cruise.count + sum.participants;
    syncer->reporters = rounds->cruise.with_reports + sum.reporters;
    syncer->quorum_average_ns = rounds->quorum_average_ns;
    syncer_merge_as_planned(syncer);
    syncer_close_as_planned(syncer, participants, 1);
    rounds->played++;
    set_outlook(world, sum.first, sum.last, sum.silent);
}

bool rounds_play(struct world *world)
{
    struct rounds *rounds = &world->rounds;
    if (!rounds->is_planned)
        return false;
    SIM_ASSERT(&world->sim.origin, rounds->closed_ns == world->sim.origin.now);
    sim_time next = earlier(sim_next_time(&world->sim), sim_time_add(world->sim.end, 1));
    bool has_plan;
    do {
        play(world);
        has_plan = plan(world);
        if (has_plan && is_quiet(world, next))
            begin_to_cruise(world);
        if (has_plan && steady_play(world, next)) {
            set_outlook(world, SIM_TIME_NEVER, 0, 0);
            has_plan = plan(world);
        }
    } while (has_plan && rounds->closed_ns < next && !sim_wants_stop(&world->sim));
    if (has_plan) {
        set_look(world);
    } else {
        leave(world);
        forecast_all(world);
    }
    return true;
}
