/* One learner without a syncer against an oracle: the rules of the specification written down a second time, as plainly
 * as possible, nanosecond by nanosecond, without lists, sleeping, events or accounts. Thousands of random scripts of
 * failures under every option must agree in every bucket and counter. */
#include <math.h>

#include "tests/rig.h"

enum { SLICES_MAX = 16, FAILURES = 14 };

enum phase { STEP, DOWN, UP, RESTART, AWAY, SAVE, RESTORE };
enum place { IN, FAILED, BACK, OUT, READY, JOINING };

struct mark {
    int64_t useful, steps, chip_steps;
};

struct oracle {
    const struct config *c;
    struct fleet fleet;
    const struct rig_failure *script;
    sim_time t, phase_end, upscale_from;
    enum phase phase;
    bool is_gaining, again;
    enum place place[SLICES_MAX];
    sim_time back[SLICES_MAX];
    int64_t in_step; /* chip-ns of the step in progress */
    int64_t bucket[RUN_BUCKET_COUNT];
    bool is_writing, must_restore;
    sim_time written, work, work_in_step; /* when a checkpoint in the background is complete; since the last one */
    struct mark writing, last;
    int64_t checkpoints, rollbacks, steps_lost;
    int64_t steps, chip_steps, stepping, failures, interruptions, reconfigurations, repairs;
};

/* Chips of the slices in places `first` to `last`. */
static int64_t chips_in(const struct oracle *o, enum place first, enum place last)
{
    int64_t chips = 0;
    for (int64_t s = 0; s < o->fleet.slices; s++)
        if (o->place[s] >= first && o->place[s] <= last)
            chips += fleet_slice_chips(&o->fleet, s);
    return chips;
}

static int64_t present(const struct oracle *o)
{
    return chips_in(o, IN, BACK);
}

static void move_all(struct oracle *o, enum place from, enum place to)
{
    for (int64_t s = 0; s < o->fleet.slices; s++)
        if (o->place[s] == from)
            o->place[s] = to;
}

static int64_t needed(const struct oracle *o)
{
    for (int64_t chips = 1; chips < o->c->chips; chips++)
        if ((double)chips >= o->c->min_share * (double)o->c->chips - 1e-9)
            return chips;
    return o->c->chips;
}

static void save(struct oracle *o)
{
    o->is_writing = false;
    o->last = o->writing;
    o->work = o->work_in_step = 0;
    o->checkpoints++;
}

static void lose_state(struct oracle *o)
{
    if (o->c->checkpoint_every_ns == 0 || o->must_restore)
        return;
    o->bucket[RUN_BUCKET_lost] += o->bucket[RUN_BUCKET_useful] - o->last.useful;
    o->bucket[RUN_BUCKET_useful] = o->last.useful;
    o->steps_lost += o->steps - o->last.steps;
    o->steps = o->last.steps;
    o->chip_steps = o->last.chip_steps;
    o->rollbacks++;
    o->must_restore = true;
    o->is_writing = false;
    o->work = 0;
}

static void enter(struct oracle *o, enum phase phase, sim_time length)
{
    if (phase == RESTART || phase == AWAY)
        lose_state(o);
    o->phase = phase;
    o->phase_end = o->t + length;
    o->reconfigurations += phase == DOWN || phase == UP;
}

static void enter_up(struct oracle *o)
{
    o->upscale_from = o->t + o->c->upscale_every_ns;
    move_all(o, JOINING, IN);
    enter(o, UP, o->c->upscale_ns);
}

static void reconfigure(struct oracle *o, bool has_lost, bool has_gained)
{
    bool is_max = has_lost && has_gained && o->c->both == CONFIG_MAX;
    o->is_gaining = false;
    if (is_max)
        o->upscale_from = o->t + o->c->upscale_every_ns;
    if (!has_lost || (is_max && o->c->upscale_ns > o->c->downscale_ns)) {
        enter_up(o);
        return;
    }
    o->is_gaining = has_gained && !is_max;
    enter(o, DOWN, o->c->downscale_ns);
}

/* With all that are back by the end of the instant; false when they are too few. */
static bool leave_away(struct oracle *o)
{
    if (present(o) + chips_in(o, READY, READY) < needed(o))
        return false;
    move_all(o, READY, JOINING);
    reconfigure(o, false, true);
    return true;
}

static sim_time restart_ns(const struct oracle *o)
{
    return o->c->restart_ns + o->c->chips * o->c->restart_per_chip_ns;
}

/* True when the job stands still for a checkpoint. */
static bool begin_save(struct oracle *o)
{
    if (o->c->checkpoint_every_ns == 0 || o->is_writing || o->work < o->c->checkpoint_every_ns)
        return false;
    o->is_writing = true;
    o->writing = (struct mark){o->bucket[RUN_BUCKET_useful], o->steps, o->chip_steps};
    o->written = o->c->checkpoint_mode == CONFIG_BACKGROUND ? o->t + o->c->checkpoint_cost_ns : -1;
    if (o->written == o->t)
        save(o);
    return o->c->checkpoint_mode == CONFIG_BLOCKING;
}

static void go_on(struct oracle *o)
{
    if (present(o) < needed(o)) {
        enter(o, AWAY, 0);
        (void)leave_away(o);
    } else if (o->must_restore) {
        enter(o, RESTORE, o->c->checkpoint_restore_ns);
    } else if (begin_save(o)) {
        enter(o, SAVE, o->c->checkpoint_cost_ns);
    } else {
        enter(o, STEP, o->c->step_time_ns);
    }
}

static void decide(struct oracle *o)
{
    bool has_lost = chips_in(o, FAILED, BACK) > 0;
    o->interruptions += has_lost;
    if (has_lost && o->c->method == CONFIG_DP) {
        enter(o, RESTART, restart_ns(o));
        return;
    }
    move_all(o, FAILED, OUT);
    move_all(o, BACK, READY);
    bool is_short = present(o) < needed(o), may_rise = is_short || o->t >= o->upscale_from;
    int64_t ready = chips_in(o, READY, READY);
    bool has_gained = ready > 0 && may_rise && present(o) + ready >= needed(o);
    if (has_gained)
        move_all(o, READY, JOINING);
    if ((has_lost && !is_short) || has_gained)
        reconfigure(o, has_lost, has_gained);
    else
        go_on(o);
}

static void fail_in_reconfiguration(struct oracle *o, int64_t s)
{
    if (o->c->overlap == CONFIG_NEXT_STEP)
        return;
    o->place[s] = OUT;
    o->again = o->again || o->c->overlap == CONFIG_QUEUE;
    if (o->c->overlap == CONFIG_RESTART)
        reconfigure(o, true, o->phase == UP || chips_in(o, JOINING, JOINING) > 0);
}

static void mend(struct oracle *o, int64_t s)
{
    o->repairs++;
    if (o->place[s] == FAILED) {
        o->place[s] = BACK;
        return;
    }
    bool is_folded = (o->phase == DOWN || o->phase == UP) && o->c->overlap == CONFIG_FOLD;
    o->place[s] = is_folded ? JOINING : READY;
}

/* What a failure does in the phase in which it happens. */
static void disturb(struct oracle *o, int64_t s)
{
    bool is_dp = o->c->method == CONFIG_DP;
    if (o->phase == DOWN || o->phase == UP || (o->phase == RESTORE && !is_dp))
        fail_in_reconfiguration(o, s);
    else if (o->phase == AWAY)
        o->place[s] = OUT;
    else if (o->phase == SAVE)
        decide(o);
    else if (o->phase != STEP && o->c->overlap == CONFIG_RESTART)
        enter(o, RESTART, restart_ns(o));
}

static void lose(struct oracle *o, int64_t s, sim_time delay)
{
    if (o->place[s] != IN)
        return;
    o->failures++;
    o->place[s] = FAILED;
    o->is_writing = false;
    disturb(o, s);
    if (o->c->method == CONFIG_DP)
        return;
    o->back[s] = delay == SIM_TIME_NEVER ? -1 : o->t + delay;
    if (delay == 0)
        mend(o, s);
}

static void end_reconfiguration(struct oracle *o)
{
    if (o->is_gaining) {
        o->is_gaining = false;
        enter_up(o);
        return;
    }
    move_all(o, JOINING, IN);
    bool again = o->again && present(o) >= needed(o);
    o->again = false;
    if (again)
        reconfigure(o, true, false);
    else
        go_on(o);
}

static void replace(struct oracle *o)
{
    for (int64_t s = 0; s < o->fleet.slices; s++)
        o->repairs += o->place[s] == FAILED;
    move_all(o, FAILED, IN);
}

static void end_step(struct oracle *o, bool is_aborted)
{
    o->work += is_aborted ? 0 : o->work_in_step;
    o->bucket[is_aborted ? RUN_BUCKET_lost : RUN_BUCKET_useful] += o->in_step;
    o->steps += !is_aborted;
    o->chip_steps += is_aborted ? 0 : present(o);
    o->in_step = o->work_in_step = 0;
    decide(o);
}

/* The phase that ends at this instant gives way to the next; false when none does. */
static bool end_phase(struct oracle *o)
{
    bool is_aborted = o->phase == STEP && o->c->noticed == CONFIG_AT_ONCE && chips_in(o, FAILED, BACK) > 0;
    if (o->phase == AWAY)
        return leave_away(o);
    if (o->phase_end > o->t && !is_aborted)
        return false;
    if (o->phase == STEP) {
        end_step(o, is_aborted);
    } else if (o->phase == RESTART) {
        replace(o);
        go_on(o);
    } else if (o->phase == SAVE) {
        save(o);
        decide(o);
    } else {
        if (o->phase == RESTORE && o->c->method == CONFIG_DP)
            replace(o);
        o->must_restore = o->must_restore && o->phase != RESTORE;
        end_reconfiguration(o);
    }
    return true;
}

static void book(struct oracle *o)
{
    static const enum run_bucket bucket[] = {
        [DOWN] = RUN_BUCKET_downscale, [UP] = RUN_BUCKET_upscale,      [RESTART] = RUN_BUCKET_restart,
        [AWAY] = RUN_BUCKET_away,      [SAVE] = RUN_BUCKET_checkpoint, [RESTORE] = RUN_BUCKET_restart};
    if (o->phase == STEP)
        o->in_step += present(o);
    else
        o->bucket[bucket[o->phase]] += present(o);
    o->bucket[RUN_BUCKET_away] += o->c->chips - present(o);
    o->stepping += o->phase == STEP;
    o->work_in_step += o->phase == STEP;
}

static void happen(struct oracle *o)
{
    for (int64_t s = 0; s < o->fleet.slices; s++)
        if (o->back[s] == o->t && o->place[s] >= FAILED && o->place[s] <= OUT && o->place[s] != BACK) {
            o->back[s] = -1;
            mend(o, s);
        }
    for (int i = 0; i < FAILURES; i++)
        if (o->script[i].time == o->t)
            lose(o, fleet_locate(&o->fleet, o->script[i].chip).slice, o->script[i].delay);
    if (o->is_writing && o->written == o->t)
        save(o);
    while (end_phase(o))
        continue;
}

static void foretell(struct oracle *o, const struct config *config, const struct rig_failure *script)
{
    *o = (struct oracle){.c = config, .script = script, .phase_end = config->step_time_ns};
    fleet_init(&o->fleet, config);
    for (int64_t s = 0; s < o->fleet.slices; s++)
        o->back[s] = -1;
    for (;; o->t++) {
        happen(o);
        if (o->t == config->duration_ns)
            break;
        book(o);
    }
    o->bucket[RUN_BUCKET_useful] += o->in_step;
}

static uint64_t state;

static int64_t draw(int64_t below)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (int64_t)((state >> 33) % (uint64_t)below);
}

static struct config draw_config(void)
{
    static const double shares[] = {0, 0, 0.5, 0.75, 0.3, 1};
    struct config config = rig_config(draw(4) == 0 ? CONFIG_DP : CONFIG_ELASTIC_DP);
    config.duration_ns = 60 + draw(200);
    config.chips = 1 + draw(14);
    config.chips_per_slice = 1 + draw(4);
    config.step_time_ns = 1 + draw(15);
    config.downscale_ns = draw(3) ? draw(14) : 0;
    config.upscale_ns = draw(3) ? draw(14) : 0;
    config.restart_ns = draw(20);
    config.upscale_every_ns = draw(2) ? 0 : draw(60);
    config.min_share = shares[draw(6)];
    config.noticed = draw(2) ? CONFIG_STEP_END : CONFIG_AT_ONCE;
    config.overlap = (enum config_overlap)draw(CONFIG_OVERLAP_COUNT);
    config.both = draw(2) ? CONFIG_SUM : CONFIG_MAX;
    config.every_step = draw(2);
    config.restart_per_chip_ns = draw(3);
    config.checkpoint_every_ns = draw(3) ? 1 + draw(40) : 0;
    config.checkpoint_cost_ns = draw(20);
    config.checkpoint_restore_ns = draw(12);
    config.checkpoint_mode = draw(2) ? CONFIG_BLOCKING : CONFIG_BACKGROUND;
    return config;
}

static void draw_script(const struct config *config, struct rig_failure script[static FAILURES])
{
    for (int i = 0; i < FAILURES; i++) {
        sim_time delay = draw(5) == 0 ? draw(3) : draw(60);
        script[i] = (struct rig_failure){
            .time = draw(8) == 0 && i > 0 ? script[i - 1].time : draw(config->duration_ns + 1),
            .chip = draw(config->chips),
            .delay = draw(20) == 0 ? SIM_TIME_NEVER : delay,
        };
    }
}

/* Asserts that the number the engine has is the number of the oracle; says where to look when not. */
static void compare(int i, const char *what, sim_chip_time engine, int64_t oracle)
{
    if (engine != oracle)
        ck_abort_msg("script %d: %s is %lld, the oracle says %lld", i, what, (long long)engine, (long long)oracle);
}

static void compare_all(int i, const struct world *world, const struct oracle *o)
{
    for (int b = 0; b < RUN_BUCKET_COUNT; b++)
        compare(i, run_bucket_name[b], rig_bucket(world, (enum run_bucket)b), o->bucket[b]);
    compare(i, "failures", world->count.failures, o->failures);
    compare(i, "interruptions", world->count.interruptions, o->interruptions);
    compare(i, "reconfigurations", world->count.reconfigurations, o->reconfigurations);
    compare(i, "repairs", world->count.repairs, o->repairs);
    compare(i, "checkpoints", world->count.checkpoints, o->checkpoints);
    compare(i, "rollbacks", world->count.rollbacks, o->rollbacks);
    compare(i, "steps lost", world->learner[0].count.steps_lost, o->steps_lost);
    compare(i, "steps", world->learner[0].count.steps, o->steps);
    compare(i, "chip-steps", world->learner[0].count.chip_steps, o->chip_steps);
    compare(i, "stepping", world->learner[0].count.stepping_ns, o->stepping);
    compare(i, "uptime", sim_level_integral(&((struct world *)world)->any_stepping), o->stepping);
}

static void try_script(int i)
{
    static struct world world;
    static struct oracle oracle;
    static struct rig_failure script[FAILURES];
    state = (uint64_t)i;
    struct config config = draw_config();
    draw_script(&config, script);
    foretell(&oracle, &config, script);
    rig_open(&world, &config);
    for (int f = 0; f < FAILURES; f++)
        rig_schedule(&world, &script[f]);
    rig_finish(&world);
    compare_all(i, &world, &oracle);
    world_fini(&world);
}

START_TEST(engine_and_oracle_agree)
{
    for (int i = 0; i < 10000; i++)
        try_script(_i * 10000 + i);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("oracle");
    TCase *tcase = tcase_create("oracle");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, engine_and_oracle_agree, 0, 8);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
