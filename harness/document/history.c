#include "harness/document/history.h"

#include <math.h>
#include <string.h>

#include "harness/base/environment.h"
#include "harness/base/message.h"
#include "harness/base/print.h"
#include "harness/stats/paired.h"

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

/* Work of a row of a plan; 0 where it is not measured. */
static double work_of_row(const json_t *row)
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
        work += work_of_row(row);
    return work;
}

/* The part of the work that each shard does anew, as it builds filters that others build too. */
static double repeated(const json_t *rows)
{
    double again = 0;
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)rows, i, row)
        again += work_of_row(row) > 0 ? fb_json_num(row, "repeated_s") : 0;
    return again > 0 ? again / work_of(rows) : 0;
}

/* The part of the work that a shard has. */
static double share_of(struct fb_shard shard, const json_t *rows)
{
    const double again = shard.of > 1 ? repeated(rows) : 0;
    return again + (1 - again) / shard.of;
}

void fb_history_add(const struct fb_opened *e, struct fb_shard shard, const json_t *document)
{
    char path[FB_MACHINE_PATH];
    fb_machine_file("history-2", path);
    if (!*path)
        return;
    json_t *rows = e->kind->plan(e->self), *runs = load(path);
    json_array_append_new(runs, json_pack("{s:s, s:s, s:O, s:f, s:f}", "kind", e->kind->name,
                                          "experiment_hash", e->hash_hex, "started",
                                          fb_json_at(document, "run.started"), "seconds",
                                          fb_json_num(document, "run.elapsed_s"), "work",
                                          work_of(rows) * share_of(shard, rows)));
    while (json_array_size(runs) > FB_HISTORY_RUNS)
        json_array_remove(runs, 0);
    json_t *file = json_pack("{s:o}", "runs", runs);
    fb_machine_store(path, file);
    json_decref(file);
    json_decref(rows);
}

/* ---- Estimating ---- */

struct estimate {
    double seconds; /* of the run, or shard; NaN: no run tells */
    double work;    /* of all cells */
    size_t runs;    /* that it is estimated from */
    bool same;      /* they were of this experiment */
};

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

/* rows: of the kind's plan. */
static struct estimate make_estimate(const struct fb_opened *e, struct fb_shard shard,
                                     const json_t *rows)
{
    char path[FB_MACHINE_PATH];
    double rate[GUIDES];
    struct estimate estimate = {.seconds = NAN, .work = work_of(rows)};
    fb_machine_file("history-2", path);
    json_t *runs = load(path);
    estimate.runs = rates(runs, "experiment_hash", e->hash_hex, rate);
    estimate.same = estimate.runs;
    if (!estimate.same)
        estimate.runs = rates(runs, "kind", e->kind->name, rate);
    if (estimate.runs)
        estimate.seconds = fb_median(rate, estimate.runs) * estimate.work * share_of(shard, rows);
    json_decref(runs);
    return estimate;
}

/* ---- --dry-run ---- */

/* "about 12 s", "about 3 h 20 min". */
static void say_seconds(double seconds, char *text, size_t size)
{
    if (seconds < 100)
        snprintf(text, size, "about %.2g s", seconds);
    else if (seconds < 6000)
        snprintf(text, size, "about %.0f min", seconds / 60);
    else
        snprintf(text, size, "about %.0f h %02.0f min", floor(seconds / 3600),
                 floor(fmod(seconds, 3600) / 60));
}

void fb_history_tell_long(const struct fb_opened *e, struct fb_shard shard, const char *name)
{
    enum { LONG_S = 3600 };
    char took[40];
    json_t *rows = e->kind->plan(e->self);
    const struct estimate estimate = make_estimate(e, shard, rows);
    say_seconds(estimate.seconds, took, sizeof took);
    if (estimate.same && estimate.seconds > LONG_S) /* of other experiments it is too rough */
        fb_note(
            "%s: this run takes %s, as earlier runs took here; --dry-run shows its parts, and a "
            "run that you stop with Ctrl-C continues with --resume",
            name, took);
    json_decref(rows);
}

static void say_estimate(const struct fb_opened *e, struct fb_shard shard,
                         const struct estimate *estimate, size_t n_cells, size_t n_rows)
{
    char took[40], part[64] = "";
    say_seconds(estimate->seconds, took, sizeof took);
    if (shard.of > 1)
        snprintf(part, sizeof part, ", of which shard %u of %u has its part", shard.index + 1,
                 shard.of);
    printf("\n%zu", n_cells);
    if (n_cells < n_rows)
        printf(" of %zu", n_rows);
    printf(" %s%s", e->kind->unit, part);
    if (!estimate->runs)
        printf(
            ". No estimate of the time yet: the first run of kind %s on this machine gives one.\n",
            e->kind->name);
    else
        printf(": %s, as %zu run%s of %s took here\n", took, estimate->runs,
               estimate->runs == 1 ? "" : "s", estimate->same ? "this experiment" : "its kind");
}

/* FB_EXIT_USAGE with a line on stderr where a shard takes more than twice its part of the time, or
 * three quarters of it all. */
static enum fb_exit check_saving(const char *name, struct fb_shard shard, const json_t *rows)
{
    const double again = repeated(rows), share = share_of(shard, rows);
    char most[60] = "run it whole";
    if (shard.of == 1 || (share * shard.of <= 2 && share <= 0.75))
        return FB_EXIT_OK;
    if (again <= 0.5)
        snprintf(most, sizeof most, "give at most %.0f shards", floor(1 + 1 / again));
    fb_error("%s: %u shards save little: each builds all filters, %.0f %% of the work; %s, or with "
             "more queries",
             name, shard.of, 100 * again, most);
    return FB_EXIT_USAGE;
}

/* The kind's columns, and "seconds" before the reasons, where it is estimated. */
static void print_plan(const struct fb_kind *kind, const json_t *rows, bool estimated)
{
    enum { MOST_COLUMNS = 16 };
    static const char *const usual[] = {"id", "why_not", NULL};
    const char *columns[MOST_COLUMNS + 2] = {NULL};
    size_t n = 0;
    const char *const *of_kind = kind->plan_columns ? kind->plan_columns : usual;
    for (; *of_kind && n < MOST_COLUMNS; of_kind++) {
        if (estimated && !strcmp(*of_kind, "why_not"))
            columns[n++] = "?seconds";
        if (strcmp(*of_kind, "?seconds") != 0 || !estimated)
            columns[n++] = *of_kind;
    }
    fb_print_rows(stdout, rows, columns);
}

enum fb_exit fb_dry_run(const struct fb_opened *e, struct fb_shard shard,
                        const struct fb_run_options *o)
{
    json_t *rows = e->kind->plan(e->self), *row;
    const struct estimate estimate = make_estimate(e, shard, rows);
    const enum fb_exit code = check_saving(o->name, shard, rows);
    size_t i, n_cells = 0;
    json_array_foreach(rows, i, row) {
        n_cells += json_is_null(json_object_get(row, "why_not"));
        json_object_del(row, "repeated_s");
        const double share = work_of_row(row) / estimate.work / share_of(shard, rows);
        if (estimate.runs)
            json_object_set_new(row, "seconds",
                                json_real(round(share * estimate.seconds * 1000) / 1000));
    }
    if (o->format == FB_FORMAT_JSON) {
        json_t *document = json_pack("{s:I}", "n_cells", (json_int_t)n_cells);
        fb_json_real(document, "seconds", estimate.seconds, "no run of this kind has been here");
        json_object_set_new(document, "cells", rows);
        if (o->database)
            json_object_set(document, "database", (json_t *)o->database);
        const enum fb_exit printed = fb_print_answer(document, o->format, NULL);
        return code ? code : printed;
    }
    print_plan(e->kind, rows, estimate.runs);
    say_estimate(e, shard, &estimate, n_cells, json_array_size(rows));
    json_decref(rows);
    return code;
}
