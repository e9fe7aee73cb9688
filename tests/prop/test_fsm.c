/* The machines of the models under random events: the tables alone, and in whole worlds, where after every instant the
 * parts must agree with each other, and where every edge of every table must have been taken by somebody. */
#include "models/learner_internal.h"
#include "tests/chance.h"
#include "tests/invariants.h"

static const struct sim_fsm *const machine[] = {&slice_fsm, &learner_fsm, &syncer_fsm};
enum { MACHINES = 3 };

/* A random walk stays in the table, comes everywhere and back to the start. */
START_TEST(a_random_walk_never_leaves_the_table)
{
    const struct sim_fsm *fsm = machine[_i];
    int visits[SIM_FSM_STATES_MAX] = {0};
    unsigned at = 0;
    chance_state = 5;
    for (int i = 0; i < 100000; i++) {
        unsigned event = (unsigned)chance((int64_t)fsm->events);
        if (!sim_fsm_has_edge(fsm, at, event))
            continue;
        at = sim_fsm_next(fsm, NULL, at, event);
        ck_assert_uint_lt(at, fsm->states);
        visits[at]++;
    }
    for (size_t i = 0; i < fsm->states; i++)
        ck_assert_int_gt(visits[i], 100);
}
END_TEST

static struct world world;
static bool taken[MACHINES][SIM_FSM_STATES_MAX][SIM_FSM_EVENTS_MAX];

static unsigned state_by_name(const struct sim_fsm *fsm, const char *name)
{
    for (unsigned i = 0; i < fsm->states; i++)
        if (strcmp(fsm->state[i].name, name) == 0)
            return i;
    ck_abort_msg("no state '%s'", name);
}

static unsigned event_by_name(const struct sim_fsm *fsm, const char *name)
{
    for (unsigned i = 0; i < fsm->events; i++)
        if (strcmp(fsm->event[i], name) == 0)
            return i;
    ck_abort_msg("no event '%s'", name);
}

static void on_transition(void *context, const struct run_transition *transition)
{
    (void)context;
    for (int i = 0; i < MACHINES; i++) {
        const struct sim_fsm *fsm = machine[i];
        if (strcmp(fsm->name, transition->machine) != 0)
            continue;
        unsigned from = state_by_name(fsm, transition->from), event = event_by_name(fsm, transition->cause);
        ck_assert_uint_eq(sim_fsm_next(fsm, NULL, from, event), state_by_name(fsm, transition->to));
        taken[i][from][event] = true;
        /* whose report every round needs does not wait for one */
        ck_assert(strcmp(transition->to, "recovering") != 0 || world.config->quorum < world.config->learners);
    }
}

static const struct run_observer observer = {.on_transition = on_transition};

/* Instant by instant to the end. */
static void walk(const struct config *config, uint64_t shuffle)
{
    rig_open(&world, config);
    rig_watch(&world, &observer);
    rig_shuffle(&world, shuffle);
    for (;;) {
        sim_time next = sim_next_time(&world.sim);
        if (next > config->duration_ns)
            break;
        ck_assert(sim_run(&world.sim, next) == SIM_REACHED_END);
        invariants_world(&world);
    }
    rig_finish(&world);
    world_fini(&world);
}

static void expect_all_taken(void)
{
    for (int i = 0; i < MACHINES; i++)
        for (size_t e = 0; e < machine[i]->edges; e++) {
            const struct sim_fsm_edge *edge = &machine[i]->edge[e];
            ck_assert_msg(taken[i][edge->from][edge->event], "%s: nobody took '%s' in '%s'", machine[i]->name,
                          machine[i]->event[edge->event], machine[i]->state[edge->from].name);
        }
}

START_TEST(the_parts_agree_after_every_instant_and_no_edge_is_idle)
{
    chance_state = 12 + (uint64_t)_i;
    for (int i = 0; i < 9000; i++) {
        struct config config = chance_tiny_world();
        walk(&config, (uint64_t)(i % 3));
    }
    expect_all_taken();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fsm");
    TCase *tcase = tcase_create("fsm");
    tcase_set_timeout(tcase, 290);
    tcase_add_loop_test(tcase, a_random_walk_never_leaves_the_table, 0, MACHINES);
    tcase_add_loop_test(tcase, the_parts_agree_after_every_instant_and_no_edge_is_idle, 0, 2);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
