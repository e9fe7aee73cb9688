/* Chips that age, against renewal theory. Each statistic is also taken of models that are wrong in one thing (the mean
 * used as a rate, shape and scale swapped, ages reset or not) and must find them out. */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "tests/claim.h"
#include "tests/distance.h"
#include "tests/rig.h"

#define DAY_S 86400.0
#define DAY_NS (86400 * SIM_SECOND)

/* A fair test is off by more than 3.3 of its SDs once in a thousand times; a planted error must be off by twice that.
 */
#define WRONG 6.6

/* Slices that leave at once, come back at once and cost nothing: chips are always in service. */
static struct config bare(int64_t chips, int64_t chips_per_slice, sim_time duration_ns, struct sim_law life)
{
    struct config config = rig_config(CONFIG_ELASTIC_DP);
    config.duration_ns = duration_ns;
    config.chips = chips;
    config.chips_per_slice = chips_per_slice;
    config.downscale_ns = config.upscale_ns = 0;
    config.noticed = CONFIG_AT_ONCE;
    config.step_time_ns = 600 * SIM_SECOND;
    rig_add_source(&config, "old", 0, rig_constant(0));
    config.source[0].timing = CONFIG_BY_LIFE;
    config.source[0].life = life;
    return config;
}

static struct sim_law with_mean(enum sim_law_kind kind, double shape, double power, double mean_s)
{
    struct sim_law law = {.kind = kind, .parameter = {1, shape, power}};
    return sim_law_with_mean(law, mean_s);
}

static void observe(const struct config *config, uint32_t replicas, enum run_metric metric, struct sim_tally *ret)
{
    sim_tally_init(ret);
    for (uint32_t replica = 0; replica < replicas; replica++) {
        struct run_result result = rig_run(config, claim_seed(11), replica);
        sim_tally_add(ret, result.metric[metric]);
        run_result_fini(&result);
    }
}

/* The mean of a metric over `replicas` runs. */
static void expect(const struct config *config, uint32_t replicas, enum run_metric metric, double theory)
{
    struct sim_tally tally;
    observe(config, replicas, metric, &tally);
    claim_mean(run_metric_info[metric].name, &tally, theory, CLAIM_FAIR);
    sim_tally_fini(&tally);
}

/* How many SDs it is off `expected`. */
static double misfit(const struct config *config, uint32_t replicas, enum run_metric metric, double expected)
{
    struct sim_tally tally;
    observe(config, replicas, metric, &tally);
    double sd = sim_tally_sd(&tally) / sqrt(replicas), off = fabs(sim_tally_mean(&tally) - expected);
    sim_tally_fini(&tally);
    return sd > 0 ? off / sd : off == 0 ? 0 : INFINITY;
}

/* --- renewal counts: a chip replaced at once, new at 0 --- */

enum { CELLS = 3000 };

/* Expected renewals M(t) of lives with law F, from M(t) = F(t) + integral of M(t - x) dF(x). Lives are rounded to cells
 * of width d, so what was counted up to cell i is M((i + 1/2) d); the mean of two neighbours is M(i d) to second order.
 */
static double renewals(const struct sim_law *law, double t_s)
{
    static double share[CELLS + 1], count[CELLS + 1];
    double width = t_s / CELLS, before = 0;
    for (int i = 0; i <= CELLS; i++) {
        double until = sim_law_cdf(law, (i + 0.5) * width);
        share[i] = until - before;
        before = until;
    }
    for (int i = 0; i <= CELLS; i++) {
        double sum = share[0];
        for (int k = 1; k <= i; k++)
            sum += share[k] * (1 + count[i - k]);
        count[i] = sum / (1 - share[0]);
    }
    return (count[CELLS] + count[CELLS - 1]) / 2;
}

enum { LAWS = 6 };

/* Laws of life with a mean of 20 days. */
static struct sim_law law_number(int i)
{
    const struct sim_law laws[LAWS] = {
        {SIM_LAW_EXPONENTIAL, {20 * DAY_S}},
        with_mean(SIM_LAW_WEIBULL, 1.5, 0, 20 * DAY_S),
        with_mean(SIM_LAW_WEIBULL, 0.7, 0, 20 * DAY_S),
        with_mean(SIM_LAW_GAMMA, 3, 0, 20 * DAY_S),
        with_mean(SIM_LAW_LOGNORMAL, 1, 0, 20 * DAY_S),
        with_mean(SIM_LAW_EXP_WEIBULL, 0.8, 3, 20 * DAY_S),
    };
    return laws[i];
}

/* The numbers of others: 64 chips, 30 days. */
START_TEST(the_renewal_equation_is_solved)
{
    struct sim_law exponential = law_number(0), weibull = law_number(1);
    ck_assert_double_eq_tol(64 * renewals(&exponential, 30 * DAY_S), 96, 0.001);
    ck_assert_double_eq_tol(64 * renewals(&weibull, 30 * DAY_S), 78.69, 0.005);
}
END_TEST

/* 64 chips in slices of 1 and of 8. The mean as a rate: lives of 1/20 of a day. Swapped: scale 1.5 days where it is the
 * shape, and the reverse. */
START_TEST(renewals_of_every_law)
{
    CLAIM_TEST();
    struct sim_law life = law_number(_i / 2);
    struct config config = bare(64, _i % 2 ? 8 : 1, 30 * DAY_NS, life);
    double expected = 64 * renewals(&life, 30 * DAY_S);
    expect(&config, 400, RUN_METRIC_failures, expected);

    struct sim_law *wrong = &config.source[0].life;
    *wrong = sim_law_with_mean(life, DAY_S / 20);
    CLAIM_FINDS(misfit(&config, 3, RUN_METRIC_failures, expected), WRONG);
    if (life.kind == SIM_LAW_EXPONENTIAL || life.kind == SIM_LAW_LOGNORMAL)
        return; /* no shape to swap, or one whose swap fails as often by chance: its lives tell (below) */
    *wrong = (struct sim_law){life.kind, {life.parameter[1] * DAY_S, life.parameter[0] / DAY_S, life.parameter[2]}};
    CLAIM_FINDS(misfit(&config, 50, RUN_METRIC_failures, expected), WRONG);
}
END_TEST

/* In slices of 8 a reset renews the slice: 8 slices whose lives are the shortest of 8. Weibull: scale / 8^(1/shape).
 * The two differ but for the exponential law. */
START_TEST(kept_and_reset_are_told_apart)
{
    CLAIM_TEST();
    struct sim_law life = law_number(_i), shortest = life;
    shortest.parameter[0] /= pow(8, 1 / life.parameter[1]);
    struct config config = bare(64, 8, 30 * DAY_NS, life);
    double kept = 64 * renewals(&life, 30 * DAY_S), reset = 8 * renewals(&shortest, 30 * DAY_S);
    expect(&config, 400, RUN_METRIC_failures, kept);
    CLAIM_FINDS(misfit(&config, 400, RUN_METRIC_failures, reset), WRONG);
    config.source[0].ageing = CONFIG_AGES_RESET;
    expect(&config, 400, RUN_METRIC_failures, reset);
    CLAIM_FINDS(misfit(&config, 400, RUN_METRIC_failures, kept), WRONG);
}
END_TEST

/* Without a shape: a chip that lives 20 days fails once in 30, and a sample is its own law. Lives of 10, 20 and 30 days
 * are uniform between, with 1/6 at either end. */
START_TEST(constant_and_empirical_lives)
{
    CLAIM_TEST();
    struct config config = bare(64, 8, 30 * DAY_NS, rig_constant(20 * DAY_S));
    ck_assert_double_eq(misfit(&config, 2, RUN_METRIC_failures, 64), 0);
    struct sim_law_sample *sample = malloc(sizeof *sample + 3 * sizeof sample->value_s[0]);
    sample->count = 3;
    for (int i = 0; i < 3; i++)
        sample->value_s[i] = (i + 1) * 10 * DAY_S;
    config.source[0].life = sim_law_of_sample(sample);
    config.duration_ns = 29 * DAY_NS;
    double expected = 64 * renewals(&config.source[0].life, 29 * DAY_S);
    expect(&config, 400, RUN_METRIC_failures, expected);
    config.source[0].life = rig_exponential(20 * DAY_S);
    CLAIM_FINDS(misfit(&config, 100, RUN_METRIC_failures, expected), WRONG);
    free(sample);
}
END_TEST

/* 2.4M chips of an exponential life of 8,760 h in slices of 256, 24 h: 6,575.34 failures, SD 81.09, as without ages. A
 * Weibull life of that mean has had many more in its first day. */
START_TEST(the_largest_fleet)
{
    CLAIM_TEST();
    struct config config = bare(2400000, 256, DAY_NS, rig_exponential(8760 * 3600.0));
    double expected = 2.4e6 * 24 / 8760, sum = 0, squares = 0;
    enum { REPLICAS = 60 };
    for (uint32_t replica = 0; replica < REPLICAS; replica++) {
        struct run_result result = rig_run(&config, claim_seed(1), replica);
        double off = result.metric[RUN_METRIC_failures] - expected;
        sum += off;
        squares += off * off;
        run_result_fini(&result);
    }
    ck_assert_double_eq_tol(expected, 6575.34, 0.005);
    claim_normal("failures", expected, expected + sum / REPLICAS, sqrt(expected / REPLICAS));
    claim_chi_square("dispersion", squares / expected, REPLICAS);
    config.source[0].life = with_mean(SIM_LAW_WEIBULL, 0.7, 0, 8760 * 3600.0);
    CLAIM_FINDS(misfit(&config, 3, RUN_METRIC_failures, expected), WRONG);
}
END_TEST

/* --- lives, one by one --- */

enum { SLICES = 500, LIVES = 20, ALL = SLICES * LIVES };

struct heard {
    int count[SLICES];
    sim_time last[SLICES];
    double life[ALL];
};

/* The first so many lives of each slice: all have had them, so that long ones are not left out. */
static void on_transition(void *context, const struct run_transition *transition)
{
    struct heard *heard = context;
    int64_t slice = transition->id;
    if (strcmp(transition->machine, "slice") != 0 || strcmp(transition->cause, "chip failed") != 0 ||
        heard->count[slice] == LIVES)
        return;
    heard->life[slice * LIVES + heard->count[slice]++] = sim_time_seconds(transition->time_ns - heard->last[slice]);
    heard->last[slice] = transition->time_ns;
}

static void hear(struct heard *heard, const struct config *config)
{
    const struct run_observer observer = {.context = heard, .on_transition = on_transition};
    const struct run_request request = {.config = config, .seed = claim_seed(4), .observer = &observer};
    struct run_result result;
    memset(heard, 0, sizeof *heard);
    run_replica(&request, &result);
    run_result_fini(&result);
    for (int i = 0; i < SLICES; i++)
        ck_assert_int_eq(heard->count[i], LIVES);
}

static struct sim_law law_of_seconds(int i)
{
    const struct sim_law laws[] = {
        with_mean(SIM_LAW_WEIBULL, 0.7, 0, 20),     with_mean(SIM_LAW_WEIBULL, 1.5, 0, 20),
        with_mean(SIM_LAW_LOGNORMAL, 0.5, 0, 20),   with_mean(SIM_LAW_GAMMA, 0.6, 0, 20),
        with_mean(SIM_LAW_EXP_WEIBULL, 2, 0.4, 20), {SIM_LAW_EXPONENTIAL, {20}},
    };
    return laws[i];
}

/* 10,000 lives of chips in service all the time, 20 of each of 500. */
START_TEST(lives_have_their_law)
{
    CLAIM_TEST();
    static struct heard heard;
    struct sim_law life = law_of_seconds(_i), wrong = life;
    struct config config = bare(SLICES, 1, 6000 * SIM_SECOND, life);
    hear(&heard, &config);
    claim_distance("lives", distance_to(heard.life, ALL, &life));
    wrong.parameter[0] *= 1.1;
    CLAIM_FINDS(distance_to(heard.life, ALL, &wrong), 1.95);
    wrong = sim_law_with_mean(life, 1.0 / 20);
    CLAIM_FINDS(distance_to(heard.life, ALL, &wrong), 20);
    wrong = (struct sim_law){life.kind, {life.parameter[1], life.parameter[0], life.parameter[2]}};
    if (life.kind != SIM_LAW_EXPONENTIAL)
        CLAIM_FINDS(distance_to(heard.life, ALL, &wrong), 20);
}
END_TEST

/* Slices of 10: under reset their failures are renewals of the shortest of 10 lives; under kept ages they are not. */
START_TEST(reset_slices_live_as_long_as_their_first)
{
    CLAIM_TEST();
    static struct heard heard;
    struct sim_law life = law_of_seconds(_i), shortest = life;
    shortest.parameter[0] /= pow(10, 1 / life.parameter[1]);
    struct config config = bare(10 * SLICES, 10, 6000 * SIM_SECOND, life);
    config.source[0].ageing = CONFIG_AGES_RESET;
    hear(&heard, &config);
    claim_distance("lives", distance_to(heard.life, ALL, &shortest));
    config.source[0].ageing = CONFIG_AGES_KEPT;
    hear(&heard, &config);
    CLAIM_FINDS(distance_to(heard.life, ALL, &shortest), 4);
}
END_TEST

/* --- availability --- */

/* A slice of 8 chips of life m = 20 d that is away for r = 1 d whenever one of them fails, 60 years without the first.
 * With kept ages each chip fails once in m of service of the slice, whatever its law, and each failure costs r: in
 * service for 1 / (1 + 8 r/m) of the time (Barlow and Proschan 1975, suspended animation). With reset ages a cycle is
 * the shortest of 8 lives, E = m / 8^(1/shape), and r. */
START_TEST(availability_of_a_series)
{
    CLAIM_TEST();
    struct sim_law life = law_number(_i);
    struct config config = bare(8, 8, (sim_time)60 * 365 * DAY_NS, life);
    config.warmup_ns = 365 * DAY_NS;
    config.source[0].return_after = rig_exponential(DAY_S);
    double kept = 1 / (1 + 8.0 / 20), first = 20 / pow(8, 1 / life.parameter[1]), reset = first / (first + 1);
    expect(&config, 100, RUN_METRIC_uptime, kept);
    CLAIM_FINDS(misfit(&config, 100, RUN_METRIC_uptime, reset), WRONG);
    config.source[0].ageing = CONFIG_AGES_RESET;
    expect(&config, 100, RUN_METRIC_uptime, reset);
    CLAIM_FINDS(misfit(&config, 100, RUN_METRIC_uptime, kept), WRONG);
}
END_TEST

/* How long all slices have been active since `from`. */
struct watch {
    int64_t slices, active;
    sim_time from, since, all;
};

static void on_change(void *context, const struct run_transition *transition)
{
    struct watch *watch = context;
    if (strcmp(transition->machine, "slice") != 0)
        return;
    sim_time since = watch->since > watch->from ? watch->since : watch->from;
    if (watch->active == watch->slices && transition->time_ns > since)
        watch->all += transition->time_ns - since;
    watch->since = transition->time_ns;
    watch->active += (strcmp(transition->to, "active") == 0) - (strcmp(transition->from, "active") == 0);
}

/* The other rule: chips that go alone, in slices of one, while the others age on. Each is there m / (m + r) of the
 * time, whatever its law, and independently, so all 8 are (m / (m + r))^8 of it: less than in a series that stands
 * still, of which 1 / (1 + 8 r/m) is left. Steps of 10 s: until the next one who is back waits. */
START_TEST(availability_of_chips_that_go_alone)
{
    CLAIM_TEST();
    struct config config = bare(8, 1, (sim_time)60 * 365 * DAY_NS, law_number(_i));
    struct sim_tally tally;
    config.step_time_ns = 10 * SIM_SECOND;
    config.source[0].return_after = rig_exponential(DAY_S);
    sim_tally_init(&tally);
    for (uint32_t replica = 0; replica < 40; replica++) {
        struct watch watch = {.slices = 8, .active = 8, .from = 365 * DAY_NS};
        const struct run_observer observer = {.context = &watch, .on_transition = on_change};
        const struct run_request request = {
            .config = &config, .seed = claim_seed(2), .replica = replica, .observer = &observer};
        struct run_result result;
        run_replica(&request, &result);
        run_result_fini(&result);
        sim_tally_add(&tally, (double)watch.all / (double)(watch.since - watch.from));
    }
    double sd = sim_tally_sd(&tally) / sqrt(40), got = sim_tally_mean(&tally);
    claim_mean("all there", &tally, pow(20.0 / 21, 8), CLAIM_FAIR);
    sim_tally_fini(&tally);
    CLAIM_FINDS(fabs(got - 1 / (1 + 8.0 / 20)), WRONG * sd);
}
END_TEST

/* --- lemons --- */

/* 15 % of 1,000 chips fail 6 times as often: at a constant rate 1000 x (0.85 + 0.9) t/m failures, 0.9 / 1.75 = 51.4 %
 * of them of lemons; with a law of life 850 M(t) + 150 M(6 t). */
START_TEST(lemons_fail_more_often)
{
    CLAIM_TEST();
    struct sim_law life = law_number(1);
    struct config config = bare(1000, 8, 30 * DAY_NS, life);
    struct config_source *source = &config.source[0];
    source->lemon_share = 0.15;
    source->lemon_factor = 6;
    double aged = 850 * renewals(&life, 30 * DAY_S) + 150 * renewals(&life, 180 * DAY_S), rated = 1750 * 1.5;
    expect(&config, 100, RUN_METRIC_failures, aged);
    source->timing = CONFIG_BY_MTBI;
    source->mtbi_s = 20 * DAY_S;
    expect(&config, 100, RUN_METRIC_failures, rated);
    source->mtbi_s = 1.75 * 20 * DAY_S; /* were mtbi that of the mean chip */
    CLAIM_FINDS(misfit(&config, 100, RUN_METRIC_failures, rated), WRONG);
    source->timing = CONFIG_BY_LIFE;
    source->lemon_factor = 5;
    CLAIM_FINDS(misfit(&config, 100, RUN_METRIC_failures, aged), WRONG);
}
END_TEST

static struct lemons lemons;
static bool is_lemon[1000];
static int64_t of_lemons, of_all;

static void on_lemon(void *context, const struct run_transition *transition)
{
    (void)context;
    if (strcmp(transition->machine, "slice") != 0 || strcmp(transition->cause, "chip failed") != 0)
        return;
    of_all++;
    of_lemons += is_lemon[transition->id];
}

/* Counts whose failures are of lemons, in 200 runs of 100 days. Slices of one chip, so
 * that a failure says whose it was; the same lemons in both kinds of source. */
static void count_lemons(const struct config *config)
{
    const struct run_observer observer = {.on_transition = on_lemon};
    of_lemons = of_all = 0;
    for (uint32_t replica = 0; replica < 20; replica++) {
        const struct run_request request = {
            .config = config, .seed = claim_seed(5), .replica = replica, .observer = &observer};
        const struct sim_origin origin = {.seed = claim_seed(5), .replica = replica};
        struct run_result result;
        lemons_init(&lemons, &origin, &config->source[0], failures_identity(config->source[0].name), config->chips);
        memset(is_lemon, 0, sizeof is_lemon);
        for (int64_t place = 0; place < lemons.count; place++)
            is_lemon[lemons_at(&lemons, place)] = true;
        run_replica(&request, &result);
        run_result_fini(&result);
    }
}

/* Binomial SDs that their share is off `expected`. */
static double share_misfit(double expected)
{
    double n = (double)of_all, off = fabs((double)of_lemons / n - expected);
    return off / sqrt(expected * (1 - expected) / n);
}

START_TEST(lemons_have_their_share)
{
    CLAIM_TEST();
    struct config config = bare(1000, 1, 100 * DAY_NS, rig_exponential(20 * DAY_S));
    struct config_source *source = &config.source[0];
    source->lemon_share = 0.15;
    source->lemon_factor = 6;
    for (int timing = CONFIG_BY_MTBI; timing <= CONFIG_BY_LIFE; timing += CONFIG_BY_LIFE) {
        source->timing = (enum config_timing)timing;
        source->mtbi_s = 20 * DAY_S;
        double share = 0.9 / 1.75;
        count_lemons(&config);
        claim_normal("share", share, (double)of_lemons / (double)of_all, sqrt(share * (1 - share) / (double)of_all));
        CLAIM_FINDS(share_misfit(0.15), WRONG);         /* all alike */
        CLAIM_FINDS(share_misfit(0.15 / 6), WRONG);     /* the factor upside down */
        CLAIM_FINDS(share_misfit(0.15 * 6 / 2), WRONG); /* the share of rates taken of 2 */
    }
}
END_TEST

static void add_tests(TCase *tcase)
{
    tcase_add_test(tcase, the_renewal_equation_is_solved);
    tcase_add_loop_test(tcase, renewals_of_every_law, 0, 2 * LAWS);
    tcase_add_loop_test(tcase, kept_and_reset_are_told_apart, 1, 3);
    tcase_add_test(tcase, constant_and_empirical_lives);
    tcase_add_test(tcase, the_largest_fleet);
    tcase_add_loop_test(tcase, lives_have_their_law, 0, 6);
    tcase_add_loop_test(tcase, reset_slices_live_as_long_as_their_first, 0, 2);
    tcase_add_loop_test(tcase, availability_of_a_series, 1, 3);
    tcase_add_loop_test(tcase, availability_of_chips_that_go_alone, 0, LAWS);
    tcase_add_test(tcase, lemons_fail_more_often);
    tcase_add_test(tcase, lemons_have_their_share);
}

int main(void)
{
    Suite *suite = suite_create("analytic ages");
    TCase *tcase = tcase_create("analytic ages");
    tcase_set_timeout(tcase, 120);
    add_tests(tcase);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
