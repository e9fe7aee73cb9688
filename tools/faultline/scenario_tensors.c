#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/csv.h"
#include "tools/faultline/scenario_internal.h"

/* `name` as seen from the folder of the scenario; standard input stands in the working folder. The caller frees it. */
static char *path_of(const char *scenario, const char *name)
{
    char *path = NULL;
    const char *slash = strrchr(scenario, '/');
    int folder = slash == NULL || name[0] == '/' ? 0 : (int)(slash + 1 - scenario);
    const char *here = folder == 0 && name[0] == '-' ? "./" : "";
    int length = asprintf(&path, "%.*s%s%s", folder, scenario, here, name);
    SIM_ASSERT(NULL, length >= 0);
    return path;
}

/* Writes the sizes of the column as a list. */
static int write_sizes(const char *path, struct csv *csv, size_t column, FILE *to, struct sim_error *error)
{
    const struct csv_field *field = NULL;
    struct sim_error why;
    int64_t size;
    for (int count = 0;; count++) {
        bool more = false;
        if (csv_next(csv, &field, &more, error) != 0)
            return -1;
        if (!more)
            break;
        if (count == CONFIG_TENSORS_MAX)
            return csv_error(csv, field, error, "more than %d tensors", CONFIG_TENSORS_MAX);
        if (value_read_count(field[column].text, &size, &why) != 0)
            return csv_error(csv, &field[column], error, "%.400s", why.text);
        if (size < 1)
            return csv_error(csv, &field[column], error, "a tensor has at least 1 parameter");
        fprintf(to, "%s%lld", count == 0 ? "[" : ", ", (long long)size);
    }
    fputc(']', to);
    return field != NULL ? 0 : sim_error_set(error, "%s: has no tensors", path);
}

static int read_sizes(const char *path, FILE *to, struct sim_error *error)
{
    struct csv *csv = NULL;
    size_t column;
    if (csv_open(path, &csv, error) != 0)
        return -1;
    int status = csv_column(csv, "parameters", &column, error);
    if (status == 0)
        status = write_sizes(path, csv, column, to, error);
    csv_close(csv);
    return status;
}

int scenario_read_sizes(const char *scenario, const char *name, char **ret, struct sim_error *error)
{
    if (name[0] == '\0')
        return sim_error_set(error, "the value is empty; expected a list such as [1G, 2G], or the name of a CSV file");
    char *path = path_of(scenario, name), *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    SIM_ASSERT(NULL, to != NULL);
    int status = read_sizes(path, to, error);
    int closed = fclose(to);
    SIM_ASSERT(NULL, closed == 0);
    free(path);
    if (status == 0)
        *ret = text;
    else
        free(text);
    return status;
}
