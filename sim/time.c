#include "sim/time.h"

#include <math.h>

bool sim_time_from_seconds(double seconds, sim_time *ret)
{
    double ns = seconds * 1e9;
    if (!(fabs(ns) < 9.2233720368547e18)) /* also false for NaN */
        return false;
    *ret = (sim_time)llround(ns);
    return true;
}

sim_time sim_time_after(sim_time start, double delay_s)
{
    sim_time delay;
    if (!sim_time_from_seconds(delay_s, &delay) || delay > SIM_TIME_NEVER - start)
        return SIM_TIME_NEVER;
    return start + delay;
}

double sim_time_seconds(sim_time t)
{
    return (double)t / 1e9;
}

double sim_chip_time_seconds(sim_chip_time t)
{
    sim_chip_time whole = t / SIM_SECOND;
    return (double)whole + (double)(sim_time)(t - whole * SIM_SECOND) / 1e9;
}
