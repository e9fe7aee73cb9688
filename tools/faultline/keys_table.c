#include "tools/faultline/keys.h"
#include "tools/faultline/scenario.h"

#define IN_SCENARIO(field) offsetof(struct scenario, field)
#define IN_CONFIG(field) offsetof(struct scenario, config.field)
#define IN_SOURCE(field) offsetof(struct config_source, field)
#define IN_CLASS(field) offsetof(struct config_class, field)
#define IN_LEVEL(field) offsetof(struct config_level, field)
#define IN_LINK(field) offsetof(struct config_link, field)
#define CHOICES(what, COUNT) .choices = config_##what##_name, .choice_count = (COUNT)
#define IN_PRICE(field) offsetof(struct config_price, field)
#define IN_STAGE(field) offsetof(struct config_stage, field)
#define ABOVE(low, high) .min = (low), .min_excluded = true, .max = (high)
#define FROM(low, high) .min = (low), .max = (high)

#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)
#define CHIPS_MAX TEXT(CONFIG_CHIPS_MAX)
#define RUN_MAX "200y"  /* a sum of two such spans still fits in sim_time with 292y when one is a pause */
#define PAUSE_MAX "10y" /* a pause, a step */
#define MTBI_MAX "1000000y"
#define RATE_MIN "0.000001 per y" /* as MTBI_MAX */
#define RATE_MAX "1000000000 per s"
#define LEARNERS_MAX "65536"
#define LEARNER_LAST "65535"
#define PARAMETERS_MAX "1000T"
#define TOKENS_MAX "1000T"
#define ROUNDS_MAX "1M"
#define PRICE_MAX "1000000000"

/* Sections are together, and the order is the order of the canonical text. */
const struct keys_key keys_table[] = {
    {"name", KEYS_NAME, "", IN_SCENARIO(name), .source = KEYS_REQUIRED, .help = "what results are filed under"},
    {"method", KEYS_CHOICE, "", IN_CONFIG(method), CHOICES(method, CONFIG_METHOD_COUNT), .source = KEYS_REQUIRED,
     .help = "how the fleet trains: one synchronous job, an elastic one, or learners around a syncer"},
    {"duration", KEYS_TIME, "s", IN_CONFIG(duration_ns), ABOVE("0s", RUN_MAX), .source = KEYS_REQUIRED,
     .when = KEYS_OF_DURATION, .help = "simulated time of a run; or until says what it has to do"},
    {"until.work", KEYS_TIME, "s", IN_CONFIG(until_work_ns), ABOVE("0s", RUN_MAX), .source = KEYS_REQUIRED,
     .when = KEYS_OF_WORK,
     .help = "the run ends with the step that completes it: useful chip-time / fleet.chips, rollbacks taken off"},
    {"until.tokens", KEYS_AMOUNT, "tokens", IN_CONFIG(until_tokens), FROM("1", TOKENS_MAX), .source = KEYS_REQUIRED,
     .when = KEYS_OF_TOKENS,
     .help = "the run ends with the step that completes it: tokens that learners processed, rollbacks taken off"},
    {"until.within", KEYS_TIME, "s", IN_CONFIG(duration_ns), ABOVE("0s", RUN_MAX), .default_text = "10y",
     .source = KEYS_ASSUMED, .when = KEYS_OF_UNTIL,
     .help = "simulated time after which a run that is not done is given up as stalled"},
    {"warmup", KEYS_TIME, "s", IN_CONFIG(warmup_ns), FROM("0s", RUN_MAX), .default_text = "0s", .source = KEYS_ASSUMED,
     .help = "time at the start that is left out of every metric"},
    {"seed", KEYS_SEED, "", IN_SCENARIO(seed), .source = KEYS_OPTIONAL,
     .help = "selects the random numbers; without one it is drawn from the system and recorded"},

    {"fleet.chips", KEYS_COUNT, "chips", IN_CONFIG(chips), FROM("1", CHIPS_MAX), .source = KEYS_REQUIRED,
     .help = "chips of the fleet, shared evenly by the learners"},
    {"fleet.chips_per_slice", KEYS_COUNT, "chips", IN_CONFIG(chips_per_slice), FROM("1", CHIPS_MAX),
     .default_text = "256", .source = KEYS_FITTED,
     .help = "chips that are lost and rejoin together; the last slice of a learner may be smaller"},

    {"fleet.spares", KEYS_COUNT, "slices", IN_CONFIG(spares), FROM("0", CHIPS_MAX), .default_text = "0",
     .source = KEYS_ASSUMED,
     .help = "slices beside the fleet that take the place of failed ones; cold: they do not age"},
    {"fleet.standby", KEYS_COUNT, "slices", IN_CONFIG(standby), FROM("0", CHIPS_MAX), .default_text = "0",
     .source = KEYS_ASSUMED,
     .help = "the same, but warm: they fail as chips in service do; taken before the cold ones"},
    {"fleet.swap_time", KEYS_TIME, "s", IN_CONFIG(swap_ns), FROM("0s", PAUSE_MAX), .default_text = "0s",
     .source = KEYS_ASSUMED,
     .help = "pause at a step boundary in which spares take the place of failed slices; a dp job adds it to restart"},
    {"fleet.standby_swap_time", KEYS_TIME, "s", IN_CONFIG(standby_swap_ns), FROM("0s", PAUSE_MAX), .default_text = "0s",
     .default_key = "fleet.swap_time", .source = KEYS_ASSUMED,
     .help = "the same where only slices on standby do; by default as long"},
    {"fleet.loan.slices", KEYS_COUNT, "slices", IN_CONFIG(loan_slices), FROM("0", CHIPS_MAX), .source = KEYS_REQUIRED,
     .when = KEYS_OF_LOAN, .help = "slices that may be borrowed from another job at once, when no spare is left"},
    {"fleet.loan.preemption", KEYS_TIME, "s", IN_CONFIG(loan_preempt_ns), FROM("0s", PAUSE_MAX),
     .source = KEYS_REQUIRED, .when = KEYS_OF_LOAN, .help = "until a borrowed slice is there"},

    {"fleet.classes.*.share", KEYS_FRACTION, "1", IN_CLASS(share), ABOVE("0%", "100%"), .source = KEYS_REQUIRED,
     .help = "share of the chips; classes lie over the fleet in their order, and their shares sum to 100%"},
    {"fleet.classes.*.speed", KEYS_REAL, "1", IN_CLASS(speed), ABOVE("0", "1000"), .default_text = "1",
     .source = KEYS_ASSUMED, .help = "speed of these chips; a step takes step_time / speed"},
    {"fleet.levels.*", KEYS_COUNT, "chips", IN_LEVEL(chips), FROM("1", CHIPS_MAX), .source = KEYS_REQUIRED,
     .help = "chips of a rack, a pod, a datacentre: consecutive ones; a whole multiple of those of smaller levels"},

    {"failures.*.kind", KEYS_CHOICE, "", IN_SOURCE(kind), CHOICES(source_kind, CONFIG_SOURCE_COUNT),
     .source = KEYS_REQUIRED,
     .help =
         "what fails: chip, one chip that takes its slice away; preemption, learners whose chips are taken back; "
         "log, what failed once; syncer, which takes everything back to the last snapshot; silent, one chip that "
         "corrupts the state; slowdown, one chip that slows its slice for a while; domain, all chips of a rack or the "
         "like at once; maintenance, slices taken out by plan; link, which cuts learners off the syncer, or with "
         "factor "
         "slows their links down"},
    {"failures.*.mtbi", KEYS_SECONDS, "s", IN_SOURCE(mtbi_s), ABOVE("0s", MTBI_MAX), .source = KEYS_REQUIRED,
     .kinds = KEYS_KINDS_WITH_MTBI, .when = KEYS_OF_MTBI,
     .help = "mean time between interruptions of one chip, of one domain, of one learner of a preemption or "
             "link without a calendar, or of the syncer"},
    {"failures.*.rate", KEYS_FREQUENCY, "1/s", IN_SOURCE(mtbi_s), FROM(RATE_MIN, RATE_MAX), .source = KEYS_REQUIRED,
     .kinds = KEYS_KINDS_WITH_MTBI, .when = KEYS_OF_RATE,
     .help = "instead of mtbi: interruptions per chip (or domain, or learner) and time, such as 6.5 per 1000 per d"},
    {"failures.*.life", KEYS_LAW, "", IN_SOURCE(life), .source = KEYS_REQUIRED, .kinds = KEYS_KIND(CHIP),
     .when = KEYS_OF_LIFE,
     .help = "chip: instead of mtbi: time in service until it fails, for chips that age and are new at the start"},
    {"failures.*.ageing", KEYS_CHOICE, "", IN_SOURCE(ageing), CHOICES(ageing, CONFIG_AGES_COUNT),
     .default_text = "kept", .source = KEYS_ASSUMED, .kinds = KEYS_KIND(CHIP), .when = KEYS_OF_LIFE,
     .help = "chip with life: the one that failed comes back new, the others of its slice as old as they were, or new"},
    {"failures.*.lemons.share", KEYS_FRACTION, "1", IN_SOURCE(lemon_share), ABOVE("0%", "100%"),
     .source = KEYS_REQUIRED, .kinds = KEYS_KINDS_WITH_LEMONS, .when = KEYS_OF_LEMONS,
     .help = "share of the chips that fail, or slow down, more often than mtbi, rate or life say, and do so again when "
             "repaired"},
    {"failures.*.lemons.factor", KEYS_REAL, "1", IN_SOURCE(lemon_factor), FROM("1", "1000"), .source = KEYS_REQUIRED,
     .kinds = KEYS_KINDS_WITH_LEMONS, .when = KEYS_OF_LEMONS,
     .help = "how many times more often; with life they age so many times as fast"},
    {"failures.*.domain.chips", KEYS_COUNT, "chips", IN_SOURCE(domain_chips), FROM("1", CHIPS_MAX),
     .source = KEYS_OPTIONAL, .kinds = KEYS_KINDS_WITH_DOMAIN,
     .help =
         "domain: chips of each, consecutive ones of the fleet, the last may have fewer; this or level. maintenance: "
         "takes one after the other, without it everything at once"},
    {"failures.*.domain.level", KEYS_NAME, "", IN_SOURCE(domain_level), .source = KEYS_OPTIONAL,
     .kinds = KEYS_KINDS_WITH_DOMAIN, .help = "instead of chips: those of this level of fleet.levels"},
    {"failures.*.delay", KEYS_CHOICE, "", IN_SOURCE(delay), CHOICES(delay, CONFIG_DELAY_COUNT),
     .default_text = "shared", .source = KEYS_ASSUMED, .kinds = KEYS_KIND(DOMAIN),
     .help = "domain: all slices of a shock share one draw of return_after or of each stage of repair, or each has its "
             "own"},
    {"failures.*.only.class", KEYS_NAME, "", IN_SOURCE(only_class), .source = KEYS_OPTIONAL,
     .kinds = KEYS_KINDS_WITH_ONLY, .help = "only chips of this class of fleet.classes"},
    {"failures.*.only.learners", KEYS_LIST, "", IN_SOURCE(learner), .count_offset = IN_SOURCE(learner_count),
     FROM("0", LEARNER_LAST), .source = KEYS_OPTIONAL, .kinds = KEYS_KINDS_WITH_ONLY,
     .help = "only chips of these learners, by their numbers from 0"},
    {"failures.*.return_after", KEYS_LAW, "", IN_SOURCE(return_after), .source = KEYS_REQUIRED_BUT_DP,
     .kinds = KEYS_KIND(CHIP) | KEYS_KIND(SYNCER) | KEYS_KIND(SILENT) | KEYS_KIND(DOMAIN), .when = KEYS_WITHOUT_STAGES,
     .default_text = "constant(0s)",
     .help = "from the failure until the slice is ready to rejoin, with repair.crews in the hands of a crew; or until "
             "the syncer is there again"},
    {"failures.*.found_after", KEYS_LAW, "", IN_SOURCE(found_after), .source = KEYS_REQUIRED,
     .kinds = KEYS_KIND(SILENT), .help = "silent: from the corruption until it is noticed; then the slice fails"},
    {"failures.*.learners", KEYS_LIST, "", IN_SOURCE(learner), .count_offset = IN_SOURCE(learner_count),
     FROM("0", LEARNER_LAST), .source = KEYS_REQUIRED, .kinds = KEYS_KINDS_WITH_LEARNERS,
     .help = "preemption, link: numbers of the learners it takes away, cuts off or slows down, from 0"},
    {"failures.*.lasts", KEYS_LAW, "", IN_SOURCE(lasts), .source = KEYS_REQUIRED,
     .kinds = KEYS_KINDS_WITH_LEARNERS | KEYS_KIND(SLOWDOWN), .when = KEYS_OF_RANDOM,
     .help = "preemption, link without a calendar: how long the learner is away, or its link cut or slower; slowdown: "
             "how long the slice is slower"},
    {"failures.*.notice", KEYS_TIME, "s", IN_SOURCE(notice_ns), FROM("0s", PAUSE_MAX), .default_text = "0s",
     .source = KEYS_ASSUMED, .kinds = KEYS_KIND(PREEMPTION),
     .help =
         "preemption: how long before it is taken a learner is told, so that it can save its state, or stop between "
         "two steps"},
    {"failures.*.together", KEYS_CHOICE, "", IN_SOURCE(together), CHOICES(together, CONFIG_TOGETHER_COUNT),
     .default_text = "no", .source = KEYS_ASSUMED, .kinds = KEYS_KIND(LINK),
     .help = "link: its learners are cut, or slower, at the same times, a partition; else each by itself"},
    {"failures.*.factor", KEYS_FACTOR, "1", IN_SOURCE(factor), .source = KEYS_REQUIRED_BUT_LINK,
     .kinds = KEYS_KIND(SLOWDOWN) | KEYS_KIND(LINK),
     .help = "slowdown, link: how many times slower; draws of a law are cut at 1 and " TEXT(
         CONFIG_FACTOR_MAX) "; a link without it is cut"},
    {"failures.*.calendar.every", KEYS_TIME, "s", IN_SOURCE(calendar_every_ns), ABOVE("0s", PAUSE_MAX),
     .source = KEYS_REQUIRED, .kinds = KEYS_KINDS_WITH_CALENDAR, .when = KEYS_OF_CALENDAR,
     .help = "preemption, link, maintenance: period of the calendar"},
    {"failures.*.calendar.from", KEYS_TIME, "s", IN_SOURCE(calendar_from_ns), FROM("0s", PAUSE_MAX),
     .default_text = "0s", .source = KEYS_ASSUMED, .kinds = KEYS_KINDS_WITH_CALENDAR, .when = KEYS_OF_CALENDAR,
     .help = "when the absence, or the first one, starts within the period"},
    {"failures.*.calendar.lasts", KEYS_TIME, "s", IN_SOURCE(calendar_lasts_ns), ABOVE("0s", PAUSE_MAX),
     .source = KEYS_REQUIRED, .kinds = KEYS_KINDS_WITH_CALENDAR, .when = KEYS_OF_CALENDAR,
     .help = "how long an absence lasts, at most the period"},

    {"failures.*.rolling", KEYS_TIME, "s", IN_SOURCE(rolling_ns), FROM("0s", PAUSE_MAX), .default_text = "0s",
     .source = KEYS_ASSUMED, .kinds = KEYS_KIND(MAINTENANCE),
     .help = "maintenance with a domain: from the start of one to that of the next; 0s: as long as it lasts"},

    {"failures.*.file", KEYS_TEXT, "", IN_SOURCE(file), .source = KEYS_REQUIRED, .kinds = KEYS_KIND(LOG),
     .help = "log: CSV file beside the scenario, plain or .xz, with a row per outage"},
    {"failures.*.columns.start", KEYS_NAME, "", IN_SOURCE(column_start), .source = KEYS_REQUIRED,
     .kinds = KEYS_KIND(LOG), .help = "log: heading of the column with the start of an outage"},
    {"failures.*.columns.end", KEYS_NAME, "", IN_SOURCE(column_end), .source = KEYS_OPTIONAL, .kinds = KEYS_KIND(LOG),
     .help = "log: of that with its end; this or down"},
    {"failures.*.columns.down", KEYS_NAME, "", IN_SOURCE(column_down), .source = KEYS_OPTIONAL, .kinds = KEYS_KIND(LOG),
     .help = "log: of that with its length, a number of unit"},
    {"failures.*.columns.machine", KEYS_NAME, "", IN_SOURCE(column_machine), .source = KEYS_OPTIONAL,
     .kinds = KEYS_KIND(LOG), .help = "log: of that with what failed; without it failures hit chips at random"},
    {"failures.*.dates", KEYS_NAME, "", IN_SOURCE(dates), .source = KEYS_OPTIONAL, .kinds = KEYS_KIND(LOG),
     .help =
         "log: how start and end are written, such as %Y-%m-%d %H:%M:%S, in UTC; without it they are numbers of unit"},
    {"failures.*.unit", KEYS_CHOICE, "", IN_SOURCE(unit), CHOICES(unit, CONFIG_UNIT_COUNT), .default_text = "min",
     .source = KEYS_ASSUMED, .kinds = KEYS_KIND(LOG), .help = "log: unit of the numbers in it"},
    {"failures.*.where", KEYS_WHERE, "", IN_SOURCE(where), .source = KEYS_OPTIONAL, .kinds = KEYS_KIND(LOG),
     .help = "log: only rows with these values in these columns"},
    {"failures.*.offset", KEYS_TIME, "s", IN_SOURCE(log_offset_ns), FROM("0s", RUN_MAX), .default_text = "0s",
     .source = KEYS_ASSUMED, .kinds = KEYS_KIND(LOG),
     .help = "log: time from its first failure to the start of the run"},
    {"failures.*.repeat", KEYS_CHOICE, "", IN_SOURCE(repeat), CHOICES(repeat, CONFIG_REPEAT_COUNT),
     .default_text = "no", .source = KEYS_ASSUMED, .kinds = KEYS_KIND(LOG),
     .help = "log: starts again one mean gap after its last failure"},
    {"failures.*.scale", KEYS_CHOICE, "", IN_SOURCE(scale), CHOICES(scale, CONFIG_SCALE_COUNT), .default_text = "no",
     .source = KEYS_ASSUMED, .kinds = KEYS_KIND(LOG),
     .help = "log: a larger fleet is filled with copies of it, each turned by a random time"},
    {"failures.*.machines", KEYS_COUNT, "machines", IN_SOURCE(machines), FROM("1", CHIPS_MAX), .source = KEYS_OPTIONAL,
     .kinds = KEYS_KIND(LOG), .help = "log: machines of the logged system; by default those that it names"},
    {"failures.*.chips_per_machine", KEYS_COUNT, "chips", IN_SOURCE(chips_per_machine), FROM("1", CHIPS_MAX),
     .default_text = "256", .default_key = "fleet.chips_per_slice", .source = KEYS_ASSUMED, .kinds = KEYS_KIND(LOG),
     .help = "log: chips that stand for a machine; by default a slice"},

    {"repair.crews", KEYS_COUNT, "crews", IN_CONFIG(crews), FROM("1", CHIPS_MAX), .source = KEYS_OPTIONAL,
     .help = "slices repaired at a time, first come, first served; without it as many as there are"},
    {"repair.misdiagnosis", KEYS_FRACTION, "1", IN_CONFIG(misdiagnosis), FROM("0%", "100%"), .default_text = "0%",
     .source = KEYS_ASSUMED,
     .help = "share of failures for which another, healthy slice of the learner is taken out and the bad one stays"},
    {"repair.relapse", KEYS_LAW, "", IN_CONFIG(relapse), .source = KEYS_OPTIONAL,
     .help = "time in service until a slice that was not mended fails again; without it, or at 0s, like any other"},
    {"repair.retire_after.failures", KEYS_COUNT, "failures", IN_CONFIG(retire_failures), FROM("0", "100"),
     .source = KEYS_REQUIRED, .when = KEYS_OF_RETIREMENT,
     .help = "failures of one slice at which it is retired for good; 0: never"},
    {"repair.retire_after.within", KEYS_TIME, "s", IN_CONFIG(retire_within_ns), ABOVE("0s", RUN_MAX),
     .source = KEYS_REQUIRED, .when = KEYS_OF_RETIREMENT, .help = "time in which they count, the last one included"},

    {"repair.stages.*.takes", KEYS_LAW, "", IN_STAGE(takes), .source = KEYS_REQUIRED,
     .help = "time in the hands of a crew of this stage; every failure starts in the first"},
    {"repair.stages.*.crews", KEYS_COUNT, "crews", IN_STAGE(crews), FROM("1", CHIPS_MAX), .source = KEYS_OPTIONAL,
     .help = "slices in this stage at a time, first come, first served; without it as many as there are"},
    {"repair.stages.*.escalates", KEYS_FRACTION, "1", IN_STAGE(escalates), FROM("0%", "100%"), .default_text = "0%",
     .source = KEYS_ASSUMED, .help = "share of its cases that then go on to the next stage"},
    {"repair.stages.*.success", KEYS_FRACTION, "1", IN_STAGE(success), FROM("0%", "100%"), .default_text = "100%",
     .source = KEYS_ASSUMED, .help = "share of the slices it sends back that are mended; the others only look it"},

    {"elastic.downscale", KEYS_TIME, "s", IN_CONFIG(downscale_ns), FROM("0s", PAUSE_MAX), .default_text = "12s",
     .source = KEYS_FITTED, .help = "pause of a learner that goes on without failed slices"},
    {"elastic.upscale", KEYS_TIME, "s", IN_CONFIG(upscale_ns), FROM("0s", PAUSE_MAX), .default_text = "16s",
     .source = KEYS_FITTED, .help = "pause of a learner that takes returned slices back"},
    {"elastic.restart", KEYS_TIME, "s", IN_CONFIG(restart_ns), FROM("0s", PAUSE_MAX), .default_text = "84s",
     .source = KEYS_FITTED, .help = "pause of a dp job after a failure"},
    {"elastic.restart_per_chip", KEYS_TIME, "s", IN_CONFIG(restart_per_chip_ns), FROM("0s", "1s"), .default_text = "0s",
     .source = KEYS_ASSUMED, .help = "what each chip of the fleet adds to that pause"},
    {"elastic.noticed", KEYS_CHOICE, "", IN_CONFIG(noticed), CHOICES(noticed, CONFIG_NOTICED_COUNT),
     .default_text = "step_end", .source = KEYS_FITTED,
     .help = "a failure is noticed when its step ends, which still counts, or at once, and the step is lost"},
    {"elastic.overlap", KEYS_CHOICE, "", IN_CONFIG(overlap), CHOICES(overlap, CONFIG_OVERLAP_COUNT),
     .default_text = "next_step", .source = KEYS_FITTED,
     .help =
         "slices that fail during a reconfiguration: in it at no extra time, a step later, in their own, start over"},
    {"elastic.both", KEYS_CHOICE, "", IN_CONFIG(both), CHOICES(both, CONFIG_BOTH_COUNT), .default_text = "sum",
     .source = KEYS_FITTED, .help = "downscale and upscale at one boundary take the sum or the longer of the two"},
    {"elastic.upscale_every", KEYS_TIME, "s", IN_CONFIG(upscale_every_ns), FROM("0s", PAUSE_MAX),
     .default_text = "170s", .source = KEYS_FITTED,
     .help = "least time from the start of an upscale to the next, so that returns gather"},
    {"elastic.min_share", KEYS_FRACTION, "1", IN_CONFIG(min_share), FROM("0%", "100%"), .default_text = "0%",
     .source = KEYS_ASSUMED, .help = "share of its chips below which a learner does not step; 0% means one slice"},

    {"learners.count", KEYS_COUNT, "learners", IN_CONFIG(learners), FROM("1", LEARNERS_MAX), .default_text = "1",
     .source = KEYS_ASSUMED, .help = "learners M; dp and elastic-dp have one"},
    {"learners.step_time", KEYS_TIME, "s", IN_CONFIG(step_time_ns), ABOVE("0s", PAUSE_MAX), .default_text = "6.5s",
     .source = KEYS_FITTED, .help = "time of a step at speed 1"},
    {"learners.tokens_per_step", KEYS_AMOUNT, "tokens", IN_CONFIG(tokens_per_step), FROM("1", "1T"),
     .default_text = "4M", .source = KEYS_ASSUMED, .help = "tokens of a step of one whole learner"},
    {"learners.speed_spread", KEYS_FRACTION, "1", IN_CONFIG(speed_spread), FROM("0%", "100%"), .default_text = "0%",
     .source = KEYS_ASSUMED, .help = "standard deviation of the speed among learners, drawn once for each"},
    {"learners.step_jitter", KEYS_FRACTION, "1", IN_CONFIG(step_jitter), FROM("0%", "100%"), .default_text = "0%",
     .source = KEYS_ASSUMED, .help = "standard deviation of the time of a step, drawn for each learner and step"},
    {"learners.jitter_law", KEYS_CHOICE, "", IN_CONFIG(jitter_law), CHOICES(jitter, CONFIG_JITTER_COUNT),
     .default_text = "normal", .source = KEYS_ASSUMED,
     .help = "law of that time, its mean step_time / speed; exponential ignores how large step_jitter is"},

    {"syncer.quorum", KEYS_COUNT, "learners", IN_CONFIG(quorum), FROM("1", LEARNERS_MAX), .default_text = "1",
     .source = KEYS_PAPER, .help = "learners K that must report before a round can close"},
    {"syncer.grace", KEYS_CHOICE, "", IN_CONFIG(grace), CHOICES(grace, CONFIG_GRACE_COUNT), .default_text = "adaptive",
     .source = KEYS_PAPER, .help = "wait for more learners after the quorum: not, or as long as nobody is held up"},
    {"syncer.grace_safety", KEYS_FRACTION, "1", IN_CONFIG(grace_safety), FROM("0%", "100%"), .max_excluded = true,
     .default_text = "90%", .source = KEYS_ASSUMED, .help = "share gamma of the slack that the grace may use"},
    {"syncer.fragments", KEYS_COUNT, "fragments", IN_CONFIG(fragments), FROM("1", ROUNDS_MAX), .default_text = "24",
     .source = KEYS_PAPER, .help = "parts P of the model, one merged at a time; at most sync_every"},
    {"syncer.sync_every", KEYS_COUNT, "rounds", IN_CONFIG(sync_every), FROM("1", ROUNDS_MAX), .default_text = "24",
     .source = KEYS_PAPER, .help = "rounds H in which every fragment has its turn"},
    {"syncer.overlap", KEYS_COUNT, "steps", IN_CONFIG(sync_overlap), FROM("0", ROUNDS_MAX), .default_text = "2",
     .source = KEYS_PAPER, .help = "steps tau a learner may run ahead of an update it waits for; below sync_every"},
    {"syncer.recover_after", KEYS_COUNT, "steps", IN_CONFIG(recover_after), FROM("0", ROUNDS_MAX), .default_text = "24",
     .default_key = "syncer.sync_every", .source = KEYS_PAPER,
     .help = "steps a learner may miss before it copies its state from a peer; by default as many as sync_every"},

    {"checkpoint.every", KEYS_TIME, "s", IN_CONFIG(checkpoint_every_ns), ABOVE("0s", PAUSE_MAX),
     .source = KEYS_REQUIRED, .when = KEYS_OF_CHECKPOINT,
     .help = "work between the end of a checkpoint of a job without a syncer and the start of the next. Without "
             "checkpoints a job never loses its state"},
    {"checkpoint.cost", KEYS_TIME, "s", IN_CONFIG(checkpoint_cost_ns), FROM("0s", PAUSE_MAX), .source = KEYS_REQUIRED,
     .when = KEYS_OF_CHECKPOINT, .help = "time to write one"},
    {"checkpoint.restore", KEYS_TIME, "s", IN_CONFIG(checkpoint_restore_ns), FROM("0s", PAUSE_MAX),
     .source = KEYS_REQUIRED, .when = KEYS_OF_CHECKPOINT,
     .help = "time to read the state back, also when it is that of the beginning"},
    {"checkpoint.mode", KEYS_CHOICE, "", IN_CONFIG(checkpoint_mode),
     CHOICES(checkpoint_mode, CONFIG_CHECKPOINT_MODE_COUNT), .default_text = "blocking", .source = KEYS_ASSUMED,
     .when = KEYS_OF_CHECKPOINT, .help = "who writes a checkpoint stands still meanwhile, or steps on"},
    {"checkpoint.keep", KEYS_COUNT, "checkpoints", IN_CONFIG(checkpoint_keep), FROM("1", "1k"), .default_text = "5",
     .source = KEYS_ASSUMED, .when = KEYS_OF_CHECKPOINT,
     .help = "complete checkpoints that are kept, in case that silent corruption is older than the last"},
    {"checkpoint.every_rounds", KEYS_COUNT, "rounds", IN_CONFIG(checkpoint_every_rounds), FROM("1", "1000000T"),
     .source = KEYS_OPTIONAL, .when = KEYS_OF_CHECKPOINT,
     .help = "rounds from a snapshot of learners and syncer to the next; by default as many as every has steps"},

    {"network.tensors", KEYS_SIZES, "", IN_CONFIG(tensor), .count_offset = IN_CONFIG(tensor_count),
     FROM("1", PARAMETERS_MAX), .source = KEYS_OPTIONAL, .when = KEYS_OF_NETWORK,
     .help = "sizes of the model's tensors, or a file beside the scenario with a column parameters"},
    {"network.parameters", KEYS_AMOUNT, "parameters", IN_CONFIG(parameters), FROM("1", PARAMETERS_MAX),
     .source = KEYS_REQUIRED, .when = KEYS_OF_NETWORK,
     .help = "parameters of the model; with tensors their sum. Without a network nothing takes time to send"},
    {"network.bits", KEYS_COUNT, "bits", IN_CONFIG(bits), FROM("1", "64"), .default_text = "16", .source = KEYS_PAPER,
     .when = KEYS_OF_NETWORK, .help = "bits of a parameter on the wire"},
    {"network.link", KEYS_RATE, "bit/s", IN_CONFIG(link_bits_per_s), ABOVE("0bit/s", "1000000Tbit/s"),
     .source = KEYS_REQUIRED, .when = KEYS_OF_NETWORK, .help = "bandwidth of the link of each learner"},
    {"network.latency", KEYS_TIME, "s", IN_CONFIG(latency_ns), FROM("0s", PAUSE_MAX), .default_text = "0s",
     .source = KEYS_ASSUMED, .when = KEYS_OF_NETWORK, .help = "of the link, one way"},
    {"network.datacentres", KEYS_COUNT, "datacentres", IN_CONFIG(datacentres), FROM("1", "1M"), .default_text = "2",
     .source = KEYS_ASSUMED, .when = KEYS_OF_NETWORK,
     .help = "datacentres D, in the ring factor 2 (D - 1) / D of what is sent; the paper has 2 and 8"},
    {"network.links.*.learners", KEYS_LIST, "", IN_LINK(learner), .count_offset = IN_LINK(learner_count),
     FROM("0", LEARNER_LAST), .source = KEYS_REQUIRED, .when = KEYS_OF_NETWORK,
     .help = "numbers of the learners whose link is not that of all, from 0"},
    {"network.links.*.link", KEYS_RATE, "bit/s", IN_LINK(bits_per_s), ABOVE("0bit/s", "1000000Tbit/s"),
     .default_key = "network.link", .source = KEYS_OPTIONAL, .when = KEYS_OF_NETWORK,
     .help = "bandwidth of the link of each of them; by default that of network.link"},
    {"network.links.*.latency", KEYS_TIME, "s", IN_LINK(latency_ns), FROM("0s", PAUSE_MAX), .default_text = "0s",
     .default_key = "network.latency", .source = KEYS_ASSUMED, .when = KEYS_OF_NETWORK,
     .help = "its latency, one way; by default that of network.latency"},

    {"prices.chip_hour", KEYS_REAL, "1/h", IN_CONFIG(price_chip_hour), ABOVE("0", PRICE_MAX), .source = KEYS_REQUIRED,
     .when = KEYS_OF_PRICES, .help = "price of a chip of the fleet for an hour, in any currency"},
    {"prices.class.*", KEYS_REAL, "1/h", IN_PRICE(chip_hour), FROM("0", PRICE_MAX), .source = KEYS_REQUIRED,
     .when = KEYS_OF_PRICES, .help = "of a chip of this class of fleet.classes, where it is not chip_hour"},
    {"prices.spare_hour", KEYS_REAL, "1/h", IN_CONFIG(price_spare_hour), FROM("0", PRICE_MAX),
     .default_key = "prices.chip_hour", .source = KEYS_OPTIONAL, .when = KEYS_OF_PRICES,
     .help = "of a chip of a cold spare; by default as one of the fleet"},
    {"prices.standby_hour", KEYS_REAL, "1/h", IN_CONFIG(price_standby_hour), FROM("0", PRICE_MAX),
     .default_key = "prices.chip_hour", .source = KEYS_OPTIONAL, .when = KEYS_OF_PRICES,
     .help = "of a chip on standby; by default as one of the fleet"},
    {"prices.loan_hour", KEYS_REAL, "1/h", IN_CONFIG(price_loan_hour), FROM("0", PRICE_MAX),
     .default_key = "prices.chip_hour", .source = KEYS_OPTIONAL, .when = KEYS_OF_PRICES,
     .help = "of a borrowed chip, while it is borrowed; by default as one of the fleet"},
    {"prices.preempted_hour", KEYS_REAL, "1/h", IN_CONFIG(price_preempted_hour), FROM("0", PRICE_MAX),
     .default_text = "0", .source = KEYS_ASSUMED, .when = KEYS_OF_PRICES,
     .help = "of a chip whose learner is preempted, instead of that of the fleet: somebody else pays for it"},
    {"prices.crew_hour", KEYS_REAL, "1/h", IN_CONFIG(price_crew_hour), FROM("0", PRICE_MAX), .default_text = "0",
     .source = KEYS_ASSUMED, .when = KEYS_OF_PRICES,
     .help = "of a repair crew, at work or not; where their number is not limited nobody pays for them"},
    {"prices.gbit_hour", KEYS_REAL, "1/h", IN_CONFIG(price_gbit_hour), FROM("0", PRICE_MAX), .default_text = "0",
     .source = KEYS_ASSUMED, .when = KEYS_OF_PRICES, .help = "of each Gbit/s of the link of each learner"},
};

const size_t keys_count = sizeof keys_table / sizeof keys_table[0];
