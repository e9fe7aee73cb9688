#include "models/transfer.h"

#include <math.h>

int64_t transfer_rate(double factor)
{
    int64_t rate = (int64_t)llround(TRANSFER_FULL / factor);
    return rate > 1 ? rate : 1;
}

static sim_time end_of(const struct transfer *transfer, int64_t rate)
{
    sim_chip_time takes = (transfer->left + rate - 1) / rate;
    return takes < SIM_TIME_NEVER ? sim_time_add(transfer->from, (sim_time)takes) : SIM_TIME_NEVER;
}

struct transfer transfer_begin(sim_time from, sim_time full_ns, int64_t rate)
{
    struct transfer transfer = {.left = (sim_chip_time)full_ns * TRANSFER_FULL, .from = from};
    transfer.end = end_of(&transfer, rate);
    return transfer;
}

void transfer_change(struct transfer *transfer, sim_time now, int64_t before, int64_t after)
{
    if (transfer->end <= now)
        return;
    if (now > transfer->from) {
        transfer->left -= (sim_chip_time)(now - transfer->from) * before;
        transfer->from = now;
    }
    transfer->end = end_of(transfer, after);
}
