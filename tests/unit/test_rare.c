/* What can be said of outages that were seldom or never seen, against tabled quantiles. */
#include <math.h>

#include "tests/rig.h"
#include "tools/faultline/metric.h"
#include "tools/faultline/rare.h"

#define DAY 86400.0

static struct record replica(double outages, double down_s)
{
    struct record record = {.is_filled = true, .status = RUN_DONE, .duration_s = 10 * DAY, .pause_s = 500};
    record.metric[RUN_METRIC_outages] = outages;
    record.metric[RUN_METRIC_uptime] = 1 - down_s / record.duration_s;
    record.metric[RUN_METRIC_interruptions] = 10;
    return record;
}

/* None in 30 days: the rule of three, -ln(0.05) = 2.995732; a pause is 50 s. */
START_TEST(none_seen)
{
    const struct record records[] = {replica(0, 0), replica(0, 0), replica(0, 0)};
    const struct rare rare = rare_of(records, 3);
    ck_assert_double_eq(rare.outages, 0);
    ck_assert_double_eq_tol(rare.gap_low_s, 30 * DAY / 2.995732273553991, 1e-6);
    ck_assert(isinf(rare.gap_high_s));
    ck_assert_double_eq_tol(rare.length_s, 50, 1e-9);
    ck_assert_double_eq_tol(rare.downtime, 2.995732273553991 * 50 / (30 * DAY), 1e-12);
    const struct summary_sample uptime = metric_sample(records, 3, RUN_METRIC_uptime);
    ck_assert_double_eq(uptime.mean, 1);
    ck_assert_double_eq_tol(uptime.ci95, rare.downtime, 1e-15);
}
END_TEST

/* Two in 20 days, of 30 s: the mean of a Poisson count of 2 is between 0.242209 and 7.224688 (Garwood). */
START_TEST(two_seen)
{
    const struct record records[] = {replica(2, 60), replica(0, 0)};
    const struct rare rare = rare_of(records, 2);
    ck_assert_double_eq_tol(rare.gap_low_s, 20 * DAY / 7.224688, 1);
    ck_assert_double_eq_tol(rare.gap_high_s, 20 * DAY / 0.242209, 20);
    ck_assert_double_eq_tol(rare.length_s, 30, 1e-6);
}
END_TEST

/* Where nothing ever stopped a learner nobody knows how long a pause is; a replica that got stuck does not count. */
START_TEST(nothing_to_go_by)
{
    struct record records[] = {replica(0, 0), replica(5, 100)};
    records[0].metric[RUN_METRIC_interruptions] = records[0].pause_s = 0;
    records[1].status = RUN_NO_PROGRESS;
    const struct rare rare = rare_of(records, 2);
    ck_assert_double_eq(rare.outages, 0);
    ck_assert_double_eq(rare.watched_s, 10 * DAY);
    ck_assert(isnan(rare.length_s) && isnan(rare.downtime));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rare");
    TCase *cases = tcase_create("rare");
    tcase_add_test(cases, none_seen);
    tcase_add_test(cases, two_seen);
    tcase_add_test(cases, nothing_to_go_by);
    suite_add_tcase(suite, cases);
    return rig_main(suite);
}
