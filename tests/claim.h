/* tests/claim.h -- what theory says about a simulation, with the probability that chance alone misses it by as much.
 *
 * The analytic tests state their theory as claims, and are used twice. In `make test` their seeds are fixed, so that
 * they cannot flake, and a claim whose p-value is below its limit fails its test. In `make verify` the seeds are fresh
 * (VERIFY_SEED), every claim becomes a line of the file VERIFY_CLAIMS, and tests/verify judges all of them together.
 * What must be found, a planted error, and how narrow an interval must be are properties of the test; they hold for its
 * fixed seeds and are not looked at when it verifies.
 *
 * A test that makes claims begins with CLAIM_TEST().
 *
 * Units: those of the quantity.
 * Ownership: nothing is kept.
 * Errors: an unlikely claim fails the test, or is written down.
 */
#ifndef TESTS_CLAIM_H
#define TESTS_CLAIM_H

#include <check.h>
#include <gsl/gsl_cdf.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/tally.h"

/* Below this a claim fails its test. */
#define CLAIM_FAIR 0.001
#define CLAIM_FAIR_T 0.01 /* of means of a few replicas: outside their interval of 99 % */

static const char *claim_test = "";
static int claim_case;

/* The test that the claims below belong to. */
#define CLAIM_TEST() (claim_test = __func__, claim_case = _i)

static inline bool claim_is_verifying(void)
{
    return getenv("VERIFY_CLAIMS") != NULL;
}

/* What is planted must be found; not a matter of the build. */
#define CLAIM_FINDS(found, limit)                                                                                      \
    do {                                                                                                               \
        if (!claim_is_verifying())                                                                                     \
            ck_assert_double_gt(found, limit);                                                                         \
    } while (0)

/* The seed of a test: `fixed`, or one of its own from VERIFY_SEED. */
static inline uint64_t claim_seed(uint64_t fixed)
{
    const char *seed = getenv("VERIFY_SEED");
    if (!claim_is_verifying() || seed == NULL)
        return fixed;
    uint64_t z = strtoull(seed, NULL, 10) * UINT64_C(0x9E3779B97F4A7C15) + fixed;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (z ^ z >> 31) >> 1;
}

/* One line: p-value, test, quantity, theory, simulated, half-width of the interval of 99 % or 0. */
static inline void claim_write(const char *what, double theory, double got, double half, double p)
{
    char line[512];
    int length = (int)strlen(claim_test) - (int)strlen("_fn"); /* what check calls the function of a test */
    FILE *to = fopen(getenv("VERIFY_CLAIMS"), "a");
    ck_assert_ptr_nonnull(to);
    (void)snprintf(line, sizeof line, "%.6g\t%.*s.%d\t%s\t%.8g\t%.8g\t%.3g\n", p, length, claim_test, claim_case, what,
                   theory, got, half);
    (void)fputs(line, to);
    (void)fclose(to);
}

/* A claim of which the p-value is known; all others come here. */
static inline void claim(const char *what, double theory, double got, double half, double p, double limit)
{
    if (claim_is_verifying())
        claim_write(what, theory, got, half, p);
    else
        ck_assert_msg(p >= limit, "%s is %.8g +- %.3g, theory %.8g: p = %.3g", what, got, half, theory, p);
}

/* A number whose SD is known, near enough normal. */
static inline void claim_normal(const char *what, double theory, double got, double sd)
{
    claim(what, theory, got, 2.5758 * sd, 2 * gsl_cdf_ugaussian_Q(fabs(got - theory) / sd), CLAIM_FAIR);
}

/* The mean of independent replicas, by Student's t. */
static inline void claim_mean(const char *what, const struct sim_tally *tally, double theory, double limit)
{
    double n = (double)sim_tally_count(tally), sd = sim_tally_sd(tally) / sqrt(n), got = sim_tally_mean(tally);
    double t = fabs(got - theory) / sd;
    double p = sd > 0 ? 2 * gsl_cdf_tdist_Q(t, n - 1) : fabs(got - theory) <= 1e-9 * fabs(theory);
    claim(what, theory, got, sim_tally_half_width(tally, 0.99), p, limit);
}

/* The same, and its interval of 99 % is narrower than `width`. */
static inline void claim_sharp_mean(const char *what, const struct sim_tally *tally, double theory, double width)
{
    double half = sim_tally_half_width(tally, 0.99);
    if (!claim_is_verifying())
        ck_assert_msg(half < width, "%s: +- %g is too wide", what, half);
    claim_mean(what, tally, theory, CLAIM_FAIR_T);
}

/* A sum that is chi-square: too large or too small. */
static inline void claim_chi_square(const char *what, double chi, double degrees)
{
    double above = gsl_cdf_chisq_Q(chi, degrees), below = gsl_cdf_chisq_P(chi, degrees);
    claim(what, degrees, chi, 0, 2 * fmin(above, below), 2 * CLAIM_FAIR);
}

/* sqrt(n) times the largest distance of n observations, many, from their law: P(K > x) after Kolmogorov (1933). */
static inline void claim_distance(const char *what, double distance)
{
    double p = 0;
    for (int k = 1; k <= 100; k++)
        p += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * distance * distance);
    claim(what, 0, distance, 0, distance < 0.2 ? 1 : fmin(fmax(p, 0), 1), CLAIM_FAIR);
}

#endif
