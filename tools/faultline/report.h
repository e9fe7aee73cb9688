/* tools/faultline/report.h -- a database as one HTML page: question, answer in words, figures, tables, how to repeat
 * it.
 *
 * report_read takes the content of the database into memory, report_write makes the page of it: one file with its style
 * and its figures (inline SVG) inside, without scripts and without anything to fetch. The same database gives the same
 * bytes. Everything that users named is escaped (tools/faultline/html.h).
 *
 *   report_read.c   the content of a database, and which keys tell its scenarios apart
 *   report_page.c   the page from top to bottom
 *   report_words.c  the key numbers as sentences
 *   report_table.c  tables of metrics, scenarios and keys
 *   report_chart.c  figures; report_axis.c their axes
 *
 * Units: as in tools/faultline/record.h.
 * Ownership: report_read fills a report that report_fini releases; strings are the report's.
 * Errors: -1 with a text that names the database; a failed write is found when the stream is closed.
 */
#ifndef TOOLS_FAULTLINE_REPORT_H
#define TOOLS_FAULTLINE_REPORT_H

#include "tools/faultline/record.h"
#include "tools/faultline/store.h"

/* An effective key of a scenario. */
struct report_param {
    char *key;
    char *text;
    double number; /* NAN where it is none */
    char *source;  /* user, paper, fitted, assumed, method, ... */
};

/* A scenario with its replicas, in the order of seed and number. */
struct report_scenario {
    int64_t id;
    char *name;
    char *method;
    int64_t chips;
    int64_t learners;
    char *question; /* "" when there is none */
    char *text;
    struct report_param *param; /* by key */
    size_t params, params_capacity;
    struct record *record; /* without learners */
    size_t records, records_capacity;
};

struct report {
    struct store *store;  /* the caller's */
    const char *database; /* its name as a command takes it, the caller's */
    struct report_scenario *scenario;
    size_t scenarios, scenarios_capacity;
    int64_t older;       /* scenarios that are left out: another says the same, and has newer runs */
    const char **varied; /* keys that users gave different values, by name */
    size_t varieds, varieds_capacity;
};

/* Takes in what the database holds, which stays open while the report is in use. */
int report_read(struct store *store, const char *database, struct report *ret, struct sim_error *error);
void report_fini(struct report *report);

/* True when all scenarios are called the same. */
bool report_has_one_name(const struct report *report);

/* Replicas that count, of one scenario. */
size_t report_counted(const struct report_scenario *scenario);

/* The value of a key, or NULL when the scenario has no such key. */
const struct report_param *report_param(const struct report_scenario *scenario, const char *key);

/* For qsort over params: by number, those without one first, then by text. */
int report_param_order(const void *a, const void *b);

/* What tells a scenario from the others, "learners.count = 4, elastic.downscale = 30s"; without the key `but`, which
 * may be NULL. Its name when nothing else does. The caller frees it. */
char *report_label(const struct report *report, const struct report_scenario *scenario, const char *but);

/* The whole page. */
int report_write(FILE *to, const struct report *report, struct sim_error *error);

#endif
