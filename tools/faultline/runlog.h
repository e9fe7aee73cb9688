/* tools/faultline/runlog.h -- transitions and rounds of one replica, kept in memory until they are stored with it.
 *
 * A worker fills a log of its own while the replica runs; the thread that writes takes it over. A replica with more
 * than RUNLOG_ROWS_MAX rows of a kind is not cut: it is marked and refused as a whole.
 *
 * Units: as in models/run.h.
 * Ownership: runlog_fini releases the rows; strings in them live as long as the program.
 * Errors: is_over is set when the limit is passed; what follows is dropped.
 */
#ifndef TOOLS_FAULTLINE_RUNLOG_H
#define TOOLS_FAULTLINE_RUNLOG_H

#include "models/run.h"

#define RUNLOG_ROWS_MAX ((size_t)4000000) /* of one kind, in one replica: about 250 MB */

struct runlog {
    bool keeps_transitions;
    bool keeps_rounds;
    bool is_over;
    void (*on_over)(void);           /* called once when the limit is passed; may be NULL */
    const struct run_observer *next; /* who wants to know all of it, too; may be NULL */
    struct run_transition *transition;
    size_t transitions;
    size_t transitions_capacity;
    struct run_round *round;
    size_t rounds;
    size_t rounds_capacity;
};

/* An observer that fills `log` with what it keeps; valid as long as the log. */
struct run_observer runlog_observer(struct runlog *log);

/* Releases the rows; the log may be filled again. */
void runlog_fini(struct runlog *log);

#endif
