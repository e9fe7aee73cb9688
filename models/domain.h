/* models/domain.h -- shocks: a rack, a pod or a datacentre fails, and with it all of its chips at once.
 *
 * A domain is a run of consecutive chips of the fleet, as many as failures.NAME.domain says; the last may have fewer.
 * It is made of places: whatever hardware stands there is hit, spares beside the fleet are not. Shocks are a stream of
 * (time, domain) over all domains of the fleet, with mean gap mtbi / domains (models/failures.h): every design meets
 * the same ones.
 *
 * A shock hits the chips of its domain that are in scope and in service, all in one instant, before anybody reacts; a
 * slice with a chip among them goes as a whole. Slices that are absent are not hit again and return when they would
 * have; a shock that finds nobody in service is dropped. The slices of a shock share one draw of how long they are
 * away, or of each stage of repair, unless failures.NAME.delay says that each has its own. It is no wrong diagnosis.
 *
 * Units: counts.
 * Ownership: nothing is kept.
 * Errors: none; config_check sees that the domain is one.
 */
#ifndef MODELS_DOMAIN_H
#define MODELS_DOMAIN_H

#include "models/failures.h"

struct domain_count {
    int64_t shocks;
    int64_t chips; /* that they hit, all together */
    int64_t chips_max;
};

/* Domains of the fleet, and the first chip of one of them. */
int64_t domain_total(const struct config *config, const struct config_source *source);
int64_t domain_first_chip(const struct config *config, const struct config_source *source, int64_t domain);

/* Shock `number` of `source` hits the domain that begins with chip `first`. */
void domain_strike(const struct failure_source *source, int64_t first, uint64_t number);

#endif
