/* What is varied: a line `v KEY=LIST` is a --vary, `z KEY=LIST` a --zip, `s KEY=LO..HI` bounds, and what follows `f`
 * the cells of a file. */
#include <math.h>

#include "tests/fuzz/fuzz.h"
#include "tools/faultline/vary.h"

static struct sim_error error;

static int add_bounds(const char *spec)
{
    const struct keys_key *key = NULL;
    double low = 0, high = 0, step = 0;
    const char *equals = strchr(spec, '=');
    char path[KEYS_PATH_MAX];
    if (equals == NULL || equals - spec >= (ptrdiff_t)sizeof path)
        return 0;
    (void)snprintf(path, sizeof path, "%.*s", (int)(equals - spec), spec);
    if (keys_find_one(path, &key, &error) != 0)
        return -1;
    if (vary_bounds(key, equals + 1, &low, &high, &step, &error) != 0)
        return -1;
    FUZZ_ASSERT(isfinite(low) && low <= high);
    return 0;
}

static int add_line(struct vary *vary, const char *line, struct fuzz_bytes *rest)
{
    if (line[0] == 'f') {
        int status = vary_add_file(vary, fuzz_file(rest->at, (size_t)(rest->end - rest->at)), &error);
        rest->at = rest->end;
        return status;
    }
    if (line[0] == '\0' || line[1] == '\0')
        return 0;
    return line[0] == 's' ? add_bounds(line + 2) : vary_add(vary, line + 2, line[0] == 'z', &error);
}

/* Every cell says of every key what it is. */
static void check_cells(const struct vary *vary)
{
    FUZZ_ASSERT((vary_cells(vary) > 0) == (vary_keys(vary) > 0));
    FUZZ_ASSERT(vary_cells(vary) <= VARY_CELLS_MAX && vary_keys(vary) <= VARY_KEYS_MAX);
    size_t stride = vary_cells(vary) / 64 + 1;
    for (size_t cell = 0; cell < vary_cells(vary); cell += stride)
        for (size_t key = 0; key < vary_keys(vary); key++) {
            const char *setting = vary_setting(vary, cell, key);
            size_t length = strlen(vary_key(vary, key));
            FUZZ_ASSERT(strncmp(setting, vary_key(vary, key), length) == 0 && setting[length] == '=');
            FUZZ_ASSERT(vary_value(vary, cell, key) == setting + length + 1);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, data + size};
    struct vary *vary = vary_create();
    int status = 0;
    while (status == 0 && bytes.at < bytes.end) {
        char *line = fuzz_line(&bytes);
        status = add_line(vary, line, &bytes);
        free(line);
    }
    if (status == 0)
        status = vary_finish(vary, &error);
    if (status == 0)
        check_cells(vary);
    else
        fuzz_check_message(error.text);
    vary_destroy(vary);
    return 0;
}
