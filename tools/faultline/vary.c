#include "tools/faultline/vary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/input.h"

/* What one key is set to along its dimension. */
struct column {
    char key[KEYS_PATH_MAX];
    char **setting; /* KEY=VALUE */
    size_t values, capacity;
    size_t dimension;
};

struct vary {
    struct column column[VARY_KEYS_MAX];
    size_t columns;
    size_t dimensions;
    size_t zip;                   /* the dimension of --zip, or DIMENSION_NONE */
    size_t points[VARY_KEYS_MAX]; /* of each dimension */
    size_t cells;
};

#define DIMENSION_NONE VARY_KEYS_MAX
#define CELLS_BYTES_MAX ((size_t)64 << 20)

struct vary *vary_create(void)
{
    struct vary *vary = sim_allocate(1, sizeof *vary);
    vary->zip = DIMENSION_NONE;
    return vary;
}

void vary_destroy(struct vary *vary)
{
    for (size_t i = 0; i < vary->columns; i++) {
        for (size_t k = 0; k < vary->column[i].values; k++)
            free(vary->column[i].setting[k]);
        free(vary->column[i].setting);
    }
    free(vary);
}

static void add_value(void *context, const char *value)
{
    struct column *column = context;
    struct alloc_draft draft;
    alloc_draft_start(&draft);
    (void)fprintf(draft.to, "%s=%s", column->key, value);
    column->setting = alloc_grown(column->setting, column->values, &column->capacity, sizeof *column->setting);
    column->setting[column->values++] = alloc_draft_finish(&draft);
}

/* ------------------------------------------------------------------ keys */

static int check_key(const struct vary *vary, const char *path, const struct keys_key **ret, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    for (size_t i = 0; i < vary->columns; i++)
        if (strcmp(vary->column[i].key, path) == 0)
            return sim_error_set(error, "%s is varied twice", value_quote(path, quoted));
    if (keys_find_one(path, ret, error) != 0)
        return -1;
    if ((*ret)->type == KEYS_SEED)
        return sim_error_set(error, "seed: all cells share one, so that they meet the same chaos; -n adds replicas");
    return 0;
}

static int new_column(struct vary *vary, const char *path, size_t dimension, const struct keys_key **ret_key,
                      struct column **ret, struct sim_error *error)
{
    if (check_key(vary, path, ret_key, error) != 0)
        return -1;
    if (vary->columns == VARY_KEYS_MAX)
        return sim_error_set(error, "at most %d keys can be varied", VARY_KEYS_MAX);
    *ret = &vary->column[vary->columns++];
    (void)snprintf((*ret)->key, sizeof(*ret)->key, "%s", path);
    (*ret)->dimension = dimension;
    return 0;
}

static size_t new_dimension(struct vary *vary)
{
    return vary->dimensions++;
}

/* ------------------------------------------------------------------ lists */

/* The length of what stands before the next of the `ends` outside parentheses and brackets. */
static size_t element_length(const char *text, const char *ends)
{
    int depth = 0;
    size_t length = 0;
    for (; text[length] != '\0' && !(depth == 0 && strchr(ends, text[length]) != NULL); length++) {
        depth += text[length] == '(' || text[length] == '[';
        depth -= depth > 0 && (text[length] == ')' || text[length] == ']');
    }
    return length;
}

/* A copy of text[0..length-1] without the blanks around it. */
static char *trimmed(const char *text, size_t length)
{
    while (length > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        length--;
    }
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    char *copy = sim_allocate(length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

static int add_list(struct column *column, const struct keys_key *key, const char *list, struct sim_error *error)
{
    for (;;) {
        size_t length = element_length(list, ",");
        char *element = trimmed(list, length);
        int status = vary_expand(key, element, add_value, column, error);
        free(element);
        if (status != 0)
            return -1;
        if (column->values > VARY_CELLS_MAX)
            return sim_error_set(error, "more than %d values", VARY_CELLS_MAX);
        if (list[length] == '\0')
            return 0;
        list += length + 1;
    }
}

int vary_add(struct vary *vary, const char *spec, bool is_zipped, struct sim_error *error)
{
    const char *option = is_zipped ? "--zip" : "--vary";
    const char *equals = strchr(spec, '=');
    char quoted[VALUE_QUOTE_MAX];
    struct sim_error why;
    const struct keys_key *key = NULL;
    struct column *column = NULL;
    if (equals == NULL)
        return sim_error_set(error, "%s %s: expected KEY=VALUE,VALUE,...", option, value_quote(spec, quoted));
    if (is_zipped && vary->zip == DIMENSION_NONE)
        vary->zip = new_dimension(vary);
    char *path = trimmed(spec, (size_t)(equals - spec));
    int status = new_column(vary, path, is_zipped ? vary->zip : new_dimension(vary), &key, &column, &why);
    free(path);
    if (status != 0 || column == NULL)
        return sim_error_set(error, "%s %.900s", option, why.text);
    if (add_list(column, key, equals + 1, &why) != 0)
        return sim_error_set(error, "%s %s: %.700s", option, column->key, why.text);
    return 0;
}

/* ------------------------------------------------------------------ cells from a file */

/* The column of a key among those of the file; on the first line it is made. */
static int column_in_file(struct vary *vary, const char *path, size_t dimension, size_t line, struct column **ret,
                          struct sim_error *error)
{
    const struct keys_key *key;
    char quoted[VALUE_QUOTE_MAX];
    for (size_t i = 0; i < vary->columns; i++) {
        *ret = &vary->column[i];
        if ((*ret)->dimension == dimension && strcmp((*ret)->key, path) == 0 && (*ret)->values == line)
            return 0;
    }
    if (line > 0 && keys_find(path, NULL) == KEYS_KEY)
        return sim_error_set(error, "%s: every line has the same keys, each once", value_quote(path, quoted));
    return new_column(vary, path, dimension, &key, ret, error);
}

static int add_pair(struct vary *vary, char *pair, size_t dimension, size_t line, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    char *equals = strchr(pair, '=');
    struct column *column = NULL;
    if (equals == NULL || equals[1] == '\0')
        return sim_error_set(error, "%s: a cell is KEY=VALUE KEY=VALUE ...", value_quote(pair, quoted));
    *equals = '\0';
    if (column_in_file(vary, pair, dimension, line, &column, error) != 0)
        return -1;
    SIM_ASSERT(NULL, column != NULL);
    add_value(column, equals + 1);
    return 0;
}

static int add_line(struct vary *vary, const char *text, size_t dimension, struct sim_error *error)
{
    size_t line = vary->points[dimension];
    if (line == VARY_CELLS_MAX)
        return sim_error_set(error, "more than %d cells", VARY_CELLS_MAX);
    while (*(text += strspn(text, " \t")) != '\0') {
        size_t length = element_length(text, " \t");
        char *pair = trimmed(text, length);
        int status = add_pair(vary, pair, dimension, line, error);
        free(pair);
        if (status != 0)
            return -1;
        text += length;
    }
    vary->points[dimension]++;
    for (size_t i = 0; i < vary->columns; i++)
        if (vary->column[i].dimension == dimension && vary->column[i].values != vary->points[dimension])
            return sim_error_set(error, "%s is missing: every line has the same keys", vary->column[i].key);
    return 0;
}

static int add_lines(struct vary *vary, char *text, const char *name, struct sim_error *error)
{
    struct sim_error why;
    size_t dimension = new_dimension(vary), number = 0;
    for (char *line; (line = strsep(&text, "\n")) != NULL;) {
        number++;
        line[strcspn(line, "\r")] = '\0';
        if (line[strspn(line, " \t")] == '\0' || line[0] == '#')
            continue;
        if (add_line(vary, line, dimension, &why) != 0)
            return sim_error_set(error, "%.255s:%zu: %.600s", name, number, why.text);
        if (vary->points[dimension] > VARY_CELLS_MAX)
            return sim_error_set(error, "%.255s:%zu: more than %d cells", name, number, VARY_CELLS_MAX);
    }
    return vary->points[dimension] > 0 ? 0 : sim_error_set(error, "%.255s: there is no cell in it", name);
}

int vary_add_file(struct vary *vary, const char *path, struct sim_error *error)
{
    static const struct input_kind kind = {"a list of cells", CELLS_BYTES_MAX};
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    char *text = NULL;
    size_t size = 0;
    if (vary->dimensions == VARY_KEYS_MAX)
        return sim_error_set(error, "at most %d keys can be varied", VARY_KEYS_MAX);
    if (input_read(path, &kind, &text, &size, error) != 0)
        return -1;
    int status = strlen(text) < size ? sim_error_set(error, "%.255s: holds a NUL byte: not a text file", name)
                                     : add_lines(vary, text, name, error);
    free(text);
    return status;
}

/* ------------------------------------------------------------------ cells */

int vary_finish(struct vary *vary, struct sim_error *error)
{
    for (size_t i = 0; i < vary->columns; i++) {
        const struct column *column = &vary->column[i];
        size_t *points = &vary->points[column->dimension];
        if (*points != 0 && *points != column->values)
            return sim_error_set(error, "--zip %s has %zu values, those before it have %zu; zipped keys move in step",
                                 column->key, column->values, *points);
        *points = column->values;
    }
    vary->cells = vary->dimensions > 0;
    for (size_t i = 0; i < vary->dimensions; i++) {
        vary->cells *= vary->points[i];
        if (vary->cells > VARY_CELLS_MAX)
            return sim_error_set(error, "the sweep has more than %d cells; vary less, or in several sweeps",
                                 VARY_CELLS_MAX);
    }
    return 0;
}

size_t vary_cells(const struct vary *vary)
{
    return vary->cells;
}

size_t vary_keys(const struct vary *vary)
{
    return vary->columns;
}

const char *vary_key(const struct vary *vary, size_t key)
{
    return vary->column[key].key;
}

const char *vary_setting(const struct vary *vary, size_t cell, size_t key)
{
    const struct column *column = &vary->column[key];
    for (size_t i = vary->dimensions - 1; i > column->dimension; i--)
        cell /= vary->points[i];
    return column->setting[cell % vary->points[column->dimension]];
}

const char *vary_value(const struct vary *vary, size_t cell, size_t key)
{
    return vary_setting(vary, cell, key) + strlen(vary->column[key].key) + 1;
}
