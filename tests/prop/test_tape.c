/* Tapes of small random worlds through files: replayed to the last bit; changed, cut or foreign, they are refused. */
#include <fcntl.h>
#include <unistd.h>

#include "tests/chance.h"
#include "tests/rig.h"
#include "tools/faultline/command.h"
#include "tools/faultline/tape.h"

static char path[64];
static struct sim_error error;

/* The same times with a model, links and laws that keys allow. */
static void fit_keys(struct config *config)
{
    for (int i = 0; i < config->source_count; i++)
        if (config->source[i].return_after.parameter[0] == 0)
            config->source[i].return_after = rig_constant(0);
    config->parameters /= 1e9;
    config->link_bits_per_s /= 1e9;
    for (int i = 0; i < config->link_count; i++)
        config->link[i].bits_per_s /= 1e9;
}

/* Writes the tape of a world; its metrics go to *ret. */
static void record(uint64_t number, struct run_result *ret)
{
    static struct scenario scenario;
    struct tape_writer *writer = NULL;
    chance_state = number;
    scenario = (struct scenario){.name = "tiny", .seed = number, .has_seed = true, .config = chance_tiny_world()};
    fit_keys(&scenario.config);
    ck_assert_msg(tape_create(path, &scenario, (uint32_t)(number % 5), &writer, &error) == 0, "%s", error.text);
    const struct run_request request = {.config = &scenario.config,
                                        .seed = number,
                                        .replica = (uint32_t)(number % 5),
                                        .observer = tape_observer(writer),
                                        .draws = tape_draws(writer)};
    run_replica(&request, ret);
    ck_assert(access(path, F_OK) != 0); /* not before it is whole */
    ck_assert_msg(tape_finish(writer, ret, &error) == 0, "%s", error.text);
}

/* `faultline replay` of the tape, with `setting` or without. */
static int replay(const char *setting)
{
    char *argv[] = {"faultline replay", path, "-q", "-s", (char *)setting, NULL};
    return cmd_replay(setting == NULL ? 3 : 5, argv);
}

static void quiet(void)
{
    int nothing = open("/dev/null", O_WRONLY);
    ck_assert(nothing >= 0 && dup2(nothing, STDOUT_FILENO) >= 0 && dup2(nothing, STDERR_FILENO) >= 0);
}

static void set_up(void)
{
    (void)snprintf(path, sizeof path, "tape-%ld.tape", (long)getpid());
    (void)unlink(path);
}

static void tear_down(void)
{
    (void)unlink(path);
}

START_TEST(a_tape_gives_the_run_again)
{
    quiet(); /* each test is a process of its own */
    for (uint64_t number = 0; number < 150; number++) {
        struct run_result result;
        record(number, &result);
        run_result_fini(&result);
        ck_assert_msg(replay(NULL) == COMMAND_DONE, "world %d", (int)number);
        ck_assert_msg(replay("duration=700ns") == COMMAND_DONE, "world %d", (int)number);
        ck_assert_int_eq(unlink(path), 0);
    }
}
END_TEST

static size_t read_tape(char **ret)
{
    size_t size = 0;
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    *ret = NULL;
    ssize_t length = getdelim(ret, &size, 256, file); /* no byte: all of it */
    (void)fclose(file);
    ck_assert(length > 0);
    return (size_t)length;
}

static void write_tape(const char *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    ck_assert(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* Any byte that is changed, any end that is missing. */
START_TEST(a_tape_that_was_touched_is_refused)
{
    struct run_result result;
    char *bytes = NULL;
    quiet();
    record(3, &result);
    run_result_fini(&result);
    size_t size = read_tape(&bytes);
    for (int i = 0; i < 300; i++) {
        size_t at = (size_t)chance((int64_t)size);
        char before = bytes[at];
        bytes[at] = (char)(before ^ (1 << chance(8)));
        write_tape(bytes, size);
        ck_assert_int_eq(replay(NULL), COMMAND_BAD_INPUT);
        bytes[at] = before;
        write_tape(bytes, at);
        ck_assert_int_eq(replay(NULL), COMMAND_BAD_INPUT);
    }
    write_tape(bytes, size);
    ck_assert_int_eq(replay(NULL), COMMAND_DONE);
    free(bytes);
}
END_TEST

/* The same with a hash that is right: what is on it is not what its scenario gives, or no tape at all. */
START_TEST(a_tape_that_lies_is_refused)
{
    struct run_result result;
    char *bytes = NULL, end[64];
    int refused = 0;
    quiet();
    record(7, &result);
    run_result_fini(&result);
    size_t size = read_tape(&bytes), last = size - 1;
    while (bytes[last - 1] != '\n')
        last--;
    for (int i = 0; i < 400; i++) {
        size_t at = (size_t)chance((int64_t)last);
        char before = bytes[at];
        bytes[at] = (char)(32 + chance(96));
        uint64_t hash = UINT64_C(0xcbf29ce484222325);
        for (size_t k = 0; k < last; k++)
            hash = (hash ^ (unsigned char)bytes[k]) * UINT64_C(0x100000001b3);
        FILE *file = fopen(path, "w");
        int length = snprintf(end, sizeof end, "end 1 %016llx\n", (unsigned long long)hash);
        ck_assert(fwrite(bytes, 1, last, file) == last && fwrite(end, 1, (size_t)length, file) == (size_t)length);
        ck_assert_int_eq(fclose(file), 0);
        int status = replay(NULL);
        ck_assert(status == COMMAND_BAD_INPUT || status == COMMAND_DONE || status == COMMAND_NO_ANSWER);
        refused += status == COMMAND_BAD_INPUT;
        bytes[at] = before;
    }
    ck_assert_int_gt(refused, 380); /* the low bits of a random number and the like change nothing */
    free(bytes);
}
END_TEST

/* A clock of every learner for every learner. */
START_TEST(too_many_learners_are_refused)
{
    static struct scenario scenario;
    struct tape_writer *writer = NULL;
    scenario.config = rig_config(CONFIG_DECOUPLED_DILOCO);
    scenario.config.learners = TAPE_LEARNERS_MAX + 1;
    ck_assert_int_eq(tape_create(path, &scenario, 0, &writer, &error), -1);
    ck_assert_ptr_nonnull(strstr(error.text, "at most 1024 learners"));
    ck_assert_ptr_null(writer);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tape");
    TCase *tcase = tcase_create("tape");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, a_tape_gives_the_run_again);
    tcase_add_test(tcase, a_tape_that_was_touched_is_refused);
    tcase_add_test(tcase, a_tape_that_lies_is_refused);
    tcase_add_test(tcase, too_many_learners_are_refused);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
