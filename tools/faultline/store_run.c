#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/command.h"
#include "tools/faultline/store_internal.h"

#define SPARES (-1) /* in place of a learner: of the spares */

char *store_metric_sql(const char *before, const char *after)
{
    struct alloc_draft sql;
    alloc_draft_start(&sql);
    (void)fputs(before, sql.to);
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        (void)fprintf(sql.to, ", \"%s\"", run_metric_info[i].name);
    (void)fputs(after, sql.to);
    return alloc_draft_finish(&sql);
}

/* ------------------------------------------------------------------ reading */

static bool find_bucket(const char *name, enum run_bucket *ret)
{
    for (int i = 0; i < RUN_BUCKET_COUNT; i++) {
        if (strcmp(run_bucket_name[i], name) == 0) {
            *ret = (enum run_bucket)i;
            return true;
        }
    }
    return false;
}

static int read_learners(struct store *store, int64_t run_id, struct record *record)
{
    struct sqlite3_stmt *select = store_prepare(store,
                                                "SELECT chips, steps, tokens, stepping_s, interruptions, "
                                                "restoring_chip_s FROM learner WHERE run_id = ? ORDER BY learner",
                                                "i", run_id);
    size_t capacity = 0;
    int code = select == NULL ? SQLITE_ERROR : SQLITE_ROW;
    while (code == SQLITE_ROW && (code = sqlite3_step(select)) == SQLITE_ROW) {
        record->learner = alloc_grown(record->learner, (size_t)record->learners, &capacity, sizeof *record->learner);
        record->learner[record->learners++] = (struct record_learner){
            .chips = sqlite3_column_int64(select, 0),
            .steps = sqlite3_column_int64(select, 1),
            .tokens = sqlite3_column_double(select, 2),
            .stepping_s = sqlite3_column_double(select, 3),
            .interruptions = sqlite3_column_int64(select, 4),
            .restoring_chip_s = sqlite3_column_double(select, 5),
        };
    }
    (void)store_finish(select);
    return code;
}

static int read_buckets(struct store *store, int64_t run_id, struct record *record)
{
    struct sqlite3_stmt *select =
        store_prepare(store, "SELECT learner, name, chip_seconds FROM bucket WHERE run_id = ?", "i", run_id);
    int code = select == NULL ? SQLITE_ERROR : SQLITE_ROW;
    while (code == SQLITE_ROW && (code = sqlite3_step(select)) == SQLITE_ROW) {
        enum run_bucket bucket;
        int64_t learner = sqlite3_column_int64(select, 0);
        const char *name = (const char *)sqlite3_column_text(select, 1);
        bool is_known = name != NULL && find_bucket(name, &bucket);
        if (is_known && learner == SPARES)
            record->spare_chip_s[bucket] = sqlite3_column_double(select, 2);
        if (is_known && learner >= 0 && learner < record->learners)
            record->learner[learner].bucket_chip_s[bucket] = sqlite3_column_double(select, 2);
    }
    (void)store_finish(select);
    return code;
}

/* The columns of the query of find_run. */
enum { COLUMN_ID, COLUMN_STATUS, COLUMN_NO_PROGRESS, COLUMN_DURATION, COLUMN_WALL, COLUMN_METRIC };

static void read_run(struct sqlite3_stmt *select, struct record *record)
{
    const char *status = (const char *)sqlite3_column_text(select, COLUMN_STATUS);
    record->status = RUN_NO_PROGRESS; /* of a word that nobody wrote: nothing is known of it */
    for (int i = 0; i < RUN_STATUS_COUNT && status != NULL; i++)
        if (strcmp(status, run_status_name[i]) == 0)
            record->status = (enum run_status)i;
    record->no_progress_at_ns = sqlite3_column_int64(select, COLUMN_NO_PROGRESS);
    record->duration_s = sqlite3_column_double(select, COLUMN_DURATION);
    record->wall_s = sqlite3_column_double(select, COLUMN_WALL);
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        bool is_null = sqlite3_column_type(select, COLUMN_METRIC + i) == SQLITE_NULL;
        record->metric[i] = is_null ? NAN : sqlite3_column_double(select, COLUMN_METRIC + i);
    }
}

/* SQLITE_ROW when the run is there with the logs that are wanted, SQLITE_DONE when it is not. */
static int find_run(struct store *store, int64_t scenario_id, const struct runlog *wanted, struct record *record,
                    int64_t *ret_id)
{
    char *sql = store_metric_sql("SELECT id, status, no_progress_at_ns, duration_s, wall_s",
                                 " FROM run WHERE scenario_id = ? AND seed = ? AND replica = ?"
                                 " AND transitions_logged >= ? AND rounds_logged >= ?"
                                 " AND status <> 'timeout' AND complete");
    struct sqlite3_stmt *select =
        store_prepare(store, sql, "iiiii", scenario_id, (int64_t)record->seed, (int64_t)record->replica,
                      (int64_t)wanted->keeps_transitions, (int64_t)wanted->keeps_rounds);
    free(sql);
    int code = select == NULL ? SQLITE_ERROR : sqlite3_step(select);
    if (code == SQLITE_ROW) {
        *ret_id = sqlite3_column_int64(select, COLUMN_ID);
        read_run(select, record);
    }
    (void)store_finish(select);
    return code;
}

int store_find(struct store *store, int64_t scenario_id, uint64_t seed, uint32_t replica, const struct runlog *wanted,
               struct record *ret, struct sim_error *error)
{
    int64_t run_id;
    struct record record = {.is_filled = true, .is_reused = true, .seed = seed, .replica = replica};
    int code = find_run(store, scenario_id, wanted, &record, &run_id);
    if (code == SQLITE_DONE)
        return 0;
    if (code == SQLITE_ROW)
        code = read_learners(store, run_id, &record);
    if (code == SQLITE_DONE)
        code = read_buckets(store, run_id, &record);
    if (code != SQLITE_DONE) {
        record_fini(&record);
        return store_fail(store, "stored runs cannot be read", error);
    }
    record_sum(&record);
    *ret = record;
    return 1;
}

/* ------------------------------------------------------------------ writing */

/* 1 where the C library picks its routines with fused multiply-add. */
static int64_t has_fma(void)
{
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_cpu_supports("fma") != 0;
#elif defined(__aarch64__)
    return 1;
#else
    return 0;
#endif
}

static int bind_metrics(struct sqlite3_stmt *insert, int first, const struct record *record)
{
    int code = SQLITE_OK;
    for (int i = 0; i < RUN_METRIC_COUNT && code == SQLITE_OK; i++) {
        double value = record->metric[i];
        if (isnan(value))
            code = sqlite3_bind_null(insert, first + i);
        else if (run_metric_info[i].kind == RUN_METRIC_COUNT_KIND && fabs(value) < 0x1p63)
            code = sqlite3_bind_int64(insert, first + i, (int64_t)value);
        else
            code = sqlite3_bind_double(insert, first + i, value);
    }
    return code;
}

/* INSERT of a run with a mark for every value; the caller frees it. It takes the place of one that says less, which
 * timed out or lacks metrics, but keeps its logs: they are of the same replica. */
static char *insert_sql(void)
{
    struct alloc_draft sql;
    char *before =
        store_metric_sql("INSERT INTO run(scenario_id, replica, seed, status, no_progress_at_ns, duration_s, "
                         "transitions_logged, rounds_logged, started_at, wall_s, version, fma, complete",
                         ") VALUES (?, ?, ?, ?, nullif(?, -1), ?, 0, 0, "
                         "strftime('%Y-%m-%dT%H:%M:%SZ', 'now', ?), ?, ?, ?, 1");
    alloc_draft_start(&sql);
    (void)fputs(before, sql.to);
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        (void)fputs(", ?", sql.to);
    (void)fputs(") ON CONFLICT (scenario_id, replica, seed) DO UPDATE SET status = excluded.status,"
                " no_progress_at_ns = excluded.no_progress_at_ns, duration_s = excluded.duration_s,"
                " started_at = excluded.started_at, wall_s = excluded.wall_s, version = excluded.version,"
                " fma = excluded.fma, complete = 1",
                sql.to);
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        (void)fprintf(sql.to, ", \"%s\" = excluded.\"%s\"", run_metric_info[i].name, run_metric_info[i].name);
    (void)fputs(" WHERE status = 'timeout' OR NOT (complete OR excluded.status = 'timeout')", sql.to);
    free(before);
    return alloc_draft_finish(&sql);
}

#define FIRST_METRIC 11 /* its place among the marks of insert_sql */

/* Inserts the row of the run unless one is there that says as much; *ret_is_new says which. */
static int insert_run(struct store *store, int64_t scenario_id, const struct record *record, bool *ret_is_new)
{
    char ago[64];
    char *sql = insert_sql();
    (void)snprintf(ago, sizeof ago, "-%.3f seconds", record->wall_s);
    bool is_given_up = record->status == RUN_NO_PROGRESS || record->status == RUN_TIMEOUT;
    int64_t stuck_at_ns = is_given_up ? record->no_progress_at_ns : -1;
    struct sqlite3_stmt *insert = store_prepare(store, sql, "iiisidsdsi", scenario_id, (int64_t)record->replica,
                                                (int64_t)record->seed, run_status_name[record->status], stuck_at_ns,
                                                record->duration_s, ago, record->wall_s, COMMAND_VERSION, has_fma());
    free(sql);
    int code = insert == NULL ? SQLITE_ERROR : bind_metrics(insert, FIRST_METRIC, record);
    if (code == SQLITE_OK)
        code = sqlite3_step(insert);
    (void)store_finish(insert);
    *ret_is_new = sqlite3_changes(store->db) == 1;
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* The id of a run and which logs it has. */
static int find_id(struct store *store, int64_t scenario_id, const struct record *record, int64_t *ret_id,
                   struct runlog *ret_has)
{
    struct sqlite3_stmt *select = store_prepare(
        store,
        "SELECT id, transitions_logged, rounds_logged FROM run WHERE scenario_id = ? AND replica = ? AND seed = ?",
        "iii", scenario_id, (int64_t)record->replica, (int64_t)record->seed);
    int code = select == NULL ? SQLITE_ERROR : sqlite3_step(select);
    if (code == SQLITE_ROW) {
        *ret_id = sqlite3_column_int64(select, 0);
        ret_has->keeps_transitions = sqlite3_column_int(select, 1) != 0;
        ret_has->keeps_rounds = sqlite3_column_int(select, 2) != 0;
    }
    (void)store_finish(select);
    return code == SQLITE_ROW ? SQLITE_OK : SQLITE_ERROR;
}

static int insert_learners(struct store *store, int64_t run_id, const struct record *record)
{
    struct sqlite3_stmt *insert = store_prepare(store, "INSERT INTO learner VALUES (?, ?, ?, ?, ?, ?, ?, ?)", "");
    int code = insert == NULL ? SQLITE_ERROR : SQLITE_OK;
    for (int64_t i = 0; i < record->learners && code == SQLITE_OK; i++) {
        const struct record_learner *learner = &record->learner[i];
        code = store_run(insert, "iiiiddid", run_id, i, learner->chips, learner->steps, learner->tokens,
                         learner->stepping_s, learner->interruptions, learner->restoring_chip_s);
    }
    (void)store_finish(insert);
    return code;
}

static int insert_buckets(struct store *store, int64_t run_id, const struct record *record)
{
    struct sqlite3_stmt *insert = store_prepare(store, "INSERT INTO bucket VALUES (?, ?, ?, ?)", "");
    int code = insert == NULL ? SQLITE_ERROR : SQLITE_OK;
    for (int64_t i = 0; i < record->learners; i++)
        for (int bucket = 0; bucket < RUN_BUCKET_COUNT && code == SQLITE_OK; bucket++)
            code =
                store_run(insert, "iisd", run_id, i, run_bucket_name[bucket], record->learner[i].bucket_chip_s[bucket]);
    for (int bucket = 0; bucket < RUN_BUCKET_COUNT && code == SQLITE_OK; bucket++)
        if (record->spare_chip_s[bucket] != 0)
            code = store_run(insert, "iisd", run_id, (int64_t)SPARES, run_bucket_name[bucket],
                             record->spare_chip_s[bucket]);
    (void)store_finish(insert);
    return code;
}

static int insert_transitions(struct store *store, int64_t run_id, const struct runlog *log)
{
    struct sqlite3_stmt *insert = store_prepare(store, "INSERT INTO transition VALUES (?, ?, ?, ?, ?, ?, ?)", "");
    int code = insert == NULL ? SQLITE_ERROR : SQLITE_OK;
    for (size_t i = 0; i < log->transitions && code == SQLITE_OK; i++) {
        const struct run_transition *row = &log->transition[i];
        code =
            store_run(insert, "iisisss", run_id, row->time_ns, row->machine, row->id, row->from, row->to, row->cause);
    }
    (void)store_finish(insert);
    return code;
}

static int insert_rounds(struct store *store, int64_t run_id, const struct runlog *log)
{
    struct sqlite3_stmt *insert =
        store_prepare(store, "INSERT INTO round VALUES (?, ?, ?, ?, ?, ?, nullif(?, -1), ?, ?, ?, ?, ?)", "");
    int code = insert == NULL ? SQLITE_ERROR : SQLITE_OK;
    for (size_t i = 0; i < log->rounds && code == SQLITE_OK; i++) {
        const struct run_round *row = &log->round[i];
        code = store_run(insert, "iiiiiiiidddi", run_id, row->round, row->restarts, row->opened_ns, row->quorum_ns,
                         row->closed_ns, row->fragment, row->participants, row->weight, row->effective_learners,
                         row->tokens, row->staleness_max);
    }
    (void)store_finish(insert);
    return code;
}

static int mark_logged(struct store *store, int64_t run_id, bool transitions, bool rounds)
{
    struct sqlite3_stmt *update = store_prepare(
        store,
        "UPDATE run SET transitions_logged = max(transitions_logged, ?), rounds_logged = max(rounds_logged, ?) "
        "WHERE id = ?",
        "");
    int code = update == NULL ? SQLITE_ERROR : store_run(update, "iii", (int64_t)transitions, (int64_t)rounds, run_id);
    (void)store_finish(update);
    return code;
}

/* Adds the logs that the run does not have yet. */
static int insert_logs(struct store *store, int64_t run_id, const struct runlog *log, const struct runlog *has)
{
    bool transitions = log->keeps_transitions && !has->keeps_transitions;
    bool rounds = log->keeps_rounds && !has->keeps_rounds;
    int code = transitions ? insert_transitions(store, run_id, log) : SQLITE_OK;
    if (code == SQLITE_OK && rounds)
        code = insert_rounds(store, run_id, log);
    if (code == SQLITE_OK && (transitions || rounds))
        code = mark_logged(store, run_id, transitions, rounds);
    return code;
}

/* What a run that says less has already. */
static int clear_run(struct store *store, int64_t run_id)
{
    static const char *const clear[] = {"DELETE FROM bucket WHERE run_id = ?", "DELETE FROM learner WHERE run_id = ?"};
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof clear / sizeof clear[0] && code == SQLITE_OK; i++) {
        struct sqlite3_stmt *statement = store_prepare(store, clear[i], "");
        code = statement == NULL ? SQLITE_ERROR : store_run(statement, "i", run_id);
        (void)store_finish(statement);
    }
    return code;
}

static int save_locked(struct store *store, int64_t scenario_id, const struct record *record, const struct runlog *log)
{
    int64_t run_id = 0;
    struct runlog has = {0};
    bool is_new = false;
    int code = insert_run(store, scenario_id, record, &is_new);
    if (code == SQLITE_OK)
        code = find_id(store, scenario_id, record, &run_id, &has);
    if (record->status == RUN_TIMEOUT) /* nothing else is known of it */
        return code;
    if (code == SQLITE_OK && is_new)
        code = clear_run(store, run_id);
    if (code == SQLITE_OK && is_new)
        code = insert_learners(store, run_id, record);
    if (code == SQLITE_OK && is_new)
        code = insert_buckets(store, run_id, record);
    if (code == SQLITE_OK)
        code = insert_logs(store, run_id, log, &has);
    return code;
}

int store_save(struct store *store, int64_t scenario_id, const struct record *record, const struct runlog *log,
               struct sim_error *error)
{
    char what[64];
    int code = store_exec(store, "BEGIN IMMEDIATE");
    if (code == SQLITE_OK)
        code = save_locked(store, scenario_id, record, log);
    if (code == SQLITE_OK)
        code = store_exec(store, "COMMIT");
    if (code == SQLITE_OK)
        return 0;
    (void)snprintf(what, sizeof what, "replica %u cannot be stored", record->replica);
    (void)store_fail(store, what, error);
    (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}
