/* models/network.h -- how long transfers take.
 *
 * Each learner has a link of its own with the bandwidth and latency of the scenario. Three things travel: a fragment,
 * to the syncer and back (decoupled methods); the gradients of every step (data-parallel methods over more than one
 * datacentre); the state that a newcomer copies from a peer. Without `network.parameters` nothing takes time.
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

/* From the closing of a round until its update has arrived: latency both ways and the fragment. */
sim_time network_fragment_ns(const struct config *config, double fragment_parameters);

/* What a data-parallel step takes beyond its arithmetic of `step_ns`. */
sim_time network_exposed_ns(const struct config *config, sim_time step_ns);

/* A copy of the whole training state from a peer. */
sim_time network_state_ns(const struct config *config);

#endif
