#include "tools/faultline/faillog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "models/slice.h"
#include "sim/assert.h"
#include "tools/faultline/alloc.h"
#include "tools/faultline/csv.h"
#include "tools/faultline/dates.h"
#include "tools/faultline/keys.h"
#include "tools/faultline/names.h"
#include "tools/faultline/value.h"

enum { WHERE_MAX = 8, ROWS_MAX = 16777216, CAUSES_MAX = 256 };

#define SPAN_YEARS_MAX 50 /* two periods, up to twice as long each, are a time */
#define YEAR_NS (SIM_SECOND * 365 * 86400)

/* A condition on a column. */
struct condition {
    char column[CONFIG_TEXT_MAX];
    char value[CONFIG_TEXT_MAX];
    size_t index;
};

struct reader {
    const struct faillog_format *format;
    struct csv *csv;
    size_t start, end, down, machine; /* columns */
    struct condition where[WHERE_MAX];
    int wheres;
    struct names cause; /* columns */
    size_t cause_index[NAMES_MAX];
    struct names causes; /* those wanted; none: all */
    struct config_log log;
    size_t capacity;
    char **name; /* of machines, by row until they are numbered */
    size_t names_capacity;
};

static bool is_given(const char *text)
{
    return text != NULL && text[0] != '\0';
}

/* --- where --- */

static const char *read_condition(const char *at, struct condition *ret)
{
    at = names_read_word(at, ":{}", ret->column);
    if (at == NULL || *at != ':')
        return NULL;
    return names_read_word(at + 1 + strspn(at + 1, " "), ",{}", ret->value);
}

static int read_where(const char *text, struct condition ret[static WHERE_MAX], int *ret_count, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX];
    int count = 0;
    const char *at = text[0] == '{' ? text : NULL;
    do {
        if (at != NULL)
            at += 1 + strspn(at + 1, " ");
        if (at == NULL || count == WHERE_MAX || (at = read_condition(at, &ret[count++])) == NULL)
            return sim_error_set(error, "%s: not conditions; expected up to %d of them such as {System: 20}",
                                 value_quote(text, quoted), WHERE_MAX);
    } while (*at == ',');
    if (strcmp(at, "}") != 0)
        return sim_error_set(error, "%s: the conditions are never closed with }", value_quote(text, quoted));
    *ret_count = count;
    return 0;
}

int faillog_check_where(const char *text, char ret[static CONFIG_TEXT_MAX], struct sim_error *error)
{
    struct condition condition[WHERE_MAX];
    int count = 0;
    if (read_where(text, condition, &count, error) != 0)
        return -1;
    struct alloc_draft draft;
    alloc_draft_start(&draft);
    for (int i = 0; i < count; i++) {
        fputs(i == 0 ? "{" : ", ", draft.to);
        names_write_word(draft.to, condition[i].column);
        fputs(": ", draft.to);
        names_write_word(draft.to, condition[i].value);
    }
    fputc('}', draft.to);
    return names_keep(&draft, "conditions", ret, error);
}

/* --- causes --- */

/* The cause of a name, which is new unless another row has it, in whatever case. */
static int find_cause(struct reader *reader, const struct csv_field *field, const char *name, struct config_cause **ret,
                      struct sim_error *error)
{
    struct config_log *log = &reader->log;
    struct sim_error why;
    for (int i = 0; i < log->causes; i++)
        if (strcasecmp(log->cause[i].name, name) == 0) {
            *ret = &log->cause[i];
            return 0;
        }
    if (log->causes == CAUSES_MAX)
        return csv_error(reader->csv, field, error, "more than %d causes", CAUSES_MAX);
    struct config_cause *cause = &log->cause[log->causes];
    if (keys_read_name(name, cause->name, &why) != 0)
        return csv_error(reader->csv, field, error, "as a cause: %.400s", why.text);
    (void)snprintf(cause->event, sizeof cause->event, "%s: %s", slice_fsm.event[SLICE_FAIL], cause->name);
    log->causes++;
    *ret = cause;
    return 0;
}

/* The text without blanks around it, cut where no cause can be as long. */
static void trim(const char *text, char ret[static CONFIG_TEXT_MAX])
{
    (void)snprintf(ret, CONFIG_TEXT_MAX, "%s", text + strspn(text, " "));
    for (size_t length = strlen(ret); length > 0 && ret[length - 1] == ' ';)
        ret[--length] = '\0';
}

/* The cause of a row: what its column says, or of several the heading of the first that says anything. */
static int read_cause(struct reader *reader, const struct csv_field field[], struct config_cause **ret,
                      struct sim_error *error)
{
    const struct names *column = &reader->cause;
    char said[CONFIG_TEXT_MAX];
    *ret = NULL;
    for (int i = 0; i < column->count; i++) {
        const struct csv_field *at = &field[reader->cause_index[i]];
        trim(at->text, said);
        if (said[0] != '\0')
            return find_cause(reader, at, column->is_list ? column->name[i] : said, ret, error);
    }
    return 0;
}

static bool is_wanted_cause(const struct reader *reader, const struct config_cause *cause)
{
    for (int i = 0; i < reader->causes.count && cause != NULL; i++)
        if (strcasecmp(reader->causes.name[i], cause->name) == 0)
            return true;
    return reader->causes.count == 0;
}

/* What the causes of the log are, as far as there is room. */
static void list_causes(const struct config_log *log, char ret[static CONFIG_TEXT_MAX])
{
    size_t used = 0;
    SIM_ASSERT(NULL, log->causes == 0 || log->cause != NULL);
    ret[0] = '\0';
    for (int i = 0; i < log->causes; i++) {
        bool fits = used + strlen(log->cause[i].name) + sizeof ", ..." < CONFIG_TEXT_MAX - sizeof ", ...";
        const char *name = fits ? log->cause[i].name : "...";
        used += (size_t)snprintf(ret + used, CONFIG_TEXT_MAX - used, "%s%s", i == 0 ? "" : ", ", name);
        if (!fits)
            return;
    }
}

/* Of several columns each is a cause, also where no row fills it. */
static bool is_cause(const struct reader *reader, const char *name)
{
    for (int i = 0; i < reader->log.causes; i++)
        if (strcasecmp(reader->log.cause[i].name, name) == 0)
            return true;
    for (int i = 0; i < reader->cause.count && reader->cause.is_list; i++)
        if (strcasecmp(reader->cause.name[i], name) == 0)
            return true;
    return false;
}

static int check_causes(const struct reader *reader, const char *path, struct sim_error *error)
{
    char quoted[VALUE_QUOTE_MAX], known[CONFIG_TEXT_MAX];
    for (int i = 0; i < reader->causes.count; i++)
        if (!is_cause(reader, reader->causes.name[i])) {
            list_causes(&reader->log, known);
            return sim_error_set(error, "%s: no failure has the cause %s; its causes are: %s", path,
                                 value_quote(reader->causes.name[i], quoted), known[0] != '\0' ? known : "none");
        }
    return 0;
}

/* --- rows --- */

static int find_columns(struct reader *reader, struct sim_error *error)
{
    const struct faillog_format *format = reader->format;
    struct csv *csv = reader->csv;
    int status = csv_column(csv, format->start, &reader->start, error);
    if (status == 0 && is_given(format->end))
        status = csv_column(csv, format->end, &reader->end, error);
    if (status == 0 && is_given(format->down))
        status = csv_column(csv, format->down, &reader->down, error);
    if (status == 0 && is_given(format->machine))
        status = csv_column(csv, format->machine, &reader->machine, error);
    for (int i = 0; i < reader->wheres && status == 0; i++)
        status = csv_column(csv, reader->where[i].column, &reader->where[i].index, error);
    for (int i = 0; i < reader->cause.count && status == 0; i++)
        status = csv_column(csv, reader->cause.name[i], &reader->cause_index[i], error);
    return status;
}

static bool is_wanted(const struct reader *reader, const struct csv_field field[])
{
    for (int i = 0; i < reader->wheres; i++)
        if (strcmp(field[reader->where[i].index].text, reader->where[i].value) != 0)
            return false;
    return true;
}

static int read_span(const struct reader *reader, const struct csv_field *field, sim_time *ret, struct sim_error *error)
{
    struct sim_error why;
    double value = 0;
    if (value_read_real(field->text, &value, &why) != 0)
        return csv_error(reader->csv, field, error, "%.400s", why.text);
    double ns = value * (double)reader->format->unit_ns;
    if (!(ns < 4e18))
        return csv_error(reader->csv, field, error, "longer than 126 years");
    *ret = (sim_time)(ns + 0.5);
    return 0;
}

static int read_time(const struct reader *reader, const struct csv_field *field, sim_time *ret, struct sim_error *error)
{
    struct sim_error why;
    if (!is_given(reader->format->dates))
        return read_span(reader, field, ret, error);
    if (dates_read(reader->format->dates, field->text, ret, &why) != 0)
        return csv_error(reader->csv, field, error, "%.400s", why.text);
    return 0;
}

static int read_end(const struct reader *reader, const struct csv_field field[], struct config_log_row *row,
                    struct sim_error *error)
{
    sim_time down = 0;
    row->end_ns = row->start_ns;
    if (is_given(reader->format->end)) {
        if (read_time(reader, &field[reader->end], &row->end_ns, error) != 0)
            return -1;
        if (row->end_ns < row->start_ns)
            return csv_error(reader->csv, &field[reader->end], error, "the outage ends before it starts");
    } else if (is_given(reader->format->down)) {
        if (read_span(reader, &field[reader->down], &down, error) != 0)
            return -1;
        row->end_ns = sim_time_add(row->start_ns, down);
    }
    return 0;
}

static int read_row(struct reader *reader, const struct csv_field field[], struct config_cause *cause,
                    struct sim_error *error)
{
    struct config_log *log = &reader->log;
    struct config_log_row row = {.machine = -1, .cause = cause};
    if (read_time(reader, &field[reader->start], &row.start_ns, error) != 0 ||
        read_end(reader, field, &row, error) != 0)
        return -1;
    if (log->rows == ROWS_MAX)
        return csv_error(reader->csv, &field[0], error, "more than %d failures", ROWS_MAX);
    if (is_given(reader->format->machine)) {
        reader->name = alloc_grown(reader->name, (size_t)log->rows, &reader->names_capacity, sizeof *reader->name);
        reader->name[log->rows] = alloc_text(field[reader->machine].text);
        row.machine = log->rows; /* whose name is to be looked up */
    }
    log->row = alloc_grown(log->row, (size_t)log->rows, &reader->capacity, sizeof *log->row);
    log->row[log->rows++] = row;
    if (cause != NULL) {
        cause->failures++;
        cause->outages_s += sim_time_seconds(row.end_ns - row.start_ns);
    }
    return 0;
}

static int read_rows(struct reader *reader, const char *path, struct sim_error *error)
{
    const struct csv_field *field = NULL;
    for (;;) {
        struct config_cause *cause = NULL;
        bool more = false;
        if (csv_next(reader->csv, &field, &more, error) != 0)
            return -1;
        if (!more)
            break;
        if (read_cause(reader, field, &cause, error) != 0)
            return -1;
        if (is_wanted(reader, field) && is_wanted_cause(reader, cause) && read_row(reader, field, cause, error) != 0)
            return -1;
    }
    if (check_causes(reader, path, error) != 0)
        return -1;
    if (reader->log.rows > 0)
        return 0;
    bool chooses = reader->wheres > 0 || reader->causes.count > 0;
    return sim_error_set(error, "%s: has no failures%s", path, chooses ? " that meet the conditions" : "");
}

/* --- order --- */

static int by_start(const void *a, const void *b)
{
    const struct config_log_row *x = a, *y = b;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Stable, and the time of the first failure is 0. */
static void sort_rows(struct config_log *log)
{
    struct config_log_row *scratch = sim_allocate((size_t)log->rows, sizeof *scratch);
    for (int64_t width = 1; width < log->rows; width *= 2) {
        for (int64_t low = 0; low < log->rows; low += 2 * width) {
            int64_t middle = low + width < log->rows ? low + width : log->rows;
            int64_t high = middle + width < log->rows ? middle + width : log->rows;
            for (int64_t to = low, i = low, k = middle; to < high; to++) {
                bool first = i < middle && (k == high || by_start(&log->row[i], &log->row[k]) <= 0);
                scratch[to] = first ? log->row[i++] : log->row[k++];
            }
        }
        memcpy(log->row, scratch, (size_t)log->rows * sizeof *scratch);
    }
    free(scratch);
    sim_time zero = log->row[0].start_ns;
    for (int64_t i = 0; i < log->rows; i++) {
        log->row[i].start_ns -= zero;
        log->row[i].end_ns -= zero;
    }
}

/* A machine by its name, in a table with open addressing. */
struct machine {
    const char *name;
    int64_t number;
};

static uint64_t hash_of(const char *name)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001B3);
    return hash;
}

/* Numbers for names, in the order of the rows. */
static void number_machines(struct reader *reader)
{
    struct config_log *log = &reader->log;
    size_t slots = 4;
    while (slots < 2 * (size_t)log->rows)
        slots *= 2;
    struct machine *table = sim_allocate(slots, sizeof *table);
    for (int64_t i = 0; i < log->rows && reader->name != NULL; i++) {
        const char *name = reader->name[log->row[i].machine];
        size_t slot = (size_t)hash_of(name) & (slots - 1);
        while (table[slot].name != NULL && strcmp(table[slot].name, name) != 0)
            slot = (slot + 1) & (slots - 1);
        if (table[slot].name == NULL)
            table[slot] = (struct machine){name, log->machines++};
        log->row[i].machine = table[slot].number;
    }
    free(table);
}

/* Puts what was read in order. */
static int arrange(struct reader *reader, const char *path, struct sim_error *error)
{
    sort_rows(&reader->log);
    if (reader->log.row[reader->log.rows - 1].start_ns > YEAR_NS * SPAN_YEARS_MAX)
        return sim_error_set(error, "%s: from its first to its last failure are more than %d years", path,
                             SPAN_YEARS_MAX);
    number_machines(reader);
    return 0;
}

static int read_all(struct reader *reader, const char *path, struct sim_error *error)
{
    if (csv_open(path, &reader->csv, error) != 0)
        return -1;
    int status = find_columns(reader, error);
    if (status == 0)
        status = read_rows(reader, path, error);
    csv_close(reader->csv);
    return status == 0 ? arrange(reader, path, error) : status;
}

/* What the format says in texts of its own. */
static int read_format(struct reader *reader, struct sim_error *error)
{
    const struct faillog_format *format = reader->format;
    if (is_given(format->dates) && dates_check(format->dates, error) != 0)
        return -1;
    if (is_given(format->where) && read_where(format->where, reader->where, &reader->wheres, error) != 0)
        return -1;
    if (is_given(format->cause) && names_read(format->cause, &reader->cause, error) != 0)
        return -1;
    if (is_given(format->causes) && names_read(format->causes, &reader->causes, error) != 0)
        return -1;
    if (is_given(format->cause))
        reader->log.cause = sim_allocate(CAUSES_MAX, sizeof *reader->log.cause);
    return 0;
}

int faillog_read(const char *path, const struct faillog_format *format, struct config_log **ret,
                 struct sim_error *error)
{
    struct reader reader = {.format = format};
    if (read_format(&reader, error) != 0)
        return -1;
    int status = read_all(&reader, path, error);
    int64_t read = reader.log.rows;
    if (status == 0) {
        *ret = sim_allocate(1, sizeof **ret);
        **ret = reader.log;
    } else {
        free(reader.log.row);
        free(reader.log.cause);
    }
    for (int64_t i = 0; i < read && reader.name != NULL; i++)
        free(reader.name[i]);
    free(reader.name);
    return status;
}

void faillog_free(struct config_log *log)
{
    if (log == NULL)
        return;
    free(log->row);
    free(log->cause);
    free(log);
}
