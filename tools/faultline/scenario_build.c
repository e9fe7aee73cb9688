#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/scenario.h"
#include "tools/faultline/scenario_internal.h"

enum { POSITION_MAX = 320 };

/* What a scenario is built from, and what it becomes. */
struct build {
    const struct scenario_text *text;
    const char *const *setting;
    size_t settings;
    enum keys_end end;
    const char *end_setting; /* that decided it; NULL: the file did */
    struct scenario scenario;
    struct sim_error *error;
};

/* What may end a run, by the key that says so. */
static const char *const end_key[] = {
    [KEYS_END_DURATION] = "duration", [KEYS_END_WORK] = "until.work", [KEYS_END_TOKENS] = "until.tokens"};
enum { ENDS = sizeof end_key / sizeof end_key[0] };

/* The value of a key and where it stands: in a setting, or else in the file. */
struct found {
    const char *text;
    const char *setting;
    const struct scenario_node *node;
};

/* True when a setting is about `path`, or about a key below it. */
static bool is_setting_of(const char *setting, const char *path, bool or_below)
{
    size_t length = strlen(path);
    return strncmp(setting, path, length) == 0 && (setting[length] == '=' || (or_below && setting[length] == '.'));
}

static const char *last_setting(const struct build *build, const char *path, bool or_below)
{
    for (size_t i = build->settings; i > 0; i--)
        if (is_setting_of(build->setting[i - 1], path, or_below))
            return build->setting[i - 1];
    return NULL;
}

/* The last setting that says what ends the run replaces what others, and the file, say about it. */
static void choose_end(struct build *build)
{
    for (size_t i = build->settings; i > 0 && build->end_setting == NULL; i--)
        for (int end = 0; end < ENDS; end++)
            if (is_setting_of(build->setting[i - 1], end_key[end], false)) {
                build->end = (enum keys_end)end;
                build->end_setting = build->setting[i - 1];
            }
    if (build->end_setting != NULL)
        return;
    bool has_work = scenario_node_find(build->text, end_key[KEYS_END_WORK]) != NULL;
    if (scenario_node_find(build->text, end_key[KEYS_END_TOKENS]) != NULL && !has_work)
        build->end = KEYS_END_TOKENS;
    else if (scenario_node_find(build->text, "until") != NULL || last_setting(build, "until", true) != NULL)
        build->end = KEYS_END_WORK; /* which may be missing */
}

/* True for a key that gives way to the setting that says what ends the run. */
static bool gives_way(const struct build *build, const char *path, const char *setting)
{
    if (build->end_setting == NULL || strcmp(path, end_key[build->end]) == 0)
        return false;
    for (int end = 0; end < ENDS; end++)
        if (strcmp(path, end_key[end]) == 0)
            return true;
    return build->end == KEYS_END_DURATION && setting == NULL && strcmp(path, "until.within") == 0;
}

/* The last setting of a key wins over the earlier ones and over the file. */
static struct found look_up(const struct build *build, const char *path)
{
    struct found found = {.setting = last_setting(build, path, false)};
    if (gives_way(build, path, found.setting))
        return (struct found){0};
    if (found.setting != NULL) {
        found.text = strchr(found.setting, '=') + 1;
        return found;
    }
    found.node = scenario_node_find(build->text, path);
    if (found.node != NULL)
        found.text = found.node->text;
    return found;
}

static void setting_position(const char *setting, char ret[static POSITION_MAX])
{
    char quoted[VALUE_QUOTE_MAX];
    value_quote(setting, quoted);
    (void)snprintf(ret, POSITION_MAX, "-s %.*s", (int)strlen(quoted) - 2, quoted + 1);
}

static void file_position(const struct build *build, struct scenario_place place, char ret[static POSITION_MAX])
{
    (void)snprintf(ret, POSITION_MAX, "%.255s:%zu:%zu", build->text->file, place.line, place.column);
}

/* Where a key or a section stands, or else the section it would stand in, or else the top of the file. */
static void position_of(const struct build *build, const char *path, char ret[static POSITION_MAX])
{
    char shorter[KEYS_PATH_MAX];
    (void)snprintf(shorter, sizeof shorter, "%s", path);
    for (bool below = keys_find(path, NULL) == KEYS_SECTION;; below = true) {
        const char *setting = last_setting(build, shorter, below && strchr(shorter, '.') != NULL);
        const struct scenario_node *node = scenario_node_find(build->text, shorter);
        char *dot = strrchr(shorter, '.');
        if (setting != NULL)
            setting_position(setting, ret);
        else if (node != NULL)
            file_position(build, below ? node->name : node->value, ret);
        else if (dot == NULL)
            file_position(build, (struct scenario_place){1, 1}, ret);
        else {
            *dot = '\0';
            continue;
        }
        return;
    }
}

static int fail(const struct build *build, const char *path, const char *what)
{
    char position[POSITION_MAX];
    position_of(build, path, position);
    return sim_error_set(build->error, "%s: %s: %.600s", position, path, what);
}

/* Splits a copy of the path of a setting at its dots and checks each part. */
static int check_segments(const char *path, struct sim_error *why)
{
    char segment[KEYS_PATH_MAX];
    for (const char *at = path;; at++) {
        size_t length = strcspn(at, ".");
        (void)snprintf(segment, sizeof segment, "%.*s", (int)length, at);
        if (scenario_check_segment(segment, why) != 0)
            return -1;
        at += length;
        if (*at == '\0')
            return 0;
    }
}

static int check_setting(const struct build *build, const char *setting)
{
    char position[POSITION_MAX], path[KEYS_PATH_MAX], below[256];
    struct sim_error why;
    const char *equals = strchr(setting, '=');
    setting_position(setting, position);
    if (equals == NULL)
        return sim_error_set(build->error, "%s: a setting is KEY=VALUE", position);
    if ((size_t)(equals - setting) >= sizeof path)
        return sim_error_set(build->error, "%s: there is no key that long", position);
    (void)snprintf(path, sizeof path, "%.*s", (int)(equals - setting), setting);
    if (check_segments(path, &why) != 0)
        return sim_error_set(build->error, "%s: %.600s", position, why.text);
    enum keys_match match = keys_find(path, NULL);
    if (match == KEYS_UNKNOWN)
        return scenario_unknown(position, path, build->error);
    if (match == KEYS_SECTION) {
        keys_below(path, sizeof below, below);
        return sim_error_set(build->error, "%s: %s: only single keys can be set; below it are: %s", position, path,
                             below);
    }
    return 0;
}

/* Makes an entry for the name in `path`, unless the path is of something else or the entry exists. */
static int add_entry(struct build *build, const struct keys_section *section, const char *path, size_t length)
{
    char full[KEYS_PATH_MAX], what[128];
    size_t before = strlen(section->path) + 1;
    if (length <= before || strncmp(path, section->path, before - 1) != 0 || path[before - 1] != '.')
        return 0;
    const char *name = path + before;
    size_t size = strcspn(name, ".=");
    int *count = keys_elements(section, &build->scenario);
    for (int i = 0; i < *count; i++) {
        const char *other = keys_element(section, &build->scenario, i); /* it starts with its name */
        if (strncmp(other, name, size) == 0 && other[size] == '\0')
            return 0;
    }
    if (*count == section->max) {
        (void)snprintf(full, sizeof full, "%.*s", (int)(before + size), path);
        (void)snprintf(what, sizeof what, "one %s too many; the limit is %d", section->entry, section->max);
        return fail(build, full, what);
    }
    memcpy(keys_element(section, &build->scenario, (*count)++), name, size);
    return 0;
}

/* Entries in the order in which the file, then the settings name them. */
static int add_entries(struct build *build, const struct keys_section *section)
{
    for (size_t i = 0; i < build->text->count; i++)
        if (add_entry(build, section, build->text->node[i].path, strlen(build->text->node[i].path)) != 0)
            return -1;
    for (size_t i = 0; i < build->settings; i++)
        if (add_entry(build, section, build->setting[i], strcspn(build->setting[i], "=")) != 0)
            return -1;
    return 0;
}

static bool is_required(const struct build *build, const struct keys_key *key, const struct keys_context *context)
{
    if (key->source == KEYS_REQUIRED_BUT_LINK)
        return context->kind != CONFIG_SOURCE_LINK;
    if (key->source == KEYS_REQUIRED_BUT_DP)
        return build->scenario.config.method != CONFIG_DP || config_has_units(&build->scenario.config);
    return key->source == KEYS_REQUIRED;
}

static int fail_missing(const struct build *build, const struct keys_key *key, const struct keys_context *context,
                        const char *path)
{
    static const char *const where[KEYS_WHEN_COUNT] = {[KEYS_OF_RANDOM] = " without a calendar",
                                                       [KEYS_OF_CALENDAR] = " in a calendar",
                                                       [KEYS_OF_MTBI] = " without a calendar",
                                                       [KEYS_OF_LEMONS] = " of lemons",
                                                       [KEYS_OF_DURATION] = " without until",
                                                       [KEYS_OF_WORK] = " without until.tokens",
                                                       [KEYS_OF_NETWORK] = " in a network",
                                                       [KEYS_OF_CHECKPOINT] = " with checkpoints",
                                                       [KEYS_OF_LOAN] = " in a loan",
                                                       [KEYS_OF_RETIREMENT] = " for a retirement"};
    bool takes_calendar = (KEYS_KINDS_WITH_CALENDAR >> context->kind & 1) != 0;
    bool is_random = key->when == KEYS_OF_RANDOM || key->when == KEYS_OF_MTBI;
    bool plain = where[key->when] == NULL || (is_random && !takes_calendar);
    const char *instead = key->when != KEYS_OF_MTBI             ? ""
                          : context->kind == CONFIG_SOURCE_CHIP ? ", or rate or life instead"
                                                                : ", or rate instead";
    char what[KEYS_RANGE_MAX + 96], range[KEYS_RANGE_MAX];
    keys_range(key, range);
    (void)snprintf(what, sizeof what, "missing, but required%s; allowed: %s%s", plain ? "" : where[key->when], range,
                   instead);
    return fail(build, path, what);
}

/* Reads a value that is given; the name of a file stands for what is in it. */
static int read_given(const struct build *build, const struct keys_key *key, const char *text, void *base,
                      struct sim_error *why)
{
    const char *scenario = build->text->file;
    char *file = key->type == KEYS_LAW && value_is_sample(text) ? value_sample_file(text) : NULL, *inside = NULL;
    int status = 0;
    if (key->type == KEYS_SIZES && text[0] != '[')
        status = scenario_read_sizes(scenario, text, &inside, why);
    else if (file != NULL)
        status = scenario_read_delays(scenario, file, &inside, why);
    if (status == 0)
        status = keys_read(key, inside != NULL ? inside : text, base, why);
    free(inside);
    free(file);
    return status;
}

/* Which of the keys that say how often the source of `path` strikes is given: the last that a setting gives, or else
 * the first in the file. *ret_is_set is true for a setting. */
static enum config_timing timing_of(const struct build *build, const char *path, bool *ret_is_set)
{
    char other[KEYS_PATH_MAX];
    int length = (int)(strchr(strchr(path, '.') + 1, '.') - path);
    enum config_timing in_file = CONFIG_BY_MTBI, in_setting = CONFIG_BY_MTBI;
    size_t last = 0;
    for (int timing = KEYS_TIMINGS - 1; timing >= 0; timing--) {
        (void)snprintf(other, sizeof other, "%.*s.%s", length, path, keys_timing_name[timing]);
        if (scenario_node_find(build->text, other) != NULL)
            in_file = (enum config_timing)timing;
        for (size_t i = last; i < build->settings; i++)
            if (is_setting_of(build->setting[i], other, false)) {
                last = i + 1;
                in_setting = (enum config_timing)timing;
            }
    }
    *ret_is_set = last > 0;
    return last > 0 ? in_setting : in_file;
}

/* True when a setting says how often a source strikes: the last of them takes the place of what the file, or a setting
 * before, says by another key. */
static bool is_replaced(const struct build *build, const struct keys_key *key, const char *path,
                        const struct found *found)
{
    bool is_set = false;
    enum config_timing of_key;
    if (!keys_timing(key, &of_key) || (key->source != KEYS_REQUIRED && found->setting != NULL))
        return false;
    return timing_of(build, path, &is_set) != of_key && is_set;
}

/* Reads the key at `path` into the struct at `base`, or its default. */
static int put_key(const struct build *build, const struct keys_context *context, const struct keys_key *key,
                   const char *path, void *base)
{
    char buffer[VALUE_TEXT_MAX], reason[KEYS_RANGE_MAX], what[KEYS_RANGE_MAX + 32];
    enum scenario_origin ignored;
    struct sim_error why;
    struct found found = look_up(build, path);
    if (!keys_means(key, context)) {
        keys_why_not(key, context, reason);
        (void)snprintf(what, sizeof what, "it means nothing here: %s", reason);
        return found.text == NULL || is_replaced(build, key, path, &found) ? 0 : fail(build, path, what);
    }
    if (found.text != NULL)
        return read_given(build, key, found.text, base, &why) == 0 ? 0 : fail(build, path, why.text);
    const char *text = scenario_default(key, &build->scenario, buffer, &ignored);
    if (is_required(build, key, context) && (text == NULL || text == key->default_text))
        return fail_missing(build, key, context, path);
    return text == NULL || keys_read(key, text, base, &why) == 0 ? 0 : fail(build, path, why.text);
}

/* True when the section, or a key in it, is given. */
static bool has_section(const struct build *build, const char *path)
{
    return scenario_node_find(build->text, path) != NULL || last_setting(build, path, true) != NULL;
}

static int put_keys(struct build *build)
{
    struct keys_context context = {.has_network = has_section(build, "network"),
                                   .has_checkpoint = has_section(build, "checkpoint"),
                                   .has_prices = has_section(build, "prices"),
                                   .end = build->end,
                                   .has_loan = has_section(build, "fleet.loan"),
                                   .has_retirement = has_section(build, "repair.retire_after")};
    for (size_t i = 0; i < keys_count; i++)
        if (!keys_is_named(&keys_table[i]) &&
            put_key(build, &context, &keys_table[i], keys_table[i].path, &build->scenario) != 0)
            return -1;
    build->scenario.has_seed = look_up(build, "seed").text != NULL;
    return 0;
}

static bool has_section_in(const struct build *build, const struct keys_section *section, const char *name,
                           const char *below)
{
    char path[KEYS_PATH_MAX];
    (void)snprintf(path, sizeof path, "%s.%s.%s", section->path, name, below);
    return has_section(build, path);
}

/* What the kind of a source decides, once it is read. */
static void learn_source(const struct build *build, const char *path, struct config_source *source,
                         struct keys_context *context)
{
    bool ignored;
    source->timing = timing_of(build, path, &ignored);
    context->kind = source->kind;
    context->timing = source->timing;
}

static int put_named_keys(struct build *build, const struct keys_section *section, void *element)
{
    char path[KEYS_PATH_MAX];
    const char *name = element;
    struct keys_context context = {.has_network = has_section(build, "network"),
                                   .has_prices = has_section(build, "prices"),
                                   .has_calendar = has_section_in(build, section, name, "calendar"),
                                   .has_lemons = has_section_in(build, section, name, "lemons"),
                                   .has_stages = build->scenario.config.stage_count > 0};
    for (size_t k = 0; k < keys_count; k++) {
        const struct keys_key *key = &keys_table[k];
        if (keys_section_of(key) != section)
            continue;
        keys_path(key, name, path);
        if (put_key(build, &context, key, path, element) != 0)
            return -1;
        if (key->choices == config_source_kind_name)
            learn_source(build, path, element, &context);
    }
    return 0;
}

static int put_entries(struct build *build)
{
    for (size_t i = 0; i < keys_section_count; i++)
        for (int k = 0; k < *keys_elements(&keys_sections[i], &build->scenario); k++)
            if (put_named_keys(build, &keys_sections[i], keys_element(&keys_sections[i], &build->scenario, k)) != 0)
                return -1;
    return 0;
}

static int put_logs(struct build *build)
{
    char path[KEYS_PATH_MAX];
    struct sim_error why;
    struct config *config = &build->scenario.config;
    for (int i = 0; i < config->source_count; i++) {
        struct config_source *source = &config->source[i];
        if (source->kind != CONFIG_SOURCE_LOG)
            continue;
        (void)snprintf(path, sizeof path, "failures.%s.columns", source->name);
        if ((source->column_end[0] == '\0') == (source->column_down[0] == '\0'))
            return fail(build, path, "one of the two is needed: end, or down");
        (void)snprintf(path, sizeof path, "failures.%s.causes", source->name);
        if (source->causes[0] != '\0' && source->column_cause[0] == '\0')
            return fail(build, path, "columns.cause is needed: the column that names the cause, or several");
        (void)snprintf(path, sizeof path, "failures.%s.file", source->name);
        if (scenario_read_log(build->text, source, &why) != 0)
            return fail(build, path, why.text);
    }
    return 0;
}

static int put_all(struct build *build)
{
    for (size_t i = 0; i < build->settings; i++)
        if (check_setting(build, build->setting[i]) != 0)
            return -1;
    for (size_t i = 0; i < keys_section_count; i++)
        if (add_entries(build, &keys_sections[i]) != 0)
            return -1;
    return put_keys(build) == 0 && put_entries(build) == 0 ? put_logs(build) : -1;
}

int scenario_build(const struct scenario_text *text, const char *const settings[], size_t setting_count,
                   struct scenario *ret, struct sim_error *error)
{
    struct build build = {.text = text, .setting = settings, .settings = setting_count, .error = error};
    struct config_fault fault;
    choose_end(&build);
    if (put_all(&build) != 0)
        return -1;
    if (!config_check(&build.scenario.config, &fault))
        return fail(&build, fault.key, fault.why);
    *ret = build.scenario;
    return 0;
}

/* A visit of scenario_each on its way from the walk to the caller. */
struct each {
    struct build build;
    const struct scenario *scenario;
    void (*visit)(void *context, const struct scenario_entry *entry);
    void *context;
};

static void on_item(void *context, const struct scenario_item *item)
{
    const struct each *each = context;
    char ignored[VALUE_TEXT_MAX];
    char *text = keys_text(item->key, item->base);
    struct found found = look_up(&each->build, item->path);
    struct scenario_entry entry = {.key = item->path, .text = text, .number = keys_number(item->key, item->base)};
    if (found.text != NULL)
        entry.origin = found.setting != NULL ? SCENARIO_SETTING : SCENARIO_FILE;
    else
        (void)scenario_default(item->key, each->scenario, ignored, &entry.origin);
    each->visit(each->context, &entry);
    free(text);
}

void scenario_each(const struct scenario_text *text, const char *const settings[], size_t setting_count,
                   const struct scenario *scenario, void (*visit)(void *context, const struct scenario_entry *entry),
                   void *context)
{
    struct each each = {{.text = text, .setting = settings, .settings = setting_count}, scenario, visit, context};
    choose_end(&each.build);
    scenario_walk(scenario, on_item, &each);
}

const char *scenario_origin_name(const struct scenario_entry *entry)
{
    static const char *const name[] = {[SCENARIO_FILE] = "file",
                                       [SCENARIO_SETTING] = "-s",
                                       [SCENARIO_METHOD] = "method",
                                       [SCENARIO_TENSORS] = "tensors",
                                       [SCENARIO_EVERY] = "every"};
    const struct keys_key *key;
    if (entry->origin != SCENARIO_DEFAULT)
        return name[entry->origin];
    SIM_ASSERT(NULL, keys_find(entry->key, &key) == KEYS_KEY);
    return keys_source_name[key->source];
}
