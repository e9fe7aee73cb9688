#include "tools/faultline/report_axis.h"

#include <math.h>

#define FAR_APART 7.0 /* as in 1..8 x2 */
#define INTERVALS 5.0 /* about so many between the marks */

struct report_axis report_axis_over(double low, double high, double from, double to, bool may_be_log)
{
    if (!(high > low)) {
        double margin = low != 0 ? fabs(low) * 0.05 : 1;
        low -= margin;
        high += margin;
    }
    bool is_log = may_be_log && low > 0 && high / low >= FAR_APART;
    return (struct report_axis){.low = low, .high = high, .from = from, .to = to, .is_log = is_log};
}

double report_axis_place(const struct report_axis *axis, double x)
{
    double share = (x - axis->low) / (axis->high - axis->low);
    if (axis->is_log)
        share = log(x / axis->low) / log(axis->high / axis->low);
    return axis->from + share * (axis->to - axis->from);
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(double span)
{
    double raw = span / INTERVALS;
    double power = pow(10, floor(log10(raw)));
    double lead = raw / power;
    if (lead > 5)
        return 10 * power;
    if (lead > 2)
        return 5 * power;
    return (lead > 1 ? 2 : 1) * power;
}

size_t report_axis_ticks(struct report_axis *axis, double ret_tick[static REPORT_TICKS_MAX], double *ret_step)
{
    size_t count = 0;
    double step = round_step(axis->high - axis->low);
    double first = floor(axis->low / step + 1e-9);
    double last = ceil(axis->high / step - 1e-9);
    for (; first + (double)count <= last && count < REPORT_TICKS_MAX; count++)
        ret_tick[count] = (first + (double)count) * step + 0.0;
    axis->low = first * step;
    axis->high = last * step;
    *ret_step = step;
    return count;
}
