/* sim/time.h -- simulated time and chip-time.
 *
 * A point in time or a span is a count of nanoseconds in 64 bits: 292 years. Sums of time multiplied by chips need more
 * and are exact in 128 bits. For wall-clock time use the operating system; nothing below tools/ reads a clock.
 *
 * Units: ns; chip-time in chip-nanoseconds.
 * Ownership: values.
 * Errors: sim_time_from_seconds refuses what does not fit; sim_time_after saturates at SIM_TIME_NEVER.
 */
#ifndef SIM_TIME_H
#define SIM_TIME_H

#include <stdbool.h>
#include <stdint.h>

typedef int64_t sim_time;
__extension__ typedef __int128 sim_chip_time;

#define SIM_SECOND ((sim_time)1000000000)
#define SIM_TIME_NEVER INT64_MAX

/* Nearest nanosecond of `seconds`. False, and *ret untouched, when it is not finite or beyond +-292 years. */
bool sim_time_from_seconds(double seconds, sim_time *ret);

/* `start` plus a non-negative draw of `delay_s` seconds; SIM_TIME_NEVER when that lies past the end of time. */
sim_time sim_time_after(sim_time start, double delay_s);

/* `start` plus a non-negative `delay`; SIM_TIME_NEVER when that lies past the end of time. */
static inline sim_time sim_time_add(sim_time start, sim_time delay)
{
    return delay > SIM_TIME_NEVER - start ? SIM_TIME_NEVER : start + delay;
}

/* Seconds as a double: exact below 2^53 ns (104 days), nearest above. */
double sim_time_seconds(sim_time t);

/* The nearest double; quick for what fits into 64 bits. */
static inline double sim_chip_time_double(sim_chip_time t)
{
    return t >= INT64_MIN && t <= INT64_MAX ? (double)(int64_t)t : (double)t;
}

/* Chip-nanoseconds as chip-seconds, correctly rounded to double. */
double sim_chip_time_seconds(sim_chip_time t);

/* Whole periods in a span; nearly always none or one, for which a division takes too long. */
static inline int64_t sim_time_periods(sim_time span, sim_time period)
{
    return span - period < period ? span >= period : span / period;
}

#endif
