/* Nobody waits for ever: every quorum, every number of fragments, every tau, with failures and absences in the first
 * part of the run, links of any speed. When everything has come back, every learner must be stepping at the pace that
 * the slowest and the links allow. */
#include "tests/chance.h"

enum { STEP = 100, QUIET = 12000, END = 20000 };

static struct world world;
static int64_t recoveries;

static int64_t draw(int64_t below)
{
    return chance(below);
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
    config.recover_after = draw(2) ? draw(8) : 1000;
    if (draw(3) == 0)
        chance_classes(&config);
    return config;
}

/* A fragment takes no time, a share of a step, a few steps, or more than a cycle of them. */
static sim_time draw_transfer(const struct config *config)
{
    switch (draw(4)) {
    case 0:
        return 0;
    case 1:
        return 1 + draw(STEP);
    case 2:
        return 1 + draw(3 * STEP);
    default:
        return (config->sync_every + 1) * STEP;
    }
}

/* Equal fragments, so that the state takes 3 P times as long. The quiet part begins when the last copy is surely there.
 */
static sim_time add_network(struct config *config)
{
    sim_time transfer = draw_transfer(config), copy = 3 * config->fragments * transfer;
    if (transfer > 0) {
        config->parameters = config->tensor_count = (int)config->fragments;
        for (int64_t p = 0; p < config->fragments; p++)
            config->tensor[p] = 1;
        config->bits = 1;
        config->datacentres = 2;
        config->link_bits_per_s = 1e9 / (double)transfer;
    }
    if (transfer > 0 && draw(2)) { /* nobody is slower than `transfer` says */
        config->link[config->link_count++] = (struct config_link){
            .learner_count = 1, .learner = {(int32_t)draw(config->learners)}, .bits_per_s = 3e9 / (double)transfer};
    }
    config->duration_ns += 2 * copy + 40 * transfer;
    return transfer;
}

/* In the quiet part everyone takes at least a third of the steps that the slowest could, each with a transfer before it
 * and one in front of that. */
static void expect_progress(const struct config *config, sim_time transfer)
{
    int64_t before[8], span = END - QUIET, least = span / (STEP + transfer) / 4;
    if (sim_run(&world.sim, config->duration_ns - span) != SIM_REACHED_END)
        ck_abort_msg("stalled");
    for (int64_t i = 0; i < config->learners; i++)
        before[i] = world.learner[i].total.steps;
    int64_t rounds = world.syncer.round;
    rig_finish(&world);
    bool moves = world.syncer.round - rounds >= least;
    for (int64_t i = 0; i < config->learners; i++)
        moves = moves && world.learner[i].total.steps - before[i] >= least;
    if (!moves)
        ck_abort_msg("M %lld, K %lld, H %lld, P %lld, tau %lld, transfer %lld: somebody waits for ever",
                     (long long)config->learners, (long long)config->quorum, (long long)config->sync_every,
                     (long long)config->fragments, (long long)config->sync_overlap, (long long)transfer);
}

static void attempt(struct config *config)
{
    enum { FAILURES = 30, ABSENCES = 6 };
    static struct rig_failure failure[FAILURES];
    static struct rig_absence absence[ABSENCES];
    sim_time transfer = add_network(config), from = 0;
    rig_open(&world, config);
    for (int i = 0; i < FAILURES; i++) {
        failure[i] = (struct rig_failure){.time = draw(10000), .chip = draw(config->chips), .delay = draw(1500)};
        rig_schedule(&world, &failure[i]);
    }
    for (int i = 0; i < ABSENCES && draw(8); i++) {
        from = draw(3) ? draw(10000) : from;
        absence[i] = (struct rig_absence){.from = from, .until = from + draw(1500), .learner = draw(config->learners)};
        rig_preempt(&world, &absence[i]);
    }
    expect_progress(config, transfer);
    for (int64_t i = 0; i < config->learners; i++)
        recoveries += world.learner[i].count.recoveries;
    world_fini(&world);
}

/* _i is M - 1. */
START_TEST(steps_go_on)
{
    chance_state = (uint64_t)_i;
    for (int64_t quorum = 1; quorum <= _i + 1; quorum++)
        for (int64_t cycle = 1; cycle <= 5; cycle++)
            for (int64_t fragments = 1; fragments <= cycle; fragments++)
                for (int64_t overlap = 0; overlap < cycle; overlap++)
                    for (int again = 0; again < 6; again++) {
                        struct config config = waiting(_i + 1, quorum, cycle, fragments, overlap);
                        attempt(&config);
                    }
    ck_assert_int_gt(recoveries, _i > 0 ? 200 : -1);
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
