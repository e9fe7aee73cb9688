#include "tools/faultline/sweep_precision.h"

#include <stdio.h>

#include "sim/sequential.h"
#include "tools/faultline/command.h"

/* Replicas after which to look at the cell again: as many as there are when it is precise enough, or when some of them
 * made no progress and more would not help. */
static size_t replicas_next(const struct sweep_report *report, size_t cell, size_t most)
{
    size_t replicas = report->batch->cell[cell].replicas, next = replicas;
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        double wanted = report->precision[i];
        if (!(wanted > 0))
            continue;
        struct summary_sample sample = sweep_sample(report, cell, (enum run_metric)i);
        if (sample.n < replicas)
            continue;
        size_t asked = sim_sequential_next(sample.n, sample.sd, 0.95, wanted);
        next = asked > next ? asked : next;
    }
    most = most > replicas ? most : replicas;
    return next < most ? next : most;
}

bool sweep_precision_raise(const struct sweep_report *report, size_t most, struct batch *batch)
{
    bool is_raised = false;
    for (size_t i = 0; i < batch->cells; i++) {
        size_t next = replicas_next(report, i, most);
        is_raised = is_raised || next > batch->cell[i].replicas;
        batch->cell[i].replicas = next;
    }
    return is_raised;
}

/* The metric of a cell that misses its precision by the largest factor, if it misses it. */
static double worst_miss(const struct sweep_report *report, size_t cell, enum run_metric *ret)
{
    double worst = 1;
    for (int i = 0; i < RUN_METRIC_COUNT; i++) {
        double miss =
            report->precision[i] > 0 ? sweep_sample(report, cell, (enum run_metric)i).ci95 / report->precision[i] : 0;
        if (miss > worst) {
            worst = miss;
            *ret = (enum run_metric)i;
        }
    }
    return worst;
}

int sweep_precision_complain(const struct sweep_report *report)
{
    size_t count = 0, cell = 0;
    double worst = 1;
    enum run_metric metric = 0, candidate = 0;
    for (size_t i = 0; i < report->batch->cells; i++) {
        double miss = worst_miss(report, i, &candidate);
        count += miss > 1;
        if (miss > worst) {
            worst = miss;
            cell = i;
            metric = candidate;
        }
    }
    if (count == 0)
        return COMMAND_DONE;
    fprintf(stderr,
            "faultline: %zu of %zu cells are not as precise as asked for after %zu replicas (--max-replicas); the "
            "worst is %s: %s +- %.3g instead of %.3g\n",
            count, report->batch->cells, report->batch->cell[cell].replicas, report->batch->cell[cell].name,
            run_metric_info[metric].name, worst * report->precision[metric], report->precision[metric]);
    return COMMAND_NO_ANSWER;
}
