/* tools/faultline/sample.h -- samples of empirical laws: kept once, for the life of the program.
 *
 * A config is a value that is copied freely, so what it points to has to outlive all copies. Samples are immutable and
 * those of equal values are one, so that reading a scenario many times (a sweep, a calibration) keeps one.
 *
 * Units: seconds.
 * Ownership: samples belong to this file and are never released. Any thread may ask: the workers of a sweep build
 * scenarios.
 * Errors: none.
 */
#ifndef TOOLS_FAULTLINE_SAMPLE_H
#define TOOLS_FAULTLINE_SAMPLE_H

#include "sim/law.h"

#define SAMPLE_MAX 10000 /* values */

/* The sample of `count` values, in any order, none negative. */
const struct sim_law_sample *sample_of(const double value_s[], int count);

#endif
