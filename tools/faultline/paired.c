#include "tools/faultline/paired.h"

#include <math.h>
#include <stdlib.h>

#include "sim/assert.h"

static double variance(const struct summary_sample *sample)
{
    return sample->sd * sample->sd;
}

struct paired paired_of(const struct record a[], const struct record b[], size_t count, enum run_metric metric)
{
    double *x = sim_allocate(3 * count, sizeof *x), *y = x + count, *difference = y + count;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (!record_counts(&a[i]) || !record_counts(&b[i]))
            continue;
        x[n] = a[i].metric[metric];
        y[n] = b[i].metric[metric];
        difference[n] = y[n] - x[n];
        n++;
    }
    struct summary_sample of_a = summary_of(x, n), of_b = summary_of(y, n);
    struct paired paired = {.n = n, .a = of_a.mean, .b = of_b.mean, .difference = summary_of(difference, n)};
    double paired_variance = variance(&paired.difference);
    paired.times_fewer = paired_variance > 0 ? (variance(&of_a) + variance(&of_b)) / paired_variance : (double)NAN;
    free(x);
    return paired;
}
