/* Which run holds the keys that are asked for. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "filters/core/bits.h"
#include "filters/core/math.h"
#include "workloads/core/decimal.h"
#include "workloads/core/queries.h"

bool fb_holder_parse(const char *text, struct fb_query_spec *out, const char **why)
{
    static const struct {
        const char *text;
        enum fb_holder_kind kind;
    } words[] = {
        {"proportional", FB_PROPORTIONAL},
        {"popularity", FB_BY_POPULARITY},
        {"recent", FB_RECENT},
        {"last", FB_LEVEL},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(text, words[i].text)) {
            out->holder = words[i].kind;
            out->level = UINT_MAX;
            return true;
        }
    uint64_t level;
    if (fb_word_read(&text, "level:") && fb_count_read(&text, &level) && !*text &&
        level < UINT_MAX) {
        out->holder = FB_LEVEL;
        out->level = (unsigned)level;
        return true;
    }
    *why = "accepted are proportional, popularity, recent, level:NUMBER and last";
    return false;
}

/* ---- Which versions are the newest ---- */

static size_t holder_of_arrival(const struct fb_tree *t, uint64_t arrival)
{
    bool tombstone;
    return fb_tree_holder(t, fb_keyspace_index(t->space, arrival), &tombstone);
}

enum { LOOKED_UP = 1 << 16 }; /* keys, at most; all there are where they are fewer */

/* Adds what each run has the newest version of, in expectation over which keys are written again:
 * of all its keys the same part. In keys; with `ages`, a popularity whose rank is the age, in
 * shares of the queries for keys that are not among the `most` newest. */
static void add_expected(const struct fb_tree *t, const struct fb_popularity *ages, uint64_t most,
                         double *live)
{
    const uint64_t n = t->space->n_present;
    double newest = 1; /* P(an older key is in none of the runs so far) */
    double here = ages ? 1 - fb_popularity_below(ages, most) : (double)n;
    for (size_t j = 0; j < t->n_runs; j++) {
        const struct fb_run *r = &t->runs[j];
        const uint64_t age = n - r->first;
        const double older =
            ages ? 1 - fb_popularity_below(ages, age > most ? age : most) : (double)r->first;
        const double again = r->n_updates ? (double)r->n_updates / (double)r->first : 0;
        live[j] += newest * (here - older + older * again);
        newest *= 1 - again;
        here = older;
    }
}

/* live[run] = keys whose newest version it has: counted where there are at most LOOKED_UP; beyond,
 * in expectation, or of runs that are lists by as many keys looked up. */
static void live_keys(const struct fb_tree *t, double *live)
{
    const uint64_t n = t->space->n_present, looked_up = n < LOOKED_UP ? n : LOOKED_UP;
    memset(live, 0, t->n_runs * sizeof *live);
    if (n > LOOKED_UP && t->n_runs && t->runs[0].n_own) {
        add_expected(t, NULL, 0, live);
        return;
    }
    for (uint64_t i = 0; i < looked_up; i++) {
        size_t holder = holder_of_arrival(t, (uint64_t)((fb_u128)n * i / looked_up));
        if (holder < t->n_runs)
            live[holder] += (double)n / (double)looked_up;
    }
}

/* ---- Which run ---- */

static double proportional_weight(const struct fb_queries *q, size_t run)
{
    return q->run_live[run];
}

static double recent_weight(const struct fb_queries *q, size_t run)
{
    return fb_exp(-(double)run * fb_log(q->spec.recent_ratio));
}

static double level_weight(const struct fb_queries *q, size_t run)
{
    const struct fb_run *r = &q->tree->runs[run];
    return r->level == q->spec.level && !r->memtable ? q->run_live[run] : 0;
}

static double (*const weights[])(const struct fb_queries *, size_t) = {
    [FB_BY_POPULARITY] = NULL,
    [FB_PROPORTIONAL] = proportional_weight,
    [FB_RECENT] = recent_weight,
    [FB_LEVEL] = level_weight,
};

/* A run whose keys are all written again in newer ones ends no walk. */
static const char *share_runs(struct fb_queries *q)
{
    const struct fb_tree *t = q->tree;
    double total = 0, sum = 0;
    for (size_t j = 0; j < t->n_runs; j++) {
        q->run_share[j] = q->run_live[j] > 0 ? weights[q->spec.holder](q, j) : 0;
        total += q->run_share[j];
    }
    if (!(total > 0))
        return q->spec.holder == FB_LEVEL ? "no keys in that level to ask for"
                                          : "no keys in any run to ask for";
    for (size_t j = 0; j < t->n_runs; j++) {
        sum += q->run_share[j];
        q->run_share[j] = sum / total;
    }
    return NULL;
}

enum fb_err fb_holders_init(struct fb_queries *q, const char **why)
{
    live_keys(q->tree, q->run_live);
    if (q->run_share)
        *why = share_runs(q);
    return *why ? FB_EINVAL : FB_OK;
}

/* ---- What is expected of them ---- */

void fb_queries_shares(const struct fb_queries *q, double *share)
{
    const struct fb_tree *t = q->tree;
    memset(share, 0, t->n_runs * sizeof *share);
    if (!q->items && !q->run_share) /* all absent */
        return;
    if (q->run_share) {
        for (size_t j = 0; j < t->n_runs; j++)
            share[j] = q->run_share[j] - (j ? q->run_share[j - 1] : 0);
        return;
    }
    uint64_t n = t->space->n_present, rank, k;
    const struct fb_popularity *p = &q->items->popularity;
    double others = 1;
    for (k = 0; k < n && k < LOOKED_UP; k++) {
        double each = fb_popularity_top(p, k, &rank);
        if (!(each > 0))
            break;
        size_t holder = holder_of_arrival(t, fb_item_of(q->items, rank, n));
        if (holder < t->n_runs)
            share[holder] += each;
        others -= each;
    }
    if (p->kind == FB_LATEST && t->runs[0].n_own) {
        add_expected(t, p, k, share);
        return;
    }
    for (size_t j = 0; j < t->n_runs; j++)
        share[j] += others * q->run_live[j] / (double)n;
}

/* Items of a run with newer versions elsewhere are none: of its popular and other ones the same
 * part. */
double fb_queries_effective(const struct fb_queries *q)
{
    const struct fb_tree *t = q->tree;
    if (q->spec.given)
        return q->given_present;
    if (!q->items)
        return NAN;
    if (!q->run_share)
        return fb_popularity_effective(&q->items->popularity);
    double squares = 0;
    for (size_t j = 0; j < t->n_runs; j++) {
        const double part = q->run_share[j] - (j ? q->run_share[j - 1] : 0);
        const double live = q->run_live[j] / (double)t->runs[j].n_keys;
        const double keys = live * fb_popularity_effective(&q->items[j].popularity);
        if (part > 0)
            squares += part * part / (keys > 1 ? keys : 1);
    }
    return 1 / squares;
}
