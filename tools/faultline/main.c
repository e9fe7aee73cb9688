/* main.c -- the program: finds the command and hands over. */
#include <argp.h>
#include <gsl/gsl_errno.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/faultline/command.h"
#include "tools/faultline/describe.h"
#include "tools/faultline/output.h"
#include "tools/faultline/terminal.h"

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
    {"rare", cmd_rare, "how much of the time nobody steps, however rare"},
    {"report", cmd_report, "a database as one page: answer, figures, tables, how to repeat it"},
    {"merge", cmd_merge, "several databases into one"},
    {"export", cmd_export, "a table or view of a results database, whole"},
    {"table", cmd_table, "a table of the paper: published beside simulated"},
    {"calibrate", cmd_calibrate, "fit keys of a scenario to published numbers"},
    {"fit", cmd_fit, "laws for the failures of a log"},
    {"check", cmd_check, "validate a scenario and print every effective value"},
    {"keys", cmd_keys, "the reference of all scenario keys"},
    {"fsm", cmd_fsm, "the drawing of a state machine"},
};

#define COMMANDS (sizeof commands / sizeof commands[0])

static void print_usage(FILE *to)
{
    fputs("Usage: faultline COMMAND [ARGUMENT...]\n"
          "A discrete-event chaos simulator for AI training fleets.\n\n",
          to);
    for (size_t i = 0; i < COMMANDS; i++)
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

/* ------------------------------------------------------------------ --version, and descriptions */

/* The command whose tables are described, and as what; NULL: none, then --version means what it says. */
static struct {
    const struct command *command;
    enum describe_format format;
} described;

/* What argp calls for --version behind a command. It is also the one place where the tables of a command can be seen
 * from outside, so descriptions are made here: the root is argp's own, and its first child that of the command. */
static void on_version(FILE *to, struct argp_state *state)
{
    if (described.command != NULL)
        describe_command(to, described.format, described.command->name, state->root_argp->children[0].argp);
    else
        fputs("faultline " COMMAND_VERSION "\n", to);
}

/* argp ends the program by itself after --help and --version: then, too, it is found out whether they arrived. */
static bool has_finished;

static void on_exit_of_argp(void)
{
    int failure = has_finished ? COMMAND_DONE : output_finish();
    if (failure != COMMAND_DONE)
        _exit(failure);
}

/* In a process of its own, which argp ends behind on_version. */
static int describe_one(const struct command *command, enum describe_format format)
{
    char first[] = "", version[] = "--version";
    char *argv[] = {first, version, NULL};
    int status = 0;
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        described.command = command;
        described.format = format;
        exit(run_command(command, 2, argv));
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return COMMAND_INVARIANT;
    return WEXITSTATUS(status);
}

/* `faultline describe man|bash`, for the installation: the manual page, the completion of bash. */
static int describe(const char *name)
{
    const char *names[COMMANDS];
    int format = 0, status = COMMAND_DONE;
    while (format < DESCRIBE_FORMAT_COUNT && (name == NULL || strcmp(name, describe_format_name[format]) != 0))
        format++;
    if (format == DESCRIBE_FORMAT_COUNT) {
        fputs("faultline: describe what? man or bash\n", stderr);
        return COMMAND_USAGE;
    }
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    describe_start(stdout, (enum describe_format)format, names, COMMANDS);
    for (size_t i = 0; i < COMMANDS && status == COMMAND_DONE; i++)
        status = describe_one(&commands[i], (enum describe_format)format);
    describe_end(stdout, (enum describe_format)format);
    return status;
}

/* ------------------------------------------------------------------ the beginning and the end */

/* What went wrong is known when the command returns: a reader that left, or a file over its limit, is a failed write.
 */
static void prepare_process(void)
{
    terminal_guard();
    (void)setlocale(LC_ALL, "C"); /* numbers look the same everywhere */
    gsl_set_error_handler_off();
    argp_program_version_hook = on_version;
    (void)atexit(on_exit_of_argp);
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
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return run_command(&commands[i], argc - 1, argv + 1);
    if (strcmp(argv[1], "describe") == 0)
        return describe(argv[2]);
    fprintf(stderr, "faultline: there is no command '%s'; try `faultline --help`\n", argv[1]);
    return COMMAND_USAGE;
}

int main(int argc, char **argv)
{
    prepare_process();
    int status = dispatch(argc, argv);
    int failure = output_finish();
    has_finished = true;
    bool is_finished = status == COMMAND_DONE || status == COMMAND_NO_ANSWER; /* then what is not written is worse */
    return is_finished && failure != COMMAND_DONE ? failure : status;
}
