/* The text of a scenario: refused with one line, or read, written and read again to the same; what follows from it is
 * computed, and when it is small it is run, twice. */
#include "tests/fuzz/small_run.h"
#include "tools/faultline/derived.h"
#include "tools/faultline/notes.h"
#include "tools/faultline/scenario.h"

static void on_entry(void *context, const struct scenario_entry *entry)
{
    FUZZ_ASSERT(entry->key != NULL && entry->text != NULL && scenario_origin_name(entry) != NULL);
    ++*(int *)context;
}

static void on_derived(void *context, const struct derived_value *value)
{
    FUZZ_ASSERT(value->name != NULL && !(value->number < 0));
    ++*(int *)context;
}

static void on_note(void *context, const char *note)
{
    fuzz_check_message(note);
    ++*(int *)context;
}

static void look_at(const struct scenario_text *text, const struct scenario *scenario)
{
    int entries = 0, values = 0, notes = 0;
    scenario_each(text, NULL, 0, scenario, on_entry, &entries);
    derived_each(&scenario->config, on_derived, &values);
    notes_each(&scenario->config, on_note, &notes);
    FUZZ_ASSERT(entries > 0 && values > 0);
}

/* What is written reads back to what is written. */
static void check_canonical(const struct scenario *scenario)
{
    static struct scenario again;
    struct scenario_text *text = NULL;
    struct sim_error error;
    char *first = scenario_canonical(scenario, true);
    int status = scenario_parse("canonical.yaml", first, strlen(first), &text, &error);
    FUZZ_ASSERT(status == 0);
    status = scenario_build(text, NULL, 0, &again, &error);
    FUZZ_ASSERT(status == 0);
    char *second = scenario_canonical(&again, true);
    FUZZ_ASSERT(strcmp(first, second) == 0);
    free(first);
    free(second);
    scenario_close(text);
}

static void run_twice(struct config *config)
{
    struct run_result first, second;
    if (!small_run_fit(config))
        return;
    small_run(config, NULL, &first);
    small_run(config, NULL, &second);
    small_run_expect_same(&first, &second);
    run_result_fini(&first);
    run_result_fini(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scenario scenario;
    struct scenario_text *text = NULL;
    struct sim_error error = {0};
    if (scenario_parse("fuzz.yaml", (const char *)data, size, &text, &error) == 0 &&
        scenario_build(text, NULL, 0, &scenario, &error) == 0) {
        look_at(text, &scenario);
        check_canonical(&scenario);
        run_twice(&scenario.config);
    } else {
        fuzz_check_message(error.text);
    }
    scenario_close(text);
    return 0;
}
