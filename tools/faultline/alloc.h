/* tools/faultline/alloc.h -- memory that is there, or the program ends.
 *
 * Units: bytes and counts of elements.
 * Ownership: the caller frees what it gets with free().
 * Errors: out of memory prints a message and exits with COMMAND_NOT_STORED.
 */
#ifndef TOOLS_FAULTLINE_ALLOC_H
#define TOOLS_FAULTLINE_ALLOC_H

#include <stddef.h>

/* `count` zeroed elements of `size` bytes; never NULL. */
void *alloc_zeroed(size_t count, size_t size);

/* `block` (or NULL) resized to `count` elements of `size` bytes; new elements are not initialised. */
void *alloc_resized(void *block, size_t count, size_t size);

/* Room for one more element in a block of *capacity elements of which `used` are taken: grows it by half when full. */
void *alloc_grown(void *block, size_t used, size_t *capacity, size_t size);

#endif
