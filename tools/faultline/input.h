/* tools/faultline/input.h -- text files of strangers, read as a whole up to a limit.
 *
 * What is read at once can be checked at once, and standard input can be looked at twice. A file that is larger than
 * its kind may be is refused after so many bytes, whatever it says about its size.
 *
 * Units: bytes.
 * Ownership: *ret is allocated and the caller's.
 * Errors: -1 with a text that names the file; outputs are untouched.
 */
#ifndef TOOLS_FAULTLINE_INPUT_H
#define TOOLS_FAULTLINE_INPUT_H

#include <stddef.h>

#include "sim/error.h"

/* A kind of file, for messages ("a scenario"), and how large one may be: whole MiB. */
struct input_kind {
    const char *name;
    size_t bytes_max;
};

/* The bytes of the file at `path` ("-" is stdin), followed by a zero byte that *ret_size does not count. */
int input_read(const char *path, const struct input_kind *kind, char **ret, size_t *ret_size, struct sim_error *error);

/* Refuses what is no regular file. For names that come from a file and not from the user: reading a pipe or a device
 * can wait for ever. */
int input_check_file(const char *path, struct sim_error *error);

#endif
