/* tape_write.c -- a tape as it is written: beside its place, and moved there when it is whole. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/command.h"
#include "tools/faultline/tape_internal.h"

struct tape_writer {
    char *path, *draft; /* where it belongs; where it is until it is whole */
    FILE *file;
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
    if (writer->error == 0 && fwrite(line, 1, length, writer->file) != length)
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

/* The draft takes the place of a file in the end; it must not take that of a device. */
static int open_draft(struct tape_writer *writer, struct sim_error *error)
{
    struct alloc_draft draft;
    struct stat status;
    if (stat(writer->path, &status) == 0 && !S_ISREG(status.st_mode))
        return sim_error_set(error, "%s: exists and is not a file: a tape would take its place", writer->path);
    alloc_draft_start(&draft);
    (void)fprintf(draft.to, "%s.part-%ld", writer->path, (long)getpid());
    writer->draft = alloc_draft_finish(&draft);
    writer->file = fopen(writer->draft, "wx");
    if (writer->file != NULL)
        return 0;
    return sim_error_set(error, "%s: %s", writer->draft, strerror(errno));
}

int tape_create(const char *path, const struct scenario *scenario, uint32_t replica, struct tape_writer **ret,
                struct sim_error *error)
{
    if (scenario->config.learners > TAPE_LEARNERS_MAX)
        return sim_error_set(error, "%s: a tape keeps a clock of every learner for every learner: at most %d learners",
                             path, TAPE_LEARNERS_MAX);
    struct tape_writer *writer = sim_allocate(1, sizeof *writer);
    writer->path = alloc_text(path);
    writer->hash = TAPE_HASH_START;
    tape_text_init(&writer->text, scenario->config.learners, put, writer);
    writer->observer = tape_text_observer(&writer->text);
    writer->draws = (struct run_draws){.context = writer, .note = on_draw};
    if (open_draft(writer, error) != 0) {
        tape_abandon(writer);
        return -1;
    }
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
    if (writer->file != NULL) {
        (void)fclose(writer->file);
        (void)unlink(writer->draft);
    }
    tape_text_fini(&writer->text);
    free(writer->draft);
    free(writer->path);
    free(writer);
}

/* 0, or the errno of what failed. */
static int close_file(struct tape_writer *writer)
{
    bool is_written = fflush(writer->file) == 0 && fsync(fileno(writer->file)) == 0;
    int failure = is_written ? 0 : errno;
    if (fclose(writer->file) != 0 && failure == 0)
        failure = errno;
    if (failure == 0 && writer->error == 0 && rename(writer->draft, writer->path) != 0)
        failure = errno;
    writer->file = NULL;
    if (failure != 0 || writer->error != 0)
        (void)unlink(writer->draft);
    return writer->error != 0 ? writer->error : failure;
}

int tape_finish(struct tape_writer *writer, const struct run_result *result, struct sim_error *error)
{
    char end[64];
    tape_text_result(&writer->text, result);
    int length = snprintf(end, sizeof end, "end %" PRId64 " %016" PRIx64 "\n", writer->lines, writer->hash);
    put(writer, end, (size_t)length);
    int failure = close_file(writer);
    if (failure != 0)
        (void)sim_error_set(error, "%s: the tape cannot be written: %s", writer->path, strerror(failure));
    tape_abandon(writer);
    return failure == 0 ? 0 : -1;
}
