/* models/account.h -- the time account: every chip-nanosecond of a run in exactly one bucket.
 *
 * Whoever changes what chips do books the time that has passed under what they did until now. The buckets of a run must
 * sum to its chips times its length, to the last chip-nanosecond; models/run.c asserts it on every run.
 *
 * Units: chips times ns, in 128 bits.
 * Ownership: a value.
 * Errors: a negative span is a bug and stops the run.
 */
#ifndef MODELS_ACCOUNT_H
#define MODELS_ACCOUNT_H

#include "models/run.h"
#include "sim/assert.h"

struct account {
    sim_chip_time bucket[RUN_BUCKET_COUNT];
};

/* Books `chips` doing the same for `span_ns`. */
void account_book(struct account *account, const struct sim_origin *origin, enum run_bucket bucket, int64_t chips,
                  sim_time span_ns);

/* Sum of all buckets. */
sim_chip_time account_total(const struct account *account);

#endif
