/* State machines as tables: a table made of bytes is checked, drawn and compared with what its list of edges says; the
 * tables of the models are walked by events of bytes. */
#include "models/learner_internal.h"
#include "models/world.h"
#include "sim/fsm.h"
#include "tests/fuzz/fuzz.h"

enum { STATES_MAX = 8, EVENTS_MAX = 8, EDGES_MAX = 40 };

static const char *const name[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

struct machine {
    struct sim_fsm_state state[STATES_MAX];
    struct sim_fsm_edge edge[EDGES_MAX];
    uint8_t next[STATES_MAX * EVENTS_MAX];
    struct sim_fsm fsm;
};

/* Where the edges lead, from the list alone; *ret_twice when two begin alike. */
static int target_of(const struct sim_fsm *fsm, unsigned state, unsigned event, bool *ret_twice)
{
    int target = -1;
    for (size_t i = 0; i < fsm->edges; i++)
        if (fsm->edge[i].from == state && fsm->edge[i].event == event) {
            *ret_twice = *ret_twice || target >= 0;
            target = fsm->edge[i].to;
        }
    return target;
}

static void make(struct machine *machine, struct fuzz_bytes *bytes)
{
    struct sim_fsm *fsm = &machine->fsm;
    *machine = (struct machine){.fsm = {.name = "fuzz", .state = machine->state, .event = name, .edge = machine->edge}};
    fsm->states = 1 + fuzz_byte(bytes) % STATES_MAX;
    fsm->events = 1 + fuzz_byte(bytes) % EVENTS_MAX;
    for (size_t i = 0; i < fsm->states; i++)
        machine->state[i] = (struct sim_fsm_state){name[i], "a meaning"};
    while (bytes->at + 3 <= bytes->end && fsm->edges < EDGES_MAX)
        machine->edge[fsm->edges++] =
            (struct sim_fsm_edge){(uint8_t)(fuzz_byte(bytes) % fsm->states), (uint8_t)(fuzz_byte(bytes) % fsm->events),
                                  (uint8_t)(fuzz_byte(bytes) % fsm->states)};
    for (size_t i = 0; i < fsm->edges; i++) {
        const struct sim_fsm_edge *edge = &machine->edge[i];
        machine->next[edge->from * fsm->events + edge->event] = (uint8_t)(edge->to + 1);
    }
    fsm->next = machine->next;
}

/* States that can be reached from the first. */
static unsigned reachable(const struct sim_fsm *fsm)
{
    unsigned seen = 1, before = 0;
    while (seen != before) {
        before = seen;
        for (size_t i = 0; i < fsm->edges; i++)
            if (seen >> fsm->edge[i].from & 1)
                seen |= 1U << fsm->edge[i].to;
    }
    return seen;
}

/* By the definition of sim_fsm_check, the slow way. */
static bool is_sound(const struct sim_fsm *fsm)
{
    bool is_twice = false;
    unsigned left = 0, used = 0;
    for (unsigned state = 0; state < fsm->states; state++)
        for (unsigned event = 0; event < fsm->events; event++) {
            int target = target_of(fsm, state, event, &is_twice);
            FUZZ_ASSERT(sim_fsm_has_edge(fsm, state, event) == (target >= 0));
            left |= (unsigned)(target >= 0 && target != (int)state) << state;
            used |= (unsigned)(target >= 0) << event;
        }
    unsigned states = (1U << fsm->states) - 1, events = (1U << fsm->events) - 1;
    return !is_twice && reachable(fsm) == states && left == states && used == events;
}

static void on_line(void *context, const char *line)
{
    *(size_t *)context += strlen(line) + 1;
}

static void try_table(struct fuzz_bytes *bytes)
{
    static struct machine machine;
    char why[200] = "";
    size_t length = 0;
    make(&machine, bytes);
    bool passes = sim_fsm_check(&machine.fsm, why, sizeof why), is_good = is_sound(&machine.fsm);
    FUZZ_ASSERT(passes == is_good && passes == (why[0] == '\0'));
    sim_fsm_draw(&machine.fsm, on_line, &length);
    sim_fsm_document(&machine.fsm, on_line, &length);
    FUZZ_ASSERT(length > 0);
}

static void walk(struct fuzz_bytes *bytes)
{
    static const struct sim_fsm *const machines[] = {&slice_fsm, &learner_fsm, &syncer_fsm};
    const struct sim_fsm *fsm = machines[fuzz_byte(bytes) % 3];
    unsigned state = 0;
    while (bytes->at < bytes->end) {
        unsigned event = fuzz_byte(bytes) % (unsigned)fsm->events;
        bool is_twice = false;
        int target = target_of(fsm, state, event, &is_twice);
        FUZZ_ASSERT(!is_twice && sim_fsm_has_edge(fsm, state, event) == (target >= 0));
        if (target < 0)
            continue;
        state = sim_fsm_next(fsm, NULL, state, event);
        FUZZ_ASSERT((int)state == target && state < fsm->states);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, data + size};
    if (fuzz_byte(&bytes) % 2 == 0)
        try_table(&bytes);
    else
        walk(&bytes);
    return 0;
}
