/* tools/faultline/describe.h -- the manual page and the completion of bash, from the tables that the program itself
 * reads its arguments by.
 *
 * Options come from the argp of each command, keys and metrics from their tables: what is described is what there is.
 * describe_command is called with the argp of one command after the other, between the beginning and the end.
 *
 * Units: none.
 * Ownership: nothing is kept.
 * Errors: none; a failed write is found by output_finish.
 */
#ifndef TOOLS_FAULTLINE_DESCRIBE_H
#define TOOLS_FAULTLINE_DESCRIBE_H

#include <argp.h>
#include <stdio.h>

enum describe_format { DESCRIBE_MAN, DESCRIBE_BASH, DESCRIBE_FORMAT_COUNT };

/* "man", "bash". */
extern const char *const describe_format_name[DESCRIBE_FORMAT_COUNT];

void describe_start(FILE *to, enum describe_format format, const char *const command[], size_t commands);
void describe_command(FILE *to, enum describe_format format, const char *command, const struct argp *argp);
void describe_end(FILE *to, enum describe_format format);

#endif
