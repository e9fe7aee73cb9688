#include "models/pace.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "models/network.h"
#include "models/world.h"

/* Normal speeds and jitters are cut here. */
#define FACTOR_MIN 0.1

/* Below it a gamma law is narrow: shape 100, the most that sim/law.h allows. */
#define NARROW_VARIANCE 0.01

/* The class that holds a chip. */
static int class_of_chip(const struct config *config, int64_t chip)
{
    double end = 0;
    for (int i = 0; i < config->class_count - 1; i++) {
        end += config->class[i].share;
        if ((double)chip < round(end * (double)config->chips))
            return i;
    }
    return config->class_count - 1;
}

/* The slowest class among the chips of a slice. */
static int class_of_slice(const struct pace *pace, int64_t slice)
{
    const struct config *config = pace->config;
    int64_t first = fleet_first_chip(pace->fleet, slice), last = first + fleet_slice_chips(pace->fleet, slice) - 1;
    int slowest = class_of_chip(config, first);
    for (int i = slowest + 1; i <= class_of_chip(config, last); i++)
        if (config->class[i].share > 0 && config->class[i].speed < config->class[slowest].speed)
            slowest = i;
    return slowest;
}

static double normal_factor(double u, double deviation)
{
    double factor = 1 + deviation * gsl_cdf_ugaussian_Pinv(u);
    return factor > FACTOR_MIN ? factor : FACTOR_MIN;
}

void pace_init(struct pace *pace, const struct config *config, const struct fleet *fleet,
               const struct sim_origin *origin, int64_t learner)
{
    *pace = (struct pace){.config = config, .fleet = fleet, .speed = 1, .slowed = INFINITY};
    sim_stream_init(&pace->jitter, origin, WORLD_STREAM_JITTER, (uint64_t)learner);
    if (config->speed_spread > 0)
        pace->speed =
            normal_factor(sim_uniform_at(origin, WORLD_STREAM_SPREAD, (uint64_t)learner, 0), config->speed_spread);
    if (config->class_count == 0)
        return;
    pace->present = sim_allocate((size_t)config->class_count, sizeof *pace->present);
    int64_t first = fleet_first_slice(fleet, learner);
    for (int64_t i = 0; i < fleet_learner_slices(fleet, learner); i++)
        pace_change(pace, first + i, +1);
}

void pace_fini(struct pace *pace)
{
    free(pace->present);
    pace->present = NULL;
}

void pace_change(struct pace *pace, int64_t slice, int change)
{
    if (!pace->present)
        return;
    pace->present[class_of_slice(pace, slice)] += change;
    pace->step_ns = 0;
}

static double slowest_class(const struct pace *pace)
{
    double slowest = INFINITY;
    for (int i = 0; pace->present && i < pace->config->class_count; i++)
        if (pace->present[i] > 0)
            slowest = fmin(slowest, pace->config->class[i].speed);
    return isfinite(slowest) ? slowest : 1;
}

static double slowest_speed(const struct pace *pace)
{
    return fmin(slowest_class(pace), pace->slowed);
}

double pace_class_speed(const struct pace *pace, int64_t slice)
{
    return pace->present ? pace->config->class[class_of_slice(pace, slice)].speed : 1;
}

double pace_slow(struct pace *pace, double slowed)
{
    double before = slowest_speed(pace);
    pace->slowed = slowed;
    double factor = before / slowest_speed(pace);
    if (factor != 1)
        pace->step_ns = 0;
    return factor;
}

bool pace_is_slowed(const struct pace *pace)
{
    return pace->slowed < INFINITY && pace->slowed < slowest_class(pace);
}

/* GSL does not always find the inverse for a narrow law; there a normal to the third power is as good (Wilson and
 * Hilferty 1931): the mean is off by variance^3 / 729. */
static double gamma_factor(double u, double variance)
{
    if (variance >= NARROW_VARIANCE)
        return gsl_cdf_gamma_Pinv(u, 1 / variance, variance);
    double root = 1 - variance / 9 + sqrt(variance) / 3 * gsl_cdf_ugaussian_Pinv(u);
    return root * root * root;
}

/* Mean 1, standard deviation learners.step_jitter; the exponential law has the deviation 1. */
static double jitter_factor(struct pace *pace)
{
    double deviation = pace->config->step_jitter, variance = deviation * deviation;
    if (deviation <= 0)
        return 1;
    double u = sim_stream_uniform(&pace->jitter);
    switch (pace->config->jitter_law) {
    case CONFIG_NORMAL:
        return normal_factor(u, deviation);
    case CONFIG_LOGNORMAL:
        return gsl_cdf_lognormal_Pinv(u, -log1p(variance) / 2, sqrt(log1p(variance)));
    case CONFIG_GAMMA:
        return gamma_factor(u, variance);
    case CONFIG_EXPONENTIAL:
        return gsl_cdf_exponential_Pinv(u, 1);
    case CONFIG_JITTER_COUNT:
        break;
    }
    return 1;
}

static sim_time to_ns(double ns)
{
    if (!(ns < (double)SIM_TIME_NEVER))
        return SIM_TIME_NEVER;
    return ns < 1 ? 1 : (sim_time)llround(ns);
}

/* With what transfers add. */
static sim_time whole_step_ns(const struct config *config, sim_time math_ns)
{
    return config_has_syncer(config) ? math_ns : sim_time_add(math_ns, network_exposed_ns(config, math_ns));
}

static void work_out_step(struct pace *pace)
{
    const struct config *config = pace->config;
    double speed = pace->speed * slowest_speed(pace);
    pace->math_ns = to_ns((double)config->step_time_ns / speed * jitter_factor(pace));
    pace->step_ns = whole_step_ns(config, pace->math_ns);
}

sim_time pace_stretch_ns(const struct pace *pace, sim_time passed, double factor, sim_time *math_ns)
{
    if (passed < *math_ns)
        *math_ns = sim_time_add(passed, to_ns((double)(*math_ns - passed) * factor));
    return whole_step_ns(pace->config, *math_ns);
}

bool pace_is_steady(const struct pace *pace, sim_time step_ns, sim_time math_ns)
{
    return pace_is_constant(pace->config) && pace->step_ns == step_ns && pace->math_ns == math_ns;
}

sim_time pace_draw_step_ns(struct pace *pace, sim_time *ret_math_ns)
{
    if (pace->step_ns == 0 || !pace_is_constant(pace->config))
        work_out_step(pace);
    *ret_math_ns = pace->math_ns;
    return pace->step_ns;
}

bool pace_is_uniform(const struct config *config)
{
    bool is_uniform = pace_is_constant(config) && !(config->speed_spread > 0);
    for (int i = 0; i < config->class_count; i++)
        is_uniform = is_uniform && config->class[i].speed >= 1 && config->class[i].speed <= 1;
    return is_uniform;
}

bool pace_is_constant(const struct config *config)
{
    return !(config->step_jitter > 0);
}
