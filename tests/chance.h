/* tests/chance.h -- random scenarios: tiny worlds in which everything of the models happens within some thousand
 * nanoseconds.
 *
 * The numbers are those of a test, not of a run: the same start, or the same bytes, gives the same scenarios. For
 * scenarios in seconds, with the usual proportions, see tests/prop/test_world.c.
 *
 * Units: as in models/config.h; steps take some nanoseconds.
 * Ownership: chance_state belongs to the test program.
 * Errors: none.
 */
#ifndef TESTS_CHANCE_H
#define TESTS_CHANCE_H

#include "tests/rig.h"

static uint64_t chance_state;
static const uint8_t *chance_byte, *chance_end; /* what a fuzzer chose: used up first */

/* 0 to below - 1. */
static inline int64_t chance(int64_t below)
{
    if (chance_byte < chance_end)
        return *chance_byte++ % below;
    chance_state = chance_state * 6364136223846793005U + 1442695040888963407U;
    return (int64_t)((chance_state >> 33) % (uint64_t)below);
}

static inline void chance_elastic(struct config *config)
{
    static const double shares[] = {0, 0.5, 1};
    config->downscale_ns = chance(6);
    config->upscale_ns = chance(6);
    config->restart_ns = chance(9);
    config->noticed = (enum config_noticed)chance(CONFIG_NOTICED_COUNT);
    config->overlap = (enum config_overlap)chance(CONFIG_OVERLAP_COUNT);
    config->both = (enum config_both)chance(CONFIG_BOTH_COUNT);
    config->upscale_every_ns = chance(2) ? 0 : chance(40);
    config->min_share = shares[chance(3)];
}

/* What the preset of a method does not leave open. */
static inline void chance_preset(struct config *config)
{
    if (config->method == CONFIG_DILOCO || config->method == CONFIG_STREAMING_DILOCO) {
        config->quorum = config->learners;
        config->grace = CONFIG_GRACE_OFF;
    }
    if (config->method == CONFIG_DILOCO) {
        config->fragments = 1;
        config->sync_overlap = 0;
    }
}

static inline void chance_classes(struct config *config)
{
    config->class_count = config->chips < 3 ? 0 : 3;
    config->class[0] = (struct config_class){"slow", 0.3, 0.5};
    config->class[1] = (struct config_class){"fast", 0.5, 1.25};
    config->class[2] = (struct config_class){"plain", 0.2, 1};
}

/* Links on which all parameters take 1 to `steps_max` steps. */
/* One learner has a link of its own, up to eight times faster or slower. */
static inline void chance_link(struct config *config)
{
    struct config_link *link = &config->link[config->link_count++];
    *link = (struct config_link){.name = "other", .learner_count = 1};
    link->learner[0] = (int32_t)chance(config->learners);
    link->bits_per_s = config->link_bits_per_s * (double)(1 + chance(64)) / 8;
    link->latency_ns = config->step_time_ns * chance(3) / 8;
}

static inline void chance_network(struct config *config, int64_t steps_max)
{
    double whole_s = sim_time_seconds(config->step_time_ns) * (double)(1 + chance(steps_max * 8)) / 8;
    config->parameters = 1e9;
    config->bits = 16;
    config->datacentres = 1 + chance(3);
    config->link_bits_per_s = 16e9 / whole_s;
    config->latency_ns = config->step_time_ns * chance(3) / 8;
    if (config_has_syncer(config) && chance(2) == 0)
        chance_link(config);
}

/* Drawn one after the other: compilers differ in the order of arguments. */
static inline void chance_preemption(struct config *config, const char *name, double step_s)
{
    int32_t learner = (int32_t)chance(config->learners);
    double mtbi_s = step_s * (double)(8 + chance(50)), lasts_s = step_s * (double)(1 + chance(16));
    rig_add_preemption(config, name, learner, mtbi_s, rig_exponential(lasts_s));
    config->source[config->source_count - 1].notice_ns = chance(2) ? 0 : chance(4 * config->step_time_ns);
}

static inline void chance_preemptions(struct config *config, double step_s)
{
    for (int i = 0; i < 2 && chance(2); i++)
        chance_preemption(config, i == 0 ? "night" : "noon", step_s);
    if (config->source_count > 0 && chance(8) == 0) {
        rig_add_preemption(config, "calendar", (int32_t)chance(config->learners), 0, rig_constant(0));
        struct config_source *source = &config->source[config->source_count - 1];
        source->calendar_every_ns = config->step_time_ns * (1 + chance(60));
        source->calendar_from_ns = chance(source->calendar_every_ns);
        source->calendar_lasts_ns = chance(source->calendar_every_ns + 1);
        source->notice_ns = chance(2) ? 0 : chance(source->calendar_every_ns - source->calendar_lasts_ns + 1);
    }
}

/* Classes, laws of jitter, links, absences: each in half of the scenarios. */
static inline void chance_protocol(struct config *config)
{
    config->recover_after = chance(4);
    config->jitter_law = (enum config_jitter)chance(CONFIG_JITTER_COUNT);
    chance_preset(config);
    chance_preemptions(config, sim_time_seconds(config->step_time_ns));
    if (chance(2))
        chance_classes(config);
    if (chance(2))
        chance_network(config, 12);
}

/* What the sources of chip failures may have: ages, lemons, a scope. Lives are as long as their mtbi. */
static inline void chance_chips(struct config *config)
{
    static const double shapes[] = {0.7, 1, 3};
    for (int i = 0; i < config->source_count; i++) {
        struct config_source *source = &config->source[i];
        if (source->kind != CONFIG_SOURCE_CHIP)
            continue;
        if (chance(2)) {
            source->timing = CONFIG_BY_LIFE;
            source->life = (struct sim_law){.kind = SIM_LAW_WEIBULL, .parameter = {source->mtbi_s, shapes[chance(3)]}};
            source->ageing = (enum config_ageing)chance(CONFIG_AGES_COUNT);
        }
        if (chance(3) == 0) {
            source->lemon_share = 0.3;
            source->lemon_factor = 4;
        }
        if (chance(3) == 0)
            source->learner[source->learner_count++] = (int32_t)chance(config->learners);
        if (chance(4) == 0 && config->class_count > 0 && source->learner_count == 0)
            (void)strcpy(source->only_class, config->class[1].name);
    }
}

static inline void chance_checkpoint(struct config *config)
{
    config->checkpoint_every_ns = 1 + chance(80);
    config->checkpoint_every_rounds = 1 + chance(chance(2) ? 2 : 12);
    config->checkpoint_keep = 1 + chance(4);
    config->checkpoint_cost_ns = chance(20);
    config->checkpoint_restore_ns = chance(3) ? chance(20) : chance(120);
    config->checkpoint_mode = (enum config_checkpoint_mode)chance(CONFIG_CHECKPOINT_MODE_COUNT);
}

static inline void chance_silent(struct config *config)
{
    double mtbi_s = 1e-9 * (double)(500 + chance(4000)), found_s = 1e-9 * (double)(1 + chance(200)),
           away_s = 1e-9 * (double)(1 + chance(60));
    rig_add_silent(config, "silent", mtbi_s, rig_exponential(found_s), rig_constant(away_s));
}

/* Drawn one after the other: compilers differ in the order of arguments. */
static inline void chance_outage(struct config *config)
{
    double down_s = 1e-9 * (double)chance(60), mtbi_s = 1e-9 * (double)(30 + chance(600));
    rig_add_outage(config, "syncer", mtbi_s, rig_exponential(down_s));
}

/* Drawn one after the other, as above. */
static inline void chance_slowdown(struct config *config)
{
    double mtbi_s = 1e-9 * (double)(50 + chance(600)), lasts_s = 1e-9 * (double)(1 + chance(60));
    const struct sim_law varied = {.kind = SIM_LAW_LOGNORMAL, .parameter = {2, 0.5}};
    rig_add_slowdown(config, "slow", mtbi_s, chance(2) ? varied : rig_constant(1.5), rig_exponential(lasts_s));
}

/* Stages of repair, of which the second may be missing. */
static inline void chance_stages(struct config *config, double step_s)
{
    config->stage_count = 1 + (int)chance(2);
    for (int i = 0; i < config->stage_count; i++) {
        struct config_stage *stage = &config->stage[i];
        *stage = (struct config_stage){.name = {(char)('a' + i)},
                                       .takes = rig_exponential(step_s * (double)(1 + chance(8))),
                                       .crews = chance(3),
                                       .escalates = i + 1 < config->stage_count ? 0.5 : 0,
                                       .success = chance(2) ? 0.5 : 1};
    }
}

/* Crews or stages, spares, loans, all that may go wrong with a repair: each in some of the scenarios. */
static inline void chance_units(struct config *config, double step_s)
{
    config->crews = chance(3);
    config->stage_count = 0;
    if (chance(3) == 0) {
        config->crews = 0;
        chance_stages(config, step_s);
    }
    config->spares = chance(3);
    config->standby = chance(3);
    config->swap_ns = chance(5);
    config->standby_swap_ns = chance(2) ? 0 : config->swap_ns;
    config->loan_slices = chance(2) ? 0 : chance(3);
    config->loan_preempt_ns = chance(20);
    config->misdiagnosis = chance(2) ? 0 : 0.3;
    config->relapse = chance(2) ? rig_constant(0) : rig_exponential(step_s * 5);
    config->retire_failures = chance(4) ? 0 : 2 + chance(2);
    config->retire_within_ns = 1 + chance(100);
}

/* Shocks to domains of some chips. */
static inline void chance_domain(struct config *config)
{
    int64_t chips = 1 + chance(config->chips);
    double mtbi_s = 1e-9 * (double)(50 + chance(400)), away_s = 1e-9 * (double)chance(60);
    rig_add_domain(config, "rack", chips, mtbi_s, rig_exponential(away_s));
    struct config_source *source = &config->source[config->source_count - 1];
    source->delay = (enum config_delay)chance(CONFIG_DELAY_COUNT);
    if (chance(4) == 0)
        source->learner[source->learner_count++] = (int32_t)chance(config->learners);
}

/* In some of the scenarios with a syncer: cuts, of one link or of several together. */
static inline void chance_cuts(struct config *config, double step_s)
{
    if (!config_has_syncer(config) || chance(3) > 0)
        return;
    int32_t learner = (int32_t)chance(config->learners);
    double mtbi_s = step_s * (double)(4 + chance(60)), lasts_s = step_s * (double)(1 + chance(12));
    rig_add_link(config, "wan", learner, mtbi_s, rig_exponential(lasts_s));
    struct config_source *source = &config->source[config->source_count - 1];
    if (chance(2) && learner + 1 < config->learners)
        source->learner[source->learner_count++] = learner + 1;
    source->together = (enum config_together)chance(CONFIG_TOGETHER_COUNT);
}

/* In some of those with a network: slower links, at random and by a calendar, one or several. */
static inline void chance_slow_links(struct config *config, double step_s)
{
    const struct sim_law varied = {.kind = SIM_LAW_LOGNORMAL, .parameter = {4, 1}};
    if (!config_has_syncer(config) || !(config->parameters > 0))
        return;
    for (int i = 0; i < 2 && chance(2); i++) {
        double mtbi_s = step_s * (double)(1 + chance(20)), lasts_s = step_s * (double)(1 + chance(8));
        int32_t first = (int32_t)chance(config->learners);
        rig_add_link(config, i == 0 ? "dusk" : "dawn", first, mtbi_s, rig_exponential(lasts_s));
        struct config_source *source = &config->source[config->source_count - 1];
        source->factor = chance(2) ? varied : rig_constant((double)(2 + chance(8)) / 2);
        for (int32_t k = first + 1; k < config->learners && chance(2); k++)
            source->learner[source->learner_count++] = k;
        source->together = (enum config_together)chance(CONFIG_TOGETHER_COUNT);
        if (chance(4) > 0)
            continue;
        source->calendar_every_ns = config->step_time_ns * (1 + chance(20));
        source->calendar_lasts_ns = 1 + chance(source->calendar_every_ns);
    }
}

/* Planned work in all of the fleet or domain by domain, as far as a turn of it fits into its period. */
static inline void chance_maintenance(struct config *config)
{
    struct config_source *source = &config->source[config->source_count++];
    *source = (struct config_source){.name = "patch", .kind = CONFIG_SOURCE_MAINTENANCE};
    int64_t domains = chance(2) ? 1 : 1 + chance(4);
    if (domains > 1)
        source->domain_chips = (config->chips + domains - 1) / domains;
    source->calendar_lasts_ns = 1 + chance(40);
    source->rolling_ns = domains > 1 ? chance(50) : 0;
    source->calendar_every_ns = source->calendar_lasts_ns * 4 + source->rolling_ns * 4 + 1 + chance(100);
    source->calendar_from_ns = chance(source->calendar_every_ns);
    if (chance(3) == 0)
        source->learner[source->learner_count++] = (int32_t)chance(config->learners);
}

/* What takes several slices away at once. */
static inline void chance_takings(struct config *config)
{
    if (chance(4) == 0)
        chance_domain(config);
    if (chance(4) == 0)
        chance_maintenance(config);
}

static inline struct config chance_tiny_world(void)
{
    struct config config = rig_config((enum config_method)chance(CONFIG_METHOD_COUNT));
    config.duration_ns = 1500;
    config.learners = config_has_syncer(&config) ? 1 + chance(4) : 1;
    config.chips = config.learners + chance(12);
    config.chips_per_slice = 1 + chance(3);
    config.step_time_ns = 2 + chance(10);
    chance_elastic(&config);
    config.speed_spread = chance(2) ? 0.3 : 0;
    config.step_jitter = chance(2) ? 0.2 : 0;
    config.quorum = 1 + chance(config.learners);
    config.grace = (enum config_grace)chance(CONFIG_GRACE_COUNT);
    config.sync_every = 1 + chance(5);
    config.fragments = 1 + chance(config.sync_every);
    config.sync_overlap = chance(config.sync_every < 3 ? config.sync_every : 3);
    double mtbi_s = 1e-9 * (double)(100 + chance(400)), away_s = 1e-9 * (double)(1 + chance(60));
    rig_add_source(&config, "chip", mtbi_s, rig_exponential(away_s));
    chance_protocol(&config);
    chance_chips(&config);
    if (chance(2))
        chance_checkpoint(&config);
    if (config_has_syncer(&config) && chance(2))
        chance_outage(&config);
    if (chance(4) == 0)
        chance_silent(&config);
    chance_takings(&config);
    if (chance(3) == 0)
        chance_units(&config, sim_time_seconds(config.step_time_ns));
    if (chance(3) == 0)
        chance_slowdown(&config);
    chance_cuts(&config, sim_time_seconds(config.step_time_ns));
    chance_slow_links(&config, sim_time_seconds(config.step_time_ns));
    return config;
}

#endif
