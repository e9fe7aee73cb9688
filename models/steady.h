/* models/steady.h -- rounds that are all alike are counted, not played.
 *
 * Where all learners step at one pace and every round sends a fragment, a fleet left to itself soon repeats itself:
 * each round closes one step after the one before, with everyone's report in it. Once this has gone on for a whole
 * cycle of fragments, whatever a round counts goes back to steps of that cycle, and it adds what the round before it
 * added. So what many of them add is a product of integers; the sums over rounds are kept exact for that
 * (models/merge.h). The moving average of the quorum wait, which lags behind, is moved on step by step until it stands
 * still.
 *
 * Units: ns, rounds.
 * Ownership: nothing is kept but numbers of the world.
 * Errors: none.
 */
#ifndef MODELS_STEADY_H
#define MODELS_STEADY_H

#include <stdint.h>

#include "sim/time.h"

struct rounds_outlook;
struct world;

/* A planned round closes, having counted so many learners; this is in sight behind it. */
void steady_note_round(struct world *world, int64_t participants, const struct rounds_outlook *outlook);

/* Skips rounds like the last one that close before `next`; moves on what is in sight. */
void steady_skip(struct world *world, sim_time next, struct rounds_outlook *outlook);

#endif
