/* models/config_internal.h -- what the files of the config share: how they say what does not fit together.
 *
 * config.c has the whole, config_domain.c levels and the sources that take domains out.
 *
 * Units: as in models/config.h.
 * Ownership: nothing is kept.
 * Errors: as config_check.
 */
#ifndef MODELS_CONFIG_INTERNAL_H
#define MODELS_CONFIG_INTERNAL_H

#include "models/config.h"

/* Ends a check: the key to point at, and why. */
#define FAULT(key_name, ...)                                                                                           \
    do {                                                                                                               \
        (void)snprintf(ret->key, sizeof ret->key, "%s", key_name);                                                     \
        (void)snprintf(ret->why, sizeof ret->why, __VA_ARGS__);                                                        \
        return false;                                                                                                  \
    } while (0)

/* Of any source with `only`, or with a calendar. */
bool config_check_scope(const struct config *config, const struct config_source *source, struct config_fault *ret);
bool config_check_calendar(const struct config_source *source, struct config_fault *ret);

bool config_check_levels(const struct config *config, struct config_fault *ret);
bool config_check_domain(const struct config *config, const struct config_source *source, struct config_fault *ret);
bool config_check_maintenance(const struct config *config, const struct config_source *source,
                              struct config_fault *ret);

#endif
