/* tools/faultline/command.h -- the commands of the program and what their exit status means.
 *
 * Each command lives in tools/faultline/cmd_NAME.c and is one function; main.c finds it by name. argv[0] of a command
 * is "faultline NAME".
 *
 * Units: none.
 * Ownership: nothing is kept.
 * Errors: a command prints its own messages on stderr, prefixed with "faultline: ", and returns an exit status. Whether
 * its output arrived is found out by main.c.
 */
#ifndef TOOLS_FAULTLINE_COMMAND_H
#define TOOLS_FAULTLINE_COMMAND_H

/* COMMAND_VERSION, the version as text, comes from meson.build. */

enum command_status {
    COMMAND_DONE = 0,
    COMMAND_INVARIANT = 1, /* an invariant of the engine failed */
    COMMAND_BAD_INPUT = 2,
    COMMAND_NOT_STORED = 3, /* a result could not be stored */
    COMMAND_NO_ANSWER = 4,  /* finished, but the answer is none: no solution, or a run that made no progress */
    COMMAND_USAGE = 64,
    COMMAND_SIGNAL = 128 /* plus the number of the signal */
};

int cmd_run(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_rare(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_keys(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_table(int argc, char **argv);
int cmd_fsm(int argc, char **argv);
int cmd_fit(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);

#endif
