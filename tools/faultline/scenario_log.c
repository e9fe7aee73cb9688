#include <stdlib.h>
#include <string.h>

#include "sim/assert.h"
#include "tools/faultline/faillog.h"
#include "tools/faultline/input.h"
#include "tools/faultline/scenario_internal.h"

/* A log that was read, and by what it is found again: the keys that say how. */
struct scenario_log {
    struct scenario_log *next;
    struct config_source how;
    struct config_log *log;
};

static bool is_same(const struct config_source *a, const struct config_source *b)
{
    return strcmp(a->file, b->file) == 0 && strcmp(a->column_start, b->column_start) == 0 &&
           strcmp(a->column_end, b->column_end) == 0 && strcmp(a->column_down, b->column_down) == 0 &&
           strcmp(a->column_machine, b->column_machine) == 0 && strcmp(a->dates, b->dates) == 0 &&
           strcmp(a->where, b->where) == 0 && strcmp(a->column_cause, b->column_cause) == 0 &&
           strcmp(a->causes, b->causes) == 0 && a->unit == b->unit;
}

static int read_log(const struct scenario_text *text, const struct config_source *source, struct config_log **ret,
                    struct sim_error *error)
{
    static const sim_time unit_ns[CONFIG_UNIT_COUNT] = {SIM_SECOND, 60 * SIM_SECOND, 3600 * SIM_SECOND,
                                                        86400 * SIM_SECOND};
    const struct faillog_format format = {.start = source->column_start,
                                          .end = source->column_end,
                                          .down = source->column_down,
                                          .machine = source->column_machine,
                                          .dates = source->dates,
                                          .cause = source->column_cause,
                                          .causes = source->causes,
                                          .where = source->where,
                                          .unit_ns = unit_ns[source->unit]};
    char *path = scenario_path(text->file, source->file);
    int status = input_check_file(path, error);
    if (status == 0)
        status = faillog_read(path, &format, ret, error);
    free(path);
    return status;
}

int scenario_read_log(const struct scenario_text *text, struct config_source *source, struct sim_error *error)
{
    struct scenario_log *known = text->logs->first;
    while (known != NULL && !is_same(&known->how, source))
        known = known->next;
    if (known == NULL) {
        struct config_log *log;
        if (read_log(text, source, &log, error) != 0)
            return -1;
        known = sim_allocate(1, sizeof *known);
        *known = (struct scenario_log){.next = text->logs->first, .how = *source, .log = log};
        text->logs->first = known;
    }
    source->log = known->log;
    if (source->machines == 0)
        source->machines = source->log->machines;
    return 0;
}

void scenario_free_logs(struct scenario_logs *logs)
{
    while (logs != NULL && logs->first != NULL) {
        struct scenario_log *log = logs->first;
        logs->first = log->next;
        faillog_free(log->log);
        free(log);
    }
    free(logs);
}
