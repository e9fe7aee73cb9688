#include "tools/faultline/alloc.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/command.h"

void *alloc_grown(void *block, size_t used, size_t *capacity, size_t size)
{
    if (used < *capacity)
        return block;
    *capacity += *capacity / 2 + 16;
    return sim_reallocate(block, *capacity, size);
}

char *alloc_text(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(sim_allocate(size, 1), text, size);
}

void alloc_require(bool is_there)
{
    if (is_there)
        return;
    (void)fputs("faultline: out of memory\n", stderr);
    _Exit(COMMAND_INVARIANT);
}

void alloc_draft_start(struct alloc_draft *draft)
{
    draft->to = open_memstream(&draft->text, &draft->size);
    alloc_require(draft->to != NULL);
}

char *alloc_draft_finish(struct alloc_draft *draft)
{
    bool is_whole = ferror(draft->to) == 0;
    is_whole = fclose(draft->to) == 0 && is_whole;
    alloc_require(is_whole && draft->text != NULL); /* glibc does not say when the text could not be kept */
    return draft->text;
}

char *alloc_printf(const char *format, ...)
{
    struct alloc_draft draft;
    va_list values;
    alloc_draft_start(&draft);
    va_start(values, format);
    (void)vfprintf(draft.to, format, values);
    va_end(values);
    return alloc_draft_finish(&draft);
}
