#include "sim/calls.h"

#include <stdlib.h>

#include "sim/assert.h"

#define NONE UINT32_MAX
#define RECENT (1U << SIM_CALLS_RECENT_BITS)
#define GOLDEN 0x9e3779b97f4a7c15U /* 2^64 over the golden ratio: multiples of it spread evenly (Knuth, 6.4) */

/* The first call is of nobody: it stands in all places of `recent` that have not been used yet. */
void sim_calls_init(struct sim_calls *calls)
{
    *calls = (struct sim_calls){.count = 1, .capacity = 16, .free = NONE};
    calls->call = sim_allocate(calls->capacity, sizeof *calls->call);
    calls->call[0].owners = RECENT;
}

void sim_calls_fini(struct sim_calls *calls)
{
    free(calls->call);
    *calls = (struct sim_calls){0};
}

static uint32_t add(struct sim_calls *calls, sim_handler *handler, void *context)
{
    uint32_t number = calls->free;
    if (number != NONE) {
        calls->free = calls->call[number].next_free;
    } else {
        if (calls->count == calls->capacity)
            calls->call = sim_reallocate(calls->call, calls->capacity *= 2, sizeof *calls->call);
        number = calls->count++;
    }
    calls->call[number] = (struct sim_call){.handler = handler, .context = context, .owners = 1};
    return number;
}

uint32_t sim_calls_take(struct sim_calls *calls, sim_handler *handler, void *context)
{
    uint64_t key = (uint64_t)(uintptr_t)handler + (uint64_t)(uintptr_t)context;
    uint32_t *recent = &calls->recent[key * GOLDEN >> (64 - SIM_CALLS_RECENT_BITS)], number = *recent;
    if (calls->call[number].handler != handler || calls->call[number].context != context) {
        sim_calls_release(calls, number);
        *recent = number = add(calls, handler, context);
    }
    calls->call[number].owners++;
    return number;
}

void sim_calls_release(struct sim_calls *calls, uint32_t number)
{
    struct sim_call *call = &calls->call[number];
    if (--call->owners > 0)
        return;
    call->next_free = calls->free;
    calls->free = number;
}
