/* models/roster.h -- learners in columns, for the rounds.
 *
 * A round asks the same few things of every learner: whether a step ended, whether it has a report, what it claims and
 * takes in. While rounds are planned these are kept side by side, a column each, so that a round is a few passes
 * without a branch, which the compiler can do for several learners at a time. A learner is brought up to date from its
 * row when somebody needs it (roster_release, for learner_catch_up), and entered anew when the next round closes.
 *
 * Units: ns, steps, rounds, chip-steps. Yes is -1, no is 0.
 * Ownership: roster_init allocates, roster_fini releases; part of the world.
 * Errors: none.
 */
#ifndef MODELS_ROSTER_H
#define MODELS_ROSTER_H

#include <stdbool.h>

#include "models/roster_passes.h"

struct learner;
struct world;

struct roster {
    int64_t rows;           /* one for each learner */
    int64_t *cells;         /* of the columns of integers */
    int64_t *takes;         /* it is entered, and takes part */
    int64_t *steps_on;      /* it steps */
    int64_t *cruises;       /* it is not entered, because it cruises (models/cruise.h) */
    int64_t *large;         /* it has one chip more than others */
    int64_t *end, *step_ns; /* of the step under way; if it does not step, of one that would follow the last */
    int64_t *report;        /* the oldest that no round has counted; `end` when there is none yet */
    int64_t *steps, *chip_steps, *chips;         /* totals, and chips in a step */
    int64_t *heard;                              /* as of the learner */
    int64_t *overwritten;                        /* since it was entered */
    int64_t *ended;                              /* a step, in the round that closes */
    int64_t *claimed_steps, *claimed_chip_steps; /* in that round; 1 and 0 when it claims nothing */
    const struct roster_passes *passes;
    double *whole_chips, *steps_of_claim, *claimed; /* chips of a whole learner; for the weights */
    int64_t *out, outs;                             /* who is not entered, and does not cruise */
};

void roster_init(struct world *world);
void roster_fini(struct world *world);

static inline bool roster_has(const struct roster *roster, int64_t learner)
{
    return roster->takes && roster->takes[learner] != 0;
}

/* When it makes its oldest report that no round has counted, if ever. Requires that it is entered. */
static inline sim_time roster_report_ns(const struct roster *roster, int64_t learner)
{
    bool is_silent = roster->steps_on[learner] == 0 && roster->report[learner] == roster->end[learner];
    return is_silent ? SIM_TIME_NEVER : roster->report[learner];
}

/* Brings the learner to where it was when the last round closed; all of them. */
void roster_release(struct world *world, struct learner *learner);
void roster_release_all(struct world *world);

/* Its row is void while it cruises. Requires that it is not entered. */
void roster_note_cruise(struct world *world, int64_t learner, bool does_cruise);

/* The round under way closes then, for all that do not cruise. Sets what they weigh. */
struct roster_sum roster_close(struct world *world, sim_time closed_ns);

#endif
