/* tools/faultline/keys.h -- the one table of everything a scenario can say.
 *
 * Each key has a path (`fleet.chips`; a `*` stands for a name of the user's own), a type, a range, a default with its
 * source, and a line of help. Reading, `-s`, canonical writing, `faultline keys` and the reference in scenarios/README.md
 * all come from it; a new key is a field in models/config.h and a row in keys_table.c.
 *
 * Units: of the number of a key in `unit`; its text carries a unit of its own (tools/faultline/value.h).
 * Ownership: the table is constant and lives as long as the program.
 * Errors: -1 with what is wrong and what is allowed; the caller puts position and key in front. Outputs are untouched.
 */
#ifndef TOOLS_FAULTLINE_KEYS_H
#define TOOLS_FAULTLINE_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/error.h"
#include "tools/faultline/value.h"

#define KEYS_PATH_MAX 192  /* bytes of the path of a key that exists, with names filled in and the terminating zero */
#define KEYS_RANGE_MAX 192 /* bytes of a range as text */

enum keys_type {
    KEYS_NAME,     /* char[CONFIG_NAME_MAX] */
    KEYS_CHOICE,   /* an enum */
    KEYS_SEED,     /* uint64_t */
    KEYS_TIME,     /* sim_time */
    KEYS_SECONDS,  /* a span of time as double seconds */
    KEYS_COUNT,    /* int64_t */
    KEYS_AMOUNT,   /* a whole number as double */
    KEYS_FRACTION, /* double */
    KEYS_LAW,      /* struct sim_law */
    KEYS_TYPE_COUNT
};

/* Where the default comes from. */
enum keys_source {
    KEYS_REQUIRED,        /* there is none: the scenario must say it */
    KEYS_REQUIRED_BUT_DP, /* the same, except that method dp makes no use of it */
    KEYS_OPTIONAL,        /* there is none, and none is needed */
    KEYS_PAPER,           /* the paper */
    KEYS_FITTED,          /* our calibration; the paper gives no number */
    KEYS_ASSUMED,         /* a convention: neutral, or a plain choice */
    KEYS_SOURCE_COUNT
};

struct keys_key {
    const char *path;
    enum keys_type type;
    const char *unit;         /* of the number; "" where there is none */
    size_t offset;            /* in struct scenario; in struct config_source when the path has a `*` */
    const char *default_text; /* NULL when there is none */
    const char *min, *max;    /* as text of the type; NULL when the type itself is the limit */
    bool min_excluded, max_excluded;
    const char *const *choices; /* of KEYS_CHOICE */
    int choice_count;
    enum keys_source source;
    const char *help;
};

extern const struct keys_key keys_table[];
extern const size_t keys_count;

/* "count", "duration"; "paper", "fitted". */
const char *keys_type_name(enum keys_type type);
extern const char *const keys_source_name[KEYS_SOURCE_COUNT];

/* What a path is. */
enum keys_match { KEYS_UNKNOWN, KEYS_SECTION, KEYS_KEY };

/* Looks a path up, with a user's name for each `*`; *ret_key is set for KEYS_KEY only and may be NULL. */
enum keys_match keys_find(const char *path, const struct keys_key **ret_key);

/* True when the key belongs to a named entry, such as one failure source. */
bool keys_is_named(const struct keys_key *key);

/* The path of a named key for `name`. */
void keys_path(const struct keys_key *key, const char *name, char ret[static KEYS_PATH_MAX]);

/* The key or section that was probably meant by an unknown path; false when none is close. */
bool keys_nearest(const char *path, char ret[static KEYS_PATH_MAX]);

/* The keys right below a section, separated by blanks; cut when there is no room. */
void keys_below(const char *section, size_t size, char ret[]);

/* Reads a name of the user's own: UTF-8 without control characters that fits CONFIG_NAME_MAX. */
int keys_read_name(const char *text, char ret[], struct sim_error *error);

/* Reads `text` into the field of `key` in the struct at `base`, and checks the range. */
int keys_read(const struct keys_key *key, const char *text, void *base, struct sim_error *error);

/* The value of `key` in the struct at `base` as canonical text, and as a number (NAN where it is none). */
void keys_write(const struct keys_key *key, const void *base, char ret[static VALUE_TEXT_MAX]);
double keys_number(const struct keys_key *key, const void *base);

/* What is allowed, for people: "1 to 16777216", "dp, elastic-dp". */
void keys_range(const struct keys_key *key, char ret[static KEYS_RANGE_MAX]);

#endif
