#include "harness/base/progress.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 20, REDRAWS_PER_S = 10 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void clock_text(double s, char *text, size_t size)
{
    unsigned long seconds = s > 0 && s < 3.6e6 ? (unsigned long)ceil(s) : 0;
    if (seconds < 3600)
        snprintf(text, size, "%lu:%02lu", seconds / 60, seconds % 60);
    else
        snprintf(text, size, "%lu:%02lu:%02lu", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

/* Seconds that all takes; 0: nobody knows. */
static double whole_s(const struct fb_progress *p, double elapsed_s)
{
    if (p->expected_s > 0)
        return fmax(p->expected_s, elapsed_s);
    if (p->total ? !p->done : !(p->known_s > 0))
        return 0;
    const double units_s = fmax(elapsed_s - p->known_done_s, 0);
    const double units_left_s =
        p->done < p->total ? units_s * (double)(p->total - p->done) / (double)p->done : 0;
    return elapsed_s + units_left_s + fmax(p->known_s - p->known_done_s, 0);
}

size_t fb_progress_line(const struct fb_progress *p, double elapsed_s, const char *what,
                        size_t columns, char *line, size_t size)
{
    const double whole = whole_s(p, elapsed_s), share = whole > 0 ? elapsed_s / whole : 0;
    char bar[BAR + 1], elapsed[32], left[32];
    for (int i = 0; i < BAR; i++)
        bar[i] = i < (int)(share * BAR) ? '#' : '-';
    bar[BAR] = '\0';
    clock_text(elapsed_s, elapsed, sizeof elapsed);
    clock_text(whole - elapsed_s, left, sizeof left);
    int n = snprintf(line, size, "%s [%s] %3d%%  %s, %s left  %s", p->title, bar,
                     (int)(share * 100), elapsed, whole > 0 ? left : "?", what ? what : "");
    size_t len = n < 0 ? 0 : (size_t)n;
    len = len < size ? len : size - 1;
    len = len < columns ? len : columns;
    line[len] = '\0';
    return len;
}

static size_t terminal_columns(void)
{
    struct winsize window;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) || window.ws_col < 2)
        return 79;
    return window.ws_col - 1u; /* a full last column would wrap */
}

static void draw(struct fb_progress *p, double now, const char *what)
{
    char line[512];
    fb_progress_line(p, now - p->started_s, what, terminal_columns(), line, sizeof line);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    p->shown_s = now;
}

void fb_progress_start(struct fb_progress *p, const char *title, uint64_t total)
{
    const char *terminal = getenv("TERM");
    *p = (struct fb_progress){.title = title, .total = total, .started_s = now_s()};
    p->enabled = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb");
}

void fb_progress_add(struct fb_progress *p, uint64_t units, const char *what)
{
    pthread_mutex_lock(&lock);
    p->done += units;
    double now = p->enabled ? now_s() : 0;
    if (p->enabled && now - p->shown_s >= 1.0 / REDRAWS_PER_S)
        draw(p, now, what);
    pthread_mutex_unlock(&lock);
}

void fb_progress_end(struct fb_progress *p)
{
    if (p->enabled && p->shown_s > 0) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    p->enabled = 0;
}
