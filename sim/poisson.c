#include "sim/poisson.h"

#include "sim/law.h"

/* The time a gap after `from`; SIM_TIME_NEVER past the end of time. */
static sim_time after_gap(sim_time from, double gap_ns, double *carry_ns)
{
    double gap = gap_ns + *carry_ns;
    if (!(gap < 9e18))
        return SIM_TIME_NEVER;
    sim_time whole = (sim_time)gap;
    *carry_ns = gap - (double)whole;
    return sim_time_add(from, whole);
}

/* Those after `from`, up to the first past the end. */
static void draw_ahead(struct sim_poisson *poisson, sim_time from)
{
    double u[2 * SIM_POISSON_AHEAD_MAX], carry_ns = poisson->carry_ns;
    size_t drawn = 0;
    sim_stream_uniforms(&poisson->stream, 2 * poisson->ahead_max, u);
    for (size_t i = 0; i < poisson->ahead_max; i++)
        u[2 * i] = sim_law_exponential(poisson->mean_gap_ns, u[2 * i]);
    do {
        from = poisson->at[drawn] = after_gap(from, u[2 * drawn], &carry_ns);
        poisson->mark[drawn] = u[2 * drawn + 1];
    } while (++drawn < poisson->ahead_max && from <= poisson->end);
    poisson->carry_ns = carry_ns;
    poisson->count = (unsigned)drawn;
    poisson->next = 0;
}

static void set_timer(const struct sim_poisson *poisson)
{
    sim_time at = poisson->at[poisson->next];
    sim_lane_set(poisson->lane, poisson->slot, at <= poisson->end ? at : SIM_TIME_NEVER);
}

void sim_poisson_start(struct sim_poisson *poisson, sim_time now)
{
    draw_ahead(poisson, now);
    set_timer(poisson);
}

struct sim_arrival sim_poisson_take(struct sim_poisson *poisson)
{
    unsigned i = poisson->next++;
    const struct sim_arrival arrival = {poisson->at[i], poisson->mark[i], poisson->number++};
    if (poisson->next == poisson->count)
        draw_ahead(poisson, arrival.at);
    set_timer(poisson);
    return arrival;
}

void sim_poisson_branch(struct sim_poisson *poisson, sim_time now, uint64_t branch)
{
    sim_stream_branch(&poisson->stream, branch);
    sim_poisson_start(poisson, now);
}
