#include "sim/fsm.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool sim_fsm_has_edge(const struct sim_fsm *fsm, unsigned state, unsigned event)
{
    return state < fsm->states && event < fsm->events && fsm->next[state * fsm->events + event] != 0;
}

static _Noreturn void fail_without_edge(const struct sim_fsm *fsm, const struct sim_origin *origin, unsigned state,
                                        unsigned event)
{
    char what[256];
    (void)snprintf(what, sizeof what, "%s: '%s' has an edge in '%s'", fsm->name,
                   event < fsm->events ? fsm->event[event] : "?", state < fsm->states ? fsm->state[state].name : "?");
    sim_assert_failed(origin, what, __FILE__, __LINE__);
}

unsigned sim_fsm_next(const struct sim_fsm *fsm, const struct sim_origin *origin, unsigned state, unsigned event)
{
    if (!sim_fsm_has_edge(fsm, state, event))
        fail_without_edge(fsm, origin, state, event);
    return fsm->next[state * fsm->events + event] - 1U;
}

/* Marks what can be reached from the initial state. */
static void mark_reachable(const struct sim_fsm *fsm, bool reached[static SIM_FSM_STATES_MAX])
{
    reached[0] = true;
    for (size_t pass = 0; pass < fsm->states; pass++)
        for (size_t i = 0; i < fsm->edges; i++)
            if (reached[fsm->edge[i].from])
                reached[fsm->edge[i].to] = true;
}

static bool has_twin(const struct sim_fsm *fsm, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (fsm->edge[j].from == fsm->edge[i].from && fsm->edge[j].event == fsm->edge[i].event)
            return true;
    return false;
}

/* Notes who can be left and what is used; false at an edge that stands twice or leads nowhere. */
static bool walk_edges(const struct sim_fsm *fsm, bool *left, bool *used, char *ret_why, size_t size)
{
    for (size_t i = 0; i < fsm->edges; i++) {
        const struct sim_fsm_edge *edge = &fsm->edge[i];
        bool in_table = edge->from < fsm->states && edge->to < fsm->states && edge->event < fsm->events;
        if (!in_table || has_twin(fsm, i)) {
            (void)snprintf(ret_why, size, "%s: edge %zu %s", fsm->name, i,
                           in_table ? "stands twice" : "is not in the table");
            return false;
        }
        left[edge->from] = left[edge->from] || edge->to != edge->from;
        used[edge->event] = true;
    }
    return true;
}

bool sim_fsm_check(const struct sim_fsm *fsm, char *ret_why, size_t size)
{
    bool reached[SIM_FSM_STATES_MAX] = {false}, left[SIM_FSM_STATES_MAX] = {false}, used[SIM_FSM_EVENTS_MAX] = {false};
    if (!walk_edges(fsm, left, used, ret_why, size))
        return false;
    mark_reachable(fsm, reached);
    for (size_t i = 0; i < fsm->states; i++)
        if (!reached[i] || !left[i]) {
            (void)snprintf(ret_why, size, "%s: state '%s' cannot be %s", fsm->name, fsm->state[i].name,
                           reached[i] ? "left" : "reached");
            return false;
        }
    for (size_t i = 0; i < fsm->events; i++)
        if (!used[i]) {
            (void)snprintf(ret_why, size, "%s: event '%s' has no edge", fsm->name, fsm->event[i]);
            return false;
        }
    return true;
}

struct page {
    sim_fsm_writer *write_line;
    void *context;
};

__attribute__((format(printf, 2, 3))) static void write_text(const struct page *page, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    page->write_line(page->context, line);
}

void sim_fsm_draw(const struct sim_fsm *fsm, sim_fsm_writer *write_line, void *context)
{
    const struct page page = {write_line, context};
    write_text(&page, "digraph %s {", fsm->name);
    write_text(&page, "    node [shape=box, style=rounded, fontname=\"sans-serif\"];");
    write_text(&page, "    edge [fontname=\"sans-serif\", fontsize=10];");
    for (size_t i = 0; i < fsm->states; i++)
        write_text(&page, "    \"%s\" [tooltip=\"%s\"%s];", fsm->state[i].name, fsm->state[i].meaning,
                   i == 0 ? ", penwidth=2" : "");
    for (size_t i = 0; i < fsm->edges; i++)
        write_text(&page, "    \"%s\" -> \"%s\" [label=\"%s\"];", fsm->state[fsm->edge[i].from].name,
                   fsm->state[fsm->edge[i].to].name, fsm->event[fsm->edge[i].event]);
    write_text(&page, "}");
}

void sim_fsm_document(const struct sim_fsm *fsm, sim_fsm_writer *write_line, void *context)
{
    const struct page page = {write_line, context};
    write_text(&page, "| %s is | which means |", fsm->name);
    write_text(&page, "|---|---|");
    for (size_t i = 0; i < fsm->states; i++)
        write_text(&page, "| %s | %s |", fsm->state[i].name, fsm->state[i].meaning);
    write_text(&page, "%s", "");
    write_text(&page, "```mermaid");
    write_text(&page, "stateDiagram-v2");
    write_text(&page, "    [*] --> %s", fsm->state[0].name);
    for (size_t i = 0; i < fsm->edges; i++)
        write_text(&page, "    %s --> %s : %s", fsm->state[fsm->edge[i].from].name, fsm->state[fsm->edge[i].to].name,
                   fsm->event[fsm->edge[i].event]);
    write_text(&page, "```");
}
