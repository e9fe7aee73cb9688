#include "sim/time.h"

#include <math.h>

bool sim_time_from_seconds(double seconds, sim_time *ret)
{
    double ns = seconds * 1e9;
    if (!(fabs(ns) < 9.2233720368547e18)) /* also false for NaN */
        return false;
    sim_time whole = (sim_time)ns;
    double rest = ns - (double)whole; /* exact */
    *ret = whole + (rest >= 0.5) - (rest <= -0.5);
    return true;
}

sim_time sim_time_after(sim_time start, double delay_s)
{
    sim_time delay;
    return sim_time_from_seconds(delay_s, &delay) ? sim_time_add(start, delay) : SIM_TIME_NEVER;
}

double sim_time_seconds(sim_time t)
{
    return (double)t / 1e9;
}

/* Beyond 2^53 ns the quotient is taken in integers, with at least 55 bits and the last one set when there is a rest, so
 * that the conversion to double is the only rounding. */
double sim_chip_time_seconds(sim_chip_time t)
{
    sim_chip_time magnitude = t < 0 ? -t : t;
    if (magnitude < (sim_chip_time)1 << 53)
        return (double)t / 1e9;
    int shift = magnitude < (sim_chip_time)1 << 96 ? 31 : 0;
    sim_chip_time scaled = magnitude << shift, quotient = scaled / SIM_SECOND;
    if (quotient * SIM_SECOND != scaled)
        quotient |= 1;
    double seconds = ldexp((double)quotient, -shift);
    return t < 0 ? -seconds : seconds;
}
