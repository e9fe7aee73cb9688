/* Tiny worlds: bytes choose the scenario, then failures, absences and outages by the nanosecond. After every instant
 * the parts of the world agree, every change of state is an edge of its table, and the scenario alone gives the same
 * twice, asleep or step by step. */
#include "tests/chance.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/small_run.h"
#include "tests/invariants.h"

enum { POKES_MAX = 24, END = 500 };

static struct world world;
static struct rig_failure failure[POKES_MAX];
static struct rig_absence absence[POKES_MAX];
static struct rig_outage outage[POKES_MAX];

static const struct sim_fsm *machine_of(const char *name)
{
    static const struct sim_fsm *const machines[] = {&slice_fsm, &learner_fsm, &syncer_fsm};
    for (int i = 0; i < 3; i++)
        if (strcmp(machines[i]->name, name) == 0)
            return machines[i];
    return NULL;
}

static bool is_edge(const struct sim_fsm *fsm, const struct sim_fsm_edge *edge, const struct run_transition *transition)
{
    return strcmp(fsm->state[edge->from].name, transition->from) == 0 &&
           strcmp(fsm->state[edge->to].name, transition->to) == 0 &&
           strcmp(fsm->event[edge->event], transition->cause) == 0;
}

static void on_transition(void *context, const struct run_transition *transition)
{
    const struct sim_fsm *fsm = machine_of(transition->machine);
    bool is_known = fsm == NULL; /* of what is no machine */
    for (size_t i = 0; !is_known && i < fsm->edges; i++)
        is_known = is_edge(fsm, &fsm->edge[i], transition);
    FUZZ_ASSERT(is_known);
    ++*(int *)context;
}

/* One thing that happens from outside, as the bytes say. */
static void poke(const struct config *config, int i)
{
    sim_time from = chance(256) * 2, length = chance(64);
    int64_t who = chance(256);
    switch (chance(4)) {
    case 0:
    case 1:
        failure[i] = (struct rig_failure){.time = from, .chip = who % config->chips, .delay = length};
        rig_schedule(&world, &failure[i]);
        break;
    case 2:
        absence[i] = (struct rig_absence){.from = from, .until = from + 1 + length, .learner = who % config->learners};
        rig_preempt(&world, &absence[i]);
        break;
    default:
        outage[i] = (struct rig_outage){.from = from, .until = from + 1 + length};
        if (config_has_syncer(config) && config_can_go_back(config))
            rig_break_syncer(&world, &outage[i]);
        break;
    }
}

static void run_disturbed(const struct config *config)
{
    int changes = 0;
    const struct run_observer observer = {.context = &changes, .on_transition = on_transition};
    rig_open(&world, config);
    world.observer = &observer;
    rig_step_by_step(&world);
    for (int i = 0; i < POKES_MAX && chance_byte < chance_end; i++)
        poke(config, i);
    for (sim_time next; (next = sim_next_time(&world.sim)) <= config->duration_ns;) {
        enum sim_outcome status = sim_run(&world.sim, next);
        FUZZ_ASSERT(status == SIM_REACHED_END);
        invariants_world(&world);
    }
    rig_finish(&world);
    world_fini(&world);
}

static void run_alike(struct config *config)
{
    struct run_result first, second;
    config->every_step = false;
    small_run(config, NULL, &first);
    config->every_step = true;
    small_run(config, NULL, &second);
    small_run_expect_same(&first, &second);
    run_result_fini(&second);
    config->every_step = false;
    small_run(config, NULL, &second);
    small_run_expect_same(&first, &second);
    run_result_fini(&first);
    run_result_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config_fault fault;
    chance_state = 1;
    chance_byte = data;
    chance_end = data + size;
    struct config config = chance_tiny_world();
    config.duration_ns = END;
    if (!config_check(&config, &fault))
        return 0;
    run_disturbed(&config);
    run_alike(&config);
    return 0;
}
