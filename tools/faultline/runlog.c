#include "tools/faultline/runlog.h"

#include <stdlib.h>

#include "tools/faultline/alloc.h"

static bool has_room(struct runlog *log, size_t used)
{
    if (used < RUNLOG_ROWS_MAX)
        return true;
    if (!log->is_over && log->on_over != NULL)
        log->on_over();
    log->is_over = true;
    return false;
}

static void on_transition(void *context, const struct run_transition *transition)
{
    struct runlog *log = context;
    if (log->next != NULL && log->next->on_transition != NULL)
        log->next->on_transition(log->next->context, transition);
    if (!log->keeps_transitions || !has_room(log, log->transitions))
        return;
    log->transition = alloc_grown(log->transition, log->transitions, &log->transitions_capacity, sizeof *transition);
    log->transition[log->transitions++] = *transition;
}

static void on_round(void *context, const struct run_round *round)
{
    struct runlog *log = context;
    if (log->next != NULL && log->next->on_round != NULL)
        log->next->on_round(log->next->context, round);
    if (!log->keeps_rounds || !has_room(log, log->rounds))
        return;
    log->round = alloc_grown(log->round, log->rounds, &log->rounds_capacity, sizeof *round);
    log->round[log->rounds] = *round;
    log->round[log->rounds].claim = NULL; /* they live only during the call */
    log->round[log->rounds++].clock = NULL;
}

static void on_step(void *context, const struct run_step *step)
{
    const struct run_observer *next = ((const struct runlog *)context)->next;
    next->on_step(next->context, step);
}

static void on_update(void *context, const struct run_update *update)
{
    const struct run_observer *next = ((const struct runlog *)context)->next;
    next->on_update(next->context, update);
}

struct run_observer runlog_observer(struct runlog *log)
{
    bool has_next = log->next != NULL;
    return (struct run_observer){
        .context = log,
        .on_transition = log->keeps_transitions || has_next ? on_transition : NULL,
        .on_round = log->keeps_rounds || has_next ? on_round : NULL,
        .on_step = has_next && log->next->on_step != NULL ? on_step : NULL,
        .on_update = has_next && log->next->on_update != NULL ? on_update : NULL,
    };
}

void runlog_fini(struct runlog *log)
{
    free(log->transition);
    free(log->round);
    log->transition = NULL;
    log->round = NULL;
    log->transitions = log->transitions_capacity = 0;
    log->rounds = log->rounds_capacity = 0;
}
