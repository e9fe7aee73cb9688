/* plan_sensitivity.c -- which input moves the answer most. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/command.h"
#include "tools/faultline/paired.h"
#include "tools/faultline/plan.h"

#define STEP 1.1
#define NO_CELL SIZE_MAX

/* A key, and the cells in which it is a little smaller and larger; the point itself where that makes no valid
 * scenario. */
struct probe {
    struct plan_sensitivity result;
    double number;
    double low, high;
    size_t low_cell, high_cell;
};

struct probes {
    struct probe *probe;
    size_t count, capacity;
};

/* How long a run is, is no input. */
static bool is_input(const char *key)
{
    return strcmp(key, "duration") != 0 && strcmp(key, "warmup") != 0 && strcmp(key, "seed") != 0;
}

static void add_probe(void *context, const struct scenario_entry *entry)
{
    struct probes *probes = context;
    struct sim_error ignored;
    struct sim_law law;
    const struct keys_key *key = NULL;
    double number = entry->number;
    SIM_ASSERT(NULL, keys_find(entry->key, &key) == KEYS_KEY);
    if (key->type == KEYS_LAW && value_read_law(entry->text, &law, &ignored) == 0 && law.kind != SIM_LAW_EMPIRICAL)
        number = sim_law_mean(&law);
    if (!(number > 0) || !isfinite(number) || !is_input(entry->key) || (!keys_is_number(key) && key->type != KEYS_LAW))
        return;
    probes->probe = alloc_grown(probes->probe, probes->count, &probes->capacity, sizeof *probes->probe);
    struct probe *probe = &probes->probe[probes->count++];
    *probe = (struct probe){.number = number};
    (void)snprintf(probe->result.key, sizeof probe->result.key, "%s", entry->key);
    (void)snprintf(probe->result.value, sizeof probe->result.value, "%s", entry->text);
}

/* The text of the key with another number, and what that number becomes. */
static int moved_text(const struct probe *probe, double wanted, char ret[static VALUE_TEXT_MAX], double *ret_number)
{
    struct sim_error ignored;
    struct sim_law law;
    const struct keys_key *key = NULL;
    (void)keys_find(probe->result.key, &key);
    if (key->type != KEYS_LAW)
        return keys_write_number(key, wanted, ret, &ignored) != 0 ||
                       keys_read_number(key, ret, ret_number, &ignored) != 0
                   ? -1
                   : 0;
    if (value_read_law(probe->result.value, &law, &ignored) != 0)
        return -1;
    law = sim_law_with_mean(law, wanted);
    if (sim_law_make(law.kind, law.parameter, &law) >= 0)
        return -1;
    value_write_law(&law, ret);
    *ret_number = wanted;
    return 0;
}

static bool is_count(const char *path)
{
    const struct keys_key *key = NULL;
    return keys_find(path, &key) == KEYS_KEY && (key->type == KEYS_COUNT || key->type == KEYS_AMOUNT);
}

/* Adds a cell with the key moved; NO_CELL, and the number as it was, when that is not possible. */
static size_t add_moved(struct plan *plan, const struct probe *probe, const char *answer, double wanted,
                        double *ret_number)
{
    char text[VALUE_TEXT_MAX];
    struct alloc_draft draft;
    *ret_number = probe->number;
    if (is_count(probe->result.key) && fabs(wanted - probe->number) < 1)
        wanted = probe->number + (wanted > probe->number ? 1 : -1);
    double number;
    if (moved_text(probe, wanted, text, &number) != 0)
        return NO_CELL;
    alloc_draft_start(&draft);
    (void)fprintf(draft.to, "%s=%s", probe->result.key, text);
    char *setting = alloc_draft_finish(&draft);
    plan->owned = alloc_grown(plan->owned, plan->owns, &plan->owns_capacity, sizeof *plan->owned);
    plan->owned[plan->owns++] = setting;
    if (plan_add_cell(plan, answer, setting) != 0)
        return NO_CELL;
    *ret_number = number;
    return plan->batch.cells - 1;
}

static void judge(const struct plan *plan, size_t point, struct probe *probe)
{
    size_t centre = plan->point[point].cell;
    const struct batch_cell *cell = plan->batch.cell;
    const struct batch_cell *low = &cell[probe->low_cell == NO_CELL ? centre : probe->low_cell];
    const struct batch_cell *high = &cell[probe->high_cell == NO_CELL ? centre : probe->high_cell];
    struct paired paired = paired_of(low->record, high->record, low->replicas, plan->metric);
    double scale = probe->number / (probe->high - probe->low) / plan_sample(plan, point).mean;
    probe->result.elasticity = paired.difference.mean * scale;
    probe->result.ci95 = paired.difference.ci95 * fabs(scale);
    probe->result.n = paired.n;
}

static int stronger(const void *a, const void *b)
{
    const struct plan_sensitivity *x = a, *y = b;
    double of_x = fabs(x->elasticity), of_y = fabs(y->elasticity);
    return of_x == of_y ? strcmp(x->key, y->key) : (of_x < of_y) - (of_x > of_y);
}

/* The keys of the scenario at the point. */
static struct probes list_probes(const struct plan *plan, size_t point)
{
    const struct batch_cell *cell = &plan->batch.cell[plan->point[point].cell];
    struct probes probes = {0};
    struct scenario *scenario = sim_allocate(1, sizeof *scenario);
    struct sim_error error;
    SIM_ASSERT(NULL, scenario_build(cell->text, cell->setting, cell->settings, scenario, &error) == 0);
    scenario_each(cell->text, cell->setting, cell->settings, scenario, add_probe, &probes);
    free(scenario);
    return probes;
}

int plan_sensitivities(struct plan *plan, size_t point, struct plan_sensitivity **ret, size_t *ret_count)
{
    struct probes probes = list_probes(plan, point);
    const char *answer = plan->batch.cell[plan->point[point].cell].name;
    for (size_t i = 0; i < probes.count; i++) {
        struct probe *probe = &probes.probe[i];
        probe->low_cell = add_moved(plan, probe, answer, probe->number / STEP, &probe->low);
        probe->high_cell = add_moved(plan, probe, answer, probe->number * STEP, &probe->high);
    }
    int status = plan_simulate(plan);
    size_t count = 0;
    *ret = sim_allocate(probes.count, sizeof **ret);
    for (size_t i = 0; i < probes.count && status == COMMAND_DONE; i++) {
        if (!(probes.probe[i].high > probes.probe[i].low))
            continue;
        judge(plan, point, &probes.probe[i]);
        (*ret)[count++] = probes.probe[i].result;
    }
    qsort(*ret, count, sizeof **ret, stronger);
    *ret_count = count;
    free(probes.probe);
    return status;
}
