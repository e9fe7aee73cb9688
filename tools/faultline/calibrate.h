/* tools/faultline/calibrate.h -- fitting keys of a scenario to published numbers.
 *
 * A fit has targets (one published number each), cells (the scenarios that they are measured on, which differ in
 * method, learners and chips) and free keys. Free choices are tried in every combination; free numbers are moved by the
 * simplex method of Nelder and Mead (GSL's nmsimplex2) on a logarithmic scale inside their bounds, from the values of
 * the scenario and from further points of a Sobol sequence. Every evaluation meets the same chaos (one seed), so that a
 * difference between two parameter sets is not noise. The objective is the root mean square of simulated - published,
 * in percentage points.
 *
 * Units: targets as fractions; numbers in the base units of their keys; a law is represented by its mean in seconds.
 * Ownership: calibrate_init allocates, calibrate_fini releases.
 * Errors: -1 with a text for bad input; a fit that a signal stopped says so in its result.
 */
#ifndef TOOLS_FAULTLINE_CALIBRATE_H
#define TOOLS_FAULTLINE_CALIBRATE_H

#include "models/run.h"
#include "tools/faultline/csv.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/scenario.h"

#define CALIBRATE_KEYS_MAX 16
#define CALIBRATE_CELLS_MAX 512
#define CALIBRATE_TARGETS_MAX 2048

/* One scenario of the fit. */
struct calibrate_cell {
    struct scenario base; /* the scenario of its file with the cell's method, learners and chips */
};

/* One published number. */
struct calibrate_target {
    size_t cell;
    enum run_metric metric;
    double published;
};

/* A key that the fit may change. */
struct calibrate_key {
    char path[KEYS_PATH_MAX];
    const struct keys_key *key;
    char name[CONFIG_NAME_MAX]; /* of the entry, for keys of named entries */
    bool is_choice;
    double low, high, start; /* of a number */
};

/* How well one parameter set does. */
struct calibrate_score {
    double rms;   /* points */
    double worst; /* points, with its sign */
    size_t worst_target;
    size_t within; /* targets within 1.5 points */
};

struct calibrate {
    struct calibrate_cell *cell;
    size_t cells;
    struct calibrate_target *target;
    size_t targets;
    struct calibrate_key key[CALIBRATE_KEYS_MAX];
    size_t keys;
    size_t replicas;
    int threads;
    double timeout_s; /* wall time of a replica; 0: no limit */
    uint64_t seed;
    size_t starts;          /* of the simplex, per combination */
    size_t evaluations;     /* at most, per start */
    int signal;             /* that stopped it, or 0 */
    struct sim_error error; /* of the runner */
    bool has_failed;
};

/* One parameter set: a value per key; a choice is its number. */
struct calibrate_point {
    double value[CALIBRATE_KEYS_MAX];
    struct calibrate_score score;
};

void calibrate_init(struct calibrate *fit);
void calibrate_fini(struct calibrate *fit);

/* Adds the published numbers of a CSV with the columns method, learners, chips, metric and percent. Each row becomes a
 * target on the scenario of `text` and `settings` with that method, number of learners and number of chips. */
int calibrate_add_targets(struct calibrate *fit, const char *path, const struct scenario_text *text,
                          const char *const settings[], size_t setting_count, struct sim_error *error);

/* Adds a free key: KEY, or KEY=LOW..HIGH for a number. Without bounds a number may move by a factor of 20 either way.
 * Needs the targets first: the start is the value that their scenarios have. */
int calibrate_add_key(struct calibrate *fit, const char *spec, struct sim_error *error);

/* Number of combinations of the free choices; 1 when there are none. */
size_t calibrate_combinations(const struct calibrate *fit);

/* Sets the choices of *point to combination `index` and its numbers to their starts. */
void calibrate_combination(const struct calibrate *fit, size_t index, struct calibrate_point *point);

/* Improves the numbers of *point as far as the limits allow. False when it was stopped. */
bool calibrate_improve(struct calibrate *fit, struct calibrate_point *point);

/* Scores *point as it is. False when it was stopped. */
bool calibrate_score(struct calibrate *fit, struct calibrate_point *point);

/* Rounds the numbers of *point to `digits` significant digits. */
void calibrate_round(const struct calibrate *fit, struct calibrate_point *point, int digits);

/* The value of key `i` at a point, as a user would write it. */
void calibrate_write(const struct calibrate *fit, size_t i, const struct calibrate_point *point,
                     char ret[static VALUE_TEXT_MAX]);

#endif
