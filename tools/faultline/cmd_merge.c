/* cmd_merge.c -- `faultline merge A.db B.db -o ALL.db`: several results databases into one. */
#include <argp.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "tools/faultline/command.h"
#include "tools/faultline/options.h"
#include "tools/faultline/store.h"
#include "tools/faultline/value.h"

#define CONFLICTS_SHOWN 10

enum { KEY_JOURNAL = 0x100 };

struct merge {
    char *output;
    enum store_journal journal;
    bool is_quiet;
    char **input; /* a part of argv */
    int inputs;
    const char *now; /* being merged */
    int64_t conflicts;
    int64_t other_cpu;
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct merge *merge = state->input;
    switch (key) {
    case 'o':
        merge->output = value;
        return 0;
    case KEY_JOURNAL:
        merge->journal =
            (enum store_journal)options_choice(state, "--journal", value, store_journal_name, STORE_JOURNAL_COUNT);
        return 0;
    case 'q':
        merge->is_quiet = true;
        return 0;
    case ARGP_KEY_ARGS:
        merge->input = state->argv + state->next;
        merge->inputs = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which databases? Say `faultline merge A.db B.db -o ALL.db`");
        return 0;
    case ARGP_KEY_END:
        if (merge->output == NULL)
            argp_error(state, "where to? Say -o ALL.db");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ------------------------------------------------------------------ before anything is written */

static bool is_same_file(const char *one, const char *other)
{
    struct stat first, second;
    return stat(one, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static int check_input(const struct merge *merge, const char *path, struct sim_error *error)
{
    struct store *store;
    if (is_same_file(path, merge->output))
        return sim_error_set(error, "%s: is the database to merge into; leave it out", path);
    if (store_open_reading(path, &store, error) != 0)
        return -1;
    store_close(store);
    return 0;
}

/* ------------------------------------------------------------------ merging */

static void on_conflict(void *context, const char *scenario, int64_t replica, uint64_t seed)
{
    struct merge *merge = context;
    char quoted[VALUE_QUOTE_MAX];
    if (merge->conflicts++ < CONFLICTS_SHOWN)
        fprintf(stderr,
                "faultline: %s: scenario %s, replica %" PRId64 ", seed %" PRIu64
                ": its numbers differ from those in %s, which stay\n",
                merge->now, value_quote(scenario, quoted), replica, seed, merge->output);
}

static int merge_one(struct merge *merge, struct store *store, struct sim_error *error)
{
    const struct store_merger merger = {merge, on_conflict};
    struct store_merged merged;
    if (store_merge(store, merge->now, &merger, &merged, error) != 0)
        return -1;
    merge->other_cpu += merged.other_cpu;
    if (!merge->is_quiet)
        fprintf(stderr, "faultline: %s: %" PRId64 " runs added, %" PRId64 " already there\n", merge->now, merged.added,
                merged.known);
    return 0;
}

/* The same scenario, replica and seed give the same numbers: anything else is a bug, or a file that was tampered with.
 */
static int judge(const struct merge *merge)
{
    if (merge->other_cpu > 0)
        fprintf(stderr,
                "faultline: note: %" PRId64 " runs differ from those in %s, which stay: they come from CPUs with and "
                "without fused multiply-add, whose last bits differ\n",
                merge->other_cpu, merge->output);
    if (merge->conflicts > CONFLICTS_SHOWN)
        fprintf(stderr, "faultline: and %" PRId64 " more runs with other numbers\n",
                merge->conflicts - CONFLICTS_SHOWN);
    return merge->conflicts > 0 ? COMMAND_INVARIANT : COMMAND_DONE;
}

static int complain(const struct sim_error *error, int status)
{
    fprintf(stderr, "faultline: %s\n", error->text);
    return status;
}

static void note_version(const struct merge *merge, const struct store *store)
{
    int64_t older = store_older_version(store);
    if (older != 0 && !merge->is_quiet)
        fprintf(stderr, "faultline: %s: its tables were those of schema version %" PRId64 ", now they are of %d\n",
                merge->output, older, STORE_SCHEMA_VERSION);
}

static int merge_all(struct merge *merge)
{
    struct store *store;
    struct sim_error error;
    int failure = 0;
    for (int i = 0; i < merge->inputs; i++)
        if (check_input(merge, merge->input[i], &error) != 0)
            return complain(&error, COMMAND_BAD_INPUT);
    if (store_open(merge->output, merge->journal, &store, &error) != 0)
        return complain(&error, COMMAND_NOT_STORED);
    note_version(merge, store);
    for (int i = 0; i < merge->inputs && failure == 0; i++) {
        merge->now = merge->input[i];
        failure = merge_one(merge, store, &error);
    }
    store_close(store);
    return failure == 0 ? judge(merge) : complain(&error, COMMAND_NOT_STORED);
}

int cmd_merge(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "ALL.db", 0, "The database to merge into; created when it is missing, added to when not", 0},
        {"journal", KEY_JOURNAL, "KIND", 0, "How its changes are kept whole: wal, delete or auto, as `run --journal`",
         0},
        {"quiet", 'q', 0, 0, "Say nothing about files that went well", 0},
        {0}};
    static const struct argp argp = {
        options,
        parse,
        "FILE.db...",
        "Join results databases. Runs are the same when scenario (hash and text), replica and seed are: the first one "
        "stays, and gets the logs it lacks from the others. All files are looked at before anything is written; then "
        "each is one transaction, so that a merge that was stopped is completed by the same command.\v"
        "Where the numbers of the same run differ, it is named, the first one stays, and the status is 1; between CPUs "
        "with and without fused multiply-add there is only a note. "
        "Exit status: 0 done, 1 runs differ, 2 bad input, 3 it could not be stored.",
        NULL,
        NULL,
        NULL};
    struct merge merge = {0};
    options_parse(&argp, argc, argv, &merge);
    return merge_all(&merge);
}
