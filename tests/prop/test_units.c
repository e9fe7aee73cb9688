/* Conservation: after every event of random worlds with crews, stages, spares, standby, loans, misdiagnosis and
 * retirement, each unit is in one state and each place has one unit (units_check), and the accounts sum with those of
 * the spares; the slow way gives the same. Units that vanish, double or sit idle while a place is vacant are noticed.
 */
#include "tests/chance.h"

enum { WORLDS = 1200, ROUNDS = 2 };

static struct world world;
static int64_t seen[UNIT_STATE_COUNT], loans, swaps, unmended;

/* active + spare + standby + in repair + waiting + retired + with the lender = places + spares + standby + loans */
static void check(const void *context)
{
    const struct world *w = context;
    int64_t total = 0;
    units_check(w);
    maintenance_check(w);
    for (int i = 0; i < UNIT_STATE_COUNT; i++) {
        total += w->units.in_state[i];
        seen[i] += w->units.in_state[i];
    }
    int64_t beside = w->config->spares + w->config->standby + w->config->loan_slices;
    ck_assert_int_eq(total, w->units.unit ? w->fleet.slices + beside : 0);
}

static void finish(const struct config *config)
{
    rig_finish(&world);
    sim_chip_time total = account_total(&world.spares.count.account);
    for (int64_t i = 0; i < config->learners; i++)
        total += account_total(&world.learner[i].count.account);
    ck_assert(total == (sim_chip_time)(config->chips + spares_chips(&world)) * config->duration_ns);
}

START_TEST(units_are_conserved)
{
    chance_state = (uint64_t)_i + 100;
    for (int i = 0; i < WORLDS; i++) {
        struct config config = chance_tiny_world();
        chance_units(&config, sim_time_seconds(config.step_time_ns));
        rig_open(&world, &config);
        world.sim.check = check;
        world.sim.check_context = &world;
        rig_shuffle(&world, (uint64_t)(i % 3));
        finish(&config);
        loans += world.spares.count.loans;
        swaps += world.spares.count.used;
        unmended += world.repair.count.unmended;
        world_fini(&world);
    }
    for (int i = 0; i < UNIT_STATE_COUNT; i++)
        ck_assert_int_gt(seen[i], 10000);
    ck_assert_int_gt(loans, 1000);
    ck_assert_int_gt(swaps, 1000);
    ck_assert_int_gt(unmended, 1000);
}
END_TEST

/* Invariant 6 with everything of repair. */
START_TEST(skipping_steps_changes_nothing)
{
    chance_state = 7;
    for (int i = 0; i < WORLDS; i++) {
        struct config config = chance_tiny_world();
        chance_units(&config, sim_time_seconds(config.step_time_ns));
        struct run_result skipped = rig_run(&config, 3, (uint32_t)i);
        config.every_step = true;
        struct run_result walked = rig_run(&config, 3, (uint32_t)i);
        ck_assert_mem_eq(skipped.metric, walked.metric, sizeof walked.metric);
        ck_assert_mem_eq(skipped.spare_bucket, walked.spare_bucket, sizeof walked.spare_bucket);
        for (int64_t k = 0; k < config.learners; k++)
            ck_assert_mem_eq(&skipped.learner[k], &walked.learner[k], sizeof walked.learner[k]);
        run_result_fini(&skipped);
        run_result_fini(&walked);
    }
}
END_TEST

static void on_note(void *context, const struct sim_address *address, uint64_t word)
{
    (void)address;
    (void)word;
    ++*(int64_t *)context;
}

/* Who notes the draws has them made one by one: each failure of a stream is an event, also one that hits nobody, and
 * each stage of repair. What is drawn ahead, passed over or gone through at once comes to the same. */
START_TEST(watching_draws_changes_nothing)
{
    int64_t noted = 0, lemons = 0;
    chance_state = 8;
    for (int i = 0; i < WORLDS; i++) {
        struct config config = chance_tiny_world();
        chance_units(&config, sim_time_seconds(config.step_time_ns));
        for (int k = 0; k < config.source_count; k++)
            lemons += config.source[k].lemon_share > 0 && config_has_units(&config);
        struct run_result plain = rig_run(&config, 3, (uint32_t)i), watched;
        const struct run_draws draws = {.context = &noted, .note = on_note};
        const struct run_request request = {.config = &config, .seed = 3, .replica = (uint32_t)i, .draws = &draws};
        run_replica(&request, &watched);
        ck_assert_mem_eq(plain.metric, watched.metric, sizeof watched.metric);
        ck_assert_mem_eq(plain.spare_bucket, watched.spare_bucket, sizeof watched.spare_bucket);
        for (int64_t k = 0; k < config.learners; k++)
            ck_assert_mem_eq(&plain.learner[k], &watched.learner[k], sizeof watched.learner[k]);
        run_result_fini(&plain);
        run_result_fini(&watched);
    }
    ck_assert_int_gt(noted, 100000);
    ck_assert_int_gt(lemons, 100);
}
END_TEST

/* A unit that is in two places at once, that is lost, or a spare that is kept from a vacant place stops the run. */
static void plant_doubled(void)
{
    world.units.of_place[1] = 0;
}

static void plant_lost(void)
{
    world.units.in_state[UNIT_PLACED]--;
}

static void plant_idle(void)
{
    world.units.unit[0].state = UNIT_SPARE;
    world.units.in_state[UNIT_PLACED]--;
    world.units.in_state[UNIT_SPARE]++;
}

static void (*const plant[])(void) = {plant_doubled, plant_lost, plant_idle};

START_TEST(what_is_not_conserved_stops_the_run)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    config.crews = 1;
    rig_open(&world, &config);
    units_check(&world);
    plant[_i]();
    units_check(&world);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("units");
    TCase *tcase = tcase_create("units");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, units_are_conserved, 0, ROUNDS);
    tcase_add_test(tcase, skipping_steps_changes_nothing);
    tcase_add_test(tcase, watching_draws_changes_nothing);
    tcase_add_loop_exit_test(tcase, what_is_not_conserved_stops_the_run, 1, 0, 3);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
