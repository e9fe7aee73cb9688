/* fit_sample.c -- delays out of a log. */
#include <math.h>
#include <stdlib.h>

#include "sim/assert.h"
#include "tools/faultline/fit.h"

static void add(struct fit_sample *sample, sim_time span_ns, bool is_censored)
{
    sample->delay[sample->count++] = (struct fit_delay){sim_time_seconds(span_ns > 0 ? span_ns : 0), is_censored};
    sample->censored += is_censored;
}

void fit_gaps(const struct config_log *log, struct fit_sample *ret)
{
    *ret = (struct fit_sample){.delay = sim_allocate((size_t)log->rows, sizeof *ret->delay)};
    for (int64_t i = 1; i < log->rows; i++)
        add(ret, log->row[i].start_ns - log->row[i - 1].start_ns, false);
    fit_sample_finish(ret);
}

void fit_services(const struct config_log *log, struct fit_sample *ret)
{
    sim_time *back = sim_allocate((size_t)log->machines, sizeof *back), end = log->row[log->rows - 1].start_ns;
    *ret = (struct fit_sample){.delay = sim_allocate((size_t)(log->rows + log->machines), sizeof *ret->delay)};
    for (int64_t i = 0; i < log->machines; i++)
        back[i] = -1;
    for (int64_t i = 0; i < log->rows; i++) {
        const struct config_log_row *row = &log->row[i];
        if (back[row->machine] >= 0)
            add(ret, row->start_ns - back[row->machine], false);
        if (row->end_ns > back[row->machine])
            back[row->machine] = row->end_ns;
    }
    for (int64_t i = 0; i < log->machines; i++)
        if (back[i] < end)
            add(ret, end - back[i], true);
    free(back);
    fit_sample_finish(ret);
}

void fit_outages(const struct config_log *log, struct fit_sample *ret)
{
    *ret = (struct fit_sample){.delay = sim_allocate((size_t)log->rows, sizeof *ret->delay)};
    for (int64_t i = 0; i < log->rows; i++)
        add(ret, log->row[i].end_ns - log->row[i].start_ns, false);
    fit_sample_finish(ret);
}

static bool are_multiples(const struct fit_sample *sample, double unit)
{
    for (size_t i = 0; i < sample->count; i++)
        if (fmod(sample->delay[i].seconds, unit) != 0)
            return false;
    return true;
}

/* The largest unit of a clock that all delays are multiples of; else the smallest delay that is not 0. */
static double resolution_of(const struct fit_sample *sample)
{
    static const double unit[] = {86400, 3600, 60, 1};
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++)
        if (are_multiples(sample, unit[i]))
            return unit[i];
    double least = INFINITY;
    for (size_t i = 0; i < sample->count; i++)
        if (sample->delay[i].seconds > 0)
            least = fmin(least, sample->delay[i].seconds);
    return least;
}

static int by_length(const void *a, const void *b)
{
    const struct fit_delay *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? 1 : -1;
    return (int)x->is_censored - (int)y->is_censored;
}

void fit_sample_finish(struct fit_sample *sample)
{
    sample->resolution_s = resolution_of(sample);
    for (size_t i = 0; i < sample->count; i++)
        if (sample->delay[i].seconds <= 0) {
            sample->delay[i].seconds = sample->resolution_s / 2;
            sample->zeros++;
        }
    qsort(sample->delay, sample->count, sizeof *sample->delay, by_length);
}

void fit_sample_fini(struct fit_sample *sample)
{
    free(sample->delay);
    *sample = (struct fit_sample){0};
}

double fit_sample_mean(const struct fit_sample *sample)
{
    double sum = 0;
    for (size_t i = 0; i < sample->count; i++)
        sum += sample->delay[i].is_censored ? 0 : sample->delay[i].seconds;
    return sum / (double)(sample->count - sample->censored);
}

/* At the length i of those not censored, with n - i at risk, the estimate of surviving shrinks by 1 - 1 / (n - i). */
double *fit_estimate(const struct fit_sample *sample)
{
    double *estimate = sim_allocate(sample->count, sizeof *estimate), survival = 1;
    for (size_t i = 0; i < sample->count; i++) {
        double at_risk = (double)(sample->count - i);
        if (!sample->delay[i].is_censored)
            survival *= (at_risk - 1) / at_risk;
        estimate[i] = 1 - survival;
    }
    return estimate;
}
