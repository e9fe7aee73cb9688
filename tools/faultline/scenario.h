/* tools/faultline/scenario.h -- scenario files: YAML in, a checked config and its effective keys out.
 *
 * Reading has two steps, so that one file (or stdin, which can be read only once) can be built many times with
 * different settings: scenario_open reads and parses the text, scenario_build applies `-s KEY=VALUE` settings and the
 * key table. The only file that includes <yaml.h> is scenario.c.
 *
 * Units: as in models/config.h.
 * Ownership: scenario_text is created by scenario_open and released with scenario_close; struct scenario is a value.
 * The logs it points to belong to the scenario_text it was built from.
 * Errors: -1 with a text `file:line:column: key: what, why, what is allowed`; outputs are untouched.
 */
#ifndef TOOLS_FAULTLINE_SCENARIO_H
#define TOOLS_FAULTLINE_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/config.h"
#include "sim/error.h"

/* Raised whenever a change of the models moves a golden result, so that old results are not taken for new ones. */
#define SCENARIO_MODEL_VERSION "2"

struct scenario_text;

struct scenario {
    char name[CONFIG_NAME_MAX];
    bool has_seed;
    uint64_t seed;
    struct config config;
};

/* Where the value of a key came from. SCENARIO_METHOD: a default that the method replaces; SCENARIO_TENSORS: a sum of
 * sizes. */
enum scenario_origin {
    SCENARIO_DEFAULT,
    SCENARIO_FILE,
    SCENARIO_SETTING,
    SCENARIO_METHOD,
    SCENARIO_TENSORS,
    SCENARIO_EVERY
};

/* One effective key of a scenario. `number` is the value in base units (counts, seconds, bit/s, fractions); NAN where
 * it is none (names, choices, laws). `text` is the value as written canonically. */
struct scenario_entry {
    const char *key;
    const char *text;
    double number;
    enum scenario_origin origin;
};

/* Reads and parses the file at `path` ("-" is stdin). */
int scenario_open(const char *path, struct scenario_text **ret, struct sim_error *error);

/* The same for bytes in memory; messages call them `file`. */
int scenario_parse(const char *file, const char *bytes, size_t size, struct scenario_text **ret,
                   struct sim_error *error);

void scenario_close(struct scenario_text *text);

/* The comment at the head of the file, line by line without its marks: the question it answers. "" when there is none;
 * a long one is cut. */
const char *scenario_question(const struct scenario_text *text);

/* Builds the scenario with `settings` (each "KEY=VALUE") applied over the file, in order. A file that the scenario
 * names, such as network.tensors, is looked for in the folder of the scenario, wherever its name is given. */
int scenario_build(const struct scenario_text *text, const char *const settings[], size_t setting_count,
                   struct scenario *ret, struct sim_error *error);

/* Calls `visit` for every effective key of the scenario that scenario_build made from the same text and settings, in
 * the order of the key table. The strings live only during the call. */
void scenario_each(const struct scenario_text *text, const char *const settings[], size_t setting_count,
                   const struct scenario *scenario, void (*visit)(void *context, const struct scenario_entry *entry),
                   void *context);

/* The word for where the value of `entry` comes from: "file", "-s", "method", "tensors", or what the key table calls
 * the source of a default ("paper", "fitted", "assumed"). */
const char *scenario_origin_name(const struct scenario_entry *entry);

/* The canonical text of a scenario: YAML that scenario_open reads back to the same config. Without the seed it is what
 * identifies a scenario in a database. The caller frees it. */
char *scenario_canonical(const struct scenario *scenario, bool with_seed);

/* 64-bit FNV-1a of the canonical text without the seed, and of the model version, as 16 hexadecimal digits. The
 * text hashed is the canonical text without the seed, then "model " and SCENARIO_MODEL_VERSION, then a line
 * start,end,machine for each failure of each log that a source replays, so that another log is another scenario. */
void scenario_hash(const struct scenario *scenario, char ret_hex[static 17]);

#endif
