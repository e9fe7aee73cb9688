/* models/failures.h -- failure sources: who fails, and when.
 *
 * A source of a constant rate is one stream of (time, chip) over all chips in its scope, whatever the method, the
 * number of learners or the state of the fleet: every design meets the same chaos. Gaps are exponential with mean mtbi
 * / chips, and the chip is uniform, which is what N independent Poisson chips look like, at O(1) a failure; lemons
 * weigh as much more as they fail more often. A failure that hits an absent slice is dropped (thinning), so that
 * failures happen at the rate of the chips in service without the stream depending on them.
 *
 * A source with a law of life follows the chips of each unit instead: models/ageing.h.
 *
 * Where units are followed (models/unit.h) lemons and ages go with the hardware, and stages of repair may mend a lemon.
 * So every chip of a place, whoever stands there, is hit at the rate of a normal one, and each lemon, wherever it is,
 * at the rest of its own: processes for the lemons of the fleet and for those beside it, so that a design with other
 * spares meets the same failures of the fleet. A lemon that is out of service or mended then is missed, and one for
 * which its place has no room: that of a smaller slice, or one of which only a part is in scope. Spares have their
 * share of lemons. With a law of life, `only` and a pool a source is about a unit as a whole, while it stands in the
 * scope.
 *
 * Units: ns, counts.
 * Ownership: part of the world; failures_start allocates, failures_fini releases.
 * Errors: none.
 */
#ifndef MODELS_FAILURES_H
#define MODELS_FAILURES_H

#include "models/ageing.h"
#include "models/config.h"
#include "models/lemons.h"
#include "models/scope.h"
#include "sim/poisson.h"

struct world;

enum failure_process { FAILURES_OF_PLACES, FAILURES_OF_LEMONS, FAILURES_OF_LEMONS_BESIDE, FAILURES_PROCESSES };

/* A chip that is a lemon as long as its unit has more lemons than `within`. */
struct failure_lemon {
    uint32_t unit, within;
};

struct failure_source {
    struct world *world;
    const struct config_source *config;
    uint64_t identity; /* of its name: names its random streams */
    struct scope scope;
    struct lemons lemons; /* of the fleet */
    struct lemons beside; /* of the units beside it */

    /* a constant rate */
    struct sim_poisson *process; /* enum failure_process; numbers of failures are apart */
    struct failure_lemon *lemon; /* where lemons are followed: those of the fleet, then those beside it */
    uint32_t *lemon_chips; /* of each unit, where lemons are followed; else NULL, and the permutation says which */
    bool hits_lemon;       /* the failure under way */

    struct ageing *ageing; /* a law of life: of each unit, or each slice of the fleet; else NULL */
};

/* What names the random streams of a source: 64-bit FNV-1a of its name, so it keeps its chaos when others are added
 * before it. */
uint64_t failures_identity(const char *name);

/* True when a source of this kind is such a stream: chip, silent, slowdown, and domain, whose units are domains. */
bool failures_is_kind(enum config_source_kind kind);

/* Starts the source `config`: draws its first failure, or that of each slice, and schedules it. */
void failures_start(struct failure_source *source, struct world *world, const struct config_source *config);
void failures_fini(struct failure_source *source);

/* The run goes on in another branch: the next failure of a source of a constant rate is drawn anew, because the time
 * until then is exponential again. The next failures of chips that age stay. */
void failures_branch(struct failure_source *source);

/* A unit comes into service or goes out of it. Called for every source of the world, started or not. */
void failures_on_service(struct failure_source *source, uint32_t unit, bool is_entering);

/* True when chip `within` of a unit, of those that the source is about, is a lemon that is followed. */
bool failures_is_lemon(const struct failure_source *source, uint32_t unit, int64_t within);

/* Starts a process of `source`, with its stream and first number set, over `weight` chips that each fail at the rate of
 * a normal one; of domains, so many of them. */
void failures_start_process(const struct failure_source *source, struct sim_poisson *process, double weight,
                            sim_handler *handler, void *context);

/* How many of them the sources of a scenario may start. */
uint32_t failures_processes(const struct config *config);

#endif
