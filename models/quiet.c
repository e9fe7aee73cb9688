#include "models/quiet.h"

#include "models/fragments.h"
#include "models/learner_internal.h"
#include "models/world.h"

/* A stretch shorter than so many steps does not pay; after so many rounds the loop of the run looks at its stop. */
#define STEPS_MIN 2
#define ROUNDS_MAX 4096

/* One that takes part. */
struct quiet_learner {
    struct learner *learner;
    bool is_silent; /* rebuilds itself: it receives, but does not report */
    sim_time end;   /* of its step in progress */
    sim_time step_ns;
    struct ledger_total total;
    int64_t made_up;
    int64_t reports; /* of its last steps, that no round has counted */
    bool has_update; /* waits for the step to end */
    struct learner_update update;
};

struct stretch {
    struct world *world;
    struct syncer *syncer;
    struct quiet_learner *member;
    int64_t members, silent;
    sim_time last; /* rounds that close later are left alone */
};

/* When a round reaches its quorum and closes. */
struct quiet_round {
    sim_time quorum_ns, closed_ns;
    sim_time quorum_average_ns;
};

/* --- when --- */

static sim_time earlier(sim_time a, sim_time b)
{
    return a < b ? a : b;
}

/* Before anything else happens. */
static sim_time last_moment(struct world *world)
{
    sim_time next = sim_queue_next_time(&world->sim.queue);
    for (int64_t i = 0; i < world->config->learners; i++)
        next = earlier(next, sim_lane_time(&world->sim.lane, (uint32_t)i));
    return earlier(next - 1, world->sim.end);
}

static bool is_possible(const struct world *world)
{
    const struct syncer *syncer = &world->syncer;
    return world->has_forecast && !world->observer && !world->draws && !world->until.is_counting &&
           !(world->config->parameters > 0) && syncer->state == SYNCER_COLLECTING && syncer->copying == 0 &&
           syncer->flights.count == 0;
}

/* It reported its last steps, one after the other, and they are all that is owed. */
static bool has_plain_reports(const struct learner *learner)
{
    bool is_plain = learner->in_flight == 0 && learner->inbox_count <= 1;
    for (int64_t i = 0; i < learner->owed_count; i++) {
        int64_t ago = learner->owed_count - 1 - i;
        is_plain = is_plain && learner->owed[i].step == learner->total.steps - ago &&
                   learner->owed[i].reported_ns == learner->step_start - ago * learner->step_ns;
    }
    return is_plain;
}

/* False when it does something that is not known here. */
static bool add_member(struct stretch *stretch, struct learner *learner)
{
    bool is_stepping = learner->state == LEARNER_STEPPING;
    if (!learner_listens(learner))
        return true;
    if (!learner_is_connected(learner) || learner->state == LEARNER_BLOCKED || !has_plain_reports(learner))
        return false;
    if (!is_stepping && (learner->owed_count > 0 || learner->inbox_count > 0))
        return false;
    struct quiet_learner *member = &stretch->member[stretch->members++];
    *member = (struct quiet_learner){.learner = learner,
                                     .is_silent = !is_stepping,
                                     .end = is_stepping ? sim_time_add(learner->step_start, learner->step_ns)
                                                        : SIM_TIME_NEVER,
                                     .step_ns = learner->step_ns,
                                     .total = learner->total,
                                     .reports = learner->owed_count,
                                     .has_update = learner->inbox_count > 0};
    if (member->has_update)
        member->update = learner->inbox[0];
    stretch->silent += member->is_silent;
    return true;
}

static bool begin(struct stretch *stretch)
{
    struct world *world = stretch->world;
    bool is_known = true;
    if (!world->quiet)
        world->quiet = sim_allocate((size_t)world->config->learners, sizeof *world->quiet);
    stretch->member = world->quiet;
    for (int64_t i = 0; i < world->config->learners && is_known; i++)
        is_known = add_member(stretch, &world->learner[i]);
    return is_known;
}

/* --- a round --- */

/* The moment at which so many more learners have a report. */
static sim_time nth_report(const struct stretch *stretch, int64_t missing)
{
    sim_time at = stretch->syncer->opened_ns - 1;
    while (missing > 0) {
        sim_time next = SIM_TIME_NEVER;
        int64_t same = 0;
        for (int64_t i = 0; i < stretch->members; i++) {
            const struct quiet_learner *member = &stretch->member[i];
            if (member->reports > 0 || member->end <= at || member->end > next)
                continue;
            same = member->end < next ? 1 : same + 1;
            next = member->end;
        }
        if (next == SIM_TIME_NEVER)
            return next;
        at = next;
        missing -= same;
    }
    return at;
}

static sim_time quorum_of(const struct stretch *stretch)
{
    int64_t missing = config_quorum(stretch->world->config) - stretch->syncer->reporters;
    return missing > 0 ? nth_report(stretch, missing) : stretch->syncer->opened_ns;
}

/* The oldest report that the quorum counts, and when the last one comes. */
static void find_ends(const struct stretch *stretch, sim_time quorum_ns, sim_time *ret_oldest, sim_time *ret_last)
{
    *ret_oldest = quorum_ns;
    *ret_last = stretch->silent > 0 ? SIM_TIME_NEVER : quorum_ns;
    for (int64_t i = 0; i < stretch->members; i++) {
        const struct quiet_learner *member = &stretch->member[i];
        if (member->is_silent)
            continue;
        sim_time first = member->end - member->reports * member->step_ns;
        *ret_oldest = earlier(*ret_oldest, first);
        if (member->reports == 0 && first > *ret_last)
            *ret_last = first;
    }
}

/* False when somebody would have to wait in this round, or receive two updates in one step. */
static bool is_known_round(const struct stretch *stretch, sim_time closed_ns, int64_t fragment)
{
    int64_t ahead = stretch->syncer->until_due, overlap = stretch->world->config->sync_overlap;
    for (int64_t i = 0; i < stretch->members; i++) {
        const struct quiet_learner *member = &stretch->member[i];
        int64_t reports = member->reports;
        for (sim_time end = member->end; end <= closed_ns; end += member->step_ns)
            reports++;
        if (reports > member->reports && reports - 1 - ahead >= overlap)
            return false;
        if (reports == member->reports && member->has_update && fragment >= 0)
            return false;
    }
    return true;
}

static bool plan_round(const struct stretch *stretch, int64_t fragment, struct quiet_round *ret)
{
    const struct syncer *syncer = stretch->syncer;
    sim_time oldest, last;
    ret->quorum_ns = quorum_of(stretch);
    if (ret->quorum_ns > stretch->last)
        return false;
    find_ends(stretch, ret->quorum_ns, &oldest, &last);
    struct syncer then = {.world = stretch->world,
                          .step_average_ns = syncer->step_average_ns,
                          .quorum_average_ns = syncer->quorum_average_ns,
                          .transfer_average_ns = syncer->transfer_average_ns};
    syncer_follow(&then.quorum_average_ns, ret->quorum_ns - oldest);
    ret->quorum_average_ns = then.quorum_average_ns;
    sim_time window = syncer->until_due == 0 ? syncer_grace_window(&then) : 0;
    ret->closed_ns = earlier(sim_time_add(ret->quorum_ns, window), last);
    return ret->closed_ns <= stretch->last && is_known_round(stretch, ret->closed_ns, fragment);
}

static void take_in(struct stretch *stretch, struct quiet_learner *member, struct learner_update update)
{
    member->learner->count.overwritten +=
        ledger_receive(&stretch->syncer->ledger, member->learner->index, update.fragment, update.round, &member->total);
}

static void end_steps(struct stretch *stretch, struct quiet_learner *member, sim_time until)
{
    for (; member->end <= until; member->end += member->step_ns) {
        member->total.steps++;
        member->total.chip_steps += member->learner->chips_present;
        member->made_up++;
        member->reports++;
        if (member->has_update)
            take_in(stretch, member, member->update);
        member->has_update = false;
    }
}

static void merge(struct stretch *stretch, int64_t fragment)
{
    struct syncer *syncer = stretch->syncer;
    const struct config *config = stretch->world->config;
    struct merge merge = {0};
    for (int64_t i = 0; i < stretch->members; i++) {
        const struct quiet_learner *member = &stretch->member[i];
        if (member->reports == 0)
            continue;
        struct ledger_claim claim = ledger_count(&syncer->ledger, member->learner->index, fragment, syncer->round,
                                                 config->sync_every, &member->total);
        if (!claim.is_void)
            (void)merge_add(&merge, &claim, learner_tokens(member->learner, claim.chip_steps), config->fragments);
    }
    syncer_count_merge(&syncer->count, &merge);
}

/* A step that ends with the round takes its update in at once, and who does not step. */
static void send(struct stretch *stretch, struct learner_update update, sim_time now)
{
    for (int64_t i = 0; i < stretch->members; i++) {
        struct quiet_learner *member = &stretch->member[i];
        member->has_update = !member->is_silent && member->end - member->step_ns < now;
        member->update = update;
        if (!member->has_update)
            take_in(stretch, member, update);
    }
}

/* The round counts one report of everyone. */
static void count_reports(struct stretch *stretch)
{
    struct syncer *syncer = stretch->syncer;
    syncer->reporters = 0;
    for (int64_t i = 0; i < stretch->members; i++) {
        struct quiet_learner *member = &stretch->member[i];
        if (member->reports == 0)
            continue;
        syncer->count.participants++;
        member->reports--;
        syncer->reporters += member->reports > 0;
    }
}

static void play_round(struct stretch *stretch, int64_t fragment, const struct quiet_round *round)
{
    struct syncer *syncer = stretch->syncer;
    for (int64_t i = 0; i < stretch->members; i++)
        end_steps(stretch, &stretch->member[i], round->closed_ns);
    if (fragment >= 0)
        merge(stretch, fragment);
    syncer->count.rounds++;
    syncer->count.quorum_wait_ns += round->quorum_ns - syncer->opened_ns;
    syncer->count.grace_ns += round->closed_ns - round->quorum_ns;
    count_reports(stretch);
    if (fragment >= 0) {
        syncer_follow(&syncer->transfer_average_ns, 0);
        send(stretch, (struct learner_update){syncer->round, fragment}, round->closed_ns);
    }
    syncer->quorum_average_ns = round->quorum_average_ns;
    syncer->quorum_ns = round->quorum_ns;
    syncer->opened_ns = round->closed_ns;
    syncer->round++;
    syncer->until_due = fragments_rounds_until_due(stretch->world->config, syncer->round);
}

/* --- the end --- */

static void put_back(const struct quiet_learner *member)
{
    struct learner *learner = member->learner;
    if (member->is_silent)
        return;
    learner->step_start = member->end - member->step_ns;
    learner->total = member->total;
    learner->made_up += member->made_up;
    learner->inbox_count = 0;
    learner_restate_reports(learner, member->reports);
    if (member->has_update)
        learner_await(learner, member->update);
}

static void end(struct stretch *stretch)
{
    struct world *world = stretch->world;
    for (int64_t i = 0; i < stretch->members; i++)
        put_back(&stretch->member[i]);
    for (int64_t i = 0; i < world->config->learners; i++)
        world->syncer.flights.landed[i] = world->syncer.round - 1;
}

void quiet_run(struct world *world)
{
    struct stretch stretch = {.world = world, .syncer = &world->syncer};
    struct quiet_round round;
    if (!is_possible(world))
        return;
    stretch.last = last_moment(world);
    if ((stretch.last - world->sim.origin.now) / STEPS_MIN < world->config->step_time_ns || !begin(&stretch))
        return;
    for (int rounds = 0; rounds < ROUNDS_MAX; rounds++) {
        int64_t fragment = fragments_due(world->config, world->syncer.round);
        if (!plan_round(&stretch, fragment, &round))
            break;
        play_round(&stretch, fragment, &round);
    }
    end(&stretch);
}
