/* tools/faultline/utf8.h -- the text of strangers, one character at a time.
 *
 * Names and values come from files and arguments that hold any bytes. What is printed, stored or compared goes through
 * here.
 *
 * Units: lengths in bytes.
 * Ownership: nothing is kept.
 * Errors: an invalid sequence has length 0.
 */
#ifndef TOOLS_FAULTLINE_UTF8_H
#define TOOLS_FAULTLINE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length of the valid UTF-8 sequence at the start of the zero-terminated `text`, and its character; 0 when there is
 * none (the end, a stray or missing byte, an overlong form, a surrogate, beyond U+10FFFF). */
size_t utf8_next(const char *text, uint32_t *ret_character);

/* Copies `text` into a buffer of `size` bytes, at least 1; what does not fit is cut off. Returns the end of the copy.
 */
char *utf8_copy(size_t size, char ret[], const char *text);

/* True for what moves a cursor, rings a bell or hides in a line: C0, DEL, C1, and the line separators U+2028 and
 * U+2029. */
_Bool utf8_is_control(uint32_t character);

#endif
