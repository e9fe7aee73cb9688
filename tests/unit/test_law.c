#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <math.h>

#include "sim/law.h"
#include "sim/rng.h"
#include "tests/rig.h"

#define DAY_S 86400.0

/* Every law at mild and at extreme shapes. */
static const struct sim_law laws[] = {
    {SIM_LAW_EXPONENTIAL, {3600}},
    {SIM_LAW_WEIBULL, {100, 0.7}},
    {SIM_LAW_WEIBULL, {1e-9, 3}},
    {SIM_LAW_WEIBULL, {1, 0.05}},
    {SIM_LAW_WEIBULL, {1, 100}},
    {SIM_LAW_LOGNORMAL, {600, 1}},
    {SIM_LAW_LOGNORMAL, {600, 10}},
    {SIM_LAW_LOGNORMAL, {600, 0.01}},
    {SIM_LAW_GAMMA, {60, 2.5}},
    {SIM_LAW_GAMMA, {60, 0.3}},
    {SIM_LAW_GAMMA, {60, 100}},
    {SIM_LAW_GAMMA, {60, 0.05}},
    {SIM_LAW_EXP_WEIBULL, {1980, 1, 1}},
    {SIM_LAW_EXP_WEIBULL, {1980, 1.3, 2}},
    {SIM_LAW_EXP_WEIBULL, {1980, 0.8, 0.4}},
    {SIM_LAW_EXP_WEIBULL, {1980, 2, 1000}},
};
enum { LAWS = sizeof laws / sizeof laws[0] };

static const double grid[] = {0x1p-54, 1e-12, 1e-6, 1e-3,  0.01,     0.1,      0.25,      0.5,
                              0.75,    0.9,   0.99, 0.999, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12, 1 - 0x1p-53};
enum { GRID = sizeof grid / sizeof grid[0] };

/* Delays at cumulative hazards of 1e-18 to 600, to 17 digits: 60 to 700 digits of working precision in mpmath, the law
 * inverted by bisection where it has no closed form. What underflows is 0. */
static const double hazards[] = {1e-18, 1e-6, 0.5, 5, 37, 600};
enum { HAZARDS = sizeof hazards / sizeof hazards[0] };
static const struct {
    struct sim_law law;
    double delay[HAZARDS];
} at_hazards[] = {
    {{SIM_LAW_EXPONENTIAL, {3600}}, {3.6e-15, 0.0036, 1800.0, 18000.0, 133200.0, 2160000.0}},
    {{SIM_LAW_WEIBULL, {100, 0.7}},
     {1.9306977288832502e-24, 2.6826957952797257e-7, 37.149857228423711, 996.61765781934415, 17389.543336945961,
      930652.39762242446}},
    {{SIM_LAW_WEIBULL, {1, 0.05}},
     {0, 1.0e-120, 9.5367431640625e-7, 95367431640625.0, 2.3122483666661159e+31, 3.656158440062976e+55}},
    {{SIM_LAW_WEIBULL, {1, 100}},
     {0.66069344800759601, 0.87096358995608064, 0.9930924954370359, 1.0162245912673256, 1.0367690338494009,
      1.0660596665516472}},
    {{SIM_LAW_LOGNORMAL, {600, 1}},
     {0.094386172570569199, 5.1732713533541844, 457.8957941228117, 7100.1294302628463, 2276184.5033670099,
      5.8414471981947738e+17}},
    {{SIM_LAW_LOGNORMAL, {600, 10}},
     {5.5682984090679534e-36, 1.3623582840492834e-18, 40.20733524773897, 32307354955360.853, 3.7043615628906078e+38,
      4.5903235760372389e+152}},
    {{SIM_LAW_LOGNORMAL, {600, 0.01}},
     {549.69124712056803, 572.14669089636877, 598.38046157072006, 615.01031596259891, 651.54109365252676,
      847.29558304429201}},
    {{SIM_LAW_GAMMA, {60, 2.5}},
     {6.1204273389541692e-6, 0.38688472867520915, 108.35635812126265, 481.12365880654937, 2542.2103749882083,
      36560.180003569162}},
    {{SIM_LAW_GAMMA, {60, 0.3}},
     {4.1836194578456169e-59, 4.1836124851529121e-19, 1.9136093285444925, 178.11130907706658, 2005.6489116277567,
      35665.902179566933}},
    {{SIM_LAW_GAMMA, {60, 100}},
     {2143.4707940231991, 3566.1791993421164, 5819.6120197600362, 7584.208222347944, 12356.82198871851,
      54970.872141800219}},
    {{SIM_LAW_GAMMA, {60, 0.05}},
     {0, 3.5067441667578168e-119, 2.7741272027506282e-7, 80.554560023996115, 1844.8247259543466, 35458.010720164473}},
    {{SIM_LAW_EXP_WEIBULL, {1980, 1, 1}}, {1.98e-15, 0.00198, 990.0, 9900.0, 73260.0, 1188000.0}},
    {{SIM_LAW_EXP_WEIBULL, {1980, 1.3, 2}},
     {0.00023636777515036911, 9.7530377453797621, 1960.0243835235092, 7544.0819258930277, 32297.932974312351,
      271700.4306429798}},
    {{SIM_LAW_EXP_WEIBULL, {1980, 0.8, 0.4}},
     {1.1134358238768912e-53, 3.5209877303299011e-16, 114.35491056558238, 11512.138868053056, 175107.26264376423,
      5868465.798814553}},
    {{SIM_LAW_EXP_WEIBULL, {1980, 2, 1000}},
     {3544.1462227229079, 4100.4949724157634, 5230.2881137704116, 6831.5395112243659, 13120.059595738183,
      48778.285781643881}},
};
enum { AT_HAZARDS = sizeof at_hazards / sizeof at_hazards[0] };

/* GSL has its own way back; the hazard of what it starts from, for shapes and hazards in between. */
START_TEST(gamma_hazards_come_back)
{
    for (double shape = 0.05; shape <= 100; shape *= 1.1)
        for (double h = 0.01; h < SIM_LAW_HAZARD_MAX; h *= 1.1) {
            const struct sim_law law = {SIM_LAW_GAMMA, {60, shape}};
            double back = -log(gsl_cdf_gamma_Q(sim_law_at_hazard(&law, h), shape, 60));
            ck_assert_msg(fabs(back - h) <= 1e-9 * h, "shape %g, hazard %g: back %.17g", shape, h, back);
        }
}
END_TEST

/* Five delays, two of them equal. */
static struct sim_law_sample *five(void)
{
    static const double value_s[] = {1, 2, 2, 4, 8};
    struct sim_law_sample *sample = malloc(sizeof *sample + sizeof value_s);
    sample->count = 5;
    memcpy(sample->value_s, value_s, sizeof value_s);
    return sample;
}

static void setup(void)
{
    (void)gsl_set_error_handler_off();
}

START_TEST(the_quantile_is_finite_and_rises)
{
    double before = 0;
    for (int i = 0; i < GRID; i++) {
        double x = sim_law_quantile(&laws[_i], grid[i]);
        ck_assert_msg(isfinite(x) && x >= before, "law %d, u = %a: %g after %g", _i, grid[i], x, before);
        before = x;
    }
}
END_TEST

/* Forward error of the inverse: in u below the middle, in 1 - u above, where u itself is only known to 2^-53. */
START_TEST(cdf_undoes_the_quantile)
{
    for (int i = 0; i < GRID; i++) {
        double u = grid[i], x = sim_law_quantile(&laws[_i], u);
        if (x < 1e-290)
            continue; /* underflow of a law that lives at 0 */
        double back = sim_law_cdf(&laws[_i], x), tail = u < 0.5 ? u : 1 - u;
        ck_assert_msg(fabs(back - u) <= 1e-7 * tail + 0x1p-52, "law %d, u = %a: back %a", _i, u, back);
    }
}
END_TEST

START_TEST(tails_keep_their_digits)
{
    const struct sim_law *law = &at_hazards[_i].law;
    for (int i = 0; i < HAZARDS; i++) {
        double expected = at_hazards[_i].delay[i], got = sim_law_at_hazard(law, hazards[i]);
        ck_assert_msg(fabs(got - expected) <= 1e-12 * expected, "law %d at hazard %g: %.17g, not %.17g", _i, hazards[i],
                      got, expected);
    }
    ck_assert_double_eq(sim_law_at_hazard(law, 0), 0);
}
END_TEST

/* The same delay from both sides where both can say it: u = 1 - exp(-hazard). */
START_TEST(hazards_are_another_scale_of_quantiles)
{
    for (double u = 0.001; u < 1; u += 0.001) {
        double x = sim_law_quantile(&laws[_i], u), y = sim_law_at_hazard(&laws[_i], -log1p(-u));
        ck_assert_msg(fabs(x - y) <= 1e-9 * x, "law %d, u = %g: %.17g and %.17g", _i, u, x, y);
    }
}
END_TEST

/* Points ((i - 1/2) / 5, x_i): 0.1, 0.3, 0.5, 0.7, 0.9. */
START_TEST(a_sample_is_its_own_law)
{
    struct sim_law_sample *sample = five();
    const struct sim_law law = sim_law_of_sample(sample);
    const double point[][2] = {{1e-9, 1}, {0.1, 1}, {0.2, 1.5}, {0.3, 2}, {0.4, 2},
                               {0.6, 3},  {0.8, 6}, {0.9, 8},   {0.99, 8}};
    for (size_t i = 0; i < sizeof point / sizeof point[0]; i++) {
        ck_assert_double_eq_tol(sim_law_quantile(&law, point[i][0]), point[i][1], 1e-12);
        ck_assert_double_eq_tol(sim_law_at_hazard(&law, -log1p(-point[i][0])), point[i][1], 1e-12);
    }
    const double cdf[][2] = {{0.9, 0}, {1, 0.1}, {1.5, 0.2}, {2, 0.5}, {3, 0.6}, {7.9, 0.895}, {8, 1}, {1e300, 1}};
    for (size_t i = 0; i < sizeof cdf / sizeof cdf[0]; i++)
        ck_assert_double_eq_tol(sim_law_cdf(&law, cdf[i][0]), cdf[i][1], 1e-12);
    free(sample);
}
END_TEST

/* The mean of the law is that of the sample: 17/5, also as the integral of the quantile. */
START_TEST(a_sample_keeps_its_mean)
{
    struct sim_law_sample *sample = five();
    const struct sim_law law = sim_law_of_sample(sample);
    double sum = 0;
    for (int i = 0; i < 100000; i++)
        sum += sim_law_quantile(&law, (i + 0.5) / 100000) / 100000;
    ck_assert_double_eq_tol(sim_law_mean(&law), 3.4, 1e-12);
    ck_assert_double_eq_tol(sum, 3.4, 1e-6);
    free(sample);
}
END_TEST

START_TEST(there_is_nothing_below_zero)
{
    ck_assert_double_eq(sim_law_cdf(&laws[_i], -1), 0);
    ck_assert_double_eq(sim_law_cdf(&laws[_i], -1e-300), 0);
    ck_assert_double_eq(sim_law_cdf(&laws[_i], 0), 0);
    ck_assert_double_eq(sim_law_cdf(&laws[_i], 1e300), 1);
}
END_TEST

/* Where u^(1/power) rounds to 1 the delay is still finite: x = -log(1 - (1 - tail)^(1/power)), from the tail. */
START_TEST(exp_weibull_keeps_its_tail)
{
    for (int bits = 1; bits <= 53; bits++)
        for (double power = 0.01; power < 2000; power *= 10) {
            const struct sim_law law = {SIM_LAW_EXP_WEIBULL, {1, 1, power}};
            double tail = ldexp(1, -bits);
            long double expected = -logl(-expm1l(log1pl(-tail) / power));
            if (expected > 1e-12L)
                ck_assert_double_eq_tol(sim_law_quantile(&law, 1 - tail) / (double)expected, 1, 1e-12);
        }
}
END_TEST

START_TEST(means_in_closed_form)
{
    const struct {
        struct sim_law law;
        double mean;
    } row[] = {
        {{SIM_LAW_CONSTANT, {15}}, 15},
        {{SIM_LAW_CONSTANT, {0}}, 0},
        {{SIM_LAW_EXPONENTIAL, {20 * DAY_S}}, 20 * DAY_S},
        {{SIM_LAW_WEIBULL, {2, 0.5}}, 4},                   /* 2 Gamma(3) */
        {{SIM_LAW_WEIBULL, {1, 2}}, 0.88622692545275801},   /* sqrt(pi)/2 */
        {{SIM_LAW_LOGNORMAL, {10, 1}}, 16.487212707001282}, /* 10 sqrt(e) */
        {{SIM_LAW_GAMMA, {60, 2.5}}, 150},                  /* scale x shape */
        {{SIM_LAW_EXP_WEIBULL, {3, 1, 1}}, 3},              /* exponential */
        {{SIM_LAW_EXP_WEIBULL, {3, 1, 2}}, 4.5},            /* maximum of two: 3 (1 + 1/2) */
        {{SIM_LAW_EXP_WEIBULL, {6, 1, 4}}, 12.5},           /* 6 (1 + 1/2 + 1/3 + 1/4) */
        {{SIM_LAW_EXP_WEIBULL, {1, 2, 2}}, 2 * 0.88622692545275801 * (1 - sqrt(0.125))}, /* below */
    };
    /* F = (1 - e^-x^2)^2: 1 - F = 2 e^-x^2 - e^-2x^2, whose integral is sqrt(pi)/2 (2 - 1/sqrt(2)) = sqrt(pi) (1 -
     * sqrt(1/8)). */
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        ck_assert_double_eq_tol(sim_law_mean(&row[i].law) / (row[i].mean + 1e-300), row[i].mean > 0, 1e-7);
}
END_TEST

/* The mean is the integral of 1 - F: trapezoid on a logarithmic axis, x (1 - F) d log x, up to where nothing is left.
 */
START_TEST(means_by_quadrature)
{
    const struct sim_law *law = &laws[_i];
    double mean = sim_law_mean(law), sum = 0, h = 1e-3;
    for (double y = log(mean) - 60; y < log(mean) + 100; y += h)
        sum += exp(y) * (1 - sim_law_cdf(law, exp(y))) * h;
    bool has_long_tail = law->parameter[1] == 0.05 || law->parameter[1] == 10; /* beyond 1 - 2^-53 */
    if (!has_long_tail)
        ck_assert_double_eq_tol(sum / mean, 1, 1e-5);
}
END_TEST

START_TEST(with_mean_has_that_mean)
{
    struct sim_law law = sim_law_with_mean(laws[_i], 1234);
    ck_assert_int_eq((int)law.kind, (int)laws[_i].kind);
    ck_assert_double_eq_tol(sim_law_mean(&law), 1234, 1e-3);
    for (int i = 1; i < SIM_LAW_PARAMETERS_MAX; i++)
        ck_assert_double_eq(law.parameter[i], laws[_i].parameter[i]);
}
END_TEST

struct moments {
    double mean, variance;
};

static struct moments sample(const struct sim_law *law, int n)
{
    struct sim_stream stream;
    sim_stream_init(&stream, &(struct sim_origin){.seed = 20}, 1, 1);
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        double x = sim_law_quantile(law, sim_stream_uniform(&stream)) / DAY_S;
        sum += x;
        squares += x * x;
    }
    double mean = sum / n;
    return (struct moments){mean, squares / n - mean * mean};
}

/* Var = 400 d^2; SD of the mean 20/sqrt(n), of the variance sqrt(8) 400/sqrt(n) (fourth moment 9): 5 SD at n = 400,000.
 */
START_TEST(exponential_mean_20_days_has_variance_400)
{
    const struct sim_law law = {SIM_LAW_EXPONENTIAL, {20 * DAY_S}};
    struct moments got = sample(&law, 400000);
    ck_assert_double_eq_tol(got.mean, 20, 5 * 20 / sqrt(400000));
    ck_assert_double_eq_tol(got.variance, 400, 5 * 400 * sqrt(8.0 / 400000));
}
END_TEST

/* Shape 0.7: var / mean^2 = Gamma(1 + 2/0.7) / Gamma(1 + 1/0.7)^2 - 1 = 2.1387. */
START_TEST(weibull_shape_07_mean_20_days)
{
    const struct sim_law law = sim_law_with_mean((struct sim_law){SIM_LAW_WEIBULL, {1, 0.7}}, 20 * DAY_S);
    double ratio = tgamma(1 + 2 / 0.7) / pow(tgamma(1 + 1 / 0.7), 2) - 1;
    ck_assert_double_eq_tol(ratio, 2.1387, 1e-4);
    struct moments got = sample(&law, 400000);
    ck_assert_double_eq_tol(got.mean, 20, 5 * 20 * sqrt(ratio / 400000));
    ck_assert_double_eq_tol(got.variance / 400, ratio, 0.12);
}
END_TEST

START_TEST(bad_parameters_are_refused_and_named)
{
    const struct {
        enum sim_law_kind kind;
        double parameter[3];
        int bad;
    } row[] = {
        {SIM_LAW_CONSTANT, {-1}, 0},
        {SIM_LAW_CONSTANT, {NAN}, 0},
        {SIM_LAW_CONSTANT, {INFINITY}, 0},
        {SIM_LAW_CONSTANT, {1e-320}, 0},
        {SIM_LAW_EXPONENTIAL, {0}, 0},
        {SIM_LAW_EXPONENTIAL, {-1}, 0},
        {SIM_LAW_EXPONENTIAL, {1e-320}, 0},
        {SIM_LAW_WEIBULL, {1, 0}, 1},
        {SIM_LAW_WEIBULL, {1, 0.049}, 1},
        {SIM_LAW_WEIBULL, {1, 101}, 1},
        {SIM_LAW_WEIBULL, {0, 1}, 0},
        {SIM_LAW_LOGNORMAL, {1, -0.1}, 1},
        {SIM_LAW_LOGNORMAL, {1, 10.1}, 1},
        {SIM_LAW_GAMMA, {1, NAN}, 1},
        {SIM_LAW_EXP_WEIBULL, {1, 1, 0}, 2},
        {SIM_LAW_EXP_WEIBULL, {1, 1, 1001}, 2},
        {SIM_LAW_EXP_WEIBULL, {1, INFINITY, 1}, 1},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct sim_law law = {SIM_LAW_GAMMA, {9, 9, 9}};
        ck_assert_int_eq(sim_law_make(row[i].kind, row[i].parameter, &law), row[i].bad);
        ck_assert(law.kind == SIM_LAW_GAMMA && law.parameter[0] == 9 && law.parameter[1] == 9);
    }
    struct sim_law law;
    ck_assert_int_eq(sim_law_make(SIM_LAW_CONSTANT, (double[]){0}, &law), -1);
    ck_assert_int_eq(sim_law_make(SIM_LAW_EXP_WEIBULL, (double[]){1980, 1, 1}, &law), -1);
    ck_assert_double_eq(law.parameter[0], 1980);
}
END_TEST

START_TEST(laws_are_found_by_name)
{
    for (int kind = 0; kind < SIM_LAW_COUNT; kind++) {
        const struct sim_law_type *type = sim_law_type((enum sim_law_kind)kind);
        enum sim_law_kind found;
        ck_assert(type->parameters > 0 || kind == SIM_LAW_EMPIRICAL);
        ck_assert(sim_law_find(type->name, &found));
        ck_assert_int_eq((int)found, kind);
        for (size_t i = 0; i < type->parameters; i++)
            ck_assert_ptr_nonnull(type->parameter_name[i]);
    }
    enum sim_law_kind found = SIM_LAW_GAMMA;
    ck_assert(!sim_law_find("normal", &found));
    ck_assert(!sim_law_find("", &found));
    ck_assert_int_eq((int)found, SIM_LAW_GAMMA);
}
END_TEST

START_TEST(constant_is_constant)
{
    const struct sim_law law = {SIM_LAW_CONSTANT, {15}};
    for (int i = 0; i < GRID; i++)
        ck_assert_double_eq(sim_law_quantile(&law, grid[i]), 15);
    ck_assert_double_eq(sim_law_cdf(&law, 14.999), 0);
    ck_assert_double_eq(sim_law_cdf(&law, 15), 1);
    const struct sim_law narrow = {SIM_LAW_LOGNORMAL, {15, 0}};
    ck_assert_double_eq(sim_law_quantile(&narrow, 0.3), 15);
    ck_assert_double_eq(sim_law_mean(&narrow), 15);
}
END_TEST

START_TEST(a_uniform_of_one_stops)
{
    (void)sim_law_quantile(&laws[0], 1);
}
END_TEST

static void add_grids(TCase *tcase)
{
    tcase_add_loop_test(tcase, the_quantile_is_finite_and_rises, 0, LAWS);
    tcase_add_loop_test(tcase, cdf_undoes_the_quantile, 0, LAWS);
    tcase_add_loop_test(tcase, hazards_are_another_scale_of_quantiles, 0, LAWS);
    tcase_add_loop_test(tcase, tails_keep_their_digits, 0, AT_HAZARDS);
    tcase_add_loop_test(tcase, there_is_nothing_below_zero, 0, LAWS);
    tcase_add_loop_test(tcase, means_by_quadrature, 0, LAWS);
    tcase_add_loop_test(tcase, with_mean_has_that_mean, 0, LAWS);
}

int main(void)
{
    Suite *suite = suite_create("law");
    TCase *tcase = tcase_create("law");
    tcase_add_checked_fixture(tcase, setup, NULL);
    add_grids(tcase);
    tcase_add_test(tcase, exp_weibull_keeps_its_tail);
    tcase_add_test(tcase, means_in_closed_form);
    tcase_add_test(tcase, exponential_mean_20_days_has_variance_400);
    tcase_add_test(tcase, weibull_shape_07_mean_20_days);
    tcase_add_test(tcase, bad_parameters_are_refused_and_named);
    tcase_add_test(tcase, laws_are_found_by_name);
    tcase_add_test(tcase, constant_is_constant);
    tcase_add_test(tcase, gamma_hazards_come_back);
    tcase_add_test(tcase, a_sample_is_its_own_law);
    tcase_add_test(tcase, a_sample_keeps_its_mean);
    tcase_add_exit_test(tcase, a_uniform_of_one_stops, 1);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
