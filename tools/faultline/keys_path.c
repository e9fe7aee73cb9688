#include <stdio.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/utf8.h"

void keys_path(const struct keys_key *key, const char *name, char ret[static KEYS_PATH_MAX])
{
    const char *star = strchr(key->path, '*');
    SIM_ASSERT(NULL, star != NULL);
    (void)snprintf(ret, KEYS_PATH_MAX, "%.*s%s%s", (int)(star - key->path), key->path, name, star + 1);
}

/* Compares a path with one of the table, segment by segment. */
static enum keys_match match(const char *path, const char *pattern)
{
    for (;;) {
        size_t length = strcspn(path, "."), expected = strcspn(pattern, ".");
        bool same = length == expected && memcmp(path, pattern, length) == 0;
        if (!same && !(pattern[0] == '*' && length > 0))
            return KEYS_UNKNOWN;
        path += length;
        pattern += expected;
        if (*path == '\0')
            return *pattern == '\0' ? KEYS_KEY : KEYS_SECTION;
        if (*pattern == '\0')
            return KEYS_UNKNOWN;
        path++;
        pattern++;
    }
}

enum keys_match keys_find(const char *path, const struct keys_key **ret_key)
{
    enum keys_match best = KEYS_UNKNOWN;
    for (size_t i = 0; i < keys_count && best != KEYS_KEY; i++) {
        enum keys_match found = match(path, keys_table[i].path);
        if (found > best)
            best = found;
        if (found == KEYS_KEY && ret_key != NULL)
            *ret_key = &keys_table[i];
    }
    return best;
}

static size_t min_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits between two texts: a byte changed, added or left out, or two neighbours swapped. */
static size_t distance(const char *a, const char *b)
{
    size_t row[3][KEYS_PATH_MAX];
    size_t width = strlen(b);
    for (size_t j = 0; j <= width; j++)
        row[0][j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            now[j] = min_of(changed, min_of(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = min_of(now[j], before[j - 2] + 1);
        }
    }
    return row[strlen(a) % 3][width];
}

/* A path of the table up to `segments` segments, with the names of `path` for each `*`. */
static bool candidate(const char *pattern, const char *path, int segments, char ret[static KEYS_PATH_MAX])
{
    ret[0] = '\0';
    for (int i = 0; i < segments; i++) {
        size_t length = strcspn(path, "."), expected = strcspn(pattern, ".");
        if (expected == 0)
            return false;
        bool named = pattern[0] == '*' && length > 0;
        size_t used = strlen(ret);
        (void)snprintf(ret + used, KEYS_PATH_MAX - used, "%s%.*s", i == 0 ? "" : ".", (int)(named ? length : expected),
                       named ? path : pattern);
        path += length + (path[length] == '.' ? 1 : 0);
        pattern += expected + (pattern[expected] == '.' ? 1 : 0);
    }
    return true;
}

static int count_segments(const char *path)
{
    int count = 1;
    for (; *path != '\0'; path++)
        count += *path == '.';
    return count;
}

/* A key of another section with the same last segment, such as fleet.chips for chips. */
static bool same_last(const char *path, char ret[static KEYS_PATH_MAX])
{
    const char *dot = strrchr(path, '.');
    const char *last = dot == NULL ? path : dot + 1;
    for (size_t i = 0; i < keys_count; i++) {
        const char *other = strrchr(keys_table[i].path, '.');
        if (other == NULL || strcmp(other + 1, last) != 0)
            continue;
        if (keys_is_named(&keys_table[i]))
            keys_path(&keys_table[i], "NAME", ret);
        else
            (void)utf8_copy(KEYS_PATH_MAX, ret, keys_table[i].path);
        return true;
    }
    return false;
}

bool keys_nearest(const char *path, char ret[static KEYS_PATH_MAX])
{
    char other[KEYS_PATH_MAX];
    if (strlen(path) >= KEYS_PATH_MAX)
        return false;
    size_t best = min_of(strlen(path) / 3, 3) + 1;
    bool found = false;
    for (size_t i = 0; i < keys_count; i++)
        for (int segments = 1; segments <= count_segments(keys_table[i].path); segments++) {
            if (!candidate(keys_table[i].path, path, segments, other) || distance(path, other) >= best)
                continue;
            best = distance(path, other);
            (void)utf8_copy(KEYS_PATH_MAX, ret, other);
            found = true;
        }
    return found || same_last(path, ret);
}

void keys_below(const char *section, size_t size, char ret[])
{
    size_t used = 0;
    const char *previous = "";
    size_t previous_length = 0;
    ret[0] = '\0';
    for (size_t i = 0; i < keys_count; i++) {
        if (match(section, keys_table[i].path) != KEYS_SECTION)
            continue;
        const char *child = keys_table[i].path;
        for (int skip = count_segments(section); skip > 0; skip--)
            child = strchr(child, '.') + 1;
        size_t length = strcspn(child, ".");
        if (length == previous_length && memcmp(child, previous, length) == 0)
            continue;
        previous = child;
        previous_length = length;
        bool named = child[0] == '*';
        int written = snprintf(ret + used, size - used, "%s%.*s", used == 0 ? "" : " ", named ? 4 : (int)length,
                               named ? "NAME" : child);
        used = min_of(used + (size_t)written, size - 1);
    }
}

int keys_find_one(const char *path, const struct keys_key **ret, struct sim_error *error)
{
    char nearest[KEYS_PATH_MAX], quoted[VALUE_QUOTE_MAX];
    enum keys_match match = strlen(path) < KEYS_PATH_MAX ? keys_find(path, ret) : KEYS_UNKNOWN;
    value_quote(path, quoted);
    if (match == KEYS_KEY)
        return 0;
    if (match == KEYS_SECTION)
        return sim_error_set(error, "%s: is a section; expected a single key", quoted);
    if (keys_nearest(path, nearest))
        return sim_error_set(error, "%s: there is no such key; did you mean %s?", quoted, nearest);
    return sim_error_set(error, "%s: there is no such key; `faultline keys` lists them", quoted);
}
