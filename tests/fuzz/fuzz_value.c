/* Values as people write them: the first byte says of which type, the rest is the text. What is read is written, and
 * what is written reads back to the same. A law that is read is a law: its quantiles ascend, its shares lie between 0
 * and 1. */
#include <math.h>

#include "tests/fuzz/fuzz.h"
#include "tools/faultline/faillog.h"
#include "tools/faultline/names.h"
#include "tools/faultline/value.h"

static struct sim_error error;

/* Reads `text`, writes what it is and reads that: an int64_t or a double. */
#define ROUND_TRIP(type, name)                                                                                         \
    static int try_##name(const char *text)                                                                            \
    {                                                                                                                  \
        type first = 0, second = 0;                                                                                    \
        char written[VALUE_TEXT_MAX];                                                                                  \
        if (value_read_##name(text, &first, &error) != 0)                                                              \
            return -1;                                                                                                 \
        value_write_##name(first, written);                                                                            \
        FUZZ_ASSERT(value_read_##name(written, &second, &error) == 0);                                                 \
        FUZZ_ASSERT(memcmp(&first, &second, sizeof first) == 0);                                                       \
        return 0;                                                                                                      \
    }

ROUND_TRIP(sim_time, time)
ROUND_TRIP(double, seconds)
ROUND_TRIP(int64_t, count)
ROUND_TRIP(uint64_t, seed)
ROUND_TRIP(double, fraction)
ROUND_TRIP(double, real)
ROUND_TRIP(double, rate)
ROUND_TRIP(double, frequency)

static void check_law(const struct sim_law *law)
{
    double before = 0;
    FUZZ_ASSERT(sim_law_mean(law) >= 0);
    for (int i = 1; i < 16; i++) {
        double x = sim_law_quantile(law, i / 16.0), share = sim_law_cdf(law, x);
        FUZZ_ASSERT(x >= before && share >= 0 && share <= 1);
        before = x;
    }
    for (double hazard = 0; hazard <= SIM_LAW_HAZARD_MAX; hazard += SIM_LAW_HAZARD_MAX / 4)
        FUZZ_ASSERT(sim_law_at_hazard(law, hazard) >= 0);
}

/* The canonical text of a law, or of a sample; the caller frees it. */
static char *text_of(const struct sim_law *law, void (*write)(const struct sim_law *, char[static VALUE_TEXT_MAX]))
{
    char written[VALUE_TEXT_MAX];
    if (law->kind == SIM_LAW_EMPIRICAL)
        return value_sample_text(law->sample);
    write(law, written);
    return strdup(written);
}

static int try_law_by(const char *text, int (*read)(const char *, struct sim_law *, struct sim_error *),
                      void (*write)(const struct sim_law *, char[static VALUE_TEXT_MAX]))
{
    struct sim_law first, second;
    if (read(text, &first, &error) != 0)
        return -1;
    check_law(&first);
    char *written = text_of(&first, write);
    FUZZ_ASSERT(read(written, &second, &error) == 0);
    char *again = text_of(&second, write);
    FUZZ_ASSERT(strcmp(written, again) == 0);
    free(written);
    free(again);
    return 0;
}

static int try_law(const char *text)
{
    return try_law_by(text, value_read_law, value_write_law);
}

static int try_factor(const char *text)
{
    return try_law_by(text, value_read_factor, value_write_factor);
}

static int try_list_of(const char *text, bool is_set)
{
    const struct value_list list = {.max = 64, .low = 0, .high = 1000, .is_set = is_set};
    int64_t first[64], second[64];
    int count = 0, again = 0;
    if (value_read_list(text, &list, first, &count, &error) != 0)
        return -1;
    FUZZ_ASSERT(count >= 1 && count <= list.max);
    for (int i = 0; i < count; i++)
        FUZZ_ASSERT(first[i] >= list.low && first[i] <= list.high && (!is_set || i == 0 || first[i] > first[i - 1]));
    char *written = value_list_text(first, count);
    FUZZ_ASSERT(value_read_list(written, &list, second, &again, &error) == 0 && again == count);
    FUZZ_ASSERT(memcmp(first, second, (size_t)count * sizeof *first) == 0);
    free(written);
    return 0;
}

static int try_list(const char *text)
{
    return try_list_of(text, false);
}

static int try_set(const char *text)
{
    return try_list_of(text, true);
}

/* Conditions, or a list of names. */
static int try_where(const char *text)
{
    char first[CONFIG_TEXT_MAX], second[CONFIG_TEXT_MAX];
    int (*check)(const char *text, char ret[static CONFIG_TEXT_MAX], struct sim_error *error) =
        text[0] == '[' ? names_check : faillog_check_where;
    if (check(text, first, &error) != 0)
        return -1;
    FUZZ_ASSERT(check(first, second, &error) == 0);
    FUZZ_ASSERT(strcmp(first, second) == 0);
    return 0;
}

static int try_quote(const char *text)
{
    char quoted[VALUE_QUOTE_MAX];
    fuzz_check_message(value_quote(text, quoted));
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int (*const kind[])(const char *text) = {try_time,      try_seconds, try_count, try_seed,   try_fraction,
                                                    try_real,      try_rate,    try_law,   try_factor, try_list,
                                                    try_frequency, try_set,     try_where, try_quote};
    if (size == 0)
        return 0;
    char *text = fuzz_text(data + 1, size - 1);
    if (kind[data[0] % (sizeof kind / sizeof kind[0])](text) != 0)
        fuzz_check_message(error.text);
    free(text);
    return 0;
}
