/* Running a group: its processes, one after another. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/exit.h"
#include "harness/base/parallel.h"
#include "harness/measure/group.h"
#include "workloads/core/rng.h"

const char *fb_stop_name(enum fb_stop stop)
{
    static const char *const names[] = {"precision", "budget", "processes", "interrupted"};
    return names[stop];
}

enum fb_err fb_group_open(struct fb_group *g, size_t n_members, size_t n_parts, size_t rounds,
                          size_t max_processes)
{
    const size_t each = max_processes * rounds;
    *g = (struct fb_group){.n_members = n_members, .n_parts = n_parts, .rounds = rounds};
    g->members = calloc(n_members + 1, sizeof *g->members);
    g->parts = calloc(n_parts + 1, sizeof *g->parts);
    g->samples = calloc(n_members * each + 1, sizeof *g->samples);
    if (!g->members || !g->parts || !g->samples)
        return FB_ENOMEM;
    for (size_t i = 0; i < n_members; i++)
        g->members[i].samples = g->samples + i * each;
    for (size_t p = 0; p < n_parts; p++)
        g->parts[p].job_fd = -1;
    return FB_OK;
}

void fb_group_close(struct fb_group *g)
{
    for (size_t p = 0; g->parts && p < g->n_parts; p++)
        if (g->parts[p].job_fd >= 0)
            close(g->parts[p].job_fd);
    free(g->members);
    free(g->parts);
    free(g->samples);
    memset(g, 0, sizeof *g);
}

/* ---- Turns ---- */

struct turns {
    struct fb_group *g;
    const struct fb_group_options *options;
    const struct fb_group_watch *watch;
    double started_s;
    struct fb_sample *row; /* what a process delivers, at most [rounds][n_members] */
};

static double now(const struct turns *t)
{
    return t->watch && t->watch->seconds ? t->watch->seconds(t->watch->arg) : fb_seconds();
}

/* Whose turn it is; NULL: nobody's. The sum of variances 1 / n of parts whose processes take s
 * seconds each is least, in a given time, where n^2 s is the same for all (Neyman's allocation):
 * the smallest is next. */
static struct fb_part *next_turn(const struct fb_group *g)
{
    struct fb_part *next = NULL;
    double least = INFINITY;
    for (struct fb_part *p = g->parts; p < g->parts + g->n_parts; p++) {
        double so_far = (double)p->processes * p->spent_s; /* n^2 s */
        if (!p->ended && so_far < least) {
            least = so_far;
            next = p;
        }
    }
    return next;
}

/* A process of the part whose turn it is, or what it delivered to an earlier run. */
static enum fb_err deliver(struct turns *t, struct fb_turn *turn)
{
    struct fb_group *g = t->g;
    const struct fb_group_watch *watch = t->watch;
    const struct fb_part *part = &g->parts[turn->part];
    const size_t number = fb_group_processes(g);
    const uint64_t placement = fb_stream_word(t->options->seed, number);
    if (watch && watch->recall && watch->recall(watch->arg, number, turn)) {
        t->started_s -= turn->spent_s;
        return FB_OK;
    }
    if (watch && watch->before)
        watch->before(watch->arg, g, turn->part);
    const double started_s = now(t);
    enum fb_err err = fb_process_run(part->child, placement, part->job_fd, turn->row,
                                     turn->n * sizeof *turn->row, &turn->executed);
    turn->spent_s = now(t) - started_s;
    if (!err && !fb_interrupted() && watch && watch->keep && !watch->keep(watch->arg, number, turn))
        err = FB_EIO;
    return err;
}

static enum fb_err take_turn(struct turns *t, struct fb_part *part)
{
    struct fb_group *g = t->g;
    const size_t index = (size_t)(part - g->parts), first = part->processes * g->rounds;
    size_t n = 0, at = 0;
    for (size_t i = 0; i < g->n_members; i++)
        n += g->members[i].part == index;
    struct fb_turn turn = {.part = index, .row = t->row, .n = g->rounds * n};
    enum fb_err err = deliver(t, &turn);
    if (err || fb_interrupted()) {
        g->stopped = FB_STOP_INTERRUPTED;
        return err;
    }
    part->spent_s += turn.spent_s;
    for (size_t i = 0; i < g->n_members; i++) {
        if (g->members[i].part != index)
            continue;
        for (size_t r = 0; r < g->rounds; r++)
            g->members[i].samples[first + r] = t->row[r * n + at];
        at++;
    }
    part->processes++;
    g->executed &= turn.executed;
    return fb_group_estimate(g);
}

static bool precise(const struct turns *t, size_t part)
{
    const struct fb_group_watch *watch = t->watch;
    return watch && watch->precise ? watch->precise(watch->arg, t->g, part)
                                   : fb_group_half_width(t->g, part) <= t->options->precision;
}

/*
 * Whether a part has enough, and why. Looks are taken at min_processes, twice and four times that
 * number only, so that stopping when the interval happens to be narrow cannot narrow it much. The
 * budget ends a part before a process that would overrun it.
 */
static bool ends(const struct turns *t, struct fb_part *part)
{
    const size_t done = part->processes, least = t->options->min_processes;
    const double each_s = part->spent_s / (double)done, now_s = now(t) - t->started_s;
    bool look = done == least || done == 2 * least || done == 4 * least;
    if (look && precise(t, (size_t)(part - t->g->parts)))
        part->stopped = FB_STOP_PRECISION;
    else if (done >= t->options->max_processes)
        part->stopped = FB_STOP_PROCESSES;
    else if (done >= least && now_s + each_s > t->options->budget_s)
        part->stopped = FB_STOP_BUDGET;
    else
        return false;
    return true;
}

/* What ended as precise may be so no more, once other parts have shown the noise's memory. */
static void open_again(const struct turns *t)
{
    for (struct fb_part *p = t->g->parts; p < t->g->parts + t->g->n_parts; p++) {
        bool settled = !p->ended || !p->processes || p->stopped != FB_STOP_PRECISION;
        if (settled || precise(t, (size_t)(p - t->g->parts)))
            continue;
        p->ended = p->processes >= t->options->max_processes;
        p->stopped = FB_STOP_PROCESSES;
    }
}

/* Until all parts have enough. */
static enum fb_err take_turns(struct turns *t)
{
    struct fb_group *g = t->g;
    struct fb_part *part;
    while ((part = next_turn(g))) {
        enum fb_err err = take_turn(t, part);
        if (err || g->stopped == FB_STOP_INTERRUPTED)
            return err;
        if (t->watch && t->watch->progress)
            t->watch->progress(t->watch->arg, g);
        part->ended = ends(t, part);
        open_again(t);
    }
    for (size_t p = 0; p < g->n_parts; p++)
        if (g->parts[p].stopped != FB_STOP_PRECISION && g->stopped != FB_STOP_BUDGET)
            g->stopped = g->parts[p].stopped;
    return FB_OK;
}

enum fb_err fb_group_run(struct fb_group *g, const struct fb_group_options *options,
                         const struct fb_group_watch *watch)
{
    struct turns turns = {.g = g, .options = options, .watch = watch};
    turns.started_s = now(&turns);
    g->executed = true;
    turns.row = calloc(g->n_members * g->rounds + 1, sizeof *turns.row);
    for (size_t p = 0; p < g->n_parts; p++)
        g->parts[p].ended = true;
    for (size_t i = 0; i < g->n_members; i++)
        g->parts[g->members[i].part].ended = false;
    enum fb_err err = turns.row ? take_turns(&turns) : FB_ENOMEM;
    free(turns.row);
    return err;
}

/* ---- The child's side ---- */

int fb_group_deliver(const struct fb_group_options *o, const struct fb_candidate *candidates,
                     size_t n, uint64_t placement, int out_fd)
{
    const struct fb_measure_options options = {.rounds = o->rounds,
                                               .seed = placement,
                                               .set = o->set,
                                               .min_batch_ns = o->min_batch_ns,
                                               .quantum_ns = o->quantum_ns,
                                               .max_retries = 3,
                                               .gap_ns = 1e4};
    struct fb_sample *samples = calloc(n * o->rounds + 1, sizeof *samples);
    uint64_t sink = 0;
    bool delivered = false;
    if (samples) {
        fb_measure(&fb_system_clock, candidates, n, &options, samples, &sink);
        delivered = fb_transfer_out(out_fd, samples, n * o->rounds * sizeof *samples);
    }
    fb_opaque(sink);
    free(samples);
    return delivered ? FB_EXIT_OK : FB_EXIT_IO;
}
