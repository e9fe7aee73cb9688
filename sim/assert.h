/* sim/assert.h -- last words of a bug.
 *
 * SIM_ASSERT states what must hold, in release builds too. When it does not, the program says where and when, and how
 * to see it again, and ends with status 1. For bad input and failed input/output use sim/error.h.
 *
 * Units: `now` in ns.
 * Ownership: sim_origin is part of the run it describes; the asserting code only borrows it.
 * Errors: does not return. This is the only place below tools/ that prints.
 */
#ifndef SIM_ASSERT_H
#define SIM_ASSERT_H

#include <stddef.h>
#include <stdint.h>

#include "sim/time.h"

struct sim_draws;

/* Where in which run we are: enough to repeat it. */
struct sim_origin {
    sim_time now;  /* the clock of the run */
    uint64_t seed; /* with `replica`, the key of all its random streams */
    uint32_t replica;
    const char *repeat;            /* the command that repeats it; may be NULL */
    uint64_t branch;               /* of the run since it was split (models/branch.h): part of the address; else 0 */
    const struct sim_draws *draws; /* who notes or recalls its random numbers (sim/rng.h); may be NULL */
};

/* `origin` may be NULL where there is no run. */
#define SIM_ASSERT(origin, condition)                                                                                  \
    ((condition) ? (void)0 : sim_assert_failed((origin), #condition, __FILE__, __LINE__))

_Noreturn void sim_assert_failed(const struct sim_origin *origin, const char *what, const char *file, int line);

/* Memory or the end of the program: never NULL. `count` times `size` bytes, zeroed. */
void *sim_allocate(size_t count, size_t size);

/* Like sim_allocate, from the start of a cache line of 64 bytes on. Requires that `size` is a multiple of that. */
void *sim_allocate_lines(size_t count, size_t size);

/* The same for what a library has allocated: ends the program when it could not. */
void sim_require(const void *allocated);

/* Like sim_allocate for a block that grows; new bytes are not zeroed. */
void *sim_reallocate(void *block, size_t count, size_t size);

/* Like sim_reallocate in bytes, of which the first `used` are kept; on pages of 2 MiB where the system has them when it
 * is large enough. For tables of millions that are read at random. */
void *sim_reallocate_table(void *block, size_t used, size_t bytes);

#endif
