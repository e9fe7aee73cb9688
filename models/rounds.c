#include "models/rounds.h"

#include "models/fragments.h"
#include "models/learner_internal.h"
#include "models/world.h"

/* After so many rounds at a time the loop of the run looks at its stop. */
#define ROUNDS_MAX 4096

/* What a learner does, to a round. */
enum part { PART_NONE, PART_SILENT, PART_STEPS, PART_UNUSUAL };

static const enum part part_of_state[LEARNER_STATE_COUNT] = {
    [LEARNER_STEPPING] = PART_STEPS,          [LEARNER_DOWNSCALING] = PART_SILENT,
    [LEARNER_UPSCALING] = PART_SILENT,        [LEARNER_RESTARTING] = PART_SILENT,
    [LEARNER_BLOCKED] = PART_UNUSUAL,         [LEARNER_AWAY] = PART_NONE,
    [LEARNER_PREEMPTED] = PART_NONE,          [LEARNER_RECOVERING] = PART_UNUSUAL,
    [LEARNER_CHECKPOINTING] = PART_UNUSUAL,   [LEARNER_RESTORING] = PART_UNUSUAL,
};

/* When the learners that take part make their oldest report that no round has counted. */
struct outlook {
    sim_time first, last;
    sim_time leash; /* the first boundary at which one would have to wait for an update */
    bool is_unusual;
};

bool rounds_are_plain(const struct world *world)
{
    return world->has_forecast && !world->observer && !world->draws && !config_has_until(world->config) &&
           !(world->config->parameters > 0);
}

static sim_time earlier(sim_time a, sim_time b)
{
    return a < b ? a : b;
}

static sim_time later(sim_time a, sim_time b)
{
    return a > b ? a : b;
}

/* --- the plan --- */

static sim_time report_ns(const struct learner *learner)
{
    if (learner->reports > 0)
        return learner->step_start - (learner->reports - 1) * learner->step_ns;
    if (part_of_state[learner->state] != PART_STEPS || learner->step_ns > SIM_TIME_NEVER - learner->step_start)
        return SIM_TIME_NEVER;
    return learner->step_start + learner->step_ns;
}

/* The boundary after `steps` more steps. */
static sim_time boundary_ns(const struct learner *learner, int64_t steps)
{
    sim_time span, at;
    if (__builtin_mul_overflow(steps > 1 ? steps : 1, learner->step_ns, &span) ||
        __builtin_add_overflow(learner->step_start, span, &at))
        return SIM_TIME_NEVER;
    return at;
}

static struct outlook look_over(const struct world *world)
{
    struct outlook outlook = {.first = SIM_TIME_NEVER, .leash = SIM_TIME_NEVER};
    int64_t leash_steps = world->config->sync_overlap + world->syncer.until_due + 1;
    const struct learner *end = world->learner + world->config->learners;
    for (const struct learner *learner = world->learner; learner < end; learner++) {
        enum part part = part_of_state[learner->state];
        if (part == PART_NONE)
            continue;
        if (part == PART_UNUSUAL || learner->owed_count > 0)
            outlook.is_unusual = true;
        sim_time report = report_ns(learner);
        outlook.first = earlier(outlook.first, report);
        outlook.last = later(outlook.last, report);
        if (part == PART_STEPS)
            outlook.leash = earlier(outlook.leash, boundary_ns(learner, leash_steps - learner->reports));
    }
    return outlook;
}

/* When so many learners have a report. */
static sim_time nth_report(const struct world *world, int64_t missing)
{
    sim_time at = -1, next = 0;
    while (missing > 0 && next < SIM_TIME_NEVER) {
        int64_t same = 0;
        next = SIM_TIME_NEVER;
        for (int64_t i = 0; i < world->config->learners; i++) {
            const struct learner *learner = &world->learner[i];
            if (part_of_state[learner->state] == PART_NONE)
                continue;
            sim_time report = report_ns(learner);
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
static void plan_quorum(struct world *world, const struct outlook *outlook)
{
    struct rounds *rounds = &world->rounds;
    const struct syncer *syncer = &world->syncer;
    int64_t quorum = config_quorum(world->config);
    sim_time reached = quorum == 1 ? outlook->first : nth_report(world, quorum);
    rounds->quorum_ns = later(reached, later(syncer->opened_ns, world->sim.origin.now));
    syncer_follow(&rounds->quorum_average_ns, rounds->quorum_ns - earlier(outlook->first, rounds->quorum_ns));
    sim_time window = syncer->until_due == 0 ? syncer_grace_window(syncer, rounds->quorum_average_ns) : 0;
    rounds->deadline_ns = sim_time_add(rounds->quorum_ns, window);
}

static bool plan(struct world *world)
{
    struct rounds *rounds = &world->rounds;
    const struct syncer *syncer = &world->syncer;
    bool is_open = syncer->state == SYNCER_COLLECTING || syncer->state == SYNCER_GRACE;
    if (!world->is_plain || !is_open || syncer->copying > 0)
        return false;
    struct outlook outlook = look_over(world);
    if (outlook.is_unusual)
        return false;
    rounds->quorum_ns = syncer->quorum_ns;
    rounds->quorum_average_ns = syncer->quorum_average_ns;
    if (syncer->state == SYNCER_COLLECTING)
        plan_quorum(world, &outlook);
    rounds->closed_ns =
        later(earlier(rounds->deadline_ns, later(outlook.last, rounds->quorum_ns)), world->sim.origin.now);
    return rounds->closed_ns < outlook.leash;
}

static void set_look(struct world *world)
{
    world->rounds.is_planned = true;
    syncer_look_at(&world->syncer, world->rounds.closed_ns);
}

bool rounds_plan(struct world *world)
{
    struct rounds *rounds = &world->rounds;
    if (!rounds->is_planned && world->syncer.state == SYNCER_GRACE)
        rounds->deadline_ns = world_timer(world, WORLD_TIMER_GRACE);
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

/* Rounds go the general way from here on. */
static void leave(struct world *world)
{
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

void rounds_revise(struct world *world)
{
    if (!world->rounds.is_planned)
        return;
    take_quorum(world);
    if (plan(world)) {
        set_look(world);
        return;
    }
    forecast_catch_up(world);
    forecast_all(world);
}

/* --- a round --- */

static void take_in(struct world *world, struct learner *learner, const struct learner_update *update)
{
    learner->count.overwritten +=
        ledger_receive(&world->syncer.ledger, learner->index, update->fragment, update->round, &learner->total);
}

/* What learner_steps.c makes up of a step. */
static void end_step(struct world *world, struct learner *learner)
{
    learner->step_start += learner->step_ns;
    learner->total.steps++;
    learner->total.chip_steps += learner->chips_present;
    learner->made_up++;
    learner->reports++;
    for (int64_t i = 0; i < learner->inbox_count; i++)
        take_in(world, learner, &learner->inbox[i]);
    learner->inbox_count = 0;
}

static void merge_claim(struct world *world, const struct learner *learner, int64_t fragment, struct merge *merge)
{
    const struct config *config = world->config;
    struct ledger_claim claim = ledger_count(&world->syncer.ledger, learner->index, fragment, world->syncer.round,
                                             config->sync_every, &learner->total);
    if (!claim.is_void)
        (void)merge_add(merge, &claim, learner_tokens(learner, claim.chip_steps), config->fragments);
}

/* A step that begins just then takes its update in at once, and so does who does not step. */
static void hand_out(struct world *world, struct learner *learner, struct learner_update update)
{
    if (part_of_state[learner->state] == PART_STEPS && learner->step_start < world->rounds.closed_ns)
        learner_await(learner, update);
    else
        take_in(world, learner, &update);
}

/* One report of everyone who has one is counted. */
static void play(struct world *world)
{
    struct syncer *syncer = &world->syncer;
    const struct rounds *rounds = &world->rounds;
    const struct learner_update update = {syncer->round, fragments_due(world->config, syncer->round)};
    const struct learner *end = world->learner + world->config->learners;
    struct merge merge = {0};
    int64_t participants = 0, reporters = 0;
    for (struct learner *learner = world->learner; learner < end; learner++) {
        enum part part = part_of_state[learner->state];
        if (part == PART_NONE)
            continue;
        while (part == PART_STEPS && learner->step_ns <= rounds->closed_ns - learner->step_start)
            end_step(world, learner);
        if (learner->reports > 0) {
            if (update.fragment >= 0)
                merge_claim(world, learner, update.fragment, &merge);
            participants++;
            reporters += --learner->reports > 0;
        }
        if (update.fragment >= 0)
            hand_out(world, learner, update);
    }
    syncer->reporters = reporters;
    syncer_close_as_planned(syncer, participants, update.fragment >= 0 ? &merge : NULL);
}

bool rounds_play(struct world *world)
{
    struct rounds *rounds = &world->rounds;
    if (!rounds->is_planned)
        return false;
    SIM_ASSERT(&world->sim.origin, rounds->closed_ns == world->sim.origin.now);
    sim_time next = sim_next_time(&world->sim);
    bool has_plan = true;
    for (int i = 0; i < ROUNDS_MAX && has_plan && rounds->closed_ns <= world->sim.end; i++) {
        if (i > 0 && rounds->closed_ns >= next)
            break;
        play(world);
        rounds->played++;
        has_plan = plan(world);
    }
    if (has_plan) {
        set_look(world);
    } else {
        leave(world);
        forecast_all(world);
    }
    return true;
}
