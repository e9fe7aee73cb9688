/* models/flights.h -- updates on their way from the syncer to the learners.
 *
 * A round that closes pulls its fragment from those it counted, merges it and sends it to everyone. Each learner has a
 * link of its own (models/network.h): the pull ends with the slowest that took part, and from then on the update takes
 * each learner its own time. Channels are first in, first out: no update overtakes an earlier one on the way to the
 * same learner. A flight is over when the update has reached everyone who listens; a learner that does not take part
 * holds nobody up and misses what would have arrived meanwhile.
 *
 * A link may be slower for a while (models/transfer.h): what is under way over it takes longer, pulls as well as
 * updates, and its landing moves. Latency stays: a message is sent, and arrives so much later.
 *
 * Units: ns, counts, parameters.
 * Ownership: flights_init allocates, flights_fini releases; part of the syncer.
 * Errors: more flights than there is room for is a bug and stops the run.
 */
#ifndef MODELS_FLIGHTS_H
#define MODELS_FLIGHTS_H

#include "models/config.h"
#include "models/network.h"
#include "models/transfer.h"
#include "sim/queue.h"

struct world;

struct flight {
    int64_t round, fragment; /* fragment -1: none was due, nothing is sent */
    sim_time *lands;         /* at each learner */
    int64_t *clock;          /* of the syncer when the round closed; NULL when clocks are off */
    sim_time seen;           /* it has landed wherever it lands up to then */
    bool is_landing;         /* just now */
    sim_time merged;         /* the last pull is over */
    struct transfer *up;     /* from each learner that the round counted, the others have nothing left to send; NULL, as
                                the next, in a world whose links are never slower */
    struct transfer *down;
};

/* A copy of the state from a peer. */
struct flights_copy {
    int64_t peer, learner;
    sim_time latency_ns;
    int64_t rate; /* models/transfer.h */
    struct transfer sent;
};

struct flights {
    struct world *world;
    struct network_link *link; /* of each learner */
    int64_t *rate;             /* of each link now (models/transfer.h) */
    double *size;              /* parameters of each fragment */
    int64_t *landed;           /* the last round whose update has reached each learner; -1: none */
    struct flight *flight;     /* in the air, a ring */
    int64_t count, first, max;
    struct transfer *pull;     /* of the round that closes, as `up` */
    struct sim_handle landing; /* the next one */
};

void flights_init(struct flights *flights, struct world *world);
void flights_fini(struct flights *flights);

/* True when another may take off. */
bool flights_have_room(const struct flights *flights);

/* How long the fragment takes from the slowest of the learners that this round counts, and to the slowest that listens,
 * as their links are now. Call the first before they are counted; it begins the pulls. */
sim_time flights_pull_ns(struct flights *flights, int64_t fragment);
sim_time flights_push_ns(const struct flights *flights, int64_t fragment);

/* Sends the update of a round off, which is merged after `pull_ns`; it lands at once where nothing takes time and
 * nothing is in front of it. */
void flights_launch(struct flights *flights, int64_t round, int64_t fragment, sim_time pull_ns);

/* Begins a copy of the state over the links of two learners, which goes at the rate of the slower of them; follows a
 * change of their rates, true when there is one for it; says when it arrives. */
void flights_begin_copy(const struct flights *flights, int64_t peer, int64_t learner, struct flights_copy *ret);
bool flights_change_copy(const struct flights *flights, struct flights_copy *copy);
sim_time flights_copy_arrives(const struct flights_copy *copy);

/* The rate of the link of a learner changes. */
void flights_change_rate(struct flights *flights, int64_t learner, int64_t rate);

/* Drops all; whoever listens has everything up to `round`. */
void flights_clear(struct flights *flights, int64_t round);

/* Makes room where a flight is over and waits for the next landing. Call it when a learner begins or ceases to listen.
 */
void flights_plan(struct flights *flights);

#endif
