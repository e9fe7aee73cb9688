#include "tools/faultline/plan.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/command.h"
#include "tools/faultline/vary.h"

#define FREEDOM 20.0     /* a key without a range moves by this factor either way */
#define SHRINKINGS 40    /* steps back from an end that makes no valid scenario */
#define GRID 9           /* values of the first look */
#define DIGITS 3         /* of continuous values */
#define LEAST_SHARE 1e-4 /* a range from 0: above it the values start at this share of HIGH */

void plan_init(struct plan *plan, struct options *options)
{
    *plan = (struct plan){.options = options, .confidence = 0.95};
    batch_init(&plan->batch, options, "run"); /* a value is repeated as a run of its own */
}

void plan_fini(struct plan *plan)
{
    batch_fini(&plan->batch);
    for (size_t i = 0; i < plan->owns; i++)
        free(plan->owned[i]);
    free(plan->owned);
    free(plan->point);
    free(plan->value);
}

static void *keep(struct plan *plan, void *owned)
{
    plan->owned = alloc_grown(plan->owned, plan->owns, &plan->owns_capacity, sizeof *plan->owned);
    plan->owned[plan->owns++] = owned;
    return owned;
}

/* ------------------------------------------------------------------ values */

static bool is_whole(const struct plan *plan)
{
    return plan->key->type == KEYS_COUNT || plan->key->type == KEYS_AMOUNT;
}

static double value_of(const struct plan *plan, size_t index)
{
    return plan->value != NULL ? plan->value[index] : plan->low + (double)index;
}

static void push(struct plan *plan, size_t *capacity, double value)
{
    plan->value = alloc_grown(plan->value, plan->values, capacity, sizeof *plan->value);
    plan->value[plan->values++] = value;
}

/* The two ends, and between them all numbers of three digits in the unit. */
static void list_values(struct plan *plan, double low, double high, double unit)
{
    size_t capacity = 0;
    double least = low > 0 ? low : high * LEAST_SHARE;
    push(plan, &capacity, low);
    int first = (int)floor(log10(least / unit)), last = (int)floor(log10(high / unit));
    for (int power = first; power <= last; power++)
        for (int digits = 100; digits < 1000; digits++) {
            double value = digits * pow(10, power - DIGITS + 1) * unit;
            if (value > low * (1 + 1e-9) && value >= least && value < high * (1 - 1e-9))
                push(plan, &capacity, value);
        }
    push(plan, &capacity, high);
}

static void set_range(struct plan *plan, double low, double high, double unit)
{
    if (!is_whole(plan)) {
        list_values(plan, low, high, unit);
        return;
    }
    plan->low = low;
    plan->values = (size_t)(high - low) + 1;
}

/* "KEY=VALUE"; -1 when the key does not take it. */
static int setting_of(const struct plan *plan, double value, char **ret, struct sim_error *error)
{
    char text[VALUE_TEXT_MAX];
    struct alloc_draft draft;
    if (keys_write_number(plan->key, value, text, error) != 0)
        return -1;
    alloc_draft_start(&draft);
    (void)fprintf(draft.to, "%s=%s", plan->key_path, text);
    *ret = alloc_draft_finish(&draft);
    return 0;
}

/* ------------------------------------------------------------------ the key */

/* The settings of the command line and those of a cell; the caller frees the list. */
static const char **settings_with(const struct plan *plan, const char *first, const char *second, size_t *ret_count)
{
    size_t count = plan->options->settings;
    const char **setting = sim_allocate(count + 2, sizeof *setting);
    for (size_t i = 0; i < count; i++)
        setting[i] = plan->options->setting[i];
    if (first != NULL)
        setting[count++] = first;
    if (second != NULL)
        setting[count++] = second;
    *ret_count = count;
    return setting;
}

static bool is_valid(const struct plan *plan, double value)
{
    struct sim_error ignored;
    struct scenario scenario;
    char *setting = NULL;
    size_t count;
    if (setting_of(plan, value, &setting, &ignored) != 0)
        return false;
    const char **all = settings_with(plan, setting, NULL, &count);
    bool valid = scenario_build(plan->text, all, count, &scenario, &ignored) == 0;
    free(all);
    free(setting);
    return valid;
}

/* What a key is in a scenario, and the unit it is written in. */
struct found {
    const char *path;
    double number, unit;
};

static void find_number(void *context, const struct scenario_entry *entry)
{
    struct found *found = context;
    if (strcmp(entry->key, found->path) != 0)
        return;
    found->number = entry->number;
    found->unit = entry->number / strtod(entry->text, NULL);
}

static int find_present(const struct plan *plan, struct found *ret, struct sim_error *error)
{
    struct scenario scenario;
    *ret = (struct found){.path = plan->key_path};
    const struct options *options = plan->options;
    if (scenario_build(plan->text, options->setting, options->settings, &scenario, error) != 0)
        return -1;
    scenario_each(plan->text, options->setting, options->settings, &scenario, find_number, ret);
    if (!(ret->number > 0))
        return sim_error_set(error,
                             "--solve %s: the scenario has no value above 0 to start from; give a range: %s=LOW..HIGH",
                             plan->key_path, plan->key_path);
    return 0;
}

/* The end of the range, or the first value on the way back to the present one that makes a valid scenario. */
static double valid_end(const struct plan *plan, double present, double end)
{
    for (int i = 0; i < SHRINKINGS; i++) {
        double tried = end * pow(present / end, (double)i / SHRINKINGS);
        double value = is_whole(plan) ? round(tried) : tried;
        if (is_valid(plan, value))
            return value;
    }
    return present;
}

static int choose_range(struct plan *plan, const char *range, struct sim_error *error)
{
    struct sim_error why;
    struct found present;
    double low, high, unit;
    if (range != NULL) {
        if (vary_bounds(plan->key, range, &low, &high, &unit, &why) != 0)
            return sim_error_set(error, "--solve %s: %.800s", plan->key_path, why.text);
        set_range(plan, low, high, unit);
        return 0;
    }
    if (find_present(plan, &present, error) != 0)
        return -1;
    low = valid_end(plan, present.number, present.number / FREEDOM);
    high = valid_end(plan, present.number, present.number * FREEDOM);
    set_range(plan, low, high, present.unit);
    return 0;
}

int plan_set_key(struct plan *plan, const char *spec)
{
    struct sim_error *error = &plan->batch.error, why;
    char *path = keep(plan, alloc_text(spec));
    char *range = strchr(path, '=');
    if (range != NULL)
        *range++ = '\0';
    if (keys_find_one(path, &plan->key, &why) != 0)
        return sim_error_set(error, "--solve %.800s", why.text);
    if (!keys_is_number(plan->key))
        return sim_error_set(error, "--solve %s: a %s is no number to search for", path,
                             keys_type_name(plan->key->type));
    (void)snprintf(plan->key_path, sizeof plan->key_path, "%s", path);
    return choose_range(plan, range, error);
}

/* ------------------------------------------------------------------ trying values */

int plan_add_cell(struct plan *plan, const char *first, const char *second)
{
    size_t count;
    const char **setting = settings_with(plan, first, second, &count);
    (void)keep(plan, setting);
    const struct batch_cell cell = {
        .text = plan->text,
        .path = plan->path,
        .setting = setting,
        .settings = count,
        .name = second != NULL ? second : first,
        .replicas = (size_t)plan->options->replicas,
    };
    return batch_add(&plan->batch, &cell);
}

int plan_simulate(struct plan *plan)
{
    int status = batch_look_up(&plan->batch);
    if (status == COMMAND_DONE)
        status = batch_simulate(&plan->batch);
    return status == COMMAND_DONE && batch_has_timeout(&plan->batch) ? COMMAND_NO_ANSWER : status;
}

/* Where the point of a value is, or would be. */
static size_t place_of(const struct plan *plan, size_t index)
{
    size_t place = 0;
    while (place < plan->points && plan->point[place].index < index)
        place++;
    return place;
}

/* Adds the value to those to be tried, unless it is there. */
static int add_point(struct plan *plan, size_t index)
{
    size_t place = place_of(plan, index);
    char *setting = NULL;
    if (place < plan->points && plan->point[place].index == index)
        return COMMAND_DONE;
    if (setting_of(plan, value_of(plan, index), &setting, &plan->batch.error) != 0 ||
        plan_add_cell(plan, keep(plan, setting), NULL) != 0) {
        fprintf(stderr, "faultline: --solve %s: %s\n", plan->key_path, plan->batch.error.text);
        return COMMAND_BAD_INPUT;
    }
    plan->point = alloc_grown(plan->point, plan->points, &plan->points_capacity, sizeof *plan->point);
    memmove(&plan->point[place + 1], &plan->point[place], (plan->points - place) * sizeof *plan->point);
    plan->point[place] = (struct plan_point){.index = index, .cell = plan->batch.cells - 1};
    plan->points++;
    return COMMAND_DONE;
}

static int try_grid(struct plan *plan)
{
    int status = COMMAND_DONE;
    for (size_t i = 0; i < GRID && status == COMMAND_DONE; i++) {
        double share = (double)i / (GRID - 1);
        status = add_point(plan, (size_t)llround(share * (double)(plan->values - 1)));
    }
    if (status == COMMAND_DONE)
        status = batch_open_store(&plan->batch);
    return status == COMMAND_DONE ? plan_simulate(plan) : status;
}

struct summary_sample plan_sample(const struct plan *plan, size_t point)
{
    const struct batch_cell *cell = &plan->batch.cell[plan->point[point].cell];
    return metric_sample(cell->record, cell->replicas, plan->metric);
}

const char *plan_value(const struct plan *plan, size_t point)
{
    return strchr(plan->batch.cell[plan->point[point].cell].name, '=') + 1;
}

bool plan_is_better(const struct plan *plan, double a, double b)
{
    bool wants_more = plan->goal == PLAN_AT_LEAST || plan->goal == PLAN_MAXIMIZE;
    return isnan(b) ? !isnan(a) : wants_more ? a > b : a < b;
}

static size_t best_point(const struct plan *plan)
{
    size_t best = 0;
    for (size_t i = 1; i < plan->points; i++)
        if (plan_is_better(plan, plan_sample(plan, i).mean, plan_sample(plan, best).mean))
            best = i;
    return best;
}

/* ------------------------------------------------------------------ a target */

static bool meets(const struct plan *plan, size_t point)
{
    struct summary_sample sample = plan_sample(plan, point);
    if (sample.n < (size_t)plan->options->replicas) /* some made no progress */
        return false;
    double margin = gsl_cdf_tdist_Pinv(plan->confidence, (double)sample.n - 1) * sample.sd / sqrt((double)sample.n);
    if (sample.sd == 0)
        margin = sample.ci95; /* of an uptime of 1 the bound */
    return plan->goal == PLAN_AT_LEAST ? sample.mean - margin >= plan->target : sample.mean + margin <= plan->target;
}

/* The first point that meets the target, seen from below or above; points when none does. */
static size_t first_met(const struct plan *plan, bool from_above)
{
    for (size_t i = 0; i < plan->points; i++) {
        size_t point = from_above ? plan->points - 1 - i : i;
        if (meets(plan, point))
            return point;
    }
    return plan->points;
}

static void note_other_values(const struct plan *plan)
{
    size_t changes = 0;
    for (size_t i = 1; i < plan->points; i++)
        changes += meets(plan, i) != meets(plan, i - 1);
    if (changes > 1 && !plan->options->is_quiet)
        fprintf(stderr,
                "faultline: note: the target begins and ceases to hold %zu times over the range; the outermost "
                "value was searched for\n",
                changes);
}

/* The value half way between the point and its neighbour on the side where the target does not hold; false when there
 * is none between them. */
static bool find_middle(const struct plan *plan, size_t at, bool from_above, size_t *ret_index)
{
    if (at == (from_above ? plan->points - 1 : 0))
        return false;
    size_t here = plan->point[at].index, there = plan->point[from_above ? at + 1 : at - 1].index;
    size_t low = here < there ? here : there, high = here < there ? there : here;
    *ret_index = low + (high - low) / 2;
    return high - low > 1;
}

static int solve(struct plan *plan, size_t *ret_point)
{
    bool from_above =
        plan->side == PLAN_LARGEST || (plan->side == PLAN_EITHER && meets(plan, 0) && !meets(plan, plan->points - 1));
    size_t middle;
    int status = COMMAND_DONE;
    note_other_values(plan);
    *ret_point = first_met(plan, from_above);
    if (*ret_point == plan->points) {
        *ret_point = best_point(plan);
        return COMMAND_NO_ANSWER;
    }
    while (status == COMMAND_DONE && find_middle(plan, *ret_point, from_above, &middle)) {
        status = add_point(plan, middle);
        if (status == COMMAND_DONE)
            status = plan_simulate(plan);
        if (status == COMMAND_DONE)
            *ret_point = first_met(plan, from_above);
    }
    return status;
}

/* ------------------------------------------------------------------ the best value */

/* Adds the middle between two neighbouring points; false when nothing is between them, or no difference. */
static bool add_middle(struct plan *plan, size_t left, size_t right, int *ret_status)
{
    size_t from = plan->point[left].index, to = plan->point[right].index;
    double difference = plan_sample(plan, left).mean - plan_sample(plan, right).mean;
    if (to - from < 2 || difference == 0)
        return false;
    *ret_status = add_point(plan, from + (to - from) / 2);
    return true;
}

static int optimise(struct plan *plan, size_t *ret_point)
{
    for (;;) {
        int status = COMMAND_DONE;
        size_t best = *ret_point = best_point(plan);
        bool is_new = best + 1 < plan->points && add_middle(plan, best, best + 1, &status);
        if (status == COMMAND_DONE && best > 0)
            is_new = add_middle(plan, best - 1, best, &status) || is_new;
        if (!is_new)
            return isnan(plan_sample(plan, best).mean) ? COMMAND_NO_ANSWER : COMMAND_DONE;
        if (status == COMMAND_DONE)
            status = plan_simulate(plan);
        if (status != COMMAND_DONE)
            return status;
    }
}

int plan_search(struct plan *plan, size_t *ret_point)
{
    int status = try_grid(plan);
    if (status != COMMAND_DONE)
        return status;
    bool has_target = plan->goal == PLAN_AT_LEAST || plan->goal == PLAN_AT_MOST;
    return has_target ? solve(plan, ret_point) : optimise(plan, ret_point);
}
