/* learner_setup.c -- a learner as it begins and ends, and its counts. */
#include <math.h>
#include <stdlib.h>

#include "models/learner_internal.h"
#include "models/network.h"
#include "models/world.h"

/* 0.55 of 100 chips is 55 of them, though the product of the doubles is a little more. */
#define ROUNDING_CHIPS 1e-6

double learner_tokens(const struct learner *learner, sim_chip_time chip_steps)
{
    return sim_chip_time_double(chip_steps) * learner->world->config->tokens_per_step / (double)learner->chips;
}

void learner_settle(struct learner *learner)
{
    learner_catch_up(learner);
    if (learner->state == LEARNER_STEPPING)
        learner_count_steps(learner, true);
    learner_book(learner);
    learner_book_cut(learner);
    learner_book_rate(learner);
}

void learner_reset_counts(struct learner *learner)
{
    learner->count = (struct learner_count){0};
    checkpoint_reset_counts(learner);
}

/* A job without a syncer stands still until those that join have copied the state. */
static sim_time upscale_ns(const struct config *config, int64_t learner)
{
    const struct network_link link = network_link_of(config, learner);
    return config_has_syncer(config) ? config->upscale_ns
                                     : sim_time_add(config->upscale_ns, network_state_ns(config, &link, &link));
}

void learner_init(struct learner *learner, struct world *world, int64_t index)
{
    const struct config *config = world->config;
    int64_t chips = fleet_learner_chips(&world->fleet, index);
    *learner = (struct learner){.world = world,
                                .index = index,
                                .chips = chips,
                                .chips_present = chips,
                                .absent_since = -1,
                                .copy_round = -1,
                                .taken_at = SIM_TIME_NEVER};
    learner->chips_min = (int64_t)ceil(config->min_share * (double)chips - ROUNDING_CHIPS);
    if (learner->chips_min < 1)
        learner->chips_min = 1;
    if (config->method == CONFIG_DP && (config_has_units(config) || config_has_kind(config, CONFIG_SOURCE_MAINTENANCE)))
        learner->chips_min = chips;
    learner->upscale_ns = upscale_ns(config, index);
    slice_list_init(&learner->failing);
    slice_list_init(&learner->leaving);
    slice_list_init(&learner->ready);
    slice_list_init(&learner->joining);
    checkpoint_init(learner);
    pace_init(&learner->pace, config, &world->fleet, &world->sim.origin, index);
    sim_lane_register(&world->sim.lane, (uint32_t)index, WORLD_RANK_LEARNER, (uint32_t)index, learner_on_wake, learner);
}

void learner_fini(struct learner *learner)
{
    checkpoint_fini(learner);
    pace_fini(&learner->pace);
    free(learner->owed);
    free(learner->inbox);
    free(learner->copy_clock);
}

bool learner_is_in_service(const struct learner *learner)
{
    return learner->state != LEARNER_PREEMPTED;
}

void learner_on_window(struct learner *learner)
{
    if (learner->state == LEARNER_STEPPING)
        learner_plan_step_end(learner);
}
