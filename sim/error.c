#include "sim/error.h"

#include <stdarg.h>
#include <stdio.h>

/* What a stranger's text may hold stays on its line and does not move a cursor. */
static void tame(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
}

int sim_error_set(struct sim_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    tame(error->text);
    return -1;
}
