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

/* Merges so many rounds, one by one while claims change. */
static void merge_rounds(struct world *world, int64_t rounds)
{
    struct syncer *syncer = &world->syncer;
    while (rounds > 0) {
        merge_begin(&syncer->merge);
        if (cruise_count(world))
            merge_sum(&syncer->merge);
        int64_t alike = world->rounds.cruise.unsettled_count > 0 ? 1 : rounds;
        syncer_merge_as_planned(syncer, alike);
        rounds -= alike;
    }
}

bool steady_play(struct world *world, sim_time next)
{
    struct rounds *rounds = &world->rounds;
    if (next <= rounds->closed_ns || !is_steady(world))
        return false;
    int64_t count = follow(world, (next - 1 - rounds->closed_ns) / world->config->step_time_ns);
    merge_rounds(world, count);
    syncer_close_as_planned(&world->syncer, rounds->cruise.count, count);
    rounds->counted += count;
    return true;
}
