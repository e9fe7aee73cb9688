/* tools/faultline/splitting.h -- how much of the time nobody steps, when that is too rare to be seen: importance
 * splitting.
 *
 * Before all learners stand still, one does, then two. Each time one more stands still than before, or something has
 * happened that will stop it at the end of its step, the replica is split: copies of it go on from there and meet other
 * chaos, and each weighs as much less. A copy ends when as many learners are sound again as before it was made; the
 * original goes on. So rare outages are reached in steps that are not
 * rare, and what they weigh is known exactly: the weighted sum of the time in outages has the right mean whatever the
 * numbers of copies are (RESTART: Villen-Altamirano, Proc. 13th Int. Teletraffic Congress, 1991). These numbers decide
 * how sharp it is only. They come from pilot trees, whose random numbers are used for nothing else.
 *
 * A copy is a copy of the process (fork): it has the whole past and costs next to nothing. A replica with all its
 * copies is a tree; trees share nothing, so that their mean has an honest interval. The original of tree i is replica
 * i.
 *
 * What all copies share cannot be multiplied: a cause that stops all learners at once has to be seen to be counted.
 *
 * Units: s; probabilities.
 * Ownership: splitting_init and splitting_fini; config and repeat are the caller's.
 * Errors: -1 with a text when the system refuses memory or processes, or a copy ended with a bug, which has had its
 * last words. Call it without threads.
 */
#ifndef TOOLS_FAULTLINE_SPLITTING_H
#define TOOLS_FAULTLINE_SPLITTING_H

#include "models/run.h"
#include "sim/error.h"

/* A replica and its copies. */
struct splitting_tree {
    double down_s;     /* expected time in outages */
    double outages;    /* expected number */
    double duration_s; /* of the replica, without its warm-up */
    int64_t copies;    /* made */
};

struct splitting {
    const struct config *config;
    uint64_t seed;
    const char *repeat; /* for the last words of a bug */
    int jobs;           /* processes at a time */
    bool is_quiet;      /* no progress line */
    int thresholds;     /* an outage: so many learners and more do not step */
    int reached;        /* of these, by pilot trees: `thresholds`, or there is nothing to be said */
    int *copies;        /* [k]: ways on when the k-th learner is about to stop, the original included */
    double *arrivals;   /* [k]: of the last trees, how often a path came there, on average */
};

/* An outage is fewer than `quorum` learners stepping. */
void splitting_init(struct splitting *splitting, const struct config *config, uint64_t seed, int64_t quorum);
void splitting_fini(struct splitting *splitting);

/* Decides how many copies to make. */
int splitting_plan(struct splitting *splitting, struct sim_error *error);

/* Fills the trees of replicas 0 to count - 1. */
int splitting_run(struct splitting *splitting, size_t count, struct splitting_tree ret[], struct sim_error *error);

#endif
