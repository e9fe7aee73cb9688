/* A chaos monkey on a tiny fleet: every slice fails and every learner is taken away at every moment at which something
 * happens in an undisturbed run, and one nanosecond before and after, under every option. The run must reach its end,
 * its accounts must sum, and it must make progress: what fails comes back early enough. */
#include "tests/rig.h"

enum { MOMENTS_MAX = 400, LEARNERS = 2, SLICES = 4, END = 200 };

static struct world world;
static sim_time moment[MOMENTS_MAX];
static int moments;

static struct config tiny(int number)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.duration_ns = END;
    config.learners = LEARNERS;
    config.chips = 5;
    config.chips_per_slice = 2; /* slices of 2, 1 and 2 chips */
    config.step_time_ns = 10;
    config.downscale_ns = number % 3 ? 4 : 0;
    config.upscale_ns = number % 3 == 2 ? 3 : 6;
    config.restart_ns = 7;
    config.noticed = (enum config_noticed)(number / 3 % 2);
    config.overlap = (enum config_overlap)(number / 6 % 4);
    config.both = (enum config_both)(number / 24 % 2);
    config.grace = (enum config_grace)(number / 48 % 2);
    config.quorum = 1 + number / 96 % 2;
    config.upscale_every_ns = number % 5 == 0 ? 25 : 0;
    config.min_share = number % 7 == 0 ? 0.9 : 0;
    config.speed_spread = number % 2 ? 0.2 : 0;
    return config;
}
enum { OPTIONS = 192 };

static void note(sim_time time)
{
    bool is_new = time >= 0 && time <= END && (moments == 0 || time > moment[moments - 1]);
    if (is_new && moments < MOMENTS_MAX)
        moment[moments++] = time;
}

static void find_moments(const struct config *config)
{
    moments = 0;
    note(0);
    rig_open(&world, config);
    for (sim_time next; (next = sim_next_time(&world.sim)) <= END; (void)sim_run(&world.sim, next)) {
        note(next - 1);
        note(next);
        note(next + 1);
    }
    world_fini(&world);
}

static int64_t steps_of(void)
{
    int64_t steps = 0;
    for (int64_t i = 0; i < world.config->learners; i++)
        steps += world.learner[i].total.steps;
    return steps;
}

/* Every account sums; the last quarter, after the last return, has steps of everyone unless the end is too near. */
static void finish(int number, const char *what)
{
    const struct config *config = world.config;
    bool reached = sim_run(&world.sim, END * 3 / 4) == SIM_REACHED_END;
    int64_t before = steps_of();
    reached = reached && sim_run(&world.sim, END) == SIM_REACHED_END;
    world_settle(&world);
    bool sums = true;
    for (int64_t i = 0; i < config->learners; i++)
        sums = sums && account_total(&world.learner[i].count.account) == (sim_chip_time)world.learner[i].chips * END;
    if (!reached || !sums || steps_of() <= before)
        ck_abort_msg("option %d, %s: %s", number, what, reached ? sums ? "no progress" : "does not sum" : "stalled");
    world_fini(&world);
}

static void fail_once(int number, const struct config *config, sim_time time, int64_t chip, sim_time delay)
{
    static struct rig_failure failure;
    failure = (struct rig_failure){.time = time, .chip = chip, .delay = delay};
    rig_open(&world, config);
    rig_schedule(&world, &failure);
    finish(number, "one failure");
}

START_TEST(one_slice_at_every_moment)
{
    static const sim_time delay[] = {0, 3, 17};
    struct config config = tiny(_i);
    find_moments(&config);
    ck_assert_int_gt(moments, 40);
    for (int m = 0; m < moments; m++)
        for (int64_t chip = 0; chip < config.chips; chip++)
            for (int d = 0; d < 3; d++)
                fail_once(_i, &config, moment[m], chip, delay[d]);
}
END_TEST

/* All slices at once, and again at the next moment, when some are coming back. */
START_TEST(every_slice_at_every_moment)
{
    static struct rig_failure failure[2 * 5];
    struct config config = tiny(_i);
    find_moments(&config);
    for (int m = 0; m + 3 < moments && moment[m + 3] < END / 2; m++) {
        rig_open(&world, &config);
        for (int i = 0; i < 10; i++) {
            failure[i] = (struct rig_failure){.time = moment[m + i / 5 * 3], .chip = i % 5, .delay = i * 7 % 20};
            rig_schedule(&world, &failure[i]);
        }
        finish(_i, "all slices");
    }
}
END_TEST

/* The moments of the disturbed run itself: after the failure of one slice the other fails at each of them. */
START_TEST(another_slice_at_every_moment_after_the_first)
{
    static struct rig_failure failure[2];
    struct config config = tiny(_i);
    for (sim_time gap = 0; gap < 45; gap++) {
        rig_open(&world, &config);
        failure[0] = (struct rig_failure){.time = 13, .chip = 0, .delay = 9};
        failure[1] = (struct rig_failure){.time = 13 + gap, .chip = 2, .delay = gap % 13};
        rig_schedule(&world, &failure[0]);
        rig_schedule(&world, &failure[1]);
        finish(_i, "two failures");
    }
}
END_TEST

/* The protocol under the same options: a cycle of three rounds, outages of no, one or two steps too long, links on
 * which a copy of the state takes no time, half a step, or more than the bound of a cycle. */
static struct config linked(int number, int link)
{
    static const double whole_ns[] = {0, 1.7, 15};
    struct config config = tiny(number);
    config.fragments = 1 + number % 3;
    config.sync_every = 3;
    config.sync_overlap = number / 3 % 3;
    config.recover_after = number % 3;
    if (link > 0) {
        config.parameters = 1e9;
        config.bits = 1;
        config.datacentres = 2;
        config.link_bits_per_s = 1e18 / whole_ns[link];
    }
    return config;
}

/* A whole learner is taken at every moment, and a slice of the other, or of itself, fails while it is gone, comes back,
 * or copies. */
static void take_once(int number, const struct config *config, sim_time time, int i)
{
    static const sim_time lasts[] = {0, 4, 21, 38};
    static struct rig_absence absence;
    static struct rig_failure failure;
    absence = (struct rig_absence){.from = time, .until = time + lasts[i % 4], .learner = i / 4 % LEARNERS};
    failure = (struct rig_failure){.time = time + (i * 13 + number) % 50, .chip = (i + number) % 5, .delay = i % 15};
    rig_open(&world, config);
    rig_preempt(&world, &absence);
    rig_schedule(&world, &failure);
    finish(number, "one absence");
}

START_TEST(one_learner_at_every_moment)
{
    for (int link = 0; link < 3; link++) {
        struct config config = linked(_i, link);
        find_moments(&config);
        for (int m = 0; m < moments && moment[m] < 80; m++)
            for (int i = 0; i < 4 * LEARNERS; i++)
                take_once(_i, &config, moment[m], i);
    }
}
END_TEST

/* Both are taken, the second at every gap after the first: nobody to copy from, a peer that leaves, two copies at once.
 */
START_TEST(another_learner_at_every_moment_after_the_first)
{
    static struct rig_absence absence[2];
    for (int link = 0; link < 3; link++) {
        struct config config = linked(_i, link);
        for (sim_time gap = 0; gap < 60; gap++) {
            rig_open(&world, &config);
            absence[0] = (struct rig_absence){.from = 23, .until = 23 + 35 - gap % 9, .learner = gap % 2};
            absence[1] = (struct rig_absence){.from = 23 + gap, .until = 23 + gap + gap % 23, .learner = 1 - gap % 2};
            rig_preempt(&world, &absence[0]);
            rig_preempt(&world, &absence[1]);
            finish(_i, "two absences");
        }
    }
}
END_TEST

/* The syncer goes down at every moment, comes back at once or later, and goes down again; meanwhile a slice fails.
 * Snapshots of one or several rounds, written in no time, in half a step or in two, blocking or not; or none. */
static struct config saving(int number, int link)
{
    static const sim_time cost[] = {0, 5, 21};
    struct config config = linked(number, link);
    config.checkpoint_every_ns = number % 4 ? 10 : 0;
    config.checkpoint_every_rounds = 1 + number % 5;
    config.checkpoint_cost_ns = cost[number % 3];
    config.checkpoint_restore_ns = cost[number / 3 % 3];
    config.checkpoint_mode = (enum config_checkpoint_mode)(number / 2 % 2);
    rig_add_outage(&config, "syncer", 1e9, rig_constant(0));
    return config;
}

static void break_once(int number, const struct config *config, sim_time time, int i)
{
    static const sim_time lasts[] = {0, 4, 21};
    static struct rig_outage outage[2];
    static struct rig_failure failure;
    outage[0] = (struct rig_outage){.from = time, .until = time + lasts[i]};
    outage[1] = (struct rig_outage){.from = time + (i * 11 + number) % 40, .until = time + 42};
    failure = (struct rig_failure){.time = time + (i * 13 + number) % 30, .chip = (i + number) % 5, .delay = i * 6};
    rig_open(&world, config);
    rig_break_syncer(&world, &outage[0]);
    rig_break_syncer(&world, &outage[1]);
    rig_schedule(&world, &failure);
    finish(number, "the syncer");
}

START_TEST(the_syncer_at_every_moment)
{
    for (int link = 0; link < 3; link++) {
        struct config config = saving(_i, link);
        find_moments(&config);
        for (int m = 0; m < moments && moment[m] < 70; m++)
            for (int i = 0; i < 3; i++)
                break_once(_i, &config, moment[m], i);
    }
}
END_TEST

/* And a learner is away at the same time. */
START_TEST(the_syncer_and_a_learner_at_every_moment)
{
    static struct rig_outage outage;
    static struct rig_absence absence;
    for (int link = 0; link < 3; link++) {
        struct config config = saving(_i, link);
        for (sim_time gap = -25; gap < 25; gap++) {
            outage = (struct rig_outage){.from = 45, .until = 45 + (gap + 25) % 20};
            absence =
                (struct rig_absence){.from = 45 + gap, .until = 45 + gap + 7 * (gap + 25) % 40, .learner = _i % 2};
            rig_open(&world, &config);
            rig_preempt(&world, &absence);
            rig_break_syncer(&world, &outage);
            finish(_i, "the syncer and a learner");
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("monkey");
    TCase *tcase = tcase_create("monkey");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, one_slice_at_every_moment, 0, OPTIONS);
    tcase_add_loop_test(tcase, every_slice_at_every_moment, 0, OPTIONS);
    tcase_add_loop_test(tcase, another_slice_at_every_moment_after_the_first, 0, OPTIONS);
    tcase_add_loop_test(tcase, one_learner_at_every_moment, 0, OPTIONS);
    tcase_add_loop_test(tcase, another_learner_at_every_moment_after_the_first, 0, OPTIONS);
    tcase_add_loop_test(tcase, the_syncer_at_every_moment, 0, OPTIONS);
    tcase_add_loop_test(tcase, the_syncer_and_a_learner_at_every_moment, 0, OPTIONS);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
