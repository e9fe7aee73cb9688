/* tools/faultline/scenario_internal.h -- a scenario file as a flat list of keys, each still text, with its place.
 *
 * Shared by the files of the scenario only: scenario.c fills it, scenario_build.c and its
 * helpers read it, scenario_write.c goes the way back. Every key in it is known to the
 * key table and occurs once; whether the values make sense is not looked at yet.
 *
 * Units: lines and columns count from 1, columns in characters.
 * Ownership: scenario_text owns everything it points to.
 * Errors: none.
 */
#ifndef TOOLS_FAULTLINE_SCENARIO_INTERNAL_H
#define TOOLS_FAULTLINE_SCENARIO_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/error.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/scenario.h"

struct scenario_place {
    size_t line;
    size_t column;
};

struct scenario_node {
    char path[KEYS_PATH_MAX];    /* of a key or a section */
    char *text;                  /* the value; NULL for a section */
    struct scenario_place name;  /* where the key stands */
    struct scenario_place value; /* where its value stands */
};

/* Every section, key and name once: this many. */
#define SCENARIO_NODES_MAX 2048

/* The logs that sources of the scenario name, each read once; the configs that are built point at them. */
struct scenario_logs {
    struct scenario_log *first;
};

struct scenario_text {
    char *file;     /* as the user named it */
    char *question; /* the comment at its head */
    struct scenario_logs *logs;
    size_t count;
    struct scenario_node node[SCENARIO_NODES_MAX];
};

/* The node of `path`, or NULL. */
const struct scenario_node *scenario_node_find(const struct scenario_text *text, const char *path);

/* What is wrong with a path that is not in the key table, for any kind of position. */
int scenario_unknown(const char *position, const char *path, struct sim_error *error);

/* Checks one segment of a path: a valid name without the characters that separate keys in a setting. */
int scenario_check_segment(const char *segment, struct sim_error *error);

/* The text of the default of a key, in `ret` where it depends on the rest of the scenario; NULL when there is none.
 * Requires the keys above it in the table to be read. Where it comes from is in *ret_origin. */
const char *scenario_default(const struct keys_key *key, const struct scenario *scenario,
                             char ret[static VALUE_TEXT_MAX], enum scenario_origin *ret_origin);

/* `name` as seen from the folder of the file `scenario`; of standard input, the working folder. The caller frees it. */
char *scenario_path(const char *scenario, const char *name);

/* The log of a source of this kind whose keys are read: from its file, or as it was read before. */
int scenario_read_log(const struct scenario_text *text, struct config_source *source, struct sim_error *error);
void scenario_free_logs(struct scenario_logs *logs);

/* The sizes in the CSV file `name`, in the folder of the scenario file `scenario`, as the text of a list; the caller
 * frees it. */
int scenario_read_sizes(const char *scenario, const char *name, char **ret, struct sim_error *error);

/* The same for delays, as the text of an empirical law: a column `seconds` of numbers, or else a column `duration` of
 * times with units. */
int scenario_read_delays(const char *scenario, const char *name, char **ret, struct sim_error *error);

/* The lines of comment that the bytes begin with, without their marks; the caller frees it. */
char *scenario_head(const char *bytes, size_t size);

/* What decides whether keys mean something: of the scenario, and of one of its sources or NULL. */
struct keys_context scenario_context(const struct scenario *scenario, const struct config_source *source);

/* One effective key: its row of the table, its path with the name filled in, and the struct that holds it. */
struct scenario_item {
    const struct keys_key *key;
    const char *path;
    const void *base;
};

/* Calls `visit` for every effective key in the order of the table, the named ones entry by entry. The item lives during
 * the call. What is not given and has no default, and what means nothing, is left out. */
void scenario_walk(const struct scenario *scenario, void (*visit)(void *context, const struct scenario_item *item),
                   void *context);

#endif
