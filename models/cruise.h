/* models/cruise.h -- learners that do nothing but step on are not touched.
 *
 * Where all learners step at one pace and every round sends a fragment, a learner that is left alone ends one step a
 * round, has one report counted, and takes the update in at the end of the next step, or at once if that begins just
 * then: it cruises. What rounds do to it is a matter of arithmetic then, and is made up when somebody needs it
 * (cruise_release, for learner_catch_up). Until then a round asks two things: whether one step ends in it, which is one
 * comparison for all that cruise, and what it claims. For a cycle of fragments the claim goes back to what the ledger
 * has from before it cruised; after that it is settled, and always the same.
 *
 * Units: ns, rounds, steps, chip-steps. A phase is a time less one step for every round that has closed, so that it
 * stays as it is while rounds close, each of which is a step of all that cruise.
 * Ownership: cruise_init allocates, cruise_fini releases; part of the world.
 * Errors: none.
 */
#ifndef MODELS_CRUISE_H
#define MODELS_CRUISE_H

#include <stdbool.h>

#include "models/ledger.h"

struct learner;
struct world;

struct cruiser {
    int64_t since;        /* the first round that it cruises through; -1: it does not cruise */
    int64_t lag;          /* of an update, in steps: 1, or 0 when steps end as rounds close */
    sim_time end, report; /* phases: of the step under way; of the oldest report that no round has counted */
    int64_t chips;
    struct ledger_total total;                 /* less one step for every round that has closed */
    int64_t claimed_steps, claimed_chip_steps; /* in the last round; 0: in none yet */
    int64_t slope;                             /* chip-steps by which the claim grows from round to round, up to */
    int64_t due;                               /* this one */
};

struct cruise {
    struct cruiser *learner;
    int64_t base;         /* phases count from this round, in which the first of them began to cruise */
    int64_t count;        /* that cruise */
    int64_t with_reports; /* that have another report when one was counted */
    int64_t *unsettled;   /* those whose claim is not settled, in no order */
    int64_t unsettled_count;
    int64_t due;                            /* the first round in which a claim does not grow as before */
    sim_chip_time chip_steps[2];            /* that they claimed in the last round; of small and of large learners */
    bool is_stale;                          /* what follows has to be worked out anew */
    sim_time first_end, last_end, edge_end; /* phases: of steps with a lag; of those without one, -1: there is none */
    sim_time first_report, last_report;
};

/* Requires rounds_init. */
void cruise_init(struct world *world);
void cruise_fini(struct world *world);

/* When the step under way began, as of the last round that closed, whether it cruises or not. */
sim_time cruise_step_start(const struct world *world, const struct learner *learner);

/* When somebody has the first report that no round has counted, and the last of them. Requires that somebody cruises.
 */
sim_time cruise_first_report(struct world *world);
sim_time cruise_last_report(struct world *world);

/* The learner cruises from here on if it may. Requires that it is as it was when the last round closed, and neither in
 * the roster nor cruising. */
void cruise_join(struct world *world, struct learner *learner);

/* Brings the learner to where it was when the last round closed. Requires that it cruises. */
void cruise_release(struct world *world, struct learner *learner);

/* The same for all that do. */
void cruise_release_all(struct world *world);

/* True when one step of each that cruises ends in the round under way, when it closes then. */
bool cruise_fits(struct world *world, sim_time closed_ns);

/* Releases those of which not just one does. */
void cruise_release_unfit(struct world *world, sim_time closed_ns);

/* Counts what they claim in the round under way. */
void cruise_count(struct world *world);

/* Merges so many rounds from the one under way on. Requires that everybody cruises through them. */
void cruise_merge(struct world *world, int64_t rounds);

#endif
