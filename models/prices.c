#include "models/prices.h"

#include <math.h>

#include "models/network.h"
#include "models/scope.h"
#include "models/world.h"

#define HOUR_S 3600.0

bool prices_are_given(const struct config *config)
{
    return config->price_chip_hour > 0;
}

static double chip_hours(sim_chip_time chip_ns)
{
    return sim_chip_time_seconds(chip_ns) / HOUR_S;
}

/* Price of an hour of the chips from `first` to before `end`, each that of its class. */
static double chips_hour(const struct config *config, int64_t first, int64_t end)
{
    double sum = (double)(end - first) * config->price_chip_hour;
    for (int i = 0; i < config->price_count; i++) {
        int class = scope_class_find(config, config->price[i].name);
        int64_t from = scope_class_first(config, class), to = scope_class_first(config, class + 1);
        from = from > first ? from : first;
        to = to < end ? to : end;
        sum += to > from ? (double)(to - from) * (config->price[i].chip_hour - config->price_chip_hour) : 0;
    }
    return sum;
}

static double fleet(const struct world *world, double hours)
{
    const struct config *config = world->config;
    double sum = 0;
    for (int64_t i = 0; i < config->learners; i++) {
        const struct learner *learner = &world->learner[i];
        int64_t chips = learner->chips, first = fleet_first_chip(&world->fleet, fleet_first_slice(&world->fleet, i));
        double preempted = chip_hours(learner->count.preempted);
        sum += chips_hour(config, first, first + chips) * (hours - preempted / (double)chips) +
               preempted * config->price_preempted_hour;
    }
    return sum;
}

static double beside_the_fleet(struct world *world, double hours)
{
    const struct config *config = world->config;
    double slice = (double)world->spares.chips, borrowed = sim_level_mean(&world->spares.borrowed);
    return slice * hours *
           ((double)config->spares * config->price_spare_hour + (double)config->standby * config->price_standby_hour +
            borrowed * config->price_loan_hour);
}

static double crews(const struct world *world)
{
    double sum = 0;
    for (int i = 0; i < world->repair.stages; i++)
        sum += (double)world->repair.stage[i].crews;
    return sum;
}

static double gbit_per_s(const struct config *config)
{
    double sum = 0;
    for (int64_t i = 0; config->parameters > 0 && i < config->learners; i++)
        sum += network_link_of(config, i).bits_per_s / 1e9;
    return sum;
}

double prices_cost(struct world *world, sim_time duration_ns)
{
    const struct config *config = world->config;
    double hours = sim_time_seconds(duration_ns) / HOUR_S;
    if (!prices_are_given(config))
        return NAN;
    return fleet(world, hours) + beside_the_fleet(world, hours) + crews(world) * config->price_crew_hour * hours +
           gbit_per_s(config) * config->price_gbit_hour * hours;
}
