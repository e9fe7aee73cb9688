/* tools/faultline/store.h -- the results database: one SQLite file that many processes write at once.
 *
 * Its tables are documented in tools/faultline/schema.sql, which `sqlite3 FILE.db .schema` prints. A replica is one
 * transaction: it is in the file with all its rows or not at all, whatever kills a process. Who finds the file busy
 * waits, also while it is being created. The only files that include <sqlite3.h> are store*.c.
 *
 * After a power cut the file is whole, too. What was stored in the last moments before it may be missing: with a
 * journal of kind wal replicas that no checkpoint has taken in yet (the last writer to close the file makes one), with
 * one of kind delete the last replica. The same command computes them again.
 *
 * Units: as in tools/faultline/record.h.
 * Ownership: a store is created by store_open and released by store_close; it belongs to one thread.
 * Errors: -1 with a text that names the file; what was stored before is kept.
 */
#ifndef TOOLS_FAULTLINE_STORE_H
#define TOOLS_FAULTLINE_STORE_H

#include "sim/error.h"
#include "tools/faultline/record.h"
#include "tools/faultline/runlog.h"
#include "tools/faultline/scenario.h"
#include "tools/faultline/summary.h"

#define STORE_SCHEMA_VERSION 5

struct store;

/* How changes are kept whole. WAL needs memory that all writers share, so they must be on one machine. */
enum store_journal { STORE_JOURNAL_AUTO, STORE_JOURNAL_WAL, STORE_JOURNAL_DELETE, STORE_JOURNAL_COUNT };

/* "auto", "wal", "delete". */
extern const char *const store_journal_name[STORE_JOURNAL_COUNT];

/* Opens the database at `path` for writing and creates it when it is missing or empty; one of an older version is
 * brought to ours, in one transaction. Refuses what is no database of faultline, or a newer one, and leaves it alone.
 * AUTO takes WAL for a new file and leaves the others as they are; on file systems of a network it takes DELETE. */
int store_open(const char *path, enum store_journal journal, struct store **ret, struct sim_error *error);

/* Opens an existing database for reading. 1 instead of -1 when it is empty, as one that is just being created. Of a
 * file of an older version, which stays as it is, a copy is read that is brought to ours. */
int store_open_reading(const char *path, struct store **ret, struct sim_error *error);

/* The version of the schema that the file had before it was opened for writing; 0 when it was ours. */
int64_t store_older_version(const struct store *store);

void store_close(struct store *store);

/* Enters the scenario with its effective keys, or finds it; the settings are those it was built with. */
int store_scenario(struct store *store, const struct scenario *scenario, const struct scenario_text *text,
                   const char *const settings[], size_t setting_count, int64_t *ret_id, struct sim_error *error);

/* Looks for a scenario without entering it: 1 with its number, 0 when it is not there. */
int store_find_scenario(struct store *store, const struct scenario *scenario, int64_t *ret_id, struct sim_error *error);

/* Looks for a finished replica that holds at least the logs that `wanted` keeps. Fills *ret (is_reused) and returns 1,
 * or returns 0 when there is none. One that timed out, or lacks metrics, is none. */
int store_find(struct store *store, int64_t scenario_id, uint64_t seed, uint32_t replica, const struct runlog *wanted,
               struct record *ret, struct sim_error *error);

/* Stores a replica and its log in one transaction. When another process has stored it meanwhile, its row stays and only
 * logs it lacks are added. It takes the place of one that timed out or lacks metrics. */
int store_save(struct store *store, int64_t scenario_id, const struct record *record, const struct runlog *log,
               struct sim_error *error);

/* What became of the runs of a file that was merged. */
struct store_merged {
    int64_t added;
    int64_t known;     /* there already: these stay, and get the logs that they lack */
    int64_t conflicts; /* of these: other numbers from a CPU of the same kind, which must not be */
    int64_t other_cpu; /* of these: other numbers, where one CPU has fused multiply-add and the other has not */
};

struct store_merger {
    void *context;
    void (*on_conflict)(void *context, const char *scenario, int64_t replica, uint64_t seed);
};

/* Adds what the database at `path`, another file that store_open_reading accepts, has and this one lacks, in one
 * transaction. Scenarios are the same by hash and text, runs by scenario, replica and seed; of two runs ours stays. */
int store_merge(struct store *store, const char *path, const struct store_merger *merger, struct store_merged *ret,
                struct sim_error *error);

/* One cell of a published table beside what was simulated; NAN and n = 0 where there is no run. */
struct store_cell {
    char method[CONFIG_NAME_MAX];
    int64_t learners;
    int64_t chips;
    double published; /* fractions */
    double simulated;
    double ci95; /* half-width, 95 % */
    int64_t n;
    int64_t scenarios; /* that fit the cell; the one with the newest run is shown */
};

/* The cells of the view table_`name` ("1a", "1b") in published order; the caller frees *ret. */
int store_cells(struct store *store, const char *name, struct store_cell **ret, size_t *ret_count,
                struct sim_error *error);

/* Hands the columns and then the rows of the table or view called `name` to the functions, in its own order. When there
 * is none, *error lists those that there are. */
struct store_reader {
    void *context;
    void (*on_columns)(void *context, const struct summary_column columns[], size_t count);
    void (*on_row)(void *context, const struct summary_cell cells[]);
};
int store_each_row(struct store *store, const char *name, const struct store_reader *reader, struct sim_error *error);

/* Hands the rows of a query without parameters one by one to `on_row`, as many cells as it has columns; texts last for
 * the call. */
int store_rows(struct store *store, const char *sql, void (*on_row)(void *context, const struct summary_cell cells[]),
               void *context, struct sim_error *error);

#endif
