#include "models/fleet.h"

static struct fleet_divisor divisor(int64_t by)
{
    return (struct fleet_divisor){by, by > 0 ? (1ULL << 63) / (uint64_t)by + 1 : 0};
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

void fleet_init(struct fleet *fleet, const struct config *config)
{
    int64_t small = config->chips / config->learners, large = config->chips % config->learners;
    *fleet = (struct fleet){
        .chips_per_slice = config->chips_per_slice,
        .learners = config->learners,
        .large_learners = large,
        .small_chips = small,
        .large_slices = divide_up(small + 1, config->chips_per_slice),
        .small_slices = divide_up(small, config->chips_per_slice),
    };
    fleet->chips_of_size[FLEET_FULL] = fleet->chips_per_slice;
    fleet->chips_of_size[FLEET_LAST_OF_LARGE] = small + 1 - (fleet->large_slices - 1) * fleet->chips_per_slice;
    fleet->chips_of_size[FLEET_LAST_OF_SMALL] = small - (fleet->small_slices - 1) * fleet->chips_per_slice;
    fleet->slice = divisor(fleet->chips_per_slice);
    fleet->large_of_chips = divisor(small + 1);
    fleet->small_of_chips = divisor(small);
    fleet->large_of_slices = divisor(fleet->large_slices);
    fleet->small_of_slices = divisor(fleet->small_slices);
    fleet->slices = large * fleet->large_slices + (config->learners - large) * fleet->small_slices;
}

static bool is_large(const struct fleet *fleet, int64_t learner)
{
    return learner < fleet->large_learners;
}

int64_t fleet_learner_chips(const struct fleet *fleet, int64_t learner)
{
    return fleet->small_chips + (is_large(fleet, learner) ? 1 : 0);
}

int64_t fleet_learner_slices(const struct fleet *fleet, int64_t learner)
{
    return is_large(fleet, learner) ? fleet->large_slices : fleet->small_slices;
}

int64_t fleet_slice_learner(const struct fleet *fleet, int64_t slice)
{
    return fleet_block_of(fleet, slice, &fleet->large_of_slices, &fleet->small_of_slices);
}

enum fleet_size fleet_last_size(const struct fleet *fleet, int64_t learner)
{
    return is_large(fleet, learner) ? FLEET_LAST_OF_LARGE : FLEET_LAST_OF_SMALL;
}

int64_t fleet_slice_chips(const struct fleet *fleet, int64_t slice)
{
    int64_t learner = fleet_slice_learner(fleet, slice);
    bool is_last = slice + 1 == fleet_first_slice(fleet, learner + 1);
    return fleet->chips_of_size[is_last ? fleet_last_size(fleet, learner) : FLEET_FULL];
}

int64_t fleet_first_chip(const struct fleet *fleet, int64_t slice)
{
    int64_t learner = fleet_slice_learner(fleet, slice);
    int64_t start = fleet_block_start(fleet, learner, fleet->small_chips + 1, fleet->small_chips);
    return start + (slice - fleet_first_slice(fleet, learner)) * fleet->chips_per_slice;
}

bool fleet_is_large(const struct fleet *fleet, int64_t learner_chips)
{
    return learner_chips > fleet->small_chips;
}

double fleet_tokens(const struct fleet *fleet, double tokens_per_step, const sim_chip_time chip_steps[static 2])
{
    double small = (double)fleet->small_chips;
    return tokens_per_step * ((double)chip_steps[0] / small + (double)chip_steps[1] / (small + 1));
}
