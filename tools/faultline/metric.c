#include "tools/faultline/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/rare.h"
#include "tools/faultline/value.h"

static bool ends_in_seconds(const char *name)
{
    size_t length = strlen(name);
    return length > 2 && strcmp(name + length - 2, "_s") == 0;
}

static bool is_called(const char *full, const char *name)
{
    size_t length = strlen(name);
    return strncmp(full, name, length) == 0 &&
           (full[length] == '\0' || (ends_in_seconds(full) && strcmp(full + length, "_s") == 0));
}

int metric_find(const char *name, enum run_metric *ret, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        if (is_called(run_metric_info[i].name, name)) {
            *ret = (enum run_metric)i;
            return 0;
        }
    return sim_error_set(error, "%s is no metric; `faultline keys --metrics` lists them", value_quote(name, quoted));
}

static int read_share(const char *text, double *ret, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    double share = 0;
    if (value_read_fraction(text, &share, error) != 0)
        return -1;
    if (share > 1)
        return sim_error_set(error, "%s: out of range; allowed: 0%% to 100%%", value_quote(text, quoted));
    *ret = share;
    return 0;
}

int metric_read(enum run_metric metric, const char *text, double *ret, struct sim_error *error)
{
    const struct run_metric_info *info = &run_metric_info[metric];
    struct sim_error ignored;
    int64_t count = 0;
    if (info->kind == RUN_METRIC_FRACTION)
        return read_share(text, ret, error);
    if (value_read_real(text, ret, &ignored) == 0)
        return 0;
    if (ends_in_seconds(info->name))
        return value_read_seconds(text, ret, error);
    if (value_read_count(text, &count, error) != 0)
        return -1;
    *ret = (double)count;
    return 0;
}

struct summary_sample metric_sample(const struct record records[], size_t count, enum run_metric metric)
{
    double *x = sim_allocate(count, sizeof *x);
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (record_counts(&records[i]))
            x[n++] = records[i].metric[metric];
    struct summary_sample sample = summary_of(x, n);
    free(x);
    bool is_uptime = metric == RUN_METRIC_uptime || metric == RUN_METRIC_quorum_uptime;
    double downtime = is_uptime && sample.mean == 1 ? rare_of(records, count).downtime : NAN;
    if (downtime > 0)
        sample.ci95 = downtime;
    return sample;
}

static double bucket_share(const struct record *record, enum run_bucket bucket)
{
    double total = 0;
    for (size_t i = 0; i < RUN_BUCKET_COUNT; i++)
        total += record->bucket_chip_s[i];
    return total > 0 ? record->bucket_chip_s[bucket] / total : 0;
}

struct summary_sample metric_share(const struct record records[], size_t count, enum run_bucket bucket)
{
    double *x = sim_allocate(count, sizeof *x);
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (record_counts(&records[i]))
            x[n++] = bucket_share(&records[i], bucket);
    struct summary_sample sample = summary_of(x, n);
    free(x);
    return sample;
}
