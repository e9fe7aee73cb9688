/* models/forecast.h -- learners that step on undisturbed are not simulated step by step: the syncer knows when they
 * report.
 *
 * Between two moments at which the syncer decides something (a quorum is reached, a round closes, an update lands),
 * learners do not meet. So a learner that steps on with steps of one length sleeps: its reports, and the updates it
 * takes in, are a matter of arithmetic, and are made up when somebody needs them (learner_catch_up). Three things keep
 * this exact, to the last bit what a step-by-step run does (config.every_step):
 *
 * - The look of the syncer is set to the moment at which, with what is known now, enough of the sleepers will have
 *   reported: never later than the true one. What happens meanwhile (a learner leaves or begins to step) comes through
 *   forecast_all or forecast_learner. A look that comes too early finds nothing to do, and is set again.
 * - A sleeper that would have to wait for an update before the next decision is woken at the boundary at which it would
 *   (its leash).
 * - Whoever is about to look at a sleeper, or at what it has in common with others, calls learner_catch_up first: it
 *   makes up exactly the steps that have ended by now in the order of events.
 *
 * It does not apply where more than this ties learners together: lengths of steps that feed one moving average in turn,
 * snapshots and restarts of everything, work that several complete together, observers of steps. Anything not known
 * here to be harmless belongs into forecast_applies.
 *
 * Units: ns.
 * Ownership: nothing is kept but the timers of the world.
 * Errors: a report that comes before the look it completes is a bug and stops the run.
 */
#ifndef MODELS_FORECAST_H
#define MODELS_FORECAST_H

#include <stdbool.h>

#include "sim/time.h"

struct learner;
struct world;

/* True when learners of this world may sleep although there are rounds. */
bool forecast_applies(const struct world *world);

/* The functions below do nothing where it does not apply. */

/* Makes up all that happened to sleepers by now. */
void forecast_catch_up(struct world *world);

/* Everybody has caught up, and something may have changed: sets the look of the syncer and wakes whoever would have to
 * wait before. */
void forecast_all(struct world *world);

/* A learner begins a step just now; `is_fresh` when it did not step before; `follows` when it does upon one like it. */
void forecast_learner(const struct learner *learner, bool is_fresh, bool follows);

/* The boundary at which the learner, which has caught up, would have to wait before the syncer decides anything;
 * SIM_TIME_NEVER when it does not. Requires that it applies. */
sim_time forecast_leash(const struct learner *learner);

#endif
