/* tools/faultline/table_view.h -- the tables of the paper that a view of the results database answers.
 *
 * The view table_NAME has the rows, one per cell, with the columns `simulated`, `n` and `scenarios` among them;
 * table_NAME_notes has the lines below the table. What is compared and how is said in tools/faultline/schema.sql alone,
 * so that sqlite3 and `faultline table` never differ. Tables 1a and 1b have code of their own in cmd_table.c.
 *
 * Units: in CSV and JSON those of the view; percent and points for people.
 * Ownership: nothing is kept.
 * Errors: -1 with a text that names the database.
 */
#ifndef TOOLS_FAULTLINE_TABLE_VIEW_H
#define TOOLS_FAULTLINE_TABLE_VIEW_H

#include "tools/faultline/store.h"
#include "tools/faultline/summary.h"

struct table_view;

/* The view of a table, or NULL; and the views one by one, NULL after the last. */
const struct table_view *table_view_find(const char *name);
const struct table_view *table_view_at(size_t index);

const char *table_view_name(const struct table_view *view);
const char *table_view_title(const struct table_view *view);

struct table_view_count {
    int64_t cells;
    int64_t with_runs;
    int64_t ambiguous; /* cells that several scenarios fit; the one with the newest run is shown */
};

int table_view_count(const struct table_view *view, struct store *store, struct table_view_count *ret,
                     struct sim_error *error);

/* Prints the table, for a page with its heading as HTML. */
int table_view_print(FILE *to, const struct table_view *view, struct store *store, enum summary_format format,
                     struct sim_error *error);

/* The tables of a page one by one: all of the above and before them 1a and 1b. NULL after the last. */
const struct table_view *table_view_of_page(size_t index);

#endif
