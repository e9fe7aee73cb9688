#include "tools/faultline/paired.h"

#include <math.h>
#include <stdlib.h>

#include "sim/assert.h"
#include "tools/faultline/control.h"

static double variance(const struct summary_sample *sample)
{
    return sample->sd * sample->sd;
}

/* Without rates there is no control. */
static struct paired compare(const struct record a[], const struct record b[], const double *rate, size_t count,
                             enum run_metric metric)
{
    double *x = sim_allocate(4 * count, sizeof *x), *y = x + count, *difference = y + count, *surplus = y + 2 * count;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (!record_counts(&a[i]) || !record_counts(&b[i]))
            continue;
        x[n] = a[i].metric[metric];
        y[n] = b[i].metric[metric];
        difference[n] = y[n] - x[n];
        surplus[n] = rate != NULL ? (control_surplus(rate[0], &a[i]) + control_surplus(rate[1], &b[i])) / 2 : 0;
        n++;
    }
    struct summary_sample of_a = summary_of(x, n), of_b = summary_of(y, n);
    struct paired paired = {.n = n,
                            .a = control_of(surplus, x, n).mean,
                            .b = control_of(surplus, y, n).mean,
                            .difference = control_of(surplus, difference, n)};
    double paired_variance = variance(&paired.difference);
    paired.times_fewer = paired_variance > 0 ? (variance(&of_a) + variance(&of_b)) / paired_variance : (double)NAN;
    free(x);
    return paired;
}

struct paired paired_of(const struct record a[], const struct record b[], size_t count, enum run_metric metric)
{
    return compare(a, b, NULL, count, metric);
}

struct paired paired_controlled(const struct record a[], const struct record b[], const double rate[2], size_t count,
                                enum run_metric metric)
{
    return compare(a, b, rate, count, metric);
}
