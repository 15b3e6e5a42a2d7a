/* What follows from the samples of base and head: the change of each cell, and the verdict. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/kind/ab/ab.h"
#include "harness/measure/group_json.h"
#include "harness/stats/serial.h"

static const char *const sides[2] = {"base", "head"};

/* One set of processes: of n cells or controls. */
struct set {
    struct fb_group *group;
    struct fb_group_place *places; /* [2 n] */
    const json_t **cells;          /* [n], which are in it */
    json_t **objects;              /* [n], with the times of their sides */
    double (*d)[FB_PAIRED_MAX];    /* [n] */
    size_t *n_d, n;
};

static void close_set(struct set *s)
{
    if (s->group)
        fb_group_close(s->group);
    free(s->group);
    free(s->places);
    free(s->cells);
    free(s->objects);
    free(s->d);
    free(s->n_d);
}

/* Reads the set whose times stand in member `name` of each of the list that has it; NULL: in the
 * cells themselves. False with *problem set. */
static bool read_set(const json_t *list, const char *name, struct set *out,
                     struct fb_problem *problem)
{
    const size_t most = json_array_size(list) + 1;
    *out = (struct set){0};
    out->group = calloc(1, sizeof *out->group);
    out->places = calloc(2 * most, sizeof *out->places);
    out->cells = calloc(most, sizeof *out->cells);
    out->objects = calloc(most, sizeof *out->objects);
    out->d = calloc(most, sizeof *out->d);
    out->n_d = calloc(most, sizeof *out->n_d);
    if (!out->group || !out->places || !out->cells || !out->objects || !out->d || !out->n_d)
        return false;
    FB_EACH(cell, list) {
        json_t *object = name ? json_object_get(cell, name) : cell;
        if (!json_is_object(object))
            continue;
        const enum fb_footprint footprint = fb_footprint_find(fb_json_str(cell, "footprint"));
        const enum fb_operation operation = fb_operation_find(fb_json_str(cell, "operation"));
        for (size_t side = 0; side < 2; side++)
            out->places[2 * out->n + side] =
                (struct fb_group_place){.object = object,
                                        .name = sides[side],
                                        .id = fb_json_str(cell, "id"),
                                        .part = footprint, /* FB_N_FOOTPRINTS is refused */
                                        .series = fb_timing_series(footprint, operation),
                                        .to = side ? (int32_t)(2 * out->n) : -1,
                                        .to_name = side ? sides[0] : NULL};
        out->cells[out->n] = cell;
        out->objects[out->n++] = object;
    }
    const char *unreadable =
        out->n ? fb_group_read(out->group, out->places, 2 * out->n, FB_N_FOOTPRINTS) : NULL;
    if (unreadable)
        return fb_refuse(problem, "%.200s: its samples cannot be read", unreadable);
    for (size_t i = 0; i < out->n; i++)
        out->n_d[i] = fb_group_logs(out->group, 2 * i + 1, (int32_t)(2 * i), out->d[i], NULL);
    if (out->n)
        fb_group_write(out->group, out->places, "ns_per_op", "it is the base");
    return true;
}

/* The place of a cell in a set; set->n: it is not in it. */
static size_t place_in(const struct set *set, const json_t *cell)
{
    size_t i = 0;
    while (i < set->n && set->cells[i] != cell)
        i++;
    return i;
}

/* ---- A cell ---- */

/* The ratios between which the middle 80 % of the processes lie. */
static json_t *spread_of(const double *d, size_t n)
{
    double sorted[FB_PAIRED_MAX];
    memcpy(sorted, d, n * sizeof *d);
    fb_sort(sorted, n);
    const size_t outside = n / 10;
    return fb_json_interval(exp(sorted[outside]), exp(sorted[n - 1 - outside]));
}

/* Every process with the ordinary link is on one side, and by more than the gate. */
static bool is_placed(const double *d, size_t n, double gate)
{
    bool all = n >= FB_FIRST_SET;
    for (size_t i = 0; i < n; i++)
        all = all && d[i] > 0;
    return all && fb_hodges_lehmann(d, n, 0.95).estimate > log1p(gate);
}

static json_t *change_json(const struct fb_ab *ab, const struct fb_slowdown_cell *cell,
                           const struct set *plain, size_t in_plain, double memory)
{
    const bool again = cell->n_second > 0, measured = in_plain < plain->n;
    const double *d = again ? cell->second : cell->first;
    const size_t n = again ? cell->n_second : cell->n_first;
    const struct fb_paired size = fb_serial_interval(d, n, 0.95, memory);
    const double sd = fb_mean_of(d, n).sd;
    const double plain_ratio =
        measured ? exp(fb_hodges_lehmann(plain->d[in_plain], plain->n_d[in_plain], 0.95).estimate)
                 : NAN;
    const bool placed = measured && cell->verdict != FB_SLOWER &&
                        cell->verdict != FB_NOT_CONFIRMED &&
                        is_placed(plain->d[in_plain], plain->n_d[in_plain], cell->gate);
    json_t *change =
        json_pack("{s:s, s:f}", "verdict", placed ? FB_AB_LAYOUT : fb_slowdown_name(cell->verdict),
                  "ratio", exp(cell->estimate));
    fb_json_known(change, "interval",
                  size.bounded ? fb_json_interval(exp(size.interval.low), exp(size.interval.high))
                               : NULL,
                  "too few processes for an interval");
    json_object_set_new(change, "spread", spread_of(d, n));
    json_object_set_new(change, "processes", fb_json_int(n));
    fb_json_real(change, "sd", sd, "one process does not show how times vary");
    fb_json_real(change, "p", again && cell->candidate ? cell->p : NAN,
                 "it was no candidate that was measured again");
    json_object_set_new(change, "gate", json_real(cell->gate));
    fb_json_real(change, "finds", n > 1 ? fb_slowdown_finds(&ab->rules, cell->gate, sd) : NAN,
                 "one process does not show how times vary");
    fb_json_real(change, "plain_ratio", plain_ratio, "it was not measured with the ordinary links");
    return change;
}

static bool derive_cells(const struct fb_ab *ab, const struct set *first, const struct set *second,
                         const struct set *plain)
{
    struct fb_slowdown_cell *judged = calloc(first->n + 1, sizeof *judged);
    for (size_t i = 0; judged && i < first->n; i++) {
        const size_t at = place_in(second, first->cells[i]);
        judged[i] = (struct fb_slowdown_cell){
            .first = first->d[i],
            .n_first = first->n_d[i],
            .second = at < second->n ? second->d[at] : NULL,
            .n_second = at < second->n ? second->n_d[at] : 0,
            .gate = fb_ab_gate(ab, (enum fb_footprint)first->places[2 * i].part)};
    }
    if (judged)
        fb_slowdown_judge(&ab->rules, judged, first->n);
    for (size_t i = 0; judged && i < first->n; i++)
        json_object_set_new(
            first->objects[i], "change",
            change_json(ab, &judged[i], plain, place_in(plain, first->cells[i]),
                        judged[i].n_second ? second->group->memory : first->group->memory));
    free(judged);
    return judged;
}

/* ---- All of them ---- */

/* Controls, which are equal code, that moved by delta or more, with a p of a quarter of alpha. */
static size_t set_controls(const struct fb_ab *ab, const struct set *controls)
{
    size_t n_moved = 0;
    for (size_t i = 0; i < controls->n; i++) {
        const double *d = controls->d[i],
                     estimate = fb_hodges_lehmann(d, controls->n_d[i], 0.95).estimate;
        double up[FB_PAIRED_MAX];
        for (size_t p = 0; p < controls->n_d[i]; p++)
            up[p] = estimate < 0 ? -d[p] : d[p];
        const double p = fb_signed_rank_p(up, controls->n_d[i]);
        const double gate = fb_ab_gate(ab, (enum fb_footprint)controls->places[2 * i].part);
        const bool moved = fabs(estimate) > log1p(gate) && p <= ab->rules.alpha / 4;
        json_object_set_new(
            controls->objects[i], "change",
            json_pack("{s:f, s:f, s:b}", "ratio", exp(estimate), "p", p, "moved", moved));
        n_moved += moved;
    }
    return n_moved;
}

static size_t count_left_out(const json_t *document)
{
    size_t n = 0;
    FB_EACH(row, json_object_get(document, "skipped"))
        n += !strncmp(fb_json_str(row, "why"), FB_AB_NO_TIME, strlen(FB_AB_NO_TIME));
    return n;
}

static json_t *verdict_json(const struct fb_ab *ab, const json_t *document, size_t n_moved,
                            double memory)
{
    static const char *const members[FB_N_SLOWDOWNS] = {
        "none_seen", "slower", "slightly_slower", "faster", "slightly_faster", "not_confirmed"};
    const size_t n_left_out = count_left_out(document);
    size_t n[FB_N_SLOWDOWNS] = {0}, n_layout = 0, n_coarse = 0;
    double finds = 0;
    FB_EACH(cell, json_object_get(document, "cells")) {
        const char *name = fb_json_str(cell, "change.verdict");
        n_layout += !strcmp(name, FB_AB_LAYOUT);
        for (int v = 0; v < FB_N_SLOWDOWNS; v++)
            n[v] += !strcmp(name, fb_slowdown_name((enum fb_slowdown)v));
        n_coarse += fb_json_num(cell, "change.finds") > ab->delta;
        finds = fmax(finds, fb_json_num(cell, "change.finds"));
    }
    const char *name = n_moved                                         ? "machine"
                       : n[FB_SLOWER]                                  ? "slower"
                       : n[FB_NOT_CONFIRMED] || n_coarse || n_left_out ? "cannot tell"
                       : n[FB_FASTER]                                  ? "faster"
                                                                       : "none seen";
    json_t *verdict = json_pack("{s:s}", "verdict", name);
    for (int v = 0; v < FB_N_SLOWDOWNS; v++)
        json_object_set_new(verdict, members[v], fb_json_int(n[v]));
    json_object_update_new(
        verdict, json_pack("{s:o, s:o, s:o, s:o, s:f, s:f, s:f, s:f}", "layout",
                           fb_json_int(n_layout), "coarse", fb_json_int(n_coarse), "left_out",
                           fb_json_int(n_left_out), "controls_moved", fb_json_int(n_moved), "finds",
                           finds, "delta", ab->delta, "alpha", ab->rules.alpha, "memory", memory));
    fb_json_real(verdict, "false_alarms_at_most", fb_profile_alarms_at_most(ab->profile),
                 "uncalibrated");
    return verdict;
}

bool fb_ab_derive(struct fb_ab *ab, json_t *document, struct fb_problem *problem)
{
    struct set first = {0}, second = {0}, plain = {0}, controls = {0};
    json_t *cells = json_object_get(document, "cells"), *exact = json_object_get(document, "exact");
    const json_t *profile = json_object_get(document, "calibration");
    ab->links = json_is_true(json_object_get(document, "links"));
    if (json_is_object(profile) && profile != ab->profile) {
        json_decref(ab->profile);
        ab->profile = json_incref((json_t *)profile);
    }
    if (!json_is_object(json_object_get(exact, "base")) ||
        !json_is_object(json_object_get(exact, "head")))
        return fb_refuse(problem, "exact: give the facts of base and of head");
    fb_ab_exact_derive(exact);
    if (!json_array_size(cells)) {
        fb_json_known(document, "verdict", NULL, "nothing was timed");
        return true;
    }
    const bool read = read_set(cells, NULL, &first, problem) &&
                      read_set(cells, "again", &second, problem) &&
                      read_set(cells, "plain", &plain, problem) &&
                      read_set(json_object_get(document, "controls"), NULL, &controls, problem) &&
                      derive_cells(ab, &first, &second, &plain);
    if (read)
        json_object_set_new(
            document, "verdict",
            verdict_json(ab, document, set_controls(ab, &controls), first.group->memory));
    close_set(&first);
    close_set(&second);
    close_set(&plain);
    close_set(&controls);
    return read;
}

/* A tuning that the user asked for, and a side that does not take it. */
static void warn_untuned(json_t *document)
{
    const json_t *plugins = fb_json_at(document, "run.plugins");
    if (!strcmp(fb_json_str(document, "timing.tuning.from"), "processor"))
        return;
    FB_EACH(plugin, plugins) {
        const char *side = fb_json_str(plugin, "prefix");
        if ((!strcmp(side, "base") || !strcmp(side, "head")) &&
            json_is_false(json_object_get(plugin, "tuned")))
            fb_result_warn(document, "untuned", NULL,
                           "%s does not take the tuning of FB_TUNING: its batches look as far "
                           "ahead as it was built to",
                           strcmp(side, "base") ? "HEAD" : "BASE");
    }
}

void fb_ab_warn(json_t *document)
{
    const json_t *verdict = json_object_get(document, "verdict");
    if (!json_is_object(verdict))
        return;
    if (!json_is_true(json_object_get(document, "links")))
        fb_result_warn(document, "one-link", NULL,
                       "each side has one link, so where code lies is not told from code: smaller "
                       "changes than the gate are not called slowdowns; give folders of links");
    if (!json_is_object(json_object_get(document, "calibration")))
        fb_result_warn(document, "uncalibrated", NULL,
                       "uncalibrated: nobody measured how often this machine gives a false alarm "
                       "(%s)",
                       fb_json_str(document, "calibration_reason"));
    warn_untuned(document);
    FB_EACH(cell, json_object_get(document, "controls"))
        if (json_is_true(fb_json_at(cell, "change.moved")))
            fb_result_warn(document, "control", fb_json_str(cell, "id"),
                           "equal code was %+.1f %% apart: suspect the machine, not the code",
                           100 * (fb_json_num(cell, "change.ratio") - 1));
}
