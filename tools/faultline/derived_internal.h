/* tools/faultline/derived_internal.h -- what the files of derived share.
 *
 * Units: as in tools/faultline/derived.h.
 * Ownership: nothing is kept.
 * Errors: none.
 */
#ifndef TOOLS_FAULTLINE_DERIVED_INTERNAL_H
#define TOOLS_FAULTLINE_DERIVED_INTERNAL_H

#include "tools/faultline/derived.h"

struct derived_tour {
    const struct config *config;
    void (*visit)(void *context, const struct derived_value *value);
    void *context;
};

/* The best period of checkpoints and what estimates of it are worth, for a job that fails so often a second. */
void derived_show_checkpoint(const struct derived_tour *tour, double failure_rate);

/* Shocks of a source of kind domain, and slices that they take out when all are in service, a second. */
double derived_domain_shocks(const struct config *config, const struct config_source *source);
double derived_domain_slices(const struct config *config, const struct config_source *source);
void derived_show_domain(const struct derived_tour *tour, const struct config_source *source);
void derived_show_maintenance(const struct derived_tour *tour, const struct config_source *source);

#endif
