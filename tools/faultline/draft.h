/* tools/faultline/draft.h -- a file that is written beside its place and moved there when it is whole.
 *
 * Whatever ends the program, the place holds what was there before or all of the new. It never takes the place of a
 * device or a folder.
 *
 * Units: none.
 * Ownership: draft_open fills a draft that draft_finish or draft_abandon ends.
 * Errors: -1 with a text that names the file; a failed write is found by draft_finish.
 */
#ifndef TOOLS_FAULTLINE_DRAFT_H
#define TOOLS_FAULTLINE_DRAFT_H

#include <stdio.h>

#include "sim/error.h"

struct draft {
    FILE *to;         /* NULL when there is none */
    const char *what; /* "page", for messages */
    char *path, *beside;
};

int draft_open(const char *path, const char *what, struct draft *ret, struct sim_error *error);

/* Moves the file to its place; `failure` is an errno that was met while writing, or 0. */
int draft_finish(struct draft *draft, int failure, struct sim_error *error);

/* Removes what was written; nothing is done without a draft. */
void draft_abandon(struct draft *draft);

#endif
