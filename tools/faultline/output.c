#include "tools/faultline/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/faultline/command.h"

#define NUMBER_MAX 32

void output_csv(FILE *to, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

void output_json(FILE *to, const char *text)
{
    fputc('"', to);
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte == 0x7f)
            fprintf(to, "\\u%04x", byte);
        else if (byte == '"' || byte == '\\')
            fprintf(to, "\\%c", byte);
        else
            fputc(byte, to);
    }
    fputc('"', to);
}

void output_number(FILE *to, double number, const char *none)
{
    char text[NUMBER_MAX];
    int digits = 15;
    do
        (void)snprintf(text, sizeof text, "%.*g", digits, number);
    while (strtod(text, NULL) != number && ++digits <= 17);
    fputs(isfinite(number) ? text : none, to);
}

size_t output_width(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

void output_padded(FILE *to, const char *text, size_t width)
{
    size_t used = output_width(text);
    fprintf(to, "%s%*s", text, used < width ? (int)(width - used) : 0, "");
}

int output_finish(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return COMMAND_DONE;
    if (errno != EPIPE) /* a reader that has seen enough, as with | head */
        fprintf(stderr, "faultline: standard output: %s\n",
                errno != 0 ? strerror(errno) : "not everything was written");
    return COMMAND_NOT_STORED;
}
