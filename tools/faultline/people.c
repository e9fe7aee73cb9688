#include "tools/faultline/people.h"

#include <math.h>
#include <stdio.h>

#define PERCENT_DECIMALS_MAX 6

/* Decimals of a percentage that is below 100 % and should not look like it. */
static int percent_decimals(double x)
{
    int decimals = 2;
    double step = 1e-4;
    while (decimals < PERCENT_DECIMALS_MAX && x < 1 && x >= 1 - step / 2) {
        decimals++;
        step /= 10;
    }
    return decimals;
}

/* A share that is neither nothing nor all does not look like it. */
static void percent(double x, int decimals, char ret[static PEOPLE_TEXT_MAX])
{
    double step = pow(10, -2 - decimals);
    if (x > 0 && x < step / 2)
        (void)snprintf(ret, PEOPLE_TEXT_MAX, "< %.*f %%", decimals, 100 * step);
    else if (x < 1 && x >= 1 - step / 2)
        (void)snprintf(ret, PEOPLE_TEXT_MAX, "> %.*f %%", decimals, 100 * (1 - step));
    else
        (void)snprintf(ret, PEOPLE_TEXT_MAX, "%.*f %%", decimals, 100 * x);
}

/* Four digits, from ten thousand on with a suffix. */
static void amount(double x, char ret[static PEOPLE_TEXT_MAX])
{
    static const char *const suffix[] = {"", "k", "M", "G", "T"};
    size_t power = 0;
    for (; fabs(x) >= (power == 0 ? 9999.5 : 999.95) && power < 4; power++)
        x /= 1000;
    bool has_point = power > 0 && fabs(x) < 999.95;
    (void)snprintf(ret, PEOPLE_TEXT_MAX, has_point ? "%#.4g%s" : "%.4g%s", x, suffix[power]);
}

static void people_number(double x, bool is_fraction, int decimals, char ret[static PEOPLE_TEXT_MAX])
{
    if (isnan(x))
        (void)snprintf(ret, PEOPLE_TEXT_MAX, "-");
    else if (is_fraction)
        percent(x, decimals, ret);
    else
        amount(x, ret);
}

/* All of it in every replica, which is no proof: "> 99.9993 %", rounded down to one digit that is not a nine. */
static void at_least(const struct summary_sample *sample, char ret_mean[static PEOPLE_TEXT_MAX],
                     char ret_half_width[static PEOPLE_TEXT_MAX])
{
    int decimals = (int)fmin(fmax(ceil(-log10(sample->ci95)) - 2, 0), 15);
    double step = pow(10, decimals), floored = floor(100 * (1 - sample->ci95) * step) / step;
    (void)snprintf(ret_mean, PEOPLE_TEXT_MAX, "> %.*f %%", decimals, floored);
    (void)snprintf(ret_half_width, PEOPLE_TEXT_MAX, "-");
}

void people_sample(const struct summary_sample *sample, bool is_fraction, char ret_mean[static PEOPLE_TEXT_MAX],
                   char ret_half_width[static PEOPLE_TEXT_MAX])
{
    int decimals = percent_decimals(sample->mean);
    people_number(sample->mean, is_fraction, decimals, ret_mean);
    people_number(sample->ci95, is_fraction, decimals, ret_half_width);
    if (is_fraction && sample->mean == 1 && sample->ci95 > 0)
        at_least(sample, ret_mean, ret_half_width);
}

void people_amount(enum run_metric metric, double amount, char ret[static PEOPLE_TEXT_MAX])
{
    char text[PEOPLE_TEXT_MAX];
    bool is_fraction = run_metric_info[metric].kind == RUN_METRIC_FRACTION;
    people_number(fabs(amount), is_fraction, percent_decimals(fabs(amount)), text);
    (void)snprintf(ret, PEOPLE_TEXT_MAX, "%s%.*s", amount < 0 ? "-" : "", PEOPLE_TEXT_MAX - 2, text);
}

void people_span(double seconds, char ret[static PEOPLE_TEXT_MAX])
{
    static const struct {
        double s;
        const char *name;
    } unit[] = {{31557600, "y"}, {86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    size_t i = 0;
    while (i + 1 < sizeof unit / sizeof *unit && seconds < unit[i].s)
        i++;
    (void)snprintf(ret, PEOPLE_TEXT_MAX, "%.3g %s", seconds / unit[i].s, unit[i].name);
}
