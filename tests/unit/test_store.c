/* The results database, seen through its own interface and through SQL. */
#include <float.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/rig.h"
#include "tools/faultline/store.h"

static char folder[64];
static char path[96];
static struct scenario_text *text;
static struct sim_error error;
static const struct runlog no_log;

static void set_up(void)
{
    char file[96];
    (void)strcpy(folder, "/tmp/faultline-store-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/results.db", folder);
    (void)snprintf(file, sizeof file, "%s/tiny.yaml", folder);
    FILE *to = fopen(file, "w");
    (void)fputs("name: table-1\nmethod: decoupled-diloco\nduration: 1h\nfleet: {chips: 2.4M, chips_per_slice: 256}\n"
                "learners: {count: 16, step_time: 7.5s}\n",
                to);
    (void)fclose(to);
    ck_assert_msg(scenario_open(file, &text, &error) == 0, "%s", error.text);
    (void)unlink(file);
}

static void tear_down(void)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char file[128];
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        (void)snprintf(file, sizeof file, "%s%s", path, endings[i]);
        (void)unlink(file);
    }
    (void)rmdir(folder);
    scenario_close(text);
}

static struct store *open_store(void)
{
    struct store *store = NULL;
    ck_assert_msg(store_open(path, STORE_JOURNAL_AUTO, &store, &error) == 0, "%s", error.text);
    return store;
}

static int64_t enter(struct store *store, const char *setting)
{
    int64_t id;
    struct scenario scenario;
    size_t settings = setting != NULL;
    ck_assert_msg(scenario_build(text, &setting, settings, &scenario, &error) == 0, "%s", error.text);
    ck_assert_msg(store_scenario(store, &scenario, text, &setting, settings, &id, &error) == 0, "%s", error.text);
    return id;
}

/* A record of two learners whose numbers are hard to keep. */
static struct record hard_record(uint32_t replica)
{
    struct record record = {.is_filled = true, .replica = replica, .seed = 7, .duration_s = 3600.1, .learners = 2};
    record.learner = calloc(2, sizeof *record.learner);
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        record.metric[i] = run_metric_info[i].kind == RUN_METRIC_COUNT_KIND ? 9007199254740991.0 : 1.0 / (3 + i);
    record.metric[RUN_METRIC_uptime] = 5e-324;
    record.metric[RUN_METRIC_tokens] = DBL_MAX;
    record.metric[RUN_METRIC_grace_s] = NAN;
    for (int i = 0; i < RUN_BUCKET_COUNT; i++)
        record.learner[1].bucket_chip_s[i] = 0.1 * (i + 1);
    record.spare_chip_s[RUN_BUCKET_standby] = 0.7;
    record.learner[0] = (struct record_learner){.chips = 1200000, .steps = INT64_MAX, .tokens = 0.1, .stepping_s = 0.3};
    record_sum(&record);
    return record;
}

static void save(struct store *store, int64_t scenario_id, const struct record *record, const struct runlog *log)
{
    ck_assert_msg(store_save(store, scenario_id, record, log, &error) == 0, "%s", error.text);
}

/* The first value of a query, as text, through a connection of its own. */
static const char *ask(const char *sql)
{
    static char answer[256];
    sqlite3 *db;
    sqlite3_stmt *statement;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    const char *value = (const char *)sqlite3_column_text(statement, 0);
    (void)snprintf(answer, sizeof answer, "%s", value == NULL ? "NULL" : value);
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return answer;
}

static void tell(const char *sql)
{
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    (void)sqlite3_close(db);
}

START_TEST(a_new_file_has_the_schema_and_the_published_tables)
{
    store_close(open_store());
    ck_assert_str_eq(ask("PRAGMA user_version"), "5");
    ck_assert_str_eq(ask("PRAGMA journal_mode"), "wal");
    ck_assert_str_eq(ask("SELECT count(*) FROM published WHERE table_name = '1a' AND metric = 'goodput'"), "30");
    ck_assert_str_eq(ask("SELECT count(*) FROM published WHERE table_name = '1b' AND metric = 'uptime'"), "30");
    ck_assert_str_eq(ask("SELECT count(*) FROM table_1a WHERE n = 0"), "30");
    ck_assert_str_eq(ask("SELECT goodput FROM published_5 WHERE quorum = 8"), "0.84");
    ck_assert_str_eq(ask("SELECT count(*) || ' ' || sum(method = 'elastic-dp') FROM published_13"), "60 20");
    ck_assert_str_eq(ask("SELECT round(t95, 4) FROM student WHERE df = 9"), "2.2622");
    ck_assert_str_eq(ask("SELECT count(*) FROM student"), "1000");
}
END_TEST

START_TEST(every_metric_is_a_column)
{
    char sql[160];
    store_close(open_store());
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        (void)snprintf(sql, sizeof sql, "SELECT type FROM pragma_table_info('run') WHERE name = '%s'",
                       run_metric_info[i].name);
        ck_assert_str_eq(ask(sql), run_metric_info[i].kind == RUN_METRIC_COUNT_KIND ? "INTEGER" : "REAL");
    }
}
END_TEST

START_TEST(a_record_comes_back_bit_by_bit)
{
    struct store *store = open_store();
    int64_t id = enter(store, NULL);
    struct record record = hard_record(3);
    struct record back;
    ck_assert_int_eq(store_find(store, id, 7, 3, &no_log, &back, &error), 0);
    save(store, id, &record, &no_log);
    ck_assert_int_eq(store_find(store, id, 7, 3, &no_log, &back, &error), 1);
    ck_assert(back.is_reused);
    ck_assert_mem_eq(&back.duration_s, &record.duration_s, sizeof back.duration_s);
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        ck_assert(back.metric[i] == record.metric[i] || (isnan(back.metric[i]) && isnan(record.metric[i])));
    ck_assert_mem_eq(back.spare_chip_s, record.spare_chip_s, sizeof back.spare_chip_s);
    ck_assert_mem_eq(back.bucket_chip_s, record.bucket_chip_s, sizeof back.bucket_chip_s);
    ck_assert_int_eq(back.learners, 2);
    ck_assert_mem_eq(back.learner, record.learner, 2 * sizeof *back.learner);
    record_fini(&back);
    record_fini(&record);
    store_close(store);
}
END_TEST

START_TEST(a_run_is_its_scenario_replica_and_seed)
{
    struct store *store = open_store();
    struct record back;
    struct record record = hard_record(0);
    int64_t id = enter(store, NULL);
    int64_t other = enter(store, "fleet.chips=1.2M");
    ck_assert_int_ne(id, other);
    ck_assert_int_eq(enter(store, NULL), id);
    ck_assert_int_eq(enter(store, "seed=99"), id);
    save(store, id, &record, &no_log);
    ck_assert_int_eq(store_find(store, other, 7, 0, &no_log, &back, &error), 0);
    ck_assert_int_eq(store_find(store, id, 8, 0, &no_log, &back, &error), 0);
    ck_assert_int_eq(store_find(store, id, 7, 1, &no_log, &back, &error), 0);
    record_fini(&record);
    store_close(store);
    ck_assert_str_eq(ask("SELECT count(*) FROM scenario"), "2");
    ck_assert_str_eq(ask("SELECT value FROM param WHERE key = 'fleet.chips' ORDER BY scenario_id DESC"), "1200000.0");
}
END_TEST

START_TEST(storing_twice_stores_once)
{
    struct store *first = open_store();
    struct store *second = open_store();
    struct record record = hard_record(0);
    int64_t id = enter(first, NULL);
    save(first, id, &record, &no_log);
    save(second, id, &record, &no_log);
    ck_assert_str_eq(ask("SELECT count(*) FROM run"), "1");
    ck_assert_str_eq(ask("SELECT count(*) FROM learner"), "2");
    record_fini(&record);
    store_close(first);
    store_close(second);
}
END_TEST

START_TEST(a_stalled_run_has_no_part_in_a_mean)
{
    struct store *store = open_store();
    struct record back;
    struct record record = hard_record(0);
    int64_t id = enter(store, NULL);
    record.status = RUN_NO_PROGRESS;
    record.no_progress_at_ns = 12345678901;
    save(store, id, &record, &no_log);
    ck_assert_int_eq(store_find(store, id, 7, 0, &no_log, &back, &error), 1);
    ck_assert_int_eq(back.status, RUN_NO_PROGRESS);
    ck_assert_int_eq(back.no_progress_at_ns, 12345678901);
    ck_assert_str_eq(ask("SELECT count(*) FROM goodput_summary"), "0");
    record_fini(&record);
    record_fini(&back);
    store_close(store);
}
END_TEST

/* Goodput 0.85, 0.86, 0.87: mean 0.86, sd 0.01, half-width t(0.975, 2) 0.01 / sqrt(3) = 4.302653 x 0.0057735 =
 * 0.024841. */
START_TEST(a_cell_is_the_mean_of_its_runs)
{
    struct store *store = open_store();
    struct store_cell *cell;
    size_t count;
    int64_t id = enter(store, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        struct record record = hard_record(i);
        record.metric[RUN_METRIC_goodput] = 0.85 + 0.01 * i;
        save(store, id, &record, &no_log);
        record_fini(&record);
    }
    ck_assert_int_eq(store_cells(store, "1a", &cell, &count, &error), 0);
    ck_assert_uint_eq(count, 30);
    ck_assert_str_eq(cell[29].method, "decoupled-diloco");
    ck_assert_int_eq(cell[29].chips, 2400000);
    ck_assert_double_eq(cell[29].published, 0.86);
    ck_assert_double_eq_tol(cell[29].simulated, 0.86, 1e-12);
    ck_assert_double_eq_tol(cell[29].ci95, 0.024841, 1e-6);
    ck_assert_int_eq(cell[29].n, 3);
    ck_assert(isnan(cell[0].simulated));
    free(cell);
    store_close(store);
}
END_TEST

START_TEST(the_newest_of_several_scenarios_is_shown)
{
    struct store *store = open_store();
    struct store_cell *cell;
    size_t count;
    struct record record = hard_record(0);
    record.metric[RUN_METRIC_goodput] = 0.1;
    save(store, enter(store, NULL), &record, &no_log);
    record.metric[RUN_METRIC_goodput] = 0.2;
    save(store, enter(store, "learners.step_time=8s"), &record, &no_log);
    record.metric[RUN_METRIC_goodput] = 0.3; /* not the paper's fleet, whatever its size */
    save(store, enter(store, "name=mine"), &record, &no_log);
    ck_assert_int_eq(store_cells(store, "1a", &cell, &count, &error), 0);
    ck_assert_uint_eq(count, 30);
    ck_assert_double_eq(cell[29].simulated, 0.2);
    ck_assert_int_eq(cell[29].scenarios, 2);
    free(cell);
    record_fini(&record);
    store_close(store);
}
END_TEST

/* A finished run of a scenario called `name`, and `rest`: more columns of `scenario` and keys, in SQL. Its id is 1. */
static void store_as(const char *name, const char *rest)
{
    char sql[1024];
    struct store *store = open_store();
    struct record record = hard_record(0);
    record.metric[RUN_METRIC_goodput] = 0.9;
    save(store, enter(store, NULL), &record, &no_log);
    record_fini(&record);
    store_close(store);
    (void)snprintf(sql, sizeof sql, "UPDATE scenario SET name = '%s'; %s", name, rest);
    tell(sql);
}

START_TEST(a_scenario_keeps_its_question_and_who_chose_each_value)
{
    struct scenario_text *asked = NULL;
    struct scenario built;
    int64_t id = 0;
    const char *setting = "elastic.upscale=9s";
    const char *bytes =
        "# Does it?\nname: x\nmethod: elastic-dp\nduration: 1h\nfleet: {chips: 8, chips_per_slice: 2}\n";
    ck_assert_int_eq(scenario_parse("x.yaml", bytes, strlen(bytes), &asked, &error), 0);
    ck_assert_int_eq(scenario_build(asked, &setting, 1, &built, &error), 0);
    struct store *store = open_store();
    ck_assert_int_eq(store_scenario(store, &built, asked, &setting, 1, &id, &error), 0);
    store_close(store);
    scenario_close(asked);
    ck_assert_str_eq(ask("SELECT question FROM scenario"), "Does it?");
    ck_assert_str_eq(ask("SELECT group_concat(source) FROM (SELECT source FROM param WHERE key IN "
                         "('elastic.downscale', 'elastic.upscale', 'fleet.chips', 'warmup') ORDER BY key)"),
                     "fitted,user,user,assumed");
    ck_assert_int_eq(atoi(ask("SELECT count(*) FROM metric")), RUN_METRIC_COUNT);
    ck_assert_str_eq(ask("SELECT kind FROM metric WHERE name = 'goodput'"), "fraction");
}
END_TEST

START_TEST(table_5_takes_runs_by_what_they_were_told)
{
    store_as("table-5", "UPDATE scenario SET learners = 8;"
                        "INSERT OR REPLACE INTO param VALUES (1, 'learners.step_jitter', '10%', 0.1, 'user'),"
                        "(1, 'fleet.classes.slow.speed', '0.8475', 0.8475, 'user'), (1, 'fleet.classes.slow.share', "
                        "'50%', 0.5, 'user'),"
                        "(1, 'syncer.quorum', '8', 8, 'user'), (1, 'syncer.grace', 'off', NULL, 'user'), (1, "
                        "'syncer.overlap', '0', 0, 'user')");
    ck_assert_str_eq(ask("SELECT count(*) || ' ' || count(simulated) FROM table_5"), "5 1");
    ck_assert_str_eq(ask("SELECT basis || ' ' || round(difference, 6) FROM table_5 WHERE n = 1"), "assumed 0.06");
    ck_assert_str_eq(ask("SELECT note FROM table_5_notes"), "missing: 4 of 5 rows have no runs");
    tell("UPDATE param SET value = 0 WHERE key = 'learners.step_jitter'");
    ck_assert_str_eq(ask("SELECT count(simulated) FROM table_5"), "0");
    tell("UPDATE param SET value = 0.1 WHERE key = 'learners.step_jitter'; UPDATE scenario SET name = 'mine'");
    ck_assert_str_eq(ask("SELECT count(simulated) FROM table_5"), "0");
}
END_TEST

/* Two runs, a grid step of 10^(1/24) = 1.1007 apart, and a published 1.7 Gbit/s between them; 1.2 Gbit/s have no run
 * that falls short. */
START_TEST(table_13_finds_the_smallest_link_of_the_grid)
{
    store_as("table-13", "UPDATE scenario SET learners = 8; UPDATE run SET compute_utilisation = 0.92;"
                         "INSERT OR REPLACE INTO param VALUES (1, 'learners.step_time', '1s', 1, 'user'), (1, "
                         "'learners.step_jitter', '0%', 0, 'user'),"
                         "(1, 'network.parameters', '5G', 5e9, 'user'), (1, 'network.bits', '16', 16, 'user'), (1, "
                         "'network.datacentres', '2', 2, 'user'),"
                         "(1, 'network.link', '', 1.7783e9, 'user'), (1, 'syncer.quorum', '1', 1, 'user'), (1, "
                         "'syncer.overlap', '2', 2, 'user')");
    ck_assert_str_eq(ask("SELECT count(*) || ' ' || count(simulated) || ' ' || sum(n) FROM table_13"), "60 0 5");
    struct store *store = open_store();
    struct record record = hard_record(0);
    save(store, enter(store, "duration=2h"), &record, &no_log);
    record_fini(&record);
    store_close(store);
    tell("UPDATE run SET compute_utilisation = 0.85 WHERE scenario_id = 2;"
         "UPDATE scenario SET name = 'table-13', learners = 8 WHERE id = 2;"
         "INSERT OR REPLACE INTO param SELECT 2, key, text, iif(key = 'network.link', 1.6156e9, value), source FROM "
         "param "
         "WHERE scenario_id = 1");
    ck_assert_str_eq(
        ask("SELECT count(simulated) || ' ' || min(compute_utilisation) FROM table_13 WHERE simulated IS NOT NULL"),
        "1 0.9");
    ck_assert_str_eq(
        ask("SELECT printf('%.4f %s %s', simulated, within_one_step, basis) FROM table_13 WHERE simulated IS NOT NULL"),
        "1.7783 yes assumed");
    tell("UPDATE param SET value = 1.5e9 WHERE scenario_id = 2 AND key = 'network.link'"); /* no longer a step apart */
    ck_assert_str_eq(ask("SELECT count(simulated) FROM table_13"), "0");
}
END_TEST

/* Least squares by hand: shape x / (2 (1 + x)^2) = 0.08, 1/9, 1/8, 3/32; published less ideal 0.17, 0.25667, 0.27,
 * 0.175; a = 0.092278 / 0.043160. */
START_TEST(table_4_fits_one_number_to_what_is_not_simulated)
{
    store_close(open_store());
    ck_assert_str_eq(ask("SELECT printf('%.3f', max(a)) FROM table_4"), "2.138");
    ck_assert_str_eq(ask("SELECT group_concat(printf('%+.3f', difference), ' ') FROM table_4 WHERE basis = 'fitted'"),
                     "+0.000 +0.001 -0.019 -0.003 +0.025");
    ck_assert_str_eq(ask("SELECT count(*) || ' ' || count(simulated) FROM table_4 WHERE basis = 'derived'"), "5 0");
}
END_TEST

START_TEST(logs_belong_to_their_run_and_can_be_added_later)
{
    struct store *store = open_store();
    struct record back;
    struct record record = hard_record(0);
    struct run_transition change = {5, "slice", 1, "up", "away", "failure"};
    struct run_round round = {.round = 1,
                              .opened_ns = 10,
                              .quorum_ns = 20,
                              .closed_ns = 30,
                              .fragment = -1,
                              .participants = 4,
                              .weight = 2.5,
                              .effective_learners = 1.5,
                              .tokens = 1e6,
                              .staleness_max = 7};
    struct runlog log = {.keeps_transitions = true, .keeps_rounds = true};
    struct run_observer observer = runlog_observer(&log);
    int64_t id = enter(store, NULL);
    observer.on_transition(observer.context, &change);
    observer.on_round(observer.context, &round);
    save(store, id, &record, &no_log);
    ck_assert_int_eq(store_find(store, id, 7, 0, &log, &back, &error), 0);
    save(store, id, &record, &log);
    save(store, id, &record, &log);
    ck_assert_int_eq(store_find(store, id, 7, 0, &log, &back, &error), 1);
    ck_assert_str_eq(ask("SELECT count(*) FROM transition WHERE cause = 'failure' AND run_id = 1"), "1");
    ck_assert_str_eq(ask("SELECT count(*) FROM round WHERE fragment IS NULL AND participants = 4"), "1");
    runlog_fini(&log);
    record_fini(&record);
    record_fini(&back);
    store_close(store);
}
END_TEST

static bool has_overrun;

static void on_over(void)
{
    has_overrun = true;
}

START_TEST(a_log_beyond_its_limit_says_so)
{
    struct runlog log = {.keeps_rounds = true, .rounds = RUNLOG_ROWS_MAX, .on_over = on_over};
    struct run_round round = {0};
    struct run_observer observer = runlog_observer(&log);
    ck_assert(observer.on_transition == NULL);
    observer.on_round(observer.context, &round);
    ck_assert(log.is_over);
    ck_assert(has_overrun);
    ck_assert_uint_eq(log.rounds, RUNLOG_ROWS_MAX);
}
END_TEST

static void expect_refusal(const char *what)
{
    struct store *store = NULL;
    ck_assert_int_eq(store_open(path, STORE_JOURNAL_AUTO, &store, &error), -1);
    ck_assert_ptr_null(store);
    ck_assert_ptr_nonnull(strstr(error.text, path));
    ck_assert_msg(strstr(error.text, what) != NULL, "%s", error.text);
}

START_TEST(what_is_not_ours_is_left_alone)
{
    tell("CREATE TABLE t(x)");
    expect_refusal("another program");
    ck_assert_str_eq(ask("SELECT count(*) FROM sqlite_schema"), "1");
    tell("DROP TABLE t; PRAGMA user_version = 5");
    expect_refusal("another program");
}
END_TEST

START_TEST(a_newer_schema_is_refused)
{
    store_close(open_store());
    tell("PRAGMA user_version = 99");
    expect_refusal("schema version 99");
}
END_TEST

START_TEST(a_file_that_is_no_database_is_refused)
{
    static const char *const contents[] = {"x", "method,learners\n"};
    FILE *to = fopen(path, "w");
    (void)fputs(contents[_i], to);
    (void)fclose(to);
    expect_refusal("not a database");
}
END_TEST

START_TEST(names_that_are_no_files_are_refused)
{
    static const char *const names[] = {"", "-", ":memory:", "/dev/null", "/tmp", "/nonexistent/x.db"};
    struct store *store;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ck_assert_msg(store_open(names[i], STORE_JOURNAL_AUTO, &store, &error) == -1, "%s", names[i]);
    ck_assert_int_eq(store_open_reading(path, &store, &error), -1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("store");
    TCase *tests = tcase_create("store");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_new_file_has_the_schema_and_the_published_tables);
    tcase_add_test(tests, every_metric_is_a_column);
    tcase_add_test(tests, a_record_comes_back_bit_by_bit);
    tcase_add_test(tests, a_run_is_its_scenario_replica_and_seed);
    tcase_add_test(tests, storing_twice_stores_once);
    tcase_add_test(tests, a_stalled_run_has_no_part_in_a_mean);
    tcase_add_test(tests, a_cell_is_the_mean_of_its_runs);
    tcase_add_test(tests, the_newest_of_several_scenarios_is_shown);
    tcase_add_test(tests, a_scenario_keeps_its_question_and_who_chose_each_value);
    tcase_add_test(tests, table_5_takes_runs_by_what_they_were_told);
    tcase_add_test(tests, table_13_finds_the_smallest_link_of_the_grid);
    tcase_add_test(tests, table_4_fits_one_number_to_what_is_not_simulated);
    tcase_add_test(tests, logs_belong_to_their_run_and_can_be_added_later);
    tcase_add_test(tests, a_log_beyond_its_limit_says_so);
    tcase_add_test(tests, what_is_not_ours_is_left_alone);
    tcase_add_test(tests, a_newer_schema_is_refused);
    tcase_add_loop_test(tests, a_file_that_is_no_database_is_refused, 0, 2);
    tcase_add_test(tests, names_that_are_no_files_are_refused);
    suite_add_tcase(suite, tests);
    return rig_main(suite);
}
