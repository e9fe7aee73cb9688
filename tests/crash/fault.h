/* tests/crash/fault.h -- what the two halves of the library of faults share.
 *
 * Units: none.
 * Ownership: nothing is kept.
 * Errors: none.
 */
#ifndef TESTS_CRASH_FAULT_H
#define TESTS_CRASH_FAULT_H

#include <stdbool.h>

/* True for a file whose changes are counted. */
bool fault_is_ours(const char *path);

#endif
