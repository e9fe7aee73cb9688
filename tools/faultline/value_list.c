#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/value.h"

enum { ELEMENT_MAX = 128 };

/* A list while its elements come in. */
struct draft {
    const struct value_list *list;
    int64_t *number;
    int count;
    struct sim_error *error;
};

static int read_number(const struct draft *draft, const char *text, int64_t *ret)
{
    char quoted[VALUE_QUOTE_MAX], low[VALUE_TEXT_MAX], high[VALUE_TEXT_MAX];
    if (value_read_count(text, ret, draft->error) != 0)
        return -1;
    if (*ret >= draft->list->low && *ret <= draft->list->high)
        return 0;
    value_write_count(draft->list->low, low);
    value_write_count(draft->list->high, high);
    return sim_error_set(draft->error, "%s: out of range; allowed: %s to %s", value_quote(text, quoted), low, high);
}

static int add(struct draft *draft, int64_t number)
{
    if (draft->count == draft->list->max)
        return sim_error_set(draft->error, "more than %d numbers; that is the limit of this list", draft->list->max);
    draft->number[draft->count++] = number;
    return 0;
}

/* One element: a number, or first..last. Cuts the text at the dots. */
static int read_element(struct draft *draft, char *text)
{
    char quoted[VALUE_QUOTE_MAX];
    int64_t first = 0, last = 0;
    char *dots = draft->list->is_set ? strstr(text, "..") : NULL;
    value_quote(text, quoted);
    if (dots != NULL)
        *dots = '\0';
    if (read_number(draft, text, &first) != 0)
        return -1;
    if (dots == NULL)
        return add(draft, first);
    if (read_number(draft, dots + 2, &last) != 0)
        return -1;
    if (last < first)
        return sim_error_set(draft->error, "%s: a range goes up", quoted);
    for (int64_t number = first; number <= last; number++)
        if (add(draft, number) != 0)
            return -1;
    return 0;
}

/* The elements up to the closing bracket, which is the last character. */
static int read_elements(struct draft *draft, const char *at)
{
    char element[ELEMENT_MAX], quoted[VALUE_QUOTE_MAX];
    do {
        at += strspn(at, " ");
        size_t length = strcspn(at, ",]");
        const char *end = at + length;
        while (length > 0 && at[length - 1] == ' ')
            length--;
        if (length >= sizeof element)
            return sim_error_set(draft->error, "%s: too long for a number", value_quote(at, quoted));
        (void)snprintf(element, sizeof element, "%.*s", (int)length, at);
        if (read_element(draft, element) != 0)
            return -1;
        at = end;
    } while (*at++ == ',');
    if (*at != '\0')
        return sim_error_set(draft->error, "%s: nothing may follow the list", value_quote(at, quoted));
    return 0;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int sort(struct draft *draft)
{
    qsort(draft->number, (size_t)draft->count, sizeof draft->number[0], ascending);
    for (int i = 1; i < draft->count; i++)
        if (draft->number[i - 1] == draft->number[i])
            return sim_error_set(draft->error, "%" PRId64 " is in the list twice", draft->number[i]);
    return 0;
}

int value_read_list(const char *text, const struct value_list *list, int64_t ret[], int *ret_count,
                    struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    struct draft draft = {.list = list, .error = error};
    if (text[0] != '[' || strchr(text, ']') == NULL)
        return sim_error_set(error, "%s: not a list; expected numbers in brackets such as [4, 5]",
                             value_quote(text, quoted));
    if (text[1 + strspn(text + 1, " ")] == ']')
        return sim_error_set(error, "the list is empty; expected numbers in brackets such as [4, 5]");
    draft.number = sim_allocate((size_t)list->max, sizeof draft.number[0]);
    int status = read_elements(&draft, text + 1);
    if (status == 0 && list->is_set)
        status = sort(&draft);
    if (status == 0) {
        memcpy(ret, draft.number, (size_t)draft.count * sizeof ret[0]);
        *ret_count = draft.count;
    }
    free(draft.number);
    return status;
}

char *value_list_text(const int64_t number[], int count)
{
    struct alloc_draft draft;
    alloc_draft_start(&draft);
    for (int i = 0; i < count; i++)
        fprintf(draft.to, "%s%" PRId64, i == 0 ? "[" : ", ", number[i]);
    fputc(']', draft.to);
    return alloc_draft_finish(&draft);
}
