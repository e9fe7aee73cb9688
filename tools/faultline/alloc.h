/* tools/faultline/alloc.h -- arrays that grow by one element at a time, and texts that are written like files. For
 * anything else use sim/assert.h.
 *
 * Units: counts of elements; bytes.
 * Ownership: the caller frees blocks and texts with free().
 * Errors: out of memory ends the program, as sim_allocate does.
 */
#ifndef TOOLS_FAULTLINE_ALLOC_H
#define TOOLS_FAULTLINE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Room for one more element of `size` bytes in a block (or NULL) of *capacity elements of which `used` are taken: grows
 * it by half when it is full. New elements are not initialised. */
void *alloc_grown(void *block, size_t used, size_t *capacity, size_t size);

/* A copy of `text`. */
char *alloc_text(const char *text);

/* Ends the program unless memory is there, for what others allocate. */
void alloc_require(bool is_there);

/* A text that is being written to `to`; the struct must not move until it is finished. */
struct alloc_draft {
    FILE *to;
    char *text;
    size_t size;
};

void alloc_draft_start(struct alloc_draft *draft);

/* Ends the draft; the text is the caller's. */
char *alloc_draft_finish(struct alloc_draft *draft);

/* A text as printf writes it. */
__attribute__((format(printf, 1, 2))) char *alloc_printf(const char *format, ...);

#endif
