#include "harness/document/dry_run.h"

#include <math.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/message.h"
#include "harness/base/parallel.h"
#include "harness/base/print.h"
#include "harness/base/screen.h"
#include "harness/document/estimate.h"

enum fb_exit fb_dry_run_check(const struct fb_opened *e, struct fb_shard shard,
                              const struct fb_run_options *o, double *work)
{
    enum { LONG_S = 3600 };
    const double most = 2.0 * (double)fb_memory_limit();
    char took[60];
    json_auto_t *rows = e->kind->plan(e->self);
    const struct fb_cost cost = fb_cost_of(e, shard, rows, o, false);
    *work = cost.work * cost.share;
    fb_cost_say(&cost, took, sizeof took);
    if (cost.memory_bytes > most) {
        fb_error("%s: it needs about %.2g GB of memory at its peak, and this machine has %.2g GB; "
                 "give fewer keys or --threads 1",
                 o->name, cost.memory_bytes * 1e-9, most * 1e-9);
        return FB_EXIT_USAGE;
    }
    if (cost.from == FB_FROM_RUNS && cost.seconds > LONG_S)
        fb_note(
            "%s: this run takes %s, as earlier runs took here; --dry-run shows its parts, and a "
            "run that you stop with Ctrl-C continues with --resume",
            o->name, took);
    return FB_EXIT_OK;
}

/* ---- The answer in words ---- */

static void say_cost(const struct fb_opened *e, struct fb_shard shard, const struct fb_cost *cost,
                     size_t n_cells, size_t n_rows)
{
    static const char *const from[] = {
        [FB_FROM_RUNS] = "as %zu run%s of this experiment took here",
        [FB_FROM_KIND] = "as %zu run%s of its kind took here",
        [FB_FROM_PIECES] = "as %zu small piece%s of it took just now",
        [FB_FROM_BUDGET] = "as its budget says",
    };
    char text[400] = "", took[60];
    fb_append(text, sizeof text, "%zu", n_cells);
    if (n_cells < n_rows)
        fb_append(text, sizeof text, " of %zu", n_rows);
    fb_append(text, sizeof text, " %s", e->kind->unit);
    if (shard.of > 1)
        fb_append(text, sizeof text, ", of which shard %u of %u has its part", shard.index + 1,
                  shard.of);
    if (cost->from) {
        fb_cost_say(cost, took, sizeof took);
        fb_append(text, sizeof text, ": %s, ", took);
        fb_append(text, sizeof text, from[cost->from], cost->n, cost->n == 1 ? "" : "s");
    } else {
        fb_append(
            text, sizeof text,
            ". No estimate of the time yet: the first run of kind %s on this machine gives one",
            e->kind->name);
    }
    printf("\n");
    fb_say(stdout, 4, "%s.\n", text);
    if (cost->memory_bytes >= 1e8)
        fb_say(stdout, 4, "Memory at the peak: about %.2g GB.\n", cost->memory_bytes * 1e-9);
}

/* FB_EXIT_USAGE with a line on stderr where a shard takes more than twice its part of the time, or
 * three quarters of it all. */
static enum fb_exit check_saving(const char *name, struct fb_shard shard,
                                 const struct fb_cost *cost)
{
    char most[60] = "run it whole";
    if (shard.of == 1 || (cost->share * shard.of <= 2 && cost->share <= 0.75))
        return FB_EXIT_OK;
    if (cost->again <= 0.5)
        snprintf(most, sizeof most, "give at most %.0f shards", floor(1 + 1 / cost->again));
    fb_error("%s: %u shards save little: each builds all filters, %.0f %% of the work; %s, or with "
             "more queries",
             name, shard.of, 100 * cost->again, most);
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
    json_t *rows = e->kind->plan(e->self);
    const struct fb_cost cost = fb_cost_of(e, shard, rows, o, true);
    const enum fb_exit code = check_saving(o->name, shard, &cost);
    const char *none = "no run of this kind has been here";
    size_t n_cells = 0;
    if (fb_interrupted()) {
        json_decref(rows);
        fb_error("%s: interrupted", o->name);
        return FB_EXIT_INTERRUPTED;
    }
    FB_EACH(row, rows) {
        n_cells += json_is_null(json_object_get(row, "why_not"));
        const double seconds = fb_cost_work(row) / cost.work / cost.share * cost.seconds;
        json_object_del(row, "repeated_s");
        json_object_del(row, "budget_s");
        if (cost.from)
            json_object_set_new(row, "seconds", json_real(round(seconds * 1000) / 1000));
    }
    if (o->format == FB_FORMAT_JSON) {
        json_t *document = json_pack("{s:I}", "n_cells", (json_int_t)n_cells);
        fb_json_real(document, "seconds", cost.seconds, none);
        fb_json_real(document, "low_s", cost.low_s, none);
        fb_json_real(document, "high_s", cost.high_s, none);
        fb_json_real(document, "memory_bytes", cost.memory_bytes, "this kind does not say");
        json_object_set_new(document, "cells", rows);
        if (o->database)
            json_object_set(document, "database", (json_t *)o->database);
        const enum fb_exit printed = fb_print_answer(document, o->format, NULL);
        return code ? code : printed;
    }
    print_plan(e->kind, rows, cost.from != FB_FROM_NOTHING);
    say_cost(e, shard, &cost, n_cells, json_array_size(rows));
    json_decref(rows);
    return code;
}
