/* models/rounds.h -- rounds of a world in which transfers take no time: each is planned when it opens and played when
 * it closes.
 *
 * When transfers take no time and nobody watches (world.is_plain), all that a round depends on is when each learner
 * makes its next report that no round has counted. From these the moments at which the round reaches its quorum and
 * closes follow at once (the plan), and the syncer has one thing to do: close it. Then steps that ended are made up,
 * claims merged, the update handed out, in one pass over the learners (models/roster.h). Those that are left alone
 * for long are not even passed over (models/cruise.h), and rounds in which that is everybody are counted
 * (models/steady.h). While nothing else happens before the next round closes, that is played at once, ahead of the
 * clock. The rules are those of models/syncer.c and models/learner_sync.c, and sums do not depend on the order of
 * summation, so every number is the same to the last bit.
 *
 * The plan holds until a learner that it counts on does not report when it would have, another begins to step, or
 * somebody begins or ceases to take part; then the syncer is brought up to the clock and a new plan made. There is none
 * while somebody is blocked, recovers, or would have to wait before the round closes: such rounds go the general way
 * (models/forecast.h).
 *
 * Units: ns.
 * Ownership: part of the world.
 * Errors: misuse is a bug and stops the run.
 */
#ifndef MODELS_ROUNDS_H
#define MODELS_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "models/cruise.h"
#include "models/roster.h"
#include "models/syncer.h"

struct learner;
struct world;

/* When the learners that take part make their oldest report that no round has counted. */
struct rounds_outlook {
    sim_time first, last; /* of those that do */
    int64_t silent;       /* that take part, but will not report */
    bool is_unusual;      /* there is something that no plan knows */
};

struct rounds {
    bool is_planned;
    struct rounds_outlook outlook;
    sim_time quorum_ns, closed_ns;
    sim_time quorum_average_ns; /* of the syncer, from the quorum on */
    sim_time deadline_ns;       /* of grace */
    sim_time step_ns_max;
    int64_t played;  /* since the start of the run */
    bool is_even;    /* all step at one pace, and every round sends a fragment */
    int64_t counted; /* so many of them were only counted (models/steady.h) */
    struct cruise cruise;
    struct roster roster;
};

/* Finds out whether rounds of this world can be planned (world.is_plain). Requires world.has_forecast. */
void rounds_init(struct world *world);
void rounds_fini(struct world *world);

/* Plans the round that collects or is in its grace, and sets the look of the syncer to its close. False when there is
 * no plan. Learners need not have caught up. */
bool rounds_plan(struct world *world);

/* The planned round closes now: plays it, and those that follow before anything else happens, and plans the next. False
 * when no round is planned. */
bool rounds_play(struct world *world);

/* Something happened that the plan does not know. */
void rounds_revise(struct world *world);

/* A learner begins a step just now (forecast_learner). Requires that a round is planned. */
void rounds_on_step(struct world *world, const struct learner *learner, bool is_fresh, bool follows);

/* Brings a learner to where it was when the last round closed. */
void rounds_release(struct learner *learner);

/* Gives up the plan: the syncer is as the general way would have it now. */
void rounds_commit(struct world *world);

#endif
