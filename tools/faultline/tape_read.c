/* tape_read.c -- a tape as it is read: the whole file is checked before anything is believed. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/tape_internal.h"

#define SCENARIO_LINES_MAX 1000000
#define END_LINE_MAX 64

struct tape_draw {
    struct sim_address address;
    uint64_t word;
};

/* Where reading is. */
struct cursor {
    const char *path;
    const char *at, *end;
    int64_t line;
    struct sim_error *error;
};

static int fail(const struct cursor *cursor, const char *what)
{
    return sim_error_set(cursor->error, "%s:%" PRId64 ": %s", cursor->path, cursor->line, what);
}

/* ------------------------------------------------------------------ fields */

static bool take_text(struct cursor *cursor, const char *text)
{
    size_t size = strlen(text);
    if ((size_t)(cursor->end - cursor->at) < size || memcmp(cursor->at, text, size) != 0)
        return false;
    cursor->at += size;
    return true;
}

static int digit_of(char byte, int base)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    return base == 16 && byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* Digits up to a blank or the end of the line; not past `max`. */
static bool take_number(struct cursor *cursor, int base, uint64_t max, uint64_t *ret)
{
    uint64_t number = 0;
    const char *start = cursor->at;
    for (int digit; cursor->at < cursor->end && (digit = digit_of(*cursor->at, base)) >= 0; cursor->at++) {
        if (number > (max - (uint64_t)digit) / (uint64_t)base)
            return false;
        number = number * (uint64_t)base + (uint64_t)digit;
    }
    *ret = number;
    return cursor->at > start;
}

static bool take_line_feed(struct cursor *cursor)
{
    if (!take_text(cursor, "\n"))
        return false;
    cursor->line++;
    return true;
}

static const char *end_of_line(const struct cursor *cursor)
{
    return memchr(cursor->at, '\n', (size_t)(cursor->end - cursor->at));
}

static bool skip_line(struct cursor *cursor)
{
    const char *feed = end_of_line(cursor);
    if (feed == NULL)
        return false;
    cursor->at = feed + 1;
    cursor->line++;
    return true;
}

/* ------------------------------------------------------------------ header */

static int take_header_number(struct cursor *cursor, const char *name, uint64_t max, uint64_t *ret)
{
    if (take_text(cursor, name) && take_text(cursor, " ") && take_number(cursor, 10, max, ret) &&
        take_line_feed(cursor))
        return 0;
    char what[64];
    (void)snprintf(what, sizeof what, "expected a line `%s` and a number", name);
    return fail(cursor, what);
}

static int take_versions(struct cursor *cursor)
{
    uint64_t version = 0;
    if (!take_text(cursor, "faultline-tape ") || !take_number(cursor, 10, INT_MAX, &version) || !take_line_feed(cursor))
        return fail(cursor, "this is no event tape: its first line is not `faultline-tape` and a version");
    if (version != TAPE_VERSION)
        return sim_error_set(cursor->error, "%s: a tape of version %" PRIu64 "; this program reads version %d",
                             cursor->path, version, TAPE_VERSION);
    if (!take_text(cursor, "program ") || !skip_line(cursor))
        return fail(cursor, "expected a line `program` and a version");
    if (take_text(cursor, "model " SCENARIO_MODEL_VERSION "\n")) {
        cursor->line++;
        return 0;
    }
    return fail(cursor, "the tape is of another version of the model; this program has model " SCENARIO_MODEL_VERSION
                        ", which would give other results");
}

static int take_scenario(struct cursor *cursor, struct tape *tape)
{
    uint64_t lines = 0;
    struct alloc_draft draft;
    if (take_header_number(cursor, "scenario", SCENARIO_LINES_MAX, &lines) != 0)
        return -1;
    alloc_draft_start(&draft);
    for (uint64_t i = 0; i < lines; i++) {
        const char *feed = end_of_line(cursor);
        bool is_line = feed != NULL && take_text(cursor, "| ");
        if (!is_line) {
            free(alloc_draft_finish(&draft));
            return fail(cursor, "expected a line of the scenario behind `| `");
        }
        (void)fwrite(cursor->at, 1, (size_t)(feed + 1 - cursor->at), draft.to);
        (void)skip_line(cursor);
    }
    tape->scenario = alloc_draft_finish(&draft);
    return 0;
}

static int take_header(struct cursor *cursor, struct tape *tape)
{
    uint64_t replica = 0, learners = 0;
    if (take_versions(cursor) != 0 || take_header_number(cursor, "seed", INT64_MAX, &tape->seed) != 0 ||
        take_header_number(cursor, "replica", UINT32_MAX, &replica) != 0 ||
        take_header_number(cursor, "learners", TAPE_LEARNERS_MAX, &learners) != 0 || take_scenario(cursor, tape) != 0)
        return -1;
    tape->replica = (uint32_t)replica;
    tape->learners = (int64_t)learners;
    tape->last_step = sim_allocate((size_t)learners, sizeof *tape->last_step);
    tape->records = cursor->at;
    tape->first_record = cursor->line;
    return 0;
}

/* ------------------------------------------------------------------ records */

static bool take_draw(struct cursor *cursor, struct tape *tape)
{
    uint64_t purpose = 0;
    struct tape_draw draw = {0};
    bool is_draw = take_text(cursor, "d ") && take_number(cursor, 10, UINT32_MAX, &purpose) && take_text(cursor, " ") &&
                   take_number(cursor, 10, UINT64_MAX, &draw.address.entity) && take_text(cursor, " ") &&
                   take_number(cursor, 10, UINT64_MAX, &draw.address.index) && take_text(cursor, " ") &&
                   take_number(cursor, 16, UINT64_MAX, &draw.word) && take_line_feed(cursor);
    if (!is_draw)
        return false;
    draw.address.purpose = (uint32_t)purpose;
    tape->draw = alloc_grown(tape->draw, tape->draws, &tape->draws_capacity, sizeof *tape->draw);
    tape->draw[tape->draws++] = draw;
    return true;
}

static bool take_step(struct cursor *cursor, const struct tape *tape)
{
    uint64_t time = 0, learner = 0, step = 0;
    bool is_step = take_text(cursor, "s ") && take_number(cursor, 10, INT64_MAX, &time) && take_text(cursor, " ") &&
                   take_number(cursor, 10, INT64_MAX, &learner) && take_text(cursor, " ") &&
                   take_number(cursor, 10, INT64_MAX - 1, &step) && take_text(cursor, " ") && skip_line(cursor) &&
                   learner < (uint64_t)tape->learners;
    if (is_step)
        tape->last_step[learner] = (int64_t)step;
    return is_step;
}

/* What only a repetition compares: updates, rounds, changes, metrics, buckets. */
static bool skip_record(struct cursor *cursor)
{
    static const char kinds[] = "urxmb";
    return cursor->end - cursor->at > 2 && strchr(kinds, cursor->at[0]) != NULL && cursor->at[1] == ' ' &&
           skip_line(cursor);
}

static int take_records(struct cursor *cursor, struct tape *tape)
{
    while (cursor->at < tape->records_end) {
        struct cursor before = *cursor;
        bool is_record = cursor->at[0] == 'd'   ? take_draw(cursor, tape)
                         : cursor->at[0] == 's' ? take_step(cursor, tape)
                                                : skip_record(cursor);
        if (!is_record)
            return fail(&before, "this is no record of a tape");
    }
    return 0;
}

/* ------------------------------------------------------------------ the end */

/* Finds the last line, which says that the tape is whole. */
static int check_end(struct cursor *cursor, struct tape *tape)
{
    const char *last = cursor->end;
    uint64_t lines = 0, hash = 0;
    while (last > cursor->at && (last == cursor->end || last[-1] != '\n') && cursor->end - last < END_LINE_MAX)
        last--;
    struct cursor end = {cursor->path, last, cursor->end, 0, cursor->error};
    bool is_end = take_text(&end, "end ") && take_number(&end, 10, INT64_MAX, &lines) && take_text(&end, " ") &&
                  take_number(&end, 16, UINT64_MAX, &hash) && take_text(&end, "\n") && end.at == end.end;
    if (!is_end)
        return sim_error_set(cursor->error, "%s: the tape was cut: its last line is not `end`", cursor->path);
    if (tape_hash(TAPE_HASH_START, tape->bytes, (size_t)(last - tape->bytes)) != hash)
        return sim_error_set(cursor->error, "%s: the tape was changed: its bytes do not give the hash of its last line",
                             cursor->path);
    tape->records_end = cursor->end = last;
    return 0;
}

/* ------------------------------------------------------------------ draws */

static int compare_addresses(const void *a, const void *b)
{
    const struct sim_address *x = &((const struct tape_draw *)a)->address, *y = &((const struct tape_draw *)b)->address;
    if (x->purpose != y->purpose)
        return x->purpose < y->purpose ? -1 : 1;
    if (x->entity != y->entity)
        return x->entity < y->entity ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

bool tape_recall(struct tape *tape, const struct sim_address *address, uint64_t *ret_word)
{
    const struct tape_draw key = {.address = *address}, *found = NULL;
    if (tape->next_draw < tape->draws && compare_addresses(&tape->draw[tape->next_draw], &key) == 0)
        found = &tape->draw[tape->next_draw];
    else if (tape->draws > 0)
        found = bsearch(&key, tape->draw, tape->draws, sizeof *tape->draw, compare_addresses);
    if (found == NULL)
        return false;
    tape->next_draw = (size_t)(found - tape->draw) + 1;
    *ret_word = found->word;
    return true;
}

bool tape_has_step(const struct tape *tape, int64_t learner, int64_t step)
{
    return learner < tape->learners && step <= tape->last_step[learner] + 1;
}

/* ------------------------------------------------------------------ the file */

static int map_file(const char *path, struct tape *tape, struct sim_error *error)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is refused, not waited for */
    if (file < 0 || fstat(file, &status) != 0) {
        (void)sim_error_set(error, "%s: %s", path, strerror(errno));
        if (file >= 0)
            (void)close(file);
        return -1;
    }
    bool is_file = S_ISREG(status.st_mode) && status.st_size > 0;
    void *bytes = is_file ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    (void)close(file);
    if (bytes == MAP_FAILED)
        return sim_error_set(error, "%s: %s", path, is_file ? strerror(errno) : "not a file, or an empty one");
    tape->bytes = bytes;
    tape->size = (size_t)status.st_size;
    return 0;
}

int tape_open(const char *path, struct tape **ret, struct sim_error *error)
{
    struct tape *tape = sim_allocate(1, sizeof *tape);
    tape->path = alloc_text(path);
    if (map_file(path, tape, error) == 0) {
        struct cursor cursor = {path, tape->bytes, tape->bytes + tape->size, 1, error};
        if (take_header(&cursor, tape) == 0 && check_end(&cursor, tape) == 0 && take_records(&cursor, tape) == 0) {
            if (tape->draws > 0)
                qsort(tape->draw, tape->draws, sizeof *tape->draw, compare_addresses);
            *ret = tape;
            return 0;
        }
    }
    tape_close(tape);
    return -1;
}

void tape_close(struct tape *tape)
{
    if (tape->bytes != NULL)
        (void)munmap((void *)tape->bytes, tape->size);
    free(tape->path);
    free(tape->scenario);
    free(tape->draw);
    free(tape->last_step);
    free(tape);
}
