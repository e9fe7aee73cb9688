/* Every token ends up in one place: for each learner and fragment, what rounds merged, what updates overwrote and what
 * is open make what was processed, at every instant of random worlds. What a round says of its weights is computed a
 * second time from the ledger as it was. */
#include <math.h>

#include "tests/chance.h"

enum { LEARNERS_MAX = 8, FRAGMENTS_MAX = 8, WORLDS = 2500, ROUNDS_MAX = 4096 };

static struct world world;
static int number;
static int64_t rounds, merges, claims, voids;

/* What has been merged of a learner and fragment, and the chip-steps up to which. */
static struct shadow {
    sim_chip_time merged, until, overwritten;
    int64_t received; /* in round */
} shadow[LEARNERS_MAX][FRAGMENTS_MAX];

/* The same after so many rounds, to which a restart goes back. */
static struct shadow after[ROUNDS_MAX][LEARNERS_MAX][FRAGMENTS_MAX];
static int64_t restarts, rounds_undone;
static int64_t restarts_seen; /* in this world */

#define HOLDS(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ck_abort_msg("world %d, t = %lld: %s", number, (long long)world.sim.origin.now, #condition);               \
    } while (0)

static struct ledger_entry entry_of(int64_t learner, int64_t fragment)
{
    return ledger_entry(&world.syncer.ledger, learner, fragment);
}

struct sums {
    double weight, squares, tokens;
    int64_t staleness_max;
};

/* What the round may merge of a learner that it counts; adds it to the sums. */
static void add_claim(const struct run_round *round, int64_t index, struct sums *sums)
{
    const struct learner *learner = &world.learner[index];
    const struct ledger_entry entry = entry_of(index, round->fragment);
    struct shadow *s = &shadow[index][round->fragment];
    int64_t cycle = world.config->sync_every, steps = learner->total.steps - entry.received.steps;
    bool is_first = entry.round < 0 && round->round < cycle;
    int64_t staleness = is_first ? round->round : round->round - entry.round;
    if (staleness > cycle || steps == 0) {
        voids++;
        return;
    }
    int64_t chip_steps = (int64_t)(learner->total.chip_steps - entry.received.chip_steps);
    HOLDS((int64_t)entry.received.chip_steps >= s->until); /* nothing twice */
    s->merged += chip_steps;
    s->until = (int64_t)learner->total.chip_steps;
    double tokens = (double)chip_steps * world.config->tokens_per_step / (double)learner->chips;
    double weight = tokens * tokens / (double)steps;
    claims++;
    sums->tokens += tokens / (double)world.config->fragments;
    sums->weight += weight;
    sums->squares += weight * weight;
    sums->staleness_max = staleness > sums->staleness_max ? staleness : sums->staleness_max;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Everything went back to what it was when the snapshot was taken: what is merged since is not, what was overwritten
 * since the syncer recorded is counted anew. */
static void go_back(void)
{
    if (world.syncer.restarts == restarts_seen)
        return;
    restarts += world.syncer.restarts - restarts_seen;
    restarts_seen = world.syncer.restarts;
    rounds_undone += rounds - world.syncer.round;
    rounds = world.syncer.round;
    memcpy(shadow, after[rounds], sizeof shadow);
    for (int i = 0; i < LEARNERS_MAX * FRAGMENTS_MAX; i++) {
        shadow[i / FRAGMENTS_MAX][i % FRAGMENTS_MAX].overwritten = 0;
        shadow[i / FRAGMENTS_MAX][i % FRAGMENTS_MAX].received = -1;
    }
}

static void on_round(void *context, const struct run_round *round)
{
    (void)context;
    struct sums sums = {0};
    int64_t participants = 0;
    go_back();
    for (int64_t i = 0; i < world.config->learners; i++) {
        bool is_counted = learner_uncounted(&world.learner[i]) > 0;
        participants += is_counted;
        HOLDS(!is_counted || world.syncer.member[i].is_connected);
        if (is_counted && round->fragment >= 0)
            add_claim(round, i, &sums);
    }
    HOLDS(round->round == rounds);
    HOLDS(round->participants == participants && participants >= world.config->quorum);
    HOLDS(round->opened_ns <= round->quorum_ns && round->quorum_ns <= round->closed_ns);
    HOLDS(is_near(round->tokens, sums.tokens) && is_near(round->weight, sums.weight));
    HOLDS(is_near(round->effective_learners * sums.squares, sums.weight * sums.weight));
    HOLDS(round->staleness_max == sums.staleness_max && sums.staleness_max <= world.config->sync_every);
    rounds++;
    merges += round->fragment >= 0;
    HOLDS(rounds < ROUNDS_MAX);
    memcpy(after[rounds], shadow, sizeof shadow);
}

static const struct run_observer observer = {.on_round = on_round};

/* What is neither merged nor open has been overwritten: never less than before, and in all what the learner counted. */
static void check_learner(int64_t index)
{
    const struct learner *learner = &world.learner[index];
    sim_chip_time overwritten = 0;
    for (int64_t p = 0; p < world.config->fragments; p++) {
        struct shadow *s = &shadow[index][p];
        sim_chip_time open = ledger_open(&world.syncer.ledger, index, p, &learner->total);
        sim_chip_time rest = (sim_chip_time)learner->total.chip_steps - s->merged - open;
        HOLDS(open >= 0 && rest >= s->overwritten);
        HOLDS(entry_of(index, p).round <= world.syncer.flights.landed[index] &&
              entry_of(index, p).round >= s->received);
        s->received = entry_of(index, p).round;
        s->overwritten = rest;
        overwritten += rest;
    }
    HOLDS(overwritten == learner->count.overwritten);
}

static void check_world(void)
{
    go_back();
    for (int64_t i = 0; i < world.config->learners; i++)
        check_learner(i);
    HOLDS(world.syncer.flights.count <= world.syncer.flights.max);
}

static void walk(const struct config *config)
{
    memset(shadow, 0, sizeof shadow);
    for (int i = 0; i < LEARNERS_MAX * FRAGMENTS_MAX; i++)
        shadow[i / FRAGMENTS_MAX][i % FRAGMENTS_MAX].received = -1;
    memcpy(after[0], shadow, sizeof shadow);
    restarts_seen = 0;
    rounds = 0;
    rig_open(&world, config);
    rig_watch(&world, &observer);
    rig_shuffle(&world, (uint64_t)(number % 3));
    for (sim_time next; (next = sim_next_time(&world.sim)) <= config->duration_ns;) {
        HOLDS(sim_run(&world.sim, next) == SIM_REACHED_END);
        check_world();
    }
    double tokens = fleet_tokens(&world.fleet, config->tokens_per_step, world.syncer.count.merged.chip_steps) /
                    (double)config->fragments;
    double processed = 0;
    for (int64_t i = 0; i < config->learners; i++)
        processed += learner_tokens(&world.learner[i], (sim_chip_time)world.learner[i].total.chip_steps);
    HOLDS(tokens <= processed * (1 + 1e-9));
    world_fini(&world);
}

START_TEST(every_token_is_in_one_place)
{
    chance_state = (uint64_t)_i;
    for (number = 0; number < WORLDS; number++) {
        struct config config = chance_tiny_world();
        if (config_has_syncer(&config))
            walk(&config);
    }
    ck_assert_int_gt(merges, 50000);
    ck_assert_int_gt(claims, 50000);
    ck_assert_int_gt(voids, 1000);
    ck_assert_int_gt(restarts, 500);
    ck_assert_int_gt(rounds_undone, 5000);
}
END_TEST

/* Learners that never pause, K = M, no network: the fragment of a round takes in all that was trained since its last
 * turn. What is merged is everything but what is open: no token is lost. */
START_TEST(lock_step_loses_no_token)
{
    struct config config = rig_config(CONFIG_STREAMING_DILOCO);
    config.learners = config.quorum = 4;
    config.sync_overlap = 0;
    config.step_jitter = 0.1;
    rig_open(&world, &config);
    rig_finish(&world);
    for (int64_t i = 0; i < config.learners; i++)
        ck_assert_int_eq((int64_t)world.learner[i].count.overwritten, 0);
    ck_assert_double_eq_tol(merge_mean_effective_learners(&world.syncer.count.merged), 4, 1e-9);
    ck_assert_int_eq((int64_t)world.syncer.count.merged.claims, 4 * world.syncer.count.rounds);
    world_fini(&world);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("conservation");
    TCase *tcase = tcase_create("conservation");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, every_token_is_in_one_place, 0, 2);
    tcase_add_test(tcase, lock_step_loses_no_token);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
