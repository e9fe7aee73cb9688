/* The queue against a model that needs no cleverness: all pending events in one sorted array. Random scheduling,
 * moving, cancelling and taking, with times of many shapes: ties, bursts, far apart, at both ends of 64 bits. */
#include "tests/queue_model.h"
#include "tests/rig.h"

enum { ACTS = 60000 };

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    uint64_t x = (state ^ state >> 29) * 0xbf58476d1ce4e5b9U;
    return (x >> 20) % below;
}

/* How far ahead, in a few shapes; the test goes from one to the next. */
static sim_time ahead(int shape)
{
    switch (shape) {
    case 0:
        return (sim_time)draw(40); /* ties */
    case 1:
        return 0; /* all at once */
    case 2:
        return (sim_time)(draw(2) ? draw(1000) : draw(10000000)); /* skewed */
    case 3:
        return (sim_time)1 << draw(60); /* of every size */
    case 4:
        return draw(50) ? (sim_time)draw(3) : (sim_time)draw((uint64_t)1 << 50); /* bursts */
    default:
        return (sim_time)(draw((uint64_t)INT64_MAX)); /* anywhere to the end of time */
    }
}

static sim_time draw_time(int shape)
{
    return draw(100) == 0 ? SIM_TIME_NEVER : sim_time_add(queue_model.origin.now, ahead(shape));
}

static void schedule(int shape)
{
    sim_time time = draw_time(shape);
    unsigned rank = (unsigned)draw(3);
    queue_model_schedule(time, rank, (uint32_t)draw(4));
}

static int any_place(void)
{
    return (int)draw((uint64_t)queue_model.pending);
}

static void move(int shape)
{
    int place = any_place();
    queue_model_move(place, draw_time(shape));
}

static void act(int shape, uint64_t scheduled_of_ten)
{
    uint64_t dice = draw(10);
    if (dice < scheduled_of_ten)
        schedule(shape);
    else if (dice == 7 && queue_model.pending > 0)
        queue_model_cancel(any_place());
    else if (dice == 8 && queue_model.pending > 0)
        move(shape);
    else
        queue_model_take();
    if (draw(4) == 0)
        queue_model_look();
}

/* Grows to thousands and shrinks to none, in turns. */
START_TEST(agrees_with_a_sorted_model)
{
    state = (uint64_t)_i * 977 + 5;
    queue_model_start();
    for (int i = 0; i < ACTS; i++)
        act(i / 5000 % 2 ? _i % 6 : (int)draw(6), i / 10000 % 2 ? 2 : 6);
    queue_model_finish();
}
END_TEST

/* Always earlier than all before: a row that grows at its front. */
START_TEST(filled_from_the_end)
{
    queue_model_start();
    for (int i = 0; i < QUEUE_MODEL_MAX; i++)
        queue_model_schedule((sim_time)(QUEUE_MODEL_MAX - i) << 40, 0, 0);
    ck_assert_uint_lt(queue_model.queue.ladder.depth, 20);
    queue_model_finish();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("queue");
    TCase *tcase = tcase_create("queue");
    tcase_add_loop_test(tcase, agrees_with_a_sorted_model, 0, 24);
    tcase_add_test(tcase, filled_from_the_end);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
