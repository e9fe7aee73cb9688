/* main.c -- the program: finds the command and hands over. */
#include <gsl/gsl_errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/faultline/command.h"
#include "tools/faultline/output.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
};

static const struct command commands[] = {
    {"run", cmd_run, "simulate the replicas of a scenario"},
    {"replay", cmd_replay, "a run again from its event tape, or another design on it"},
    {"sweep", cmd_sweep, "simulate every combination of values of some keys"},
    {"compare", cmd_compare, "the difference of two scenarios under the same chaos"},
    {"plan", cmd_plan, "the value of a key that meets a target, or that is best"},
    {"report", cmd_report, "a database as one page: answer, figures, tables, how to repeat it"},
    {"export", cmd_export, "a table or view of a results database, whole"},
    {"table", cmd_table, "a table of the paper: published beside simulated"},
    {"calibrate", cmd_calibrate, "fit keys of a scenario to published numbers"},
    {"fit", cmd_fit, "laws for the failures of a log"},
    {"check", cmd_check, "validate a scenario and print every effective value"},
    {"keys", cmd_keys, "the reference of all scenario keys"},
    {"fsm", cmd_fsm, "the drawing of a state machine"},
};

static void print_usage(FILE *to)
{
    fputs("Usage: faultline COMMAND [ARGUMENT...]\n"
          "A discrete-event chaos simulator for AI training fleets.\n\n",
          to);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n`faultline COMMAND --help` explains a command; `faultline --version` prints the version.\n", to);
}

static int run_command(const struct command *command, int argc, char **argv)
{
    char name[64];
    (void)snprintf(name, sizeof name, "faultline %s", command->name);
    argv[0] = name;
    return command->run(argc, argv);
}

/* What went wrong is known when the command returns: a reader that left, or a file over its limit, is a failed write.
 */
static void prepare_process(void)
{
    (void)setlocale(LC_ALL, "C"); /* numbers look the same everywhere */
    gsl_set_error_handler_off();
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return COMMAND_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("faultline " COMMAND_VERSION);
        return COMMAND_DONE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return COMMAND_DONE;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return run_command(&commands[i], argc - 1, argv + 1);
    fprintf(stderr, "faultline: there is no command '%s'; try `faultline --help`\n", argv[1]);
    return COMMAND_USAGE;
}

int main(int argc, char **argv)
{
    prepare_process();
    int status = dispatch(argc, argv);
    int failure = output_finish();
    return status == COMMAND_DONE ? failure : status;
}
