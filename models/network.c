#include "models/network.h"

#include <math.h>

#define LAYERS 40
#define FORWARD_SHARE (1.0 / 3)
#define STATE_COPIES 3

static bool has_network(const struct config *config)
{
    return config->parameters > 0;
}

static double ring_factor(const struct config *config)
{
    double datacentres = (double)config->datacentres;
    return 2 * (datacentres - 1) / datacentres;
}

/* Seconds on the link. */
static double send_s(const struct config *config, double parameters)
{
    return parameters * (double)config->bits / config->link_bits_per_s;
}

sim_time network_fragment_ns(const struct config *config, double fragment_parameters)
{
    if (!has_network(config))
        return 0;
    double seconds = ring_factor(config) * send_s(config, fragment_parameters);
    return sim_time_after(2 * config->latency_ns, seconds);
}

sim_time network_exposed_ns(const struct config *config, sim_time step_ns)
{
    if (!has_network(config) || config->datacentres < 2)
        return 0;
    double backward_s = sim_time_seconds(step_ns) * (1 - FORWARD_SHARE) / LAYERS; /* of one layer */
    double reduce_s = ring_factor(config) * send_s(config, config->parameters / LAYERS);
    double ends_s = reduce_s <= backward_s ? LAYERS * backward_s + reduce_s : backward_s + LAYERS * reduce_s;
    return sim_time_after(config->latency_ns, ends_s - LAYERS * backward_s);
}

sim_time network_state_ns(const struct config *config)
{
    if (!has_network(config))
        return 0;
    return sim_time_after(config->latency_ns, send_s(config, STATE_COPIES * config->parameters));
}
