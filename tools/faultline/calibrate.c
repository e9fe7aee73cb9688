/* calibrate.c -- the parts of a fit: targets, cells, free keys, points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/calibrate.h"
#include "tools/faultline/calibrate_internal.h"

#define FREEDOM 20.0 /* a number without bounds moves by this factor either way */

void calibrate_init(struct calibrate *fit)
{
    *fit = (struct calibrate){.replicas = 4, .threads = 1, .seed = 1, .starts = 1, .evaluations = 300};
    fit->cell = sim_allocate(CALIBRATE_CELLS_MAX, sizeof *fit->cell);
    fit->target = sim_allocate(CALIBRATE_TARGETS_MAX, sizeof *fit->target);
}

void calibrate_fini(struct calibrate *fit)
{
    free(fit->cell);
    free(fit->target);
    *fit = (struct calibrate){0};
}

/* --- targets --- */

enum column { COLUMN_METHOD, COLUMN_LEARNERS, COLUMN_CHIPS, COLUMN_METRIC, COLUMN_PERCENT, COLUMN_COUNT };

static const char *const column_name[COLUMN_COUNT] = {"method", "learners", "chips", "metric", "percent"};

static bool is_same_scenario(const struct scenario *a, const struct scenario *b)
{
    char *text_a = scenario_canonical(a, true), *text_b = scenario_canonical(b, true);
    bool same = strcmp(text_a, text_b) == 0;
    free(text_a);
    free(text_b);
    return same;
}

/* The cell with this scenario, made when it is new. */
static int find_cell(struct calibrate *fit, const struct scenario *scenario, size_t *ret)
{
    for (*ret = 0; *ret < fit->cells; (*ret)++)
        if (is_same_scenario(&fit->cell[*ret].base, scenario))
            return 0;
    if (fit->cells == CALIBRATE_CELLS_MAX)
        return -1;
    fit->cell[fit->cells++].base = *scenario;
    return 0;
}

static bool find_metric(const char *name, enum run_metric *ret)
{
    for (int i = 0; i < RUN_METRIC_COUNT; i++)
        if (run_metric_info[i].kind == RUN_METRIC_FRACTION && strcmp(run_metric_info[i].name, name) == 0) {
            *ret = (enum run_metric)i;
            return true;
        }
    return false;
}

/* The scenario of a row: the file's settings, then the row's method, learners and chips. */
static int build_cell(const struct csv_field *const field[], const struct scenario_text *text,
                      const char *const settings[], size_t setting_count, struct scenario *ret, struct sim_error *error)
{
    static const char *const key[] = {"method", "learners.count", "fleet.chips"};
    char own[3][192];
    const char **all = sim_allocate(setting_count + 3, sizeof *all);
    for (size_t i = 0; i < setting_count; i++)
        all[i] = settings[i];
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(own[i], sizeof own[i], "%s=%s", key[i], field[i]->text);
        all[setting_count + i] = own[i];
    }
    int status = scenario_build(text, all, setting_count + 3, ret, error);
    free(all);
    return status;
}

struct target_source {
    const struct csv *csv;
    const struct scenario_text *text;
    const char *const *settings;
    size_t setting_count;
    size_t column[COLUMN_COUNT];
};

static int add_target(struct calibrate *fit, const struct target_source *source, const struct csv_field *fields,
                      struct sim_error *error)
{
    const struct csv_field *field[COLUMN_COUNT];
    for (int i = 0; i < COLUMN_COUNT; i++)
        field[i] = &fields[source->column[i]];
    struct calibrate_target target;
    if (!find_metric(field[COLUMN_METRIC]->text, &target.metric))
        return csv_error(source->csv, field[COLUMN_METRIC], error, "'%.60s' is no metric between 0 and 1",
                         field[COLUMN_METRIC]->text);
    double percent;
    struct sim_error inner;
    if (value_read_real(field[COLUMN_PERCENT]->text, &percent, &inner) != 0 || percent > 100)
        return csv_error(source->csv, field[COLUMN_PERCENT], error, "percent: '%.60s' is not a number from 0 to 100",
                         field[COLUMN_PERCENT]->text);
    target.published = percent / 100;
    struct scenario scenario;
    if (build_cell(field, source->text, source->settings, source->setting_count, &scenario, &inner) != 0)
        return csv_error(source->csv, field[COLUMN_METHOD], error, "%.400s", inner.text);
    if (find_cell(fit, &scenario, &target.cell) != 0 || fit->targets == CALIBRATE_TARGETS_MAX)
        return csv_error(source->csv, field[COLUMN_METHOD], error, "too many rows: at most %d cells and %d numbers",
                         CALIBRATE_CELLS_MAX, CALIBRATE_TARGETS_MAX);
    fit->target[fit->targets++] = target;
    return 0;
}

static int add_rows(struct calibrate *fit, struct csv *csv, struct target_source *source, struct sim_error *error)
{
    const struct csv_field *fields;
    bool more = true;
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (csv_column(csv, column_name[i], &source->column[i], error) != 0)
            return -1;
    for (;;) {
        if (csv_next(csv, &fields, &more, error) != 0)
            return -1;
        if (!more)
            return 0;
        if (add_target(fit, source, fields, error) != 0)
            return -1;
    }
}

int calibrate_add_targets(struct calibrate *fit, const char *path, const struct scenario_text *text,
                          const char *const settings[], size_t setting_count, struct sim_error *error)
{
    struct csv *csv;
    if (csv_open(path, &csv, error) != 0)
        return -1;
    struct target_source source = {.csv = csv, .text = text, .settings = settings, .setting_count = setting_count};
    int status = add_rows(fit, csv, &source, error);
    csv_close(csv);
    return status;
}

/* --- free keys --- */

/* The struct that the key's field lies in: the scenario or one of its named entries; NULL when it has no such entry. */
void *calibrate_base(const struct calibrate_key *free_key, struct scenario *scenario)
{
    const struct keys_section *section = keys_section_of(free_key->key);
    if (section == NULL)
        return scenario;
    for (int i = 0; i < *keys_elements(section, scenario); i++)
        if (strcmp(keys_element(section, scenario, i), free_key->name) == 0)
            return keys_element(section, scenario, i);
    return NULL;
}

static struct sim_law *law_at(const struct keys_key *key, void *base)
{
    return (struct sim_law *)(void *)((char *)base + key->offset);
}

static double get_number(const struct keys_key *key, void *base)
{
    return key->type == KEYS_LAW ? sim_law_mean(law_at(key, base)) : keys_number(key, base);
}

static int set_text(const struct keys_key *key, void *base, double value, struct sim_error *error)
{
    char text[VALUE_TEXT_MAX];
    bool is_time = key->type == KEYS_TIME || key->type == KEYS_SECONDS;
    (void)snprintf(text, sizeof text, "%.15g%s", value, is_time ? "s" : "");
    return keys_read(key, text, base, error);
}

/* Sets a number or a choice; the range of the key holds. */
int calibrate_set(const struct calibrate_key *free_key, void *base, double value, struct sim_error *error)
{
    if (free_key->is_choice)
        return keys_read(free_key->key, free_key->key->choices[(int)value], base, error);
    if (free_key->key->type != KEYS_LAW)
        return set_text(free_key->key, base, value, error);
    struct sim_law *law = law_at(free_key->key, base), stretched;
    if (law->kind == SIM_LAW_EMPIRICAL)
        return sim_error_set(error, "an empirical law has the mean of its sample");
    stretched = sim_law_with_mean(*law, value);
    if (sim_law_make(stretched.kind, stretched.parameter, law) >= 0)
        return sim_error_set(error, "a mean of %g s is out of range", value);
    return 0;
}

static bool is_number(enum keys_type type)
{
    return type == KEYS_TIME || type == KEYS_SECONDS || type == KEYS_FRACTION || type == KEYS_LAW;
}

/* What the published numbers are numbers of: every row says it, or the file does for all of them. */
static bool is_given(const char *path)
{
    static const char *const given[] = {"method",       "duration", "until.work",  "until.tokens",
                                        "until.within", "warmup",   "fleet.chips", "learners.count"};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        if (strcmp(path, given[i]) == 0)
            return true;
    return false;
}

static int complain_about_path(const char *path, struct sim_error *error)
{
    char nearest[KEYS_PATH_MAX], quoted[VALUE_QUOTE_MAX];
    value_quote(path, quoted);
    if (keys_nearest(path, nearest))
        return sim_error_set(error, "--free: %s: there is no such key; did you mean %s?", quoted, nearest);
    return sim_error_set(error, "--free: %s: there is no such key; `faultline keys` lists them", quoted);
}

static int find_key(const char *path, struct calibrate_key *ret, struct sim_error *error)
{
    if (keys_find(path, &ret->key) != KEYS_KEY)
        return complain_about_path(path, error);
    if (is_given(path))
        return sim_error_set(error, "--free: %s: says what was measured; that cannot be fitted", path);
    ret->is_choice = ret->key->type == KEYS_CHOICE;
    if (!ret->is_choice && !is_number(ret->key->type))
        return sim_error_set(error, "--free: %s: a %s cannot be fitted; only choices, durations, shares and laws can",
                             path, keys_type_name(ret->key->type));
    (void)snprintf(ret->path, sizeof ret->path, "%s", path);
    const struct keys_section *section = keys_section_of(ret->key);
    const char *name = section ? path + strlen(section->path) + 1 : "";
    (void)snprintf(ret->name, sizeof ret->name, "%.*s", (int)strcspn(name, "."), name);
    return 0;
}

/* A bound: a value of the key, or a duration for the mean of a law. */
static int read_bound(const struct calibrate_key *free_key, const char *text, double *ret, struct sim_error *error)
{
    if (free_key->key->type == KEYS_LAW)
        return value_read_seconds(text, ret, error);
    struct scenario scratch = {0};
    const struct keys_section *section = keys_section_of(free_key->key);
    void *base = section ? keys_element(section, &scratch, 0) : &scratch;
    if (keys_read(free_key->key, text, base, error) != 0)
        return -1;
    *ret = keys_number(free_key->key, base);
    return 0;
}

static int read_bounds(struct calibrate_key *free_key, char *range, struct sim_error *error)
{
    struct sim_error inner;
    char *dots = strstr(range, "..");
    if (!dots)
        return sim_error_set(error, "--free: %s: '%s' is no range; write LOW..HIGH", free_key->path, range);
    *dots = '\0';
    if (read_bound(free_key, range, &free_key->low, &inner) != 0 ||
        read_bound(free_key, dots + 2, &free_key->high, &inner) != 0)
        return sim_error_set(error, "--free: %s: %.800s", free_key->path, inner.text);
    return 0;
}

static int choose_bounds(struct calibrate_key *free_key, char *range, struct sim_error *error)
{
    free_key->low = free_key->start / FREEDOM;
    free_key->high = free_key->start * FREEDOM;
    if (free_key->key->type == KEYS_FRACTION && free_key->high > 1)
        free_key->high = 1;
    if (range && read_bounds(free_key, range, error) != 0)
        return -1;
    if (!(free_key->low > 0) || !(free_key->high > free_key->low))
        return sim_error_set(error, "--free: %s: needs a range above 0, LOW..HIGH", free_key->path);
    if (free_key->start < free_key->low || free_key->start > free_key->high)
        free_key->start = sqrt(free_key->low * free_key->high);
    return 0;
}

/* Both ends must be values that the key accepts. */
static int try_bounds(const struct calibrate *fit, const struct calibrate_key *free_key, struct sim_error *error)
{
    struct scenario scratch = fit->cell[0].base;
    struct sim_error inner;
    if (calibrate_set(free_key, calibrate_base(free_key, &scratch), free_key->low, &inner) != 0 ||
        calibrate_set(free_key, calibrate_base(free_key, &scratch), free_key->high, &inner) != 0)
        return sim_error_set(error, "--free: %s: %.800s", free_key->path, inner.text);
    return 0;
}

static int add_key(struct calibrate *fit, char *path, char *range, struct sim_error *error)
{
    struct calibrate_key free_key = {0};
    if (find_key(path, &free_key, error) != 0)
        return -1;
    void *base = calibrate_base(&free_key, &fit->cell[0].base);
    if (!base)
        return sim_error_set(error, "--free: %s: the scenario has no failure source '%s'", path, free_key.name);
    if (free_key.is_choice && range)
        return sim_error_set(error, "--free: %s: is a choice and takes no range", path);
    if (!free_key.is_choice) {
        free_key.start = get_number(free_key.key, base);
        if (choose_bounds(&free_key, range, error) != 0 || try_bounds(fit, &free_key, error) != 0)
            return -1;
    }
    fit->key[fit->keys++] = free_key;
    return 0;
}

int calibrate_add_key(struct calibrate *fit, const char *spec, struct sim_error *error)
{
    SIM_ASSERT(NULL, fit->cells > 0);
    if (fit->keys == CALIBRATE_KEYS_MAX)
        return sim_error_set(error, "--free: at most %d keys", CALIBRATE_KEYS_MAX);
    char *path = alloc_text(spec);
    char *range = strchr(path, '=');
    if (range)
        *range++ = '\0';
    for (size_t i = 0; i < fit->keys; i++)
        if (strcmp(fit->key[i].path, path) == 0) {
            int twice = sim_error_set(error, "--free: %s: stands twice", path);
            free(path);
            return twice;
        }
    int status = add_key(fit, path, range, error);
    free(path);
    return status;
}

/* --- points --- */

size_t calibrate_combinations(const struct calibrate *fit)
{
    size_t combinations = 1;
    for (size_t i = 0; i < fit->keys; i++)
        if (fit->key[i].is_choice)
            combinations *= (size_t)fit->key[i].key->choice_count;
    return combinations;
}

void calibrate_combination(const struct calibrate *fit, size_t index, struct calibrate_point *point)
{
    for (size_t i = 0; i < fit->keys; i++) {
        const struct calibrate_key *key = &fit->key[i];
        point->value[i] = key->start;
        if (!key->is_choice)
            continue;
        point->value[i] = (double)(index % (size_t)key->key->choice_count);
        index /= (size_t)key->key->choice_count;
    }
}

void calibrate_round(const struct calibrate *fit, struct calibrate_point *point, int digits)
{
    char text[64];
    for (size_t i = 0; i < fit->keys; i++)
        if (!fit->key[i].is_choice) {
            (void)snprintf(text, sizeof text, "%.*g", digits, point->value[i]);
            point->value[i] = strtod(text, NULL);
        }
}

void calibrate_write(const struct calibrate *fit, size_t i, const struct calibrate_point *point,
                     char ret[static VALUE_TEXT_MAX])
{
    struct scenario scratch = fit->cell[0].base;
    struct sim_error error;
    void *base = calibrate_base(&fit->key[i], &scratch);
    ret[0] = '\0';
    if (base && calibrate_set(&fit->key[i], base, point->value[i], &error) == 0)
        keys_write(fit->key[i].key, base, ret);
}
