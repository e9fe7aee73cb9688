/* tools/faultline/tape_text.h -- the records of an event tape as lines of text.
 *
 * One line a record, fields separated by blanks, the first says what it is. Times are ns since the start of the run,
 * steps and rounds count from the start of the run, learners from 0.
 *
 *   d PURPOSE ENTITY INDEX WORD      a random number: its address and, in hexadecimal, the 64 bits of the generator
 *   s T LEARNER STEP LENGTH CHIPS CHIP_STEPS CLOCK
 *                                    the learner completed a step that took LENGTH with CHIPS; chip-steps since the
 *                                    start (its tokens are CHIP_STEPS x tokens_per_step / chips of the learner)
 *   u T LEARNER ROUND FRAGMENT       it overwrote the fragment: its counters c_steps and c_tokens of the fragment are 0
 *   r OPENED QUORUM CLOSED ROUND FRAGMENT N (LEARNER:STEP:STEPS:CHIP_STEPS:STALENESS:WEIGHT){N} CLOCK
 *                                    the syncer closed a round (FRAGMENT -1: none was due): what it counted of whom,
 *                                    STEPS and CHIP_STEPS being the counters of the fragment
 *   x T MACHINE ID FROM TO CAUSE     a change of state of a slice, a learner or the syncer: failures, recoveries
 *   m NAME VALUE                     a metric of the run
 *   b LEARNER NAME CHIP_NS           a bucket of its time account
 *
 * CLOCK is a vector clock: how much each entry (the learners in order, then the syncer) has grown since the last record
 * of the same worker; zeros at the end are left out. Draws, steps, updates, rounds and changes are in the order in
 * which they happened. What stands around the records is in tools/faultline/tape.h.
 *
 * Units: ns, counts; doubles with 17 digits, so that they read back to the same bits.
 * Ownership: tape_text_init and tape_text_fini; a line lives only during the call of `put`.
 * Errors: none; `put` keeps its own.
 */
#ifndef TOOLS_FAULTLINE_TAPE_TEXT_H
#define TOOLS_FAULTLINE_TAPE_TEXT_H

#include "models/run.h"

struct tape_text {
    void (*put)(void *context, const char *line, size_t length); /* a line, its line feed included */
    void *context;
    int64_t workers;
    int64_t *told; /* the clocks as last put, [worker * workers + entry] */
    char *line;
    size_t length, capacity;
};

void tape_text_init(struct tape_text *text, int64_t learners,
                    void (*put)(void *context, const char *line, size_t length), void *context);
void tape_text_fini(struct tape_text *text);

/* An observer that puts what happens; valid as long as the text. */
struct run_observer tape_text_observer(struct tape_text *text);

/* Puts a random number, the metrics and buckets of a result. */
void tape_text_draw(struct tape_text *text, const struct sim_address *address, uint64_t word);
void tape_text_result(struct tape_text *text, const struct run_result *result);

#endif
