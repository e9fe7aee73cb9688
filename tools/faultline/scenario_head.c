#include <stdbool.h>
#include <string.h>

#include "tools/faultline/alloc.h"
#include "tools/faultline/scenario_internal.h"

enum { HEAD_MAX = 2000 }; /* bytes of it that are kept */

/* The length of the line at `at`, without what ends it. */
static size_t line_length(const char *bytes, size_t size, size_t at)
{
    size_t length = 0;
    while (at + length < size && bytes[at + length] != '\n' && bytes[at + length] != '\r')
        length++;
    return length;
}

/* Behind the line breaks at `at`; behind one of them only, unless all are wanted. */
static size_t skip_break(const char *bytes, size_t size, size_t at, bool all)
{
    do {
        at += at + 1 < size && bytes[at] == '\r' && bytes[at + 1] == '\n' ? 2 : 1;
    } while (all && at < size && (bytes[at] == '\n' || bytes[at] == '\r'));
    return at;
}

/* The text of a line of comment behind its mark and one blank. */
static void write_line(FILE *to, const char *line, size_t length)
{
    size_t mark = length > 1 && line[1] == ' ' ? 2 : 1;
    (void)fwrite(line + mark, 1, length - mark, to);
}

char *scenario_head(const char *bytes, size_t size)
{
    struct alloc_draft draft;
    size_t at = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    bool is_first = true;
    alloc_draft_start(&draft);
    if (at < size && (bytes[at] == '\n' || bytes[at] == '\r'))
        at = skip_break(bytes, size, at, true);
    while (at < size && bytes[at] == '#') {
        size_t length = line_length(bytes, size, at);
        if (at + length > HEAD_MAX)
            break;
        (void)fputs(is_first ? "" : "\n", draft.to);
        write_line(draft.to, bytes + at, length);
        is_first = false;
        at = skip_break(bytes, size, at + length, false);
    }
    return alloc_draft_finish(&draft);
}

const char *scenario_question(const struct scenario_text *text)
{
    return text->question;
}
