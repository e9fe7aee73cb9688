/* tools/faultline/value.h -- numbers as people write them: text with a unit in, a number out, and back.
 *
 * A number is digits, at most one point and an optional exponent, then its unit without a blank: 7.5s, 2.4M, 90%, 1e6.
 * It is read as an exact decimal and rounded once, so 7.5s is 7500000000 ns whatever the size, compiler or locale. What
 * is written by value_write_* reads back to the same value, in the unit that makes the number shortest.
 *
 * Units: times in ns, seconds as double; fractions 0 to 1 for 0% to 100%.
 * Ownership: the caller owns every buffer; nothing allocates.
 * Errors: -1 with a text that quotes the input and says what is allowed; outputs are untouched. Negative numbers, nan, inf,
 * hexadecimal, a comma, more than 21 digits, and what underflows a double are refused everywhere.
 */
#ifndef TOOLS_FAULTLINE_VALUE_H
#define TOOLS_FAULTLINE_VALUE_H

#include <stdint.h>

#include "sim/error.h"
#include "sim/law.h"
#include "sim/time.h"

#define VALUE_TEXT_MAX 192 /* bytes of the longest canonical text, a law, with the terminating zero */

/* A span of time with a unit, rounded to the nearest nanosecond; above 0 it must not round to 0. */
int value_read_time(const char *text, sim_time *ret, struct sim_error *error);

/* A span of time with a unit as the nearest double of seconds. */
int value_read_seconds(const char *text, double *ret_s, struct sim_error *error);

/* A whole number, with k, M, G or T for 10^3 to 10^12. */
int value_read_count(const char *text, int64_t *ret, struct sim_error *error);

/* A whole number without a unit that fits in 63 bits, as a database holds it. */
int value_read_seed(const char *text, uint64_t *ret, struct sim_error *error);

/* 90% or 0.9, as the nearest double of the fraction. */
int value_read_fraction(const char *text, double *ret, struct sim_error *error);

/* A number without a unit. */
int value_read_real(const char *text, double *ret, struct sim_error *error);

/* A law such as weibull(mean=20d, shape=0.7): every shape by name, and the mean or the law's own scale. */
int value_read_law(const char *text, struct sim_law *ret, struct sim_error *error);

/* Canonical text. Requires a value that the function of the same name can read. */
void value_write_time(sim_time t, char ret[static VALUE_TEXT_MAX]);
void value_write_seconds(double s, char ret[static VALUE_TEXT_MAX]);
void value_write_count(int64_t count, char ret[static VALUE_TEXT_MAX]);
void value_write_seed(uint64_t seed, char ret[static VALUE_TEXT_MAX]);
void value_write_fraction(double fraction, char ret[static VALUE_TEXT_MAX]);
void value_write_real(double real, char ret[static VALUE_TEXT_MAX]);
void value_write_law(const struct sim_law *law, char ret[static VALUE_TEXT_MAX]);

/* A span of time for people: five digits in the largest unit that is not longer than it. For any s >= 0, also infinity. */
void value_about_seconds(double s, char ret[static VALUE_TEXT_MAX]);

#define VALUE_QUOTE_MAX 72

/* `text` in single quotes for a message: control characters and invalid
 * bytes as '?', cut after some 60 bytes between two characters. */
const char *value_quote(const char *text, char ret[static VALUE_QUOTE_MAX]);

#endif
