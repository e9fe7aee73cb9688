/* tests/fuzz/fuzz.h -- what the fuzz targets share: bytes as numbers, texts and files.
 *
 * A target is one file with one LLVMFuzzerTestOneInput. libFuzzer drives it in a build with -Dfuzz=true; in every other
 * build tests/fuzz/replay.c hands it the files of its corpus. A target asserts more than that nothing crashes: what was
 * read is written and read again, what was run is run again, a model without cleverness agrees.
 *
 * Units: bytes.
 * Ownership: fuzz_text allocates, the caller frees; a file lives until the next one.
 * Errors: FUZZ_ASSERT ends the program, which is a finding.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_ASSERT(condition)                                                                                         \
    ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition), abort()))

/* What is left of an input. */
struct fuzz_bytes {
    const uint8_t *at, *end;
};

/* The next byte; 0 when there is none. */
static inline uint8_t fuzz_byte(struct fuzz_bytes *bytes)
{
    return bytes->at < bytes->end ? *bytes->at++ : 0;
}

/* The next `count` bytes as a number. */
static inline uint64_t fuzz_number(struct fuzz_bytes *bytes, int count)
{
    uint64_t number = 0;
    for (int i = 0; i < count; i++)
        number = number << 8 | fuzz_byte(bytes);
    return number;
}

/* A copy of the bytes as a text, which ends at a zero byte. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_ASSERT(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* The next line as a text, without its line feed. */
static inline char *fuzz_line(struct fuzz_bytes *bytes)
{
    const uint8_t *start = bytes->at;
    while (bytes->at < bytes->end && *bytes->at != '\n')
        bytes->at++;
    char *line = fuzz_text(start, (size_t)(bytes->at - start));
    bytes->at += bytes->at < bytes->end;
    return line;
}

/* Puts the bytes into a file in memory and returns its path. */
static inline const char *fuzz_file(const void *bytes, size_t size)
{
    static int file = -1;
    static char path[64];
    if (file < 0) {
        file = memfd_create("fuzz", MFD_CLOEXEC);
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    bool is_written = ftruncate(file, 0) == 0 && pwrite(file, bytes, size, 0) == (ssize_t)size;
    FUZZ_ASSERT(is_written);
    return path;
}

/* A message must be there, and must not move the cursor of who reads it. */
static inline void fuzz_check_message(const char *text)
{
    FUZZ_ASSERT(text[0] != '\0');
    for (; *text != '\0'; text++)
        FUZZ_ASSERT((unsigned char)*text >= 0x20 && *text != 0x7f);
}

#endif
