#include "tools/faultline/value.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/faultline/decimal.h"
#include "tools/faultline/utf8.h"

struct unit {
    const char *name;
    uint64_t size; /* units: in ns; suffixes: in ones */
};

#define UNITS_ALLOWED "allowed: ns us ms s min h d w y"
#define SUFFIXES_ALLOWED "allowed: k M G T, or none"

/* The largest first: of two texts of one length the first is taken. Weeks are read, not written. */
static const struct unit units[] = {
    {"y", 31557600 * SIM_SECOND},
    {"d", 86400 * SIM_SECOND},
    {"h", 3600 * SIM_SECOND},
    {"min", 60 * SIM_SECOND},
    {"s", SIM_SECOND},
    {"ms", 1000000},
    {"us", 1000},
    {"ns", 1},
    {"w", 604800 * SIM_SECOND},
};
enum { UNITS = sizeof units / sizeof units[0], UNITS_WRITTEN = UNITS - 1 };
static const struct unit *const second = &units[4];

enum { READABLE = 9 }; /* characters of a number beyond which a well-chosen unit no longer helps */

static const struct unit suffixes[] = {{"", 1}, {"k", 1000}, {"M", 1000000}, {"G", 1000000000}, {"T", 1000000000000}};
enum { SUFFIXES = sizeof suffixes / sizeof suffixes[0] };

const char *value_quote(const char *text, char ret[static VALUE_QUOTE_MAX])
{
    enum { KEPT = 60 };
    char *to = ret;
    *to++ = '\'';
    while (*text != '\0' && to < ret + KEPT) {
        uint32_t character;
        size_t length = utf8_next(text, &character);
        if (length == 0 || utf8_is_control(character))
            *to++ = '?';
        else
            to = mempcpy(to, text, length);
        text += length == 0 ? 1 : length;
    }
    (void)utf8_copy((size_t)(ret + VALUE_QUOTE_MAX - to), to, *text == '\0' ? "'" : "...'");
    return ret;
}

static int refuse(const char *text, const char *why, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    return sim_error_set(error, "%s: %s", value_quote(text, quoted), why);
}

/* Reads the number in front of a unit; the unit is at *ret_rest. */
static int read_number(const char *text, const char *example, struct decimal *ret, const char **ret_rest,
                       struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    if (text[0] == '\0')
        return sim_error_set(error, "the value is empty; expected a number such as %s", example);
    const char *why = decimal_scan(text, ret, ret_rest);
    if (why != NULL)
        return sim_error_set(error, "%s: %s; expected a number such as %s", value_quote(text, quoted), why, example);
    return 0;
}

static const struct unit *find_unit(const struct unit table[], size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

/* What a wrong unit probably stands for. */
static const char *unit_hint(const char *name)
{
    static const char *const hints[][2] = {
        {"m", " (minutes or millions?)"}, {"M", " (minutes are min)"},  {"sec", " (seconds are s)"},
        {"mins", " (minutes are min)"},   {"hours", " (hours are h)"},  {"hr", " (hours are h)"},
        {"days", " (days are d)"},        {"years", " (years are y)"},  {"yr", " (years are y)"},
        {"mo", " (months differ)"},       {"\xC2\xB5s", " (write us)"},
    };
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (strcmp(hints[i][0], name) == 0)
            return hints[i][1];
    return "";
}

static int read_duration(const char *text, struct decimal *ret, const struct unit **ret_unit, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX], name[VALUE_QUOTE_MAX];
    const char *rest = "";
    if (read_number(text, "7.5s", ret, &rest, error) != 0)
        return -1;
    if (*rest == '\0')
        return sim_error_set(error, "%s: a duration needs a unit%s; " UNITS_ALLOWED, value_quote(text, quoted),
                             decimal_is_zero(ret) ? ", even 0 (write 0s)" : "");
    *ret_unit = find_unit(units, UNITS, rest);
    if (*ret_unit == NULL)
        return sim_error_set(error, "%s: %s is no unit%s; " UNITS_ALLOWED, value_quote(text, quoted),
                             value_quote(rest, name), unit_hint(rest));
    return 0;
}

int value_read_time(const char *text, sim_time *ret, struct sim_error *error)
{
    struct decimal number = {0, 0};
    const struct unit *unit = second;
    if (read_duration(text, &number, &unit, error) != 0)
        return -1;
    uint64_t ns = 0;
    bool exact = false;
    if (!decimal_to_integer(&number, unit->size, INT64_MAX, &ns, &exact))
        return refuse(text, "longer than a time can be; the limit is 292y", error);
    if (ns == 0 && !decimal_is_zero(&number))
        return refuse(text, "shorter than half a nanosecond; allowed: 0s, or 1ns and longer", error);
    *ret = (sim_time)ns;
    return 0;
}

int value_read_seconds(const char *text, double *ret_s, struct sim_error *error)
{
    struct decimal number = {0, 0};
    const struct unit *unit = second;
    if (read_duration(text, &number, &unit, error) != 0)
        return -1;
    if (!decimal_to_double(&number, unit->size, -9, ret_s))
        return refuse(text, "too large or too small for a number of 64 bits", error);
    return 0;
}

static const char *suffix_hint(const char *name)
{
    static const char *const hints[][2] = {
        {"m", " (thousandths or millions? write M for millions)"},
        {"B", " (billions or bytes? write G for 10^9)"},
        {"b", " (billions or bits? write G for 10^9)"},
        {"K", " (write k for 10^3)"},
        {"g", " (write G for 10^9)"},
        {"t", " (write T for 10^12)"},
    };
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (strcmp(hints[i][0], name) == 0)
            return hints[i][1];
    return "";
}

int value_read_count(const char *text, int64_t *ret, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX], name[VALUE_QUOTE_MAX];
    struct decimal number = {0, 0};
    const char *rest = "";
    if (read_number(text, "2.4M", &number, &rest, error) != 0)
        return -1;
    const struct unit *suffix = find_unit(suffixes, SUFFIXES, rest);
    if (suffix == NULL)
        return sim_error_set(error, "%s: %s is no suffix of a count%s; " SUFFIXES_ALLOWED, value_quote(text, quoted),
                             value_quote(rest, name), suffix_hint(rest));
    uint64_t count = 0;
    bool exact = false;
    if (!decimal_to_integer(&number, suffix->size, INT64_MAX, &count, &exact))
        return refuse(text, "more than a count can be; the limit is 9223372036854775807", error);
    if (!exact)
        return refuse(text, "a count must be a whole number", error);
    *ret = (int64_t)count;
    return 0;
}

int value_read_seed(const char *text, uint64_t *ret, struct sim_error *error)
{
    struct decimal number = {0, 0};
    const char *rest = "";
    if (read_number(text, "42", &number, &rest, error) != 0)
        return -1;
    uint64_t seed = 0;
    bool exact = false;
    if (*rest != '\0' || !decimal_to_integer(&number, 1, INT64_MAX, &seed, &exact) || !exact)
        return refuse(text, "a seed is a whole number without a unit; allowed: 0 to 9223372036854775807", error);
    *ret = seed;
    return 0;
}

int value_read_fraction(const char *text, double *ret, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX], name[VALUE_QUOTE_MAX];
    struct decimal number = {0, 0};
    const char *rest = "";
    if (read_number(text, "90% or 0.9", &number, &rest, error) != 0)
        return -1;
    if (*rest != '\0' && strcmp(rest, "%") != 0)
        return sim_error_set(error, "%s: %s is no unit of a fraction; allowed: %%, or none", value_quote(text, quoted),
                             value_quote(rest, name));
    if (!decimal_to_double(&number, 1, *rest == '%' ? -2 : 0, ret))
        return refuse(text, "too large or too small for a number of 64 bits", error);
    return 0;
}

int value_read_real(const char *text, double *ret, struct sim_error *error)
{
    struct decimal number = {0, 0};
    const char *rest = "";
    if (read_number(text, "0.7", &number, &rest, error) != 0)
        return -1;
    if (*rest != '\0')
        return refuse(text, "a pure number takes no unit", error);
    if (!decimal_to_double(&number, 1, 0, ret))
        return refuse(text, "too large or too small for a number of 64 bits", error);
    return 0;
}

static size_t number_length(const char *text)
{
    return strspn(text, "0123456789.e+-");
}

/* Takes `candidate` when its number is the shortest so far, whatever its unit: 10min is shorter than 600s. */
static void keep_shorter(const char *candidate, char best[static VALUE_TEXT_MAX])
{
    if (best[0] == '\0' || number_length(candidate) < number_length(best))
        (void)utf8_copy(VALUE_TEXT_MAX, best, candidate);
}

/* The shortest exact text of a whole number in one of the units; a long one in the plain unit. */
static void write_integer(uint64_t number, const struct unit table[], size_t count, const struct unit *plain,
                          char ret[static VALUE_TEXT_MAX])
{
    char candidate[VALUE_TEXT_MAX];
    ret[0] = '\0';
    for (size_t i = 0; i < count; i++)
        if (decimal_write_quotient(number, table[i].size, table[i].name, candidate))
            keep_shorter(candidate, ret);
    if (number_length(ret) > READABLE)
        (void)decimal_write_quotient(number, plain->size, plain->name, ret);
}

void value_write_time(sim_time t, char ret[static VALUE_TEXT_MAX])
{
    if (t == 0)
        (void)utf8_copy(VALUE_TEXT_MAX, ret, "0s");
    else
        write_integer((uint64_t)t, units, UNITS_WRITTEN, second, ret);
}

void value_write_count(int64_t count, char ret[static VALUE_TEXT_MAX])
{
    write_integer((uint64_t)count, suffixes, SUFFIXES, &suffixes[0], ret);
}

void value_write_seed(uint64_t seed, char ret[static VALUE_TEXT_MAX])
{
    decimal_write_integer(seed, ret);
}

/* The shortest text in `unit` that reads back to exactly s, or "". */
static void write_in_unit(double s, const struct unit *unit, char ret[static VALUE_TEXT_MAX])
{
    struct sim_error ignored;
    double in_unit = s / ((double)unit->size / 1e9), back = 0;
    for (int digits = 1; digits <= 17; digits++) {
        decimal_write_double(in_unit, digits, 0, unit->name, ret);
        if (value_read_seconds(ret, &back, &ignored) == 0 && back == s)
            return;
    }
    ret[0] = '\0';
}

void value_write_seconds(double s, char ret[static VALUE_TEXT_MAX])
{
    char candidate[VALUE_TEXT_MAX];
    ret[0] = '\0';
    if (s == 0.0) {
        (void)utf8_copy(VALUE_TEXT_MAX, ret, "0s");
        return;
    }
    for (size_t i = 0; i < UNITS_WRITTEN; i++) {
        write_in_unit(s, &units[i], candidate);
        if (candidate[0] != '\0')
            keep_shorter(candidate, ret);
    }
    if (number_length(ret) > READABLE)
        write_in_unit(s, second, ret);
}

/* Fewest digits that read back to `number`, shown with the point moved right by `shift`. */
static void write_shortest(double number, int shift, const char *unit,
                           int (*read)(const char *, double *, struct sim_error *), char ret[static VALUE_TEXT_MAX])
{
    struct sim_error ignored;
    double back = 0;
    for (int digits = 1; digits <= 17; digits++) {
        decimal_write_double(number, digits, shift, unit, ret);
        if (read(ret, &back, &ignored) == 0 && back == number)
            return;
    }
}

void value_write_fraction(double fraction, char ret[static VALUE_TEXT_MAX])
{
    write_shortest(fraction, 2, "%", value_read_fraction, ret);
}

void value_write_real(double real, char ret[static VALUE_TEXT_MAX])
{
    write_shortest(real, 0, "", value_read_real, ret);
}

void value_about_seconds(double s, char ret[static VALUE_TEXT_MAX])
{
    if (!(s <= DBL_MAX)) {
        (void)utf8_copy(VALUE_TEXT_MAX, ret, "never");
        return;
    }
    size_t i = 0;
    while (i < UNITS_WRITTEN - 1 && s < (double)units[i].size / 1e9)
        i++;
    if (s == 0.0)
        (void)utf8_copy(VALUE_TEXT_MAX, ret, "0s");
    else
        decimal_write_double(s / ((double)units[i].size / 1e9), 5, 0, units[i].name, ret);
}
