/* tools/faultline/renewal.h -- how many failures to expect of chips, by renewal theory.
 *
 * What a scenario is told before anything is simulated: chips that are new at the start, in service all the time and
 * new again when they failed. At a constant rate that is chips x time / mtbi; with a law of life the renewal equation
 * is solved on a grid, to about a percent.
 *
 * Units: seconds; counts are expectations.
 * Ownership: nothing is kept.
 * Errors: none.
 */
#ifndef TOOLS_FAULTLINE_RENEWAL_H
#define TOOLS_FAULTLINE_RENEWAL_H

#include "models/config.h"

/* Chips that a source of chip failures is about. */
int64_t renewal_chips(const struct config *config, const struct config_source *source);

/* Failures of one of its chips per second of service, on average over the run and over its chips. */
double renewal_rate(const struct config *config, const struct config_source *source);

#endif
