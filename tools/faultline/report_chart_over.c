#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/html.h"
#include "tools/faultline/metric.h"
#include "tools/faultline/people.h"
#include "tools/faultline/report_axis.h"
#include "tools/faultline/report_internal.h"
#include "tools/faultline/value.h"

enum { WIDTH = 480, HEIGHT = 300, LEFT = 58, RIGHT = 468, TOP = 10, BOTTOM = 252, LABEL_GAP = 46 };

/* A scenario in the figure. */
struct point {
    const struct report_param *x;
    struct summary_sample y;
    size_t series;
};

struct chart {
    const struct report *report;
    enum run_metric metric;
    const char *key; /* of the x axis */
    struct point *point;
    size_t points;
    char *label[REPORT_SERIES_MAX];
    size_t series;
    size_t left_out; /* scenarios of further series */
    struct report_axis x, y;
};

/* ------------------------------------------------------------------ what is drawn */

/* The numbers that a key has, sorted, with strings of the scenarios; the caller frees it. */
static struct report_param *numbers_of(const struct report *report, const char *key, size_t *ret_count)
{
    struct report_param *value = sim_allocate(report->scenarios, sizeof *value);
    *ret_count = 0;
    for (size_t i = 0; i < report->scenarios; i++) {
        const struct report_param *param = report_param(&report->scenario[i], key);
        if (param != NULL && isfinite(param->number))
            value[(*ret_count)++] = *param;
    }
    qsort(value, *ret_count, sizeof *value, report_param_order);
    return value;
}

static size_t distinct_numbers(const struct report *report, const char *key)
{
    size_t count, distinct = 0;
    struct report_param *value = numbers_of(report, key, &count);
    for (size_t i = 0; i < count; i++)
        distinct += i == 0 || value[i].number > value[i - 1].number;
    free(value);
    return distinct;
}

/* The key with the most numbers; NULL when none has two. */
static const char *axis_key(const struct report *report)
{
    const char *key = NULL;
    size_t most = 1;
    for (size_t i = 0; i < report->varieds; i++) {
        size_t distinct = distinct_numbers(report, report->varied[i]);
        if (distinct <= most)
            continue;
        most = distinct;
        key = report->varied[i];
    }
    return key;
}

/* The series of a scenario by what else tells it apart; REPORT_SERIES_MAX when there is no room for another. */
static size_t series_of(struct chart *chart, const struct report_scenario *scenario)
{
    char *label = report_label(chart->report, scenario, chart->key);
    size_t i = 0;
    while (i < chart->series && strcmp(chart->label[i], label) != 0)
        i++;
    if (i == chart->series && i < REPORT_SERIES_MAX)
        chart->label[chart->series++] = label;
    else
        free(label);
    return i;
}

static int by_series_and_x(const void *a, const void *b)
{
    const struct point *left = a, *right = b;
    if (left->series != right->series)
        return left->series < right->series ? -1 : 1;
    return report_param_order(left->x, right->x);
}

static void collect(struct chart *chart)
{
    const struct report *report = chart->report;
    chart->point = sim_allocate(report->scenarios, sizeof *chart->point);
    for (size_t i = 0; i < report->scenarios; i++) {
        const struct report_scenario *scenario = &report->scenario[i];
        struct point point = {.x = report_param(scenario, chart->key),
                              .y = metric_sample(scenario->record, scenario->records, chart->metric)};
        if (point.x == NULL || !isfinite(point.x->number) || !isfinite(point.y.mean))
            continue;
        point.series = series_of(chart, scenario);
        if (point.series < REPORT_SERIES_MAX)
            chart->point[chart->points++] = point;
        else
            chart->left_out++;
    }
    qsort(chart->point, chart->points, sizeof *chart->point, by_series_and_x);
}

static double half_width(const struct point *point)
{
    return isnan(point->y.ci95) ? 0 : point->y.ci95;
}

/* The axes around all points; false when there is nothing to see. */
static bool lay_out(struct chart *chart)
{
    bool is_fraction = run_metric_info[chart->metric].kind == RUN_METRIC_FRACTION;
    double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY}, mean[2] = {INFINITY, -INFINITY};
    for (size_t i = 0; i < chart->points; i++) {
        const struct point *point = &chart->point[i];
        x[0] = fmin(x[0], point->x->number);
        x[1] = fmax(x[1], point->x->number);
        y[0] = fmin(y[0], fmax(0, point->y.mean - half_width(point)));
        y[1] = fmax(y[1], fmin(is_fraction ? 1 : (double)INFINITY, point->y.mean + half_width(point)));
        mean[0] = fmin(mean[0], point->y.mean);
        mean[1] = fmax(mean[1], point->y.mean);
    }
    if (!(x[1] > x[0]) || !(mean[1] > mean[0]))
        return false;
    chart->x = report_axis_over(x[0], x[1], LEFT + 12, RIGHT - 12, true);
    chart->y = report_axis_over(y[0], y[1], BOTTOM, TOP, false);
    return true;
}

/* ------------------------------------------------------------------ drawing */

static void write_amount(const struct chart *chart, double amount, double step, char ret[static VALUE_TEXT_MAX])
{
    char text[PEOPLE_TEXT_MAX];
    if (run_metric_info[chart->metric].kind == RUN_METRIC_FRACTION) {
        int decimals = (int)fmax(0, ceil(-log10(100 * step) - 1e-9));
        (void)snprintf(ret, VALUE_TEXT_MAX, "%.*f %%", decimals, 100 * amount);
    } else if (chart->metric == RUN_METRIC_time_to_train_s) {
        value_about_seconds(amount, ret);
    } else {
        people_amount(chart->metric, amount, text);
        (void)snprintf(ret, VALUE_TEXT_MAX, "%s", text);
    }
}

static void text_at(FILE *to, double x, double y, const char *anchor, const char *text)
{
    (void)fprintf(to, "<text class=\"pale\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    html_text(to, text);
    (void)fputs("</text>\n", to);
}

static void draw_y(FILE *to, struct chart *chart)
{
    double tick[REPORT_TICKS_MAX], step;
    char text[VALUE_TEXT_MAX];
    size_t ticks = report_axis_ticks(&chart->y, tick, &step);
    for (size_t i = 0; i < ticks; i++) {
        double y = report_axis_place(&chart->y, tick[i]);
        (void)fprintf(to, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, y, RIGHT);
        write_amount(chart, tick[i], step, text);
        text_at(to, LEFT - 6, y + 4, "end", text);
    }
}

/* The values that were simulated, as they were written; those without room are left out. */
static void draw_x(FILE *to, const struct chart *chart)
{
    size_t count;
    struct report_param *value = numbers_of(chart->report, chart->key, &count);
    double last = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        double x = report_axis_place(&chart->x, value[i].number);
        if (x < last + LABEL_GAP || x < LEFT || x > RIGHT)
            continue;
        text_at(to, x, BOTTOM + 20, "middle", value[i].text);
        last = x;
    }
    free(value);
    text_at(to, (LEFT + RIGHT) / 2.0, BOTTOM + 42, "middle", chart->key);
}

static void draw_point(FILE *to, const struct chart *chart, const struct point *point)
{
    char mean[PEOPLE_TEXT_MAX], interval[PEOPLE_TEXT_MAX];
    double x = report_axis_place(&chart->x, point->x->number), y = report_axis_place(&chart->y, point->y.mean);
    if (half_width(point) > 0)
        (void)fprintf(to, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"var(--s%zu)\" stroke-width=\"2\"/>\n", x,
                      report_axis_place(&chart->y, fmax(chart->y.low, point->y.mean - half_width(point))),
                      report_axis_place(&chart->y, fmin(chart->y.high, point->y.mean + half_width(point))),
                      point->series);
    people_sample(&point->y, run_metric_info[chart->metric].kind == RUN_METRIC_FRACTION, mean, interval);
    (void)fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"var(--s%zu)\"><title>", x, y, point->series);
    html_text(to, point->x->text);
    (void)fprintf(to, ": %s ± %s</title></circle>\n", mean, interval);
}

static void draw_series(FILE *to, const struct chart *chart, size_t first, size_t end)
{
    (void)fprintf(to, "<path fill=\"none\" stroke=\"var(--s%zu)\" stroke-width=\"2\" d=\"", chart->point[first].series);
    for (size_t i = first; i < end; i++)
        (void)fprintf(to, "%c%.1f %.1f", i == first ? 'M' : 'L',
                      report_axis_place(&chart->x, chart->point[i].x->number),
                      report_axis_place(&chart->y, chart->point[i].y.mean));
    (void)fputs("\"/>\n", to);
    for (size_t i = first; i < end; i++)
        draw_point(to, chart, &chart->point[i]);
}

static void draw_legend(FILE *to, const struct chart *chart)
{
    (void)fputs("<ul class=\"legend\">", to);
    for (size_t i = 0; i < chart->series; i++) {
        (void)fprintf(to, "<li><i style=\"background:var(--s%zu)\"></i>", i);
        html_text(to, chart->label[i]);
        (void)fputs("</li>", to);
    }
    (void)fputs("</ul>\n", to);
}

static void draw(FILE *to, struct chart *chart)
{
    const char *name = run_metric_info[chart->metric].name;
    (void)fprintf(to, "<figure><figcaption>%s over ", name);
    html_text(to, chart->key);
    (void)fprintf(to, "<small>%s; mean of the replicas, vertical lines: 95 %% interval</small></figcaption>\n",
                  run_metric_info[chart->metric].meaning);
    if (chart->series > 1)
        draw_legend(to, chart);
    (void)fprintf(to, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s over ", WIDTH, HEIGHT, name);
    html_text(to, chart->key);
    (void)fputs("\">\n", to);
    draw_y(to, chart);
    draw_x(to, chart);
    for (size_t first = 0, end = 0; first < chart->points; first = end) {
        while (end < chart->points && chart->point[end].series == chart->point[first].series)
            end++;
        draw_series(to, chart, first, end);
    }
    (void)fputs("</svg></figure>\n", to);
    if (chart->left_out > 0)
        (void)fprintf(to, "<p class=\"note\">%zu scenarios are not drawn: %d lines are what can be told apart.</p>\n",
                      chart->left_out, REPORT_SERIES_MAX);
}

void report_chart_over(FILE *to, const struct report *report, enum run_metric metric)
{
    struct chart chart = {.report = report, .metric = metric, .key = axis_key(report)};
    if (chart.key == NULL)
        return;
    collect(&chart);
    if (lay_out(&chart))
        draw(to, &chart);
    for (size_t i = 0; i < chart.series; i++)
        free(chart.label[i]);
    free(chart.point);
}
