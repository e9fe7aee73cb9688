#include "tools/faultline/names.h"

#include <stdlib.h>
#include <string.h>

#include "tools/faultline/value.h"

/* Appends a byte; false when there is no room for it and a zero. */
static bool put_byte(char ret[static CONFIG_TEXT_MAX], size_t *used, char byte)
{
    if (*used + 1 == CONFIG_TEXT_MAX)
        return false;
    ret[(*used)++] = byte;
    ret[*used] = '\0';
    return true;
}

/* A word up to one of `ends`, without blanks at its end. Returns what follows, NULL when there is none. */
static const char *read_bare(const char *at, const char *ends, char ret[static CONFIG_TEXT_MAX])
{
    size_t used = 0;
    while (*at != '\0' && strchr(ends, *at) == NULL)
        if (!put_byte(ret, &used, *at++))
            return NULL;
    while (used > 0 && ret[used - 1] == ' ')
        ret[--used] = '\0';
    return used > 0 ? at : NULL;
}

/* The rest of a word in double quotes, in which a backslash takes the next byte as it is. */
static const char *read_quoted(const char *at, char ret[static CONFIG_TEXT_MAX])
{
    size_t used = 0;
    ret[0] = '\0';
    while (*at != '\0' && *at != '"') {
        at += *at == '\\' && at[1] != '\0';
        if (!put_byte(ret, &used, *at++))
            return NULL;
    }
    return *at == '"' ? at + 1 + strspn(at + 1, " ") : NULL;
}

const char *names_read_word(const char *at, const char *ends, char ret[static CONFIG_TEXT_MAX])
{
    return *at == '"' ? read_quoted(at + 1, ret) : read_bare(at, ends, ret);
}

void names_write_word(FILE *to, const char *word)
{
    fputc('"', to);
    for (; *word != '\0'; word++)
        fprintf(to, "%s%c", *word == '"' || *word == '\\' ? "\\" : "", *word);
    fputc('"', to);
}

/* Behind a bracket or a comma. */
static const char *read_next(const char *at, struct names *ret)
{
    if (ret->count == NAMES_MAX)
        return NULL;
    at = names_read_word(at + 1 + strspn(at + 1, " "), ",[]", ret->name[ret->count]);
    return at != NULL && ret->name[ret->count++][0] != '\0' ? at : NULL;
}

int names_read(const char *text, struct names *ret, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    struct names names = {.is_list = text[0] == '['};
    const char *at = text;
    if (!names.is_list) {
        names.count = 1;
        (void)snprintf(names.name[0], CONFIG_TEXT_MAX, "%s", text);
    } else {
        do
            at = read_next(at, &names);
        while (at != NULL && *at == ',');
        if (at == NULL || strcmp(at, "]") != 0)
            return sim_error_set(error, "%s: not a list of names; expected up to %d of them such as [a, b]",
                                 value_quote(text, quoted), NAMES_MAX);
    }
    *ret = names;
    return 0;
}

int names_keep(struct alloc_draft *draft, const char *what, char ret[static CONFIG_TEXT_MAX], struct sim_error *error)
{
    char *canonical = alloc_draft_finish(draft);
    bool fits = strlen(canonical) < CONFIG_TEXT_MAX;
    if (fits)
        (void)snprintf(ret, CONFIG_TEXT_MAX, "%s", canonical);
    free(canonical);
    return fits ? 0 : sim_error_set(error, "the %s are too long; allowed: up to %d bytes", what, CONFIG_TEXT_MAX - 1);
}

int names_check(const char *text, char ret[static CONFIG_TEXT_MAX], struct sim_error *error)
{
    struct names names = {.count = 0};
    struct alloc_draft draft;
    if (names_read(text, &names, error) != 0)
        return -1;
    alloc_draft_start(&draft);
    for (int i = 0; i < names.count && names.is_list; i++) {
        fputs(i == 0 ? "[" : ", ", draft.to);
        names_write_word(draft.to, names.name[i]);
    }
    fputs(names.is_list ? "]" : names.name[0], draft.to);
    return names_keep(&draft, "names", ret, error);
}
