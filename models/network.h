/* models/network.h -- how long transfers take.
 *
 * Each learner has a link of its own, with the bandwidth and latency of the scenario or those of the entry of
 * network.links that names it. Three things travel: a fragment, to the syncer and back (decoupled methods); the
 * gradients of every step (data-parallel methods over more than one datacentre); the state that a newcomer copies from
 * a peer. Without `network.parameters` nothing takes time.
 *
 * Formulas (arXiv 2604.21428, section on bandwidth, and the specification): volumes carry the ring factor 2 (D - 1) / D
 * of an all-reduce over D datacentres. Data-parallel: forward 1/3 and backward 2/3 of the step, 40 equal layers; the
 * all-reduce of a layer starts when its backward is done and the one before it has ended; what sticks out behind the
 * backward pass is exposed. State: parameters and optimizer state, 3 x the parameters.
 *
 * Units: ns; sizes in parameters.
 * Ownership: values.
 * Errors: a time past the end of time is SIM_TIME_NEVER.
 */
#ifndef MODELS_NETWORK_H
#define MODELS_NETWORK_H

#include "models/config.h"

/* The link of a learner to everybody else. */
struct network_link {
    double bits_per_s;
    sim_time latency_ns; /* one way */
};

struct network_link network_link_of(const struct config *config, int64_t learner);

/* A fragment to the syncer and back over one link: latency both ways and the volume. */
sim_time network_fragment_ns(const struct config *config, const struct network_link *link, double fragment_parameters);

/* What a data-parallel step takes beyond its arithmetic of `step_ns`, over the common link. */
sim_time network_exposed_ns(const struct config *config, sim_time step_ns);

/* A copy of the whole training state from a peer: the slower of the two links, the longer of their latencies. */
sim_time network_state_ns(const struct config *config, const struct network_link *from, const struct network_link *to);

#endif
