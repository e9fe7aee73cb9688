/* tools/faultline/unxz.h -- .xz files in memory, for readers that take a file as a whole. unxz.c is the only file that
 * includes <lzma.h>.
 *
 * Units: bytes.
 * Ownership: *ret is allocated and the caller's.
 * Errors: -1 with a text without the name of the file; outputs are untouched.
 */
#ifndef TOOLS_FAULTLINE_UNXZ_H
#define TOOLS_FAULTLINE_UNXZ_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/error.h"

/* True when the bytes begin like an .xz file. */
bool unxz_is_xz(const char *bytes, size_t size);

/* What is in it, followed by a zero byte that *ret_size does not count; refused above `size_max`. */
int unxz(const char *bytes, size_t size, size_t size_max, char **ret, size_t *ret_size, struct sim_error *error);

#endif
