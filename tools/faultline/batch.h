/* tools/faultline/batch.h -- replicas of one or many scenarios: what is stored is read back, the rest is simulated.
 *
 * A cell is a scenario (a file with settings over it) and a number of replicas. All cells share one seed, and one pool
 * of threads works through the replicas of all of them. With -o a replica that the database holds is not computed
 * again, and each one is stored as soon as it and those before it are finished. A command may raise the number of
 * replicas of its cells and run the batch again: only the new ones are done.
 *
 * A scenario takes some 100 kB; unless they are kept, each is built anew when its first replica starts and dropped
 * after its last.
 *
 * Units: counts.
 * Ownership: batch_init and batch_fini; options, path, text and settings are the caller's and outlive the batch.
 * Errors: batch_add returns -1 with a text in batch.error; the others print what went wrong and return an exit status.
 */
#ifndef TOOLS_FAULTLINE_BATCH_H
#define TOOLS_FAULTLINE_BATCH_H

#include "tools/faultline/options.h"
#include "tools/faultline/progress.h"
#include "tools/faultline/record.h"
#include "tools/faultline/runlog.h"
#include "tools/faultline/store.h"
#include "tools/faultline/tape.h"
#include "tools/faultline/trace.h"

struct batch_scenario;
struct batch_job;

struct batch_cell {
    const struct scenario_text *text;
    const char *path;           /* of the scenario file */
    const char *const *setting; /* that are over the file, those of the command line included */
    size_t settings;
    const char *name;                          /* what distinguishes the cell, for messages; "" when it is alone */
    size_t replicas;                           /* wanted: the caller may raise it */
    double failure_rate;                       /* for tools/faultline/control.h; batch_add fills it */
    struct record *record;                     /* of each replica; what is not finished is not filled */
    size_t looked_up;                          /* replicas that were looked for in the database */
    size_t undelivered;                        /* of those that are being computed */
    int64_t scenario_id;                       /* in the database; 0: not entered */
    _Atomic(struct batch_scenario *) scenario; /* NULL while it is not built */
};

struct batch {
    struct options *options;
    const char *command;      /* "run", for the last words of a bug */
    struct runlog wanted;     /* which logs to keep */
    struct tape_writer *tape; /* of the first replica of the first cell, which is computed even if it is stored; NULL:
                                 none; ends with the batch */
    struct trace *trace;      /* likewise, instead of a tape */
    bool keeps_scenarios;     /* for batch_scenario */
    bool only_reads;          /* the database: it is not created, and nothing is entered */
    bool keeps_learners;      /* of the records, until batch_fini */
    bool needs_control;       /* a scenario without one is refused (tools/faultline/control.h) */
    struct batch_cell *cell;
    size_t cells, cells_capacity;
    struct store *store; /* NULL without -o */
    struct batch_job *job;
    size_t jobs;
    size_t cells_done; /* of the cells with jobs */
    struct progress progress;
    struct sim_error error;
};

void batch_init(struct batch *batch, struct options *options, const char *command);
void batch_fini(struct batch *batch);

/* Adds a cell whose text, path, setting, settings, name and replicas are filled. Refuses what is no valid scenario. The
 * first cell decides the seed of all. */
int batch_add(struct batch *batch, const struct batch_cell *cell);

/* The scenario of a cell. Requires keeps_scenarios. */
const struct scenario *batch_scenario(const struct batch *batch, size_t cell);

/* Opens the database, if one is asked for; for one that is only read, if it is there. Call it once, after the cells
 * that may be refused are added. */
int batch_open_store(struct batch *batch);

/* Enters new scenarios into the database unless it is only read, reads back the replicas that are stored and lists the
 * others as jobs. */
int batch_look_up(struct batch *batch);

/* Simulates the jobs. What is finished when a signal or an error ends it is kept. */
int batch_simulate(struct batch *batch);

/* Finished replicas, and those of them that were read back. */
size_t batch_finished(const struct batch *batch);
size_t batch_reused(const struct batch *batch);

/* Says on stderr when replicas timed out, made no progress or stalled, the first by name; then the status is
 * COMMAND_NO_ANSWER. */
int batch_complain_about_progress(const struct batch *batch);

/* True when a replica timed out: a mean without the slow ones would lean to one side. */
bool batch_has_timeout(const struct batch *batch);

#endif
