#include "tools/faultline/sweep_left.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tools/faultline/alloc.h"

#define MICROSECOND 1e-6

char *sweep_left_name(const char *path, uint32_t part)
{
    struct alloc_draft draft;
    const char *star = strrchr(path, '*');
    alloc_draft_start(&draft);
    if (star == NULL)
        (void)fputs(path, draft.to);
    else
        (void)fprintf(draft.to, "%.*s%" PRIu32 "%s", (int)(star - path), path, part, star + 1);
    return alloc_draft_finish(&draft);
}

struct summary_writer *sweep_left_open(FILE *to, enum summary_format format)
{
    static const struct summary_column column[] = {{.name = "shard"},     {.name = "cells"},       {.name = "replicas"},
                                                   {.name = "stored"},    {.name = "predicted_s"}, {.name = "left_s"},
                                                   {.name = "measured_s"}};
    return summary_open(to, format, column, sizeof column / sizeof column[0]);
}

struct left {
    size_t replicas, stored;
    double predicted_s, left_s, measured_s;
};

static void add_cell(struct left *left, const struct batch_cell *cell, double replica_s)
{
    size_t stored = 0;
    for (size_t i = 0; i < cell->looked_up; i++) {
        stored += cell->record[i].is_filled;
        left->measured_s += cell->record[i].wall_s;
    }
    left->replicas += cell->replicas;
    left->stored += stored;
    left->predicted_s += replica_s * (double)cell->replicas;
    left->left_s += replica_s * (double)(cell->replicas - stored);
}

/* To the microsecond: sums have no more. */
static struct summary_cell seconds(double s)
{
    return summary_real(round(s / MICROSECOND) / 1e6);
}

void sweep_left_row(struct summary_writer *writer, uint32_t part, const struct sweep_report *report,
                    const uint64_t weight[])
{
    struct left left = {0};
    const struct batch *batch = report->batch;
    for (size_t i = 0; i < batch->cells; i++)
        add_cell(&left, &batch->cell[i], (double)weight[report->cell[i]] * MICROSECOND);
    summary_row(writer, (const struct summary_cell[]){summary_integer(part), summary_integer((int64_t)batch->cells),
                                                      summary_integer((int64_t)left.replicas),
                                                      summary_integer((int64_t)left.stored), seconds(left.predicted_s),
                                                      seconds(left.left_s), seconds(left.measured_s)});
}
