#include "tools/faultline/renewal.h"

#include <math.h>

#include "models/scope.h"

enum { CELLS = 500 };

int64_t renewal_chips(const struct config *config, const struct config_source *source)
{
    struct fleet fleet;
    struct scope scope;
    fleet_init(&fleet, config);
    scope_init(&scope, config, &fleet, source);
    return scope.chips;
}

/* P(life <= x) of the first of `normal` and `lemons` chips, which need not be whole. */
static double cdf(const struct config_source *source, double normal, double lemons, double x_s)
{
    double left = pow(1 - sim_law_cdf(&source->life, x_s), normal);
    if (lemons > 0)
        left *= pow(1 - sim_law_cdf(&source->life, x_s * source->lemon_factor), lemons);
    return 1 - left;
}

/* Expected renewals up to t of such lives: M(t) = F(t) + integral of M(t - x) dF(x), lives rounded to cells. What was
 * counted up to a cell ends half a cell later, so the mean of two neighbours is taken. */
static double renewals(const struct config_source *source, double normal, double lemons, double t_s)
{
    double share[CELLS + 1], count[CELLS + 1], before = 0;
    for (int i = 0; i <= CELLS; i++) {
        double until = cdf(source, normal, lemons, (i + 0.5) * t_s / CELLS);
        share[i] = until - before;
        before = until;
    }
    for (int i = 0; i <= CELLS; i++) {
        double sum = share[0];
        for (int k = 1; k <= i; k++)
            sum += share[k] * (1 + count[i - k]);
        count[i] = sum / (1 - share[0]);
    }
    return (count[CELLS - 1] + count[CELLS]) / 2;
}

/* Of one chip on average. A slice that comes back new is one life, which ends with the first of its chips. */
static double renewals_of_chip(const struct config *config, const struct config_source *source, double t_s)
{
    double lemons = source->lemon_share, normal = 1 - lemons,
           learner = ceil((double)config->chips / (double)config->learners);
    double slice = fmin((double)config->chips_per_slice, learner);
    if (source->ageing == CONFIG_AGES_RESET)
        return renewals(source, slice * normal, slice * lemons, t_s) / slice;
    return normal * renewals(source, 1, 0, t_s) + (lemons > 0 ? lemons * renewals(source, 0, 1, t_s) : 0);
}

double renewal_rate(const struct config *config, const struct config_source *source)
{
    double run_s = sim_time_seconds(config->duration_ns);
    double constant = config_lemon_weight(source) / config_mtbi_s(source);
    if (source->timing != CONFIG_BY_LIFE)
        return constant;
    double rate = renewals_of_chip(config, source, run_s) / run_s;
    return isfinite(rate) ? rate : constant; /* lives far shorter than a cell: the long run */
}
