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

/* Where a domain lies: chips from `first` to before `end`, and the places of the first and the last of them. */
struct domain_span {
    int64_t first, end;
    struct fleet_place from, to;
};

/* Domains of the fleet, and the first chip of one of them. */
int64_t domain_total(const struct config *config, const struct config_source *source);
int64_t domain_first_chip(const struct config *config, const struct config_source *source, int64_t domain);

/* Domains with a chip in the scope of the source, and the first one of these from `domain` on; -1 when there is none.
 */
int64_t domain_total_in_scope(const struct config *config, const struct config_source *source,
                              const struct scope *scope);
int64_t domain_next_in_scope(const struct config *config, const struct config_source *source, const struct scope *scope,
                             int64_t domain);

struct domain_span domain_span(const struct fleet *fleet, const struct config *config,
                               const struct config_source *source, int64_t domain);

/* Chips of a slice, one of those from span.from to span.to, that are in the domain and in scope. */
int64_t domain_members(const struct domain_span *span, const struct fleet *fleet, const struct scope *scope,
                       int64_t slice);

/* Shock `number` of `source` hits a domain. */
void domain_strike(const struct failure_source *source, int64_t domain, uint64_t number);

#endif
