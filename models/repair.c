#include "models/repair.h"

#include <math.h>
#include <stdlib.h>

#include "models/failure_log.h"
#include "models/world.h"

/* --- draws --- */

/* Names the draws about one failure that are not its return time (splitmix64's finaliser). */
static uint64_t key_of(const struct unit_fault *fault)
{
    uint64_t key = fault->identity + (fault->number + 1) * 0x9e3779b97f4a7c15U;
    key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9U;
    key = (key ^ key >> 27) * 0x94d049bb133111ebU;
    return key ^ key >> 31;
}

/* When the slice is back, or its work done: a log says how long it takes, otherwise it is drawn. */
static sim_time time_back(struct world *world, const struct unit_fault *fault)
{
    sim_time now = world->sim.origin.now;
    if (fault->log)
        return sim_time_add(now, failure_log_outage(fault->log, fault->number));
    double u = sim_uniform_near(&world->repair.draws.returns, &world->sim.origin, WORLD_STREAM_RETURN, fault->identity,
                                fault->number);
    return sim_time_after(now, sim_law_quantile(fault->return_after, u));
}

static double draw(const struct world *world, enum world_stream purpose, const struct unit_fault *fault, int stage)
{
    return sim_uniform_at(&world->sim.origin, purpose, key_of(fault), (uint64_t)stage);
}

/* What is drawn for a failure in each stage: one block of random numbers. */
enum stage_draw { DRAW_TAKES, DRAW_ESCALATES, DRAW_SUCCESS, DRAWS_OF_STAGE = 4 };

static double draw_of_stage(struct world *world, const struct unit_fault *fault, int stage, enum stage_draw what)
{
    return sim_uniform_near(&world->repair.draws.stage, &world->sim.origin, WORLD_STREAM_STAGE, key_of(fault),
                            (uint64_t)stage * DRAWS_OF_STAGE + what);
}

void repair_foresee(struct world *world, const struct unit_fault *fault)
{
    const struct config *config = world->config;
    if (config->stage_count == 0)
        (void)time_back(world, fault);
    for (int i = 0; i < config->stage_count; i++) {
        (void)draw_of_stage(world, fault, i, DRAW_TAKES);
        (void)draw_of_stage(world, fault, i, DRAW_ESCALATES);
        (void)draw_of_stage(world, fault, i, DRAW_SUCCESS);
    }
}

/* --- the work of crews --- */

static void on_worked(void *context, uint32_t unit);

/* When the work of a stage that begins at `from` ends. */
static sim_time stage_ends(struct world *world, const struct unit *unit, sim_time from)
{
    double u = draw_of_stage(world, &unit->fault, unit->stage, DRAW_TAKES);
    return sim_time_after(from, sim_law_quantile(&world->config->stage[unit->stage].takes, u));
}

static bool is_escalated(struct world *world, const struct unit *unit)
{
    double u = draw_of_stage(world, &unit->fault, unit->stage, DRAW_ESCALATES);
    return u < world->config->stage[unit->stage].escalates;
}

/* It goes on to the next stage, where a crew is free. */
static void pass_on(struct world *world, uint32_t unit)
{
    struct unit *u = &world->units.unit[unit];
    (void)crew_leave(world, &world->repair.stage[u->stage++]);
    (void)crew_join(world, &world->repair.stage[u->stage], unit);
}

/* When the next event of the work begun now is: the end of the stage, or of the last when there are no lines. */
static sim_time work_ends(struct world *world, uint32_t unit)
{
    const struct unit *u = &world->units.unit[unit];
    if (world->config->stage_count == 0)
        return time_back(world, &u->fault);
    sim_time end = stage_ends(world, u, world->sim.origin.now);
    while (world->repair.has_no_lines && is_escalated(world, u)) {
        pass_on(world, unit);
        end = stage_ends(world, u, end);
    }
    return end;
}

/* A crew has taken the unit up. */
static void begin_work(struct world *world, uint32_t unit)
{
    unit_set_state(world, unit, UNIT_REPAIRING);
    sim_time end = work_ends(world, unit);
    if (end <= world->config->duration_ns)
        (void)sim_queue_schedule(&world->sim.queue, end, WORLD_RANK_RETURN, unit, on_worked, world);
}

static void enter_stage(struct world *world, uint32_t unit, int stage)
{
    world->units.unit[unit].stage = (uint8_t)stage;
    unit_set_state(world, unit, UNIT_WAITING);
    if (crew_join(world, &world->repair.stage[stage], unit))
        begin_work(world, unit);
}

/* What is mended in stages is no lemon any more. */
static void mend(const struct world *world, uint32_t unit)
{
    struct unit *u = &world->units.unit[unit];
    u->is_bad = false;
    if (world->config->stage_count > 0 && u->fault.lemons && u->fault.lemons[unit] > 0)
        u->fault.lemons[unit]--;
}

static void send_back(struct world *world, uint32_t unit)
{
    const struct config *config = world->config;
    struct unit *u = &world->units.unit[unit];
    double success = config->stage_count > 0 ? config->stage[u->stage].success : 1;
    bool is_unmended = u->is_bad && success < 1 && draw_of_stage(world, &u->fault, u->stage, DRAW_SUCCESS) > success;
    if (u->is_bad && !is_unmended)
        mend(world, unit);
    u->relapse_left_ns = -1;
    world->repair.count.unmended += is_unmended;
    world->count.repairs++;
    spares_on_repaired(world, unit);
}

static void on_worked(void *context, uint32_t unit)
{
    struct world *world = context;
    const struct unit *u = &world->units.unit[unit];
    int stage = u->stage;
    bool goes_on = world->config->stage_count > 0 && !world->repair.has_no_lines && is_escalated(world, u);
    uint32_t next = crew_leave(world, &world->repair.stage[stage]);
    if (next != UNIT_NONE)
        begin_work(world, next);
    if (goes_on)
        enter_stage(world, unit, stage + 1);
    else
        send_back(world, unit);
}

/* --- failures --- */

/* Notes a failure of the unit; true when it was one too many. */
static bool is_one_too_many(struct world *world, struct unit *unit)
{
    int64_t limit = world->config->retire_failures;
    sim_time now = world->sim.origin.now;
    if (limit == 0)
        return false;
    if (!unit->history)
        unit->history = sim_allocate((size_t)limit, sizeof *unit->history);
    unit->history[unit->failures++ % limit] = now;
    /* the oldest of the last `limit` failures is the next to be overwritten */
    return unit->failures >= limit && now - unit->history[unit->failures % limit] <= world->config->retire_within_ns;
}

void repair_receive(struct world *world, const struct unit_fault *fault, uint32_t unit)
{
    struct unit *u = &world->units.unit[unit];
    u->fault = *fault;
    if (is_one_too_many(world, u)) {
        world->repair.count.retired++;
        unit_set_state(world, unit, UNIT_RETIRED);
    } else {
        enter_stage(world, unit, 0);
    }
}

/* The slice in `place` is on its way back from now on. */
static void note_out(struct world *world, const struct unit_fault *fault, uint32_t place, struct sim_handle event)
{
    struct repair *repair = &world->repair;
    if (!world->branches || fault->log)
        return;
    if (repair->out_count == repair->out_capacity) {
        repair->out_capacity = repair->out_capacity > 0 ? 2 * repair->out_capacity : 64;
        repair->out = sim_reallocate(repair->out, repair->out_capacity, sizeof *repair->out);
    }
    repair->out[repair->out_count++] = (struct repair_return){*fault, place, world->sim.origin.now, event};
}

static void note_back(struct repair *repair, uint32_t place)
{
    size_t i = 0;
    while (i < repair->out_count && repair->out[i].place != place)
        i++;
    if (i < repair->out_count)
        repair->out[i] = repair->out[--repair->out_count];
}

static void on_returned(void *context, uint32_t place)
{
    struct world *world = context;
    note_back(&world->repair, place);
    world->count.repairs++;
    world_return_slice(world, place);
}

/* Nobody has to be followed: it comes back to where it was. */
static void schedule_return(struct world *world, const struct unit_fault *fault, uint32_t place)
{
    struct sim_handle event = {0};
    sim_time back = time_back(world, fault);
    if (back <= world->config->duration_ns)
        event = sim_queue_schedule(&world->sim.queue, back, WORLD_RANK_RETURN, place, on_returned, world);
    note_out(world, fault, place, event);
}

/* P(back <= x | not back by now) = (F(x) - F(now)) / (1 - F(now)). */
static sim_time time_back_from_now(const struct world *world, const struct repair_return *out)
{
    const struct sim_law *law = out->fault.return_after;
    sim_time now = world->sim.origin.now;
    double past = sim_law_cdf(law, sim_time_seconds(now - out->since));
    double u = sim_uniform_at(&world->sim.origin, WORLD_STREAM_RETURN, out->fault.identity, out->fault.number);
    sim_time back = sim_time_after(out->since, sim_law_quantile(law, fmin(past + (1 - past) * u, 1 - 0x1p-53)));
    return back > now ? back : now;
}

void repair_branch(struct world *world)
{
    for (size_t i = 0; i < world->repair.out_count; i++) {
        struct repair_return *out = &world->repair.out[i];
        sim_time back = time_back_from_now(world, out);
        if (back <= world->config->duration_ns)
            sim_queue_set(&world->sim.queue, &out->event, back, WORLD_RANK_RETURN, out->place, on_returned, world);
        else
            (void)sim_queue_cancel(&world->sim.queue, out->event);
    }
}

void repair_start(struct world *world, const struct unit_fault *fault, uint32_t place)
{
    if (world->units.unit)
        repair_receive(world, fault, world->units.of_place[place]);
    else if (world->config->method != CONFIG_DP)
        schedule_return(world, fault, place);
    else if (world->draws)
        repair_foresee(world, fault);
}

/* --- those that were not mended --- */

static void on_relapse(void *context, uint32_t unit);

/* It fails by itself after so much service, which a preemption only interrupts. */
static void schedule_relapse(struct world *world, uint32_t unit)
{
    struct unit *u = &world->units.unit[unit];
    double u_service = draw(world, WORLD_STREAM_RELAPSE, &u->fault, 0);
    if (u->relapse_left_ns < 0)
        u->relapse_left_ns = sim_time_after(0, sim_law_quantile(&world->config->relapse, u_service));
    sim_time at = sim_time_add(world->sim.origin.now, u->relapse_left_ns);
    u->in_service_since = world->sim.origin.now;
    if (at <= world->config->duration_ns)
        u->relapse = sim_queue_schedule(&world->sim.queue, at, WORLD_RANK_FAILURE, unit, on_relapse, world);
}

void repair_on_service(struct world *world, uint32_t unit, bool is_entering)
{
    struct unit *u = &world->units.unit[unit];
    if (is_entering && u->is_bad && u->state != UNIT_STANDBY)
        schedule_relapse(world, unit);
    else if (!is_entering && sim_queue_cancel(&world->sim.queue, u->relapse))
        u->relapse_left_ns -= world->sim.origin.now - u->in_service_since;
}

/* What is wrong with the unit shows by itself, as a failure of its own. */
static void on_relapse(void *context, uint32_t unit)
{
    struct world *world = context;
    const struct unit *u = &world->units.unit[unit];
    const struct unit_fault again = {key_of(&u->fault), unit, u->fault.return_after, u->fault.lemons};
    world_fail_place(world, &again, u->place);
}

/* A sound slice of the learner of `place`, the first from a random one on; `place` itself when it has no other. */
static uint32_t wrong_place(const struct world *world, const struct unit_fault *fault, uint32_t place)
{
    int64_t learner = fleet_slice_learner(&world->fleet, place), first = fleet_first_slice(&world->fleet, learner);
    int64_t slices = fleet_learner_slices(&world->fleet, learner);
    int64_t start = (int64_t)(draw(world, WORLD_STREAM_MISDIAGNOSIS, fault, 1) * (double)slices);
    for (int64_t i = 0; i < slices; i++) {
        uint32_t other = (uint32_t)(first + (start + i) % slices);
        if (other != place && slice_state(world, other) == SLICE_ACTIVE)
            return other;
    }
    return place;
}

uint32_t repair_diagnose(struct world *world, const struct unit_fault *fault, uint32_t place)
{
    uint32_t bad = world->units.of_place[place], other = place;
    double share = world->config->misdiagnosis;
    if (share > 0 && draw(world, WORLD_STREAM_MISDIAGNOSIS, fault, 0) < share)
        other = wrong_place(world, fault, place);
    world->units.unit[bad].is_bad = true;
    if (other != place) { /* a fault of its own, beside any it had */
        unit_on_service(world, bad, false);
        world->units.unit[bad].fault = *fault;
        world->units.unit[bad].relapse_left_ns = -1;
        unit_on_service(world, bad, true);
    }
    return other;
}

/* --- numbers --- */

/* Somebody wants to know when what happens, or may draw anew what comes after a stage. */
static bool is_watched(const struct world *world)
{
    return world->draws || world->branches || world_hears_changes(world);
}

void repair_init(struct world *world)
{
    const struct config *config = world->config;
    struct repair *repair = &world->repair;
    repair->stages = config->stage_count > 0 ? config->stage_count : 1;
    repair->has_relapses =
        world->units.unit && (config->relapse.kind != SIM_LAW_CONSTANT || config->relapse.parameter[0] > 0);
    repair->has_no_lines = !is_watched(world);
    for (int i = 0; i < repair->stages; i++) {
        int64_t crews = config->stage_count > 0 ? config->stage[i].crews : config->crews;
        crew_init(&repair->stage[i], &world->sim.origin, crews);
        repair->has_no_lines &= crews == 0;
    }
}

void repair_fini(struct world *world)
{
    free(world->repair.out);
}

void repair_reset_counts(struct world *world)
{
    world->repair.count = (struct repair_count){0};
    for (int i = 0; i < world->repair.stages; i++)
        crew_reset_counts(&world->repair.stage[i]);
}

double repair_wait_s(const struct world *world)
{
    double waited_s = 0, started = 0;
    for (int i = 0; i < world->repair.stages; i++) {
        waited_s += sim_chip_time_seconds(world->repair.stage[i].waited_ns);
        started += (double)world->repair.stage[i].started;
    }
    return started > 0 ? waited_s / started : 0;
}

double repair_busy(struct world *world)
{
    double busy = 0, crews = 0;
    for (int i = 0; i < world->repair.stages; i++) {
        struct crew *stage = &world->repair.stage[i];
        crews += (double)stage->crews;
        busy += stage->crews > 0 ? sim_level_mean(&stage->busy) : 0;
    }
    return crews > 0 ? busy / crews : 0;
}

void repair_check(const struct world *world)
{
    int64_t busy = 0, waiting = 0;
    for (int i = 0; i < world->repair.stages; i++) {
        const struct crew *stage = &world->repair.stage[i];
        bool is_full = stage->crews > 0 && stage->busy.value == stage->crews;
        SIM_ASSERT(&world->sim.origin, stage->crews == 0 || stage->busy.value <= stage->crews);
        SIM_ASSERT(&world->sim.origin, stage->line.count == 0 || is_full);
        busy += stage->busy.value;
        waiting += stage->line.count;
    }
    SIM_ASSERT(&world->sim.origin, busy == world->units.in_state[UNIT_REPAIRING]);
    SIM_ASSERT(&world->sim.origin, waiting == world->units.in_state[UNIT_WAITING]);
}
