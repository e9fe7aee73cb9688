/* tools/faultline/keys.h -- the one table of everything a scenario can say.
 *
 * Each key has a path (`fleet.chips`; a `*` stands for a name of the user's own), a type, a range, a default with its
 * source, and a line of help. A key of a named entry lies in an element of an array of the config, which keys_section
 * describes. Some keys mean something only for some scenarios: keys_means says when. Reading, `-s`, canonical writing,
 * `faultline keys` and the reference in scenarios/README.md all come from it; a new key is a field in models/config.h
 * and a row in keys_table.c.
 *
 * Units: of the number of a key in `unit`; its text carries a unit of its own (tools/faultline/value.h).
 * Ownership: the table is constant and lives as long as the program; only keys_text allocates.
 * Errors: -1 with what is wrong and what is allowed; the caller puts position and key in front. Outputs are untouched.
 */
#ifndef TOOLS_FAULTLINE_KEYS_H
#define TOOLS_FAULTLINE_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "models/config.h"
#include "sim/error.h"
#include "tools/faultline/value.h"

#define KEYS_PATH_MAX                                                                                                  \
    CONFIG_KEY_MAX         /* bytes of the path of a key that exists, with names filled in and the terminating zero */
#define KEYS_RANGE_MAX 192 /* bytes of a range as text */

struct scenario;

enum keys_type {
    KEYS_NAME,      /* char[CONFIG_NAME_MAX] */
    KEYS_CHOICE,    /* an enum */
    KEYS_SEED,      /* uint64_t */
    KEYS_TIME,      /* sim_time */
    KEYS_SECONDS,   /* a span of time as double seconds */
    KEYS_COUNT,     /* int64_t */
    KEYS_AMOUNT,    /* a whole number as double */
    KEYS_FRACTION,  /* double */
    KEYS_REAL,      /* double */
    KEYS_RATE,      /* double, bit/s */
    KEYS_FREQUENCY, /* a span of time as double seconds, of which the text is the reciprocal */
    KEYS_LAW,       /* struct sim_law */
    KEYS_FACTOR,    /* struct sim_law, of a pure number */
    KEYS_TEXT,      /* char[CONFIG_TEXT_MAX] */
    KEYS_WHERE,     /* the same: conditions on the columns of a file */
    KEYS_NAMES,     /* the same: a name, or a list of them */
    KEYS_LIST,      /* int32_t[CONFIG_LIST_MAX], a set, and an int with how many */
    KEYS_SIZES,     /* double[CONFIG_TENSORS_MAX], whole numbers, and an int with how many */
    KEYS_TYPE_COUNT
};

/* Where the default comes from. */
enum keys_source {
    KEYS_REQUIRED,          /* there is none: the scenario must say it */
    KEYS_REQUIRED_BUT_DP,   /* the same, except that a dp job whose slices are not followed makes no use of it */
    KEYS_REQUIRED_BUT_LINK, /* the same, except that a link without it is cut */
    KEYS_OPTIONAL,          /* there is none, and none is needed */
    KEYS_PAPER,             /* the paper */
    KEYS_FITTED,            /* our calibration; the paper gives no number */
    KEYS_ASSUMED,           /* a convention: neutral, or a plain choice */
    KEYS_SOURCE_COUNT
};

/* When a key means something, besides the kinds of sources that have it. Where it does not, it may not be given and is
 * not written. */
enum keys_when {
    KEYS_ALWAYS,
    KEYS_OF_RANDOM,      /* a source without a calendar */
    KEYS_OF_CALENDAR,    /* a source with one */
    KEYS_OF_NETWORK,     /* a scenario with a network */
    KEYS_OF_LEMONS,      /* a source with lemons */
    KEYS_OF_MTBI,        /* a source without a calendar that says how often by this key ... */
    KEYS_OF_RATE,        /* ... or by this one ... */
    KEYS_OF_LIFE,        /* ... or by this one */
    KEYS_OF_CHECKPOINT,  /* a scenario with checkpoints */
    KEYS_OF_DURATION,    /* a run of a fixed length */
    KEYS_OF_UNTIL,       /* one that ends when its work is done, given as ... */
    KEYS_OF_WORK,        /* ... chip-time */
    KEYS_OF_TOKENS,      /* ... or tokens */
    KEYS_OF_LOAN,        /* a scenario that may borrow slices */
    KEYS_OF_RETIREMENT,  /* a scenario that retires slices */
    KEYS_OF_PRICES,      /* a scenario with prices */
    KEYS_WITHOUT_STAGES, /* a scenario whose repair has no stages */
    KEYS_WHEN_COUNT
};

/* A set of kinds of failure sources. */
#define KEYS_KIND(kind) (1u << CONFIG_SOURCE_##kind)
#define KEYS_KINDS_WITH_MTBI (~(KEYS_KIND(LOG) | KEYS_KIND(MAINTENANCE)))
#define KEYS_KINDS_WITH_LEARNERS (KEYS_KIND(PREEMPTION) | KEYS_KIND(LINK))
#define KEYS_KINDS_WITH_CALENDAR (KEYS_KINDS_WITH_LEARNERS | KEYS_KIND(MAINTENANCE))
#define KEYS_KINDS_WITH_DOMAIN (KEYS_KIND(DOMAIN) | KEYS_KIND(MAINTENANCE))
#define KEYS_KINDS_WITH_ONLY (KEYS_KIND(CHIP) | KEYS_KIND(SILENT) | KEYS_KIND(SLOWDOWN) | KEYS_KINDS_WITH_DOMAIN)
#define KEYS_KINDS_WITH_LEMONS (KEYS_KIND(CHIP) | KEYS_KIND(SLOWDOWN))

/* The last segments of the keys of which a source has one: mtbi, rate, life. */
extern const char *const keys_timing_name[];
enum { KEYS_TIMINGS = CONFIG_BY_LIFE + 1 };

/* What ends a run. */
enum keys_end { KEYS_END_DURATION, KEYS_END_WORK, KEYS_END_TOKENS };

/* What it depends on. */
struct keys_context {
    enum config_source_kind kind;
    bool has_calendar;
    bool has_lemons;
    enum config_timing timing; /* the key that says how often */
    bool has_network;
    enum keys_end end;
    bool has_checkpoint;
    bool has_loan;
    bool has_retirement;
    bool has_stages;
    bool has_prices;
};

struct keys_key {
    const char *path;
    enum keys_type type;
    const char *unit;         /* of the number; "" where there is none */
    size_t offset;            /* in struct scenario; in the element of its array when the path has a `*` */
    size_t count_offset;      /* of lists: of how many there are */
    const char *default_text; /* NULL when there is none */
    const char *default_key;  /* whose value is the default instead; default_text is what that comes to by itself */
    const char *min, *max;    /* as text of the type; NULL when the type itself is the limit */
    bool min_excluded, max_excluded;
    const char *const *choices; /* of KEYS_CHOICE */
    int choice_count;
    enum keys_source source;
    unsigned kinds; /* of keys of a failure source: a set of those that have it; 0: all */
    enum keys_when when;
    const char *help;
};

/* A section of entries with names of the user's own. Each element of its array starts with the name. */
struct keys_section {
    const char *path;    /* fleet.classes */
    const char *entry;   /* what an entry is called */
    size_t array_offset; /* in struct scenario */
    size_t count_offset; /* of the int with the number of elements, in struct scenario */
    size_t element_size;
    int max;
};

extern const struct keys_key keys_table[];
extern const size_t keys_count;
extern const struct keys_section keys_sections[];
extern const size_t keys_section_count;

/* "count", "duration"; "paper", "fitted". */
const char *keys_type_name(enum keys_type type);
extern const char *const keys_source_name[KEYS_SOURCE_COUNT];

/* What a path is. */
enum keys_match { KEYS_UNKNOWN, KEYS_SECTION, KEYS_KEY };

/* Looks a path up, with a user's name for each `*`; *ret_key is set for KEYS_KEY only and may be NULL. */
enum keys_match keys_find(const char *path, const struct keys_key **ret_key);

/* The same for what must be one key; -1 with a text that names the nearest one. */
int keys_find_one(const char *path, const struct keys_key **ret, struct sim_error *error);

/* True when the key belongs to a named entry, such as one failure source. */
bool keys_is_named(const struct keys_key *key);

/* The section of a named key; NULL when the key has none. */
const struct keys_section *keys_section_of(const struct keys_key *key);

/* The elements of a section in a scenario, and the number of them. */
int *keys_elements(const struct keys_section *section, const struct scenario *scenario);
void *keys_element(const struct keys_section *section, const struct scenario *scenario, int index);

/* True for a key that means something only with one of them, which is in *ret. */
bool keys_timing(const struct keys_key *key, enum config_timing *ret);

/* Whether a key means something, and if not, why: "a source of kind chip has none". */
bool keys_means(const struct keys_key *key, const struct keys_context *context);
void keys_why_not(const struct keys_key *key, const struct keys_context *context, char ret[static KEYS_RANGE_MAX]);

/* The path of a named key for `name`. */
void keys_path(const struct keys_key *key, const char *name, char ret[static KEYS_PATH_MAX]);

/* The key or section that was probably meant by an unknown path; false when none is close. */
bool keys_nearest(const char *path, char ret[static KEYS_PATH_MAX]);

/* The keys right below a section, separated by blanks; cut when there is no room. */
void keys_below(const char *section, size_t size, char ret[]);

/* Reads a name of the user's own: UTF-8 without control characters that fits CONFIG_NAME_MAX. */
int keys_read_name(const char *text, char ret[], struct sim_error *error);

/* True for a key whose value is several numbers. */
bool keys_is_list(const struct keys_key *key);

/* Reads `text` into the field of `key` in the struct at `base`, and checks the range. */
int keys_read(const struct keys_key *key, const char *text, void *base, struct sim_error *error);

/* The value of `key` in the struct at `base` as canonical text; the caller frees it. */
char *keys_text(const struct keys_key *key, const void *base);

/* The same where it is no list, and as a number (NAN where it is none). */
void keys_write(const struct keys_key *key, const void *base, char ret[static VALUE_TEXT_MAX]);
double keys_number(const struct keys_key *key, const void *base);

/* True for a key whose value is one number: not a seed, a law, a name or a choice. */
bool keys_is_number(const struct keys_key *key);

/* Reads a value of such a key as a number in base units, inside its range; and the way back, in canonical text: to
 * twelve digits, a count to the nearest whole number. */
int keys_read_number(const struct keys_key *key, const char *text, double *ret, struct sim_error *error);
int keys_write_number(const struct keys_key *key, double number, char ret[static VALUE_TEXT_MAX],
                      struct sim_error *error);

/* What is allowed, for people: "1 to 16777216", "dp, elastic-dp". */
void keys_range(const struct keys_key *key, char ret[static KEYS_RANGE_MAX]);

#endif
