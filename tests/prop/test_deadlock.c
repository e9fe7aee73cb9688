/* Nobody waits for ever: every quorum, every number of fragments, every tau, with failures in the first part of the run. When
 * everything has come back, every learner must be stepping at the pace that the slowest allows. */
#include "tests/rig.h"

enum { STEP = 100, END = 20000, QUIET = 12000 };

static struct world world;

static uint64_t state;

static int64_t draw(int64_t below)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (int64_t)((state >> 33) % (uint64_t)below);
}

static struct config waiting(int64_t learners, int64_t quorum, int64_t cycle, int64_t fragments, int64_t overlap)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.duration_ns = END;
    config.learners = learners;
    config.chips = 3 * learners;
    config.chips_per_slice = 1 + draw(3);
    config.step_time_ns = STEP;
    config.downscale_ns = draw(60);
    config.upscale_ns = draw(60);
    config.noticed = (enum config_noticed)draw(CONFIG_NOTICED_COUNT);
    config.overlap = (enum config_overlap)draw(CONFIG_OVERLAP_COUNT);
    config.both = (enum config_both)draw(CONFIG_BOTH_COUNT);
    config.min_share = draw(3) ? 0 : 0.6;
    config.grace = (enum config_grace)draw(CONFIG_GRACE_COUNT);
    config.speed_spread = draw(2) ? 0.2 : 0;
    config.step_jitter = draw(2) ? 0.1 : 0;
    config.quorum = quorum;
    config.sync_every = cycle;
    config.fragments = fragments;
    config.sync_overlap = overlap;
    return config;
}

/* In the quiet part everyone takes most of the steps that the slowest could: 8000 / 100 at half the speed at least. */
static void expect_progress(const struct config *config)
{
    int64_t before[8];
    if (sim_run(&world.sim, QUIET) != SIM_REACHED_END)
        ck_abort_msg("stalled");
    for (int64_t i = 0; i < config->learners; i++)
        before[i] = world.learner[i].total.steps;
    int64_t rounds = world.syncer.round;
    rig_finish(&world);
    bool moves = world.syncer.round - rounds > (END - QUIET) / STEP / 3;
    for (int64_t i = 0; i < config->learners; i++)
        moves = moves && world.learner[i].total.steps - before[i] > (END - QUIET) / STEP / 3;
    if (!moves)
        ck_abort_msg("M %lld, K %lld, H %lld, P %lld, tau %lld: somebody waits for ever", (long long)config->learners,
                     (long long)config->quorum, (long long)config->sync_every, (long long)config->fragments,
                     (long long)config->sync_overlap);
}

static void attempt(const struct config *config)
{
    enum { FAILURES = 40 };
    static struct rig_failure failure[FAILURES];
    rig_open(&world, config);
    for (int i = 0; i < FAILURES; i++) {
        failure[i] = (struct rig_failure){.time = draw(10000), .chip = draw(config->chips), .delay = draw(1500)};
        rig_schedule(&world, &failure[i]);
    }
    expect_progress(config);
    world_fini(&world);
}

/* _i is M - 1. */
START_TEST(steps_go_on)
{
    state = (uint64_t)_i;
    for (int64_t quorum = 1; quorum <= _i + 1; quorum++)
        for (int64_t cycle = 1; cycle <= 5; cycle++)
            for (int64_t fragments = 1; fragments <= cycle; fragments++)
                for (int64_t overlap = 0; overlap < cycle; overlap++)
                    for (int again = 0; again < 6; again++) {
                        struct config config = waiting(_i + 1, quorum, cycle, fragments, overlap);
                        attempt(&config);
                    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("deadlock");
    TCase *tcase = tcase_create("deadlock");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, steps_go_on, 0, 5);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
