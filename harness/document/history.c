#include "harness/document/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/environment.h"

enum { GUIDES = 5 }; /* runs that an estimate is the median of */

/* The runs, the latest last; an empty list where there are none yet. */
static json_t *load(const char *path)
{
    json_t *file = *path ? json_load_file(path, JSON_REJECT_DUPLICATES, NULL) : NULL;
    json_t *runs = json_object_get(file, "runs");
    runs = json_is_array(runs) ? json_incref(runs) : json_array();
    json_decref(file);
    return runs;
}

double fb_history_work(const json_t *row)
{
    static const char *const names[] = {"work", "seconds"};
    const json_t *why = json_object_get(row, "why_not");
    if (why && !json_is_null(why))
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fb_json_num(row, names[i]) > 0)
            return fb_json_num(row, names[i]);
    return 1;
}

static double work_of(const json_t *rows)
{
    double work = 0;
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)rows, i, row)
        work += fb_history_work(row);
    return work;
}

/* Whole, or as it was. */
static void store(const char *path, const json_t *file)
{
    char folder[FB_MACHINE_PATH], whole[FB_MACHINE_PATH + 24];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)!mkdir(folder, 0777);
        *slash = '/';
    }
    snprintf(whole, sizeof whole, "%s.tmp-%ld", path, (long)getpid());
    if (json_dump_file(file, whole, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) ||
        rename(whole, path))
        unlink(whole);
}

void fb_history_add(const struct fb_opened *e, struct fb_shard shard, const json_t *document)
{
    char path[FB_MACHINE_PATH];
    fb_machine_file("history", path);
    if (!*path)
        return;
    json_t *rows = e->kind->plan(e->self), *runs = load(path);
    json_array_append_new(
        runs, json_pack("{s:s, s:s, s:O, s:f, s:f}", "kind", e->kind->name, "experiment_hash",
                        e->hash_hex, "started", fb_json_at(document, "run.started"), "seconds",
                        fb_json_num(document, "run.elapsed_s"), "work", work_of(rows) / shard.of));
    while (json_array_size(runs) > FB_HISTORY_RUNS)
        json_array_remove(runs, 0);
    json_t *file = json_pack("{s:o}", "runs", runs);
    store(path, file);
    json_decref(file);
    json_decref(rows);
}

/* ---- Estimating ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, by_size);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Seconds for a unit of work of the latest runs that have that member; how many there are. */
static size_t rates(const json_t *runs, const char *member, const char *value, double out[GUIDES])
{
    size_t n = 0;
    for (size_t i = json_array_size(runs); i-- && n < GUIDES;) {
        const json_t *run = json_array_get(runs, i);
        const double rate = fb_json_num(run, "seconds") / fb_json_num(run, "work");
        if (!strcmp(fb_json_str(run, member), value) && rate > 0 && isfinite(rate))
            out[n++] = rate;
    }
    return n;
}

struct fb_run_estimate fb_history_estimate(const struct fb_opened *e, struct fb_shard shard,
                                           const json_t *rows)
{
    char path[FB_MACHINE_PATH];
    double rate[GUIDES];
    struct fb_run_estimate estimate = {.seconds = NAN, .work = work_of(rows)};
    fb_machine_file("history", path);
    json_t *runs = load(path);
    estimate.runs = rates(runs, "experiment_hash", e->hash_hex, rate);
    estimate.same = estimate.runs;
    if (!estimate.same)
        estimate.runs = rates(runs, "kind", e->kind->name, rate);
    if (estimate.runs)
        estimate.seconds = median(rate, estimate.runs) * estimate.work / shard.of;
    json_decref(runs);
    return estimate;
}
