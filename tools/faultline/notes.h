/* tools/faultline/notes.h -- what is allowed, but probably not meant.
 *
 * A scenario can be valid and still be a slip: a unit too small by a thousand, a share that no fleet reaches, a key
 * that plays no part. `check` and `run` say so on stderr; nothing is refused.
 *
 * Units: none.
 * Ownership: the text lives during the call.
 * Errors: none.
 */
#ifndef TOOLS_FAULTLINE_NOTES_H
#define TOOLS_FAULTLINE_NOTES_H

#include "models/config.h"

/* Calls `visit` for every note on a config that has passed config_check. */
void notes_each(const struct config *config, void (*visit)(void *context, const char *note), void *context);

/* Prints them all on stderr, a line each. */
void notes_print(const struct config *config);

#endif
