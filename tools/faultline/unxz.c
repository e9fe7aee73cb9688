#include "tools/faultline/unxz.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"

#define MEMORY_MAX (UINT64_C(256) << 20) /* of the decoder: the dictionary of the largest preset is 64 MiB */

bool unxz_is_xz(const char *bytes, size_t size)
{
    static const char magic[] = {'\xFD', '7', 'z', 'X', 'Z', '\0'};
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

/* Room for more behind what is there already. */
static void grow(lzma_stream *stream, char **text, size_t *capacity)
{
    size_t used = stream->total_out;
    *capacity = *capacity > 0 ? *capacity * 2 : 65536;
    *text = sim_reallocate(*text, *capacity, 1);
    stream->next_out = (uint8_t *)*text + used;
    stream->avail_out = *capacity - used - 1;
}

static const char *why(lzma_ret code)
{
    return code == LZMA_MEMLIMIT_ERROR ? "its dictionary is too large" : "the .xz data is cut off or damaged";
}

int unxz(const char *bytes, size_t size, size_t size_max, char **ret, size_t *ret_size, struct sim_error *error)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    lzma_ret code = lzma_stream_decoder(&stream, MEMORY_MAX, LZMA_CONCATENATED);
    char *text = NULL;
    size_t capacity = 0;
    SIM_ASSERT(NULL, code == LZMA_OK);
    stream.next_in = (const uint8_t *)bytes;
    stream.avail_in = size;
    grow(&stream, &text, &capacity);
    while (code == LZMA_OK && stream.total_out <= size_max) {
        code = lzma_code(&stream, LZMA_FINISH);
        if (stream.avail_out == 0)
            grow(&stream, &text, &capacity);
    }
    size_t total = stream.total_out;
    lzma_end(&stream);
    if (code == LZMA_STREAM_END && total <= size_max) {
        text[total] = '\0';
        *ret = text;
        *ret_size = total;
        return 0;
    }
    free(text);
    if (total > size_max)
        return sim_error_set(error, "more than %zu MiB unpacked", size_max >> 20);
    return sim_error_set(error, "%s", why(code));
}
