#include "tools/faultline/record.h"

#include <math.h>
#include <stdlib.h>

#include "sim/assert.h"

static struct record_learner learner_record(const struct run_learner *from)
{
    struct record_learner to = {
        .chips = from->chips,
        .steps = from->steps,
        .tokens = from->tokens + 0.0, /* a database has no negative zero */
        .stepping_s = sim_time_seconds(from->stepping_ns),
        .interruptions = from->interruptions,
        .restoring_chip_s = sim_chip_time_seconds(from->restoring),
    };
    for (int bucket = 0; bucket < RUN_BUCKET_COUNT; bucket++)
        to.bucket_chip_s[bucket] = sim_chip_time_seconds(from->bucket[bucket]);
    return to;
}

struct record record_from_result(const struct run_result *result, uint64_t seed, uint32_t replica, double wall_s)
{
    bool is_given_up = result->status == RUN_NO_PROGRESS || result->status == RUN_TIMEOUT;
    struct record record = {
        .is_filled = true,
        .replica = replica,
        .seed = seed,
        .status = result->status,
        .no_progress_at_ns = is_given_up ? result->no_progress_at_ns : 0,
        .duration_s = sim_time_seconds(result->duration_ns),
        .wall_s = wall_s,
        .learners = result->learners,
        .learner = sim_allocate((size_t)result->learners, sizeof *record.learner),
    };
    for (int metric = 0; metric < RUN_METRIC_COUNT; metric++)
        record.metric[metric] = result->status == RUN_TIMEOUT ? NAN : result->metric[metric] + 0.0;
    for (int64_t i = 0; i < result->learners; i++)
        record.learner[i] = learner_record(&result->learner[i]);
    for (int bucket = 0; bucket < RUN_BUCKET_COUNT; bucket++)
        record.spare_chip_s[bucket] = sim_chip_time_seconds(result->spare_bucket[bucket]);
    record_sum(&record);
    for (int bucket = 0; bucket < RUN_BUCKET_COUNT && result->status == RUN_TIMEOUT; bucket++)
        record.bucket_chip_s[bucket] = NAN; /* nobody knows */
    return record;
}

bool record_counts(const struct record *record)
{
    return record->is_filled && (record->status == RUN_DONE || record->status == RUN_TAPE_ENDED);
}

void record_sum(struct record *record)
{
    record->pause_s = 0;
    for (int64_t i = 0; i < record->learners; i++)
        record->pause_s += record->duration_s - record->learner[i].stepping_s;
    for (int bucket = 0; bucket < RUN_BUCKET_COUNT; bucket++) {
        record->bucket_chip_s[bucket] = 0;
        for (int64_t i = 0; i < record->learners; i++)
            record->bucket_chip_s[bucket] += record->learner[i].bucket_chip_s[bucket];
        record->bucket_chip_s[bucket] += record->spare_chip_s[bucket];
    }
}

void record_fini(struct record *record)
{
    free(record->learner);
    record->learner = NULL;
    record->learners = 0;
}
