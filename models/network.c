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

/* Seconds on a link. */
static double send_s(const struct config *config, double bits_per_s, double parameters)
{
    return parameters * (double)config->bits / bits_per_s;
}

struct network_link network_link_of(const struct config *config, int64_t learner)
{
    for (int i = 0; i < config->link_count; i++)
        for (int k = 0; k < config->link[i].learner_count; k++)
            if (config->link[i].learner[k] == learner)
                return (struct network_link){config->link[i].bits_per_s, config->link[i].latency_ns};
    return (struct network_link){config->link_bits_per_s, config->latency_ns};
}

sim_time network_fragment_ns(const struct config *config, const struct network_link *link, double fragment_parameters)
{
    if (!has_network(config))
        return 0;
    double seconds = ring_factor(config) * send_s(config, link->bits_per_s, fragment_parameters);
    return sim_time_after(2 * link->latency_ns, seconds);
}

sim_time network_exposed_ns(const struct config *config, sim_time step_ns)
{
    if (!has_network(config) || config->datacentres < 2)
        return 0;
    double backward_s = sim_time_seconds(step_ns) * (1 - FORWARD_SHARE) / LAYERS; /* of one layer */
    double reduce_s = ring_factor(config) * send_s(config, config->link_bits_per_s, config->parameters / LAYERS);
    double ends_s = reduce_s <= backward_s ? LAYERS * backward_s + reduce_s : backward_s + LAYERS * reduce_s;
    return sim_time_after(config->latency_ns, ends_s - LAYERS * backward_s);
}

sim_time network_state_ns(const struct config *config, const struct network_link *from, const struct network_link *to)
{
    if (!has_network(config))
        return 0;
    sim_time latency = from->latency_ns > to->latency_ns ? from->latency_ns : to->latency_ns;
    return sim_time_after(latency,
                          send_s(config, fmin(from->bits_per_s, to->bits_per_s), STATE_COPIES * config->parameters));
}
