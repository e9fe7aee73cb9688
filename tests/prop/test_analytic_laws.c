/* What the engine draws: laws by inversion, streams that do not know each other. */
#include "sim/law.h"
#include "sim/rng.h"
#include "tests/claim.h"
#include "tests/distance.h"
#include "tests/rig.h"

enum { DRAWS = 100000, LAWS = 6, CELLS = 1000 };

static double drawn[DRAWS];

static struct sim_law law_number(int i)
{
    static const struct sim_law laws[LAWS] = {
        {.kind = SIM_LAW_EXPONENTIAL, .parameter = {3}},  {.kind = SIM_LAW_WEIBULL, .parameter = {3, 0.7}},
        {.kind = SIM_LAW_WEIBULL, .parameter = {3, 2.5}}, {.kind = SIM_LAW_LOGNORMAL, .parameter = {3, 0.8}},
        {.kind = SIM_LAW_GAMMA, .parameter = {3, 0.6}},   {.kind = SIM_LAW_EXP_WEIBULL, .parameter = {3, 1.3, 0.4}},
    };
    return laws[i];
}

/* 100,000 delays have their law and its mean; a scale 2 % off is found. */
START_TEST(delays_have_their_law)
{
    CLAIM_TEST();
    const struct sim_origin origin = {.seed = claim_seed(1), .replica = (uint32_t)_i};
    struct sim_law law = law_number(_i), off = law;
    struct sim_stream stream;
    struct sim_tally tally;
    sim_tally_init(&tally);
    sim_stream_init(&stream, &origin, 1, 2);
    for (int i = 0; i < DRAWS; i++) {
        drawn[i] = sim_law_quantile(&law, sim_stream_uniform(&stream));
        sim_tally_add(&tally, drawn[i]);
    }
    claim_mean("mean", &tally, sim_law_mean(&law), CLAIM_FAIR);
    claim_distance("delays", distance_to(drawn, DRAWS, &law));
    off.parameter[0] *= 1.03;
    CLAIM_FINDS(distance_to(drawn, DRAWS, &off), 1.95);
    sim_tally_fini(&tally);
}
END_TEST

/* 1,000 equal cells; pairs of a number and the next, of a number and that of the next entity, replica, purpose or seed:
 * 1,000 equal squares. */
START_TEST(numbers_are_uniform_and_alone)
{
    static const char *const neighbour[] = {"alone",        "next index",   "next entity",
                                            "next replica", "next purpose", "next seed"};
    CLAIM_TEST();
    struct sim_origin first = {.seed = claim_seed(2)}, second = first;
    second.replica += _i == 3;
    second.seed += _i == 5;
    int count[CELLS] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        double u = sim_uniform_at(&first, 7, 1, i),
               v = sim_uniform_at(&second, 7 + (_i == 4), 1 + (_i == 2), i + (_i == 1));
        count[_i == 0 ? (int)(u * CELLS) : (int)(u * 40) * 25 + (int)(v * 25)]++;
    }
    double chi = 0, each = (double)DRAWS / CELLS;
    for (int i = 0; i < CELLS; i++)
        chi += (count[i] - each) * (count[i] - each) / each;
    claim_chi_square(neighbour[_i], chi, CELLS - 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analytic laws");
    TCase *tcase = tcase_create("analytic laws");
    tcase_add_loop_test(tcase, delays_have_their_law, 0, LAWS);
    tcase_add_loop_test(tcase, numbers_are_uniform_and_alone, 0, 6);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
