/* models/config.h -- everything a run is told: the scenario as plain numbers.
 *
 * Filled by tools/ from a scenario file through the key table; the models only read it. Each field has one key, named
 * in its comment. What the program derives from it (chips of a learner, rate of a source) is computed where it is used.
 *
 * Units: sim_time in ns; fields ending in _s in seconds; shares and spreads are fractions; the rest are counts.
 * Ownership: a value; copy it freely. What it points to is shared, not copied: the samples of empirical laws, which
 * whoever filled it keeps unchanged to the end of the program (tools/faultline/sample.h), and the rows of logs, which
 * live as long as the scenario file they were read for (struct config_log).
 * Errors: config_check finds what single keys cannot: values that do not fit together.
 */
#ifndef MODELS_CONFIG_H
#define MODELS_CONFIG_H

#include "sim/law.h"
#include "sim/time.h"

#define CONFIG_NAME_MAX 64    /* bytes of a name of the user's own, with the terminating zero */
#define CONFIG_TEXT_MAX 256   /* bytes of other text, the name of a file, likewise */
#define CONFIG_KEY_MAX 192    /* bytes of the path of a key with a name in it */
#define CONFIG_SOURCES_MAX 32 /* failure sources of a scenario */
#define CONFIG_CLASSES_MAX 16 /* speed classes */
#define CONFIG_LINKS_MAX 32   /* links that differ */
#define CONFIG_STAGES_MAX 8   /* of repair */
#define CONFIG_LEVELS_MAX 8   /* of the fleet */
#define CONFIG_LIST_MAX 256   /* learners named by one entry */
#define CONFIG_TENSORS_MAX 4096
#define CONFIG_CHIPS_MAX 16777216
#define CONFIG_FACTOR_MAX 1000    /* of a slowdown */
#define CONFIG_LEDGER_MAX 4194304 /* learners x fragments: 256 MiB a replica */

enum config_method {
    CONFIG_DP,
    CONFIG_ELASTIC_DP,
    CONFIG_DILOCO,
    CONFIG_STREAMING_DILOCO,
    CONFIG_DECOUPLED_DILOCO,
    CONFIG_METHOD_COUNT
};
enum config_source_kind {
    CONFIG_SOURCE_CHIP,
    CONFIG_SOURCE_PREEMPTION,
    CONFIG_SOURCE_LOG,
    CONFIG_SOURCE_SYNCER,
    CONFIG_SOURCE_SILENT,
    CONFIG_SOURCE_SLOWDOWN,
    CONFIG_SOURCE_DOMAIN,
    CONFIG_SOURCE_MAINTENANCE,
    CONFIG_SOURCE_LINK,
    CONFIG_SOURCE_COUNT
};
/* Which key says how often a source strikes. */
enum config_timing { CONFIG_BY_MTBI, CONFIG_BY_RATE, CONFIG_BY_LIFE };
enum config_ageing { CONFIG_AGES_KEPT, CONFIG_AGES_RESET, CONFIG_AGES_COUNT };
enum config_delay { CONFIG_DELAY_SHARED, CONFIG_DELAY_OWN, CONFIG_DELAY_COUNT };
enum config_together { CONFIG_TOGETHER_NO, CONFIG_TOGETHER_YES, CONFIG_TOGETHER_COUNT };
enum config_repeat { CONFIG_REPEAT_NO, CONFIG_REPEAT_YES, CONFIG_REPEAT_COUNT };
enum config_scale { CONFIG_SCALE_NO, CONFIG_SCALE_COPIES, CONFIG_SCALE_COUNT };
enum config_unit { CONFIG_UNIT_S, CONFIG_UNIT_MIN, CONFIG_UNIT_H, CONFIG_UNIT_D, CONFIG_UNIT_COUNT };
enum config_noticed { CONFIG_STEP_END, CONFIG_AT_ONCE, CONFIG_NOTICED_COUNT };
enum config_overlap { CONFIG_FOLD, CONFIG_NEXT_STEP, CONFIG_QUEUE, CONFIG_RESTART, CONFIG_OVERLAP_COUNT };
enum config_both { CONFIG_SUM, CONFIG_MAX, CONFIG_BOTH_COUNT };
enum config_jitter { CONFIG_NORMAL, CONFIG_LOGNORMAL, CONFIG_GAMMA, CONFIG_EXPONENTIAL, CONFIG_JITTER_COUNT };
enum config_checkpoint_mode { CONFIG_BLOCKING, CONFIG_BACKGROUND, CONFIG_CHECKPOINT_MODE_COUNT };
enum config_grace { CONFIG_GRACE_OFF, CONFIG_GRACE_ADAPTIVE, CONFIG_GRACE_COUNT };

/* fleet.classes.NAME: a generation of chips. Classes lie over the fleet in their order. */
struct config_class {
    char name[CONFIG_NAME_MAX];
    double share; /* share: of the chips of the fleet; all shares sum to 1 */
    double speed; /* speed: relative; 1 is learners.step_time */
};

/* prices.class.NAME: what chips of a class of fleet.classes cost. */
struct config_price {
    char name[CONFIG_NAME_MAX];
    double chip_hour; /* of a chip of the fleet, instead of prices.chip_hour */
};

/* fleet.levels.NAME: domains of one size, such as racks. They lie over the fleet one after the other. */
struct config_level {
    char name[CONFIG_NAME_MAX];
    int64_t chips; /* of each; a whole multiple of those of smaller levels */
};

/* A cause of failures in a log. */
struct config_cause {
    char name[CONFIG_NAME_MAX];
    char event[CONFIG_NAME_MAX + 16]; /* what a failure by it is called in the log of transitions */
    int64_t failures;
    double outages_s; /* how long they were, together */
};

/* One failure of a log: times from the first failure, in the order of start_ns. */
struct config_log_row {
    sim_time start_ns;
    sim_time end_ns;                  /* not before start_ns */
    int64_t machine;                  /* numbered in the order of their first failure; -1: the log names none */
    const struct config_cause *cause; /* NULL: none is known */
};

/* A log of failures. Read by tools/, never changed, and shared by all configs made from one scenario file: it belongs
 * to that file's struct scenario_text, which must outlive them. */
struct config_log {
    int64_t rows;     /* at least 1 */
    int64_t machines; /* that it names */
    struct config_log_row *row;
    int causes; /* that it names, in the order of the file */
    struct config_cause *cause;
};

/* repair.stages.NAME: one stage of repair. What the first does not finish goes on to the second, and so on. */
struct config_stage {
    char name[CONFIG_NAME_MAX];
    struct sim_law takes; /* takes: in the hands of a crew */
    int64_t crews;        /* crews: 0: unlimited */
    double escalates;     /* escalates: share of its cases that go on to the next stage */
    double success;       /* success: share of those it sends back that are mended; the others look it */
};

/* failures.NAME: one independent process that takes chips or learners away, or slows them. Which fields count depends
 * on the kind. */
struct config_source {
    char name[CONFIG_NAME_MAX];
    enum config_source_kind kind; /* kind */
    enum config_timing timing;
    double mtbi_s; /* mtbi: mean time between interruptions of one chip, of one domain, or of one learner of a
                      preemption or link; rate: its reciprocal; 0 with a calendar or life */
    struct sim_law return_after; /* return_after: chip: from the failure until the slice is ready to rejoin */

    struct sim_law found_after; /* found_after: silent: from the corruption until it is noticed */

    /* chip */
    struct sim_law life;       /* life: of a chip, in service, instead of mtbi */
    enum config_ageing ageing; /* ageing: when a chip failed, the others of its slice keep their ages or are new, too */
    double lemon_share;        /* lemons.share: of the chips in scope; 0: there are none */
    double lemon_factor;       /* lemons.factor: how many times sooner they fail */

    /* domain; maintenance, for which neither means all in one */
    int64_t domain_chips;               /* domain.chips: of each, or */
    char domain_level[CONFIG_NAME_MAX]; /* domain.level: those of a level of the fleet */
    enum config_delay delay;            /* delay: of a shock, or of each of its slices */

    /* Who it is about. */
    char only_class[CONFIG_NAME_MAX]; /* only.class: "": of any class */
    int learner_count;                /* preemption, link: learners: those it is about; else only.learners, 0: all */
    int32_t learner[CONFIG_LIST_MAX]; /* their numbers, from 0, each once */

    /* preemption, link, slowdown */
    struct sim_law lasts; /* lasts: how long, without a calendar */

    /* preemption, maintenance, link */
    sim_time calendar_every_ns; /* calendar.every: period; 0: no calendar */
    sim_time calendar_from_ns;  /* calendar.from: start of the absence within the period */
    sim_time calendar_lasts_ns; /* calendar.lasts: its length, at most the period */

    /* preemption */
    sim_time notice_ns; /* notice: the learner is told so long before it is taken away */

    /* link */
    enum config_together together; /* together: its learners are cut, or slower, at the same times */

    /* slowdown, link */
    struct sim_law factor; /* factor: how many times slower; a pure number, cut at 1 and CONFIG_FACTOR_MAX. Of a link
                              constant 0: it is cut */

    /* maintenance */
    sim_time rolling_ns; /* rolling: from the start of a domain to that of the next; 0: as long as it lasts */

    /* log */
    char file[CONFIG_TEXT_MAX];           /* file */
    char column_start[CONFIG_NAME_MAX];   /* columns.start: of the file, by their headings */
    char column_end[CONFIG_NAME_MAX];     /* columns.end, or */
    char column_down[CONFIG_NAME_MAX];    /* columns.down; "": none */
    char column_machine[CONFIG_NAME_MAX]; /* columns.machine; "": none */
    char column_cause[CONFIG_TEXT_MAX];   /* columns.cause: one, or a list; "": none */
    char causes[CONFIG_TEXT_MAX];         /* causes: which count; "": all */
    char dates[CONFIG_NAME_MAX];          /* dates: how times are written; "": as numbers */
    char where[CONFIG_TEXT_MAX];          /* where: which rows count; "": all */
    enum config_unit unit;                /* unit: of down, and of times that are numbers */
    sim_time log_offset_ns;               /* offset: how far into the log the run starts */
    enum config_repeat repeat;            /* repeat */
    enum config_scale scale;              /* scale */
    int64_t machines;                     /* machines: of the logged system; 0: those that it names */
    int64_t chips_per_machine;            /* chips_per_machine */
    const struct config_log *log;         /* what is in the file */
};

/* network.links.NAME: the link of some learners, where it is not that of all. */
struct config_link {
    char name[CONFIG_NAME_MAX];
    int learner_count;                /* learners */
    int32_t learner[CONFIG_LIST_MAX]; /* their numbers, from 0; each in at most one entry */
    double bits_per_s;                /* link */
    sim_time latency_ns;              /* latency: one way */
};

struct config {
    enum config_method method; /* method */
    sim_time duration_ns;      /* duration; until.within: the run ends at the latest then */
    sim_time until_work_ns;    /* until.work: the run ends when so much is done; 0: it does not */
    double until_tokens;       /* until.tokens: likewise; not both */
    sim_time warmup_ns;        /* warmup: left out of every metric */

    int64_t chips;           /* fleet.chips */
    int64_t chips_per_slice; /* fleet.chips_per_slice */

    int64_t spares;           /* fleet.spares: slices beside the fleet, cold */
    int64_t standby;          /* fleet.standby: slices beside the fleet, warm */
    sim_time swap_ns;         /* fleet.swap_time: a spare takes the place of a failed slice */
    sim_time standby_swap_ns; /* fleet.standby_swap_time: a standby does */
    int64_t loan_slices;      /* fleet.loan.slices: at most so many from another job, when there are no spares */
    sim_time loan_preempt_ns; /* fleet.loan.preemption: until one is there */

    int64_t crews;   /* repair.crews: 0: unlimited; where there are no stages */
    int stage_count; /* 0: one stage that takes return_after */
    struct config_stage stage[CONFIG_STAGES_MAX];
    double misdiagnosis;    /* repair.misdiagnosis: share of failures for which a healthy slice is taken out */
    struct sim_law relapse; /* repair.relapse: service of a slice that came back unmended; constant 0: like any other */
    int64_t
        retire_failures; /* repair.retire_after.failures: of one slice, and it is not repaired; 0: always repaired */
    sim_time retire_within_ns; /* repair.retire_after.within: in this time */

    int class_count; /* 0: one class of speed 1 */
    struct config_class class[CONFIG_CLASSES_MAX];

    int level_count;
    struct config_level level[CONFIG_LEVELS_MAX];

    int source_count;
    struct config_source source[CONFIG_SOURCES_MAX];

    sim_time downscale_ns;       /* elastic.downscale */
    sim_time upscale_ns;         /* elastic.upscale */
    sim_time restart_ns;         /* elastic.restart */
    enum config_noticed noticed; /* elastic.noticed */
    enum config_overlap overlap; /* elastic.overlap */
    enum config_both both;       /* elastic.both */
    sim_time upscale_every_ns;   /* elastic.upscale_every */
    double min_share;            /* elastic.min_share: 0 means one slice */

    int64_t learners;              /* learners.count */
    sim_time step_time_ns;         /* learners.step_time */
    double tokens_per_step;        /* learners.tokens_per_step: of one whole learner */
    double speed_spread;           /* learners.speed_spread: SD of one constant draw per learner */
    double step_jitter;            /* learners.step_jitter: SD of one draw per learner and step, relative to its mean */
    enum config_jitter jitter_law; /* learners.jitter_law; exponential has SD 1 whatever a step_jitter above 0 says */

    int64_t quorum;          /* syncer.quorum: K */
    enum config_grace grace; /* syncer.grace */
    double grace_safety;     /* syncer.grace_safety: gamma */
    int64_t fragments;       /* syncer.fragments: P */
    int64_t sync_every;      /* syncer.sync_every: H, in rounds */
    int64_t sync_overlap;    /* syncer.overlap: tau, in learner steps */
    int64_t recover_after;   /* syncer.recover_after: steps a learner may miss before it copies its state from a peer */

    sim_time restart_per_chip_ns; /* elastic.restart_per_chip: on top of restart, for each chip of the fleet */

    sim_time checkpoint_every_ns;                /* checkpoint.every: 0: no checkpoints */
    sim_time checkpoint_cost_ns;                 /* checkpoint.cost */
    sim_time checkpoint_restore_ns;              /* checkpoint.restore */
    enum config_checkpoint_mode checkpoint_mode; /* checkpoint.mode */
    int64_t checkpoint_every_rounds;             /* checkpoint.every_rounds: T_c, with a syncer */
    int64_t checkpoint_keep;                     /* checkpoint.keep: how many complete ones */

    double parameters;      /* network.parameters: of the model; 0: no network, transfers take no time */
    int64_t bits;           /* network.bits: per parameter on the wire */
    double link_bits_per_s; /* network.link: of each learner */
    sim_time latency_ns;    /* network.latency: one way */
    int link_count;
    struct config_link link[CONFIG_LINKS_MAX];
    int64_t datacentres; /* network.datacentres: D, in the ring factor 2 (D - 1) / D */
    int tensor_count; /* network.tensors: sizes of the model's tensors; 0: the built-in shape, scaled to `parameters` */
    double tensor[CONFIG_TENSORS_MAX];

    double price_chip_hour; /* prices.chip_hour: of a chip of the fleet; 0: no prices, runs cost nothing */
    int price_count;
    struct config_price price[CONFIG_CLASSES_MAX];
    double price_spare_hour;     /* prices.spare_hour: of a chip of a cold spare */
    double price_standby_hour;   /* prices.standby_hour: of a chip of a slice on standby */
    double price_loan_hour;      /* prices.loan_hour: of a chip of a borrowed slice while it is there */
    double price_preempted_hour; /* prices.preempted_hour: of a chip of a learner while it is preempted */
    double price_crew_hour;      /* prices.crew_hour: of a repair crew, at work or not */
    double price_gbit_hour;      /* prices.gbit_hour: of a Gbit/s of the link of a learner */

    /* Not keys: how to simulate, not what. */
    bool every_step;     /* each step, even when nothing can happen in it (--every-step) */
    bool without_rounds; /* no rounds where they cannot hold up a learner; their metrics are 0 (calibrate) */
};

/* Two or more values that do not fit together: the key to point at and why, for a person. */
struct config_fault {
    char key[CONFIG_KEY_MAX];
    char why[240];
};

/* True when the values fit together; otherwise fills *ret. Requires each value to be inside the range of its key. */
bool config_check(const struct config *config, struct config_fault *ret);

/* Mean time between failures of one normal chip, or absences of one learner, that stays in service: mtbi, or the mean
 * of life. */
double config_mtbi_s(const struct config_source *source);

/* How many times more often than normal ones the chips of a source fail on average: more than 1 with lemons. */
double config_lemon_weight(const struct config_source *source);

/* Chips of a domain of a source: its own number, or that of the level it names; of a source without them the fleet. */
int64_t config_domain_chips(const struct config *config, const struct config_source *source);

/* K: the quorum of the method; 1 without a syncer. */
int64_t config_quorum(const struct config *config);

/* True when the run ends with its work instead of after its duration. */
bool config_has_until(const struct config *config);

/* Slices beside the fleet: spares and standby. */
int64_t config_pool(const struct config *config);

/* True when a place may get other hardware than it lost: spares, standby or loans. */
bool config_has_pool(const struct config *config);

/* True when failed slices are followed one by one through repair: crews, stages, spares and the like. A dp job then
 * waits for them; otherwise whatever it lost is replaced within the restart. */
bool config_has_units(const struct config *config);

/* Parameters of all tensors. */
double config_tensor_sum(const struct config *config);

/* True when the method trains with a syncer. */
bool config_has_syncer(const struct config *config);

/* True when the rounds of the syncer are simulated: unless config.without_rounds is set and no learner can ever wait
 * for one. */
bool config_has_rounds(const struct config *config);

/* True when a job without a syncer saves its state now and then; when syncer and learners do together. */
bool config_has_checkpoints(const struct config *config);
bool config_has_snapshots(const struct config *config);

/* True when syncer and learners can be restarted: from a snapshot, or from the beginning. */
bool config_can_go_back(const struct config *config);

/* Complete checkpoints that are worth keeping: the last one, unless corruption may be older. */
int64_t config_kept(const struct config *config);

/* True when there is a source of this kind. */
bool config_has_kind(const struct config *config, enum config_source_kind kind);

/* True of a source of kind link that slows links down instead of cutting them; when there is one. */
bool config_is_slow_link(const struct config_source *source);
bool config_has_slow_links(const struct config *config);

/* Pause of a dp job after a failure, for all its chips. */
sim_time config_restart_ns(const struct config *config);

/* Names as users type them, for method, kind, ageing, noticed, overlap, both, jitter_law, grace, mode; each array has
 * *_COUNT entries. */
extern const char *const config_method_name[CONFIG_METHOD_COUNT];
extern const char *const config_source_kind_name[CONFIG_SOURCE_COUNT];
extern const char *const config_ageing_name[CONFIG_AGES_COUNT];
extern const char *const config_delay_name[CONFIG_DELAY_COUNT];
extern const char *const config_together_name[CONFIG_TOGETHER_COUNT];
extern const char *const config_repeat_name[CONFIG_REPEAT_COUNT];
extern const char *const config_scale_name[CONFIG_SCALE_COUNT];
extern const char *const config_unit_name[CONFIG_UNIT_COUNT];
extern const char *const config_noticed_name[CONFIG_NOTICED_COUNT];
extern const char *const config_overlap_name[CONFIG_OVERLAP_COUNT];
extern const char *const config_both_name[CONFIG_BOTH_COUNT];
extern const char *const config_jitter_name[CONFIG_JITTER_COUNT];
extern const char *const config_grace_name[CONFIG_GRACE_COUNT];
extern const char *const config_checkpoint_mode_name[CONFIG_CHECKPOINT_MODE_COUNT];

#endif
