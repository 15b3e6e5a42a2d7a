/* What follows from the samples of base and head: the change of each cell, and the verdict. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/kind/ab/ab.h"
#include "harness/measure/group_json.h"

static const char *const sides[2] = {"base", "head"};

/* The cells of one set of processes, judged. */
struct judged {
    struct fb_group group;
    struct fb_group_place *places; /* [2 n] */
    struct fb_change_cell *cells;  /* [n] */
    double *d;                     /* [n][FB_PAIRED_MAX] */
    size_t n;
};

static void close_judged(struct judged *j)
{
    fb_group_close(&j->group);
    free(j->places);
    free(j->cells);
    free(j->d);
}

/* Judges n cells, whose times stand in objects[i]. False with *problem set. */
static bool judge(const struct fb_ab *ab, unsigned looks, json_t *const *objects,
                  const json_t *const *cells, size_t n, struct judged *out,
                  struct fb_problem *problem)
{
    struct fb_change_rules rules = ab->rules;
    struct fb_group group = {0};
    *out = (struct judged){.n = n};
    out->places = calloc(2 * n + 1, sizeof *out->places);
    out->cells = calloc(n + 1, sizeof *out->cells);
    out->d = calloc(n * FB_PAIRED_MAX + 1, sizeof *out->d);
    if (!out->places || !out->cells || !out->d)
        return false;
    for (size_t i = 0; i < 2 * n; i++) {
        const json_t *cell = cells[i / 2];
        const enum fb_footprint footprint = fb_footprint_find(fb_json_str(cell, "footprint"));
        const enum fb_operation operation = fb_operation_find(fb_json_str(cell, "operation"));
        out->places[i] = (struct fb_group_place){.object = objects[i / 2],
                                                 .name = sides[i % 2],
                                                 .id = fb_json_str(cell, "id"),
                                                 .part = footprint, /* FB_N_FOOTPRINTS is refused */
                                                 .series = fb_timing_series(footprint, operation),
                                                 .to = i % 2 ? (int32_t)i - 1 : -1,
                                                 .to_name = i % 2 ? sides[0] : NULL};
    }
    const char *unreadable = fb_group_read(&group, out->places, 2 * n, FB_N_FOOTPRINTS);
    out->group = group;
    if (unreadable)
        return fb_refuse(problem, "%.200s: its samples cannot be read", unreadable);
    rules.looks = looks;
    rules.memory = group.memory;
    for (size_t i = 0; i < n; i++) {
        out->cells[i].d = out->d + i * FB_PAIRED_MAX;
        out->cells[i].n =
            fb_group_logs(&group, 2 * i + 1, (int32_t)(2 * i), out->d + i * FB_PAIRED_MAX, NULL);
        out->cells[i].floor = fb_ab_floor(ab, (enum fb_footprint)group.members[2 * i].part);
    }
    fb_change_judge(&rules, out->cells, n);
    fb_group_write(&group, out->places, "ns_per_op", "it is the base");
    return true;
}

/* ---- A cell ---- */

/* Half of the interval that FB_PAIRED_MAX processes, the most there are, would leave: this one
 * times (n / 64)^((1 - memory) / 2), or, of processes too few to have one, two standard errors. */
static double narrowest(const struct fb_change_cell *cell, double memory)
{
    const struct fb_paired *p = &cell->paired;
    const double slower = (1 - memory) / 2;
    if (p->bounded)
        return (p->interval.high - p->interval.low) / 2 *
               pow((double)cell->n / FB_PAIRED_MAX, slower);
    return 2 * fb_mean_of(cell->d, cell->n).sd * pow(1.0 / FB_PAIRED_MAX, slower);
}

/* Whether a change of delta could be shown: it is no less than the floor, and the narrowest
 * interval would be narrow enough. */
static bool resolves(const struct fb_change_cell *cell, const struct fb_change_rules *rules,
                     double memory)
{
    return rules->delta >= cell->floor && narrowest(cell, memory) <= log1p(rules->delta);
}

static void set_estimate(json_t *change, const struct fb_change_cell *cell)
{
    const struct fb_paired *p = &cell->paired;
    json_object_set_new(change, "verdict", json_string(fb_change_name(cell->change)));
    json_object_set_new(change, "ratio", json_real(exp(p->estimate)));
    fb_json_known(change, "interval",
                  p->bounded ? fb_json_interval(exp(p->interval.low), exp(p->interval.high)) : NULL,
                  "too few processes for the level");
    json_object_set_new(change, "level", json_real(p->level));
    json_object_set_new(change, "processes", fb_json_int(cell->n));
}

/* Of cell i of the first set; `again`: of the second, as judged by itself, NULL: there is none. */
static json_t *change_json(const struct judged *first, size_t i, const struct fb_ab *ab,
                           const struct fb_change_cell *again, double process_s)
{
    static const char *const one_set = "it was not measured again";
    struct fb_change_cell cell = first->cells[i];
    json_t *change = json_object(), *second = NULL, *modes = NULL;
    if (again) {
        second = json_object();
        set_estimate(second, again);
        fb_change_confirm(&cell, again);
    }
    const double more = cell.change == FB_INCONCLUSIVE ? cell.more : 0;
    set_estimate(change, &cell);
    fb_json_known(change, "confirmed", again ? json_boolean(cell.confirmed) : NULL, one_set);
    fb_json_known(change, "again", second, one_set);
    json_object_set_new(change, "advisory", json_boolean(cell.advisory));
    json_object_set_new(change, "resolves",
                        json_boolean(resolves(&cell, &ab->rules, first->group.memory)));
    json_object_set_new(change, "delta", json_real(fb_change_delta(&ab->rules, &cell)));
    fb_json_real(change, "more_processes", more, "the change is as large as delta: none decide");
    fb_json_real(change, "more_s", more * process_s, "the change is as large as delta");
    if (cell.modes.n_low)
        modes = json_pack("{s:f, s:f, s:o}", "low", exp(cell.modes.low), "high",
                          exp(cell.modes.high), "n_low", fb_json_int(cell.modes.n_low));
    fb_json_known(change, "modes", modes, "the processes are one group");
    return change;
}

/* ---- All of them ---- */

static const char *verdict_name(size_t regressed, size_t improved, size_t inconclusive,
                                bool resolved)
{
    if (regressed)
        return "regressed";
    if (!resolved)
        return "unresolved";
    if (inconclusive)
        return "inconclusive";
    return improved ? "improved" : "unchanged";
}

static json_t *verdict_json(const struct fb_ab *ab, const json_t *cells, const struct judged *first)
{
    static const char *const directions[] = {"faster", NULL, "slower"};
    size_t n[FB_N_CHANGES] = {0}, i;
    bool resolved = true;
    json_t *cell;
    json_array_foreach((json_t *)cells, i, cell) {
        const json_t *change = json_object_get(cell, "change");
        const char *name = fb_json_str(change, "verdict");
        int is = FB_INCONCLUSIVE;
        const bool acts = json_is_true(json_object_get(change, "confirmed")) &&
                          !json_is_true(json_object_get(change, "advisory"));
        if (!strcmp(name, fb_change_name(FB_UNCHANGED)))
            is = FB_UNCHANGED;
        else if (acts && !strcmp(name, fb_change_name(FB_REGRESSED)))
            is = FB_REGRESSED;
        else if (acts && !strcmp(name, fb_change_name(FB_IMPROVED)))
            is = FB_IMPROVED;
        n[is]++;
        if (ab->asked && (is == FB_INCONCLUSIVE || is == FB_UNCHANGED))
            resolved &= json_is_true(json_object_get(change, "resolves"));
    }
    const int uniform = fb_change_uniform(first->cells, first->n, ab->rules.alpha);
    json_t *verdict = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:f, s:b, s:f, s:f}", "verdict",
        verdict_name(n[FB_REGRESSED], n[FB_IMPROVED], n[FB_INCONCLUSIVE], resolved), "regressed",
        fb_json_int(n[FB_REGRESSED]), "improved", fb_json_int(n[FB_IMPROVED]), "unchanged",
        fb_json_int(n[FB_UNCHANGED]), "inconclusive", fb_json_int(n[FB_INCONCLUSIVE]), "delta",
        ab->rules.delta, "delta_asked", ab->asked, "alpha", ab->rules.alpha, "memory",
        first->group.memory);
    fb_json_known(verdict, "uniform_shift",
                  directions[uniform + 1] ? json_string(directions[uniform + 1]) : NULL,
                  "the cells do not all move one way");
    fb_json_real(verdict, "false_alarms_at_most", fb_profile_alarms_at_most(ab->profile),
                 "uncalibrated");
    return verdict;
}

/* The cells that were measured again, with the rules of one look. */
static bool judge_again(const struct fb_ab *ab, json_t *cells, struct judged *out, size_t *of,
                        struct fb_problem *problem)
{
    const size_t n_cells = json_array_size(cells);
    json_t **objects = calloc(n_cells + 1, sizeof *objects);
    const json_t **which = calloc(n_cells + 1, sizeof *which);
    bool read = objects && which;
    size_t n = 0;
    for (size_t i = 0; read && i < n_cells; i++) {
        json_t *cell = json_array_get(cells, i), *again = json_object_get(cell, "again");
        if (!json_is_object(again))
            continue;
        of[n] = i;
        which[n] = cell;
        objects[n++] = again;
    }
    read = read && (!n || judge(ab, 1, objects, which, n, out, problem));
    free(objects);
    free(which);
    return read;
}

static bool derive_cells(const struct fb_ab *ab, json_t *document, json_t *cells,
                         struct fb_problem *problem)
{
    const size_t n = json_array_size(cells);
    struct judged first = {0}, second = {0};
    size_t *of = calloc(n + 1, sizeof *of), at = 0;
    json_t **objects = calloc(n + 1, sizeof *objects);
    bool read = of && objects;
    for (size_t i = 0; read && i < n; i++)
        objects[i] = json_array_get(cells, i);
    read =
        read &&
        judge(ab, ab->rules.looks, objects, (const json_t *const *)objects, n, &first, problem) &&
        judge_again(ab, cells, &second, of, problem);
    for (size_t i = 0; read && i < n; i++) {
        char path[40];
        const bool again = at < second.n && of[at] == i;
        snprintf(path, sizeof path, "timing.process_s.%.10s", fb_json_str(objects[i], "footprint"));
        json_object_set_new(objects[i], "change",
                            change_json(&first, i, ab, again ? &second.cells[at] : NULL,
                                        fb_json_num(document, path)));
        at += again;
    }
    if (read)
        json_object_set_new(document, "verdict", verdict_json(ab, cells, &first));
    close_judged(&first);
    close_judged(&second);
    free(objects);
    free(of);
    return read;
}

bool fb_ab_derive(struct fb_ab *ab, json_t *document, struct fb_problem *problem)
{
    fb_ab_calibrate(ab, json_object_get(document, "calibration"));
    json_t *cells = json_object_get(document, "cells");
    json_t *exact = json_object_get(document, "exact");
    if (!json_is_object(json_object_get(exact, "base")) ||
        !json_is_object(json_object_get(exact, "head")))
        return fb_refuse(problem, "exact: give the facts of base and of head");
    fb_ab_exact_derive(exact);
    if (json_array_size(cells))
        return derive_cells(ab, document, cells, problem);
    fb_json_known(document, "verdict", NULL, "nothing was timed");
    return true;
}

/* A side whose look-ahead is its own: it is compared under another tuning than the other. */
static void warn_untuned(json_t *document)
{
    const json_t *plugins = fb_json_at(document, "run.plugins"), *plugin;
    size_t i;
    json_array_foreach((json_t *)plugins, i, plugin) {
        const char *side = fb_json_str(plugin, "prefix");
        if (*side && json_is_false(json_object_get(plugin, "tuned")))
            fb_result_warn(document, "untuned", NULL,
                           "%s does not take this program's tuning: its batches look as far ahead "
                           "as it was built to",
                           strcmp(side, "base") ? "HEAD" : "BASE");
    }
}

void fb_ab_warn(json_t *document)
{
    const json_t *verdict = json_object_get(document, "verdict"), *cell;
    const char *shift = fb_json_str(verdict, "uniform_shift");
    size_t i;
    if (!json_is_object(verdict))
        return;
    if (!json_is_object(json_object_get(document, "calibration")))
        fb_result_warn(document, "uncalibrated", NULL,
                       "uncalibrated: nobody measured how often this machine gives a false alarm "
                       "(%s)",
                       fb_json_str(document, "calibration_reason"));
    warn_untuned(document);
    if (*shift)
        fb_result_warn(document, "uniform-shift", NULL,
                       "nearly all cells are %s in HEAD: suspect the machine, not the code", shift);
    json_array_foreach(json_object_get(document, "cells"), i, cell) {
        if (fb_json_num(cell, "change.delta") > fb_json_num(verdict, "delta"))
            fb_result_warn(document, "floor", fb_json_str(cell, "id"),
                           "smaller changes than %.3g %% are not told: this machine has shown them "
                           "of equal designs, or nobody measured this footprint",
                           100 * fb_json_num(cell, "change.delta"));
        if (json_is_true(fb_json_at(cell, "change.advisory")))
            fb_result_warn(document, "advisory", fb_json_str(cell, "id"),
                           "fewer than %d processes cannot tell the noise's memory: no ground to "
                           "act on",
                           FB_CHANGE_LEAST);
        if (json_is_object(fb_json_at(cell, "change.modes")))
            fb_result_warn(document, "modes", fb_json_str(cell, "id"),
                           "the processes fall into two groups, %.3f and %.3f times as slow: no "
                           "one number tells what HEAD costs",
                           fb_json_num(cell, "change.modes.low"),
                           fb_json_num(cell, "change.modes.high"));
    }
}
