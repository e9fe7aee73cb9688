/* models/quiet.h -- stretches of time in which nothing happens but steps and rounds, in one loop.
 *
 * When the next event of the run is more than a step or two away, whole rounds up to it are played by themselves: each
 * learner that takes part is a few numbers, a round is two passes over them, and no timer is set. The rules are those
 * of models/syncer.c and models/learner_sync.c, for worlds in which transfers take no time; what is summed is summed by
 * the same functions in the same order, so every number is the same to the last bit.
 *
 * A stretch begins where a round has just opened, everybody has caught up (models/forecast.h) and nothing is on its
 * way, and ends with a round that has closed before the next event; the rest is left to the slow way, and so is every
 * round with something in it that is not known here: a learner that would have to wait, or would receive a second
 * update in one step. At its end the learners and the syncer are as they will be when that round closes, ahead of the
 * clock; until then nobody looks at them.
 *
 * What a stretch has to carry along, all of it: of a learner step_start, total, made_up, count.overwritten, owed,
 * inbox; of the syncer round, until_due, opened_ns, quorum_ns, reporters, the averages, count; the ledger; landed of
 * the flights. What it needs to stand still: everything else, by the conditions in quiet.c.
 *
 * Units: ns.
 * Ownership: room for the numbers belongs to the world.
 * Errors: none.
 */
#ifndef MODELS_QUIET_H
#define MODELS_QUIET_H

struct world;

/* Plays rounds while that is all that happens. Does nothing where it cannot, or where it would not pay. */
void quiet_run(struct world *world);

#endif
