#include "tools/faultline/decimal.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/faultline/utf8.h"

enum { EXPONENT_MAX = 100000, POWER_MAX = 38, DECIMALS_MAX = 9 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Zeros wait in *zeros until a digit follows them, so trailing ones cost no precision. */
static const char *scan_digits(const char *at, struct decimal *number, int *significant, int *zeros)
{
    for (; is_digit(*at); at++) {
        ++*zeros;
        if (*at == '0')
            continue;
        if (number->digits != 0)
            *significant += *zeros;
        else
            *significant = 1;
        for (; *zeros > 0 && *significant <= DECIMAL_DIGITS_MAX; --*zeros)
            number->digits *= 10;
        *zeros = 0;
        number->digits += (unsigned)(*at - '0');
    }
    return at;
}

static const char *scan_exponent(const char *at, int *exponent)
{
    if (*at != 'e' && *at != 'E')
        return at;
    const char *digit = at + 1;
    bool negative = *digit == '-';
    if (*digit == '-' || *digit == '+')
        digit++;
    if (!is_digit(*digit))
        return at;
    int value = 0;
    for (; is_digit(*digit); digit++)
        if (value < EXPONENT_MAX)
            value = value * 10 + (*digit - '0');
    *exponent += negative ? -value : value;
    return digit;
}

static const char *why_no_number(const char *text)
{
    if (text[0] == '-' && is_digit(text[1]))
        return "must not be negative";
    return "not a number";
}

/* What is wrong with the text right behind a number; NULL when it may be a unit. */
static const char *why_no_unit(const char *text, const char *rest)
{
    if (rest[0] == ',')
        return "a comma is no decimal point";
    if (rest[0] == '.')
        return "a point must stand between digits";
    if (rest == text + 1 && text[0] == '0' && (rest[0] == 'x' || rest[0] == 'X'))
        return "hexadecimal is not allowed";
    if (rest[0] == ' ')
        return "no blank between number and unit";
    return NULL;
}

const char *decimal_scan(const char *text, struct decimal *ret, const char **ret_rest)
{
    struct decimal number = {0, 0};
    int significant = 0, zeros = 0;
    if (!is_digit(text[0]))
        return why_no_number(text);
    const char *rest = scan_digits(text, &number, &significant, &zeros);
    if (rest[0] == '.' && is_digit(rest[1])) {
        const char *fraction = rest + 1;
        rest = scan_digits(fraction, &number, &significant, &zeros);
        number.exponent = -(int)(rest - fraction);
    }
    if (significant > DECIMAL_DIGITS_MAX)
        return "more than 21 digits";
    number.exponent += zeros;
    rest = scan_exponent(rest, &number.exponent);
    const char *why = why_no_unit(text, rest);
    if (why != NULL)
        return why;
    *ret = number;
    *ret_rest = rest;
    return NULL;
}

bool decimal_is_zero(const struct decimal *number)
{
    return number->digits == 0;
}

/* wide / 10^power, rounded half up. */
static decimal_wide divide_rounded(decimal_wide wide, int power, bool *ret_exact)
{
    decimal_wide divisor = 1;
    for (int i = 0; i < power; i++)
        divisor *= 10;
    decimal_wide rest = wide % divisor;
    *ret_exact = rest == 0;
    return wide / divisor + (rest >= divisor - rest ? 1 : 0);
}

bool decimal_to_integer(const struct decimal *number, uint64_t factor, uint64_t limit, uint64_t *ret, bool *ret_exact)
{
    decimal_wide wide = number->digits * factor;
    bool exact = true;
    for (int i = 0; i < number->exponent && wide != 0 && wide <= limit; i++)
        wide *= 10;
    if (number->exponent < -POWER_MAX) {
        exact = wide == 0;
        wide = 0; /* digits * factor < 10^38 */
    } else if (number->exponent < 0) {
        wide = divide_rounded(wide, -number->exponent, &exact);
    }
    if (wide > limit)
        return false;
    *ret = (uint64_t)wide;
    *ret_exact = exact;
    return true;
}

/* Writes the digits of `wide` in front of `end`, at least one; returns the first. */
static char *write_wide(decimal_wide wide, char *end)
{
    do {
        *--end = (char)('0' + (int)(wide % 10));
        wide /= 10;
    } while (wide != 0);
    return end;
}

bool decimal_to_double(const struct decimal *number, uint64_t factor, int exponent, double *ret)
{
    char text[DECIMAL_TEXT_MAX];
    char *tail = text + 40; /* 2^128 has 39 digits */
    char *first = write_wide(number->digits * factor, tail);
    (void)snprintf(tail, sizeof text - 40, "e%d", number->exponent + exponent);
    double result = strtod(first, NULL); /* no point in it: the same in every locale, and correctly rounded */
    if (!isfinite(result) || (number->digits != 0 && result < DBL_MIN))
        return false;
    *ret = result;
    return true;
}

void decimal_write_integer(uint64_t number, char ret[static DECIMAL_TEXT_MAX])
{
    (void)snprintf(ret, DECIMAL_TEXT_MAX, "%" PRIu64, number);
}

bool decimal_write_quotient(uint64_t number, uint64_t factor, const char *unit, char ret[static DECIMAL_TEXT_MAX])
{
    decimal_wide rest = number % factor;
    decimal_write_integer(number / factor, ret);
    char *at = ret + strlen(ret);
    if (rest != 0)
        *at++ = '.';
    for (int i = 0; i < DECIMALS_MAX && rest != 0; i++) {
        rest *= 10;
        *at++ = (char)('0' + (int)(rest / factor));
        rest %= factor;
    }
    (void)utf8_copy((size_t)(ret + DECIMAL_TEXT_MAX - at), at, unit);
    return rest == 0;
}

/* The first `count` characters of `digits`, continued with zeros. */
static char *put_digits(char *at, const char *digits, int from, int count)
{
    int length = (int)strlen(digits);
    for (int i = from; i < from + count; i++)
        *at++ = i >= 0 && i < length ? digits[i] : '0';
    return at;
}

/* 0.DIGITS * 10^point as text: plain when that is short, else with an exponent. */
static char *write_digits(const char *digits, int point, char *at)
{
    int length = (int)strlen(digits);
    bool plain = point > -6 && point <= 21;
    int whole = plain ? (point > 0 ? point : 0) : 1;
    if (whole == 0)
        *at++ = '0';
    at = put_digits(at, digits, 0, whole);
    int start = plain && point < 0 ? point : whole;
    if (length > whole) {
        *at++ = '.';
        at = put_digits(at, digits, start, length - start);
    }
    return plain ? at : at + sprintf(at, "e%d", point - 1);
}

void decimal_write_double(double number, int digits, int shift, const char *unit, char ret[static DECIMAL_TEXT_MAX])
{
    char text[DECIMAL_TEXT_MAX], significant[DECIMAL_TEXT_MAX] = "0";
    int count = 0;
    (void)snprintf(text, sizeof text, "%.*e", digits - 1, number);
    const char *at = text;
    for (; *at != 'e'; at++) /* skips the point, which the locale chooses */
        if (is_digit(*at))
            significant[count++] = *at;
    while (count > 1 && significant[count - 1] == '0')
        count--;
    significant[count] = '\0';
    int exponent = number == 0.0 ? 0 : (int)strtol(at + 1, NULL, 10) + shift;
    char *end = write_digits(significant, exponent + 1, ret);
    (void)utf8_copy((size_t)(ret + DECIMAL_TEXT_MAX - end), end, unit);
}
