#include "models/scope.h"

#include <math.h>
#include <string.h>

#include "sim/assert.h"

/* Cut at the rounded sums of the shares, as a pace lays them over the fleet (models/pace.h). */
int64_t scope_class_first(const struct config *config, int class)
{
    double end = 0;
    if (class == config->class_count)
        return config->chips;
    for (int i = 0; i < class; i++)
        end += config->class[i].share;
    return (int64_t)round(end * (double)config->chips);
}

int scope_class_find(const struct config *config, const char *name)
{
    for (int i = 0; i < config->class_count; i++)
        if (strcmp(config->class[i].name, name) == 0)
            return i;
    return -1;
}

/* Adds what `from` to `end` has in common with the block of chips. */
static void add(struct scope *scope, struct scope_range block, int64_t from, int64_t end)
{
    int64_t first = block.first > from ? block.first : from;
    int64_t last = block.first + block.chips < end ? block.first + block.chips : end;
    if (first >= last)
        return;
    scope->range[scope->count++] = (struct scope_range){first, last - first, scope->chips};
    scope->chips += last - first;
}

void scope_init(struct scope *scope, const struct config *config, const struct fleet *fleet,
                const struct config_source *source)
{
    int class = scope_class_find(config, source->only_class);
    int64_t from = class < 0 ? 0 : scope_class_first(config, class);
    int64_t end = class < 0 ? config->chips : scope_class_first(config, class + 1);
    scope->count = 0;
    scope->chips = 0;
    if (source->learner_count == 0)
        add(scope, (struct scope_range){0, config->chips, 0}, from, end);
    for (int i = 0; i < source->learner_count; i++) {
        int64_t learner = source->learner[i], first = fleet_first_chip(fleet, fleet_first_slice(fleet, learner));
        add(scope, (struct scope_range){first, fleet_learner_chips(fleet, learner), 0}, from, end);
    }
}

/* The last range that begins at or before a number: of the scope (`by_rank`), or of the fleet. */
static const struct scope_range *find(const struct scope *scope, int64_t number, bool by_rank)
{
    int low = 0, high = scope->count - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        const struct scope_range *range = &scope->range[middle];
        if ((by_rank ? range->before : range->first) <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return &scope->range[low];
}

int64_t scope_chip(const struct scope *scope, int64_t i)
{
    SIM_ASSERT(NULL, i >= 0 && i < scope->chips);
    const struct scope_range *range = find(scope, i, true);
    return range->first + (i - range->before);
}

int64_t scope_within(const struct scope *scope, int64_t first, int64_t chips)
{
    if (scope->chips == 0)
        return 0;
    const struct scope_range *range = find(scope, first + chips - 1, false);
    int64_t from = range->first > first ? range->first : first;
    int64_t range_end = range->first + range->chips, end = range_end < first + chips ? range_end : first + chips;
    return end > from ? end - from : 0;
}
