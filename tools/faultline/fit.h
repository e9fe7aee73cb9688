/* tools/faultline/fit.h -- laws fitted to delays by maximum likelihood.
 *
 * A sample holds delays, and of some only that they were longer than what was seen of them (censored). Exponential, and
 * lognormal without censored delays, have closed forms; the others maximise the likelihood over the logarithms of their
 * parameters with GSL's simplex. Standard errors come from the curvature at the maximum. AIC = 2 parameters - 2 log
 * likelihood; the Kolmogorov-Smirnov distance is to the Kaplan-Meier estimate, which without censored delays is the
 * empirical distribution.
 *
 * A delay of 0 has no likelihood under most laws. Clocks of logs are coarse: such a delay was shorter than the clock
 * can tell, and counts as half its resolution.
 *
 * Units: seconds.
 * Ownership: fit_gaps and fit_outages fill a sample that fit_sample_fini releases.
 * Errors: too few delays for a law are said in the result.
 */
#ifndef TOOLS_FAULTLINE_FIT_H
#define TOOLS_FAULTLINE_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "models/config.h"
#include "sim/law.h"

struct fit_delay {
    double seconds;
    bool is_censored;
};

struct fit_sample {
    struct fit_delay *delay; /* ascending; at one length the censored last */
    size_t count;            /* with the censored ones */
    size_t censored;
    size_t zeros; /* that count as half the resolution */
    double resolution_s;
};

/* Gaps between the starts of all failures of the log; nothing is known of what follows the last. */
void fit_gaps(const struct config_log *log, struct fit_sample *ret);

/* Time in service of each machine from the end of an outage to the start of its next, and, censored, to the last
 * failure of the log after its own last. Time before its first failure is left out: when its service began is not
 * known. Requires a log with machines. */
void fit_services(const struct config_log *log, struct fit_sample *ret);

/* Lengths of the outages. */
void fit_outages(const struct config_log *log, struct fit_sample *ret);

/* Sorts the delays and gives zeros their length. */
void fit_sample_finish(struct fit_sample *sample);
void fit_sample_fini(struct fit_sample *sample);

/* Mean of the delays that are not censored. */
double fit_sample_mean(const struct fit_sample *sample);

struct fit {
    struct sim_law law;
    bool is_found; /* false: too few different delays, or the maximum is outside the range of the parameters */
    double error[SIM_LAW_PARAMETERS_MAX]; /* standard errors; NAN where there is no curvature */
    double log_likelihood;
    double aic;
    double distance; /* Kolmogorov-Smirnov */
};

/* The laws that can be fitted. */
extern const enum sim_law_kind fit_kinds[];
extern const size_t fit_kind_count;

struct fit fit_law(const struct fit_sample *sample, enum sim_law_kind kind);

/* Log likelihood of the sample under a law of a kind that can be fitted. */
double fit_log_likelihood(const struct fit_sample *sample, const struct sim_law *law);

/* Estimate of P(delay <= that of number i) by Kaplan and Meier, for every i; the caller frees it. */
double *fit_estimate(const struct fit_sample *sample);

#endif
