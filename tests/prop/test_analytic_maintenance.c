/* Maintenance against theory, to the chip-nanosecond. N chips in k domains of c = N / k; each domain is worked on for L
 * in every period E, one R after the other. Steps, pauses and calendar lie on one grid, so that works begin and end
 * between two steps. Over whole periods the buckets of N E chip-time are then
 *
 *            away                          downscale     upscale   restart     useful
 *   elastic  k c L                         k (N - c) D   k N U     0           N E - k (c L + (N - c) D + N U)
 *   dp       k N (L - C), checkpoint k N C               0         k N (S + G) N E - k N (L + S + G)
 *
 * with downscale D, upscale U, restart S, restore G and a checkpoint of C < L, which a job with checkpoints writes
 * before it lets go. So the goodput of an elastic job is 1 - (L + k (D + U) - D) / E: what the domains are away for
 * does not depend on how many there are, the pauses do. A dp job, for which every domain is all, has 1 - k (L + S + G)
 * / E. */
#include "tests/rig.h"

enum { PERIODS = 5 };
static const sim_time step = 10;

struct plan {
    int64_t k;
    sim_time E, L, R;
};

static const struct plan plans[] = {{1, 5000, 300, 0}, {4, 5000, 300, 500}, {8, 5000, 100, 500}, {16, 5000, 200, 250}};
enum { PLANS = sizeof plans / sizeof plans[0] };

static struct config config_of(enum config_method method, const struct plan *plan)
{
    struct config config = rig_config(method);
    config.duration_ns = PERIODS * plan->E;
    config.step_time_ns = step;
    config.downscale_ns = 2 * step;
    config.upscale_ns = step;
    config.restart_ns = 3 * step;
    config.chips_per_slice = 2; /* 64 chips in 32 slices */
    struct config_source *source = &config.source[config.source_count++];
    *source = (struct config_source){.name = "patch",
                                     .kind = CONFIG_SOURCE_MAINTENANCE,
                                     .domain_chips = plan->k > 1 ? config.chips / plan->k : 0,
                                     .calendar_every_ns = plan->E,
                                     .calendar_from_ns = 10 * step,
                                     .calendar_lasts_ns = plan->L,
                                     .rolling_ns = plan->R};
    return config;
}

static int64_t bucket(const struct run_result *result, enum run_bucket bucket)
{
    return (int64_t)result->learner[0].bucket[bucket];
}

static void expect(const struct config *config, const int64_t theory[RUN_BUCKET_COUNT])
{
    struct config both[2] = {*config, *config};
    both[1].every_step = true;
    for (int i = 0; i < 2; i++) {
        struct run_result result = rig_run(&both[i], 1, 0);
        for (int b = 0; b < RUN_BUCKET_COUNT; b++)
            ck_assert_msg(bucket(&result, (enum run_bucket)b) == theory[b], "%s is %lld, theory %lld",
                          run_bucket_name[b], (long long)bucket(&result, (enum run_bucket)b), (long long)theory[b]);
        ck_assert_double_eq_tol(result.metric[RUN_METRIC_goodput],
                                (double)theory[RUN_BUCKET_useful] / (double)(config->chips * config->duration_ns),
                                1e-15);
        run_result_fini(&result);
    }
}

START_TEST(an_elastic_job_loses_what_is_away_and_its_pauses)
{
    const struct plan *p = &plans[_i];
    struct config config = config_of(CONFIG_ELASTIC_DP, p);
    int64_t N = config.chips, c = N / p->k, D = config.downscale_ns, U = config.upscale_ns, n = PERIODS * p->k;
    int64_t theory[RUN_BUCKET_COUNT] = {0};
    theory[RUN_BUCKET_away] = n * c * p->L;
    theory[RUN_BUCKET_downscale] = n * (N - c) * D;
    theory[RUN_BUCKET_upscale] = n * N * U;
    theory[RUN_BUCKET_useful] = PERIODS * N * p->E - n * (c * p->L + (N - c) * D + N * U);
    if (p->k == 1) { /* nobody is left to downscale */
        theory[RUN_BUCKET_downscale] = 0;
        theory[RUN_BUCKET_useful] = PERIODS * N * p->E - n * (N * p->L + N * U);
    }
    expect(&config, theory);
}
END_TEST

START_TEST(a_dp_job_loses_everything_of_every_domain)
{
    const struct plan *p = &plans[_i];
    struct config config = config_of(CONFIG_DP, p);
    int64_t N = config.chips, n = PERIODS * p->k, S = config.restart_ns, theory[RUN_BUCKET_COUNT] = {0};
    theory[RUN_BUCKET_away] = n * N * p->L;
    theory[RUN_BUCKET_restart] = n * N * S;
    theory[RUN_BUCKET_useful] = PERIODS * N * p->E - n * N * (p->L + S);
    expect(&config, theory);
}
END_TEST

START_TEST(a_dp_job_with_checkpoints_loses_no_work)
{
    const struct plan *p = &plans[_i];
    struct config config = config_of(CONFIG_DP, p);
    config.checkpoint_every_ns = 100 * p->E; /* no other than those */
    config.checkpoint_cost_ns = 4 * step;
    config.checkpoint_restore_ns = step;
    int64_t N = config.chips, n = PERIODS * p->k, C = config.checkpoint_cost_ns, theory[RUN_BUCKET_COUNT] = {0};
    theory[RUN_BUCKET_away] = n * N * (p->L - C);
    theory[RUN_BUCKET_checkpoint] = n * N * C;
    theory[RUN_BUCKET_restart] = n * N * (config.restart_ns + config.checkpoint_restore_ns);
    theory[RUN_BUCKET_useful] = PERIODS * N * p->E - n * N * (p->L + config.restart_ns + config.checkpoint_restore_ns);
    expect(&config, theory);
}
END_TEST

/* A share L / E of the chips is away of each of eight learners, too, whatever the number of domains. */
START_TEST(decoupled_learners_are_away_for_the_same_share)
{
    const struct plan *p = &plans[_i];
    struct config config = config_of(CONFIG_DECOUPLED_DILOCO, p);
    config.learners = 8;
    config.downscale_ns = config.upscale_ns = 0;
    config.recover_after = INT64_MAX;
    config.sync_overlap = 2;
    struct run_result result = rig_run(&config, 1, 0);
    int64_t away = 0;
    for (int64_t i = 0; i < config.learners; i++)
        away += (int64_t)result.learner[i].bucket[RUN_BUCKET_away];
    ck_assert_int_eq(away, PERIODS * config.chips * p->L);
    ck_assert_double_eq(result.metric[RUN_METRIC_maintenances], PERIODS * 32);
    run_result_fini(&result);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analytic_maintenance");
    TCase *tcase = tcase_create("analytic_maintenance");
    tcase_add_loop_test(tcase, an_elastic_job_loses_what_is_away_and_its_pauses, 0, PLANS);
    tcase_add_loop_test(tcase, a_dp_job_loses_everything_of_every_domain, 0, PLANS);
    tcase_add_loop_test(tcase, a_dp_job_with_checkpoints_loses_no_work, 0, PLANS);
    tcase_add_loop_test(tcase, decoupled_learners_are_away_for_the_same_share, 0, PLANS);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
