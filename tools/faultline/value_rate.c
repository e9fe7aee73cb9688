#include <float.h>
#include <string.h>

#include "tools/faultline/decimal.h"
#include "tools/faultline/utf8.h"
#include "tools/faultline/value.h"

#define RATES_ALLOWED "allowed: bit/s kbit/s Mbit/s Gbit/s Tbit/s, or B/s kB/s MB/s GB/s TB/s for bytes"

struct unit {
    const char *name;
    uint64_t bits_per_s;
};

/* The largest first. Bytes are read, not written. */
static const struct unit units[] = {
    {"Tbit/s", 1000000000000}, {"Gbit/s", 1000000000}, {"Mbit/s", 1000000}, {"kbit/s", 1000}, {"bit/s", 1},
    {"TB/s", 8000000000000},   {"GB/s", 8000000000},   {"MB/s", 8000000},   {"kB/s", 8000},   {"B/s", 8},
};
enum { UNITS = sizeof units / sizeof units[0], UNITS_WRITTEN = 5, READABLE = 9 };

static const struct unit *find_unit(const char *name)
{
    for (size_t i = 0; i < UNITS; i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* What a wrong unit probably stands for. */
static const char *hint(const char *name)
{
    if (ends_in(name, "Bps"))
        return " (write GB/s for bytes)";
    if (ends_in(name, "bps") || ends_in(name, "b/s"))
        return " (write Gbit/s for bits)";
    if (ends_in(name, "bit") || ends_in(name, "B"))
        return " (a rate is per second)";
    return "";
}

int value_read_rate(const char *text, double *ret_bits_per_s, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX], name[VALUE_QUOTE_MAX];
    struct decimal number = {0, 0};
    const char *rest = "";
    if (text[0] == '\0')
        return sim_error_set(error, "the value is empty; expected a rate such as 2Gbit/s");
    const char *why = decimal_scan(text, &number, &rest);
    if (why != NULL)
        return sim_error_set(error, "%s: %s; expected a rate such as 2Gbit/s", value_quote(text, quoted), why);
    if (*rest == '\0')
        return sim_error_set(error, "%s: a rate needs a unit; " RATES_ALLOWED, value_quote(text, quoted));
    const struct unit *unit = find_unit(rest);
    if (unit == NULL)
        return sim_error_set(error, "%s: %s is no unit of a rate%s; " RATES_ALLOWED, value_quote(text, quoted),
                             value_quote(rest, name), hint(rest));
    if (!decimal_to_double(&number, unit->bits_per_s, 0, ret_bits_per_s))
        return sim_error_set(error, "%s: too large or too small for a number of 64 bits", value_quote(text, quoted));
    return 0;
}

/* The shortest text in `unit` that reads back to exactly the rate, or "". */
static void write_in_unit(double bits_per_s, const struct unit *unit, char ret[static VALUE_TEXT_MAX])
{
    struct sim_error ignored;
    double back = 0;
    for (int digits = 1; digits <= 17; digits++) {
        decimal_write_double(bits_per_s / (double)unit->bits_per_s, digits, 0, unit->name, ret);
        if (value_read_rate(ret, &back, &ignored) == 0 && back == bits_per_s)
            return;
    }
    ret[0] = '\0';
}

static size_t number_length(const char *text)
{
    return strspn(text, "0123456789.e+-");
}

/* Takes `candidate` when its number is the shortest so far, whatever its unit. */
static void keep_shorter(const char *candidate, char best[static VALUE_TEXT_MAX])
{
    if (candidate[0] != '\0' && (best[0] == '\0' || number_length(candidate) < number_length(best)))
        (void)utf8_copy(VALUE_TEXT_MAX, best, candidate);
}

void value_write_rate(double bits_per_s, char ret[static VALUE_TEXT_MAX])
{
    char candidate[VALUE_TEXT_MAX];
    ret[0] = '\0';
    if (bits_per_s == 0.0)
        (void)utf8_copy(VALUE_TEXT_MAX, ret, "0bit/s");
    for (size_t i = 0; i < UNITS_WRITTEN && bits_per_s != 0.0; i++) {
        write_in_unit(bits_per_s, &units[i], candidate);
        keep_shorter(candidate, ret);
    }
    if (number_length(ret) > READABLE)
        write_in_unit(bits_per_s, &units[UNITS_WRITTEN - 1], ret);
}

void value_about_rate(double bits_per_s, char ret[static VALUE_TEXT_MAX])
{
    size_t i = 0;
    while (i < UNITS_WRITTEN - 1 && bits_per_s < (double)units[i].bits_per_s)
        i++;
    if (bits_per_s <= DBL_MAX)
        decimal_write_double(bits_per_s / (double)units[i].bits_per_s, 5, 0, units[i].name, ret);
    else
        (void)utf8_copy(VALUE_TEXT_MAX, ret, "none");
}
