/* Event tapes. An input that does not end as a tape does gets the end that makes it whole, so that what is behind the
 * hash is reached. The scenario of a tape that is read is built and, when it is small, run with the numbers of the
 * tape, twice. */
#include <inttypes.h>

#include "tests/fuzz/small_run.h"
#include "tools/faultline/tape.h"
#include "tools/faultline/tape_internal.h"

static bool on_recall(void *context, const struct sim_address *address, uint64_t *ret_word)
{
    return tape_recall(context, address, ret_word);
}

static bool has_step(void *context, int64_t learner, int64_t step)
{
    return tape_has_step(context, learner, step);
}

static void run_twice(struct tape *tape, struct config *config)
{
    const struct run_draws draws = {.context = tape, .recall = on_recall, .has_step = has_step};
    struct run_result first, second;
    if (!small_run_fit(config))
        return;
    small_run(config, &draws, &first);
    small_run(config, &draws, &second);
    small_run_expect_same(&first, &second);
    run_result_fini(&first);
    run_result_fini(&second);
}

static void look_at(struct tape *tape)
{
    static struct scenario scenario;
    struct scenario_text *text = NULL;
    struct sim_error error = {0};
    if (scenario_parse("fuzz.tape", tape->scenario, strlen(tape->scenario), &text, &error) == 0 &&
        scenario_build(text, NULL, 0, &scenario, &error) == 0)
        run_twice(tape, &scenario.config);
    else
        fuzz_check_message(error.text);
    scenario_close(text);
}

/* True when the last line says that it is the end. */
static bool has_end(const uint8_t *data, size_t size)
{
    size_t last = size > 0 ? size - 1 : 0;
    while (last > 0 && data[last - 1] != '\n')
        last--;
    return size - last > 4 && memcmp(data + last, "end ", 4) == 0;
}

/* The input and its end; *size becomes that of both. */
static char *with_end(const uint8_t *data, size_t *size)
{
    char *bytes = malloc(*size + 64);
    FUZZ_ASSERT(bytes != NULL);
    if (*size > 0)
        memcpy(bytes, data, *size);
    uint64_t hash = tape_hash(TAPE_HASH_START, bytes, *size);
    *size += (size_t)snprintf(bytes + *size, 64, "end 1 %016" PRIx64 "\n", hash);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tape *tape = NULL;
    struct sim_error error = {0};
    char *whole = NULL;
    bool is_whole = has_end(data, size);
    if (!is_whole)
        whole = with_end(data, &size);
    if (tape_open(fuzz_file(is_whole ? (const char *)data : whole, size), &tape, &error) == 0) {
        look_at(tape);
        tape_close(tape);
    } else {
        fuzz_check_message(error.text);
    }
    free(whole);
    return 0;
}
