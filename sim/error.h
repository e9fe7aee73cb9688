/* sim/error.h -- what went wrong in the world outside, in words for the user.
 *
 * For bad input and failed input/output only. A broken invariant is a bug: use SIM_ASSERT (sim/assert.h).
 *
 * Units: none.
 * Ownership: the caller owns the struct; the text lives inside it.
 * Errors: functions that take a `struct sim_error *` return a status and fill it on failure only; a text that is too
 * long is cut, never overrun. It is one line: control characters in what it quotes are '?'.
 */
#ifndef SIM_ERROR_H
#define SIM_ERROR_H

struct sim_error {
    char text[1024];
};

/* Writes a printf-style message into *error and returns -1, so that a failing function can `return sim_error_set(...)`.
 */
__attribute__((format(printf, 2, 3))) int sim_error_set(struct sim_error *error, const char *format, ...);

#endif
