/* models/transfer.h -- something on its way over a link whose rate changes.
 *
 * What is left to send is kept in units of which a link at full rate sends TRANSFER_FULL in a nanosecond, and one that
 * is `factor` times slower TRANSFER_FULL / factor, to the nearest whole number. So nothing is rounded but the end, up
 * to the next nanosecond, however often the rate changes: it is the first at which the sum of rate x time is all there
 * is to send. Latency is not part of it.
 *
 * Units: ns; rates in billionths of that of the link.
 * Ownership: values.
 * Errors: an end past the end of time is SIM_TIME_NEVER.
 */
#ifndef MODELS_TRANSFER_H
#define MODELS_TRANSFER_H

#include "sim/time.h"

#define TRANSFER_FULL 1000000000

struct transfer {
    sim_chip_time left; /* from `from` on */
    sim_time from, end;
};

/* The rate of a link that is so many times slower; at least 1. Requires 1 or more. */
int64_t transfer_rate(double factor);

/* Begins at `from` with what takes `full_ns` at full rate. */
struct transfer transfer_begin(sim_time from, sim_time full_ns, int64_t rate);

/* The rate has been `before` and is `after` from now on. Does nothing when it is over. */
void transfer_change(struct transfer *transfer, sim_time now, int64_t before, int64_t after);

#endif
