/* tools/faultline/trace.h -- what happened in a replica, as a timeline for Perfetto (ui.perfetto.dev) and
 * chrome://tracing.
 *
 * A JSON file of the trace event format: the states of each learner and of the syncer, slices while they are out of
 * their learner, rounds from opening to closing. Its size is bounded: beyond TRACE_EVENTS_MAX events it ends, and says
 * where.
 *
 * Units: microseconds from the start of the run, with the nanoseconds behind the point.
 * Ownership: trace_create makes a trace that trace_finish or trace_abandon ends.
 * Errors: -1 with a text that names the file.
 */
#ifndef TOOLS_FAULTLINE_TRACE_H
#define TOOLS_FAULTLINE_TRACE_H

#include "models/run.h"
#include "sim/error.h"
#include "tools/faultline/scenario.h"

#define TRACE_EVENTS_MAX 500000 /* about 60 MB, which a browser still opens */

struct trace;

int trace_create(const char *path, const struct scenario *scenario, uint32_t replica, struct trace **ret,
                 struct sim_error *error);

/* What a run is to tell the trace; valid until it ends. It asks for no steps. */
const struct run_observer *trace_observer(const struct trace *trace);

/* Closes what is open, and gives the file its name. *ret_cut_ns is where it was cut, or -1. Ends the trace also on
 * failure. */
int trace_finish(struct trace *trace, sim_time end_ns, sim_time *ret_cut_ns, struct sim_error *error);

/* Ends the trace and removes what it wrote; NULL is ignored. */
void trace_abandon(struct trace *trace);

#endif
