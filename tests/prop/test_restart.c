/* A run that goes back to a snapshot and meets no further failure closes the rounds after it like a run that never
 * failed: the same fragments, participants, weights, tokens and staleness, the same time apart. Learners of different
 * speeds under strict barriers (overlap 0, K = M), or equal ones under any quorum, grace and overlap: then nobody is in
 * the middle of a step when the others begin one, and reading a snapshot shifts all by the same time. */
#include <math.h>

#include "tests/chance.h"

enum { WORLDS = 1500, ROUNDS_MAX = 512 };

static struct world world;

struct log {
    int64_t rounds;  /* that stand */
    int64_t back_to; /* the first after the restart */
    struct run_round round[ROUNDS_MAX];
};

static struct log undisturbed, restored;

static void on_round(void *context, const struct run_round *round)
{
    struct log *log = context;
    ck_assert_int_lt(round->round, ROUNDS_MAX);
    if (round->restarts > 0 && log->back_to < 0)
        log->back_to = round->round;
    log->rounds = round->round + 1;
    log->round[round->round] = *round;
}

static struct config draw_config(void)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    bool has_barriers = chance(2);
    config.duration_ns = 2000;
    config.learners = 1 + chance(5);
    config.chips = config.learners * 4;
    config.chips_per_slice = 2;
    config.step_time_ns = 5 + chance(10);
    config.sync_every = 1 + chance(6);
    config.fragments = 1 + chance(config.sync_every);
    config.speed_spread = has_barriers ? 0.3 : 0;
    config.sync_overlap = has_barriers ? 0 : chance(config.sync_every < 3 ? config.sync_every : 3);
    config.quorum = has_barriers ? config.learners : 1 + chance(config.learners);
    config.grace = (enum config_grace)chance(CONFIG_GRACE_COUNT);
    config.checkpoint_every_ns = 1;
    config.checkpoint_every_rounds = 1 + chance(9);
    config.checkpoint_cost_ns = chance(30);
    config.checkpoint_restore_ns = chance(30);
    config.checkpoint_mode = CONFIG_BACKGROUND;
    rig_add_outage(&config, "syncer", 1e9, rig_constant(0));
    return config;
}

static void run(const struct config *config, struct log *log, struct rig_outage *outage)
{
    struct run_observer observer = {.context = log, .on_round = on_round};
    *log = (struct log){.back_to = -1};
    const struct run_request request = {.config = config, .seed = 1, .observer = &observer};
    world_init(&world, &request);
    if (outage)
        rig_break_syncer(&world, outage);
    rig_finish(&world);
}

#define SAME(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ck_abort_msg("world %d, round %lld: %s", number, (long long)i, #condition);                                \
    } while (0)

static void compare(int number, int64_t from)
{
    sim_time shift = restored.round[from].closed_ns - undisturbed.round[from].closed_ns;
    for (int64_t i = from; i < restored.rounds; i++) {
        const struct run_round *a = &undisturbed.round[i], *b = &restored.round[i];
        SAME(a->fragment == b->fragment && a->participants == b->participants);
        SAME(a->weight == b->weight && a->tokens == b->tokens && a->effective_learners == b->effective_learners);
        SAME(a->staleness_max == b->staleness_max);
        SAME(b->closed_ns - a->closed_ns == shift && b->restarts == 1);
    }
}

START_TEST(a_restored_run_goes_on_like_the_original)
{
    int64_t from_snapshots = 0, compared = 0;
    chance_state = (uint64_t)_i;
    for (int number = 0; number < WORLDS; number++) {
        struct config config = draw_config();
        sim_time from = 1 + chance(1200);
        struct rig_outage outage = {.from = from, .until = from + chance(60)};
        run(&config, &undisturbed, NULL);
        int64_t all = world.learner[0].total.steps;
        world_fini(&world);
        run(&config, &restored, &outage);
        int64_t back_to = restored.back_to, kept = world.learner[0].count.steps;
        ck_assert_int_eq(kept, world.learner[0].total.steps);
        ck_assert_int_le(kept, all);
        world_fini(&world);
        from_snapshots += back_to > 0;
        compared += restored.rounds - back_to;
        ck_assert_int_ge(back_to, 0);
        compare(number, back_to);
    }
    ck_assert_int_gt(from_snapshots, WORLDS * 3 / 4);
    ck_assert_int_gt(compared, WORLDS * 20);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("restart");
    TCase *tcase = tcase_create("restart");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, a_restored_run_goes_on_like_the_original, 0, 2);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
