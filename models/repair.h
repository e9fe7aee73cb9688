/* models/repair.h -- how failed slices are repaired.
 *
 * By itself a failed slice comes back return_after its failure: as many crews as needed. With repair.crews that is the
 * time in the hands of a crew, and who finds none free waits in line. With repair.stages each failure starts in the
 * first stage; a stage sends a share of its cases on to the next (escalates) and the others back. Of those that it
 * sends back a share (success) is mended; the others look it but are as bad as before: what ages keeps its age, a lemon
 * stays one, and with repair.relapse the slice fails again after so much service.
 *
 * With repair.misdiagnosis a share of failures takes out the wrong slice: a healthy one of the same learner, drawn
 * evenly, goes to repair, and the bad one goes on unmended. A slice that failed for the n-th time within a span
 * (repair.retire_after) is retired: it waits for no crew and never comes back.
 *
 * All draws are addressed by the number of the failure in the stream of its source: the same failure takes the same
 * time in every design that meets it.
 *
 * Units: seconds for laws, ns for times.
 * Ownership: part of the world.
 * Errors: what ends past the end of the run is "never".
 */
#ifndef MODELS_REPAIR_H
#define MODELS_REPAIR_H

#include "models/crew.h"
#include "sim/rng.h"

struct repair_count {
    int64_t retired;
    int64_t unmended; /* sent back as bad as they came */
};

/* A slice on its way back, where units are not followed; kept only for runs that may be split. */
struct repair_return {
    struct unit_fault fault;
    uint32_t place;
    sim_time since;
    struct sim_handle event;
};

/* Blocks of random numbers that may hold the next one. */
struct repair_draws {
    struct sim_stream returns, stage;
};

struct repair {
    struct repair_return *out;
    size_t out_count, out_capacity;
    int stages;
    struct crew stage[CONFIG_STAGES_MAX];
    bool has_no_lines; /* there are always crews enough, and nobody watches: a unit goes through all stages at once */
    bool has_relapses;
    struct repair_draws draws;
    struct repair_count count;
};

void repair_init(struct world *world);
void repair_fini(struct world *world);
void repair_reset_counts(struct world *world);

/* Who is taken out for a failure at `place`: the place itself, or for a misdiagnosis another of its learner. */
uint32_t repair_diagnose(struct world *world, const struct unit_fault *fault, uint32_t place);

/* The slice in `place` failed just now. */
void repair_start(struct world *world, const struct unit_fault *fault, uint32_t place);

/* A unit failed just now, in a place or on standby. */
void repair_receive(struct world *world, const struct unit_fault *fault, uint32_t unit);

/* The run goes on in another branch: when slices under way are back is drawn anew, given that they are not back yet.
 * Repairs by crews and in stages stay as they are, and what a log says. */
void repair_branch(struct world *world);

/* A unit enters or leaves service. Requires has_relapses. */
void repair_on_service(struct world *world, uint32_t unit, bool is_entering);

/* Mean wait for a crew in s, and mean share of the limited crews that is busy. */
double repair_wait_s(const struct world *world);
double repair_busy(struct world *world);

/* The crews are as busy as units are in their hands. */
void repair_check(const struct world *world);

/* Draws what the failure would have drawn had it not been dropped: a tape keeps it for designs in which it is not. */
void repair_foresee(struct world *world, const struct unit_fault *fault);

#endif
