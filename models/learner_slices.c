/* learner_slices.c -- the time account of a learner, and its slices as they leave and join. */
#include "models/learner_internal.h"
#include "models/world.h"

static const enum run_bucket bucket_of_state[LEARNER_STATE_COUNT] = {
    [LEARNER_STEPPING] = RUN_BUCKET_useful,
    [LEARNER_DOWNSCALING] = RUN_BUCKET_downscale,
    [LEARNER_UPSCALING] = RUN_BUCKET_upscale,
    [LEARNER_RESTARTING] = RUN_BUCKET_restart,
    [LEARNER_BLOCKED] = RUN_BUCKET_blocked,
    [LEARNER_AWAY] = RUN_BUCKET_away,
    [LEARNER_PREEMPTED] = RUN_BUCKET_away,
    [LEARNER_RECOVERING] = RUN_BUCKET_recovering,
    [LEARNER_CHECKPOINTING] = RUN_BUCKET_checkpoint,
    [LEARNER_RESTORING] = RUN_BUCKET_restart,
    [LEARNER_PARKED] = RUN_BUCKET_away,
};

static const struct sim_origin *origin_of(const struct learner *learner)
{
    return &learner->world->sim.origin;
}

/* --- the time account --- */

static __attribute__((noinline)) void book(struct learner *learner, sim_time until, enum run_bucket bucket)
{
    sim_time span = until - learner->booked_until;
    learner->booked_until = until;
    struct account *account = &learner->count.account;
    account_book(account, origin_of(learner), bucket, learner->chips_present, span);
    account_book(account, origin_of(learner), RUN_BUCKET_away, learner->chips - learner->chips_present, span);
    if (learner->state == LEARNER_STEPPING) {
        learner->count.stepping_ns += span;
        if (pace_is_slowed(&learner->pace))
            learner->count.slowed += (sim_chip_time)learner->chips_present * span;
    } else if (learner->state == LEARNER_PREEMPTED) {
        learner->count.preempted += (sim_chip_time)learner->chips * span;
    } else if (learner->state == LEARNER_RESTORING) {
        learner->count.restoring += (sim_chip_time)learner->chips_present * span;
    }
}

void learner_book_as(struct learner *learner, sim_time until, enum run_bucket bucket)
{
    if (until != learner->booked_until)
        book(learner, until, bucket);
}

void learner_book(struct learner *learner)
{
    learner_book_as(learner, origin_of(learner)->now, bucket_of_state[learner->state]);
}

/* --- slices leave and join --- */

/* Lets go of a failed slice that nobody replaces. */
static void drop(struct learner *learner, uint32_t slice)
{
    struct world *world = learner->world;
    learner->chips_present -= slice_chips(world, slice);
    pace_change(&learner->pace, slice, -1);
    slice_step(world, slice, SLICE_DROP);
    if (slice_state(world, slice) == SLICE_READY)
        learner_line_up(learner, &learner->ready, slice);
    else
        spares_vacate(world, slice);
}

void learner_line_up(struct learner *learner, struct slice_list *list, uint32_t slice)
{
    if (maintenance_holds(learner->world, slice))
        slice_step(learner->world, slice, SLICE_HOLD);
    else
        slice_list_push(learner->world, list, slice);
}

/* Sound again in its place, or due for maintenance. */
static void rejoin(struct learner *learner, uint32_t slice)
{
    slice_step(learner->world, slice, SLICE_JOIN);
    if (maintenance_holds(learner->world, slice))
        learner_leave(learner, slice);
}

bool learner_drop_failing(struct learner *learner)
{
    struct world *world = learner->world;
    bool has_dropped = false;
    uint32_t slice;
    learner_book(learner);
    while ((slice = slice_list_pop(world, &learner->failing)) != SLICE_NONE) {
        if (spares_replace(world, slice, &learner->swap_owed_ns)) {
            rejoin(learner, slice);
            continue;
        }
        has_dropped = true;
        drop(learner, slice);
    }
    spares_return_loans(world, learner->index, &learner->swap_owed_ns);
    return has_dropped;
}

void learner_drop_all_leaving(struct learner *learner)
{
    uint32_t slice;
    learner_book(learner);
    while ((slice = slice_list_pop(learner->world, &learner->leaving)) != SLICE_NONE)
        drop(learner, slice);
}

static void hold_back_of(struct learner *learner, struct slice_list *list)
{
    uint32_t slice;
    struct slice_list all = *list;
    slice_list_init(list);
    while ((slice = slice_list_pop(learner->world, &all)) != SLICE_NONE)
        learner_line_up(learner, list, slice);
}

void learner_hold_back(struct learner *learner)
{
    learner_catch_up(learner);
    hold_back_of(learner, &learner->ready);
    hold_back_of(learner, &learner->joining);
}

void learner_take_in_all_joining(struct learner *learner)
{
    struct world *world = learner->world;
    uint32_t slice;
    learner_book(learner);
    while ((slice = slice_list_pop(world, &learner->joining)) != SLICE_NONE) {
        learner->chips_present += slice_chips(world, slice);
        pace_change(&learner->pace, slice, +1);
        slice_step(world, slice, SLICE_JOIN);
    }
}

/* After a restart the failed slices have been replaced. */
void learner_replace_failing(struct learner *learner)
{
    struct world *world = learner->world;
    uint32_t slice;
    while ((slice = slice_list_pop(world, &learner->failing)) != SLICE_NONE) {
        rejoin(learner, slice);
        world->count.repairs++;
    }
}

void learner_move_ready_to_joining(struct learner *learner)
{
    uint32_t slice;
    while ((slice = slice_list_pop(learner->world, &learner->ready)) != SLICE_NONE)
        slice_list_push(learner->world, &learner->joining, slice);
}

void learner_change_service(const struct learner *learner, bool is_entering)
{
    struct world *world = learner->world;
    int64_t first = fleet_first_slice(&world->fleet, learner->index);
    for (int64_t i = 0; i < fleet_learner_slices(&world->fleet, learner->index); i++)
        if (slice_state(world, (uint32_t)(first + i)) == SLICE_ACTIVE)
            world_change_service(world, (uint32_t)(first + i), is_entering);
}
