/* The share of the time in which nobody steps, if learners are independent, against products by hand. */
#include <math.h>

#include "tests/rig.h"
#include "tools/faultline/independent.h"

static struct config of_learners(int64_t learners)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.learners = learners;
    config.chips = 8 * learners;
    rig_add_source(&config, "chip", 1000, rig_exponential(10));
    return config;
}

/* Learner m of a replica of 100 s stood still for down[m] s. */
static struct record replica(struct record_learner learner[], const double down[], int64_t learners)
{
    for (int64_t m = 0; m < learners; m++)
        learner[m] = (struct record_learner){.stepping_s = 100 - down[m]};
    return (struct record){
        .is_filled = true, .status = RUN_DONE, .duration_s = 100, .learners = learners, .learner = learner};
}

/* Learners that differ: 0.1, 0.2, 0.5 over both replicas. All down: 0.01. Fewer than 2 of 3 step, two or three down:
 * 0.1 x 0.2 x 0.5 + 0.1 x 0.8 x 0.5 + 0.9 x 0.2 x 0.5 + 0.01 = 0.15. Alike, of the mean 4/15: its cube. */
START_TEST(products)
{
    struct config config = of_learners(3);
    struct record_learner learner[2][3];
    const double down[2][3] = {{5, 30, 40}, {15, 10, 60}};
    const struct record records[] = {replica(learner[0], down[0], 3), replica(learner[1], down[1], 3)};
    ck_assert_double_eq_tol(independent_of(&config, 1, records, 2).share, pow(4.0 / 15, 3), 1e-15);
    config.source[0].learner_count = 3;
    ck_assert_double_eq_tol(independent_of(&config, 1, records, 2).share, 0.01, 1e-15);
    ck_assert_double_eq_tol(independent_of(&config, 2, records, 2).share, 0.15, 1e-15);
    ck_assert_double_eq_tol(independent_of(&config, 3, records, 2).share, 1 - 0.9 * 0.8 * 0.5, 1e-15);
}
END_TEST

/* With two replicas of one learner the jackknife of the logarithm is half of |log(x1 / x2)|, which Student with one
 * degree of freedom multiplies by 12.7062. */
START_TEST(interval)
{
    struct config config = of_learners(1);
    struct record_learner learner[2][1];
    const double down[2] = {10, 20};
    const struct record records[] = {replica(learner[0], &down[0], 1), replica(learner[1], &down[1], 1)};
    struct independent of = independent_of(&config, 1, records, 2);
    ck_assert_double_eq_tol(of.share, 0.15, 1e-15);
    ck_assert_double_eq_tol(log(of.high / of.share), 12.7062 * 0.5 * log(2), 1e-3);
    ck_assert_double_eq_tol(of.low * of.high, of.share * of.share, 1e-12);
    ck_assert(isnan(independent_of(&config, 1, records, 1).low));
}
END_TEST

/* Nobody was ever seen standing still: nothing can be said. */
START_TEST(never_seen)
{
    struct config config = of_learners(2);
    struct record_learner learner[2][2];
    const double down[2] = {0, 0};
    const struct record records[] = {replica(learner[0], down, 2), replica(learner[1], down, 2)};
    ck_assert(isnan(independent_of(&config, 1, records, 2).share));
}
END_TEST

START_TEST(what_ties_learners_together)
{
    struct record_learner learner[2];
    const double down[2] = {1, 2};
    struct record record = replica(learner, down, 2);
    struct config config = of_learners(2);
    ck_assert_ptr_null(independent_objection(&config, &record, 1));
    record.metric[RUN_METRIC_recoveries] = 1;
    ck_assert_ptr_nonnull(independent_objection(&config, &record, 1));
    record.metric[RUN_METRIC_recoveries] = 0;
    config.quorum = 2;
    ck_assert_ptr_nonnull(independent_objection(&config, &record, 1));
    config.quorum = 1;
    config.crews = 1;
    ck_assert_ptr_nonnull(independent_objection(&config, &record, 1));
    config.crews = 0;
    config.spares = 1;
    ck_assert_ptr_nonnull(independent_objection(&config, &record, 1));
    config.spares = 0;
    config.source[0].timing = CONFIG_BY_LIFE;
    ck_assert_ptr_nonnull(independent_objection(&config, &record, 1));
    config.source[0].timing = 0;
    rig_add_domain(&config, "rack", 8, 1000, rig_exponential(10));
    ck_assert_ptr_nonnull(independent_objection(&config, &record, 1));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("independent");
    TCase *tests = tcase_create("independent");
    tcase_add_test(tests, products);
    tcase_add_test(tests, interval);
    tcase_add_test(tests, never_seen);
    tcase_add_test(tests, what_ties_learners_together);
    suite_add_tcase(suite, tests);
    return rig_main(suite);
}
