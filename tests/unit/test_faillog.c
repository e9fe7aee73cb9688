#include "tools/faultline/faillog.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/rig.h"
#include "tools/faultline/dates.h"

static struct sim_error why;
static char path[] = "/tmp/faillog-XXXXXX";

static void write_file(const char *text)
{
    (void)strcpy(path, "/tmp/faillog-XXXXXX");
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(file);
}

static const struct faillog_format plain = {
    .start = "start", .end = "end", .machine = "node", .dates = "%m/%d/%Y %H:%M", .unit_ns = 60 * SIM_SECOND};

static int read_text(const char *text, const struct faillog_format *format, struct config_log **ret)
{
    write_file(text);
    int status = faillog_read(path, format, ret, &why);
    (void)unlink(path);
    return status;
}

static void expect_error(const char *text, const struct faillog_format *format, const char *expected)
{
    struct config_log *log = NULL;
    char whole[256];
    ck_assert_int_eq(read_text(text, format, &log), -1);
    ck_assert_ptr_null(log);
    (void)snprintf(whole, sizeof whole, "%s%s", path, expected);
    ck_assert_str_eq(why.text, whole);
}

#define GOOD                                                                                                           \
    "start,end,node,system\n1/2/2000 10:00,1/2/2000 11:30,b,20\n1/2/2000 9:00,1/2/2000 09:00,a,20\n"                   \
    "1/3/2000 0:00,1/3/2000 0:01,b,21"

static void expect_good(const char *text)
{
    struct config_log *log;
    ck_assert_msg(read_text(text, &plain, &log) == 0, "%s", why.text);
    static const struct config_log_row expected[] = {
        {0, 0, 0}, {3600 * SIM_SECOND, 9000 * SIM_SECOND, 1}, {54000 * SIM_SECOND, 54060 * SIM_SECOND, 1}};
    ck_assert_int_eq(log->rows, 3);
    ck_assert_int_eq(log->machines, 2);
    for (int i = 0; i < 3; i++)
        ck_assert(log->row[i].start_ns == expected[i].start_ns && log->row[i].end_ns == expected[i].end_ns &&
                  log->row[i].machine == expected[i].machine);
    faillog_free(log);
}

/* Sorted by start, machines numbered by their first failure, whatever the line ends look like. */
START_TEST(all_line_ends_give_the_same_log)
{
    char crlf[512] = "", *to = crlf;
    expect_good(GOOD);
    expect_good(GOOD "\n");
    expect_good("\xEF\xBB\xBF" GOOD "\n\n");
    for (const char *at = GOOD "\n"; *at != '\0'; at++) {
        if (*at == '\n')
            *to++ = '\r';
        *to++ = *at;
    }
    expect_good(crlf);
}
END_TEST

START_TEST(bad_logs_are_refused_with_line_and_column)
{
    struct faillog_format down = plain;
    down.end = NULL;
    down.down = "end";
    expect_error(GOOD ",\n", &plain, ":4:1: 5 fields, but the header has 4");
    expect_error("start,end,node\n1/2/2000 10:00,1/2/2000 11:30\n", &plain, ":2:1: 2 fields, but the header has 3");
    expect_error("start,end\n1/2/2000 10:00,1/2/2000 11:30\n", &plain, ":1:1: the header has no column 'node'");
    expect_error("start,end,node\n1/2/2000 10:00,abc,a\n", &down,
                 ":2:16: 'abc': not a number; expected a number such as 0.7");
    expect_error("start,end,node\n1/2/2000 10:00,-5,a\n", &down,
                 ":2:16: '-5': must not be negative; expected a number such as 0.7");
    expect_error("start,end,node\n1/2/2000 10:00,1/2/2000 9:59,a\n", &plain, ":2:16: the outage ends before it starts");
    expect_error("start,end,node\n2/30/2000 10:00,1/2/2000 9:59,a\n", &plain,
                 ":2:1: '2/30/2000 10:00': not a date of the form '%m/%d/%Y %H:%M'");
    expect_error("start,end,node\n", &plain, ": has no failures");
}
END_TEST

START_TEST(conditions_choose_rows)
{
    struct config_log *log;
    struct faillog_format format = plain;
    format.where = "{system: 20, node: \"b\"}";
    ck_assert_int_eq(read_text(GOOD, &format, &log), 0);
    ck_assert_int_eq(log->rows, 1);
    faillog_free(log);
    format.where = "{system: 22}";
    expect_error(GOOD, &format, ": has no failures that meet the conditions");
    format.where = "{sistem: 22}";
    expect_error(GOOD, &format, ":1:1: the header has no column 'sistem'");
}
END_TEST

#define CAUSES                                                                                                         \
    "start,cause,Hardware,Human Error\n1,memory , dimm,\n2,,,typing\n4, Memory,,\n8,disk,disk,typing\n16, "            \
    ",,\n32,DISK,,x"

static struct config_log *read_causes(const char *cause, const char *causes, const char *where)
{
    struct config_log *log = NULL;
    const struct faillog_format format = {
        .start = "start", .down = "start", .unit_ns = SIM_SECOND, .cause = cause, .causes = causes, .where = where};
    ck_assert_msg(read_text(CAUSES, &format, &log) == 0, "%s", why.text);
    return log;
}

static void expect_cause(const struct config_log *log, int i, const char *name, int64_t failures, double outages_s)
{
    ck_assert_str_eq(log->cause[i].name, name);
    ck_assert_int_eq(log->cause[i].failures, failures);
    ck_assert_double_eq(log->cause[i].outages_s, outages_s);
}

/* Blanks around a cause and its case say nothing; a blank one is none. */
START_TEST(a_cause_is_what_its_column_says)
{
    struct config_log *log = read_causes("cause", NULL, NULL);
    ck_assert_int_eq(log->causes, 2);
    expect_cause(log, 0, "memory", 2, 1 + 4);
    expect_cause(log, 1, "disk", 2, 8 + 32);
    ck_assert_str_eq(log->cause[1].event, "chip failed: disk");
    ck_assert(log->row[0].cause == &log->cause[0] && log->row[2].cause == &log->cause[0]);
    ck_assert(log->row[1].cause == NULL && log->row[4].cause == NULL);
    faillog_free(log);
}
END_TEST

START_TEST(a_cause_is_the_heading_of_the_first_filled_column)
{
    struct config_log *log = read_causes("[Human Error, \"Hardware\"]", NULL, NULL);
    ck_assert_int_eq(log->rows, 6);
    ck_assert_int_eq(log->causes, 2);
    expect_cause(log, 0, "Hardware", 1, 1);
    expect_cause(log, 1, "Human Error", 3, 2 + 8 + 32);
    faillog_free(log);
}
END_TEST

/* A column that no row fills first is a cause, and so is one of rows that do not meet the conditions. */
START_TEST(causes_choose_rows)
{
    struct config_log *log = read_causes("[Hardware, Human Error]", "[HUMAN ERROR]", NULL);
    ck_assert_int_eq(log->rows, 2);
    ck_assert(log->row[0].start_ns == 0 && log->row[1].start_ns == 30 * SIM_SECOND);
    expect_cause(log, 0, "Hardware", 0, 0);
    faillog_free(log);
    log = read_causes("[Hardware, cause]", "[cause, hardware]", "{Human Error: typing}");
    ck_assert_int_eq(log->rows, 1);
    faillog_free(log);
    struct faillog_format format = {.start = "start", .unit_ns = SIM_SECOND, .cause = "cause", .causes = "[disk, fan]"};
    expect_error(CAUSES, &format, ": no failure has the cause 'fan'; its causes are: memory, disk");
    format.causes = "disk";
    format.where = "{Human Error: \"\", Hardware: disk}";
    expect_error(CAUSES, &format, ": has no failures that meet the conditions");
    format.cause = "[Hardware, Softwar]";
    expect_error(CAUSES, &format, ":1:1: the header has no column 'Softwar'");
    format = (struct faillog_format){.start = "start", .unit_ns = SIM_SECOND, .cause = "cause"};
    expect_error("start,cause\n1,a\tb\n", &format,
                 ":2:3: as a cause: 'a?b': a name may not have control characters or line breaks");
}
END_TEST

START_TEST(causes_have_a_limit)
{
    char text[4096] = "start,cause\n";
    const struct faillog_format format = {.start = "start", .unit_ns = SIM_SECOND, .cause = "cause"};
    for (int i = 0; i < 256; i++)
        (void)sprintf(text + strlen(text), "%d,c%d\n", i, i);
    struct config_log *log;
    ck_assert_int_eq(read_text(text, &format, &log), 0);
    ck_assert_int_eq(log->causes, 256);
    faillog_free(log);
    expect_error(strcat(text, "1,another\n"), &format, ":258:3: more than 256 causes");
}
END_TEST

START_TEST(conditions_have_one_canonical_text)
{
    char text[CONFIG_TEXT_MAX];
    ck_assert_int_eq(faillog_check_where("{ System:20,a b : \"x, \\\"y\\\\\" }", text, &why), 0);
    ck_assert_str_eq(text, "{\"System\": \"20\", \"a b\": \"x, \\\"y\\\\\"}");
    ck_assert_int_eq(faillog_check_where(text, text, &why), 0);
    static const char *const bad[] = {"",      "{",       "{}",      "System: 20", "{System}", "{System: }",
                                      "{a: 1", "{a: 1}}", "{a: 1,}", "{a: \"1}",   "{a: 1} x"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(faillog_check_where(bad[i], text, &why) != 0, "%s", bad[i]);
}
END_TEST

static sim_time date(const char *format, const char *text)
{
    sim_time time = -1;
    ck_assert_msg(dates_read(format, text, &time, &why) == 0, "%s", why.text);
    return time;
}

/* Against `date -u -d TEXT +%s`. */
START_TEST(dates_are_utc)
{
    ck_assert_int_eq(date("%Y-%m-%d", "1970-01-01"), 0);
    ck_assert_int_eq(date("%FT%TZ", "2000-02-29T23:59:59Z"), 951868799 * SIM_SECOND);
    ck_assert_int_eq(date("%F %T", "2024-12-31 00:00:00.25"), 1735603200 * SIM_SECOND + SIM_SECOND / 4);
    ck_assert_int_eq(date("%m/%d/%y %H:%M", "6/21/05 9:3"), 1119344580 * SIM_SECOND);
    ck_assert_int_eq(date("%d %b %Y 100%%", "1 Mar 2100 100%"), 4107542400 * SIM_SECOND);
    static const char *const bad[] = {"",         "2000-2-30", "2001-2-29", "2000-13-1", "2000-0-1",  "2000-1-1x",
                                      "1969-1-1", "2201-1-1",  " 2000-1-1", "2000-1-0",  "-2000-1-1", "2000/1/1"};
    sim_time time;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(dates_read("%Y-%m-%d", bad[i], &time, &why) != 0, "%s", bad[i]);
    ck_assert_int_eq(dates_check("%m/%d/%Y %H:%M", &why), 0);
    static const char *const no_format[] = {"%d.%m.", "%Y %Z", "%Y%", "%Y %j", "text"};
    for (size_t i = 0; i < sizeof no_format / sizeof no_format[0]; i++)
        ck_assert_msg(dates_check(no_format[i], &why) != 0, "%s", no_format[i]);
}
END_TEST

/* 100,000 rows in descending order with ties: sorted, and ties in the order of the file. */
START_TEST(large_logs_are_sorted_stably)
{
    enum { ROWS = 100000 };
    char *text = malloc(ROWS * 32), *to = text;
    struct config_log *log;
    const struct faillog_format format = {.start = "t", .down = "d", .unit_ns = SIM_SECOND};
    to += sprintf(to, "t,d\n");
    for (int i = 0; i < ROWS; i++)
        to += sprintf(to, "%d,%d\n", (ROWS - 1 - i) / 4, i);
    ck_assert_msg(read_text(text, &format, &log) == 0, "%s", why.text);
    for (int i = 1; i < ROWS; i++) {
        const struct config_log_row *a = &log->row[i - 1], *b = &log->row[i];
        ck_assert(a->start_ns < b->start_ns ||
                  (a->start_ns == b->start_ns && a->end_ns - a->start_ns < b->end_ns - b->start_ns));
    }
    faillog_free(log);
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("faillog");
    TCase *tcase = tcase_create("faillog");
    tcase_add_test(tcase, all_line_ends_give_the_same_log);
    tcase_add_test(tcase, bad_logs_are_refused_with_line_and_column);
    tcase_add_test(tcase, conditions_choose_rows);
    tcase_add_test(tcase, a_cause_is_what_its_column_says);
    tcase_add_test(tcase, a_cause_is_the_heading_of_the_first_filled_column);
    tcase_add_test(tcase, causes_choose_rows);
    tcase_add_test(tcase, causes_have_a_limit);
    tcase_add_test(tcase, conditions_have_one_canonical_text);
    tcase_add_test(tcase, dates_are_utc);
    tcase_add_test(tcase, large_logs_are_sorted_stably);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
