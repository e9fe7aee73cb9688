/* tape_write.c -- a tape as it is written: beside its place, and moved there when it is whole. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/command.h"
#include "tools/faultline/draft.h"
#include "tools/faultline/tape_internal.h"

struct tape_writer {
    struct draft draft;
    int error; /* the first errno of a failed write; 0: none */
    int64_t lines;
    uint64_t hash;
    struct tape_text text;
    struct run_observer observer;
    struct run_draws draws;
};

static void put(void *context, const char *line, size_t length)
{
    struct tape_writer *writer = context;
    writer->lines++;
    writer->hash = tape_hash(writer->hash, line, length);
    if (writer->error == 0 && fwrite(line, 1, length, writer->draft.to) != length)
        writer->error = errno != 0 ? errno : EIO;
}

static void on_draw(void *context, const struct sim_address *address, uint64_t word)
{
    struct tape_writer *writer = context;
    tape_text_draw(&writer->text, address, word);
}

/* Puts a text line by line, each behind `before`. */
static void put_lines(struct tape_writer *writer, const char *before, const char *text)
{
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        char *line = sim_allocate(strlen(before) + length + 2, 1);
        int size = sprintf(line, "%s%.*s\n", before, (int)length, text);
        put(writer, line, (size_t)size);
        free(line);
        text += length + (text[length] == '\n');
    }
}

static int64_t count_lines(const char *text)
{
    int64_t lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

static void put_header(struct tape_writer *writer, const struct scenario *scenario, uint32_t replica)
{
    char *yaml = scenario_canonical(scenario, false);
    struct alloc_draft draft;
    alloc_draft_start(&draft);
    (void)fprintf(draft.to,
                  "faultline-tape %d\nprogram %s\nmodel %s\nseed %" PRIu64 "\nreplica %" PRIu32 "\nlearners %" PRId64
                  "\nscenario %" PRId64 "\n",
                  TAPE_VERSION, COMMAND_VERSION, SCENARIO_MODEL_VERSION, scenario->seed, replica,
                  scenario->config.learners, count_lines(yaml));
    char *header = alloc_draft_finish(&draft);
    put_lines(writer, "", header);
    put_lines(writer, "| ", yaml);
    free(header);
    free(yaml);
}

int tape_create(const char *path, const struct scenario *scenario, uint32_t replica, struct tape_writer **ret,
                struct sim_error *error)
{
    if (scenario->config.learners > TAPE_LEARNERS_MAX)
        return sim_error_set(error, "%s: a tape keeps a clock of every learner for every learner: at most %d learners",
                             path, TAPE_LEARNERS_MAX);
    struct draft draft;
    if (draft_open(path, "tape", &draft, error) != 0)
        return -1;
    struct tape_writer *writer = sim_allocate(1, sizeof *writer);
    writer->draft = draft;
    writer->hash = TAPE_HASH_START;
    tape_text_init(&writer->text, scenario->config.learners, put, writer);
    writer->observer = tape_text_observer(&writer->text);
    writer->draws = (struct run_draws){.context = writer, .note = on_draw};
    put_header(writer, scenario, replica);
    *ret = writer;
    return 0;
}

const struct run_observer *tape_observer(const struct tape_writer *writer)
{
    return &writer->observer;
}

const struct run_draws *tape_draws(const struct tape_writer *writer)
{
    return &writer->draws;
}

void tape_abandon(struct tape_writer *writer)
{
    if (writer == NULL)
        return;
    draft_abandon(&writer->draft);
    tape_text_fini(&writer->text);
    free(writer);
}

int tape_finish(struct tape_writer *writer, const struct run_result *result, struct sim_error *error)
{
    char end[64];
    tape_text_result(&writer->text, result);
    int length = snprintf(end, sizeof end, "end %" PRId64 " %016" PRIx64 "\n", writer->lines, writer->hash);
    put(writer, end, (size_t)length);
    int failure = draft_finish(&writer->draft, writer->error, error);
    tape_abandon(writer);
    return failure;
}
