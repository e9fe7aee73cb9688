/* tools/faultline/value.h -- numbers as people write them: text with a unit in, a number out, and back.
 *
 * A number is digits, at most one point and an optional exponent, then its unit without a blank: 7.5s, 2.4M, 90%, 1e6.
 * It is read as an exact decimal and rounded once, so 7.5s is 7500000000 ns whatever the size, compiler or locale. What
 * is written by value_write_* reads back to the same value, in the unit that makes the number shortest.
 *
 * Units: times in ns, seconds as double; rates in bit/s; fractions 0 to 1 for 0% to 100%.
 * Ownership: the caller owns every buffer; only value_list_text allocates.
 * Errors: -1 with a text that quotes the input and says what is allowed; outputs are untouched. Negative numbers, nan,
 * inf, hexadecimal, a comma, more than 21 digits, and what underflows a double are refused everywhere.
 */
#ifndef TOOLS_FAULTLINE_VALUE_H
#define TOOLS_FAULTLINE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/error.h"
#include "sim/law.h"
#include "sim/time.h"

#define VALUE_TEXT_MAX 256 /* bytes of the longest canonical text with the terminating zero */

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

/* A rate with a unit, Gbit/s or GB/s and the like, as the nearest double of bit/s. In value_rate.c. */
int value_read_rate(const char *text, double *ret_bits_per_s, struct sim_error *error);

/* A rate of events such as 6.5 per 1000 per d, 1% per d or 1 per 18min, as the mean time between those of one unit:
 * infinite for a rate of 0. In value_frequency.c. */
int value_read_frequency(const char *text, double *ret_gap_s, struct sim_error *error);

/* What a list of whole numbers may hold: 1 to `max` of them, each from `low` to `high`. A set holds each once, may be
 * written with ranges such as 0..3, and is kept in ascending order. */
struct value_list {
    int max;
    int64_t low, high;
    bool is_set;
};

/* A list such as [4, 5]. `ret` has room for list->max numbers. In value_list.c. */
int value_read_list(const char *text, const struct value_list *list, int64_t ret[], int *ret_count,
                    struct sim_error *error);

/* A law such as weibull(mean=20d, shape=0.7): every shape by name, and the mean or the law's own scale. */
int value_read_law(const char *text, struct sim_law *ret, struct sim_error *error);

/* How many times something is slower: a number, or a law of pure numbers such as lognormal(median=2, sigma=0.5), of
 * which draws are cut at 1 and CONFIG_FACTOR_MAX. In value_law.c. */
int value_read_factor(const char *text, struct sim_law *ret, struct sim_error *error);

/* True for the text of an empirical law; the name of its file, which the caller frees, or NULL when the delays
 * themselves are in it: empirical(1h, 90min). In value_law_sample.c, as the next two. */
bool value_is_sample(const char *text);
char *value_sample_file(const char *text);

/* An empirical law whose delays are in its text; value_read_law passes it on. Requires value_is_sample. */
int value_read_sample(const char *text, struct sim_law *ret, struct sim_error *error);

/* Its canonical text, with all delays in seconds, ascending; the caller frees it. */
char *value_sample_text(const struct sim_law_sample *sample);

/* Canonical text. Requires a value that the function of the same name can read; a law that is not empirical. */
void value_write_time(sim_time t, char ret[static VALUE_TEXT_MAX]);
void value_write_seconds(double s, char ret[static VALUE_TEXT_MAX]);
void value_write_count(int64_t count, char ret[static VALUE_TEXT_MAX]);
void value_write_seed(uint64_t seed, char ret[static VALUE_TEXT_MAX]);
void value_write_fraction(double fraction, char ret[static VALUE_TEXT_MAX]);
void value_write_real(double real, char ret[static VALUE_TEXT_MAX]);
void value_write_rate(double bits_per_s, char ret[static VALUE_TEXT_MAX]);
void value_write_frequency(double gap_s, char ret[static VALUE_TEXT_MAX]);
void value_write_law(const struct sim_law *law, char ret[static VALUE_TEXT_MAX]);
void value_write_factor(const struct sim_law *law, char ret[static VALUE_TEXT_MAX]);

/* Canonical text of a list of any length, its numbers without a suffix; the caller frees it. */
char *value_list_text(const int64_t number[], int count);

/* A span of time for people: five digits in the largest unit that is not longer than it. For any s >= 0, also infinity.
 */
void value_about_seconds(double s, char ret[static VALUE_TEXT_MAX]);

/* The same for a rate in bit/s. */
void value_about_rate(double bits_per_s, char ret[static VALUE_TEXT_MAX]);

#define VALUE_QUOTE_MAX 72

/* `text` in single quotes for a message: control characters and invalid
 * bytes as '?', cut after some 60 bytes between two characters. */
const char *value_quote(const char *text, char ret[static VALUE_QUOTE_MAX]);

#endif
