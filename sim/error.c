#include "sim/error.h"

#include <stdarg.h>
#include <stdio.h>

int sim_error_set(struct sim_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return -1;
}
