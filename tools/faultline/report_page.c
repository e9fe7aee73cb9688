#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/faultline/alloc.h"
#include "tools/faultline/command.h"
#include "tools/faultline/html.h"
#include "tools/faultline/options.h"
#include "tools/faultline/report_internal.h"
#include "tools/faultline/table_view.h"
#include "tools/faultline/value.h"

enum { COMMANDS_MAX = 12 };

/* Generated from report.css: its lines, ended by NULL. */
extern const char *const report_css[];

static bool is_about_one(const struct report *report)
{
    return report->scenarios == 1;
}

/* ------------------------------------------------------------------ the head */

/* The question of the scenarios when all have the same; "" otherwise. */
static const char *common_question(const struct report *report)
{
    for (size_t i = 1; i < report->scenarios; i++)
        if (strcmp(report->scenario[i].question, report->scenario[0].question) != 0)
            return "";
    return report->scenario[0].question;
}

/* The first line of the question, or a name; the caller frees it. */
static char *title_of(const struct report *report)
{
    struct alloc_draft draft;
    const char *question = common_question(report);
    alloc_draft_start(&draft);
    if (question[0] != '\0' && question[0] != '\n')
        (void)fwrite(question, 1, strcspn(question, "\n"), draft.to);
    else if (report_has_one_name(report))
        (void)fputs(report->scenario[0].name, draft.to);
    else
        (void)fprintf(draft.to, "%zu scenarios", report->scenarios);
    return alloc_draft_finish(&draft);
}

static size_t all_counted(const struct report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->scenarios; i++)
        count += report_counted(&report->scenario[i]);
    return count;
}

static size_t all_records(const struct report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->scenarios; i++)
        count += report->scenario[i].records;
    return count;
}

static void write_replicas(FILE *to, const struct report *report)
{
    size_t counted = all_counted(report), all = all_records(report);
    (void)fprintf(to, "%zu replica%s", counted, counted == 1 ? "" : "s");
    if (all > counted)
        (void)fprintf(to, "; %zu more stalled or made no progress and have no part in a mean", all - counted);
    if (counted == 1)
        (void)fputs("; one replica has no interval: <code>-n 10</code> gives one", to);
}

static void write_subject(FILE *to, const struct report *report)
{
    char chips[VALUE_TEXT_MAX];
    const struct report_scenario *first = &report->scenario[0];
    (void)fputs("<p class=\"meta\">", to);
    if (report_has_one_name(report)) {
        html_text(to, first->name);
        (void)fputs(": ", to);
    }
    if (is_about_one(report)) {
        value_write_count(first->chips, chips);
        html_text(to, first->method);
        (void)fprintf(to, ", %s chips in %" PRId64 " learner%s, ", chips, first->learners,
                      first->learners == 1 ? "" : "s");
    } else {
        (void)fprintf(to, "%zu scenarios, ", report->scenarios);
    }
    write_replicas(to, report);
    (void)fputs("</p>\n", to);
}

static void write_head(FILE *to, const struct report *report)
{
    char *title = title_of(report);
    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"generator\" content=\"faultline " COMMAND_VERSION
                "\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
                to);
    html_text(to, title);
    (void)fputs("</title>\n<style>\n", to);
    for (const char *const *line = report_css; *line != NULL; line++)
        (void)fputs(*line, to);
    (void)fputs("</style>\n</head>\n<body>\n<main>\n<p class=\"kicker\">faultline, ", to);
    html_text(to, report->database);
    (void)fputs("</p>\n<h1>", to);
    html_text(to, title);
    (void)fputs("</h1>\n", to);
    free(title);
    const char *rest = strchr(common_question(report), '\n');
    if (rest != NULL) {
        (void)fputs("<p>", to);
        html_text(to, rest + 1);
        (void)fputs("</p>\n", to);
    }
    write_subject(to, report);
}

/* ------------------------------------------------------------------ the paper */

static int write_published(FILE *to, const struct report *report, struct sim_error *error)
{
    const struct table_view *view;
    bool has_title = false;
    for (size_t i = 0; (view = table_view_of_page(i)) != NULL; i++) {
        struct table_view_count count;
        if (table_view_count(view, report->store, &count, error) != 0)
            return -1;
        if (count.with_runs == 0)
            continue;
        if (!has_title)
            (void)fputs("<h2>Published and simulated</h2>\n<p>The tables of arXiv 2604.21428 that these scenarios "
                        "answer.</p>\n",
                        to);
        has_title = true;
        if (table_view_print(to, view, report->store, SUMMARY_HTML, error) != 0)
            return -1;
    }
    return 0;
}

/* ------------------------------------------------------------------ again */

/* The replicas from `first` on that share its seed; *ret_replicas is how many a command has to ask for. */
static size_t same_seed(const struct report_scenario *scenario, size_t first, uint32_t *ret_replicas)
{
    size_t end = first;
    *ret_replicas = 0;
    for (; end < scenario->records && scenario->record[end].seed == scenario->record[first].seed; end++)
        *ret_replicas = scenario->record[end].replica + 1;
    return end;
}

static void write_file_name(FILE *to, const char *name)
{
    char *quoted = options_quoted(name);
    html_text(to, quoted);
    free(quoted);
}

static void write_commands_of_one(FILE *to, const struct report *report, const struct report_scenario *scenario)
{
    size_t commands = 0;
    uint32_t replicas = 0;
    (void)fputs("<pre>", to);
    for (size_t first = 0; first < scenario->records && commands < COMMANDS_MAX; commands++) {
        size_t end = same_seed(scenario, first, &replicas);
        (void)fputs("sqlite3 ", to);
        write_file_name(to, report->database);
        (void)fprintf(to,
                      " 'SELECT text FROM scenario WHERE id = %" PRId64 "' | faultline run - --seed %" PRIu64
                      " -n %" PRIu32 "\n",
                      scenario->id, scenario->record[first].seed, replicas);
        first = end;
    }
    (void)fputs("</pre>\n<details><summary>The scenario, to be saved as a file of its own</summary><pre>", to);
    html_text(to, scenario->text);
    (void)fputs("</pre></details>\n", to);
}

static void write_commands_of_many(FILE *to, const struct report *report)
{
    (void)fputs("<pre>sqlite3 -separator ' ' ", to);
    write_file_name(to, report->database);
    (void)fputs(" 'SELECT scenario_id, seed, max(replica) + 1 FROM run GROUP BY scenario_id, seed' |\n"
                "while read -r id seed n; do\n    sqlite3 ",
                to);
    write_file_name(to, report->database);
    (void)fputs(" \"SELECT text FROM scenario WHERE id = $id\" |\n"
                "        faultline run - --seed \"$seed\" -n \"$n\" -q -o again.db\ndone</pre>\n",
                to);
}

static bool names_files(const struct report *report)
{
    for (size_t i = 0; i < report->scenarios; i++)
        for (size_t k = 0; k < report->scenario[i].params; k++) {
            const char *key = report->scenario[i].param[k].key;
            size_t length = strlen(key);
            if (length > 5 && strcmp(key + length - 5, ".file") == 0)
                return true;
        }
    return false;
}

static void write_again(FILE *to, const struct report *report)
{
    (void)fputs("<h2>To repeat it</h2>\n<p>The same program gives the same numbers, to the last bit.", to);
    if (names_files(report))
        (void)fputs(" The scenario names files; run it in their folder.", to);
    (void)fputs("</p>\n", to);
    if (is_about_one(report))
        write_commands_of_one(to, report, &report->scenario[0]);
    else
        write_commands_of_many(to, report);
}

/* ------------------------------------------------------------------ the whole */

static void write_one(FILE *to, const struct report *report)
{
    (void)fputs("<h2>Where the time went</h2>\n", to);
    (void)fputs("<div class=\"figures\">\n", to);
    report_chart_losses(to, &report->scenario[0]);
    report_chart_replicas(to, &report->scenario[0]);
    (void)fputs("</div>\n", to);
    (void)fputs("<h2>All metrics</h2>\n", to);
    report_metrics(to, &report->scenario[0]);
    (void)fputs("<p class=\"note\">What was 0 in every replica is left out.</p>\n", to);
}

static void write_many(FILE *to, const struct report *report)
{
    (void)fputs("<h2>How it depends on what was varied</h2>\n", to);
    (void)fputs("<div class=\"figures\">\n", to);
    report_chart_over(to, report, RUN_METRIC_goodput);
    report_chart_over(to, report, RUN_METRIC_uptime);
    report_chart_over(to, report, RUN_METRIC_time_to_train_s);
    report_chart_accounts(to, report);
    (void)fputs("</div>\n", to);
    (void)fputs("<h2>All scenarios</h2>\n", to);
    report_comparison(to, report);
}

int report_write(FILE *to, const struct report *report, struct sim_error *error)
{
    write_head(to, report);
    report_words(to, report);
    if (is_about_one(report))
        write_one(to, report);
    else
        write_many(to, report);
    if (write_published(to, report, error) != 0)
        return -1;
    (void)fputs(
        "<h2>What it rests on</h2>\n<p>Every effective key and who chose its value: <em>user</em>, the scenario or "
        "its settings; the others are defaults, from the <em>paper</em>, <em>fitted</em> to its tables, "
        "<em>assumed</em>, or what the <em>method</em> makes of them.</p>\n",
        to);
    report_params(to, report);
    write_again(to, report);
    (void)fputs(
        "<footer>Intervals are of the mean over replicas: 95 %, Student&#39;s t. Written by faultline " COMMAND_VERSION
        ".</footer>\n</main>\n</body>\n</html>\n",
        to);
    return 0;
}
