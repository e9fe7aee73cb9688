#include "tools/faultline/break_even.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/command.h"
#include "tools/faultline/vary.h"

#define SIDES 2
#define TRIES_MAX 40
#define PRECISION 1e-5   /* of the range */
#define SLOPE_REACH 1e-2 /* of the range, to either side */

int break_even_set(struct break_even *even, const char *spec, struct sim_error *error)
{
    struct sim_error why;
    const char *range = strchr(spec, '=');
    if (range == NULL)
        return sim_error_set(error, "--break-even: give a range to search: KEY=LOW..HIGH");
    if ((size_t)(range - spec) >= sizeof even->path)
        return sim_error_set(error, "--break-even: the key is too long");
    (void)snprintf(even->path, sizeof even->path, "%.*s", (int)(range - spec), spec);
    if (keys_find_one(even->path, &even->key, &why) != 0)
        return sim_error_set(error, "--break-even: %.800s", why.text);
    if (!keys_is_number(even->key))
        return sim_error_set(error, "--break-even %s: a %s is no number to search for", even->path,
                             keys_type_name(even->key->type));
    if (vary_bounds(even->key, range + 1, &even->low, &even->high, &even->unit, &why) != 0)
        return sim_error_set(error, "--break-even %s: %.800s", even->path, why.text);
    return 0;
}

static void *keep(struct break_even *even, void *owned)
{
    even->kept = alloc_grown(even->kept, even->kept_count, &even->kept_capacity, sizeof *even->kept);
    return even->kept[even->kept_count++] = owned;
}

void break_even_fini(struct break_even *even)
{
    for (size_t i = 0; i < even->kept_count; i++)
        free(even->kept[i]);
    free(even->kept);
}

/* What the search goes through for one value. */
struct search {
    struct break_even *even;
    struct batch *batch;
    size_t replicas; /* of each side */
    int status;
    struct paired last;     /* of the value tried last */
    double at_low, at_high; /* mean differences at the ends; NAN: not tried */
};

/* A cell like that of a side, with one setting more. */
static int add_cell(const struct search *search, int side, const char *setting)
{
    struct batch_cell cell = {0};
    const struct batch_cell *like = &search->batch->cell[side];
    const char **all = keep(search->even, sim_allocate(like->settings + 1, sizeof *all));
    for (size_t i = 0; i < like->settings; i++)
        all[i] = like->setting[i];
    all[like->settings] = setting;
    cell.text = like->text;
    cell.path = like->path;
    cell.setting = all;
    cell.settings = like->settings + 1;
    cell.name = setting;
    cell.replicas = search->replicas;
    return batch_add(search->batch, &cell);
}

static int try_value(struct search *search, double value)
{
    char setting[KEYS_PATH_MAX + VALUE_TEXT_MAX + 1];
    struct break_even *even = search->even;
    struct batch *batch = search->batch;
    if (keys_write_number(even->key, value, even->value, &batch->error) != 0)
        return COMMAND_BAD_INPUT;
    (void)snprintf(setting, sizeof setting, "%s=%s", even->path, even->value);
    const char *kept = keep(even, alloc_text(setting));
    for (int side = 0; side < SIDES; side++)
        if (add_cell(search, side, kept) != 0) {
            fprintf(stderr, "faultline: %s: --break-even %s: %s\n", side == 0 ? "A" : "B", even->path,
                    batch->error.text);
            return COMMAND_BAD_INPUT;
        }
    int status = batch_look_up(batch);
    if (status == COMMAND_DONE)
        status = batch_simulate(batch);
    const struct batch_cell *cell = &batch->cell[batch->cells - SIDES];
    if (status == COMMAND_DONE)
        search->last = paired_of(cell[0].record, cell[1].record, cell[0].replicas, even->metric);
    return status;
}

/* The mean difference; after a failure 0, which ends the search. The solver asks for the ends once more. */
static double difference(double value, void *context)
{
    struct search *search = context;
    if (value == search->even->low && !isnan(search->at_low))
        return search->at_low;
    if (value == search->even->high && !isnan(search->at_high))
        return search->at_high;
    if (search->status == COMMAND_DONE)
        search->status = try_value(search, value);
    double mean = search->last.difference.mean;
    if (search->status == COMMAND_DONE && isnan(mean)) {
        fprintf(stderr, "faultline: %s is no number of both at %s=%s\n", run_metric_info[search->even->metric].name,
                search->even->path, search->even->value);
        search->status = COMMAND_NO_ANSWER;
    }
    return search->status == COMMAND_DONE ? mean : 0;
}

static int no_crossing(const struct break_even *even, double at_low, double at_high)
{
    fprintf(stderr, "faultline: no break-even: B - A of %s is %.4g at the lower end of %s and %.4g at the upper one\n",
            run_metric_info[even->metric].name, at_low, even->path, at_high);
    return COMMAND_NO_ANSWER;
}

static int solve(struct search *search, gsl_root_fsolver *solver)
{
    double low = search->even->low, high = search->even->high;
    for (int i = 0; i < TRIES_MAX && search->status == COMMAND_DONE; i++) {
        if (gsl_root_fsolver_iterate(solver) != GSL_SUCCESS)
            break;
        double width = gsl_root_fsolver_x_upper(solver) - gsl_root_fsolver_x_lower(solver);
        if (width <= PRECISION * (high - low))
            break;
    }
    return search->status;
}

static double within(const struct break_even *even, double value)
{
    return fmin(fmax(value, even->low), even->high);
}

/* The slope of the difference around a value, over a part of the range, which is at least a unit of what is counted. */
static double slope_at(struct search *search, double value)
{
    const struct break_even *even = search->even;
    double reach = fmax(SLOPE_REACH * (even->high - even->low), even->key->type == KEYS_COUNT ? 1 : 0);
    double below = within(even, value - reach), above = within(even, value + reach);
    double at_below = difference(below, search), at_above = difference(above, search);
    return (at_above - at_below) / (above - below);
}

/* At the root, for its value, its pair and its interval. */
static int look_at(struct search *search, double root)
{
    struct break_even *even = search->even;
    double slope = slope_at(search, root);
    if (search->status == COMMAND_DONE)
        search->status = try_value(search, root);
    even->number = root;
    even->paired = search->last;
    even->ci95 = slope != 0 ? fabs(search->last.difference.ci95 / slope) : NAN;
    even->b_is_less_above = slope < 0;
    return search->status;
}

int break_even_find(struct break_even *even, struct batch *batch)
{
    struct search search = {.even = even, .batch = batch, .at_low = NAN, .at_high = NAN};
    gsl_function function = {difference, &search};
    search.replicas = batch->cell[0].replicas;
    for (int side = 0; side < SIDES; side++)
        batch->cell[side].replicas = 0; /* as they are they are not asked for */
    double at_low = difference(even->low, &search), at_high = difference(even->high, &search);
    search.at_low = at_low;
    search.at_high = at_high;
    if (search.status != COMMAND_DONE)
        return search.status;
    if (at_low * at_high > 0 || at_low == at_high)
        return no_crossing(even, at_low, at_high);
    gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    sim_require(solver);
    SIM_ASSERT(NULL, gsl_root_fsolver_set(solver, &function, even->low, even->high) == GSL_SUCCESS);
    int status = solve(&search, solver);
    double root = gsl_root_fsolver_root(solver);
    gsl_root_fsolver_free(solver);
    return status == COMMAND_DONE ? look_at(&search, root) : status;
}
