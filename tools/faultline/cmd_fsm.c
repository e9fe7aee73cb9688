/* cmd_fsm.c -- `faultline fsm MACHINE`: the drawing of a state machine, from the table that the simulator runs on. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "models/learner.h"
#include "models/slice.h"
#include "models/syncer.h"
#include "tools/faultline/command.h"
#include "tools/faultline/options.h"

static const struct sim_fsm *const machines[] = {&slice_fsm, &learner_fsm, &syncer_fsm};

typedef void draw_function(const struct sim_fsm *fsm, sim_fsm_writer *write_line, void *context);

struct fsm_arguments {
    const struct sim_fsm *machine;
    draw_function *draw;
};

static void choose_machine(struct fsm_arguments *arguments, const char *name, const struct argp_state *state)
{
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        if (strcmp(machines[i]->name, name) == 0)
            arguments->machine = machines[i];
    if (!arguments->machine)
        argp_error(state, "there is no machine '%s'; there are slice, learner and syncer", name);
}

static void choose_format(struct fsm_arguments *arguments, const char *name, const struct argp_state *state)
{
    if (strcmp(name, "dot") == 0)
        arguments->draw = sim_fsm_draw;
    else if (strcmp(name, "markdown") == 0)
        arguments->draw = sim_fsm_document;
    else
        argp_error(state, "--format: '%s' is not one of dot, markdown", name);
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct fsm_arguments *arguments = state->input;
    if (key == 'f')
        choose_format(arguments, value, state);
    else if (key == ARGP_KEY_ARG && !arguments->machine)
        choose_machine(arguments, value, state);
    else if (key == ARGP_KEY_END && !arguments->machine)
        argp_error(state, "which machine? slice, learner or syncer");
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static void print_line(void *context, const char *line)
{
    (void)fprintf(context, "%s\n", line);
}

int cmd_fsm(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"format", 'f', "FORMAT", 0, "dot (Graphviz, the default) or markdown (states and a Mermaid diagram)", 0}, {0}};
    static const struct argp argp = {options,
                                     parse,
                                     "slice|learner|syncer",
                                     "Print the drawing of a state machine, made from the table the simulator runs on.",
                                     NULL,
                                     NULL,
                                     NULL};
    struct fsm_arguments arguments = {.draw = sim_fsm_draw};
    options_parse(&argp, argc, argv, &arguments);
    arguments.draw(arguments.machine, print_line, stdout);
    return COMMAND_DONE;
}
