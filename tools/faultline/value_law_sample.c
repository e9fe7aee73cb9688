#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/decimal.h"
#include "tools/faultline/sample.h"
#include "tools/faultline/value.h"

#define NAME "empirical"

enum { ELEMENT_MAX = 64 };

/* Behind the opening parenthesis of an empirical law, or NULL. */
static const char *arguments_of(const char *text)
{
    text += strspn(text, " ");
    if (strncmp(text, NAME, sizeof NAME - 1) != 0)
        return NULL;
    text += sizeof NAME - 1;
    text += strspn(text, " ");
    return *text == '(' ? text + 1 : NULL;
}

bool value_is_sample(const char *text)
{
    return arguments_of(text) != NULL;
}

char *value_sample_file(const char *text)
{
    const char *at = arguments_of(text);
    at += strspn(at, " ");
    if (strncmp(at, "file", 4) != 0 || at[4 + strspn(at + 4, " ")] != '=')
        return NULL;
    at = strchr(at, '=') + 1;
    at += strspn(at, " ");
    const char *end = strrchr(at, ')');
    if (end == NULL || end[1 + strspn(end + 1, " ")] != '\0')
        return NULL;
    while (end > at && end[-1] == ' ')
        end--;
    return alloc_printf("%.*s", (int)(end - at), at);
}

/* One duration, up to a comma or the closing parenthesis; *at is behind it. */
static int read_element(const char **at, double *ret_s, struct sim_error *error)
{
    char element[ELEMENT_MAX], quoted[VALUE_QUOTE_MAX];
    const char *start = *at + strspn(*at, " ");
    size_t length = strcspn(start, ",)");
    *at = start + length;
    while (length > 0 && start[length - 1] == ' ')
        length--;
    if (length >= sizeof element)
        return sim_error_set(error, "%s: too long for a duration", value_quote(start, quoted));
    (void)snprintf(element, sizeof element, "%.*s", (int)length, start);
    return value_read_seconds(element, ret_s, error);
}

static int read_elements(const char *at, double value_s[], int *ret_count, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    int count = 0;
    do {
        if (count == SAMPLE_MAX)
            return sim_error_set(error, "more than %d delays", SAMPLE_MAX);
        if (read_element(&at, &value_s[count++], error) != 0)
            return -1;
    } while (*at++ == ',');
    if (at[-1] != ')')
        return sim_error_set(error, "the list of delays has no closing parenthesis");
    if (at[strspn(at, " ")] != '\0')
        return sim_error_set(error, "%s: nothing may follow the law", value_quote(at, quoted));
    *ret_count = count;
    return 0;
}

int value_read_sample(const char *text, struct sim_law *ret, struct sim_error *error)
{
    struct sim_error why;
    int count = 0;
    double *value_s = sim_allocate(SAMPLE_MAX, sizeof *value_s);
    int status = read_elements(arguments_of(text), value_s, &count, &why);
    if (status == 0)
        *ret = sim_law_of_sample(sample_of(value_s, count));
    else
        (void)sim_error_set(error, NAME ": %.600s", why.text);
    free(value_s);
    return status;
}

/* In seconds, with as many digits as it takes to read back. */
static void print_seconds(FILE *to, double value_s)
{
    struct sim_error ignored;
    char text[DECIMAL_TEXT_MAX];
    double back = -1;
    for (int digits = 15; digits <= 17 && back != value_s; digits++) {
        decimal_write_double(value_s, digits, 0, "s", text);
        (void)value_read_seconds(text, &back, &ignored);
    }
    fputs(text, to);
}

char *value_sample_text(const struct sim_law_sample *sample)
{
    struct alloc_draft draft;
    alloc_draft_start(&draft);
    fputs(NAME "(", draft.to);
    for (int i = 0; i < sample->count; i++) {
        fputs(i == 0 ? "" : ", ", draft.to);
        print_seconds(draft.to, sample->value_s[i]);
    }
    fputc(')', draft.to);
    return alloc_draft_finish(&draft);
}
