/* sim/tally.h -- statistics of one-off observations: a repair time, the goodput of a replica.
 *
 * Mean and variance are updated one observation at a time by GSL's running statistics. For a signal that holds its
 * value over time use sim/level.h.
 *
 * Units: those of the observations.
 * Ownership: sim_tally_init allocates, sim_tally_fini releases.
 * Errors: none; where too few observations make a value meaningless it is NAN.
 */
#ifndef SIM_TALLY_H
#define SIM_TALLY_H

#include <gsl/gsl_rstat.h>

struct sim_tally {
    gsl_rstat_workspace *statistics;
};

void sim_tally_init(struct sim_tally *tally);
void sim_tally_fini(struct sim_tally *tally);
void sim_tally_add(struct sim_tally *tally, double value);

size_t sim_tally_count(const struct sim_tally *tally);
double sim_tally_mean(const struct sim_tally *tally);

/* Sample standard deviation (n - 1); NAN below two observations. */
double sim_tally_sd(const struct sim_tally *tally);

/* Half-width of the Student t interval of the mean at `confidence` (0.95); NAN below two observations. */
double sim_tally_half_width(const struct sim_tally *tally, double confidence);

#endif
