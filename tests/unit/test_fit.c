#include "tools/faultline/fit.h"

#include <gsl/gsl_errno.h>
#include <math.h>

#include "sim/rng.h"
#include "tests/rig.h"

static struct fit_sample sample_of(const double seconds[], const bool censored[], size_t count)
{
    struct fit_sample sample = {.delay = sim_allocate(count, sizeof *sample.delay), .count = count};
    for (size_t i = 0; i < count; i++) {
        sample.delay[i] = (struct fit_delay){seconds[i], censored && censored[i]};
        sample.censored += sample.delay[i].is_censored;
    }
    fit_sample_finish(&sample);
    return sample;
}

/* Draws of a law by inversion; those above `limit_s` are only known to be longer. */
static struct fit_sample draws_of(const struct sim_law *law, size_t count, double limit_s, uint64_t seed)
{
    const struct sim_origin origin = {.seed = seed};
    struct fit_sample sample = {.delay = sim_allocate(count, sizeof *sample.delay), .count = count};
    for (size_t i = 0; i < count; i++) {
        double x = sim_law_quantile(law, sim_uniform_at(&origin, 1, 0, i));
        sample.delay[i] = (struct fit_delay){fmin(x, limit_s), x > limit_s};
        sample.censored += x > limit_s;
    }
    fit_sample_finish(&sample);
    return sample;
}

/* 1, 2, 4, 8 h: mean 3.75 h, error mean / sqrt(4); censored at 8 h: 15 h over 3. Of the logarithms mean 1.5 ln 2 and
 * deviation ln 2 x sqrt(1.25), errors median x sigma / sqrt(4) and sigma / sqrt(8). */
START_TEST(closed_forms_are_exact)
{
    static const double hours[] = {3600, 7200, 14400, 28800};
    static const bool last[] = {false, false, false, true};
    struct fit_sample sample = sample_of(hours, NULL, 4);
    struct fit fit = fit_law(&sample, SIM_LAW_EXPONENTIAL);
    ck_assert_double_eq_tol(fit.law.parameter[0], 13500, 1e-8);
    ck_assert_double_eq_tol(fit.error[0], 6750, 0.1);
    ck_assert_double_eq_tol(fit.log_likelihood, -4 * (1 + log(13500)), 1e-9);
    ck_assert_double_eq_tol(fit.aic, 2 + 8 * (1 + log(13500)), 1e-9);
    fit = fit_law(&sample, SIM_LAW_LOGNORMAL);
    double sigma = M_LN2 * sqrt(1.25), median = 3600 * pow(2, 1.5);
    ck_assert_double_eq_tol(fit.law.parameter[0], median, 1e-8);
    ck_assert_double_eq_tol(fit.law.parameter[1], sigma, 1e-12);
    ck_assert_double_eq_tol(fit.error[0], median * sigma / 2, 1);
    ck_assert_double_eq_tol(fit.error[1], sigma / sqrt(8), 1e-4);
    fit_sample_fini(&sample);
    sample = sample_of(hours, last, 4);
    fit = fit_law(&sample, SIM_LAW_EXPONENTIAL);
    ck_assert_double_eq_tol(fit.law.parameter[0], 54000.0 / 3, 1e-8);
    fit_sample_fini(&sample);
}
END_TEST

static const struct sim_law laws[] = {
    {SIM_LAW_EXPONENTIAL, {86400}},          {SIM_LAW_WEIBULL, {40000, 0.7}}, {SIM_LAW_WEIBULL, {40000, 1.8}},
    {SIM_LAW_LOGNORMAL, {2000, 1.3}},        {SIM_LAW_GAMMA, {5000, 0.6}},    {SIM_LAW_GAMMA, {5000, 3}},
    {SIM_LAW_EXP_WEIBULL, {3000, 1.2, 2.5}},
};
enum { LAWS = sizeof laws / sizeof laws[0] };

/* 5,000 draws, whole or with a third censored: every parameter within 4 of its standard errors, which are neither too
 * large to say anything nor absent, and the right law is not rejected by Kolmogorov and Smirnov at 1 in 1,000 (1.95 /
 * sqrt(n)). Scale and shape swapped, or the mean for the scale, is hundreds of errors away. */
START_TEST(drawn_laws_are_found_again)
{
    const struct sim_law *law = &laws[_i / 2];
    bool is_whole = _i % 2 == 0;
    struct fit_sample sample = draws_of(law, 5000, is_whole ? INFINITY : sim_law_quantile(law, 0.67), 11);
    ck_assert_int_eq(sample.censored == 0, is_whole);
    struct fit fit = fit_law(&sample, law->kind);
    ck_assert(fit.is_found);
    for (size_t i = 0; i < sim_law_type(law->kind)->parameters; i++) {
        ck_assert_msg(fabs(fit.law.parameter[i] - law->parameter[i]) < 4 * fit.error[i], "%zu: %g +- %g, not %g", i,
                      fit.law.parameter[i], fit.error[i], law->parameter[i]);
        ck_assert_double_lt(fit.error[i], law->parameter[i] * (law->kind == SIM_LAW_EXP_WEIBULL ? 1 : 0.1));
    }
    ck_assert_double_lt(fit.distance, 1.95 / sqrt(5000));
    ck_assert_double_ge(fit.log_likelihood, fit_log_likelihood(&sample, law));
    fit_sample_fini(&sample);
}
END_TEST

/* The likelihood is a product of densities: they are the derivative of the distribution, and of what lasts longer the
 * complement. */
START_TEST(densities_are_derivatives)
{
    const struct sim_law *law = &laws[_i];
    for (double u = 0.1; u < 1; u += 0.2) {
        double x = sim_law_quantile(law, u), h = x * 1e-4;
        const bool longer = true;
        struct fit_sample ended = sample_of(&x, NULL, 1), lasts = sample_of(&x, &longer, 1);
        double slope = (sim_law_cdf(law, x + h) - sim_law_cdf(law, x - h)) / (2 * h);
        ck_assert_double_eq_tol(fit_log_likelihood(&ended, law), log(slope), 1e-5);
        ck_assert_double_eq_tol(fit_log_likelihood(&lasts, law), log1p(-u), 1e-9);
        fit_sample_fini(&ended);
        fit_sample_fini(&lasts);
    }
}
END_TEST

/* Textbook: 1, 2+, 3, 3, 4+ (+ censored): F = 1/5, then 1 - 4/5 x 1/3 at 3. */
START_TEST(the_estimate_is_that_of_kaplan_and_meier)
{
    static const double seconds[] = {1, 2, 3, 3, 4};
    static const bool censored[] = {false, true, false, false, true};
    struct fit_sample sample = sample_of(seconds, censored, 5);
    double *estimate = fit_estimate(&sample);
    ck_assert_double_eq_tol(estimate[0], 0.2, 1e-15);
    ck_assert_double_eq_tol(estimate[1], 0.2, 1e-15);
    ck_assert_double_eq_tol(estimate[3], 1 - 0.8 / 3, 1e-15);
    ck_assert_double_eq_tol(estimate[4], 1 - 0.8 / 3, 1e-15);
    free(estimate);
    fit_sample_fini(&sample);
}
END_TEST

/* Minutes: zeros count as half of one. Two machines: a is in service from 2 to 10 min and, censored, from 11 to 30; b
 * from 25 to 30. */
START_TEST(delays_of_a_log)
{
    enum { MIN = 60 };
    static struct config_log_row row[] = {{0, 120 * SIM_SECOND, 0},
                                          {600 * SIM_SECOND, 660 * SIM_SECOND, 0},
                                          {600 * SIM_SECOND, 1500 * SIM_SECOND, 1},
                                          {1800 * SIM_SECOND, 1800 * SIM_SECOND, 2}};
    const struct config_log log = {4, 3, row};
    struct fit_sample gaps, services, outages;
    fit_gaps(&log, &gaps);
    ck_assert_uint_eq(gaps.count, 3);
    ck_assert_uint_eq(gaps.zeros, 1);
    ck_assert_double_eq(gaps.delay[0].seconds, 30);
    fit_sample_fini(&gaps);
    fit_services(&log, &services);
    ck_assert_uint_eq(services.count, 3);
    ck_assert_uint_eq(services.censored, 2);
    ck_assert(services.delay[0].seconds == 5 * MIN && services.delay[0].is_censored);
    ck_assert(services.delay[1].seconds == 8 * MIN && !services.delay[1].is_censored);
    ck_assert(services.delay[2].seconds == 19 * MIN && services.delay[2].is_censored);
    fit_sample_fini(&services);
    fit_outages(&log, &outages);
    ck_assert_uint_eq(outages.zeros, 1);
    ck_assert_double_eq(outages.delay[0].seconds, 30);
    fit_sample_fini(&outages);
}
END_TEST

START_TEST(too_little_has_no_maximum)
{
    static const double same[] = {60, 60, 60, 60};
    struct fit_sample sample = sample_of(same, NULL, 4);
    ck_assert(!fit_law(&sample, SIM_LAW_WEIBULL).is_found);
    sample.count = 1;
    ck_assert(!fit_law(&sample, SIM_LAW_EXPONENTIAL).is_found);
    fit_sample_fini(&sample);
}
END_TEST

int main(void)
{
    gsl_set_error_handler_off();
    Suite *suite = suite_create("fit");
    TCase *tcase = tcase_create("fit");
    tcase_add_test(tcase, closed_forms_are_exact);
    tcase_add_loop_test(tcase, drawn_laws_are_found_again, 0, 2 * LAWS);
    tcase_add_loop_test(tcase, densities_are_derivatives, 0, LAWS);
    tcase_add_test(tcase, the_estimate_is_that_of_kaplan_and_meier);
    tcase_add_test(tcase, delays_of_a_log);
    tcase_add_test(tcase, too_little_has_no_maximum);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
