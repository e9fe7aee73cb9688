#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/faultline/alloc.h"
#include "tools/faultline/csv.h"
#include "tools/faultline/input.h"
#include "tools/faultline/sample.h"
#include "tools/faultline/scenario_internal.h"

char *scenario_path(const char *scenario, const char *name)
{
    const char *slash = strrchr(scenario, '/');
    int folder = slash == NULL || name[0] == '/' ? 0 : (int)(slash + 1 - scenario);
    const char *here = folder == 0 && name[0] == '-' ? "./" : "";
    return alloc_printf("%.*s%s%s", folder, scenario, here, name);
}

/* A column of a CSV file that becomes the arguments of a value. */
struct column {
    const char *open, *close; /* what stands around them */
    const char *what;         /* plural, for messages */
    int max;
    size_t index;
    int (*write)(FILE *to, const char *text, struct sim_error *error); /* one of them, checked */
};

static int write_column(const char *path, struct csv *csv, const struct column *column, FILE *to,
                        struct sim_error *error)
{
    const struct csv_field *field = NULL;
    struct sim_error why;
    for (int count = 0;; count++) {
        bool more = false;
        if (csv_next(csv, &field, &more, error) != 0)
            return -1;
        if (!more)
            break;
        if (count == column->max)
            return csv_error(csv, field, error, "more than %d %s", column->max, column->what);
        fputs(count == 0 ? column->open : ", ", to);
        if (column->write(to, field[column->index].text, &why) != 0)
            return csv_error(csv, &field[column->index], error, "%.400s", why.text);
    }
    fputs(column->close, to);
    return field != NULL ? 0 : sim_error_set(error, "%s: has no %s", path, column->what);
}

/* Finds the column of the file and writes it; `find` may choose how. */
static int read_file(const char *scenario, const char *name, struct column column,
                     int (*find)(const struct csv *csv, struct column *column, struct sim_error *error), char **ret,
                     struct sim_error *error)
{
    struct csv *csv = NULL;
    struct alloc_draft draft;
    char *path = scenario_path(scenario, name);
    alloc_draft_start(&draft);
    int status = input_check_file(path, error);
    if (status == 0)
        status = csv_open(path, &csv, error);
    if (status == 0)
        status = find(csv, &column, error);
    if (status == 0)
        status = write_column(path, csv, &column, draft.to, error);
    csv_close(csv);
    free(path);
    char *text = alloc_draft_finish(&draft);
    if (status == 0)
        *ret = text;
    else
        free(text);
    return status;
}

static int write_size(FILE *to, const char *text, struct sim_error *error)
{
    int64_t size;
    if (value_read_count(text, &size, error) != 0)
        return -1;
    fprintf(to, "%lld", (long long)size);
    return size >= 1 ? 0 : sim_error_set(error, "a tensor has at least 1 parameter");
}

static int find_sizes(const struct csv *csv, struct column *column, struct sim_error *error)
{
    return csv_column(csv, "parameters", &column->index, error);
}

int scenario_read_sizes(const char *scenario, const char *name, char **ret, struct sim_error *error)
{
    const struct column sizes = {"[", "]", "tensors", CONFIG_TENSORS_MAX, 0, write_size};
    if (name[0] == '\0')
        return sim_error_set(error, "the value is empty; expected a list such as [1G, 2G], or the name of a CSV file");
    return read_file(scenario, name, sizes, find_sizes, ret, error);
}

static int write_duration(FILE *to, const char *text, struct sim_error *error)
{
    double ignored;
    fputs(text, to);
    return value_read_seconds(text, &ignored, error);
}

static int write_seconds(FILE *to, const char *text, struct sim_error *error)
{
    double ignored;
    fprintf(to, "%ss", text);
    return value_read_real(text, &ignored, error);
}

static int find_delays(const struct csv *csv, struct column *column, struct sim_error *error)
{
    struct sim_error why;
    bool has_seconds = csv_column(csv, "seconds", &column->index, &why) == 0;
    column->write = has_seconds ? write_seconds : write_duration;
    if (has_seconds || csv_column(csv, "duration", &column->index, &why) == 0)
        return 0;
    return sim_error_set(error, "%.900s, nor 'seconds'", why.text);
}

int scenario_read_delays(const char *scenario, const char *name, char **ret, struct sim_error *error)
{
    const struct column delays = {"empirical(", ")", "delays", SAMPLE_MAX, 0, NULL};
    if (name[0] == '\0')
        return sim_error_set(error, "empirical(file=) names no file; expected the name of a CSV file");
    return read_file(scenario, name, delays, find_delays, ret, error);
}
