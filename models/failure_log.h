/* models/failure_log.h -- failures replayed from a log: what failed when, and how long it was out.
 *
 * Time 0 of a log is its first failure, and its period is the time from the first to the last plus one mean gap, so
 * that a repeated log keeps its rate. A run starts `offset` into the log and hears of no more failures at the end of
 * the period, unless the log repeats.
 *
 * Machine m of the log is block m of the fleet, chips_per_machine chips long; its failure is one of the first chip of
 * the block, and takes that chip's slice away for as long as the machine was out. A failure that hits an absent slice
 * is dropped, as those of other sources are: of overlapping outages the first one counts. In a log that names no
 * machines each failure hits one of its chips at random.
 *
 * A fleet with room for more machines is filled by copies of the log (scale: copies), each but the first turned by a
 * time of its own, uniform over the period; what is turned out of the period at its end comes in at the start. Of the
 * last copy there may be a part.
 *
 * Units: ns.
 * Ownership: the copies belong to the world; the rows to whoever made the config.
 * Errors: none; config_check sees that the log fits the fleet.
 */
#ifndef MODELS_FAILURE_LOG_H
#define MODELS_FAILURE_LOG_H

#include "models/failures.h"

struct world;

/* One copy of the log of a source. */
struct failure_log {
    struct failure_source source;
    int64_t copy;
    sim_time from; /* where in the period it is at time 0 */
    int64_t row;   /* the next one ... */
    int64_t cycle; /* ... in this period from time 0 */
};

/* Machines that the fleet has room for, and copies of the log in it: 1 unless scaled. */
int64_t failure_log_places(const struct config *config, const struct config_source *source);
int64_t failure_log_copies(const struct config *config, const struct config_source *source);

/* Time from the first failure to when the log would repeat. */
sim_time failure_log_period(const struct config_log *log);

/* Starts all logs of the config. */
void failure_log_start_all(struct world *world);

/* How long failure `number` of a source of kind log lasts. */
sim_time failure_log_outage(const struct config_source *source, uint64_t number);

/* What it is called in the log of transitions; NULL when its cause is not known. */
const char *failure_log_event(const struct config_source *source, uint64_t number);

#endif
