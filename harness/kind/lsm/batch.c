/* Lookups of the filters that stand, timed together. */
#include <math.h>

#include "filters/core/bits.h"
#include "harness/kind/lsm/running.h"
#include "harness/measure/clock.h"
#include "harness/stats/serial.h"

/* A batch of timing, as the bar of progress has it: seconds that it takes in all and that are
 * shown. The fewest processes may take longer than the budget. */
struct batch {
    struct fb_progress *progress;
    const char *what;
    size_t least;
    double started_s, whole_s, shown_s;
};

static void show_time(struct batch *b, double whole_s, double shown_s)
{
    b->progress->total += (uint64_t)((int64_t)((whole_s - b->whole_s) * FB_LSM_UNITS_PER_S));
    fb_progress_add(b->progress, (uint64_t)((shown_s - b->shown_s) * FB_LSM_UNITS_PER_S), b->what);
    b->whole_s = whole_s;
    b->shown_s = shown_s;
}

/* After a process: the least that are still to come take as long each. */
static void on_process(void *arg, const struct fb_group *group)
{
    struct batch *b = arg;
    const double spent_s = fb_seconds() - b->started_s;
    const double least_s = spent_s / (double)fb_group_processes(group) * (double)b->least;
    show_time(b, fmax(b->whole_s, least_s), spent_s);
}

enum fb_exit fb_lsm_run_batch(struct fb_lsm_running *r)
{
    const struct fb_lsm_timed *timed = &r->standing.timed;
    struct fb_group_options options = r->e->options;
    size_t n = timed->n * (r->e->n_lookups + 1);
    if (!timed->n)
        return FB_EXIT_OK;
    options.cpu = r->cpu;
    if (options.min_processes < FB_MEMORY_LEAST)
        options.min_processes = fb_min_u64(options.max_processes, FB_MEMORY_LEAST);
    options.budget_s *= (double)n / (double)(r->n_candidates + 1);
    char what[80];
    snprintf(what, sizeof what, "timing %zu lookups", n);
    struct batch batch = {.progress = &r->progress,
                          .what = what,
                          .least = options.min_processes,
                          .started_s = fb_seconds(),
                          .whole_s = options.budget_s};
    const struct fb_group_watch watch = {.arg = &batch, .progress = on_process};
    fb_progress_add(&r->progress, 0, what);
    enum fb_exit code =
        fb_lsm_timed_measure(timed, r->e, &options, &watch, r->steps.n_batches++, r->document);
    const double spent_s = fb_seconds() - batch.started_s;
    r->spent.timing += spent_s;
    show_time(&batch, spent_s, spent_s);
    return code;
}
