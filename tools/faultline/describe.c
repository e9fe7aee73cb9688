#include "tools/faultline/describe_internal.h"

const char *const describe_format_name[DESCRIBE_FORMAT_COUNT] = {"man", "bash"};

void describe_start(FILE *to, enum describe_format format, const char *const command[], size_t commands)
{
    if (format == DESCRIBE_MAN)
        describe_man_start(to);
    else
        describe_bash_start(to, command, commands);
}

void describe_command(FILE *to, enum describe_format format, const char *command, const struct argp *argp)
{
    if (format == DESCRIBE_MAN)
        describe_man_command(to, command, argp);
    else
        describe_bash_command(to, command, argp);
}

void describe_end(FILE *to, enum describe_format format)
{
    if (format == DESCRIBE_MAN)
        describe_man_end(to);
    else
        describe_bash_end(to);
}
