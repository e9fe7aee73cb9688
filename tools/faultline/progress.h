/* tools/faultline/progress.h -- the line on stderr that says how far a command is.
 *
 * Drawn only on a terminal and not with -q; rewritten in place a few times a second and wiped at the end, so that a log
 * file never sees it. NO_COLOR (no-color.org) and TERM=dumb keep escape sequences out of it.
 *
 * Units: cells and replicas; wall time.
 * Ownership: a value; stderr is shared.
 * Errors: none.
 */
#ifndef TOOLS_FAULTLINE_PROGRESS_H
#define TOOLS_FAULTLINE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct progress {
    bool is_shown;
    bool has_escapes;
    bool is_drawn;
    size_t cells; /* 1: only replicas are shown */
    size_t total;
    struct timespec start;
    struct timespec drawn;
};

/* A line for `total` replicas of so many cells that starts now. */
struct progress progress_start(size_t cells, size_t total, bool is_quiet);

/* Redraws the line when enough time has passed. */
void progress_update(struct progress *progress, size_t cells_done, size_t done);

/* Wipes the line; what is printed next starts in a clean row. */
void progress_stop(struct progress *progress);

/* "1d 02h", "1h 02min", "2min 03s" or "3s": a time left, for people. */
void progress_time_left(double seconds, char ret[static 32]);

#endif
