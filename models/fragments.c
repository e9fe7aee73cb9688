#include "models/fragments.h"

#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"

#define WIDTH 3072.0
#define VOCABULARY 151936.0
#define LAYERS 40
#define TENSORS_PER_LAYER 8

static int largest_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The built-in shape: its tensors, in no order. */
static int fill_transformer(double tensor[])
{
    static const double layer[TENSORS_PER_LAYER] = {
        WIDTH * WIDTH, WIDTH * WIDTH, WIDTH * WIDTH, WIDTH * WIDTH, 4 * WIDTH * WIDTH, 4 * WIDTH * WIDTH, WIDTH, WIDTH,
    };
    int count = 0;
    tensor[count++] = VOCABULARY * WIDTH;
    for (int i = 0; i < LAYERS; i++)
        for (int k = 0; k < TENSORS_PER_LAYER; k++)
            tensor[count++] = layer[k];
    return count;
}

static void deal(const double tensor[], int count, double scale, double *fragment, int64_t fragments)
{
    for (int i = 0; i < count; i++) {
        int64_t smallest = 0;
        for (int64_t p = 1; p < fragments; p++)
            if (fragment[p] < fragment[smallest])
                smallest = p;
        fragment[smallest] += tensor[i] * scale;
    }
}

double *fragments_create(const struct config *config)
{
    double *fragment = sim_allocate((size_t)config->fragments, sizeof *fragment);
    if (!(config->parameters > 0))
        return fragment;
    double *tensor = sim_allocate(CONFIG_TENSORS_MAX, sizeof *tensor), sum = 0;
    int count = config->tensor_count;
    if (count > 0)
        memcpy(tensor, config->tensor, (size_t)count * sizeof *tensor);
    else
        count = fill_transformer(tensor);
    qsort(tensor, (size_t)count, sizeof *tensor, largest_first);
    for (int i = 0; i < count; i++)
        sum += tensor[i];
    deal(tensor, count, config->parameters / sum, fragment, config->fragments);
    free(tensor);
    return fragment;
}

int64_t fragments_due(const struct config *config, int64_t round)
{
    int64_t cycle = config->sync_every, fragments = config->fragments, turn = round % cycle;
    if (fragments == cycle)
        return turn;
    int64_t fragment = (turn * fragments + cycle - 1) / cycle;
    return fragment < fragments && fragment * cycle / fragments == turn ? fragment : -1;
}

int64_t fragments_rounds_until_due(const struct config *config, int64_t round)
{
    int64_t cycle = config->sync_every, fragments = config->fragments;
    if (fragments == cycle)
        return 0;
    int64_t turn = round % cycle;
    int64_t next = (turn * fragments + cycle - 1) / cycle; /* the first fragment whose turn is not over */
    return (next < fragments ? next * cycle / fragments : cycle) - turn;
}
