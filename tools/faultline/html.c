#include "tools/faultline/html.h"

#include <stdint.h>

#include "tools/faultline/utf8.h"

#define REPLACEMENT "\xEF\xBF\xBD"

static const char *escape(char character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void html_text(FILE *to, const char *text)
{
    while (*text != '\0') {
        uint32_t character = 0;
        size_t length = utf8_next(text, &character);
        const char *mark = escape(*text);
        if (mark != NULL)
            (void)fputs(mark, to);
        else if (length == 0 || (utf8_is_control(character) && *text != '\n' && *text != '\t'))
            (void)fputs(REPLACEMENT, to);
        else
            (void)fwrite(text, 1, length, to);
        text += length == 0 ? 1 : length;
    }
}
