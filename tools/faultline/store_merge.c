/* One database into another, in one transaction of set operations: memory is the page cache of SQLite, however many
 * runs there are. `input` is the file that is attached, `temp.scenario_pair` and `temp.run_pair` say what of it is what
 * of ours. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/faultline/alloc.h"
#include "tools/faultline/store_internal.h"

static int exec_all(struct store *store, const char *const sql[])
{
    int code = SQLITE_OK;
    for (int i = 0; sql[i] != NULL && code == SQLITE_OK; i++)
        code = store_exec(store, sql[i]);
    return code;
}

/* How much a run of theirs (t) and the same of ours (o) say: it timed out, it lacks metrics, it is whole. */
#define THEIR_WORTH "iif(t.status = 'timeout', 0, 1 + t.complete)"
#define OUR_WORTH "iif(o.status = 'timeout', 0, 1 + o.complete)"
#define IS_AS_GOOD "coalesce(" THEIR_WORTH " = " OUR_WORTH ", 1)" /* where ours is none it has given way */

/* The first statement that touches our file writes to it, so it waits for other writers. BEGIN IMMEDIATE would lock the
 * input as well. */
static const char *const pair_scenarios[] = {
    "BEGIN",
    "INSERT INTO main.scenario(name, method, chips, learners, hash, text, question)"
    " SELECT name, method, chips, learners, hash, text, question FROM input.scenario WHERE true ORDER BY id"
    " ON CONFLICT (hash, text) DO NOTHING",
    "CREATE TEMP TABLE scenario_pair(theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL)",
    "INSERT INTO scenario_pair SELECT t.id, o.id FROM input.scenario AS t JOIN main.scenario AS o USING (hash, text)",
    "INSERT INTO main.param(scenario_id, key, text, value, source)"
    " SELECT p.ours, t.key, t.text, t.value, t.source"
    " FROM scenario_pair AS p CROSS JOIN input.param AS t ON t.scenario_id = p.theirs WHERE true ON CONFLICT DO "
    "NOTHING",
    /* A run of ours that says less than theirs gives way to it, which gets its number and its logs. */
    "CREATE TEMP TABLE lesser(id INTEGER PRIMARY KEY, theirs INTEGER NOT NULL UNIQUE, had_transitions INTEGER NOT NULL,"
    " had_rounds INTEGER NOT NULL)",
    "INSERT INTO lesser SELECT o.id, t.id, o.transitions_logged, o.rounds_logged"
    " FROM input.run AS t CROSS JOIN scenario_pair AS p ON p.theirs = t.scenario_id"
    " JOIN main.run AS o ON o.scenario_id = p.ours AND o.replica = t.replica AND o.seed = t.seed"
    " WHERE " OUR_WORTH " < " THEIR_WORTH,
    "DELETE FROM main.bucket WHERE run_id IN (SELECT id FROM lesser)",
    "DELETE FROM main.learner WHERE run_id IN (SELECT id FROM lesser)",
    "DELETE FROM main.run WHERE id IN (SELECT id FROM lesser)",
    /* differs: from the run of ours that is the same; gives_*: logs that ours lacks. */
    "CREATE TEMP TABLE run_pair(theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL, is_new INTEGER NOT NULL,"
    " differs INTEGER NOT NULL, is_other_cpu INTEGER NOT NULL, gives_transitions INTEGER NOT NULL, gives_rounds "
    "INTEGER NOT NULL)",
    NULL};

/* New runs keep their order; their numbers follow ours. */
static int pair_runs(struct store *store)
{
    struct alloc_draft sql;
    alloc_draft_start(&sql);
    (void)fputs("INSERT INTO run_pair SELECT t.id,"
                " coalesce(o.id, l.id, t.id + (SELECT coalesce(max(id), 0) FROM"
                " (SELECT id FROM main.run UNION ALL SELECT id FROM lesser))), o.id IS NULL,"
                " o.id IS NOT NULL AND " THEIR_WORTH " = " OUR_WORTH " AND t.status <> 'timeout'"
                " AND (t.status IS NOT o.status OR t.no_progress_at_ns IS NOT o.no_progress_at_ns"
                " OR t.duration_s IS NOT o.duration_s",
                sql.to);
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        (void)fprintf(sql.to, " OR t.\"%s\" IS NOT o.\"%s\"", run_metric_info[i].name, run_metric_info[i].name);
    (void)fputs("), coalesce(t.fma <> o.fma, 0),"
                " t.transitions_logged > coalesce(o.transitions_logged, l.had_transitions, 0) AND " IS_AS_GOOD ","
                " t.rounds_logged > coalesce(o.rounds_logged, l.had_rounds, 0) AND " IS_AS_GOOD
                " FROM input.run AS t CROSS JOIN scenario_pair AS p ON p.theirs = t.scenario_id"
                " LEFT JOIN main.run AS o"
                " ON o.scenario_id = p.ours AND o.replica = t.replica AND o.seed = t.seed"
                " LEFT JOIN lesser AS l ON l.theirs = t.id",
                sql.to);
    char *text = alloc_draft_finish(&sql);
    int code = store_exec(store, text);
    free(text);
    return code;
}

static int add_runs(struct store *store)
{
    char *insert =
        store_metric_sql("INSERT INTO main.run(id, scenario_id, replica, seed, status, no_progress_at_ns,"
                         " duration_s, transitions_logged, rounds_logged, started_at, wall_s, version, fma, complete",
                         ")");
    char *select = store_metric_sql(" SELECT p.ours, s.ours, replica, seed, status, no_progress_at_ns, duration_s,"
                                    " max(transitions_logged, coalesce(l.had_transitions, 0)),"
                                    " max(rounds_logged, coalesce(l.had_rounds, 0)), started_at, wall_s, version, fma,"
                                    " complete",
                                    " FROM run_pair AS p CROSS JOIN input.run AS t ON t.id = p.theirs"
                                    " LEFT JOIN lesser AS l ON l.theirs = t.id"
                                    " CROSS JOIN scenario_pair AS s ON s.theirs = t.scenario_id WHERE p.is_new");
    char *sql = sqlite3_mprintf("%s%s", insert, select);
    int code = sql == NULL ? SQLITE_NOMEM : store_exec(store, sql);
    sqlite3_free(sql);
    free(select);
    free(insert);
    return code;
}

/* What belongs to runs: the columns but `run_id`, and of which pairs. */
#define ADD(table, columns, which)                                                                                     \
    "INSERT INTO main." table "(run_id, " columns ") SELECT p.ours, " columns                                          \
    " FROM run_pair AS p CROSS JOIN input." table " AS t ON t.run_id = p.theirs WHERE " which

static const char *const add_rest[] = {
    ADD("bucket", "learner, name, chip_seconds", "p.is_new"),
    ADD("learner", "learner, chips, steps, tokens, stepping_s, interruptions, restoring_chip_s", "p.is_new"),
    ADD("transition", "t_ns, entity, id, from_state, to_state, cause",
        "p.gives_transitions AND NOT p.differs") " ORDER BY p.theirs, t.rowid",
    ADD("round",
        "round, restarts, opened_ns, quorum_ns, closed_ns, fragment, participants, weight, effective_learners, tokens,"
        " staleness_max",
        "p.gives_rounds AND NOT p.differs"),
    "UPDATE main.run SET transitions_logged = max(transitions_logged, p.gives_transitions),"
    " rounds_logged = max(rounds_logged, p.gives_rounds) FROM run_pair AS p"
    " WHERE p.ours = run.id AND NOT p.is_new AND NOT p.differs AND (p.gives_transitions OR p.gives_rounds)",
    NULL};

static int count_pairs(struct store *store, struct store_merged *ret)
{
    struct sqlite3_stmt *select = store_prepare(
        store, "SELECT total(is_new), total(NOT is_new), total(differs AND is_other_cpu) FROM run_pair", "");
    int code = select == NULL ? SQLITE_ERROR : sqlite3_step(select);
    if (code == SQLITE_ROW) {
        ret->added = sqlite3_column_int64(select, 0);
        ret->known = sqlite3_column_int64(select, 1);
        ret->other_cpu = sqlite3_column_int64(select, 2);
    }
    (void)store_finish(select);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

static int report_conflicts(struct store *store, const struct store_merger *merger, struct store_merged *ret)
{
    struct sqlite3_stmt *select =
        store_prepare(store,
                      "SELECT s.name, t.replica, t.seed FROM run_pair AS p CROSS JOIN input.run AS t ON t.id = p.theirs"
                      " CROSS JOIN input.scenario AS s ON s.id = t.scenario_id WHERE p.differs AND NOT p.is_other_cpu",
                      "");
    int code = select == NULL ? SQLITE_ERROR : SQLITE_ROW;
    while (code == SQLITE_ROW && (code = sqlite3_step(select)) == SQLITE_ROW) {
        ret->conflicts++;
        const char *name = (const char *)sqlite3_column_text(select, 0);
        merger->on_conflict(merger->context, name == NULL ? "" : name, sqlite3_column_int64(select, 1),
                            (uint64_t)sqlite3_column_int64(select, 2));
    }
    (void)store_finish(select);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int merge_attached(struct store *store, const struct store_merger *merger, struct store_merged *ret)
{
    int code = exec_all(store, pair_scenarios);
    if (code == SQLITE_OK)
        code = pair_runs(store);
    if (code == SQLITE_OK)
        code = count_pairs(store, ret);
    if (code == SQLITE_OK)
        code = report_conflicts(store, merger, ret);
    if (code == SQLITE_OK)
        code = add_runs(store);
    if (code == SQLITE_OK)
        code = exec_all(store, add_rest);
    if (code == SQLITE_OK)
        code = store_exec(store, "DROP TABLE scenario_pair; DROP TABLE run_pair; DROP TABLE lesser");
    return code == SQLITE_OK ? store_exec(store, "COMMIT") : code;
}

static int attach_as(struct store *store, const char *name)
{
    struct sqlite3_stmt *statement = store_prepare(store, "ATTACH ? AS input", "s", name);
    if (statement == NULL)
        return SQLITE_ERROR;
    (void)sqlite3_step(statement);
    return store_finish(statement);
}

/* Attaches the file, or what its copy of our version holds when it is of an older one. */
static int attach(struct store *store, const char *path, const struct store *input)
{
    if (input->is_copy) {
        int code = attach_as(store, "");
        return code == SQLITE_OK ? store_copy(input, store, "input") : code;
    }
    char *uri = store_uri(path);
    int code = attach_as(store, uri);
    free(uri);
    return code;
}

int store_merge(struct store *store, const char *path, const struct store_merger *merger, struct store_merged *ret,
                struct sim_error *error)
{
    struct store *input;
    struct store_merged merged = {0};
    if (store_open_reading(path, &input, error) != 0)
        return -1;
    int code = attach(store, path, input);
    store_close(input);
    if (code == SQLITE_OK) /* the joins see to it already; asking for every row takes a quarter of the time */
        code = store_exec(store, "PRAGMA foreign_keys = OFF");
    if (code == SQLITE_OK)
        code = merge_attached(store, merger, &merged);
    if (code != SQLITE_OK) {
        (void)sim_error_set(error, "%s: cannot be merged into %s: %s", path, store->path, sqlite3_errmsg(store->db));
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    }
    (void)sqlite3_exec(store->db, "DETACH input; PRAGMA foreign_keys = ON", NULL, NULL, NULL);
    if (code != SQLITE_OK)
        return -1;
    *ret = merged;
    return 0;
}
