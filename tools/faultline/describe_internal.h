/* tools/faultline/describe_internal.h -- the two formats of describe.h, each in a file of its own.
 *
 * Units: none.
 * Ownership: nothing is kept.
 * Errors: none; a failed write is found by output_finish.
 */
#ifndef TOOLS_FAULTLINE_DESCRIBE_INTERNAL_H
#define TOOLS_FAULTLINE_DESCRIBE_INTERNAL_H

#include "tools/faultline/describe.h"

void describe_man_start(FILE *to);
void describe_man_command(FILE *to, const char *command, const struct argp *argp);
void describe_man_end(FILE *to);

void describe_bash_start(FILE *to, const char *const command[], size_t commands);
void describe_bash_command(FILE *to, const char *command, const struct argp *argp);
void describe_bash_end(FILE *to);

#endif
