#include "tools/faultline/utf8.h"

#include <stdbool.h>
#include <string.h>

/* Bytes of the sequence that starts with `first`; 0 when none does. */
static size_t announced(unsigned char first)
{
    if (first < 0x80)
        return first == 0 ? 0 : 1;
    if (first >= 0xC2 && first < 0xE0)
        return 2;
    if (first >= 0xE0 && first < 0xF0)
        return 3;
    return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

size_t utf8_next(const char *text, uint32_t *ret_character)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)text;
    size_t length = announced(byte[0]);
    if (length == 0)
        return 0;
    uint32_t character = length == 1 ? byte[0] : byte[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((byte[i] & 0xC0) != 0x80)
            return 0;
        character = character << 6 | (byte[i] & 0x3F);
    }
    if (character < smallest[length] || (character >= 0xD800 && character < 0xE000) || character > 0x10FFFF)
        return 0;
    *ret_character = character;
    return length;
}

char *utf8_copy(size_t size, char ret[], const char *text)
{
    size_t length = strnlen(text, size - 1);
    memcpy(ret, text, length);
    ret[length] = '\0';
    return ret + length;
}

bool utf8_is_control(uint32_t character)
{
    return character < 0x20 || (character >= 0x7F && character < 0xA0) || character == 0x2028 || character == 0x2029;
}
