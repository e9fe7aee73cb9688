/* derived_checkpoint.c -- how often a job that stands still for its checkpoints should write one.
 *
 * Failures of the job are Poisson with mean gap mu. A period T = every + C is the work between two checkpoints and the
 * checkpoint itself; after a failure come the restart D and the restore R, then the period anew. With memoryless gaps a
 * period takes (Bougeret, Casanova, Rabie, Robert and Vivien, SC 2011; its first form is of Daly, FGCS 22, 2006)
 *
 *     E = (mu + D) e^(R/mu) (e^(T/mu) - 1)     when a failure starts restart and restore over,
 *     E = (mu + D + R) (e^(T/mu) - 1)          when it is folded into them,
 *
 * and the efficiency is (T - C) / E. Both have their maximum where (T - C)' = 0 relative to e^(T/mu) - 1: with x = T/mu
 * and c = C/mu, 1 - e^-x = x - c, which is x = 1 + c + W0(-e^-(1 + c)), W0 the Lambert function. */
#include <gsl/gsl_sf_lambert.h>
#include <math.h>

#include "tools/faultline/derived_internal.h"

struct plan {
    double mu_s, cost_s, restart_s, restore_s;
    bool starts_over;
};

static double efficiency(const struct plan *plan, double every_s)
{
    double pause = plan->starts_over ? (plan->mu_s + plan->restart_s) * exp(plan->restore_s / plan->mu_s)
                                     : plan->mu_s + plan->restart_s + plan->restore_s;
    return every_s / (pause * expm1((every_s + plan->cost_s) / plan->mu_s));
}

static double best_every(const struct plan *plan)
{
    double c = plan->cost_s / plan->mu_s;
    return plan->mu_s * (1 + gsl_sf_lambert_W0(-exp(-(1 + c))));
}

/* Communications of the ACM 17, 1974: the first order. */
static double young_every(const struct plan *plan)
{
    return sqrt(2 * plan->cost_s * plan->mu_s);
}

/* The same paper of 2006, equation 37. */
static double daly_every(const struct plan *plan)
{
    double half = plan->cost_s / (2 * plan->mu_s);
    if (half >= 1)
        return plan->mu_s;
    return young_every(plan) * (1 + sqrt(half) / 3 + half / 9) - plan->cost_s;
}

static void show(const struct derived_tour *tour, const char *name, enum derived_unit unit, double number,
                 const char *meaning)
{
    tour->visit(tour->context, &(struct derived_value){"checkpoint", NULL, name, unit, number, meaning});
}

/* From the start of a checkpoint to the start of the next one, which waits for the end of a step. */
static void show_period(const struct derived_tour *tour, const struct plan *plan)
{
    double step_s = sim_time_seconds(tour->config->step_time_ns);
    double every_s = ceil(sim_time_seconds(tour->config->checkpoint_every_ns) / step_s) * step_s;
    show(tour, "period", DERIVED_SECONDS, every_s + plan->cost_s, "every, in whole steps, and cost");
    show(tour, "efficiency", DERIVED_FRACTION, efficiency(plan, every_s),
         "share of the time that is useful, in theory");
}

static void show_best(const struct derived_tour *tour, const struct plan *plan)
{
    static const char *const share = "share of the time that is useful with it";
    show(tour, "best_every", DERIVED_SECONDS, best_every(plan), "value of every that makes it largest");
    show(tour, "best_efficiency", DERIVED_FRACTION, efficiency(plan, best_every(plan)), share);
    show(tour, "young_every", DERIVED_SECONDS, young_every(plan), "Young's estimate of it, sqrt(2 x cost x mtbf)");
    show(tour, "young_efficiency", DERIVED_FRACTION, efficiency(plan, young_every(plan)), share);
    show(tour, "daly_every", DERIVED_SECONDS, daly_every(plan), "Daly's estimate of it");
    show(tour, "daly_efficiency", DERIVED_FRACTION, efficiency(plan, daly_every(plan)), share);
}

void derived_show_checkpoint(const struct derived_tour *tour, double failure_rate)
{
    const struct config *config = tour->config;
    const struct plan plan = {
        .mu_s = 1 / failure_rate,
        .cost_s = sim_time_seconds(config->checkpoint_cost_ns),
        .restart_s = sim_time_seconds(config_restart_ns(config)),
        .restore_s = sim_time_seconds(config->checkpoint_restore_ns),
        .starts_over = config->overlap == CONFIG_RESTART,
    };
    if (config->method != CONFIG_DP || !config_has_checkpoints(config) || !(failure_rate > 0) ||
        config->checkpoint_mode != CONFIG_BLOCKING)
        return;
    show_period(tour, &plan);
    if (plan.cost_s > 0)
        show_best(tour, &plan);
}
