/* tools/faultline/break_even.h -- where two designs are worth the same: the value of a key, set in both, at which the
 * mean paired difference of a metric is 0.
 *
 * The difference is a function of the value, under the same chaos everywhere, and its root is found with Brent's method
 * (GSL). The interval of the root is that of the difference there over its slope.
 *
 * Units: of the key in base units; of the metric.
 * Ownership: break_even_fini releases what the cells in the batch use: after the batch.
 * Errors: an exit status, after a message on stderr.
 */
#ifndef TOOLS_FAULTLINE_BREAK_EVEN_H
#define TOOLS_FAULTLINE_BREAK_EVEN_H

#include "tools/faultline/batch.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/paired.h"

struct break_even {
    const struct keys_key *key; /* NULL: none is asked for */
    char path[KEYS_PATH_MAX];
    double low, high; /* searched between */
    double unit;      /* that the user wrote the bounds in */
    enum run_metric metric;

    /* found */
    char value[VALUE_TEXT_MAX];
    double number;        /* the same in the base unit of the key */
    double ci95;          /* half-width, in the base unit of the key; NAN when it cannot be said */
    struct paired paired; /* at the value, B - A */
    bool b_is_less_above; /* above the value B has less of the metric than A */

    void **kept;
    size_t kept_count, kept_capacity;
};

/* Reads KEY=LOW..HIGH; -1 with what is wrong. */
int break_even_set(struct break_even *even, const char *spec, struct sim_error *error);

/* Searches, adding cells to the batch: those of both sides for each value that is tried. The first two cells of the
 * batch are the sides. COMMAND_NO_ANSWER when the difference has one sign at both ends. */
int break_even_find(struct break_even *even, struct batch *batch);

void break_even_fini(struct break_even *even);

#endif
