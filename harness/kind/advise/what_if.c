/* What would change the ranking: other inputs, other limits, one step at a time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/kind/advise/advise.h"

/* ---- What would a wrong input cost ---- */

json_t *fb_advise_regret_json(const struct fb_ranking *k)
{
    const double a = k->q->absent, c = k->w->read_ns;
    const struct {
        const char *input;
        double absent, read_ns, slower;
    } worlds[] = {
        {"absent keys half as often", a / (2 - a), c, 1},
        {"absent keys twice as often", 2 * a / (1 + a), c, 1},
        {"reads take half the time", a, c / 2, 1},
        {"reads take twice the time", a, 2 * c, 1},
        {"a processor half as fast", a, c, 2},
        {"a processor twice as fast", a, c, 0.5},
    };
    json_t *rows = json_array();
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        const struct fb_ranked *best =
            fb_ranking_best_if(k, worlds[i].absent, worlds[i].read_ns, worlds[i].slower);
        const double least =
            fb_ranked_cost_if(k, best, worlds[i].absent, worlds[i].read_ns, worlds[i].slower);
        const double ours =
            fb_ranked_cost_if(k, k->rows, worlds[i].absent, worlds[i].read_ns, worlds[i].slower);
        json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:f, s:o, s:f, s:f}", "input",
                                              worlds[i].input, "absent", worlds[i].absent,
                                              "read_ns", worlds[i].read_ns, "slower",
                                              worlds[i].slower, "best", fb_advise_name(best->c),
                                              "cost_ns", ours, "regret", ours / least - 1));
    }
    return rows;
}

/* ---- What would flip the ranking ---- */

enum input { READ_NS, ABSENT };

/* How much more than the first row another costs at x. */
static double lead(const struct fb_ranking *k, const struct fb_ranked *r, enum input input,
                   double x)
{
    const double absent = input == ABSENT ? x : k->q->absent;
    const double read_ns = input == READ_NS ? x : k->w->read_ns;
    return fb_ranked_cost_if(k, r, absent, read_ns, 1) -
           fb_ranked_cost_if(k, k->rows, absent, read_ns, 1);
}

/* The nearest x on one side of the input's value where a row costs as much as the first: leads are
 * linear in x. NAN: there is none. */
static double crossing(const struct fb_ranking *k, enum input input, bool below,
                       const struct fb_ranked **by)
{
    const double here = input == ABSENT ? k->q->absent : k->w->read_ns;
    double nearest = NAN;
    for (size_t i = 1; i < k->n; i++) {
        const double at_0 = lead(k, &k->rows[i], input, 0), at_1 = lead(k, &k->rows[i], input, 1);
        const double x = at_0 / (at_0 - at_1);
        const bool there =
            isfinite(x) && x > 0 && (input == READ_NS || x < 1) && (below ? x < here : x > here);
        if (there && !(fabs(x - here) >= fabs(nearest - here))) {
            nearest = x;
            *by = &k->rows[i];
        }
    }
    return nearest;
}

/* Four digits: it is the quotient of differences, of which a stored answer keeps no more. */
static double rounded(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.4g", x);
    return strtod(text, NULL);
}

json_t *fb_advise_flips_json(const struct fb_ranking *k)
{
    static const char *const names[] = {[READ_NS] = "read_ns", [ABSENT] = "absent"};
    json_t *flips = json_array();
    for (int i = 0; i < 4; i++) {
        const struct fb_ranked *by = NULL;
        const enum input input = i / 2 ? ABSENT : READ_NS;
        const double x = crossing(k, input, !(i % 2), &by);
        if (isfinite(x))
            json_array_append_new(flips, json_pack("{s:s, s:s, s:f, s:o}", "input", names[input],
                                                   "side", i % 2 ? "above" : "below", "at",
                                                   rounded(x), "first", fb_advise_name(by->c)));
    }
    return flips;
}

/* ---- One step at a time ---- */

/* The best of that design and split of at most the pick's memory; NULL: none. */
static const struct fb_candidate *find(const struct fb_ranking *k, const char *design,
                                       enum fb_allocation split)
{
    const struct fb_candidate *best = NULL;
    for (size_t i = 0; i < k->w->n; i++) {
        const struct fb_candidate *c = &k->w->at[i];
        if (c->allocation == split && c->size <= k->w->at[k->w->pick].size &&
            !strcmp(c->by->design->name, design) &&
            (!best || fb_candidate_cost(c, k->q->absent, k->w->read_ns) <
                          fb_candidate_cost(best, k->q->absent, k->w->read_ns)))
            best = c;
    }
    return best;
}

static json_t *step_json(const struct fb_ranking *k, const struct fb_candidate *c)
{
    if (!c)
        return NULL;
    json_t *j = fb_advise_name(c);
    json_object_set_new(j, "cost_ns", json_real(fb_candidate_cost(c, k->q->absent, k->w->read_ns)));
    return j;
}

/* By formula, of the same memory: today's design, its bits split over levels, another design, both;
 * and which of the two steps gains more. */
json_t *fb_advise_steps_json(const struct fb_ranking *k)
{
    static const char *const none = "it has no filters of that size, or did not pass";
    const char *from = fb_json_str(k->q->document, "from");
    const struct fb_candidate *pick = &k->w->at[k->w->pick];
    const char *to = pick->by->design->name;
    const struct fb_candidate *today = find(k, from, FB_ALLOC_UNIFORM),
                              *split = find(k, from, FB_ALLOC_OPTIMAL),
                              *family = find(k, to, FB_ALLOC_UNIFORM);
    json_t *j = json_object();
    fb_json_known(j, "today", step_json(k, today), none);
    fb_json_known(j, "split", step_json(k, split), none);
    fb_json_known(j, "design", step_json(k, family), none);
    fb_json_known(j, "both", step_json(k, find(k, to, FB_ALLOC_OPTIMAL)), none);
    const double now = fb_json_num(j, "today.cost_ns");
    const double by_split = now - fb_json_num(j, "split.cost_ns"),
                 by_design = now - fb_json_num(j, "design.cost_ns");
    const bool known = isfinite(by_split) && isfinite(by_design);
    fb_json_known(j, "first",
                  !known ? NULL
                         : json_string(by_split <= 0 && by_design <= 0 ? "neither"
                                       : by_split >= by_design         ? "split"
                                                                       : "design"),
                  none);
    return j;
}
