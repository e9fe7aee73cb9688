#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "tools/faultline/store_internal.h"

struct param_writer {
    struct sqlite3_stmt *insert;
    int64_t scenario_id;
    int code;
};

/* Who chose the value: whether a file or a setting said it makes no difference to a reader of the results. */
static const char *source_of(const struct scenario_entry *entry)
{
    bool is_user = entry->origin == SCENARIO_FILE || entry->origin == SCENARIO_SETTING;
    return is_user ? "user" : scenario_origin_name(entry);
}

/* Runs of one scenario differ in their seed, which is in `run`. */
static void write_param(void *context, const struct scenario_entry *entry)
{
    struct param_writer *writer = context;
    if (writer->code == SQLITE_OK && strcmp(entry->key, "seed") != 0)
        writer->code = store_run(writer->insert, "issds", writer->scenario_id, entry->key, entry->text,
                                 entry->number + 0.0, source_of(entry));
}

static int write_params(struct store *store, int64_t scenario_id, const struct scenario *scenario,
                        const struct scenario_text *text, const char *const settings[], size_t setting_count)
{
    struct param_writer writer = {.scenario_id = scenario_id, .code = SQLITE_OK};
    writer.insert =
        store_prepare(store, "INSERT INTO param(scenario_id, key, text, value, source) VALUES (?, ?, ?, ?, ?)", "");
    if (writer.insert == NULL)
        return SQLITE_ERROR;
    scenario_each(text, settings, setting_count, scenario, write_param, &writer);
    (void)store_finish(writer.insert);
    return writer.code;
}

/* SQLITE_ROW with the id when the scenario is known, SQLITE_DONE when it is not. */
static int find_scenario(struct store *store, const char *hash, const char *canonical, int64_t *ret_id)
{
    struct sqlite3_stmt *select =
        store_prepare(store, "SELECT id FROM scenario WHERE hash = ? AND text = ?", "ss", hash, canonical);
    int code = select == NULL ? SQLITE_ERROR : sqlite3_step(select);
    if (code == SQLITE_ROW)
        *ret_id = sqlite3_column_int64(select, 0);
    (void)store_finish(select);
    return code;
}

static int insert_scenario(struct store *store, const struct scenario *scenario, const char *hash,
                           const char *canonical, const char *question, int64_t *ret_id)
{
    struct sqlite3_stmt *insert = store_prepare(
        store,
        "INSERT INTO scenario(name, method, chips, learners, hash, text, question) VALUES (?, ?, ?, ?, ?, ?, "
        "nullif(?, ''))",
        "");
    int code = insert == NULL
                   ? SQLITE_ERROR
                   : store_run(insert, "ssiisss", scenario->name, config_method_name[scenario->config.method],
                               scenario->config.chips, scenario->config.learners, hash, canonical, question);
    (void)store_finish(insert);
    *ret_id = sqlite3_last_insert_rowid(store->db);
    return code;
}

int store_find_scenario(struct store *store, const struct scenario *scenario, int64_t *ret_id, struct sim_error *error)
{
    char hash[17];
    char *canonical = scenario_canonical(scenario, false);
    scenario_hash(scenario, hash);
    int code = find_scenario(store, hash, canonical, ret_id);
    free(canonical);
    if (code == SQLITE_ROW || code == SQLITE_DONE)
        return code == SQLITE_ROW;
    return store_fail(store, "stored scenarios cannot be read", error);
}

int store_scenario(struct store *store, const struct scenario *scenario, const struct scenario_text *text,
                   const char *const settings[], size_t setting_count, int64_t *ret_id, struct sim_error *error)
{
    char hash[17];
    int64_t id = 0;
    char *canonical = scenario_canonical(scenario, false);
    scenario_hash(scenario, hash);
    int code = store_exec(store, "BEGIN IMMEDIATE");
    if (code == SQLITE_OK)
        code = find_scenario(store, hash, canonical, &id);
    if (code == SQLITE_DONE) {
        code = insert_scenario(store, scenario, hash, canonical, scenario_question(text), &id);
        if (code == SQLITE_OK)
            code = write_params(store, id, scenario, text, settings, setting_count);
    }
    if (code == SQLITE_OK || code == SQLITE_ROW)
        code = store_exec(store, "COMMIT");
    free(canonical);
    if (code == SQLITE_OK) {
        *ret_id = id;
        return 0;
    }
    (void)store_fail(store, "the scenario cannot be stored", error);
    (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}
