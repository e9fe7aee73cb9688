#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/faultline/decimal.h"
#include "tools/faultline/utf8.h"
#include "tools/faultline/value.h"

#define EXAMPLE "expected a number per time, such as 0.01 per d, or 6.5 per 1000 per d"

#define UNITS_ALLOWED "allowed: ns us ms s min h d w y, or a duration such as 12h"

enum { FREQUENCY_MAX = 128, PARTS_MAX = 3 };

/* Cuts `text` at each "per" that stands alone; the parts, without the blanks around them, or 0 when one is empty. */
static int split(char *text, char *ret_part[PARTS_MAX + 1])
{
    int parts = 1;
    ret_part[0] = text + strspn(text, " ");
    for (char *per; parts <= PARTS_MAX && (per = strstr(ret_part[parts - 1], " per ")) != NULL; parts++) {
        ret_part[parts] = per + 5 + strspn(per + 5, " ");
        while (per > ret_part[parts - 1] && per[-1] == ' ')
            per--;
        *per = '\0';
    }
    for (int i = 0; i < parts; i++)
        if (ret_part[i][0] == '\0')
            return 0;
    return parts;
}

/* A unit of time alone stands for one of it. */
static int read_span(const char *text, double *ret_s, struct sim_error *error)
{
    char one[FREQUENCY_MAX + 1], quoted[VALUE_QUOTE_MAX];
    if (text[0] >= '0' && text[0] <= '9')
        return value_read_seconds(text, ret_s, error);
    (void)snprintf(one, sizeof one, "1%s", text);
    if (strpbrk(text, "0123456789.") != NULL || value_read_seconds(one, ret_s, error) != 0)
        return sim_error_set(error, "%s is no unit of time; " UNITS_ALLOWED, value_quote(text, quoted));
    return 0;
}

static int read_parts(char *const part[], int parts, double *ret_gap_s, struct sim_error *error)
{
    double amount = 0, span_s = 0;
    int64_t units = 1;
    if (value_read_fraction(part[0], &amount, error) != 0 ||
        (parts == PARTS_MAX && value_read_count(part[1], &units, error) != 0) ||
        read_span(part[parts - 1], &span_s, error) != 0)
        return -1;
    if (units < 1 || span_s <= 0)
        return sim_error_set(error, "per nothing; " EXAMPLE);
    *ret_gap_s = span_s / (amount / (double)units);
    return 0;
}

int value_read_frequency(const char *text, double *ret_gap_s, struct sim_error *error)
{
    char copy[FREQUENCY_MAX], quoted[VALUE_QUOTE_MAX], *part[PARTS_MAX + 1];
    struct sim_error why;
    if (text[0] == '\0')
        return sim_error_set(error, "the value is empty; " EXAMPLE);
    if (strlen(text) >= sizeof copy)
        return sim_error_set(error, "%s: longer than %d bytes", value_quote(text, quoted), FREQUENCY_MAX - 1);
    (void)utf8_copy(sizeof copy, copy, text);
    int parts = split(copy, part);
    if (parts < 2 || parts > PARTS_MAX)
        return sim_error_set(error, "%s: no rate; " EXAMPLE, value_quote(text, quoted));
    if (read_parts(part, parts, ret_gap_s, &why) != 0)
        return sim_error_set(error, "%s: %.600s", value_quote(text, quoted), why.text);
    return 0;
}

/* The shortest text of `amount` per `unit` that reads back to exactly the gap, or "". */
static void write_amount(double amount, double gap_s, const char *unit, char ret[static VALUE_TEXT_MAX])
{
    struct sim_error ignored;
    double back = 0;
    for (int digits = 1; digits <= 17; digits++) {
        decimal_write_double(amount, digits, 0, "", ret);
        size_t length = strlen(ret);
        (void)snprintf(ret + length, VALUE_TEXT_MAX - length, " per %s", unit);
        if (value_read_frequency(ret, &back, &ignored) == 0 && back == gap_s)
            return;
    }
    ret[0] = '\0';
}

/* The amount that was read is the quotient, or a neighbour of it: it was rounded, and so was the gap. */
static void write_in_unit(double gap_s, const char *unit, double unit_s, char ret[static VALUE_TEXT_MAX])
{
    double amount = unit_s / gap_s;
    const double neighbour[] = {amount, nextafter(amount, 0), nextafter(amount, INFINITY)};
    ret[0] = '\0';
    for (size_t i = 0; i < sizeof neighbour / sizeof neighbour[0] && ret[0] == '\0'; i++)
        write_amount(neighbour[i], gap_s, unit, ret);
}

void value_write_frequency(double gap_s, char ret[static VALUE_TEXT_MAX])
{
    static const struct {
        const char *name;
        double s;
    } units[] = {{"d", 86400}, {"h", 3600}, {"y", 31557600}, {"min", 60}, {"s", 1}};
    char candidate[VALUE_TEXT_MAX];
    ret[0] = '\0';
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        write_in_unit(gap_s, units[i].name, units[i].s, candidate);
        if (candidate[0] != '\0' && (ret[0] == '\0' || strlen(candidate) < strlen(ret)))
            (void)utf8_copy(VALUE_TEXT_MAX, ret, candidate);
    }
}
