#include "sim/fsm.h"

#include "models/learner.h"
#include "models/slice.h"
#include "models/syncer.h"
#include "tests/rig.h"

/* a -go-> b -stop-> c -back-> a, and faults planted into it. */
static const struct sim_fsm_state states[] = {{"a", "first"}, {"b", "second"}, {"c", "third"}};
static const char *const events[] = {"go", "stop", "back"};
static const struct sim_fsm_edge sound[] = {{0, 0, 1}, {1, 1, 2}, {2, 2, 0}};

static struct sim_fsm machine(const struct sim_fsm_edge *edge, size_t edges)
{
    return (struct sim_fsm){
        .name = "m",
        .state = states,
        .states = 3,
        .event = events,
        .events = 3,
        .edge = edge,
        .edges = edges,
    };
}

START_TEST(a_sound_machine_passes)
{
    const struct sim_fsm fsm = machine(sound, 3);
    char why[200] = "untouched";
    ck_assert(sim_fsm_check(&fsm, why, sizeof why));
    ck_assert_str_eq(why, "untouched");
}
END_TEST

static const struct {
    struct sim_fsm_edge edge[5];
    size_t edges;
    const char *why;
} planted[] = {
    {{{0, 0, 1}, {1, 1, 2}, {2, 2, 0}, {0, 0, 2}}, 4, "m: edge 3 stands twice"},
    {{{0, 0, 1}, {1, 1, 2}, {2, 2, 0}, {2, 2, 0}}, 4, "m: edge 3 stands twice"},
    {{{0, 0, 1}, {1, 1, 0}, {2, 2, 0}}, 3, "m: state 'c' cannot be reached"},
    {{{0, 0, 1}, {1, 1, 0}, {2, 2, 1}, {2, 0, 0}}, 4, "m: state 'c' cannot be reached"},
    {{{0, 0, 1}, {1, 1, 2}, {1, 2, 0}}, 3, "m: state 'c' cannot be left"},
    {{{0, 0, 1}, {1, 1, 2}, {2, 2, 2}}, 3, "m: state 'c' cannot be left"}, /* only to itself */
    {{{0, 0, 1}, {1, 1, 2}, {2, 1, 0}}, 3, "m: event 'back' has no edge"},
    {{{0, 0, 1}, {1, 1, 3}, {2, 2, 0}}, 3, "m: edge 1 is not in the table"},
    {{{0, 0, 1}, {1, 3, 2}, {2, 2, 0}}, 3, "m: edge 1 is not in the table"},
    {{{3, 0, 1}, {1, 1, 2}, {2, 2, 0}}, 3, "m: edge 0 is not in the table"},
};

START_TEST(planted_faults_are_found)
{
    const struct sim_fsm fsm = machine(planted[_i].edge, planted[_i].edges);
    char why[200] = "";
    ck_assert(!sim_fsm_check(&fsm, why, sizeof why));
    ck_assert_str_eq(why, planted[_i].why);
}
END_TEST

static const struct sim_fsm *const real[] = {&slice_fsm, &learner_fsm, &syncer_fsm};

START_TEST(the_machines_of_the_models_are_sound)
{
    char why[200] = "";
    ck_assert_msg(sim_fsm_check(real[_i], why, sizeof why), "%s", why);
}
END_TEST

/* The two views of a machine say the same: as many entries in `next` as edges, each where an edge says. */
START_TEST(table_and_edges_agree)
{
    const struct sim_fsm *fsm = real[_i];
    size_t entries = 0;
    for (unsigned state = 0; state < fsm->states; state++)
        for (unsigned event = 0; event < fsm->events; event++)
            entries += sim_fsm_has_edge(fsm, state, event);
    ck_assert_uint_eq(entries, fsm->edges);
    for (size_t i = 0; i < fsm->edges; i++) {
        const struct sim_fsm_edge *edge = &fsm->edge[i];
        ck_assert(sim_fsm_has_edge(fsm, edge->from, edge->event));
        ck_assert_uint_eq(sim_fsm_next(fsm, NULL, edge->from, edge->event), edge->to);
    }
    ck_assert(!sim_fsm_has_edge(fsm, (unsigned)fsm->states, 0));
    ck_assert(!sim_fsm_has_edge(fsm, 0, (unsigned)fsm->events));
}
END_TEST

START_TEST(an_event_without_an_edge_stops)
{
    (void)sim_fsm_next(&slice_fsm, NULL, SLICE_ACTIVE, SLICE_MEND);
}
END_TEST

struct drawing {
    int lines, nodes, arrows, cut;
    char first[300], last[300];
};

static void on_line(void *context, const char *line)
{
    struct drawing *drawing = context;
    size_t length = strlen(line);
    if (drawing->lines++ == 0)
        (void)strcpy(drawing->first, line);
    (void)strcpy(drawing->last, line);
    drawing->arrows += strstr(line, " -> ") != NULL;
    drawing->nodes += strstr(line, "tooltip=") != NULL;
    drawing->cut += length == 0 || !strchr("{};", line[length - 1]) || strchr(line, '\n') != NULL;
}

START_TEST(the_drawing_has_every_state_and_edge)
{
    const struct sim_fsm *fsm = real[_i];
    struct drawing drawing = {0};
    sim_fsm_draw(fsm, on_line, &drawing);
    ck_assert_uint_eq((size_t)drawing.nodes, fsm->states);
    ck_assert_uint_eq((size_t)drawing.arrows, fsm->edges);
    ck_assert_int_eq(drawing.cut, 0);
    ck_assert_str_eq(drawing.last, "}");
    ck_assert_ptr_nonnull(strstr(drawing.first, fsm->name));
}
END_TEST

START_TEST(the_drawing_of_a_small_machine)
{
    const struct sim_fsm fsm = machine(sound, 1);
    struct drawing drawing = {0};
    sim_fsm_draw(&fsm, on_line, &drawing);
    ck_assert_str_eq(drawing.first, "digraph m {");
    ck_assert_int_eq(drawing.lines, 3 + 3 + 1 + 1);
}
END_TEST

static void on_document_line(void *context, const char *line)
{
    char *text = context;
    (void)strcat(strcat(text, line), "\n");
}

START_TEST(the_document_of_a_small_machine)
{
    const struct sim_fsm fsm = machine(sound, 2);
    char text[1000] = "";
    sim_fsm_document(&fsm, on_document_line, text);
    ck_assert_str_eq(text,
                     "| m is | which means |\n|---|---|\n| a | first |\n| b | second |\n| c | third |\n\n```mermaid\n"
                     "stateDiagram-v2\n    [*] --> a\n    a --> b : go\n    b --> c : stop\n```\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fsm");
    TCase *tcase = tcase_create("fsm");
    tcase_add_test(tcase, a_sound_machine_passes);
    tcase_add_loop_test(tcase, planted_faults_are_found, 0, sizeof planted / sizeof planted[0]);
    tcase_add_loop_test(tcase, the_machines_of_the_models_are_sound, 0, 3);
    tcase_add_loop_test(tcase, table_and_edges_agree, 0, 3);
    tcase_add_exit_test(tcase, an_event_without_an_edge_stops, 1);
    tcase_add_loop_test(tcase, the_drawing_has_every_state_and_edge, 0, 3);
    tcase_add_test(tcase, the_drawing_of_a_small_machine);
    tcase_add_test(tcase, the_document_of_a_small_machine);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
