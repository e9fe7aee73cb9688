/* Tables of strangers. The first byte says what the rest is: a log of failures behind a line with the format of its
 * dates and one with conditions, a list of sizes or one of delays. What is read is in order. */
#include "tests/fuzz/fuzz.h"
#include "tools/faultline/dates.h"
#include "tools/faultline/faillog.h"
#include "tools/faultline/fit.h"
#include "tools/faultline/scenario_internal.h"

static struct sim_error error;

static void check_log(const struct config_log *log)
{
    FUZZ_ASSERT(log->rows >= 1 && log->row[0].start_ns == 0);
    for (int64_t i = 0; i < log->rows; i++) {
        const struct config_log_row *row = &log->row[i];
        FUZZ_ASSERT(row->end_ns >= row->start_ns && row->start_ns >= (i > 0 ? log->row[i - 1].start_ns : 0));
        FUZZ_ASSERT(log->machines > 0 ? row->machine >= 0 && row->machine < log->machines : row->machine == -1);
    }
}

/* What `fit` makes of a log. */
static void check_samples(const struct config_log *log)
{
    struct fit_sample sample;
    fit_gaps(log, &sample);
    fit_sample_fini(&sample);
    if (log->machines == 0)
        return;
    fit_services(log, &sample);
    fit_sample_fini(&sample);
}

static void try_log(struct fuzz_bytes *bytes)
{
    uint8_t has = fuzz_byte(bytes);
    char *dates = fuzz_line(bytes), *where = fuzz_line(bytes);
    const struct faillog_format format = {.start = "start",
                                          .end = has & 1 ? "end" : "",
                                          .down = has & 2 ? "down" : "",
                                          .machine = has & 4 ? "machine" : "",
                                          .dates = dates,
                                          .where = where,
                                          .unit_ns = 60 * SIM_SECOND};
    struct config_log *log = NULL;
    if (faillog_read(fuzz_file(bytes->at, (size_t)(bytes->end - bytes->at)), &format, &log, &error) == 0) {
        check_log(log);
        check_samples(log);
        faillog_free(log);
    } else {
        fuzz_check_message(error.text);
    }
    free(dates);
    free(where);
}

static void try_column(struct fuzz_bytes *bytes,
                       int (*read)(const char *scenario, const char *name, char **ret, struct sim_error *error))
{
    char *text = NULL;
    if (read("fuzz.yaml", fuzz_file(bytes->at, (size_t)(bytes->end - bytes->at)), &text, &error) != 0)
        fuzz_check_message(error.text);
    free(text);
}

static void try_date(struct fuzz_bytes *bytes)
{
    char *format = fuzz_line(bytes), *text = fuzz_line(bytes);
    sim_time time = -1;
    if (dates_check(format, &error) != 0)
        fuzz_check_message(error.text);
    else if (dates_read(format, text, &time, &error) != 0)
        fuzz_check_message(error.text);
    else
        FUZZ_ASSERT(time >= 0);
    free(format);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, data + size};
    switch (fuzz_byte(&bytes) % 4) {
    case 0:
        try_log(&bytes);
        break;
    case 1:
        try_column(&bytes, scenario_read_sizes);
        break;
    case 2:
        try_column(&bytes, scenario_read_delays);
        break;
    default:
        try_date(&bytes);
        break;
    }
    return 0;
}
