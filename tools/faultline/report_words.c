#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/faultline/html.h"
#include "tools/faultline/metric.h"
#include "tools/faultline/people.h"
#include "tools/faultline/report_internal.h"
#include "tools/faultline/value.h"

#define DAY_S 86400.0
#define RULE_OF_THREE 3.0 /* -ln(1 - 0.95): nothing seen in a time T is seen in less than 3 of T on average */

/* One number with its sentence. */
static void card_start(FILE *to, const char *number)
{
    (void)fputs("<li><b>", to);
    html_text(to, number);
    (void)fputs("</b><span>", to);
}

static void card_end(FILE *to, const char *interval)
{
    (void)fputs("</span>", to);
    if (interval[0] != '\0') {
        (void)fputs("<i>", to);
        html_text(to, interval);
        (void)fputs("</i>", to);
    }
    (void)fputs("</li>\n", to);
}

/* "95 % interval 97.22 % to 97.30 %" of a mean, inside what the metric can be; "" when there is none. */
static void write_interval(const struct summary_sample *sample, enum run_metric metric, size_t size, char ret[])
{
    char low[PEOPLE_TEXT_MAX], high[PEOPLE_TEXT_MAX];
    double top = run_metric_info[metric].kind == RUN_METRIC_FRACTION ? 1 : (double)INFINITY;
    ret[0] = '\0';
    if (isnan(sample->ci95))
        return;
    people_amount(metric, fmax(0, sample->mean - sample->ci95), low);
    people_amount(metric, sample->mean + sample->ci95, high);
    if (sample->mean + sample->ci95 < top)
        (void)snprintf(ret, size, "95 %% interval %s to %s", low, high);
    else
        (void)snprintf(ret, size, "95 %% interval %s and up", low);
}

static double simulated_s(const struct report_scenario *scenario)
{
    double sum = 0;
    for (size_t i = 0; i < scenario->records; i++)
        if (record_counts(&scenario->record[i]))
            sum += scenario->record[i].duration_s;
    return sum;
}

/* A span of time for a sentence: three digits. */
static void about(double seconds, char ret[static VALUE_TEXT_MAX])
{
    static const struct {
        double s;
        const char *name;
    } unit[] = {{365.25 * DAY_S, "years"}, {DAY_S, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "s"}};
    size_t i = 0;
    while (unit[i].s > 1 && seconds < 2 * unit[i].s)
        i++;
    (void)snprintf(ret, VALUE_TEXT_MAX, "%.3g %s", seconds / unit[i].s, unit[i].name);
}

static void goodput_card(FILE *to, const struct report_scenario *scenario)
{
    char number[PEOPLE_TEXT_MAX], interval[2 * VALUE_TEXT_MAX];
    struct summary_sample sample = metric_sample(scenario->record, scenario->records, RUN_METRIC_goodput);
    people_amount(RUN_METRIC_goodput, sample.mean, number);
    write_interval(&sample, RUN_METRIC_goodput, sizeof interval, interval);
    card_start(to, number);
    (void)fputs("<strong>goodput</strong>: of the chip-time of the fleet, this share was spent in steps that counted",
                to);
    card_end(to, interval);
}

static bool never_stood_still(const struct report_scenario *scenario)
{
    for (size_t i = 0; i < scenario->records; i++)
        if (record_counts(&scenario->record[i]) && scenario->record[i].metric[RUN_METRIC_uptime] < 1)
            return false;
    return true;
}

/* What was not seen is not impossible: the bound that the simulated time allows. */
static void no_standstill_card(FILE *to, const struct report_scenario *scenario)
{
    char seen[VALUE_TEXT_MAX], bound[VALUE_TEXT_MAX];
    double seconds = simulated_s(scenario);
    about(seconds, seen);
    about(seconds / RULE_OF_THREE, bound);
    card_start(to, "none seen");
    (void)fprintf(to,
                  "<strong>standstills</strong>: in %s of simulated time at least one learner was always stepping; "
                  "with 95 %% confidence there is less than one in %s, if they come at random",
                  seen, bound);
    card_end(to, "");
}

static void uptime_card(FILE *to, const struct report_scenario *scenario)
{
    char number[PEOPLE_TEXT_MAX], interval[2 * VALUE_TEXT_MAX], still[VALUE_TEXT_MAX];
    if (never_stood_still(scenario)) {
        no_standstill_card(to, scenario);
        return;
    }
    struct summary_sample sample = metric_sample(scenario->record, scenario->records, RUN_METRIC_uptime);
    people_amount(RUN_METRIC_uptime, sample.mean, number);
    write_interval(&sample, RUN_METRIC_uptime, sizeof interval, interval);
    about((1 - sample.mean) * DAY_S * 30, still);
    card_start(to, number);
    (void)fprintf(
        to,
        "<strong>uptime</strong>: for this share of the time at least one learner was stepping; training stood "
        "still for %s in 30 days",
        still);
    card_end(to, interval);
}

static void failures_card(FILE *to, const struct report_scenario *scenario)
{
    char number[PEOPLE_TEXT_MAX], interval[2 * VALUE_TEXT_MAX], gap[VALUE_TEXT_MAX];
    struct summary_sample sample = metric_sample(scenario->record, scenario->records, RUN_METRIC_failures);
    people_amount(RUN_METRIC_failures, sample.mean, number);
    write_interval(&sample, RUN_METRIC_failures, sizeof interval, interval);
    card_start(to, number);
    (void)fputs("<strong>failures</strong> of chips in service per replica", to);
    if (sample.mean > 0) {
        about(simulated_s(scenario) / (sample.mean * (double)sample.n), gap);
        (void)fprintf(to, ", one every %s", gap);
    }
    card_end(to, interval);
}

static void loss_card(FILE *to, const struct report_scenario *scenario)
{
    static const char *const meaning[] = {
#define BUCKET(name, meaning) meaning,
#include "models/bucket.def"
#undef BUCKET
    };
    char number[PEOPLE_TEXT_MAX], interval[2 * VALUE_TEXT_MAX];
    struct summary_sample most = {.mean = 0};
    size_t bucket = 0;
    for (size_t i = 0; i < RUN_BUCKET_COUNT; i++) {
        struct summary_sample share = metric_share(scenario->record, scenario->records, (enum run_bucket)i);
        if (i == RUN_BUCKET_useful || share.mean <= most.mean)
            continue;
        most = share;
        bucket = i;
    }
    if (most.mean <= 0)
        return;
    people_amount(RUN_METRIC_goodput, most.mean, number);
    write_interval(&most, RUN_METRIC_goodput, sizeof interval, interval);
    card_start(to, number);
    (void)fprintf(to, "of the chip-time, the largest loss, went into <strong>%s</strong>: %s", run_bucket_name[bucket],
                  meaning[bucket]);
    card_end(to, interval);
}

static void time_to_train_card(FILE *to, const struct report_scenario *scenario)
{
    char number[VALUE_TEXT_MAX], low[VALUE_TEXT_MAX], high[VALUE_TEXT_MAX], interval[3 * VALUE_TEXT_MAX] = "";
    struct summary_sample sample = metric_sample(scenario->record, scenario->records, RUN_METRIC_time_to_train_s);
    if (!isfinite(sample.mean))
        return;
    about(sample.mean, number);
    if (!isnan(sample.ci95)) {
        about(fmax(0, sample.mean - sample.ci95), low);
        about(sample.mean + sample.ci95, high);
        (void)snprintf(interval, sizeof interval, "95 %% interval %s to %s", low, high);
    }
    card_start(to, number);
    (void)fputs("<strong>time to train</strong>: simulated time until the work was done", to);
    card_end(to, interval);
}

static void words_of_one(FILE *to, const struct report_scenario *scenario)
{
    (void)fputs("<ul class=\"cards\">\n", to);
    time_to_train_card(to, scenario);
    goodput_card(to, scenario);
    uptime_card(to, scenario);
    loss_card(to, scenario);
    failures_card(to, scenario);
    (void)fputs("</ul>\n", to);
}

/* ------------------------------------------------------------------ of many */

struct extreme {
    const struct report_scenario *scenario;
    struct summary_sample sample;
};

/* The scenario with the largest mean (sign 1) or the smallest (sign -1) of a metric. */
static struct extreme find_extreme(const struct report *report, enum run_metric metric, double sign)
{
    struct extreme found = {NULL, {.mean = NAN}};
    for (size_t i = 0; i < report->scenarios; i++) {
        const struct report_scenario *scenario = &report->scenario[i];
        struct summary_sample sample = metric_sample(scenario->record, scenario->records, metric);
        if (isfinite(sample.mean) && (found.scenario == NULL || sign * sample.mean > sign * found.sample.mean))
            found = (struct extreme){scenario, sample};
    }
    return found;
}

static void extreme_card(FILE *to, const struct report *report, const char *what, enum run_metric metric, double sign)
{
    char number[VALUE_TEXT_MAX], interval[2 * VALUE_TEXT_MAX];
    struct extreme found = find_extreme(report, metric, sign);
    if (found.scenario == NULL)
        return;
    if (metric == RUN_METRIC_time_to_train_s)
        about(found.sample.mean, number);
    else
        people_amount(metric, found.sample.mean, number);
    write_interval(&found.sample, metric, sizeof interval, interval);
    card_start(to, number);
    (void)fprintf(to, "<strong>%s</strong>, with ", what);
    char *label = report_label(report, found.scenario, NULL);
    html_text(to, label);
    free(label);
    card_end(to, metric == RUN_METRIC_time_to_train_s ? "" : interval);
}

static void words_of_many(FILE *to, const struct report *report)
{
    (void)fputs("<ul class=\"cards\">\n", to);
    extreme_card(to, report, "shortest time to train", RUN_METRIC_time_to_train_s, -1);
    extreme_card(to, report, "highest goodput", RUN_METRIC_goodput, 1);
    extreme_card(to, report, "lowest goodput", RUN_METRIC_goodput, -1);
    extreme_card(to, report, "lowest uptime", RUN_METRIC_uptime, -1);
    (void)fputs("</ul>\n", to);
}

void report_words(FILE *to, const struct report *report)
{
    if (report->scenarios == 1)
        words_of_one(to, &report->scenario[0]);
    else
        words_of_many(to, report);
}
