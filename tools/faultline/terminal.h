/* tools/faultline/terminal.h -- the text of strangers on a terminal.
 *
 * Scenario files, logs, tapes and databases come from anybody, and their names and headings are quoted in messages and
 * tables. A terminal obeys control characters: they move its cursor, change its title, or answer for the user. So
 * whatever goes to stderr, and to stdout where that is a terminal, has each of them but line feed and tab replaced by
 * '?', as ls does. Files and pipes get the bytes as they are.
 *
 * Units: none.
 * Ownership: the streams are the program's.
 * Errors: a stream that cannot be replaced stays as it is.
 */
#ifndef TOOLS_FAULTLINE_TERMINAL_H
#define TOOLS_FAULTLINE_TERMINAL_H

/* Puts the filter before stdout and stderr. Call it once, before anything is written. */
void terminal_guard(void);

/* Writes the program's own control characters to stderr, printf-style and unfiltered. */
__attribute__((format(printf, 1, 2))) void terminal_control(const char *format, ...);

#endif
