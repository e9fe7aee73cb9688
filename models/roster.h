/* models/roster.h -- learners in columns, for the rounds.
 *
 * A round asks the same few things of every learner: whether a step ended, whether it has a report, what it claims and
 * takes in. While rounds are planned these are kept side by side, so that a round is one pass over blocks of learners
 * (models/passes.h). A learner is brought up to date from its row when somebody needs it (roster_release, for
 * learner_catch_up), and entered anew when the next round closes. A block with nobody entered is not looked at.
 *
 * Units: ns, steps, rounds, chip-steps. Yes is -1, no is 0.
 * Ownership: roster_init allocates, roster_fini releases; part of the world.
 * Errors: none.
 */
#ifndef MODELS_ROSTER_H
#define MODELS_ROSTER_H

#include <stdbool.h>

#include "models/passes.h"

struct learner;
struct world;

/* A column for each number; a row, or lane, for each of so many learners. */
struct roster_block {
    _Alignas(64) int64_t takes[LEDGER_LANES];         /* it is entered, and takes part */
    int64_t steps_on[LEDGER_LANES];                   /* it steps */
    int64_t cruises[LEDGER_LANES];                    /* it is not entered, because it cruises (models/cruise.h) */
    int64_t large[LEDGER_LANES];                      /* it has one chip more than others */
    int64_t end[LEDGER_LANES], step_ns[LEDGER_LANES]; /* of the step under way, or of one that would follow the last */
    int64_t report[LEDGER_LANES];                     /* the oldest that no round has counted; `end` when none is yet */
    int64_t steps[LEDGER_LANES];                      /* totals */
    int64_t chip_steps[LEDGER_LANES];
    int64_t chips[LEDGER_LANES];       /* in a step */
    int64_t heard[LEDGER_LANES];       /* as of the learner */
    int64_t overwritten[LEDGER_LANES]; /* since it was entered */
    double whole_chips[LEDGER_LANES];  /* of a whole learner */
    int64_t entered;                   /* learners */
    int64_t asks;                      /* not 0: there are some, or what others weighed may be more than nothing */
};

struct roster {
    struct roster_block *block;
    int64_t blocks;
    const struct passes *passes;
    int64_t *out, outs; /* who is not entered, and does not cruise */
};

void roster_init(struct world *world);
void roster_fini(struct world *world);

static inline struct roster_block *roster_block(const struct roster *roster, int64_t learner)
{
    return &roster->block[(uint64_t)learner / LEDGER_LANES];
}

/* When the step under way ends. Requires that it is entered, and steps. */
static inline sim_time roster_end_ns(const struct roster *roster, int64_t learner)
{
    return roster_block(roster, learner)->end[ledger_lane(learner)];
}

/* When it makes its oldest report that no round has counted, if ever. Requires that it is entered. */
static inline sim_time roster_report_ns(const struct roster *roster, int64_t learner)
{
    const struct roster_block *block = roster_block(roster, learner);
    int lane = ledger_lane(learner);
    bool is_silent = block->steps_on[lane] == 0 && block->report[lane] == block->end[lane];
    return is_silent ? SIM_TIME_NEVER : block->report[lane];
}

/* Brings the learner to where it was when the last round closed. Requires that it is entered. */
void roster_release(struct world *world, struct learner *learner);

/* The same for all that are. */
void roster_release_all(struct world *world);

/* Its row is void while it cruises. Requires that it is not entered. */
void roster_note_cruise(struct world *world, int64_t learner, bool does_cruise);

/* The round under way closes then, for all that do not cruise. Sets what they weigh. */
struct roster_sum roster_close(struct world *world, sim_time closed_ns);

#endif
