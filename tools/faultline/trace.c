#include "tools/faultline/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/command.h"
#include "tools/faultline/draft.h"
#include "tools/faultline/output.h"

/* The groups of the timeline, and how they are called. */
enum track { TRACK_LEARNER, TRACK_SLICE, TRACK_SYNCER, TRACK_COUNT };
static const char *const track_name[TRACK_COUNT] = {"learners", "slices out of their learner", "syncer"};
static const char *const track_machine[TRACK_COUNT] = {"learner", "slice", "syncer"};

/* The state that a machine is in and has not left yet. */
struct open_state {
    const char *state; /* NULL: it has not changed since the start */
    const char *cause;
    sim_time since;
};

struct machines {
    struct open_state *open; /* by number */
    size_t count, capacity;
};

struct trace {
    struct draft draft;
    char *about; /* JSON of what was simulated */
    int64_t events;
    sim_time cut_ns; /* -1: not cut */
    struct machines machines[TRACK_COUNT];
    struct run_observer observer;
};

/* ------------------------------------------------------------------ events */

/* True when there is room for `count` events more; the first time that there is not, the trace is cut. */
static bool has_room(struct trace *trace, sim_time at, int64_t count)
{
    if (trace->cut_ns < 0 && trace->events + count > TRACE_EVENTS_MAX)
        trace->cut_ns = at;
    return trace->cut_ns < 0;
}

static void start_event(struct trace *trace)
{
    (void)fputs(trace->events++ == 0 ? "\n" : ",\n", trace->draft.to);
}

static void write_time(FILE *to, const char *name, sim_time t)
{
    (void)fprintf(to, "\"%s\":%" PRId64 ".%03" PRId64, name, t / 1000, t % 1000);
}

static void write_name(struct trace *trace, const char *what, int track, int64_t thread, const char *name)
{
    if (!has_room(trace, 0, 1))
        return;
    start_event(trace);
    (void)fprintf(trace->draft.to,
                  "{\"ph\":\"M\",\"pid\":%d,\"tid\":%" PRId64 ",\"name\":\"%s\",\"args\":{\"name\":", track + 1, thread,
                  what);
    output_json(trace->draft.to, name);
    (void)fputs("}}", trace->draft.to);
}

/* A state from when it was entered until `end`. */
static void write_state(struct trace *trace, enum track track, int64_t id, const struct open_state *open, sim_time end)
{
    FILE *to = trace->draft.to;
    if (end <= open->since || !has_room(trace, open->since, 1))
        return;
    start_event(trace);
    (void)fprintf(to, "{\"ph\":\"X\",\"pid\":%d,\"tid\":%" PRId64 ",", (int)track + 1, id);
    write_time(to, "ts", open->since);
    (void)fputc(',', to);
    write_time(to, "dur", end - open->since);
    (void)fputs(",\"name\":", to);
    output_json(to, open->state);
    (void)fprintf(to, ",\"cat\":\"%s\",\"args\":{\"cause\":", track_machine[track]);
    output_json(to, open->cause);
    (void)fputs("}}", to);
}

/* Slices are drawn while they are out, the others always. */
static bool is_drawn(enum track track, const char *state)
{
    return track != TRACK_SLICE || strcmp(state, "active") != 0;
}

static struct open_state *open_of(struct machines *machines, int64_t id)
{
    while (machines->count <= (size_t)id) {
        machines->open = alloc_grown(machines->open, machines->count, &machines->capacity, sizeof *machines->open);
        machines->open[machines->count++] = (struct open_state){0};
    }
    return &machines->open[id];
}

static void on_transition(void *context, const struct run_transition *transition)
{
    struct trace *trace = context;
    for (int track = 0; track < TRACK_COUNT; track++) {
        if (strcmp(transition->machine, track_machine[track]) != 0)
            continue;
        struct open_state *open = open_of(&trace->machines[track], transition->id);
        struct open_state ended = *open;
        if (ended.state == NULL)
            ended = (struct open_state){.state = transition->from, .cause = "start"};
        if (is_drawn((enum track)track, ended.state))
            write_state(trace, (enum track)track, transition->id, &ended, transition->time_ns);
        *open = (struct open_state){transition->to, transition->cause, transition->time_ns};
    }
}

static void write_round(struct trace *trace, const struct run_round *round, char phase, sim_time at)
{
    FILE *to = trace->draft.to;
    start_event(trace);
    (void)fprintf(to,
                  "{\"ph\":\"%c\",\"pid\":%d,\"tid\":0,\"cat\":\"round\",\"id\":\"%" PRId64 ".%" PRId64
                  "\",\"name\":\"round %" PRId64 "\",",
                  phase, TRACK_SYNCER + 1, round->restarts, round->round, round->round);
    write_time(to, "ts", at);
    if (phase == 'b')
        (void)fprintf(to, ",\"args\":{\"fragment\":%" PRId64 ",\"participants\":%" PRId64 "}", round->fragment,
                      round->participants);
    (void)fputc('}', to);
}

/* Rounds overlap, so each is a span of its own. */
static void on_round(void *context, const struct run_round *round)
{
    struct trace *trace = context;
    if (!has_room(trace, round->opened_ns, 2))
        return;
    write_round(trace, round, 'b', round->opened_ns);
    write_round(trace, round, 'e', round->closed_ns);
}

/* ------------------------------------------------------------------ beginning and end */

static char *about(const struct scenario *scenario, uint32_t replica)
{
    struct alloc_draft draft;
    alloc_draft_start(&draft);
    (void)fputs("\"scenario\":", draft.to);
    output_json(draft.to, scenario->name);
    (void)fprintf(draft.to,
                  ",\"method\":\"%s\",\"seed\":\"%" PRIu64 "\",\"replica\":%" PRIu32 ",\"program\":\"faultline %s\"",
                  config_method_name[scenario->config.method], scenario->seed, replica, COMMAND_VERSION);
    return alloc_draft_finish(&draft);
}

static void write_names(struct trace *trace, int64_t learners)
{
    char name[32];
    for (int track = 0; track < TRACK_COUNT; track++)
        write_name(trace, "process_name", track, 0, track_name[track]);
    for (int64_t i = 0; i < learners; i++) {
        (void)snprintf(name, sizeof name, "learner %" PRId64, i);
        write_name(trace, "thread_name", TRACK_LEARNER, i, name);
        (void)open_of(&trace->machines[TRACK_LEARNER], i);
    }
}

int trace_create(const char *path, const struct scenario *scenario, uint32_t replica, struct trace **ret,
                 struct sim_error *error)
{
    struct draft draft;
    if (draft_open(path, "trace", &draft, error) != 0)
        return -1;
    struct trace *trace = sim_allocate(1, sizeof *trace);
    *trace = (struct trace){.draft = draft, .cut_ns = -1, .about = about(scenario, replica)};
    trace->observer = (struct run_observer){.context = trace, .on_transition = on_transition, .on_round = on_round};
    (void)fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", draft.to);
    write_names(trace, scenario->config.learners);
    *ret = trace;
    return 0;
}

const struct run_observer *trace_observer(const struct trace *trace)
{
    return &trace->observer;
}

static void close_states(struct trace *trace, sim_time end_ns)
{
    for (int track = 0; track < TRACK_COUNT; track++)
        for (size_t id = 0; id < trace->machines[track].count; id++) {
            struct open_state open = trace->machines[track].open[id];
            if (open.state == NULL && track == TRACK_LEARNER) /* it has done nothing else */
                open = (struct open_state){.state = "stepping", .cause = "start"};
            if (open.state != NULL && is_drawn((enum track)track, open.state))
                write_state(trace, (enum track)track, (int64_t)id, &open, end_ns);
        }
}

/* The mark where the trace ends before the run does. */
static void write_cut(struct trace *trace)
{
    if (trace->cut_ns < 0)
        return;
    (void)fputs(",\n{\"ph\":\"i\",\"s\":\"g\",\"pid\":1,\"tid\":0,\"name\":\"cut here: too many events\",",
                trace->draft.to);
    write_time(trace->draft.to, "ts", trace->cut_ns);
    (void)fputc('}', trace->draft.to);
}

static void release(struct trace *trace)
{
    for (int track = 0; track < TRACK_COUNT; track++)
        free(trace->machines[track].open);
    free(trace->about);
    free(trace);
}

int trace_finish(struct trace *trace, sim_time end_ns, sim_time *ret_cut_ns, struct sim_error *error)
{
    close_states(trace, end_ns);
    write_cut(trace);
    *ret_cut_ns = trace->cut_ns;
    (void)fprintf(trace->draft.to, "\n],\"otherData\":{%s,\"cut\":%s}}\n", trace->about,
                  trace->cut_ns < 0 ? "false" : "true");
    int failure = draft_finish(&trace->draft, 0, error);
    release(trace);
    return failure;
}

void trace_abandon(struct trace *trace)
{
    if (trace == NULL)
        return;
    draft_abandon(&trace->draft);
    release(trace);
}
