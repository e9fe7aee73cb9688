/* models/cruise.h -- learners that do nothing but step on are not touched.
 *
 * Where all learners step at one pace and every round sends a fragment, a learner that is left alone ends one step a
 * round, has one report counted, and takes the update in at the end of the next step, or at once if that
 * begins just then: it cruises. What rounds do to it
 * is a matter of arithmetic then, and is made up when somebody needs it (cruise_release, for learner_catch_up). Until
 * then a round asks two things: whether one step ends in it, which is one comparison for all that cruise, and what it
 * claims. For a cycle of fragments the claim goes back to what the ledger has from before it cruised; after that it is
 * settled, and always the same.
 *
 * Units: ns, rounds, chip-steps.
 * Ownership: cruise_init allocates, cruise_fini releases; part of the world.
 * Errors: a claim that is void is a bug and stops the run.
 */
#ifndef MODELS_CRUISE_H
#define MODELS_CRUISE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/time.h"

struct learner;
struct world;

struct cruise {
    int64_t *since;       /* of each learner: the first round that it cruises through; -1: it does not cruise */
    int64_t count;        /* that cruise */
    bool is_stale;        /* what follows has to be worked out anew */
    int64_t with_reports; /* that have another report when one was counted */
    sim_time first_end, last_end;       /* of steps under way, of those that are in the middle of one */
    sim_time edge_end;                  /* of those that began one when the last round closed; -1: nobody did */
    sim_time first_report, last_report; /* the oldest of each that no round has counted */
    int64_t settled;
    sim_chip_time chip_steps[2]; /* that the settled ones claim; of small and of large learners */
    int64_t unsettled_until;     /* the last round with claims that are not settled */
};

/* Requires rounds_init. */
void cruise_init(struct world *world);
void cruise_fini(struct world *world);

bool cruise_is_member(const struct world *world, int64_t learner);

/* When the step under way began, as of the last round that closed, whether it cruises or not. */
sim_time cruise_step_start(const struct world *world, const struct learner *learner);

/* Round `round` closes; in it the learner ended one step and had one report counted, and it is in the next. It cruises from now on if it may; false when it may not. */
bool cruise_join(struct world *world, const struct learner *learner, int64_t round);

/* Brings the learner to where it was when the last round closed; all of them. */
void cruise_release(struct world *world, struct learner *learner);
void cruise_release_all(struct world *world);

/* True when one step of each that cruises ends in the round under way, when it closes then. */
bool cruise_fits(struct world *world, sim_time closed_ns);

/* Releases those of which not just one step ends in the round under way, when it closes then. */
void cruise_release_unfit(struct world *world, sim_time closed_ns);

/* Counts what they claim in each of `rounds` rounds from the one under way on. Requires one, or that all claims are
 * settled. */
void cruise_count(struct world *world, int64_t rounds);

#endif
