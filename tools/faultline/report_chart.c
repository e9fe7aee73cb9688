#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/html.h"
#include "tools/faultline/metric.h"
#include "tools/faultline/people.h"
#include "tools/faultline/report_axis.h"
#include "tools/faultline/report_internal.h"

enum { WIDTH = 480, DOTS_MAX = 500, ROW = 26, BAR = 14, LABEL_WIDTH = 104, VALUE_WIDTH = 150 };

static void figure_start(FILE *to, const char *title, const char *what)
{
    (void)fprintf(to, "<figure><figcaption>%s<small>%s</small></figcaption>\n", title, what);
}

static void svg_start(FILE *to, const char *about, double height)
{
    (void)fprintf(to, "<svg viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"%s\">\n", WIDTH, height, about);
}

static void figure_end(FILE *to)
{
    (void)fputs("</svg></figure>\n", to);
}

static void text_at(FILE *to, double x, double y, const char *anchor, const char *class, const char *text)
{
    (void)fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s%s%s>", x, y, anchor,
                  class[0] != '\0' ? " class=\"" : "", class, class[0] != '\0' ? "\"" : "");
    html_text(to, text);
    (void)fputs("</text>\n", to);
}

static struct summary_sample share_of(const struct report_scenario *scenario, size_t bucket)
{
    return metric_share(scenario->record, scenario->records, (enum run_bucket)bucket);
}

/* ------------------------------------------------------------------ the replicas of one scenario */

static size_t values_of(const struct report_scenario *scenario, enum run_metric metric, double ret[])
{
    size_t count = 0;
    for (size_t i = 0; i < scenario->records && count < DOTS_MAX; i++)
        if (record_counts(&scenario->record[i]))
            ret[count++] = scenario->record[i].metric[metric];
    return count;
}

/* Marks of shares below the dots. */
static void draw_share_ticks(FILE *to, struct report_axis *axis, double top, double bottom)
{
    double tick[REPORT_TICKS_MAX], step;
    char text[PEOPLE_TEXT_MAX];
    size_t ticks = report_axis_ticks(axis, tick, &step);
    int decimals = (int)fmax(0, ceil(-log10(100 * step) - 1e-9));
    for (size_t i = 0; i < ticks; i++) {
        double x = report_axis_place(axis, tick[i]);
        (void)fprintf(to, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>\n", x, top, bottom);
        (void)snprintf(text, sizeof text, "%.*f %%", decimals, 100 * tick[i]);
        text_at(to, x, bottom + 18, "middle", "pale", text);
    }
}

void report_chart_replicas(FILE *to, const struct report_scenario *scenario)
{
    double value[DOTS_MAX], low = INFINITY, high = -INFINITY;
    size_t count = values_of(scenario, RUN_METRIC_goodput, value);
    struct summary_sample sample = metric_sample(scenario->record, scenario->records, RUN_METRIC_goodput);
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, value[i]);
        high = fmax(high, value[i]);
    }
    if (count < 2 || !(high > low))
        return;
    figure_start(to, "How much do the replicas differ?",
                 "goodput of each replica; the line is their mean, the band its 95 % interval");
    svg_start(to, "goodput of each replica", 96);
    struct report_axis axis = report_axis_over(low, high, 30, WIDTH - 30, false);
    draw_share_ticks(to, &axis, 4, 72);
    double left = report_axis_place(&axis, fmax(axis.low, sample.mean - sample.ci95));
    double right = report_axis_place(&axis, fmin(axis.high, sample.mean + sample.ci95));
    (void)fprintf(to,
                  "<rect x=\"%.1f\" y=\"4\" width=\"%.1f\" height=\"68\" fill=\"var(--s0)\" opacity=\".18\"/>\n"
                  "<path d=\"M%.1f 4V72\" stroke=\"var(--s0)\" stroke-width=\"2\"/>\n",
                  left, right - left, report_axis_place(&axis, sample.mean));
    for (size_t i = 0; i < count; i++)
        (void)fprintf(to, "<circle cx=\"%.1f\" cy=\"%zu\" r=\"4\" fill=\"var(--s0)\" opacity=\".6\"/>\n",
                      report_axis_place(&axis, value[i]), 14 + 12 * (i * 3 % 5));
    figure_end(to);
}

/* ------------------------------------------------------------------ where the chip-time went */

/* Buckets but useful that took anything, the largest first; returns how many. */
static size_t order_losses(const struct report_scenario *scenario, size_t ret[static RUN_BUCKET_COUNT])
{
    size_t count = 0;
    for (size_t i = 0; i < RUN_BUCKET_COUNT; i++) {
        double mean = share_of(scenario, i).mean;
        if (i == RUN_BUCKET_useful || !(mean > 0))
            continue;
        size_t at = count++;
        for (; at > 0 && share_of(scenario, ret[at - 1]).mean < mean; at--)
            ret[at] = ret[at - 1];
        ret[at] = i;
    }
    return count;
}

static void draw_loss(FILE *to, const struct report_scenario *scenario, size_t bucket, double y, double scale)
{
    char mean[PEOPLE_TEXT_MAX], half_width[PEOPLE_TEXT_MAX], text[2 * PEOPLE_TEXT_MAX + 8];
    struct summary_sample share = share_of(scenario, bucket);
    people_sample(&share, true, mean, half_width);
    (void)snprintf(text, sizeof text, isnan(share.ci95) ? "%s" : "%s ± %s", mean, half_width);
    text_at(to, LABEL_WIDTH - 8, y + BAR - 3, "end", "", run_bucket_name[bucket]);
    (void)fprintf(to, "<rect x=\"%d\" y=\"%.0f\" width=\"%.1f\" height=\"%d\" rx=\"2\" fill=\"var(--%s)\"/>\n",
                  LABEL_WIDTH, y, fmax(1, share.mean * scale), BAR, run_bucket_name[bucket]);
    text_at(to, LABEL_WIDTH + fmax(1, share.mean * scale) + 6, y + BAR - 3, "start", "pale", text);
}

void report_chart_losses(FILE *to, const struct report_scenario *scenario)
{
    size_t order[RUN_BUCKET_COUNT];
    char useful[PEOPLE_TEXT_MAX], what[PEOPLE_TEXT_MAX + 80];
    size_t count = order_losses(scenario, order);
    if (count == 0)
        return;
    people_amount(RUN_METRIC_goodput, share_of(scenario, RUN_BUCKET_useful).mean, useful);
    (void)snprintf(what, sizeof what, "shares of all chip-time, spares included; useful were %s", useful);
    figure_start(to, "Where did the rest of the chip-time go?", what);
    svg_start(to, "chip-time that was not useful, by what it went into", (double)count * ROW + 2);
    double scale = (WIDTH - LABEL_WIDTH - VALUE_WIDTH) / share_of(scenario, order[0]).mean;
    for (size_t i = 0; i < count; i++)
        draw_loss(to, scenario, order[i], (double)i * ROW + 4, scale);
    figure_end(to);
}

/* ------------------------------------------------------------------ the same of many */

static double lost(const struct report_scenario *scenario)
{
    return report_counted(scenario) == 0 ? 0 : 1 - share_of(scenario, RUN_BUCKET_useful).mean;
}

static void draw_legend(FILE *to, const struct report *report)
{
    (void)fputs("<ul class=\"legend\">", to);
    for (size_t bucket = 0; bucket < RUN_BUCKET_COUNT; bucket++) {
        bool is_there = false;
        for (size_t i = 0; i < report->scenarios && i < REPORT_BARS_MAX && !is_there; i++)
            is_there = share_of(&report->scenario[i], bucket).mean > 0;
        if (is_there && bucket != RUN_BUCKET_useful)
            (void)fprintf(to, "<li><i style=\"background:var(--%s)\"></i>%s</li>", run_bucket_name[bucket],
                          run_bucket_name[bucket]);
    }
    (void)fputs("</ul>\n", to);
}

/* The losses of a scenario side by side under its label. */
static void draw_account(FILE *to, const struct report *report, const struct report_scenario *scenario, double y,
                         double scale)
{
    char useful[PEOPLE_TEXT_MAX], text[PEOPLE_TEXT_MAX + 16];
    double x = 0;
    char *label = report_label(report, scenario, NULL);
    text_at(to, 0, y + 12, "start", "", label);
    free(label);
    if (report_counted(scenario) == 0)
        return;
    for (size_t bucket = 0; bucket < RUN_BUCKET_COUNT; bucket++) {
        double width = bucket == RUN_BUCKET_useful ? 0 : share_of(scenario, bucket).mean * scale;
        if (width > 0)
            (void)fprintf(to, "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"var(--%s)\"/>\n", x,
                          y + 18, width, BAR, run_bucket_name[bucket]);
        x += width;
    }
    people_amount(RUN_METRIC_goodput, share_of(scenario, RUN_BUCKET_useful).mean, useful);
    (void)snprintf(text, sizeof text, "%s useful", useful);
    text_at(to, x + 6, y + 18 + BAR - 3, "start", "pale", text);
}

void report_chart_accounts(FILE *to, const struct report *report)
{
    enum { HEIGHT = 44 };
    double most = 0;
    size_t count = report->scenarios < REPORT_BARS_MAX ? report->scenarios : REPORT_BARS_MAX;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, lost(&report->scenario[i]));
    if (!(most > 0))
        return;
    figure_start(to, "Where did the chip-time go that was not useful?",
                 "shares of all chip-time, spares included, means of the replicas");
    draw_legend(to, report);
    svg_start(to, "chip-time that was not useful, of each scenario", (double)count * HEIGHT);
    for (size_t i = 0; i < count; i++)
        draw_account(to, report, &report->scenario[i], (double)i * HEIGHT, (WIDTH - VALUE_WIDTH) / most);
    figure_end(to);
    if (count < report->scenarios)
        (void)fprintf(to, "<p class=\"note\">The first %zu of %zu scenarios.</p>\n", count, report->scenarios);
}
