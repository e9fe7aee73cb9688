#include <stdio.h>
#include <string.h>

#include "models/config.h"
#include "sim/assert.h"
#include "tools/faultline/utf8.h"
#include "tools/faultline/value.h"

#define LAWS_ALLOWED                                                                                                   \
    "constant(15s) exponential(mean=) weibull(shape=) lognormal(sigma=) gamma(shape=) exp_weibull(shape=, power=), "   \
    "besides the shapes each with mean= or its own scale, and empirical(file=)"
#define FACTORS_ALLOWED                                                                                                \
    "a number from 1 to " TEXT(CONFIG_FACTOR_MAX) ", or a law of plain numbers such as "                               \
                                                  "lognormal(median=2, sigma=0.5), cut there"
#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)

enum { LAW_TEXT_MAX = 256 };

/* A law while its arguments come in. */
struct draft {
    bool is_factor; /* its scale is a pure number */
    const struct sim_law_type *type;
    enum sim_law_kind kind;
    double parameter[SIM_LAW_PARAMETERS_MAX];
    bool given[SIM_LAW_PARAMETERS_MAX];
    double mean_s;
    bool mean_given;
};

/* The part of `text` without the blanks around it; cuts it at its end. */
static char *trim(char *text)
{
    text += strspn(text, " ");
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ')
        text[--length] = '\0';
    return text;
}

/* What a law takes, for messages: "scale= or mean=, shape=, power=". */
static const char *takes(const struct sim_law_type *type, char ret[static LAW_TEXT_MAX])
{
    int length = snprintf(ret, LAW_TEXT_MAX, "%s=%s", type->parameter_name[0],
                          strcmp(type->parameter_name[0], "mean") == 0 ? "" : " or mean=");
    for (size_t i = 1; i < type->parameters; i++)
        length += snprintf(ret + length, LAW_TEXT_MAX - (size_t)length, ", %s=", type->parameter_name[i]);
    return ret;
}

static const char *allowed_of(bool is_factor)
{
    return is_factor ? FACTORS_ALLOWED : LAWS_ALLOWED;
}

/* Splits "name(arguments)" in place. */
static int split_call(char *text, const char *whole, bool is_factor, char **ret_name, char **ret_arguments,
                      struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    char *open = strchr(text, '('), *close = strrchr(text, ')');
    if (open == NULL && !is_factor && text[0] >= '0' && text[0] <= '9')
        return sim_error_set(error, "%s: a law is needed; write constant(%.20s) for a fixed delay",
                             value_quote(whole, quoted), text);
    if (open == NULL || close == NULL || close < open || close[1] != '\0')
        return sim_error_set(error, "%s: not a law; allowed: %s", value_quote(whole, quoted), allowed_of(is_factor));
    *open = '\0';
    *close = '\0';
    *ret_name = trim(text);
    *ret_arguments = open + 1;
    return 0;
}

static int read_scale(const struct draft *draft, const char *value, double *ret, struct sim_error *error)
{
    return draft->is_factor ? value_read_real(value, ret, error) : value_read_seconds(value, ret, error);
}

static int put_mean(struct draft *draft, const char *value, struct sim_error *error)
{
    if (draft->mean_given)
        return sim_error_set(error, "mean= is given twice");
    draft->mean_given = true;
    return read_scale(draft, value, &draft->mean_s, error);
}

static int put_parameter(struct draft *draft, size_t index, const char *value, struct sim_error *error)
{
    if (draft->given[index])
        return sim_error_set(error, "%s= is given twice", draft->type->parameter_name[index]);
    draft->given[index] = true;
    return index == 0 ? read_scale(draft, value, &draft->parameter[0], error)
                      : value_read_real(value, &draft->parameter[index], error);
}

static int put_named(struct draft *draft, const char *name, const char *value, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX], allowed[LAW_TEXT_MAX];
    for (size_t i = 0; i < draft->type->parameters; i++)
        if (strcmp(draft->type->parameter_name[i], name) == 0)
            return put_parameter(draft, i, value, error);
    if (strcmp(name, "mean") == 0)
        return put_mean(draft, value, error);
    return sim_error_set(error, "%s takes no %s; it takes %s", draft->type->name, value_quote(name, quoted),
                         takes(draft->type, allowed));
}

/* One argument: NAME=VALUE, or for a constant just the value. */
static int put_argument(struct draft *draft, char *argument, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX], allowed[LAW_TEXT_MAX];
    char *equals = strchr(argument, '=');
    if (equals != NULL) {
        *equals = '\0';
        return put_named(draft, trim(argument), trim(equals + 1), error);
    }
    if (draft->kind == SIM_LAW_CONSTANT)
        return put_parameter(draft, 0, trim(argument), error);
    return sim_error_set(error, "%s in %s has no name; it takes %s", value_quote(trim(argument), quoted),
                         draft->type->name, takes(draft->type, allowed));
}

/* Every shape, and exactly one of scale and mean. */
static int check_complete(const struct draft *draft, struct sim_error *error)
{
    char allowed[LAW_TEXT_MAX];
    const struct sim_law_type *type = draft->type;
    for (size_t i = 1; i < type->parameters; i++)
        if (!draft->given[i])
            return sim_error_set(error, "%s needs %s=; it takes %s", type->name, type->parameter_name[i],
                                 takes(type, allowed));
    if (!draft->given[0] && !draft->mean_given)
        return sim_error_set(error, "%s has no scale; it takes %s", type->name, takes(type, allowed));
    if (draft->given[0] && draft->mean_given)
        return sim_error_set(error, "%s has both %s= and mean=; give one", type->name, type->parameter_name[0]);
    return 0;
}

static const char *parameter_range(const struct draft *draft, size_t index, const char *name)
{
    enum sim_law_kind kind = draft->kind;
    if (index == 0 && draft->is_factor)
        return "10^-10 to 10^15";
    if (index == 0)
        return kind == SIM_LAW_CONSTANT ? "0s, or 0.1ns to 10^15 s" : "0.1ns to 10^15 s";
    if (strcmp(name, "sigma") == 0)
        return "0 to 10";
    return strcmp(name, "power") == 0 ? "0.01 to 1000" : "0.05 to 100";
}

static int finish(struct draft *draft, struct sim_law *ret, struct sim_error *error)
{
    bool stretch = draft->mean_given && draft->kind != SIM_LAW_CONSTANT;
    if (stretch && draft->mean_s == 0.0)
        return sim_error_set(error, "the mean of %s is out of range; allowed: %s", draft->type->name,
                             draft->is_factor ? "above 0" : "longer than 0s");
    if (draft->mean_given)
        draft->parameter[0] = stretch ? 1.0 : draft->mean_s;
    struct sim_law law;
    int wrong = sim_law_make(draft->kind, draft->parameter, &law);
    if (wrong >= 0) {
        const char *name = draft->type->parameter_name[wrong];
        return sim_error_set(error, "%s of %s is out of range; allowed: %s", name, draft->type->name,
                             parameter_range(draft, (size_t)wrong, name));
    }
    if (stretch)
        law = sim_law_with_mean(law, draft->mean_s);
    if (sim_law_make(draft->kind, law.parameter, ret) >= 0)
        return sim_error_set(error, "no %s has such a mean: its scale would be beyond any number", draft->type->name);
    return 0;
}

static int read_arguments(struct draft *draft, char *arguments, struct sim_error *error)
{
    for (char *argument = arguments, *next; argument != NULL; argument = next) {
        next = strchr(argument, ',');
        if (next != NULL)
            *next++ = '\0';
        if (put_argument(draft, argument, error) != 0)
            return -1;
    }
    return check_complete(draft, error);
}

static int read_law(const char *text, bool is_factor, struct sim_law *ret, struct sim_error *error)
{
    char copy[LAW_TEXT_MAX], quoted[VALUE_QUOTE_MAX];
    struct sim_error why;
    struct draft draft = {.is_factor = is_factor};
    char *name = NULL, *arguments = NULL;
    if (strlen(text) >= sizeof copy)
        return sim_error_set(error, "%s: longer than %d bytes", value_quote(text, quoted), LAW_TEXT_MAX - 1);
    (void)utf8_copy(sizeof copy, copy, text);
    if (split_call(copy, text, is_factor, &name, &arguments, error) != 0)
        return -1;
    if (!sim_law_find(name, &draft.kind))
        return sim_error_set(error, "%s: there is no such law; allowed: %s", value_quote(name, quoted),
                             allowed_of(is_factor));
    draft.type = sim_law_type(draft.kind);
    if (read_arguments(&draft, arguments, &why) != 0 || finish(&draft, ret, &why) != 0)
        return sim_error_set(error, "%s: %.800s", value_quote(text, quoted), why.text);
    return 0;
}

int value_read_law(const char *text, struct sim_law *ret, struct sim_error *error)
{
    return value_is_sample(text) ? value_read_sample(text, ret, error) : read_law(text, false, ret, error);
}

int value_read_factor(const char *text, struct sim_law *ret, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    struct sim_law law = {.kind = SIM_LAW_CONSTANT};
    bool is_number = text[0] != '\0' && strchr("0123456789.+-", text[0]) != NULL;
    if (value_is_sample(text))
        return sim_error_set(error, "%s: delays are no factors; allowed: " FACTORS_ALLOWED, value_quote(text, quoted));
    if ((is_number ? value_read_real(text, &law.parameter[0], error) : read_law(text, true, &law, error)) != 0)
        return -1;
    if (law.kind == SIM_LAW_CONSTANT && !(law.parameter[0] >= 1 && law.parameter[0] <= CONFIG_FACTOR_MAX))
        return sim_error_set(error, "%s: out of range; allowed: " FACTORS_ALLOWED, value_quote(text, quoted));
    *ret = law;
    return 0;
}

static void write_law(const struct sim_law *law, bool is_factor, char ret[static VALUE_TEXT_MAX])
{
    SIM_ASSERT(NULL, law->kind != SIM_LAW_EMPIRICAL);
    const struct sim_law_type *type = sim_law_type(law->kind);
    char number[VALUE_TEXT_MAX];
    if (is_factor)
        value_write_real(law->parameter[0], number);
    else
        value_write_seconds(law->parameter[0], number);
    int length = law->kind == SIM_LAW_CONSTANT
                     ? snprintf(ret, VALUE_TEXT_MAX, "constant(%.40s", number)
                     : snprintf(ret, VALUE_TEXT_MAX, "%.20s(%s=%.40s", type->name, type->parameter_name[0], number);
    for (size_t i = 1; i < type->parameters; i++) {
        value_write_real(law->parameter[i], number);
        length +=
            snprintf(ret + length, VALUE_TEXT_MAX - (size_t)length, ", %s=%.40s", type->parameter_name[i], number);
    }
    (void)snprintf(ret + length, VALUE_TEXT_MAX - (size_t)length, ")");
}

void value_write_law(const struct sim_law *law, char ret[static VALUE_TEXT_MAX])
{
    write_law(law, false, ret);
}

void value_write_factor(const struct sim_law *law, char ret[static VALUE_TEXT_MAX])
{
    if (law->kind == SIM_LAW_CONSTANT)
        value_write_real(law->parameter[0], ret);
    else
        write_law(law, true, ret);
}
