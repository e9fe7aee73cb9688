/* tools/faultline/alloc.h -- arrays that grow by one element at a time. For anything else use sim/assert.h.
 *
 * Units: counts of elements; bytes.
 * Ownership: the caller frees the block with free().
 * Errors: out of memory ends the program, as sim_allocate does.
 */
#ifndef TOOLS_FAULTLINE_ALLOC_H
#define TOOLS_FAULTLINE_ALLOC_H

#include <stddef.h>

/* Room for one more element of `size` bytes in a block (or NULL) of *capacity elements of which `used` are taken: grows it
 * by half when it is full. New elements are not initialised. */
void *alloc_grown(void *block, size_t used, size_t *capacity, size_t size);

#endif
