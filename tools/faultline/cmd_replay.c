/* cmd_replay.c -- `faultline replay`: a run from its tape, to the last bit; or another design on the same tape. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/command.h"
#include "tools/faultline/options.h"
#include "tools/faultline/record.h"
#include "tools/faultline/run_report.h"
#include "tools/faultline/tape.h"

/* One call of `faultline replay`. */
struct replay {
    const char *path;     /* of the tape */
    const char *scenario; /* that the tape is said to be of; may be NULL */
    const char **setting;
    size_t settings;
    int format;
    bool is_quiet;

    struct tape *tape;
    struct scenario_text *text;
    struct scenario made; /* with the settings */
    bool is_repetition;   /* nothing is changed: every record must be the same */
    struct sim_error error;

    struct tape_text records; /* of the repetition ... */
    const char *at;           /* ... beside those of the tape from here on */
    int64_t line;
    int64_t bad_line;     /* the first that differs; 0: none */
    char *expected, *got; /* what it is, and what it should be */
};

/* ------------------------------------------------------------------ arguments */

enum { KEY_FORMAT = 0x300 };

static const struct argp_option option_list[] = {
    {"set", 's', "KEY=VALUE", 0, "Change a key: what would have happened on the same tape; may be repeated", 0},
    {"format", KEY_FORMAT, "FORMAT", 0, "Print table (default), csv or json", 0},
    {"quiet", 'q', NULL, 0, "Print nothing on stderr but errors", 0},
    {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    static const char *const formats[] = {"table", "csv", "json"};
    struct replay *replay = state->input;
    switch (key) {
    case 's':
        replay->setting[replay->settings++] = argument;
        return 0;
    case KEY_FORMAT:
        replay->format = options_choice(state, "--format", argument, formats, 3);
        return 0;
    case 'q':
        replay->is_quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            argp_error(state, "a tape and at most a scenario; '%s' is one too many", argument);
        *(state->arg_num == 0 ? &replay->path : &replay->scenario) = argument;
        return 0;
    case ARGP_KEY_END:
        if (replay->path == NULL)
            argp_error(state, "TAPE is missing");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .options = option_list,
    .parser = parse_option,
    .args_doc = "TAPE [SCENARIO]",
    .doc =
        "Run a replica again from the tape that `faultline run --tape` wrote, without drawing a random number, and "
        "check "
        "that every step, update, round, change of state and metric is the same to the last bit. With SCENARIO, refuse "
        "a "
        "tape of anything else.\v"
        "With -s the same chaos meets another design. It ends, and says so, where the tape has no more: at the first "
        "random number or step that it does not hold; the metrics cover the time until then. Exit status: 0 done, 2 a "
        "tape "
        "that was cut or changed or does not fit, 4 a tape that ends before it begins.",
};

/* ------------------------------------------------------------------ what is replayed */

static char *canonical_of(const char *path, struct sim_error *error)
{
    struct scenario_text *text = NULL;
    struct scenario scenario;
    char *canonical = NULL;
    if (scenario_open(path, &text, error) == 0 && scenario_build(text, NULL, 0, &scenario, error) == 0)
        canonical = scenario_canonical(&scenario, false);
    scenario_close(text);
    return canonical;
}

/* The first line in which two texts differ. */
static void point_at_difference(const char *a, const char *b, struct replay *replay)
{
    while (*a != '\0' && strncmp(a, b, strcspn(a, "\n") + 1) == 0) {
        b += strcspn(a, "\n") + 1;
        a += strcspn(a, "\n") + 1;
    }
    (void)sim_error_set(&replay->error, "%s: the tape is not of this scenario: it has `%.*s`, %s has `%.*s`",
                        replay->path, (int)strcspn(a, "\n"), a, replay->scenario, (int)strcspn(b, "\n"), b);
}

static int check_scenario(struct replay *replay)
{
    if (replay->scenario == NULL)
        return 0;
    char *canonical = canonical_of(replay->scenario, &replay->error);
    if (canonical == NULL)
        return -1;
    int difference = strcmp(replay->tape->scenario, canonical);
    if (difference != 0)
        point_at_difference(replay->tape->scenario, canonical, replay);
    free(canonical);
    return difference == 0 ? 0 : -1;
}

static int build(struct replay *replay)
{
    const struct tape *tape = replay->tape;
    if (scenario_parse(replay->path, tape->scenario, strlen(tape->scenario), &replay->text, &replay->error) != 0 ||
        scenario_build(replay->text, replay->setting, replay->settings, &replay->made, &replay->error) != 0)
        return -1;
    replay->made.seed = tape->seed;
    replay->made.has_seed = true;
    char *canonical = scenario_canonical(&replay->made, false);
    replay->is_repetition = strcmp(canonical, tape->scenario) == 0;
    free(canonical);
    if (replay->is_repetition && replay->made.config.learners != tape->learners)
        return sim_error_set(&replay->error,
                             "%s: the tape does not fit: it is of %" PRId64 " learners, its scenario of %" PRId64,
                             replay->path, tape->learners, replay->made.config.learners);
    return 0;
}

static int open_all(struct replay *replay)
{
    if (tape_open(replay->path, &replay->tape, &replay->error) == 0 && check_scenario(replay) == 0 &&
        build(replay) == 0)
        return COMMAND_DONE;
    fprintf(stderr, "faultline: %s\n", replay->error.text);
    return COMMAND_BAD_INPUT;
}

/* ------------------------------------------------------------------ the run */

/* A line of the repetition must be the next one of the tape. */
static void on_line(void *context, const char *line, size_t length)
{
    struct replay *replay = context;
    size_t left = (size_t)(replay->tape->records_end - replay->at);
    if (replay->bad_line > 0)
        return;
    if (left < length || memcmp(replay->at, line, length) != 0) {
        const char *feed = memchr(replay->at, '\n', left);
        replay->bad_line = replay->line;
        replay->expected = strndup(replay->at, feed == NULL ? left : (size_t)(feed - replay->at));
        replay->got = strndup(line, length - 1);
        return;
    }
    replay->at += length;
    replay->line++;
}

static bool on_recall(void *context, const struct sim_address *address, uint64_t *ret_word)
{
    struct replay *replay = context;
    bool has = tape_recall(replay->tape, address, ret_word);
    if (has && replay->is_repetition)
        tape_text_draw(&replay->records, address, *ret_word);
    return has;
}

static bool has_step(void *context, int64_t learner, int64_t step)
{
    const struct replay *replay = context;
    return tape_has_step(replay->tape, learner, step);
}

static void run(struct replay *replay, struct run_result *ret)
{
    const struct run_draws draws = {
        .context = replay, .recall = on_recall, .has_step = replay->is_repetition ? NULL : has_step};
    struct run_request request = {
        .config = &replay->made.config, .seed = replay->tape->seed, .replica = replay->tape->replica, .draws = &draws};
    struct run_observer observer;
    if (replay->is_repetition) {
        replay->at = replay->tape->records;
        replay->line = replay->tape->first_record;
        tape_text_init(&replay->records, replay->tape->learners, on_line, replay);
        observer = tape_text_observer(&replay->records);
        request.observer = &observer;
    }
    run_replica(&request, ret);
    if (replay->is_repetition && ret->status == RUN_DONE)
        tape_text_result(&replay->records, ret);
}

/* ------------------------------------------------------------------ what came of it */

static int complain_about_difference(const struct replay *replay, const struct run_result *result)
{
    if (replay->bad_line > 0)
        fprintf(stderr,
                "faultline: %s:%" PRId64 ": the tape does not fit its scenario: it has `%s`, which gives `%s`\n",
                replay->path, replay->bad_line, replay->expected, replay->got);
    else
        fprintf(stderr, "faultline: %s: the tape does not fit its scenario: %s at t = %.9g s\n", replay->path,
                result->status == RUN_TAPE_ENDED ? "a random number is missing" : "it has more records than happen",
                sim_time_seconds(result->duration_ns));
    return COMMAND_BAD_INPUT;
}

static int print_result(const struct replay *replay, const struct run_result *result)
{
    struct record record = record_from_result(result, replay->tape->seed, replay->tape->replica, 0);
    const struct run_report_settings settings = {replay->setting, replay->settings};
    run_report(stdout, (enum summary_format)replay->format, &replay->made, &settings, &record, 1);
    record_fini(&record);
    if (replay->is_quiet)
        return COMMAND_DONE;
    if (replay->is_repetition)
        fprintf(stderr, "faultline: %" PRId64 " records, all the same\n", replay->line - replay->tape->first_record);
    else if (result->status == RUN_TAPE_ENDED)
        fprintf(stderr,
                "faultline: the tape ends at t = %.9g s: what comes next needs a step or a random number that it does "
                "not hold\n",
                sim_time_seconds(replay->made.config.warmup_ns + result->duration_ns));
    return COMMAND_DONE;
}

static int conclude(const struct replay *replay, const struct run_result *result)
{
    if (replay->is_repetition &&
        (result->status != RUN_DONE || replay->bad_line > 0 || replay->at != replay->tape->records_end))
        return complain_about_difference(replay, result);
    if (result->status == RUN_NO_PROGRESS) {
        fprintf(stderr, "faultline: no progress at t = %.9g s\n", sim_time_seconds(result->no_progress_at_ns));
        return COMMAND_NO_ANSWER;
    }
    if (result->duration_ns == 0) {
        fprintf(stderr, "faultline: %s: the tape holds nothing of this: it is over at once\n", replay->path);
        return COMMAND_NO_ANSWER;
    }
    return print_result(replay, result);
}

static void release(struct replay *replay)
{
    if (replay->tape != NULL)
        tape_close(replay->tape);
    scenario_close(replay->text);
    tape_text_fini(&replay->records);
    free(replay->expected);
    free(replay->got);
    free(replay->setting);
}

int cmd_replay(int argc, char **argv)
{
    struct replay replay = {.setting = sim_allocate((size_t)argc, sizeof(char *))};
    options_parse(&parser, argc, argv, &replay);
    int status = open_all(&replay);
    if (status == COMMAND_DONE) {
        struct run_result result;
        run(&replay, &result);
        status = conclude(&replay, &result);
        run_result_fini(&result);
    }
    release(&replay);
    return status;
}
