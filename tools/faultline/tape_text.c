#include "tools/faultline/tape_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"

#define FIELD_MAX 64 /* bytes of a number and what is in front of it */

/* ------------------------------------------------------------------ a line */

static char *room(struct tape_text *text, size_t size)
{
    if (text->length + size > text->capacity) {
        text->capacity = 2 * (text->length + size);
        text->line = sim_reallocate(text->line, text->capacity, 1);
    }
    return text->line + text->length;
}

static void put_byte(struct tape_text *text, char byte)
{
    *room(text, 1) = byte;
    text->length++;
}

static void put_text(struct tape_text *text, const char *word)
{
    size_t size = strlen(word);
    memcpy(room(text, size), word, size);
    text->length += size;
}

static void put_unsigned(struct tape_text *text, uint64_t number)
{
    char digits[20], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    size_t size = (size_t)(digits + sizeof digits - at);
    memcpy(room(text, size), at, size);
    text->length += size;
}

/* `before`, and the number. */
static void put_number(struct tape_text *text, char before, int64_t number)
{
    put_byte(text, before);
    if (number < 0)
        put_byte(text, '-');
    put_unsigned(text, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

static void put_double(struct tape_text *text, char before, double number)
{
    put_byte(text, before);
    text->length += (size_t)snprintf(room(text, FIELD_MAX), FIELD_MAX, "%.17g", number);
}

static void put_word(struct tape_text *text, const char *word)
{
    put_byte(text, ' ');
    put_text(text, word);
}

static void start(struct tape_text *text, char what)
{
    text->length = 0;
    put_byte(text, what);
}

static void finish(struct tape_text *text)
{
    put_byte(text, '\n');
    text->put(text->context, text->line, text->length);
}

/* What the clock of a worker has gained since it was last put. */
static void put_clock(struct tape_text *text, int64_t worker, const int64_t *clock)
{
    int64_t *told = text->told + worker * text->workers, entries = text->workers;
    while (entries > 0 && clock[entries - 1] == told[entries - 1])
        entries--;
    for (int64_t i = 0; i < entries; i++) {
        put_number(text, ' ', clock[i] - told[i]);
        told[i] = clock[i];
    }
}

/* ------------------------------------------------------------------ records */

static void on_step(void *context, const struct run_step *step)
{
    struct tape_text *text = context;
    start(text, 's');
    put_number(text, ' ', step->time_ns);
    put_number(text, ' ', step->learner);
    put_number(text, ' ', step->step);
    put_number(text, ' ', step->step_ns);
    put_number(text, ' ', step->chips);
    put_number(text, ' ', step->chip_steps);
    put_clock(text, step->learner, step->clock);
    finish(text);
}

static void on_update(void *context, const struct run_update *update)
{
    struct tape_text *text = context;
    start(text, 'u');
    put_number(text, ' ', update->time_ns);
    put_number(text, ' ', update->learner);
    put_number(text, ' ', update->round);
    put_number(text, ' ', update->fragment);
    finish(text);
}

static void put_claim(struct tape_text *text, const struct run_claim *claim)
{
    put_number(text, ' ', claim->learner);
    put_number(text, ':', claim->step);
    put_number(text, ':', claim->steps);
    put_number(text, ':', claim->chip_steps);
    put_number(text, ':', claim->staleness);
    put_double(text, ':', claim->weight);
}

static void on_round(void *context, const struct run_round *round)
{
    struct tape_text *text = context;
    start(text, 'r');
    put_number(text, ' ', round->opened_ns);
    put_number(text, ' ', round->quorum_ns);
    put_number(text, ' ', round->closed_ns);
    put_number(text, ' ', round->round);
    put_number(text, ' ', round->fragment);
    put_number(text, ' ', round->participants);
    for (int64_t i = 0; i < round->participants; i++)
        put_claim(text, &round->claim[i]);
    put_clock(text, text->workers - 1, round->clock);
    finish(text);
}

static void on_transition(void *context, const struct run_transition *transition)
{
    struct tape_text *text = context;
    start(text, 'x');
    put_number(text, ' ', transition->time_ns);
    put_word(text, transition->machine);
    put_number(text, ' ', transition->id);
    put_word(text, transition->from);
    put_word(text, transition->to);
    put_word(text, transition->cause);
    finish(text);
}

void tape_text_draw(struct tape_text *text, const struct sim_address *address, uint64_t word)
{
    start(text, 'd');
    put_number(text, ' ', address->purpose);
    put_byte(text, ' ');
    put_unsigned(text, address->entity);
    put_byte(text, ' ');
    put_unsigned(text, address->index);
    text->length += (size_t)snprintf(room(text, FIELD_MAX), FIELD_MAX, " %016" PRIx64, word);
    finish(text);
}

/* 128 bits in decimal. */
static void put_chip_time(struct tape_text *text, sim_chip_time time)
{
    const sim_chip_time billion = 1000000000;
    if (time >= billion) {
        put_chip_time(text, time / billion);
        text->length += (size_t)snprintf(room(text, FIELD_MAX), FIELD_MAX, "%09" PRId64, (int64_t)(time % billion));
    } else {
        put_unsigned(text, (uint64_t)time);
    }
}

void tape_text_result(struct tape_text *text, const struct run_result *result)
{
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        start(text, 'm');
        put_word(text, run_metric_info[i].name);
        put_double(text, ' ', result->metric[i]);
        finish(text);
    }
    for (int64_t m = 0; m < result->learners; m++)
        for (int i = 0; i < RUN_BUCKET_COUNT; i++) {
            start(text, 'b');
            put_number(text, ' ', m);
            put_word(text, run_bucket_name[i]);
            put_byte(text, ' ');
            put_chip_time(text, result->learner[m].bucket[i]);
            finish(text);
        }
}

/* ------------------------------------------------------------------ beginning and end */

void tape_text_init(struct tape_text *text, int64_t learners,
                    void (*put)(void *context, const char *line, size_t length), void *context)
{
    *text = (struct tape_text){.put = put, .context = context, .workers = learners + 1};
    text->told = sim_allocate((size_t)text->workers * (size_t)text->workers, sizeof *text->told);
}

void tape_text_fini(struct tape_text *text)
{
    free(text->told);
    free(text->line);
    *text = (struct tape_text){0};
}

struct run_observer tape_text_observer(struct tape_text *text)
{
    return (struct run_observer){
        .context = text,
        .on_transition = on_transition,
        .on_round = on_round,
        .on_step = on_step,
        .on_update = on_update,
    };
}
