/* Vector clocks by hand: two learners and the syncer; then what holds in runs. */
#include "models/clocks.h"

#include "tests/chance.h"
#include "tests/rig.h"

static void expect(const struct clocks *clocks, int64_t worker, int64_t a, int64_t b, int64_t syncer)
{
    const int64_t *clock = clocks_of(clocks, worker);
    ck_assert_int_eq(clock[0], a);
    ck_assert_int_eq(clock[1], b);
    ck_assert_int_eq(clock[2], syncer);
}

START_TEST(messages_carry_what_is_known)
{
    struct clocks clocks;
    clocks_init(&clocks, 2);
    ck_assert_int_eq(clocks_syncer(&clocks), 2);
    clocks_tick(&clocks, 0);
    clocks_tick(&clocks, 0);
    clocks_tick(&clocks, 1);
    clocks_receive(&clocks, 2, clocks_of(&clocks, 0));
    clocks_tick(&clocks, 2);
    int64_t *broadcast = clocks_copy(&clocks, 2);
    clocks_tick(&clocks, 2); /* after it was sent */
    clocks_receive(&clocks, 1, broadcast);
    free(broadcast);
    expect(&clocks, 0, 2, 0, 0);
    expect(&clocks, 1, 2, 1, 1);
    expect(&clocks, 2, 2, 0, 2);
    clocks_receive(&clocks, 1, NULL);
    expect(&clocks, 1, 2, 1, 1);
    clocks_fini(&clocks);
}
END_TEST

START_TEST(clocks_that_are_off_do_nothing)
{
    struct clocks clocks = {0};
    clocks_tick(&clocks, 0);
    clocks_receive(&clocks, 0, clocks_of(&clocks, 1));
    ck_assert_ptr_null(clocks_of(&clocks, 0));
    ck_assert_ptr_null(clocks_copy(&clocks, 0));
    clocks_fini(&clocks);
}
END_TEST

/* What each learner has been told so far, and how many steps it made. */
enum { LEARNERS_MAX = 8 };
static int64_t known[LEARNERS_MAX][LEARNERS_MAX + 1], steps[LEARNERS_MAX + 1];
static uint64_t number;

static void on_step(void *context, const struct run_step *step)
{
    (void)context;
    int64_t m = step->learner;
    ck_assert_int_eq(step->step, ++steps[m]);
    ck_assert_int_eq(step->clock[m], step->step);
    for (int64_t i = 0; i < step->workers; i++) {
        ck_assert_msg(step->clock[i] >= known[m][i] && step->clock[i] <= steps[i], "world %d", (int)number);
        known[m][i] = step->clock[i];
    }
}

static void on_round(void *context, const struct run_round *round)
{
    int64_t workers = *(int64_t *)context;
    ck_assert_int_eq(round->clock[workers - 1], ++steps[workers - 1]);
    ck_assert(round->restarts > 0 ? round->round < steps[workers - 1] : round->round + 1 == steps[workers - 1]);
    for (int64_t i = 0; i < round->participants; i++)
        ck_assert_int_ge(round->clock[round->claim[i].learner], round->claim[i].step);
}

/* Nobody knows more of another than has happened, or forgets; the syncer knows every step that it counts. */
START_TEST(nobody_knows_the_future)
{
    for (number = 0; number < 300; number++) {
        chance_state = number;
        struct config config = chance_tiny_world();
        int64_t workers = config.learners + 1;
        const struct run_observer observer = {.context = &workers, .on_step = on_step, .on_round = on_round};
        const struct run_request request = {.config = &config, .seed = number, .observer = &observer};
        struct run_result result;
        memset(known, 0, sizeof known);
        memset(steps, 0, sizeof steps);
        run_replica(&request, &result);
        run_result_fini(&result);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clocks");
    TCase *tcase = tcase_create("clocks");
    tcase_add_test(tcase, messages_carry_what_is_known);
    tcase_add_test(tcase, clocks_that_are_off_do_nothing);
    tcase_add_test(tcase, nobody_knows_the_future);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
