#include "harness/document/dry_run.h"

#include <math.h>
#include <string.h>

#include "harness/base/print.h"
#include "harness/document/history.h"

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

static void say_estimate(const struct fb_opened *e, struct fb_shard shard,
                         const struct fb_run_estimate *estimate, size_t n_cells, size_t n_rows)
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

/* The kind's columns, and "seconds" before the reasons, where it is estimated. */
static void print_plan(const struct fb_kind *kind, const json_t *rows, bool estimated)
{
    enum { MOST_COLUMNS = 16 };
    const char *columns[MOST_COLUMNS + 2] = {NULL};
    size_t n = 0;
    for (const char *const *of_kind = kind->plan_columns; *of_kind && n < MOST_COLUMNS; of_kind++) {
        if (estimated && !strcmp(*of_kind, "why_not"))
            columns[n++] = "?seconds";
        if (strcmp(*of_kind, "?seconds") != 0 || !estimated)
            columns[n++] = *of_kind;
    }
    fb_print_rows(stdout, rows, columns);
}

enum fb_exit fb_dry_run(const struct fb_opened *e, struct fb_shard shard,
                        enum fb_output_format format)
{
    json_t *rows = e->kind->plan(e->self), *row;
    const struct fb_run_estimate estimate = fb_history_estimate(e, shard, rows);
    size_t i, n_cells = 0;
    json_array_foreach(rows, i, row) {
        n_cells += json_is_null(json_object_get(row, "why_not"));
        const double share = fb_history_work(row) / estimate.work * shard.of;
        if (estimate.runs)
            json_object_set_new(row, "seconds",
                                json_real(round(share * estimate.seconds * 1000) / 1000));
    }
    if (format == FB_FORMAT_JSON) {
        json_t *document = json_pack("{s:I}", "n_cells", (json_int_t)n_cells);
        fb_json_real(document, "seconds", estimate.seconds, "no run of this kind has been here");
        json_object_set_new(document, "cells", rows);
        return fb_print_answer(document, format, NULL);
    }
    print_plan(e->kind, rows, estimate.runs);
    say_estimate(e, shard, &estimate, n_cells, json_array_size(rows));
    json_decref(rows);
    return FB_EXIT_OK;
}
