/* tools/faultline/plan.h -- the value of one key that meets a target, or that is best.
 *
 * The key takes whole numbers or, when it is continuous, numbers of three digits between two ends; every value tried
 * meets the same chaos. First nine values spread over the range are tried at once. For a target the two neighbours
 * between which it begins to hold are then halved until nothing is left between them: right when the metric is monotone
 * between two of the nine. For the best value the neighbourhood of the best one so far is refined the same way: right
 * when there is one top within it.
 *
 * A target holds at a value when the one-sided bound of the mean at the confidence asked for (Student's t) is on its
 * right side, so that a lucky sample does not pass.
 *
 * Units: of the key and the metric, in base units.
 * Ownership: plan_init and plan_fini; options, path and text are the caller's.
 * Errors: plan_set_key returns -1 with a text in batch.error; the others print what went wrong and return an exit
 * status.
 */
#ifndef TOOLS_FAULTLINE_PLAN_H
#define TOOLS_FAULTLINE_PLAN_H

#include "tools/faultline/batch.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/metric.h"

enum plan_goal { PLAN_AT_LEAST, PLAN_AT_MOST, PLAN_MAXIMIZE, PLAN_MINIMIZE };

/* Which of the values that meet a target: EITHER is the largest when of the two ends only the lower one meets it. */
enum plan_side { PLAN_EITHER, PLAN_SMALLEST, PLAN_LARGEST };

/* A value that was tried. */
struct plan_point {
    size_t index; /* of the value */
    size_t cell;  /* of the batch */
};

struct plan {
    struct options *options;
    const char *path;
    const struct scenario_text *text;
    char key_path[KEYS_PATH_MAX];
    const struct keys_key *key;
    double *value; /* of a continuous key, ascending; NULL for whole numbers */
    double low;    /* of whole numbers */
    size_t values;
    enum run_metric metric;
    enum plan_goal goal;
    double target;
    enum plan_side side;
    double confidence;
    struct batch batch;
    struct plan_point *point; /* by index */
    size_t points, points_capacity;
    char **owned; /* texts and lists of settings that cells point to */
    size_t owns, owns_capacity;
};

void plan_init(struct plan *plan, struct options *options);
void plan_fini(struct plan *plan);

/* Sets the key from KEY or KEY=LOW..HIGH. Without a range: from a twentieth to twenty times the value it has, as far as
 * the scenario stays valid. Requires path and text. */
int plan_set_key(struct plan *plan, const char *spec);

/* Searches. COMMAND_NO_ANSWER, without a message, when no value meets the target; *ret_point is then the best that was
 * tried. */
int plan_search(struct plan *plan, size_t *ret_point);

/* The sample of the metric at a point. */
struct summary_sample plan_sample(const struct plan *plan, size_t point);

bool plan_is_better(const struct plan *plan, double a, double b);

/* The value of a point, as a user would write it. */
const char *plan_value(const struct plan *plan, size_t point);

/* Adds a cell: the scenario with one or two settings (NULL: none) over it. -1 with batch.error when it is not valid. */
int plan_add_cell(struct plan *plan, const char *first, const char *second);

/* Simulates what was added. */
int plan_simulate(struct plan *plan);

/* How strongly the metric depends on a key around a point. */
struct plan_sensitivity {
    char key[KEYS_PATH_MAX];
    char value[VALUE_TEXT_MAX]; /* at the point */
    double elasticity;          /* per cent of the metric per per cent of the key */
    double ci95;                /* half-width, from paired differences */
    size_t n;
};

/* The sensitivities to all keys that are numbers or laws (their mean) and not 0, the strongest first: each is moved by
 * about 10 % both ways. The caller frees *ret. In plan_sensitivity.c. */
int plan_sensitivities(struct plan *plan, size_t point, struct plan_sensitivity **ret, size_t *ret_count);

#endif
