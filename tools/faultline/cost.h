/* tools/faultline/cost.h -- what a replica will cost, before it is simulated.
 *
 * Expectations of the parameters alone: how much is drawn and how many steps are simulated one by one, times what each
 * took when it was measured. It orders scenarios that differ by orders of magnitude; it is no promise of a time.
 *
 * Units: counts; seconds of one core.
 * Ownership: nothing is kept.
 * Errors: none.
 */
#ifndef TOOLS_FAULTLINE_COST_H
#define TOOLS_FAULTLINE_COST_H

#include "models/config.h"

/* Failures and the like of all sources about chips that a replica draws, those of absent slices included. */
double cost_draws(const struct config *config);

/* What a source does to learners and slices by itself in a replica: absences and cuts, counted for every learner they
 * are about, maintenance for every slice it takes, failures of the syncer for every learner; 0 for a source about
 * chips. */
double cost_takings(const struct config *config, const struct config_source *source);

/* Steps that are simulated one by one; 0 when they are only counted. */
double cost_steps(const struct config *config);

/* What a core takes for a replica, within a factor of a few. Above 0. */
double cost_seconds(const struct config *config);

#endif
