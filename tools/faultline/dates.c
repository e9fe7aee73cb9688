#include "tools/faultline/dates.h"

#include <string.h>

#include "tools/faultline/value.h"

enum { YEAR_MIN = 1970, YEAR_MAX = 2200 };

struct date {
    int year, month, day, hour, minute, second;
    int64_t fraction_ns;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* One or more digits, `digits_max` at most, in the range. Returns what follows; NULL when it is none. */
static const char *read_number(const char *at, int digits_max, int low, int high, int *ret)
{
    int value = 0, digits = 0;
    for (; digits < digits_max && is_digit(*at); digits++)
        value = 10 * value + (*at++ - '0');
    if (digits == 0 || value < low || value > high)
        return NULL;
    *ret = value;
    return at;
}

static const char *read_month_name(const char *at, int *ret)
{
    static const char *const name[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    for (int i = 0; i < 12; i++)
        if (strncmp(at, name[i], 3) == 0) {
            *ret = i + 1;
            return at + 3;
        }
    return NULL;
}

static const char *read_seconds(const char *at, struct date *date)
{
    at = read_number(at, 2, 0, 59, &date->second);
    if (at == NULL || at[0] != '.' || !is_digit(at[1]))
        return at;
    int64_t unit = SIM_SECOND;
    date->fraction_ns = 0;
    for (at++; is_digit(*at); at++) {
        unit /= 10;
        date->fraction_ns += unit * (*at - '0');
    }
    return at;
}

static const char *read_short_year(const char *at, int *ret)
{
    at = read_number(at, 2, 0, 99, ret);
    if (at != NULL)
        *ret += *ret >= 69 ? 1900 : 2000;
    return at;
}

static const char *read_field(char directive, const char *at, struct date *date)
{
    switch (directive) {
    case 'Y':
        return read_number(at, 4, YEAR_MIN, YEAR_MAX, &date->year);
    case 'y':
        return read_short_year(at, &date->year);
    case 'm':
        return read_number(at, 2, 1, 12, &date->month);
    case 'b':
        return read_month_name(at, &date->month);
    case 'd':
        return read_number(at, 2, 1, 31, &date->day);
    case 'H':
        return read_number(at, 2, 0, 23, &date->hour);
    case 'M':
        return read_number(at, 2, 0, 59, &date->minute);
    case 'S':
        return read_seconds(at, date);
    default:
        return *at == '%' ? at + 1 : NULL;
    }
}

/* What a directive is short for; NULL: nothing. */
static const char *longhand(char directive)
{
    return directive == 'F' ? "%Y-%m-%d" : directive == 'T' ? "%H:%M:%S" : NULL;
}

/* Reads as much as the format says; returns what follows, or NULL. */
static const char *read_format(const char *format, const char *at, struct date *date)
{
    for (; *format != '\0' && at != NULL; format++) {
        if (*format != '%')
            at = *at == *format ? at + 1 : NULL;
        else if (longhand(*++format) != NULL)
            at = read_format(longhand(*format), at, date);
        else
            at = read_field(*format, at, date);
    }
    return at;
}

static int days_in_month(const struct date *date)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = (date->year % 4 == 0 && date->year % 100 != 0) || date->year % 400 == 0;
    return days[date->month - 1] + (date->month == 2 && is_leap);
}

/* Days since 1970-01-01 in the Gregorian calendar, years counted from March so that the leap day is the last. */
static int64_t days_of(const struct date *date)
{
    int64_t year = date->month > 2 ? date->year : date->year - 1, month = (date->month + 9) % 12;
    return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + date->day - 1 - 719468;
}

int dates_check(const char *format, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    bool has_year = false;
    for (const char *at = format; *at != '\0'; at++) {
        if (*at != '%')
            continue;
        if (*++at == '\0' || strchr("YymbdHMSFT%", *at) == NULL)
            return sim_error_set(error,
                                 "%s: not a format of dates; allowed are %%Y %%y %%m %%b %%d %%H %%M %%S %%F %%T",
                                 value_quote(format, quoted));
        has_year = has_year || strchr("YyF", *at) != NULL;
    }
    if (!has_year)
        return sim_error_set(error, "%s: a format of dates needs the year, %%Y", value_quote(format, quoted));
    return 0;
}

int dates_read(const char *format, const char *text, sim_time *ret, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX], pattern[VALUE_QUOTE_MAX];
    struct date date = {.year = YEAR_MIN, .month = 1, .day = 1};
    const char *rest = read_format(format, text, &date);
    if (rest == NULL || *rest != '\0' || date.day > days_in_month(&date))
        return sim_error_set(error, "%s: not a date of the form %s", value_quote(text, quoted),
                             value_quote(format, pattern));
    int64_t seconds = 86400 * days_of(&date) + INT64_C(3600) * date.hour + INT64_C(60) * date.minute + date.second;
    *ret = seconds * SIM_SECOND + date.fraction_ns;
    return 0;
}
