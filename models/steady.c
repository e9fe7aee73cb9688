#include "models/steady.h"

#include "models/world.h"

/* Everybody cruises through the planned round, and it takes as long as a step. */
static bool is_steady(struct world *world)
{
    const struct rounds *rounds = &world->rounds;
    return rounds->cruise.count > 0 && rounds->cruise.count == world->syncer.connected &&
           rounds->closed_ns - world->syncer.opened_ns == world->config->step_time_ns &&
           cruise_fits(world, rounds->closed_ns);
}

/* The planned round, and so many more like it as still wait long enough for everyone. Moves the average of the quorum
 * wait on. */
static int64_t follow(struct world *world, int64_t more)
{
    const struct rounds *rounds = &world->rounds;
    sim_time first = rounds->outlook.first, grace = rounds->closed_ns - rounds->quorum_ns;
    sim_time wait = first < rounds->quorum_ns ? rounds->quorum_ns - first : 0;
    world->syncer.quorum_average_ns = rounds->quorum_average_ns;
    for (int64_t i = 0; i < more; i++) {
        sim_time average = world->syncer.quorum_average_ns;
        syncer_follow(&average, wait);
        if (grace > 0 && syncer_grace_window(&world->syncer, average) < grace)
            return 1 + i;
        if (average == world->syncer.quorum_average_ns)
            break; /* and so on */
        world->syncer.quorum_average_ns = average;
    }
    return 1 + more;
}

/* So many rounds close, a step after each other. */
static void close_alike(struct world *world, int64_t count)
{
    struct rounds *rounds = &world->rounds;
    struct syncer *syncer = &world->syncer;
    sim_time span = count * world->config->step_time_ns;
    merge_begin(&syncer->merge);
    cruise_count(world, count);
    merge_sum(&syncer->merge);
    syncer_close_as_planned(syncer, rounds->cruise.count, count, syncer->opened_ns + span);
    rounds->quorum_ns += span;
    rounds->closed_ns += span;
    rounds->counted += count;
}

bool steady_play(struct world *world, sim_time next)
{
    if (next <= world->rounds.closed_ns || !is_steady(world))
        return false;
    int64_t left = follow(world, (next - 1 - world->rounds.closed_ns) / world->config->step_time_ns);
    while (left > 0) {
        int64_t count = world->syncer.round > world->rounds.cruise.unsettled_until ? left : 1;
        close_alike(world, count);
        left -= count;
    }
    return true;
}
