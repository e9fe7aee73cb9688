#include "tools/faultline/keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/faillog.h"
#include "tools/faultline/names.h"
#include "tools/faultline/scenario.h"
#include "tools/faultline/utf8.h"

const char *const keys_source_name[KEYS_SOURCE_COUNT] = {
    [KEYS_REQUIRED] = "required",
    [KEYS_REQUIRED_BUT_DP] = "required but for dp",
    [KEYS_REQUIRED_BUT_LINK] = "required but for link",
    [KEYS_OPTIONAL] = "optional",
    [KEYS_PAPER] = "paper",
    [KEYS_FITTED] = "fitted",
    [KEYS_ASSUMED] = "assumed",
};

/* A value of any type, while it is read. */
union any {
    char name[CONFIG_NAME_MAX];
    char text[CONFIG_TEXT_MAX];
    int choice;
    uint64_t seed;
    sim_time time;
    double real;
    int64_t count;
    struct sim_law law;
};

_Static_assert(CONFIG_NAME_MAX == 64 && CONFIG_TEXT_MAX == 256, "the limits in the ranges of names and texts");
_Static_assert(CONFIG_TEXT_MAX <= VALUE_TEXT_MAX, "a text fits where it is written");

/* An enum of the config is stored as an int. */
_Static_assert(sizeof(enum config_method) == sizeof(int), "enums are ints");

/* One line of UTF-8 that fits `size` bytes; messages call it `what`. */
static int read_line(const char *text, const char *what, size_t size, char ret[], struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    uint32_t character;
    if (text[0] == '\0')
        return sim_error_set(error, "the %s is empty; expected 1 to %zu bytes of text", what, size - 1);
    if (strlen(text) >= size)
        return sim_error_set(error, "%s: the %s is too long; allowed: up to %zu bytes", value_quote(text, quoted), what,
                             size - 1);
    for (const char *at = text; *at != '\0';) {
        size_t length = utf8_next(at, &character);
        if (length == 0)
            return sim_error_set(error, "%s: a %s must be valid UTF-8", value_quote(text, quoted), what);
        if (utf8_is_control(character))
            return sim_error_set(error, "%s: a %s may not have control characters or line breaks",
                                 value_quote(text, quoted), what);
        at += length;
    }
    (void)utf8_copy(size, ret, text);
    return 0;
}

int keys_read_name(const char *text, char ret[], struct sim_error *error)
{
    return read_line(text, "name", CONFIG_NAME_MAX, ret, error);
}

static int read_name(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    bool is_formula = strcmp(key->path, "name") == 0 && text[0] != '\0' && strchr("=+-@", text[0]) != NULL;
    if (is_formula) /* it stands alone in a cell of every CSV */
        return sim_error_set(error, "%s: a spreadsheet takes a name that begins with = + - or @ for a formula",
                             value_quote(text, quoted));
    return keys_read_name(text, ret->name, error);
}

static int read_text(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    (void)key;
    return read_line(text, "text", CONFIG_TEXT_MAX, ret->text, error);
}

static int read_where(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    return read_text(key, text, ret, error) == 0 ? faillog_check_where(text, ret->text, error) : -1;
}

static int read_names(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    return read_text(key, text, ret, error) == 0 ? names_check(text, ret->text, error) : -1;
}

static int read_choice(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX], allowed[KEYS_RANGE_MAX];
    for (int i = 0; i < key->choice_count; i++)
        if (strcmp(key->choices[i], text) == 0) {
            ret->choice = i;
            return 0;
        }
    keys_range(key, allowed);
    return sim_error_set(error, "%s: not a choice; allowed: %s", value_quote(text, quoted), allowed);
}

static int read_seed(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    (void)key;
    return value_read_seed(text, &ret->seed, error);
}

static int read_time(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    (void)key;
    return value_read_time(text, &ret->time, error);
}

static int read_seconds(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    (void)key;
    return value_read_seconds(text, &ret->real, error);
}

static int read_count(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    (void)key;
    return value_read_count(text, &ret->count, error);
}

static int read_amount(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    int64_t count;
    if (read_count(key, text, ret, error) != 0)
        return -1;
    count = ret->count;
    ret->real = (double)count;
    return 0;
}

static int read_fraction(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    (void)key;
    return value_read_fraction(text, &ret->real, error);
}

static int read_real(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    (void)key;
    return value_read_real(text, &ret->real, error);
}

static int read_rate(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    (void)key;
    return value_read_rate(text, &ret->real, error);
}

static int read_frequency(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    (void)key;
    return value_read_frequency(text, &ret->real, error);
}

static int read_law(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    return (key->type == KEYS_FACTOR ? value_read_factor : value_read_law)(text, &ret->law, error);
}

static void write_name(const struct keys_key *key, const union any *value, char ret[static VALUE_TEXT_MAX])
{
    (void)key;
    (void)utf8_copy(VALUE_TEXT_MAX, ret, value->name);
}

static void write_text(const struct keys_key *key, const union any *value, char ret[static VALUE_TEXT_MAX])
{
    (void)key;
    (void)utf8_copy(VALUE_TEXT_MAX, ret, value->text);
}

static void write_choice(const struct keys_key *key, const union any *value, char ret[static VALUE_TEXT_MAX])
{
    (void)utf8_copy(VALUE_TEXT_MAX, ret, key->choices[value->choice]);
}

static void write_seed(const struct keys_key *key, const union any *value, char ret[static VALUE_TEXT_MAX])
{
    (void)key;
    value_write_seed(value->seed, ret);
}

static void write_time(const struct keys_key *key, const union any *value, char ret[static VALUE_TEXT_MAX])
{
    (void)key;
    value_write_time(value->time, ret);
}

static void write_seconds(const struct keys_key *key, const union any *value, char ret[static VALUE_TEXT_MAX])
{
    (void)key;
    value_write_seconds(value->real, ret);
}

static void write_count(const struct keys_key *key, const union any *value, char ret[static VALUE_TEXT_MAX])
{
    (void)key;
    value_write_count(value->count, ret);
}

static void write_amount(const struct keys_key *key, const union any *value, char ret[static VALUE_TEXT_MAX])
{
    (void)key;
    value_write_count((int64_t)value->real, ret);
}

static void write_fraction(const struct keys_key *key, const union any *value, char ret[static VALUE_TEXT_MAX])
{
    (void)key;
    value_write_fraction(value->real, ret);
}

static void write_real(const struct keys_key *key, const union any *value, char ret[static VALUE_TEXT_MAX])
{
    (void)key;
    value_write_real(value->real, ret);
}

static void write_rate(const struct keys_key *key, const union any *value, char ret[static VALUE_TEXT_MAX])
{
    (void)key;
    value_write_rate(value->real, ret);
}

static void write_frequency(const struct keys_key *key, const union any *value, char ret[static VALUE_TEXT_MAX])
{
    (void)key;
    value_write_frequency(value->real, ret);
}

static void write_law(const struct keys_key *key, const union any *value, char ret[static VALUE_TEXT_MAX])
{
    (key->type == KEYS_FACTOR ? value_write_factor : value_write_law)(&value->law, ret);
}

static double number_none(const union any *value)
{
    (void)value;
    return NAN;
}

static double number_seed(const union any *value)
{
    return (double)value->seed;
}

static double number_time(const union any *value)
{
    return sim_time_seconds(value->time);
}

static double number_count(const union any *value)
{
    return (double)value->count;
}

static double number_real(const union any *value)
{
    return value->real;
}

static double number_frequency(const union any *value)
{
    return 1 / value->real;
}

#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)

struct type {
    const char *name;
    size_t size;
    int (*read)(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error);
    void (*write)(const struct keys_key *key, const union any *value, char ret[static VALUE_TEXT_MAX]);
    double (*number)(const union any *value);
    const char *range;     /* where the table gives none */
    const char *bare_unit; /* of the number when it is written plainly; NULL for what is no number */
};

static const struct type types[KEYS_TYPE_COUNT] = {
    [KEYS_NAME] = {"text", CONFIG_NAME_MAX, read_name, write_name, number_none, "1 to 63 bytes of UTF-8"},
    [KEYS_CHOICE] = {"choice", sizeof(int), read_choice, write_choice, number_none, ""},
    [KEYS_SEED] = {"seed", sizeof(uint64_t), read_seed, write_seed, number_seed, "0 to 9223372036854775807"},
    [KEYS_TIME] = {"duration", sizeof(sim_time), read_time, write_time, number_time, "", "s"},
    [KEYS_SECONDS] = {"duration", sizeof(double), read_seconds, write_seconds, number_real, "", "s"},
    [KEYS_COUNT] = {"count", sizeof(int64_t), read_count, write_count, number_count, "", ""},
    [KEYS_AMOUNT] = {"count", sizeof(double), read_amount, write_amount, number_real, "", ""},
    [KEYS_FRACTION] = {"fraction", sizeof(double), read_fraction, write_fraction, number_real, "", ""},
    [KEYS_REAL] = {"number", sizeof(double), read_real, write_real, number_real, "", ""},
    [KEYS_RATE] = {"rate", sizeof(double), read_rate, write_rate, number_real, "", "bit/s"},
    [KEYS_FREQUENCY] = {"frequency", sizeof(double), read_frequency, write_frequency, number_frequency, ""},
    [KEYS_LAW] = {"law", sizeof(struct sim_law), read_law, write_law, number_none,
                  "a law such as exponential(mean=1h)"},
    [KEYS_FACTOR] = {"factor", sizeof(struct sim_law), read_law, write_law, number_none,
                     "1 to " TEXT(CONFIG_FACTOR_MAX) ", or a law such as lognormal(median=2, sigma=0.5)"},
    [KEYS_TEXT] = {"text", CONFIG_TEXT_MAX, read_text, write_text, number_none, "1 to 255 bytes of UTF-8"},
    [KEYS_WHERE] = {"conditions", CONFIG_TEXT_MAX, read_where, write_text, number_none,
                    "a mapping of columns to values such as {System: 20}"},
    [KEYS_NAMES] = {"names", CONFIG_TEXT_MAX, read_names, write_text, number_none, "a name, or a list such as [a, b]"},
    [KEYS_LIST] = {.name = "list", .range = "a list of up to " TEXT(CONFIG_LIST_MAX) ", each "},
    [KEYS_SIZES] = {.name = "sizes", .range = "a CSV file, or a list of up to " TEXT(CONFIG_TENSORS_MAX) ", each "},
};

const char *keys_type_name(enum keys_type type)
{
    return types[type].name;
}

/* The number a limit of the table stands for. */
static double limit(const struct keys_key *key, const char *text)
{
    struct sim_error ignored;
    union any value;
    return types[key->type].read(key, text, &value, &ignored) == 0 ? types[key->type].number(&value) : NAN;
}

static bool is_in_range(const struct keys_key *key, double number)
{
    if (key->min != NULL && !(key->min_excluded ? number > limit(key, key->min) : number >= limit(key, key->min)))
        return false;
    if (key->max != NULL && !(key->max_excluded ? number < limit(key, key->max) : number <= limit(key, key->max)))
        return false;
    return true;
}

bool keys_is_list(const struct keys_key *key)
{
    return key->type == KEYS_LIST || key->type == KEYS_SIZES;
}

static void *field(const struct keys_key *key, void *base)
{
    return (char *)base + key->offset;
}

static int list_max(const struct keys_key *key)
{
    return key->type == KEYS_LIST ? CONFIG_LIST_MAX : CONFIG_TENSORS_MAX;
}

/* The numbers of a list between its array in the config and an array of the caller's. */
static void copy_numbers(const struct keys_key *key, void *base, bool into, int64_t number[], int count)
{
    int32_t *list = field(key, base);
    double *sizes = field(key, base);
    for (int i = 0; i < count; i++) {
        if (key->type == KEYS_LIST && into)
            list[i] = (int32_t)number[i];
        else if (key->type == KEYS_LIST)
            number[i] = list[i];
        else if (into)
            sizes[i] = (double)number[i];
        else
            number[i] = (int64_t)sizes[i];
    }
}

static int read_list(const struct keys_key *key, const char *text, void *base, struct sim_error *error)
{
    struct value_list list = {.max = list_max(key), .is_set = key->type == KEYS_LIST};
    int64_t *number = sim_allocate((size_t)list.max, sizeof *number);
    int count = 0;
    int status = value_read_count(key->min, &list.low, error);
    if (status == 0)
        status = value_read_count(key->max, &list.high, error);
    if (status == 0)
        status = value_read_list(text, &list, number, &count, error);
    if (status == 0) {
        copy_numbers(key, base, true, number, count);
        memcpy((char *)base + key->count_offset, &count, sizeof count);
    }
    free(number);
    return status;
}

/* Reads a value that is no list, and checks the range. */
static int read_value(const struct keys_key *key, const char *text, union any *ret, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX], allowed[KEYS_RANGE_MAX];
    memset(ret, 0, sizeof *ret);
    if (types[key->type].read(key, text, ret, error) != 0)
        return -1;
    if (is_in_range(key, types[key->type].number(ret)))
        return 0;
    keys_range(key, allowed);
    return sim_error_set(error, "%s: out of range; allowed: %s", value_quote(text, quoted), allowed);
}

int keys_read(const struct keys_key *key, const char *text, void *base, struct sim_error *error)
{
    union any value;
    if (keys_is_list(key))
        return read_list(key, text, base, error);
    if (read_value(key, text, &value, error) != 0)
        return -1;
    memcpy(field(key, base), &value, types[key->type].size);
    return 0;
}

bool keys_is_number(const struct keys_key *key)
{
    return types[key->type].bare_unit != NULL;
}

int keys_read_number(const struct keys_key *key, const char *text, double *ret, struct sim_error *error)
{
    union any value;
    if (read_value(key, text, &value, error) != 0)
        return -1;
    *ret = types[key->type].number(&value);
    return 0;
}

int keys_write_number(const struct keys_key *key, double number, char ret[static VALUE_TEXT_MAX],
                      struct sim_error *error)
{
    char text[VALUE_TEXT_MAX];
    union any value;
    bool is_whole = key->type == KEYS_COUNT || key->type == KEYS_AMOUNT;
    (void)snprintf(text, sizeof text, "%.12g%s", is_whole ? round(number) : number, types[key->type].bare_unit);
    if (read_value(key, text, &value, error) != 0)
        return -1;
    types[key->type].write(key, &value, ret);
    return 0;
}

static union any value_at(const struct keys_key *key, const void *base)
{
    union any value;
    memset(&value, 0, sizeof value);
    memcpy(&value, (const char *)base + key->offset, types[key->type].size);
    return value;
}

void keys_write(const struct keys_key *key, const void *base, char ret[static VALUE_TEXT_MAX])
{
    SIM_ASSERT(NULL, !keys_is_list(key));
    union any value = value_at(key, base);
    types[key->type].write(key, &value, ret);
}

static char *list_text(const struct keys_key *key, const void *base)
{
    int count;
    int64_t *number = sim_allocate((size_t)list_max(key), sizeof *number);
    memcpy(&count, (const char *)base + key->count_offset, sizeof count);
    copy_numbers(key, (void *)base, false, number, count);
    char *text = value_list_text(number, count);
    free(number);
    return text;
}

char *keys_text(const struct keys_key *key, const void *base)
{
    if (keys_is_list(key))
        return list_text(key, base);
    union any value = value_at(key, base);
    if (key->type == KEYS_LAW && value.law.kind == SIM_LAW_EMPIRICAL)
        return value_sample_text(value.law.sample);
    char *text = sim_allocate(VALUE_TEXT_MAX, 1);
    keys_write(key, base, text);
    return text;
}

double keys_number(const struct keys_key *key, const void *base)
{
    if (keys_is_list(key))
        return NAN;
    union any value = value_at(key, base);
    return types[key->type].number(&value);
}

void keys_range(const struct keys_key *key, char ret[static KEYS_RANGE_MAX])
{
    int length = snprintf(ret, KEYS_RANGE_MAX, "%s", types[key->type].range);
    for (int i = 0; i < key->choice_count; i++)
        length += snprintf(ret + length, KEYS_RANGE_MAX - (size_t)length, "%s%s", i == 0 ? "" : ", ", key->choices[i]);
    if (key->min != NULL && key->max != NULL)
        (void)snprintf(ret + length, KEYS_RANGE_MAX - (size_t)length, "%s%s %s %s", key->min_excluded ? "above " : "",
                       key->min, key->max_excluded ? "to below" : "to", key->max);
}
