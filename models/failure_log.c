#include "models/failure_log.h"

#include "models/world.h"

int64_t failure_log_places(const struct config *config, const struct config_source *source)
{
    return config->chips / source->chips_per_machine;
}

int64_t failure_log_copies(const struct config *config, const struct config_source *source)
{
    if (source->scale == CONFIG_SCALE_NO)
        return 1;
    return (failure_log_places(config, source) + source->machines - 1) / source->machines;
}

sim_time failure_log_period(const struct config_log *log)
{
    sim_time length = log->row[log->rows - 1].start_ns;
    return log->rows > 1 ? length + length / (log->rows - 1) : length;
}

static const struct config_log_row *row_of(const struct config_source *source, uint64_t number)
{
    return &source->log->row[number % (uint64_t)source->log->rows];
}

sim_time failure_log_outage(const struct config_source *source, uint64_t number)
{
    const struct config_log_row *row = row_of(source, number);
    return row->end_ns - row->start_ns;
}

const char *failure_log_event(const struct config_source *source, uint64_t number)
{
    const struct config_cause *cause = row_of(source, number)->cause;
    return cause != NULL ? cause->event : NULL;
}

/* Chips of one copy of a log that names no machines: of the fleet, or of as many machines as it is of. */
static int64_t chips_of_copy(const struct failure_log *log)
{
    const struct config *config = log->source.world->config;
    const struct config_source *source = log->source.config;
    return source->scale == CONFIG_SCALE_NO ? config->chips : source->machines * source->chips_per_machine;
}

/* The chip that failure `number` hits; past the fleet when it has no room for the machine. */
static int64_t chip_of(const struct failure_log *log, uint64_t number)
{
    const struct config_source *source = log->source.config;
    int64_t machine = source->log->row[log->row].machine;
    if (machine >= 0)
        return (log->copy * source->machines + machine) * source->chips_per_machine;
    double u = sim_uniform_at(&log->source.world->sim.origin, WORLD_STREAM_LOG_CHIP,
                              log->source.identity + (uint64_t)log->copy, number);
    int64_t chips = chips_of_copy(log);
    return log->copy * chips + (int64_t)(u * (double)chips);
}

/* When the next failure is, in the time of the run. */
static sim_time time_of_next(const struct failure_log *log)
{
    const struct config_source *source = log->source.config;
    sim_time period = failure_log_period(source->log), start = source->log->row[log->row].start_ns;
    if (log->cycle > (SIM_TIME_NEVER - start) / (period > 0 ? period : 1))
        return SIM_TIME_NEVER;
    return log->cycle * period + start - log->from;
}

static void on_failure(void *context, uint32_t entity);

/* A log that does not repeat is over at its end, wherever a copy began. */
static void schedule_next(struct failure_log *log)
{
    struct world *world = log->source.world;
    const struct config_source *source = log->source.config;
    sim_time at = time_of_next(log), period = failure_log_period(source->log);
    bool is_over =
        source->repeat == CONFIG_REPEAT_NO && (log->copy == 0 ? log->cycle > 0 : at >= period - source->log_offset_ns);
    if (!is_over && at <= world->config->duration_ns)
        (void)sim_queue_schedule(&world->sim.queue, at, WORLD_RANK_FAILURE, (uint32_t)log->copy, on_failure, log);
}

static void on_failure(void *context, uint32_t entity)
{
    (void)entity;
    struct failure_log *log = context;
    struct world *world = log->source.world;
    int64_t rows = log->source.config->log->rows;
    uint64_t number = (uint64_t)log->cycle * (uint64_t)rows + (uint64_t)log->row;
    int64_t chip = chip_of(log, number);
    log->row = (log->row + 1) % rows;
    log->cycle += log->row == 0;
    schedule_next(log);
    if (chip < world->config->chips)
        world_fail_chip(world, &log->source, chip, number);
}

/* The first row at or after `from`, perhaps in the next period. */
static void seek(struct failure_log *log)
{
    const struct config_log *rows = log->source.config->log;
    int64_t low = 0, high = rows->rows;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (rows->row[middle].start_ns < log->from)
            low = middle + 1;
        else
            high = middle;
    }
    log->row = low % rows->rows;
    log->cycle = low == rows->rows;
}

static void start(struct failure_log *log, struct world *world, const struct config_source *source, int64_t copy)
{
    *log = (struct failure_log){.copy = copy, .from = source->log_offset_ns};
    log->source =
        (struct failure_source){.world = world, .config = source, .identity = failures_identity(source->name)};
    if (copy > 0) {
        sim_time period = failure_log_period(source->log);
        double u = sim_uniform_at(&world->sim.origin, WORLD_STREAM_LOG_TURN, log->source.identity, (uint64_t)copy);
        log->from = (log->from + (sim_time)(u * (double)period)) % period;
    }
    seek(log);
    schedule_next(log);
}

void failure_log_start_all(struct world *world)
{
    const struct config *config = world->config;
    int64_t copies = 0, next = 0;
    for (int i = 0; i < config->source_count; i++)
        if (config->source[i].kind == CONFIG_SOURCE_LOG)
            copies += failure_log_copies(config, &config->source[i]);
    world->log = sim_allocate((size_t)copies, sizeof *world->log);
    for (int i = 0; i < config->source_count; i++)
        for (int64_t copy = 0;
             config->source[i].kind == CONFIG_SOURCE_LOG && copy < failure_log_copies(config, &config->source[i]);
             copy++)
            start(&world->log[next++], world, &config->source[i], copy);
}
