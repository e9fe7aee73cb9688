/* tools/faultline/record.h -- a finished replica as it is stored and reported.
 *
 * What a command prints comes from records only, whether they were computed or read back from a database, so both give
 * the same bytes. It holds the doubles of the database; models/run.h holds the exact chip-time.
 *
 * Units: as in models/metrics.def; chip-time in chip-seconds; times as named.
 * Ownership: record_from_result and store_find fill a record that the caller releases with record_fini.
 * Errors: none.
 */
#ifndef TOOLS_FAULTLINE_RECORD_H
#define TOOLS_FAULTLINE_RECORD_H

#include "models/run.h"

struct record_learner {
    int64_t chips;
    int64_t steps;
    double tokens;
    double stepping_s;
    int64_t interruptions;
    double restoring_chip_s; /* of the bucket restart: reading a checkpoint */
    double bucket_chip_s[RUN_BUCKET_COUNT];
};

struct record {
    bool is_filled;
    bool is_reused; /* read back, not computed */
    uint32_t replica;
    uint64_t seed;
    enum run_status status;
    sim_time no_progress_at_ns;
    double duration_s;
    double wall_s; /* what it took to simulate; never printed with results */
    double metric[RUN_METRIC_COUNT];
    double bucket_chip_s[RUN_BUCKET_COUNT]; /* summed over the learners and the spares */
    double spare_chip_s[RUN_BUCKET_COUNT];  /* of spares and standby, which belong to no learner */
    double pause_s;                         /* in which learners did not step, summed over them */
    int64_t learners;
    struct record_learner *learner; /* `learners` entries; NULL after record_fini */
};

/* The record of a result that was not stopped. */
struct record record_from_result(const struct run_result *result, uint64_t seed, uint32_t replica, double wall_s);

/* True when the replica is finished and has a part in means: it did not get stuck. */
bool record_counts(const struct record *record);

/* Fills bucket_chip_s from the learners, in order, and the spares, and pause_s. */
void record_sum(struct record *record);

/* Releases the learners; the numbers of the whole replica stay. */
void record_fini(struct record *record);

#endif
