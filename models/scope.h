/* models/scope.h -- which chips of the fleet a failure source is about.
 *
 * All of them, or only those of a class, of some learners, or of both (failures.NAME.only). Classes and learners are
 * blocks of chips, so a scope is a few ranges; its chips are numbered from 0 in the order of the fleet. What belongs to
 * one learner, such as a slice, meets at most one range.
 *
 * Units: counts.
 * Ownership: a value.
 * Errors: a number outside the scope is a bug of the caller.
 */
#ifndef MODELS_SCOPE_H
#define MODELS_SCOPE_H

#include "models/fleet.h"

struct scope_range {
    int64_t first; /* number of its first chip in the fleet */
    int64_t chips;
    int64_t before; /* chips of the scope in the ranges before it */
};

struct scope {
    int64_t chips;
    int count;
    struct scope_range range[CONFIG_LIST_MAX]; /* ascending */
};

/* The scope of `source`. Requires its class and its learners to exist. */
void scope_init(struct scope *scope, const struct config *config, const struct fleet *fleet,
                const struct config_source *source);

/* The chip of the fleet that is number `i` of the scope. */
int64_t scope_chip(const struct scope *scope, int64_t i);

/* How many of the chips `first` to `first + chips - 1`, of one learner, are in scope. */
int64_t scope_within(const struct scope *scope, int64_t first, int64_t chips);

/* The first chip of a class; of one past the last class: the number of chips. */
int64_t scope_class_first(const struct config *config, int class);

/* The number of a class; -1 when there is none of that name. */
int scope_class_find(const struct config *config, const char *name);

#endif
