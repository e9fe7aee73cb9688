#include "tools/faultline/input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/assert.h"

#define FIRST ((size_t)65536)

/* All of the stream, or one byte more than is allowed. */
static char *read_all(FILE *from, size_t bytes_max, size_t *ret_size)
{
    char *bytes = NULL;
    size_t size = 0, capacity = FIRST / 2;
    for (size_t got = 1; got > 0 && size <= bytes_max; size += got) {
        if (size + 1 >= capacity || bytes == NULL)
            bytes = sim_reallocate(bytes, capacity *= 2, 1);
        size_t room = capacity - size - 1, wanted = bytes_max + 1 - size;
        got = fread(bytes + size, 1, room < wanted ? room : wanted, from);
    }
    bytes[size] = '\0';
    *ret_size = size;
    return bytes;
}

int input_read(const char *path, const struct input_kind *kind, char **ret, size_t *ret_size, struct sim_error *error)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    FILE *from = is_stdin ? stdin : fopen(path, "rbe");
    if (from == NULL)
        return sim_error_set(error, "%.255s: cannot be opened: %s", name, strerror(errno));
    size_t size = 0;
    errno = 0;
    char *bytes = read_all(from, kind->bytes_max, &size);
    int problem = ferror(from) != 0 ? errno : 0;
    if (!is_stdin)
        (void)fclose(from);
    if (problem == 0 && size <= kind->bytes_max) {
        *ret = bytes;
        *ret_size = size;
        return 0;
    }
    free(bytes);
    if (problem != 0)
        return sim_error_set(error, "%.255s: cannot be read: %s", name, strerror(problem));
    return sim_error_set(error, "%.255s: larger than %s may be; the limit is %zu MiB", name, kind->name,
                         kind->bytes_max >> 20);
}

int input_check_file(const char *path, struct sim_error *error)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return sim_error_set(error, "%.255s: cannot be opened: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return sim_error_set(error, "%.255s: cannot be read: %s", path, strerror(EISDIR));
    if (!S_ISREG(status.st_mode))
        return sim_error_set(error, "%.255s: a pipe or a device; what a scenario names must be a file", path);
    return 0;
}
