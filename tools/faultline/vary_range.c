/* vary_range.c -- ranges of values: LOW..HIGH xFACTOR, LOW..HIGH +STEP. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/faultline/vary.h"

#define SLACK 1e-9 /* a last value that misses HIGH by rounding is HIGH */

#define PART_MAX 64

/* A range as text. */
struct range {
    char low[PART_MAX], high[PART_MAX], step[PART_MAX];
    char how; /* '+', 'x', or 0 when there is no step */
};

static size_t number_length(const char *text)
{
    return strspn(text, "0123456789.e");
}

/* Splits "LOW..HIGH xFACTOR"; false when it is too long to be one. */
static bool split(const char *element, struct range *ret)
{
    const char *dots = strstr(element, "..");
    const char *high = dots + 2;
    size_t length = strcspn(high, " \t+x");
    const char *rest = high + length + strspn(high + length, " \t");
    ret->how = *rest == '+' || *rest == 'x' ? *rest++ : '\0';
    rest += strspn(rest, " \t");
    if ((size_t)(dots - element) >= PART_MAX || length >= PART_MAX || strlen(rest) + PART_MAX / 2 >= PART_MAX)
        return false;
    (void)snprintf(ret->low, PART_MAX, "%.*s", (int)(dots - element), element);
    (void)snprintf(ret->high, PART_MAX, "%.*s", (int)length, high);
    (void)snprintf(ret->step, PART_MAX, "%s", rest);
    return true;
}

/* 0..60s +5: a number without a unit has that of HIGH. A suffix of a count is no unit. */
static void inherit_unit(const struct keys_key *key, const char *high, char text[static PART_MAX])
{
    size_t length = strlen(text);
    bool has_units = key->type != KEYS_COUNT && key->type != KEYS_AMOUNT;
    if (has_units && length > 0 && length == number_length(text))
        (void)snprintf(text + length, PART_MAX - length, "%s", high + number_length(high));
}

struct steps {
    double low, high, step;
    bool multiplies;
};

static double value_at(const struct steps *steps, size_t i)
{
    return steps->multiplies ? steps->low * pow(steps->step, (double)i) : steps->low + (double)i * steps->step;
}

static int read_step(const struct keys_key *key, const struct range *range, struct steps *ret, struct sim_error *error)
{
    ret->multiplies = range->how == 'x';
    ret->step = 1;
    if (ret->multiplies)
        return value_read_real(range->step, &ret->step, error);
    if (range->how == '\0' && (key->type == KEYS_COUNT || key->type == KEYS_AMOUNT))
        return 0;
    if (range->how == '\0')
        return sim_error_set(error, "a range needs a step: LOW..HIGH +STEP, or LOW..HIGH xFACTOR");
    return keys_read_number(key, range->step, &ret->step, error);
}

/* Splits a range and reads its ends. */
static int read_ends(const struct keys_key *key, const char *text, struct range *ret, struct steps *ret_steps,
                     struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    if (!split(text, ret))
        return sim_error_set(error, "%s: a range is LOW..HIGH +STEP or LOW..HIGH xFACTOR", value_quote(text, quoted));
    inherit_unit(key, ret->high, ret->low);
    if (ret->how == '+')
        inherit_unit(key, ret->high, ret->step);
    if (keys_read_number(key, ret->low, &ret_steps->low, error) != 0 ||
        keys_read_number(key, ret->high, &ret_steps->high, error) != 0)
        return -1;
    return 0;
}

static int read_range(const struct keys_key *key, const char *element, struct steps *ret, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    struct range range;
    if (read_ends(key, element, &range, ret, error) != 0 || read_step(key, &range, ret, error) != 0)
        return -1;
    if (ret->low > ret->high || (ret->low < ret->high && !(value_at(ret, 1) > ret->low)))
        return sim_error_set(error, "%s: the range does not advance from LOW to HIGH", value_quote(element, quoted));
    return 0;
}

int vary_bounds(const struct keys_key *key, const char *range, double *ret_low, double *ret_high, double *ret_unit,
                struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    struct range parts;
    struct steps steps = {0};
    bool has_dots = strstr(range, "..") != NULL;
    if (has_dots && read_ends(key, range, &parts, &steps, error) != 0)
        return -1;
    if (!has_dots || parts.how != '\0' || !(steps.low < steps.high))
        return sim_error_set(error, "%s: expected LOW..HIGH, LOW below HIGH", value_quote(range, quoted));
    *ret_low = steps.low;
    *ret_high = steps.high;
    *ret_unit = steps.high / strtod(parts.high, NULL);
    return 0;
}

static int add_range(const struct keys_key *key, const char *element, void (*add)(void *context, const char *value),
                     void *context, struct sim_error *error)
{
    char text[VALUE_TEXT_MAX], last[VALUE_TEXT_MAX] = "", quoted[VALUE_QUOTE_MAX];
    struct steps steps = {0};
    if (read_range(key, element, &steps, error) != 0)
        return -1;
    for (size_t i = 0; value_at(&steps, i) <= steps.high * (1 + SLACK); i++) {
        if (i == VARY_CELLS_MAX)
            return sim_error_set(error, "%s: the range has more than %d values", value_quote(element, quoted),
                                 VARY_CELLS_MAX);
        if (keys_write_number(key, fmin(value_at(&steps, i), steps.high), text, error) != 0)
            return -1;
        if (strcmp(text, last) != 0) /* counts are rounded: 1..3 x1.2 */
            add(context, text);
        memcpy(last, text, sizeof last);
        if (steps.low == steps.high)
            break;
    }
    return 0;
}

int vary_expand(const struct keys_key *key, const char *element, void (*add)(void *context, const char *value),
                void *context, struct sim_error *error)
{
    if (keys_is_number(key) && strstr(element, "..") != NULL)
        return add_range(key, element, add, context, error);
    if (element[0] == '\0')
        return sim_error_set(error, "a value is empty");
    add(context, element);
    return 0;
}
