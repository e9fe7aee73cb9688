/* tools/faultline/decimal.h -- exact decimal numbers between text and machine numbers.
 *
 * The arithmetic below value.c: a number as typed is digits times a power of ten; a unit multiplies the digits by a
 * whole number; only then is it rounded, once. No function here depends on the locale.
 *
 * Units: none; a factor is the unit as a whole number of the smaller unit.
 * Ownership: values; the caller owns every buffer.
 * Errors: false, or a reason for a person; outputs are untouched.
 */
#ifndef TOOLS_FAULTLINE_DECIMAL_H
#define TOOLS_FAULTLINE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#define DECIMAL_DIGITS_MAX 21 /* significant digits: with the largest unit in ns the product still fits in 128 bits */
#define DECIMAL_TEXT_MAX 64   /* bytes that the decimal_write_* functions need, with a unit of up to 3 */

__extension__ typedef unsigned __int128 decimal_wide;

struct decimal {
    decimal_wide digits;
    int exponent; /* of ten */
};

/* Reads DIGITS[.DIGITS][e[+-]DIGITS] at the start of `text`; the rest of the text is at *ret_rest. NULL, or what is
 * wrong. */
const char *decimal_scan(const char *text, struct decimal *ret, const char **ret_rest);

bool decimal_is_zero(const struct decimal *number);

/* Nearest whole number of number * factor (half up); false when it is above `limit`. Requires factor <= 2^56. */
bool decimal_to_integer(const struct decimal *number, uint64_t factor, uint64_t limit, uint64_t *ret, bool *ret_exact);

/* Nearest double of number * factor * 10^exponent; false when it overflows, or is above 0 and below the smallest normal
 * double. */
bool decimal_to_double(const struct decimal *number, uint64_t factor, int exponent, double *ret);

/* number / factor as an exact decimal with `unit` behind it; false when that takes more than nine decimals. */
bool decimal_write_quotient(uint64_t number, uint64_t factor, const char *unit, char ret[static DECIMAL_TEXT_MAX]);

/* A whole number. */
void decimal_write_integer(uint64_t number, char ret[static DECIMAL_TEXT_MAX]);

/* `number` rounded to `digits` significant digits, times 10^shift, with `unit` behind it; an exponent only for very
 * large and very small numbers. Requires a finite number >= 0 and digits from 1 to 17. */
void decimal_write_double(double number, int digits, int shift, const char *unit, char ret[static DECIMAL_TEXT_MAX]);

#endif
