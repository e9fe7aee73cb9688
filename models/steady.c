#include "models/steady.h"

#include "models/fragments.h"
#include "models/world.h"

/* Fewer are played: that costs less. */
#define SKIP_MIN 4

static bool is_alike(const struct world *world, int64_t participants, const struct rounds_outlook *outlook)
{
    const struct rounds *rounds = &world->rounds;
    return rounds->is_even && outlook->silent == 0 && participants == world->syncer.connected &&
           rounds->closed_ns - world->syncer.opened_ns == world->config->step_time_ns;
}

void steady_note_round(struct world *world, int64_t participants, const struct rounds_outlook *outlook)
{
    struct rounds *rounds = &world->rounds;
    rounds->steady = is_alike(world, participants, outlook) ? rounds->steady + 1 : 0;
    if (rounds->steady > world->config->sync_every)
        rounds->before = world->syncer.count;
}

/* It steps, and has at most the update of the last round before it. */
static bool is_plain(const struct world *world, const struct learner *learner)
{
    return !learner_is_connected(learner) ||
           (learner->state == LEARNER_STEPPING && learner->step_ns == world->config->step_time_ns &&
            learner->heard >= world->syncer.round - 1);
}

static bool can_skip(const struct world *world)
{
    bool can = world->rounds.steady > world->config->sync_every;
    for (int64_t i = 0; can && i < world->config->learners; i++)
        can = is_plain(world, &world->learner[i]);
    return can;
}

/* The average of the quorum wait over so many rounds, or as many as still wait long enough for everyone. */
static int64_t follow(struct world *world, int64_t count)
{
    const struct rounds *rounds = &world->rounds;
    sim_time first = rounds->outlook.first, grace = rounds->closed_ns - rounds->quorum_ns;
    sim_time wait = first < rounds->quorum_ns ? rounds->quorum_ns - first : 0;
    for (int64_t i = 0; i < count; i++) {
        sim_time average = world->syncer.quorum_average_ns;
        syncer_follow(&average, wait);
        if (grace > 0 && syncer_grace_window(&world->syncer, average) < grace)
            return i;
        if (average == world->syncer.quorum_average_ns)
            break; /* and so on */
        world->syncer.quorum_average_ns = average;
    }
    return count;
}

/* Adds what the last round added, so many times. */
static void count_rounds(struct world *world, int64_t times)
{
    struct syncer_count *count = &world->syncer.count;
    const struct syncer_count *before = &world->rounds.before;
    count->rounds += times;
    count->participants += times * (count->participants - before->participants);
    count->quorum_wait_ns += times * (count->quorum_wait_ns - before->quorum_wait_ns);
    count->grace_ns += times * (count->grace_ns - before->grace_ns);
    count->merged.merges += times;
    count->merged.claims += times * (count->merged.claims - before->merged.claims);
    count->merged.staleness += times * (count->merged.staleness - before->merged.staleness);
    count->merged.effective_learners += times * (count->merged.effective_learners - before->merged.effective_learners);
    for (int i = 0; i < 2; i++)
        count->merged.chip_steps[i] += times * (count->merged.chip_steps[i] - before->merged.chip_steps[i]);
}

/* Each step discards, of one fragment, what was trained between the round that sent it and the end of the step. */
static void move_learner(struct learner *learner, int64_t rounds)
{
    learner->step_start += rounds * learner->step_ns;
    learner->total.steps += rounds;
    learner->total.chip_steps += (uint64_t)learner->chips_present * (uint64_t)rounds;
    learner->made_up += rounds;
    learner->heard += rounds;
    if (learner->heard < learner->world->syncer.round)
        learner->count.overwritten += (sim_chip_time)rounds * learner->chips_present;
}

/* The ledger after `last`, the last round: the learner has received each fragment in its last turn, at the end of the
 * step in which it was sent, unless that has yet to come. */
static void restate(struct world *world, const struct learner *learner, int64_t last)
{
    int64_t cycle = world->config->sync_every, chips = learner->chips_present, lag = last + 1 - learner->heard;
    for (int64_t fragment = 0; fragment < cycle; fragment++) {
        int64_t ago = (last - fragment) % cycle, counted = 0;
        if (ago == 0 && lag > 0) {
            ago = cycle;
            counted = (cycle - lag) * chips;
        }
        int64_t steps_ago = ago - lag;
        *ledger_entry(&world->syncer.ledger, learner->index, fragment) = (struct ledger_entry){
            .received = {learner->total.steps - steps_ago,
                         learner->total.chip_steps - (uint64_t)steps_ago * (uint64_t)chips},
            .counted = counted,
            .round = last - ago,
        };
    }
}

void steady_skip(struct world *world, sim_time next, struct rounds_outlook *outlook)
{
    struct syncer *syncer = &world->syncer;
    sim_time step_ns = world->config->step_time_ns;
    int64_t rounds = (next - 1 - syncer->opened_ns) / step_ns;
    if (rounds < SKIP_MIN || !can_skip(world))
        return;
    rounds = follow(world, rounds);
    count_rounds(world, rounds);
    syncer->round += rounds;
    syncer->opened_ns += rounds * step_ns;
    for (int64_t i = 0; i < world->config->learners; i++) {
        struct learner *learner = &world->learner[i];
        if (!learner_is_connected(learner))
            continue;
        move_learner(learner, rounds);
        restate(world, learner, syncer->round - 1);
    }
    outlook->first += rounds * step_ns;
    outlook->last += rounds * step_ns;
    world->rounds.skipped += rounds;
}
