#include "harness/verb/tune_contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/parallel.h"
#include "harness/measure/noise.h"
#include "workloads/core/rng.h"

enum {
    SCREENING = 2,        /* processes that choose the few */
    SCREENING_ROUNDS = 6, /* of one of them */
    FEW = 4,              /* that are compared with the entry of the row, and with none */
    LEAST = 6,            /* processes that compare them: the fewest with an interval of 95 % */
    MOST = 16,
    ROUNDS = 16,
};
static const double worth = 0.02; /* faster by less is not worth another entry */

/* ---- Rows ---- */

bool fb_contest_is_of(const struct fb_contest *row, const struct fb_place *place)
{
    return row->work == place->work && row->tuned == place->tuned && row->reach == place->reach &&
           (!row->design || (row->design == place->design && row->n_keys == place->n_keys));
}

enum fb_err fb_contests_open(struct fb_contests *c, const struct fb_tuning *machine,
                             bool all_designs, fb_contest_wanted *wanted, const void *arg)
{
    *c = (struct fb_contests){.seed = FB_GOLDEN64, .cpu = fb_idlest_cpu()};
    c->places = all_designs ? fb_places_of_designs(machine, &c->n_places)
                            : fb_places_open(machine, &c->n_places);
    c->rows = calloc(c->places ? c->n_places + 1 : 1, sizeof *c->rows);
    if (!c->places || !c->rows)
        return FB_ENOMEM;
    for (size_t i = 0; i < c->n_places; i++) {
        const struct fb_place *place = &c->places[i];
        size_t row = 0;
        while (row < c->n && !fb_contest_is_of(&c->rows[row], place))
            row++;
        if (row < c->n || !wanted(arg, place->tuned, place->reach))
            continue;
        c->rows[c->n].work = place->work;
        c->rows[c->n].tuned = place->tuned;
        c->rows[c->n].design = all_designs ? place->design : NULL;
        c->rows[c->n].n_keys = place->n_keys;
        c->rows[c->n++].reach = place->reach;
    }
    return FB_OK;
}

void fb_contests_close(struct fb_contests *c)
{
    fb_places_close(c->places, c->n_places);
    free(c->rows);
    *c = (struct fb_contests){.n = 0};
}

double fb_contest_ns(const struct fb_contest *row, size_t entry)
{
    double ns[FB_PAIRED_MAX];
    const size_t n = row->processes;
    if (!n)
        return NAN;
    memcpy(ns, row->ns[entry], n * sizeof *ns);
    return fb_median(ns, n);
}

/* ---- Processes ---- */

static struct fb_prefetch entry_of(const struct fb_contest *row, size_t i,
                                   const struct fb_place *place)
{
    const struct fb_tuning *t = row->tunings[0] ? row->tunings[i] : NULL;
    return t ? t->prefetch[row->work][row->tuned][fb_tuning_reach(t, place->n_bytes)]
             : row->entries[i];
}

/* One process more of a row. */
static enum fb_err try_row(struct fb_contests *c, struct fb_contest *row, size_t rounds)
{
    const size_t p = row->processes;
    double d[FB_PLACE_ENTRIES], ns[FB_PLACE_ENTRIES], n_places = 0;
    for (size_t i = 0; i < row->n; i++)
        row->d[i][p] = row->ns[i][p] = 0;
    for (size_t at = 0; at < c->n_places; at++) {
        struct fb_place *place = &c->places[at];
        struct fb_prefetch entries[FB_PLACE_ENTRIES];
        if (!fb_contest_is_of(row, place))
            continue;
        for (size_t i = 0; i < row->n; i++)
            entries[i] = entry_of(row, i, place);
        const uint64_t seed = fb_mix64(c->seed++);
        const enum fb_err err = fb_place_try(place, entries, row->n, rounds, c->cpu, seed, d, ns);
        if (err || fb_interrupted())
            return err;
        n_places++;
        for (size_t i = 0; i < row->n; i++) {
            row->d[i][p] += d[i];
            row->ns[i][p] += ns[i];
        }
    }
    for (size_t i = 0; i < row->n; i++) {
        row->d[i][p] /= n_places;
        row->ns[i][p] /= n_places;
    }
    row->processes++;
    return FB_OK;
}

/* One process more of every row that is not settled. */
static enum fb_err try_all(struct fb_contests *c, size_t rounds, const char *what)
{
    enum fb_err err = FB_OK;
    for (size_t i = 0; i < c->n && !err && !fb_interrupted(); i++) {
        fb_progress_add(&c->progress, 1, what);
        if (!c->rows[i].settled)
            err = try_row(c, &c->rows[i], rounds);
    }
    return err;
}

/* ---- Choosing ---- */

static bool same(struct fb_prefetch a, struct fb_prefetch b)
{
    return a.ahead == b.ahead && a.hint == b.hint;
}

static void add_entry(struct fb_contest *row, struct fb_prefetch entry)
{
    for (size_t i = 0; i < row->n; i++)
        if (same(row->entries[i], entry))
            return;
    row->entries[row->n++] = entry;
}

/* The entry of the row, and all others. */
static void list_entries(struct fb_contest *row, struct fb_prefetch first)
{
    static const uint16_t aheads[] = {8, 16, 24, 32, 48, 64, 96, 128, 192, 256};
    const unsigned hints = row->work == FB_TUNED_INSERT ? FB_HINT_WRITE : FB_HINT_T1;
    row->n = 0;
    add_entry(row, first);
    add_entry(row, (struct fb_prefetch){0, FB_HINT_NONE});
    for (unsigned hint = FB_HINT_T0; hint <= hints; hint++)
        for (size_t i = 0; i < sizeof aheads / sizeof *aheads; i++)
            add_entry(row, (struct fb_prefetch){aheads[i], (uint16_t)hint});
}

/* Keeps the entry of the row, none, and the fastest few. */
static void keep_few(struct fb_contest *row)
{
    struct fb_prefetch all[FB_PLACE_ENTRIES];
    double score[FB_PLACE_ENTRIES];
    const size_t n = row->n;
    memcpy(all, row->entries, n * sizeof *all);
    for (size_t i = 0; i < n; i++)
        score[i] = fb_mean_of(row->d[i], row->processes).mean;
    row->n = row->processes = 0;
    add_entry(row, all[0]);
    add_entry(row, (struct fb_prefetch){0, FB_HINT_NONE});
    for (size_t few = 0; few < FEW; few++) {
        size_t best = 0;
        for (size_t i = 1; i < n; i++)
            if (score[i] < score[best])
                best = i;
        score[best] = INFINITY;
        add_entry(row, all[best]);
    }
}

/* Chooses from the processes so far. False: more may find an entry that is worth it, and none has
 * been found. */
static bool judge(struct fb_contest *row)
{
    bool may = false;
    row->chosen = 0;
    row->paired = fb_hodges_lehmann(row->d[0], row->processes, 0.95);
    double least = -worth;
    for (size_t i = 1; i < row->n; i++) {
        const struct fb_paired paired = fb_hodges_lehmann(row->d[i], row->processes, 0.95);
        may |= paired.interval.low < -worth;
        if (paired.estimate >= least || paired.interval.high >= 0)
            continue;
        least = paired.estimate;
        row->paired = paired;
        row->chosen = i;
    }
    return row->chosen || !may;
}

enum fb_err fb_contests_choose(struct fb_contests *c, const struct fb_tuning *row, double budget_s)
{
    const double started_s = fb_seconds();
    enum fb_err err = FB_OK;
    for (size_t i = 0; i < c->n; i++) {
        struct fb_contest *r = &c->rows[i];
        list_entries(r, row->prefetch[r->work][r->tuned][r->reach]);
    }
    fb_progress_start(&c->progress, "tune", c->n * (SCREENING + MOST));
    for (size_t p = 0; p < SCREENING && !err && !fb_interrupted(); p++)
        err = try_all(c, SCREENING_ROUNDS, "all entries");
    for (size_t i = 0; i < c->n && !err && !fb_interrupted(); i++)
        keep_few(&c->rows[i]);
    for (size_t p = 1; p <= MOST && !err && !fb_interrupted(); p++) {
        if (p > LEAST && fb_seconds() - started_s >= budget_s)
            break;
        err = try_all(c, ROUNDS, "the fastest few");
        for (size_t i = 0; i < c->n && p >= LEAST && !err && !fb_interrupted(); i++)
            c->rows[i].settled = judge(&c->rows[i]);
    }
    fb_progress_end(&c->progress);
    return err;
}

/* ---- Comparing ---- */

static bool places_differ(const struct fb_contests *c, const struct fb_contest *row)
{
    for (size_t i = 0; i < c->n_places; i++)
        if (fb_contest_is_of(row, &c->places[i]) &&
            !same(entry_of(row, 0, &c->places[i]), entry_of(row, 1, &c->places[i])))
            return true;
    return false;
}

/* n processes more of each row that is not settled, and what all of its processes say, with the
 * memory that the noise of all rows shows. */
static enum fb_err measure_changes(struct fb_contests *c, size_t n, const char *what,
                                   struct fb_change_cell *cells)
{
    struct fb_change_rules rules = {.delta = 0.03, .alpha = 0.01};
    struct fb_memory memory = {0};
    enum fb_err err = FB_OK;
    size_t open = 0;
    for (size_t p = 0; p < n && !err && !fb_interrupted(); p++)
        err = try_all(c, ROUNDS, what);
    if (err || fb_interrupted())
        return err;
    for (size_t i = 0; i < c->n; i++) {
        struct fb_contest *row = &c->rows[i];
        if (row->settled)
            continue;
        (void)fb_memory_add(&memory, row->d[1], row->processes, true);
        cells[open++] = (struct fb_change_cell){.d = row->d[1], .n = row->processes};
    }
    rules.memory = fb_memory_exponent(&memory);
    if (open)
        fb_change_judge(&rules, cells, open);
    for (size_t i = c->n; i-- > 0;)
        if (!c->rows[i].settled)
            c->rows[i].paired = cells[--open].paired;
    return FB_OK;
}

/* Takes over what was judged first; rows that differ stay open, for fresh processes. Their number.
 */
static size_t settle(struct fb_contests *c, const struct fb_change_cell *cells)
{
    size_t open = 0;
    for (struct fb_contest *row = c->rows; row < c->rows + c->n; row++) {
        if (row->settled)
            continue;
        row->change = cells++->change;
        row->settled = row->change != FB_REGRESSED && row->change != FB_IMPROVED;
        if (!row->settled) {
            row->processes = 0;
            open++;
        }
    }
    return open;
}

enum fb_err fb_contests_compare(struct fb_contests *c, const struct fb_tuning *a,
                                const struct fb_tuning *b)
{
    enum { FIRST = FB_CHANGE_LEAST, AGAIN = 2 * FB_CHANGE_LEAST };
    struct fb_change_cell *cells = calloc(c->n + 1, sizeof *cells);
    enum fb_err err = cells ? FB_OK : FB_ENOMEM;
    for (size_t i = 0; i < c->n; i++) {
        struct fb_contest *row = &c->rows[i];
        row->tunings[0] = a;
        row->tunings[1] = b;
        row->chosen = 1;
        row->change = FB_UNCHANGED;
        row->n = 2;
        row->settled = !places_differ(c, row);
    }
    fb_progress_start(&c->progress, "tune", c->n * FIRST);
    if (!err)
        err = measure_changes(c, FIRST, "both tunings", cells);
    if (!err && !fb_interrupted() && settle(c, cells)) {
        c->progress.total += c->n * AGAIN;
        err = measure_changes(c, AGAIN, "those that differ", cells);
        for (size_t i = 0, at = 0; i < c->n && !err && !fb_interrupted(); i++)
            if (!c->rows[i].settled && cells[at++].change != c->rows[i].change)
                c->rows[i].change = FB_INCONCLUSIVE;
    }
    fb_progress_end(&c->progress);
    free(cells);
    return err;
}
