/* Runs whose random numbers are noted and given back: the same to the last bit, without a draw; and what is not there
 * ends the run. */
#include "tests/chance.h"
#include "tests/rig.h"

struct entry {
    struct sim_address address;
    uint64_t word;
};

/* A tape in memory. */
static struct {
    struct entry *entry;
    size_t count, capacity;
    int64_t missing; /* recalls in vain */
} tape;

static void on_note(void *context, const struct sim_address *address, uint64_t word)
{
    (void)context;
    if (tape.count == tape.capacity)
        tape.entry = sim_reallocate(tape.entry, tape.capacity = tape.capacity * 2 + 64, sizeof *tape.entry);
    tape.entry[tape.count++] = (struct entry){*address, word};
}

static bool on_recall(void *context, const struct sim_address *address, uint64_t *ret_word)
{
    size_t *next = context; /* in the order of the notes, to begin with */
    for (size_t i = 0; i < tape.count; i++) {
        const struct entry *entry = &tape.entry[(*next + i) % tape.count];
        if (entry->address.purpose != address->purpose || entry->address.entity != address->entity ||
            entry->address.index != address->index)
            continue;
        *ret_word = entry->word;
        *next = (*next + i + 1) % tape.count;
        return true;
    }
    tape.missing++;
    return false;
}

static const struct run_draws notes = {.note = on_note};

static void run(const struct config *config, uint64_t seed, const struct run_draws *draws, struct run_result *ret)
{
    const struct run_request request = {.config = config, .seed = seed, .draws = draws};
    run_replica(&request, ret);
}

static void expect_same(const struct run_result *a, const struct run_result *b, uint64_t number)
{
    bool same = a->status == b->status && memcmp(a->metric, b->metric, sizeof a->metric) == 0 &&
                a->learners == b->learners &&
                memcmp(a->learner, b->learner, (size_t)a->learners * sizeof *a->learner) == 0;
    if (!same)
        ck_abort_msg("world %d", (int)number);
}

START_TEST(a_recalled_run_is_the_same)
{
    for (uint64_t number = 0; number < 300; number++) {
        chance_state = number;
        struct config config = chance_tiny_world();
        struct run_result plain, noted, recalled;
        size_t next = 0;
        const struct run_draws recall = {.context = &next, .recall = on_recall};
        tape.count = 0;
        run(&config, number, NULL, &plain);
        run(&config, number, &notes, &noted);
        run(&config, ~number, &recall, &recalled); /* another seed: nothing is drawn */
        expect_same(&plain, &noted, number);
        expect_same(&plain, &recalled, number);
        ck_assert_int_eq(tape.missing, 0);
        run_result_fini(&plain);
        run_result_fini(&noted);
        run_result_fini(&recalled);
    }
}
END_TEST

/* A tape of 500 ns, asked for 1500: what is missing ends it at the time of the first failure that is not there. */
START_TEST(what_is_not_there_ends_the_run)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    struct run_result result;
    size_t next = 0;
    const struct run_draws recall = {.context = &next, .recall = on_recall};
    config.duration_ns = 500 * SIM_SECOND;
    rig_add_source(&config, "chip", 640, rig_constant(5));
    tape.count = 0;
    run(&config, 1, &notes, &result);
    double failures = result.metric[RUN_METRIC_failures];
    run_result_fini(&result);
    config.duration_ns = 1500 * SIM_SECOND;
    run(&config, 1, &recall, &result);
    ck_assert_int_eq(result.status, RUN_TAPE_ENDED);
    ck_assert(result.duration_ns > 500 * SIM_SECOND && result.duration_ns < 700 * SIM_SECOND);
    ck_assert(result.metric[RUN_METRIC_failures] >= failures);
    ck_assert(result.metric[RUN_METRIC_goodput] > 0 && result.metric[RUN_METRIC_goodput] < 1);
    run_result_fini(&result);
    tape.count = 1;
    run(&config, 1, &recall, &result);
    ck_assert_int_eq(result.status, RUN_TAPE_ENDED);
    ck_assert_int_eq(result.duration_ns, 0);
    run_result_fini(&result);
}
END_TEST

static bool has_ten(void *context, int64_t learner, int64_t step)
{
    (void)context;
    (void)learner;
    return step <= 10;
}

/* Learner 0 is the faster one: the run ends when it would begin its eleventh step. */
START_TEST(a_step_too_many_ends_the_run)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    struct run_result result;
    const struct run_draws draws = {.note = on_note, .has_step = has_ten};
    config.learners = config.class_count = 2;
    config.class[0] = (struct config_class){"fast", 0.5, 1};
    config.class[1] = (struct config_class){"slow", 0.5, 0.5};
    run(&config, 1, &draws, &result);
    ck_assert_int_eq(result.status, RUN_TAPE_ENDED);
    ck_assert_int_eq(result.duration_ns, 10 * SIM_SECOND);
    ck_assert_int_eq(result.learner[0].steps, 10);
    ck_assert_int_eq(result.learner[1].steps, 5);
    run_result_fini(&result);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("recall");
    TCase *tcase = tcase_create("recall");
    tcase_add_test(tcase, a_recalled_run_is_the_same);
    tcase_add_test(tcase, what_is_not_there_ends_the_run);
    tcase_add_test(tcase, a_step_too_many_ends_the_run);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
