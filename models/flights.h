/* models/flights.h -- updates on their way from the syncer to the learners.
 *
 * A round that closes pulls its fragment from those it counted, merges it and sends it to everyone. Each learner has a
 * link of its own (models/network.h): the pull ends with the slowest that took part, and from then on the update takes
 * each learner its own time. Channels are first in, first out: no update overtakes an earlier one on the way to the
 * same learner. A flight is over when the update has reached everyone who listens; a learner that does not take part
 * holds nobody up and misses what would have arrived meanwhile.
 *
 * Units: ns, counts, parameters.
 * Ownership: flights_init allocates, flights_fini releases; part of the syncer.
 * Errors: more flights than there is room for is a bug and stops the run.
 */
#ifndef MODELS_FLIGHTS_H
#define MODELS_FLIGHTS_H

#include "models/config.h"
#include "models/network.h"
#include "sim/queue.h"

struct world;

struct flight {
    int64_t round, fragment; /* fragment -1: none was due, nothing is sent */
    sim_time *lands;         /* at each learner */
    int64_t *clock;          /* of the syncer when the round closed; NULL when clocks are off */
    sim_time seen;           /* it has landed wherever it lands up to then */
    bool is_landing;         /* just now */
};

struct flights {
    struct world *world;
    struct network_link *link; /* of each learner */
    double *size;              /* parameters of each fragment */
    int64_t *landed;           /* the last round whose update has reached each learner; -1: none */
    struct flight *flight;     /* in the air, a ring */
    int64_t count, first, max;
    struct sim_handle landing; /* the next one */
};

void flights_init(struct flights *flights, struct world *world);
void flights_fini(struct flights *flights);

/* True when another may take off. */
bool flights_have_room(const struct flights *flights);

/* How long the fragment takes from the slowest of the learners that this round counts, and to the slowest that listens.
 * Call the first before they are counted. */
sim_time flights_pull_ns(const struct flights *flights, int64_t fragment);
sim_time flights_push_ns(const struct flights *flights, int64_t fragment);

/* Sends the update of a round off, which is merged after `pull_ns`; it lands at once where nothing takes time and
 * nothing is in front of it. */
void flights_launch(struct flights *flights, int64_t round, int64_t fragment, sim_time pull_ns);

/* Drops all; whoever listens has everything up to `round`. */
void flights_clear(struct flights *flights, int64_t round);

/* Makes room where a flight is over and waits for the next landing. Call it when a learner begins or ceases to listen.
 */
void flights_plan(struct flights *flights);

#endif
