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
 * wait on; the window of grace is shortest where that is longest. */
static int64_t follow(struct world *world, int64_t more)
{
    const struct rounds *rounds = &world->rounds;
    sim_time first = rounds->outlook.first, grace = rounds->closed_ns - rounds->quorum_ns;
    sim_time wait = first < rounds->quorum_ns ? rounds->quorum_ns - first : 0, average = rounds->quorum_average_ns;
    bool is_sure = syncer_grace_window(&world->syncer, average > wait ? average : wait) >= grace;
    int64_t done = 0;
    for (; done < more; done++) {
        sim_time next = average;
        syncer_follow(&next, wait);
        if (!is_sure && grace > 0 && syncer_grace_window(&world->syncer, next) < grace)
            break;
        if (next == average)
            done = more - 1; /* and so on */
        average = next;
    }
    world->syncer.quorum_average_ns = average;
    return 1 + done;
}

bool steady_play(struct world *world, sim_time next)
{
    struct rounds *rounds = &world->rounds;
    if (next <= rounds->closed_ns || !is_steady(world))
        return false;
    int64_t count = follow(world, (next - 1 - rounds->closed_ns) / world->config->step_time_ns);
    cruise_merge(world, count);
    syncer_close_as_planned(&world->syncer, rounds->cruise.count, count);
    rounds->counted += count;
    return true;
}
