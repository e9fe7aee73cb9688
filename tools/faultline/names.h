/* tools/faultline/names.h -- names in a text: one, or a list of them.
 *
 * A text that begins with [ is a list such as [Hardware, "Human Error"]; any other is one name, as it stands. A word of
 * a list is bare or in double quotes, in which a backslash takes the next byte as it is; conditions on the columns of a
 * log (tools/faultline/faillog.h) are made of the same words.
 *
 * Units: none.
 * Ownership: values; nothing is allocated for the caller.
 * Errors: -1 with a text that quotes what was read; outputs are untouched.
 */
#ifndef TOOLS_FAULTLINE_NAMES_H
#define TOOLS_FAULTLINE_NAMES_H

#include <stdbool.h>
#include <stdio.h>

#include "models/config.h"
#include "sim/error.h"
#include "tools/faultline/alloc.h"

#define NAMES_MAX 32

struct names {
    bool is_list;
    int count; /* at least 1 once read */
    char name[NAMES_MAX][CONFIG_TEXT_MAX];
};

int names_read(const char *text, struct names *ret, struct sim_error *error);

/* Checks a text and writes its canonical form; `ret` may be the text. */
int names_check(const char *text, char ret[static CONFIG_TEXT_MAX], struct sim_error *error);

/* A word up to one of `ends`. Returns what follows it, NULL when there is no word or it is too long. */
const char *names_read_word(const char *at, const char *ends, char ret[static CONFIG_TEXT_MAX]);

/* A word in double quotes. */
void names_write_word(FILE *to, const char *word);

/* Ends the draft of a canonical text and writes it to `ret` if it fits; messages call it `what`. */
int names_keep(struct alloc_draft *draft, const char *what, char ret[static CONFIG_TEXT_MAX], struct sim_error *error);

#endif
