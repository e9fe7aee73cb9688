/* tools/faultline/options.h -- the options that every simulating command takes, as a child for its argp parser.
 *
 * A command lists `options_child` among its children and hands a struct options to it as child input (child_inputs[0]).
 * Numbers are read strictly: digits and nothing else, inside the range that the message names.
 *
 * Units: counts.
 * Ownership: strings point into argv; options_fini releases the list of settings.
 * Errors: argp prints a usage error and exits with COMMAND_USAGE.
 */
#ifndef TOOLS_FAULTLINE_OPTIONS_H
#define TOOLS_FAULTLINE_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/faultline/scenario.h"
#include "tools/faultline/store.h"
#include "tools/faultline/summary.h"

#define OPTIONS_REPLICAS_MAX 1000000
#define OPTIONS_SEED_MAX INT64_MAX /* what a database can hold */

struct options {
    const char **setting; /* KEY=VALUE, in the order given */
    size_t settings;
    size_t settings_capacity;
    int64_t replicas;
    bool has_seed;
    uint64_t seed;
    int jobs;
    const char *output;         /* database, or NULL */
    enum store_journal journal; /* of the database */
    double timeout_s;           /* wall time of a replica; 0: no limit */
    enum summary_format format;
    bool is_quiet;
    bool every_step;
};

/* The defaults. */
struct options options_default(void);
void options_fini(struct options *options);

/* Adds a setting, as -s does. */
void options_add_setting(struct options *options, const char *setting);

/* The shared options, for argp.children. */
extern const struct argp options_argp;

/* argp_parse, which ends the program where it cannot go on. */
void options_parse(const struct argp *argp, int argc, char **argv, void *input);

/* Strict reading of a whole number from `lowest` to `highest`; false for anything else. */
bool options_integer(const char *text, int64_t lowest, int64_t highest, int64_t *ret);

/* The number of `text` among the names that `option` takes; exits with a usage error that lists them when it is none.
 */
int options_choice(const struct argp_state *state, const char *option, const char *text, const char *const names[],
                   int count);

/* Puts an argument of which there is one, a `what`, into *ret; exits with a usage error when it is there already. */
void options_one(const struct argp_state *state, const char *what, const char *argument, const char **ret);

/* Opens nothing, builds the scenario with these settings, and decides its seed: from the option, the file, or drawn
 * from the system and then shown on stderr unless quiet. -1 with a text. */
int options_build(const struct options *options, const struct scenario_text *text, const char *const setting[],
                  size_t settings, struct scenario *ret, struct sim_error *error);

/* A word as a shell reads it back, bare where that is safe; the caller frees it. */
char *options_quoted(const char *word);

/* The command line that repeats so many replicas of a scenario with these settings; the caller frees it. */
char *options_repeat(const struct options *options, const char *command, const char *path, const char *const setting[],
                     size_t settings, uint64_t seed, size_t replicas);

#endif
