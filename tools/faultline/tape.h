/* tools/faultline/tape.h -- event tapes: all that happened in one replica, in a file that can be replayed.
 *
 * A tape holds the scenario, every random number of the run, and a record of every step, update, round and change of
 * state (tools/faultline/tape_text.h). Version 1 is text in lines that end with a line feed:
 *
 *   faultline-tape 1
 *   program VERSION
 *   model VERSION                    of the models: others may give other results
 *   seed SEED
 *   replica NUMBER
 *   learners COUNT
 *   scenario LINES                   the canonical YAML follows in so many lines
 *   | LINE
 *   the records
 *   end LINES HASH                   lines before this one; 64-bit FNV-1a of all bytes before it, in hexadecimal
 *
 * A tape appears under its name when it is whole, and not before. The file is read through memory, which the system
 * shares and need not hold at once.
 *
 * Units: lines count from 1.
 * Ownership: tape_create makes a writer that tape_finish or tape_abandon ends; tape_open a tape that tape_close ends.
 * Errors: -1 with a text; a file that was cut, changed or is not a tape is refused with the line.
 */
#ifndef TOOLS_FAULTLINE_TAPE_H
#define TOOLS_FAULTLINE_TAPE_H

#include "sim/error.h"
#include "tools/faultline/scenario.h"
#include "tools/faultline/tape_text.h"

#define TAPE_VERSION 1
#define TAPE_LEARNERS_MAX 1024 /* clocks of more would not fit in memory */

/* --- writing --- */

struct tape_writer;

int tape_create(const char *path, const struct scenario *scenario, uint32_t replica, struct tape_writer **ret,
                struct sim_error *error);

/* What a run is to tell the writer; valid until it ends. */
const struct run_observer *tape_observer(const struct tape_writer *writer);
const struct run_draws *tape_draws(const struct tape_writer *writer);

/* Puts the result and the end, and gives the file its name. Ends the writer also on failure. */
int tape_finish(struct tape_writer *writer, const struct run_result *result, struct sim_error *error);

/* Ends the writer and removes what it wrote; NULL is ignored. */
void tape_abandon(struct tape_writer *writer);

/* --- reading --- */

struct tape {
    char *path;
    const char *bytes; /* of the file, mapped */
    size_t size;
    uint64_t seed;
    uint32_t replica;
    int64_t learners;
    char *scenario; /* canonical YAML */
    const char *records, *records_end;
    int64_t first_record;   /* its line */
    struct tape_draw *draw; /* sorted by address */
    size_t draws, draws_capacity;
    size_t next_draw;   /* probably the next one asked for */
    int64_t *last_step; /* of each learner */
};

/* Reads and checks a whole tape. */
int tape_open(const char *path, struct tape **ret, struct sim_error *error);
void tape_close(struct tape *tape);

/* The word at an address; false when the tape does not hold it. */
bool tape_recall(struct tape *tape, const struct sim_address *address, uint64_t *ret_word);

/* True when the tape holds the step, completed or under way at its end. */
bool tape_has_step(const struct tape *tape, int64_t learner, int64_t step);

#endif
