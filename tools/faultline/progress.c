#include "tools/faultline/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/faultline/terminal.h"

#define REDRAW_S 0.2
#define WIDTH 78

static double seconds_between(struct timespec from, struct timespec to)
{
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

static bool has_escapes(void)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return (no_color == NULL || no_color[0] == '\0') && term != NULL && strcmp(term, "dumb") != 0;
}

struct progress progress_start(size_t cells, size_t total, bool is_quiet)
{
    struct progress progress = {.cells = cells, .total = total, .has_escapes = has_escapes()};
    progress.is_shown = !is_quiet && total > 0 && isatty(STDERR_FILENO) == 1;
    (void)clock_gettime(CLOCK_MONOTONIC, &progress.start);
    progress.drawn = progress.start;
    return progress;
}

void progress_time_left(double seconds, char ret[static 32])
{
    long s = seconds < 1e9 ? (long)(seconds + 0.5) : 1000000000L;
    if (s >= 86400)
        (void)snprintf(ret, 32, "%ldd %02ldh", s / 86400, s % 86400 / 3600);
    else if (s >= 3600)
        (void)snprintf(ret, 32, "%ldh %02ldmin", s / 3600, s % 3600 / 60);
    else if (s >= 60)
        (void)snprintf(ret, 32, "%ldmin %02lds", s / 60, s % 60);
    else
        (void)snprintf(ret, 32, "%lds", s);
}

static void draw(const struct progress *progress, size_t cells_done, size_t done, double elapsed_s)
{
    char left[32] = "?";
    char cells[64] = "";
    char line[256];
    double rate = elapsed_s > 0 ? (double)done / elapsed_s : 0;
    if (done > 0)
        progress_time_left((double)(progress->total - done) / rate, left);
    if (progress->cells > 1)
        (void)snprintf(cells, sizeof cells, "%zu/%zu cells, ", cells_done, progress->cells);
    (void)snprintf(line, sizeof line, "%s%zu/%zu replicas, %.3g/s, %s left", cells, done, progress->total, rate, left);
    if (progress->has_escapes)
        terminal_control("\r\033[2m%.*s\033[0m\033[K", WIDTH, line);
    else
        terminal_control("\r%-*.*s", WIDTH, WIDTH, line);
}

void progress_update(struct progress *progress, size_t cells_done, size_t done)
{
    struct timespec now;
    if (!progress->is_shown || done > progress->total)
        return;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (seconds_between(progress->drawn, now) < REDRAW_S)
        return;
    draw(progress, cells_done, done, seconds_between(progress->start, now));
    progress->drawn = now;
    progress->is_drawn = true;
}

void progress_stop(struct progress *progress)
{
    if (!progress->is_drawn)
        return;
    if (progress->has_escapes)
        terminal_control("\r\033[K");
    else
        terminal_control("\r%*s\r", WIDTH, "");
    progress->is_drawn = false;
}
