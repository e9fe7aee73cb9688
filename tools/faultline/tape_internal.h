/* tools/faultline/tape_internal.h -- what writing and reading a tape share. Everyone else uses tools/faultline/tape.h.
 *
 * Units: bytes.
 * Ownership: nothing is kept.
 * Errors: none.
 */
#ifndef TOOLS_FAULTLINE_TAPE_INTERNAL_H
#define TOOLS_FAULTLINE_TAPE_INTERNAL_H

#include "tools/faultline/tape.h"

#define TAPE_HASH_START UINT64_C(0xcbf29ce484222325)

/* 64-bit FNV-1a, going on from `hash`. */
static inline uint64_t tape_hash(uint64_t hash, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
