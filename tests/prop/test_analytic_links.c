/* What learners and the syncer meet by themselves, against theory: gaps and lengths of cuts, slow times of a link,
 * preemptions and outages of the syncer; how long a transfer takes over a link that is slow now and then; how much of
 * the time links are cut or slow and k of n learners there; preemption that is announced. */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "sim/tally.h"
#include "tests/distance.h"
#include "tests/rig.h"

enum { GAPS = 10000, REPLICAS = 16 };

/* --- gaps, lengths and factors --- */

struct heard {
    int count;
    sim_time last;
    double gap_s[GAPS], length_s[GAPS];
};

/* What is heard of a kind: the machine, and its state while it lasts. */
static const struct {
    const char *machine, *state;
} kinds[] = {{"link", "cut"}, {"link", "degraded"}, {"learner", "preempted"}, {"syncer", "down"}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };
static int kind;

/* The gap runs from the end of a time to the start of the next. */
static void on_transition(void *context, const struct run_transition *transition)
{
    struct heard *heard = context;
    bool begins = strcmp(transition->to, kinds[kind].state) == 0,
         ends = strcmp(transition->from, kinds[kind].state) == 0;
    if (strcmp(transition->machine, kinds[kind].machine) != 0 || heard->count == GAPS || (!begins && !ends))
        return;
    double since_s = sim_time_seconds(transition->time_ns - heard->last);
    heard->last = transition->time_ns;
    if (begins)
        heard->gap_s[heard->count] = since_s;
    else
        heard->length_s[heard->count++] = since_s;
}

/* One learner of one chip and a syncer, lock-step: each round has its whole transfer before the next step. */
static struct config lone(double transfer_s, double step_s)
{
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.chips = config.chips_per_slice = 1;
    config.step_time_ns = (sim_time)(step_s * 1e9);
    config.fragments = config.sync_every = 1;
    config.sync_overlap = 0;
    config.recover_after = INT64_MAX;
    config.parameters = 1e9;
    config.bits = 16;
    config.datacentres = 2; /* a ring factor of 1 */
    config.link_bits_per_s = 16e9 / transfer_s;
    return config;
}

static void add_source(struct config *config, double mtbi_s, struct sim_law lasts)
{
    if (kind == 3)
        rig_add_outage(config, "syncer", mtbi_s, lasts);
    else if (kind == 2)
        rig_add_preemption(config, "spot", 0, mtbi_s, lasts);
    else
        rig_add_link(config, "wan", 0, mtbi_s, lasts);
    if (kind == 1)
        config->source[0].factor = rig_constant(5);
}

/* Planted errors that the same test finds: the mean taken for the rate (in hours), a mean 10 % off, shape and scale of
 * the length swapped, its mean taken for its scale. */
START_TEST(gaps_and_lengths_follow_their_laws)
{
    static struct heard heard;
    const struct sim_law lasts = {.kind = SIM_LAW_WEIBULL, .parameter = {2, 1.5}}, gap = rig_exponential(1800),
                         rate = rig_exponential(3600.0 * 3600 / 1800), longer = rig_exponential(1980),
                         swapped = {.kind = SIM_LAW_WEIBULL, .parameter = {1.5, 2}}, mean = sim_law_with_mean(lasts, 2);
    struct config config = lone(1, 1000);
    config.duration_ns = (sim_time)(GAPS + 500) * 1800 * SIM_SECOND;
    kind = _i;
    add_source(&config, 1800, lasts);
    const struct run_observer observer = {.context = &heard, .on_transition = on_transition};
    const struct run_request request = {.config = &config, .seed = 4, .observer = &observer};
    struct run_result result;
    heard = (struct heard){0};
    run_replica(&request, &result);
    run_result_fini(&result);
    ck_assert_int_eq(heard.count, GAPS);
    ck_assert_double_lt(distance_to(heard.gap_s, GAPS, &gap), 1.95);
    ck_assert_double_gt(distance_to(heard.gap_s, GAPS, &rate), 1.95);
    ck_assert_double_gt(distance_to(heard.gap_s, GAPS, &longer), 1.95);
    ck_assert_double_lt(distance_to(heard.length_s, GAPS, &lasts), 1.95);
    ck_assert_double_gt(distance_to(heard.length_s, GAPS, &swapped), 1.95);
    ck_assert_double_gt(distance_to(heard.length_s, GAPS, &mean), 1.95);
}
END_TEST

/* --- means --- */

static void expect_mean(const struct config *config, const char *what, double (*value)(const struct run_result *),
                        double theory, double width)
{
    struct sim_tally tally;
    sim_tally_init(&tally);
    for (uint32_t replica = 0; replica < REPLICAS; replica++) {
        struct run_result result = rig_run(config, 5, replica);
        sim_tally_add(&tally, value(&result));
        run_result_fini(&result);
    }
    double mean = sim_tally_mean(&tally), half = sim_tally_half_width(&tally, 0.99);
    ck_assert_msg(half < width * theory, "%s: +- %g is too wide", what, half);
    ck_assert_msg(fabs(mean - theory) < half, "%s is %.7g +- %.3g, theory %.7g", what, mean, half, theory);
    sim_tally_fini(&tally);
}

static double degraded_share(const struct run_result *result)
{
    return result->metric[RUN_METRIC_degraded_share];
}

static double cut_share(const struct run_result *result)
{
    return result->metric[RUN_METRIC_cut_share];
}

/* It waits for nothing else: blocked time of a round is its transfer. */
static double transfer_s(const struct run_result *result)
{
    return sim_chip_time_seconds(result->learner[0].bucket[RUN_BUCKET_blocked]) / result->metric[RUN_METRIC_rounds];
}

/* An alternating renewal process: cut, or slow, for 30 of 120 s on average, whatever the law of the length. */
START_TEST(links_are_cut_or_slow_for_their_share)
{
    struct config config = lone(1, 1000);
    config.duration_ns = 400000 * SIM_SECOND;
    rig_add_link(&config, "wan", 0, 90, _i % 2 == 0 ? rig_constant(30) : rig_exponential(30));
    if (_i / 2 == 1)
        config.source[0].factor = rig_constant(5);
    expect_mean(&config, "share", _i / 2 == 1 ? degraded_share : cut_share, 0.25, 0.02);
}
END_TEST

/* Learners that are there m of m + l independently: at least K of M with the tail of a binomial law. Nobody waits for
 * anybody: in nearly all rounds no fragment is due. Those that hold one less or more, or a learner that is there
 * l of m + l, would not pass. */
static double quorum_uptime(const struct run_result *result)
{
    return result->metric[RUN_METRIC_quorum_uptime];
}

START_TEST(k_of_n_learners_are_up)
{
    static const int64_t quorum[] = {1, 3, 5, 6};
    int64_t K = quorum[_i], M = 6;
    double m = 70, l = 30, p = m / (m + l), theory = gsl_cdf_binomial_Q((unsigned)K - 1, p, (unsigned)M);
    struct config config = rig_config(CONFIG_DECOUPLED_DILOCO);
    config.duration_ns = 100000 * SIM_SECOND;
    config.chips = config.learners = M;
    config.chips_per_slice = 1;
    config.step_time_ns = 20 * SIM_SECOND;
    config.upscale_ns = 0;
    config.quorum = K;
    config.fragments = 1;
    config.sync_every = 20000;
    config.sync_overlap = 19999;
    config.recover_after = INT64_MAX;
    rig_add_preemption(&config, "spot", 0, m, rig_exponential(l));
    for (int32_t i = 1; i < M; i++)
        config.source[0].learner[config.source[0].learner_count++] = i;
    expect_mean(&config, "k of n up", quorum_uptime, theory, 0.05);
    for (int64_t other = K > 1 ? K - 1 : 2; other <= K + 1 && other <= M; other += 2)
        ck_assert_double_gt(fabs(gsl_cdf_binomial_Q((unsigned)other - 1, p, (unsigned)M) - theory), 0.01);
}
END_TEST

/* The mean time of a transfer that takes w at full rate, over a link that is at full rate for a on average, then f
 * times slower for b, both exponential. By the work done instead of by time the state of the link is a Markov chain,
 * too, with the rates 1/a out of full and f/b out of slow; g = 1/a + f/b. Let F(w) and S(w) be the means from a start
 * in either state, d = S - F. From F' = 1 + d/a and S' = f - f d/b follows d' = (f - 1) - g d, so
 *
 *   d(w) = (f - 1) / g x (1 - exp(-g w)),   F(w) = w + (f - 1) / (a g) x (w - (1 - exp(-g w)) / g).
 *
 * The next transfer starts a step of s later. It finds the link at full rate with the probability q of the chain over
 * both: after the work, full again with f/(b g) + exp(-g w)/(a g) when it was and f/(b g) x (1 - exp(-g w)) when it was
 * not; after the step likewise, with rates 1/a and 1/b. The mean is F + (1 - q) d. */
struct line {
    double a, b, f, w, s;
};

static double turn(double out, double back, double span, bool is_full)
{
    double sum = out + back, gone = exp(-sum * span);
    return is_full ? back / sum + out / sum * gone : back / sum * (1 - gone);
}

static double mean_transfer_s(const struct line *line)
{
    double out = 1 / line->a, back = line->f / line->b, g = out + back;
    double d = (line->f - 1) / g * -expm1(-g * line->w);
    double full = line->w + (line->f - 1) * out / g * (line->w + expm1(-g * line->w) / g);
    double stay[2]; /* at full rate at the next start, from slow and from full */
    for (int is_full = 0; is_full < 2; is_full++) {
        double after = turn(out, back, line->w, is_full);
        stay[is_full] =
            after * turn(out, 1 / line->b, line->s, true) + (1 - after) * turn(out, 1 / line->b, line->s, false);
    }
    double q = stay[0] / (stay[0] + 1 - stay[1]);
    return full + (1 - q) * d;
}

static const struct line lines[] = {
    {20, 10, 4, 5, 3}, {20, 10, 4, 0.5, 3}, {2, 1, 10, 5, 3}, {30, 60, 2, 20, 1}, {5, 5, 50, 1, 0.2}};
enum { LINES = sizeof lines / sizeof lines[0] };

static struct config config_of(const struct line *line)
{
    struct config config = lone(line->w, line->s);
    config.duration_ns = (sim_time)(8000 * mean_transfer_s(line) * 1e9);
    rig_add_link(&config, "wan", 0, line->a, rig_exponential(line->b));
    config.source[0].factor = rig_constant(line->f);
    return config;
}

START_TEST(transfers_take_their_mean)
{
    struct config config = config_of(&lines[_i]);
    expect_mean(&config, "a transfer", transfer_s, mean_transfer_s(&lines[_i]), 0.04);
}
END_TEST

/* The test is sharp: a link that stays as it was at the start of a transfer would take F + (1 - q) d with the d of a
 * link that never changes, (f - 1) w, and one that is slowed down by its mean rate w x (a + b) / (a + b / f). */
START_TEST(errors_would_show)
{
    int shown = 0;
    for (int i = 0; i < LINES; i++) {
        const struct line *line = &lines[i];
        double theory = mean_transfer_s(line), frozen = line->w * (1 + (line->f - 1) * line->b / (line->a + line->b)),
               mean_rate = line->w * (line->a + line->b) / (line->a + line->b / line->f);
        shown += fabs(frozen - theory) > 0.08 * theory && fabs(mean_rate - theory) > 0.04 * theory;
    }
    ck_assert_int_ge(shown, 2);
}
END_TEST

/* --- preemption with and without notice --- */

/* A job with checkpoints every c of work that cost nothing, there for an exponential time of mean m, away for l, then
 * restarts and restores for r. Without notice each absence takes back what was done since the last checkpoint: of the
 * exponential time beyond r, which it reaches with probability exp(-r/m), the remainder to a multiple of c, of mean
 * m - c / (exp(c/m) - 1). With notice of more than a step the state is saved at the end of the last step, and nothing
 * is lost. Steps are short. */
static double lost_s_per_absence(const struct run_result *result)
{
    return sim_chip_time_seconds(result->learner[0].bucket[RUN_BUCKET_lost]) / 64 /
           result->metric[RUN_METRIC_interruptions];
}

static double goodput(const struct run_result *result)
{
    return result->metric[RUN_METRIC_goodput];
}

static struct config spot(enum config_method method, double m, double l)
{
    struct config config = rig_config(method);
    config.duration_ns = 2000000 * SIM_SECOND;
    config.restart_ns = config.upscale_ns = 10 * SIM_SECOND;
    config.checkpoint_every_ns = 300 * SIM_SECOND;
    config.checkpoint_restore_ns = 20 * SIM_SECOND;
    rig_add_preemption(&config, "spot", 0, m, rig_exponential(l));
    return config;
}

START_TEST(without_notice_the_work_since_the_last_checkpoint_is_lost)
{
    double m = 500, l = 100, r = 30, c = 300;
    struct config config = spot(_i == 0 ? CONFIG_DP : CONFIG_ELASTIC_DP, m, l);
    double lost = exp(-r / m) * (m - c / expm1(c / m));
    expect_mean(&config, "lost", lost_s_per_absence, lost, 0.03);
    expect_mean(&config, "goodput", goodput, (m * exp(-r / m) - lost) / (m + l), 0.03);
}
END_TEST

/* There is a step of 1 s at most between the last that ends and the absence, of which half is gone on average: 0.5 s
 * per time there of more than r, within (1 s)^2 / m. */
START_TEST(with_notice_nothing_is)
{
    double m = 500, l = 100, r = 30;
    struct config config = spot(_i == 0 ? CONFIG_DP : CONFIG_ELASTIC_DP, m, l);
    config.source[0].notice_ns = 2 * SIM_SECOND;
    struct run_result result = rig_run(&config, 5, 0);
    ck_assert(result.learner[0].bucket[RUN_BUCKET_lost] == 0);
    run_result_fini(&result);
    expect_mean(&config, "goodput", goodput, (m - 0.5) * exp(-r / m) / (m + l), 0.03);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("analytic_links");
    TCase *tcase = tcase_create("analytic_links");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, gaps_and_lengths_follow_their_laws, 0, KINDS);
    tcase_add_loop_test(tcase, links_are_cut_or_slow_for_their_share, 0, 4);
    tcase_add_loop_test(tcase, k_of_n_learners_are_up, 0, 4);
    tcase_add_loop_test(tcase, transfers_take_their_mean, 0, LINES);
    tcase_add_test(tcase, errors_would_show);
    tcase_add_loop_test(tcase, without_notice_the_work_since_the_last_checkpoint_is_lost, 0, 2);
    tcase_add_loop_test(tcase, with_notice_nothing_is, 0, 2);
    suite_add_tcase(suite, tcase);
    return rig_main(suite);
}
