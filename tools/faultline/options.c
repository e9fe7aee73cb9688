#include "tools/faultline/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/runner.h"
#include "tools/faultline/value.h"

/* A drawn seed has 48 bits: 15 digits, which spreadsheets and JSON readers keep. */
#define DRAWN_SEED_BYTES 6

enum { KEY_SEED = 0x100, KEY_EVERY_STEP, KEY_TIMEOUT, KEY_JOURNAL };

static const struct argp_option option_list[] = {
    {"set", 's', "KEY=VALUE", 0, "Set a key of the scenario; may be repeated", 1},
    {"replicas", 'n', "N", 0, "Simulate N replicas (default 10)", 1},
    {"seed", KEY_SEED, "N", 0, "Seed of the random numbers (default: the scenario's, else drawn and recorded)", 1},
    {"jobs", 'j', "N", 0, "Use N threads (default: one per CPU); results do not depend on it", 1},
    {"output", 'o', "FILE.db", 0, "Store the results in a database; what it already holds is not computed again", 2},
    {"journal", KEY_JOURNAL, "KIND", 0,
     "How changes of the database are kept whole: wal (writers on one machine), delete (also on file systems of a "
     "network), or auto (default): what fits its place",
     2},
    {"timeout", KEY_TIMEOUT, "DURATION", 0,
     "Stop a replica that takes longer than this by the wall clock, such as 10min; a rerun computes it again", 1},
    {"format", 'f', "FORMAT", 0, "Print table (default), csv or json", 2},
    {"quiet", 'q', NULL, 0, "No progress and no notes on stderr", 2},
    {"every-step", KEY_EVERY_STEP, NULL, 0, "Simulate each step even when nothing can happen in it (same results)", 3},
    {0}};

bool options_integer(const char *text, int64_t lowest, int64_t highest, int64_t *ret)
{
    int64_t value = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        int64_t digit = *text - '0';
        if (digit < 0 || digit > 9 || value > (INT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (value < lowest || value > highest)
        return false;
    *ret = value;
    return true;
}

/* The number an option asks for, or a usage error that names the range. */
static int64_t number(const struct argp_state *state, const char *option, const char *text, int64_t lowest,
                      int64_t highest)
{
    int64_t value = 0;
    if (!options_integer(text, lowest, highest, &value))
        argp_error(state, "%s: '%s' is not a whole number from %" PRId64 " to %" PRId64, option, text, lowest, highest);
    return value;
}

int options_choice(const struct argp_state *state, const char *option, const char *text, const char *const names[],
                   int count)
{
    char allowed[64] = "";
    size_t length = 0;
    for (int i = 0; i < count && length < sizeof allowed; i++) {
        if (strcmp(text, names[i]) == 0)
            return i;
        length += (size_t)snprintf(allowed + length, sizeof allowed - length, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    argp_error(state, "%s: '%s' is not one of %s", option, text, allowed);
    return 0;
}

void options_one(const struct argp_state *state, const char *what, const char *argument, const char **ret)
{
    if (*ret != NULL)
        argp_error(state, "one %s at a time; '%s' is one too many", what, argument);
    *ret = argument;
}

void options_add_setting(struct options *options, const char *setting)
{
    options->setting =
        alloc_grown(options->setting, options->settings, &options->settings_capacity, sizeof *options->setting);
    options->setting[options->settings++] = setting;
}

static void set_seed(struct options *options, const struct argp_state *state, const char *text)
{
    options->seed = (uint64_t)number(state, "--seed", text, 0, OPTIONS_SEED_MAX);
    options->has_seed = true;
}

static double timeout_of(const struct argp_state *state, const char *text)
{
    sim_time timeout_ns = 0;
    struct sim_error error;
    if (value_read_time(text, &timeout_ns, &error) != 0)
        argp_error(state, "--timeout: %s", error.text);
    else if (timeout_ns == 0)
        argp_error(state, "--timeout: '%s' leaves no time; leave the option out for no limit", text);
    return sim_time_seconds(timeout_ns);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 's':
        options_add_setting(options, argument);
        return 0;
    case 'n':
        options->replicas = number(state, "-n", argument, 1, OPTIONS_REPLICAS_MAX);
        return 0;
    case 'j':
        options->jobs = (int)number(state, "-j", argument, 1, RUNNER_THREADS_MAX);
        return 0;
    case KEY_SEED:
        set_seed(options, state, argument);
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case 'f':
        options->format =
            (enum summary_format)options_choice(state, "--format", argument, summary_format_name, SUMMARY_MARKDOWN);
        return 0;
    case KEY_TIMEOUT:
        options->timeout_s = timeout_of(state, argument);
        return 0;
    case KEY_JOURNAL:
        options->journal =
            (enum store_journal)options_choice(state, "--journal", argument, store_journal_name, STORE_JOURNAL_COUNT);
        return 0;
    case 'q':
        options->is_quiet = true;
        return 0;
    case KEY_EVERY_STEP:
        options->every_step = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp options_argp = {.options = option_list, .parser = parse_option};

void options_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    alloc_require(argp_parse(argp, argc, argv, 0, NULL, input) == 0); /* all else ends in argp_error */
}

struct options options_default(void)
{
    return (struct options){.replicas = 10, .jobs = runner_cpus()};
}

void options_fini(struct options *options)
{
    free(options->setting);
    options->setting = NULL;
    options->settings = options->settings_capacity = 0;
}

static int draw_seed(uint64_t *ret, struct sim_error *error)
{
    unsigned char bytes[DRAWN_SEED_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return sim_error_set(error, "the system gives no random seed; choose one with --seed");
    *ret = 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        *ret = *ret << 8 | bytes[i];
    return 0;
}

static int decide_seed(const struct options *options, struct scenario *scenario, struct sim_error *error)
{
    if (options->has_seed) {
        scenario->seed = options->seed;
    } else if (!scenario->has_seed) {
        if (draw_seed(&scenario->seed, error) != 0)
            return -1;
        if (!options->is_quiet)
            fprintf(stderr, "faultline: seed %" PRIu64 " (drawn; --seed %" PRIu64 " repeats this)\n", scenario->seed,
                    scenario->seed);
    }
    scenario->has_seed = true;
    if (scenario->seed > (uint64_t)OPTIONS_SEED_MAX)
        return sim_error_set(error, "seed: %" PRIu64 " is too large; 0 to %" PRId64 " is allowed", scenario->seed,
                             OPTIONS_SEED_MAX);
    return 0;
}

int options_build(const struct options *options, const struct scenario_text *text, const char *const setting[],
                  size_t settings, struct scenario *ret, struct sim_error *error)
{
    struct scenario scenario;
    if (scenario_build(text, setting, settings, &scenario, error) != 0)
        return -1;
    scenario.config.every_step = options->every_step;
    if (decide_seed(options, &scenario, error) != 0)
        return -1;
    *ret = scenario;
    return 0;
}

/* A word as a shell reads it back. */
static void quote(FILE *to, const char *word)
{
    (void)fputc('\'', to);
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            (void)fputs("'\\''", to);
        else
            (void)fputc(*word, to);
    }
    (void)fputc('\'', to);
}

char *options_quoted(const char *word)
{
    struct alloc_draft draft;
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+";
    alloc_draft_start(&draft);
    if (word[0] == '-')
        (void)fputs("./", draft.to);
    if (word[0] != '\0' && strspn(word, plain) == strlen(word))
        (void)fputs(word, draft.to);
    else
        quote(draft.to, word);
    return alloc_draft_finish(&draft);
}

char *options_repeat(const struct options *options, const char *command, const char *path, const char *const setting[],
                     size_t settings, uint64_t seed, size_t replicas)
{
    struct alloc_draft draft;
    alloc_draft_start(&draft);
    FILE *to = draft.to;
    (void)fprintf(to, "faultline %s ", command);
    quote(to, path);
    for (size_t i = 0; i < settings; i++) {
        (void)fputs(" -s ", to);
        quote(to, setting[i]);
    }
    (void)fprintf(to, " --seed %" PRIu64 " -n %zu%s", seed, replicas, options->every_step ? " --every-step" : "");
    return alloc_draft_finish(&draft);
}
