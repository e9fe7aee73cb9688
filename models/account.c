#include "models/account.h"

void account_book(struct account *account, const struct sim_origin *origin, enum run_bucket bucket, int64_t chips,
                  sim_time span_ns)
{
    SIM_ASSERT(origin, chips >= 0 && span_ns >= 0);
    account->bucket[bucket] += (sim_chip_time)chips * span_ns;
}

sim_chip_time account_total(const struct account *account)
{
    sim_chip_time total = 0;
    for (int i = 0; i < RUN_BUCKET_COUNT; i++)
        total += account->bucket[i];
    return total;
}
